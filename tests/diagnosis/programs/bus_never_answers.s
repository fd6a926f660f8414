; A load of 1 KiB that STORE waits for. The program is right; the memory stops in cycle 100 (device
; option memory-stops).
.profile tessera
.config tiny
.segment input 1024
.segment output 1024
.code
load memory=out segment=input x_bytes=4 x_size=256 y_size=1 z_size=1 x_step=4 push=store
store segment=output x_bytes=4 x_size=256 y_size=1 z_size=1 x_step=4 pop=load
finish
