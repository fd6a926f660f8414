.profile tessera
.config default 0xffffffffffffffff
.segment 0 4213594792
.zero 268435456
