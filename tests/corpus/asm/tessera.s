; every directive and every instruction of profile tessera
.profile tessera
.config default
.segment uops
  uop dst=1 src=2 wgt=3 init=1
  uop dst=1048575
.segment constants 256
  .hex 000102030405060708090a0b0c0d0e0f
  .zero 40
.segment arena 4096
.code
.source 0 "conv1+relu"
load memory=wgt segment=constants x_bytes=256 x_size=1 push=gemm
load memory=inp segment=input x_bytes=16 x_size=3 x_step=16 y_size=3 y_step=48 z_size=1 x_pad_0=1 x_pad_1=1 y_pad_0=1 y_pad_1=1 pad_value=-128
gemm pop=load uop_count=1 iter_out=3 iter_in=3 dst_out=3 dst_in=1 src_out=5 src_in=1
depthwise kh=3 kw=3 init=1 iter_z=1 iter_out=3 iter_in=3 push=vector
requant pop=gemm src_mem=acc dst_mem=out round=even lo=-128 hi=127 shift=-31 multiplier=1073741824 per_tensor=1 iter_out=3 iter_in=3
add src_mem=inp dst_mem=inp round=tflite acc_base=7
alu alu_op=shr src_mem=imm imm=-3 red_out=1 red_in=1 iter_out=1 iter_in=1 push=store
.end
.source 1 "sto\x72e \"x\""
store pop=vector segment=output x_bytes=16 x_size=9 x_step=16
.end
sync unit=store pop=load+gemm push=vector
.word 0xf
finish
