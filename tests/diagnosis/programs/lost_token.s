; LOAD fills OUT tiles 0 and 1; STORE writes both out. The second load lacks its push to STORE.
.profile tessera
.config tiny
.segment input 8
.segment output 8
.code
load memory=out segment=input x_bytes=4 x_size=1 y_size=1 z_size=1 push=store
store segment=output x_bytes=4 x_size=1 y_size=1 z_size=1 pop=load
load memory=out segment=input dram_base=4 sram_base=1 x_bytes=4 x_size=1 y_size=1 z_size=1
store segment=output dram_base=4 sram_base=1 x_bytes=4 x_size=1 y_size=1 z_size=1 pop=load
finish
