.profile tessera
.config default 0xffffffffffffffff
.segment 1 4294967297
.zero 268435456
