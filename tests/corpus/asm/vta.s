; profile vta, factors of gemm in the lower word
.profile vta
.config tiny
.segment 0
  uop dst_idx=255 src_idx=511 wgt_idx=255
  .hex 09
.segment 5 64
.code
load memory_type=uop x_size=1 y_size=1 x_stride=1
load memory_type=inp push=next x_pad_0=15 y_pad_1=15 dram_base=0xffffffff
gemm pop=prev push=prev+next reset_reg=1 uop_end=1 iter_out=1 iter_in=1 dst_factor_out=255 src_factor_in=511
alu alu_opcode=mul use_imm=1 imm=-32768 uop_end=1
store memory_type=out pop=prev push=prev
finish pop=next
.word 0x7
