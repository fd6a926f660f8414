// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_decode: decodes VECTOR's instructions of both profiles into one form.
//
//   Input   insn_i, its number, vta_i; of_alu_i, add_i: it is profile tessera's Alu, its Add; uops_i
//   Output  in the same cycle: constants, loops, bases and strides; illegal_o: a field is illegal
//
// Loops, from the outside: out, in, red_out, red_in. In profile vta the innermost runs over micro-ops.
`default_nettype none
module tsr_vector_decode (
  input  logic                  vta_i,
  input  logic [255:0]          insn_i,
  input  logic                  of_alu_i,
  input  logic                  add_i,
  input  logic [31:0]           num_i,
  input  logic [15:0]           uops_i,      // profile vta: number of micro-ops
  output tsr_vector_pkg::step_t step_o,
  output tsr_vector_pkg::consts_t consts_o,
  output logic                  init_o,      // the first reduction step moves
  output logic                  fold_o,      // reduction steps are combined before they are written
  output logic                  illegal_o,
  output logic [tsr_pkg::VtaUopIdxBits:0] uop_o,
  output logic [15:0]           count_out_o,
  output logic [15:0]           count_in_o,
  output logic [15:0]           count_red_out_o,
  output logic [15:0]           count_red_in_o,
  output logic [tsr_pkg::IndexBits-1:0] src_o,
  output logic [tsr_pkg::IndexBits-1:0] acc_o,
  output logic [tsr_pkg::IndexBits-1:0] dst_o,
  output logic [tsr_pkg::IndexBits-1:0] prm_o,
  output logic [tsr_pkg::IndexBits-1:0] src_out_o,
  output logic [tsr_pkg::IndexBits-1:0] src_in_o,
  output logic [tsr_pkg::IndexBits-1:0] src_red_out_o,
  output logic [tsr_pkg::IndexBits-1:0] src_red_in_o,
  output logic [tsr_pkg::IndexBits-1:0] dst_out_o,
  output logic [tsr_pkg::IndexBits-1:0] dst_in_o,
  output logic [tsr_pkg::IndexBits-1:0] prm_out_o,
  output logic [tsr_pkg::IndexBits-1:0] prm_in_o
);
  `include "tsr_index.svh"
  logic [127:0] vta;
  assign vta = insn_i[127:0];
  logic [15:0] vta_imm;
  assign vta_imm = 16'(tsr_pkg::vta_alu_imm(vta));

  logic alu;
  assign alu = vta_i || of_alu_i;

  // One instruction's field or another's, by gates: a choice of a constant would become the reset of the flops that
  // take it, and that reset would be a late path.
  function automatic [31:0] either(input first, input [31:0] a, input [31:0] b);
    either = (a & {32{first}}) | (b & {32{!first}});
  endfunction
  function automatic [15:0] of_three(input of_vta, input [15:0] a, input alus, input [15:0] b, input [15:0] c);
    of_three = 16'(either(of_vta, 32'(a), either(alus, 32'(b), 32'(c))));
  endfunction
  function automatic [tsr_pkg::IndexBits-1:0] base(input of_vta, input alus, input [19:0] a, input [19:0] b);
    base = index_of(20'(either(alus, 32'(a), 32'(b))) & {20{!of_vta}});
  endfunction
  function automatic [tsr_pkg::IndexBits-1:0] stride(input of_vta, input [15:0] a, input alus, input [15:0] b, input [15:0] c);
    stride = index_of({4'd0, of_three(of_vta, a, alus, b, c)});
  endfunction

  // Add has Requant's fields in the same places, except for fields that only one of them has. Outputs that a kind does
  // not use may have any value.
  always_comb begin
    step_o = '0;
    step_o.kind = {alu, add_i};
    step_o.op = vta_i ? tsr_pkg::vta_alu_alu_opcode(vta) : tsr_pkg::alu_alu_op(insn_i);
    step_o.src_mem = vta_i ? {2{tsr_pkg::vta_alu_use_imm(vta)}}  // ACC or IMM
                   : of_alu_i ? tsr_pkg::alu_src_mem(insn_i) : tsr_pkg::requant_src_mem(insn_i);
    step_o.dst_mem = tsr_pkg::requant_dst_mem(insn_i) & {2{!alu}};  // else ACC
    consts_o.num = num_i;
    consts_o.round = tsr_pkg::requant_round(insn_i);
    step_o.clear = tsr_pkg::requant_clear(insn_i) && !alu &&
                   (add_i || tsr_pkg::requant_src_mem(insn_i) == tsr_pkg::VMEM_ACC);
    step_o.per_tensor = tsr_pkg::requant_per_tensor(insn_i);
    consts_o.src_zero = of_alu_i ? tsr_pkg::alu_src_zero(insn_i) : tsr_pkg::requant_src_zero(insn_i);
    consts_o.src_shift = tsr_pkg::requant_src_shift(insn_i);
    consts_o.out_zero = tsr_pkg::requant_out_zero(insn_i);
    consts_o.lo = tsr_pkg::requant_lo(insn_i);
    consts_o.hi = tsr_pkg::requant_hi(insn_i);
    consts_o.table_on = tsr_pkg::requant_table(insn_i);
    consts_o.multiplier = tsr_pkg::requant_multiplier(insn_i);
    consts_o.shift = tsr_pkg::requant_shift(insn_i);
    consts_o.imm = vta_i ? {{16{vta_imm[15]}}, vta_imm} : tsr_pkg::alu_imm(insn_i);
    init_o = of_alu_i && tsr_pkg::alu_init(insn_i);
    fold_o = of_alu_i && tsr_pkg::alu_alu_op(insn_i) != tsr_pkg::ALU_SHR &&
             tsr_pkg::alu_alu_op(insn_i) != tsr_pkg::ALU_MUL;
    illegal_o = vta_i ? !tsr_pkg::vta_alu_legal(vta) : of_alu_i ? !tsr_pkg::alu_legal(insn_i)
              : add_i ? !tsr_pkg::add_legal(insn_i) : !tsr_pkg::requant_legal(insn_i);
    uop_o = uop_of(16'(tsr_pkg::vta_alu_uop_bgn(vta)));
    count_out_o = of_three(vta_i, 16'(tsr_pkg::vta_alu_iter_out(vta)), of_alu_i, 16'(tsr_pkg::alu_iter_out(insn_i)),
                           16'(tsr_pkg::requant_iter_out(insn_i)));
    count_in_o = of_three(vta_i, 16'(tsr_pkg::vta_alu_iter_in(vta)), of_alu_i, 16'(tsr_pkg::alu_iter_in(insn_i)),
                          16'(tsr_pkg::requant_iter_in(insn_i)));
    count_red_out_o = of_three(vta_i, 16'd1, of_alu_i, 16'(tsr_pkg::alu_red_out(insn_i)), 16'd1);
    count_red_in_o = of_three(vta_i, uops_i, of_alu_i, 16'(tsr_pkg::alu_red_in(insn_i)), 16'd1);
    src_o = base(vta_i, of_alu_i, tsr_pkg::alu_src_base(insn_i), tsr_pkg::requant_src_base(insn_i));
    dst_o = base(vta_i, of_alu_i, tsr_pkg::alu_dst_base(insn_i), tsr_pkg::requant_dst_base(insn_i));
    acc_o = index_of(tsr_pkg::add_acc_base(insn_i));
    prm_o = index_of(20'(tsr_pkg::requant_prm_base(insn_i)));
    src_out_o = stride(vta_i, 16'(tsr_pkg::vta_alu_src_factor_out(vta)), of_alu_i, tsr_pkg::alu_src_out(insn_i),
                         tsr_pkg::requant_src_out(insn_i));
    src_in_o = stride(vta_i, 16'(tsr_pkg::vta_alu_src_factor_in(vta)), of_alu_i, tsr_pkg::alu_src_in(insn_i),
                        tsr_pkg::requant_src_in(insn_i));
    src_red_out_o = index_of({4'd0, tsr_pkg::alu_red_out_step(insn_i) & {16{!vta_i}}});
    src_red_in_o = index_of({4'd0, tsr_pkg::alu_red_in_step(insn_i) & {16{!vta_i}}});
    dst_out_o = stride(vta_i, 16'(tsr_pkg::vta_alu_dst_factor_out(vta)), of_alu_i, tsr_pkg::alu_dst_out(insn_i),
                         tsr_pkg::requant_dst_out(insn_i));
    dst_in_o = stride(vta_i, 16'(tsr_pkg::vta_alu_dst_factor_in(vta)), of_alu_i, tsr_pkg::alu_dst_in(insn_i),
                        tsr_pkg::requant_dst_in(insn_i));
    prm_out_o = index_of(20'(tsr_pkg::requant_prm_out(insn_i)));
    prm_in_o = index_of(20'(tsr_pkg::requant_prm_in(insn_i)));
  end
endmodule
`default_nettype wire
