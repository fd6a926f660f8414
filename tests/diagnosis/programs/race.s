; LOAD fills OUT tile 0 a second time without waiting until STORE has read it.
.profile tessera
.config tiny
.segment input 8
.segment output 4
.code
load memory=out segment=input x_bytes=4 x_size=1 y_size=1 z_size=1 push=store
store segment=output x_bytes=4 x_size=1 y_size=1 z_size=1 pop=load
load memory=out segment=input dram_base=4 x_bytes=4 x_size=1 y_size=1 z_size=1
finish
