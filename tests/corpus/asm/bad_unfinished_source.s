.profile tessera
.config default
.code
.source 1 "x
