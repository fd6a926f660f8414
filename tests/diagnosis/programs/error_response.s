; A load of 4 bytes from byte 17,179,869,120, where no machine of ours has memory.
.profile vta
.config tiny
.code
load memory_type=inp dram_base=0xfffffff0 y_size=1 x_size=1
finish
