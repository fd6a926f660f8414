; STORE gives LOAD one buffer ahead and writes two at a time: the second load waits for a buffer
; that STORE gives back only after that load. Two pushes ahead would suffice.
.profile tessera
.config tiny
.segment input 8
.segment output 8
.code
sync unit=store push=load
load memory=out segment=input x_bytes=4 x_size=1 y_size=1 z_size=1 pop=store push=store
load memory=out segment=input dram_base=4 sram_base=1 x_bytes=4 x_size=1 y_size=1 z_size=1 pop=store push=store
sync unit=store pop=load
store segment=output x_bytes=4 x_size=2 y_size=1 z_size=1 x_step=4 pop=load push=load
finish
