// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_decode: the fields of VECTOR's instructions in one form, both profiles.
//
//   Input   insn_i, vta_i
//   Output  in the same cycle: constants, loops, bases and strides; illegal_o: a field without meaning
//
// Loops, from the outside: out, in, red_out, red_in. In profile vta the innermost runs over micro-ops.
module tsr_vector_decode (
  input  logic                  vta_i,
  input  logic [255:0]          insn_i,
  output tsr_vector_pkg::step_t step_o,
  output logic                  init_o,      // the first reduction step moves
  output logic                  fold_o,      // reduction steps are combined before they are written
  output logic                  illegal_o,
  output logic [16:0]           uop_o,
  output logic [15:0]           count_out_o,
  output logic [15:0]           count_in_o,
  output logic [15:0]           count_red_out_o,
  output logic [15:0]           count_red_in_o,
  output logic [20:0]           src_o,
  output logic [20:0]           acc_o,
  output logic [20:0]           dst_o,
  output logic [20:0]           prm_o,
  output logic [15:0]           src_out_o,
  output logic [15:0]           src_in_o,
  output logic [15:0]           src_red_out_o,
  output logic [15:0]           src_red_in_o,
  output logic [15:0]           dst_out_o,
  output logic [15:0]           dst_in_o,
  output logic [15:0]           prm_out_o,
  output logic [15:0]           prm_in_o
);
  logic [127:0] vta;
  assign vta = insn_i[127:0];
  logic [16:0] uop_end;
  assign uop_end = 17'(tsr_pkg::vta_alu_uop_end(vta));
  logic [15:0] vta_imm;
  assign vta_imm = 16'(tsr_pkg::vta_alu_imm(vta));

  always_comb begin
    step_o = '0;
    step_o.dst_mem = tsr_pkg::VMEM_ACC;
    init_o = 1'b0;
    fold_o = 1'b0;
    illegal_o = 1'b0;
    uop_o = '0;
    count_red_out_o = 16'd1;
    count_red_in_o = 16'd1;
    acc_o = '0;
    prm_o = '0;
    src_red_out_o = '0;
    src_red_in_o = '0;
    prm_out_o = '0;
    prm_in_o = '0;
    if (vta_i) begin
      step_o.kind = tsr_vector_pkg::KIND_ALU;
      step_o.op = tsr_pkg::vta_alu_alu_opcode(vta);
      step_o.src_mem = tsr_pkg::vta_alu_use_imm(vta) ? tsr_pkg::VMEM_IMM : tsr_pkg::VMEM_ACC;
      step_o.imm = {{16{vta_imm[15]}}, vta_imm};
      illegal_o = !tsr_pkg::vta_alu_legal(vta);
      uop_o = 17'(tsr_pkg::vta_alu_uop_bgn(vta));
      count_out_o = 16'(tsr_pkg::vta_alu_iter_out(vta));
      count_in_o = 16'(tsr_pkg::vta_alu_iter_in(vta));
      count_red_in_o = (uop_end > uop_o) ? 16'(uop_end - uop_o) : 16'd0;
      src_o = '0;
      dst_o = '0;
      src_out_o = 16'(tsr_pkg::vta_alu_src_factor_out(vta));
      src_in_o = 16'(tsr_pkg::vta_alu_src_factor_in(vta));
      dst_out_o = 16'(tsr_pkg::vta_alu_dst_factor_out(vta));
      dst_in_o = 16'(tsr_pkg::vta_alu_dst_factor_in(vta));
    end else if (tsr_pkg::insn_opcode(insn_i) == tsr_pkg::OP_ALU) begin
      step_o.kind = tsr_vector_pkg::KIND_ALU;
      step_o.op = tsr_pkg::alu_alu_op(insn_i);
      step_o.src_mem = tsr_pkg::alu_src_mem(insn_i);
      step_o.src_zero = tsr_pkg::alu_src_zero(insn_i);
      step_o.imm = tsr_pkg::alu_imm(insn_i);
      init_o = tsr_pkg::alu_init(insn_i);
      fold_o = step_o.op != tsr_pkg::ALU_SHR && step_o.op != tsr_pkg::ALU_MUL;
      illegal_o = !tsr_pkg::alu_legal(insn_i);
      count_out_o = {4'd0, tsr_pkg::alu_iter_out(insn_i)};
      count_in_o = {4'd0, tsr_pkg::alu_iter_in(insn_i)};
      count_red_out_o = {4'd0, tsr_pkg::alu_red_out(insn_i)};
      count_red_in_o = {4'd0, tsr_pkg::alu_red_in(insn_i)};
      src_o = {1'b0, tsr_pkg::alu_src_base(insn_i)};
      dst_o = {1'b0, tsr_pkg::alu_dst_base(insn_i)};
      src_out_o = tsr_pkg::alu_src_out(insn_i);
      src_in_o = tsr_pkg::alu_src_in(insn_i);
      src_red_out_o = tsr_pkg::alu_red_out_step(insn_i);
      src_red_in_o = tsr_pkg::alu_red_in_step(insn_i);
      dst_out_o = tsr_pkg::alu_dst_out(insn_i);
      dst_in_o = tsr_pkg::alu_dst_in(insn_i);
    end else begin
      // Requant and Add have the same fields in the same places, but for these.
      if (tsr_pkg::insn_opcode(insn_i) == tsr_pkg::OP_ADD) begin
        step_o.kind = tsr_vector_pkg::KIND_ADD;
        step_o.per_tensor = 1'b1;
        acc_o = {1'b0, tsr_pkg::add_acc_base(insn_i)};
        illegal_o = !tsr_pkg::add_legal(insn_i);
      end else begin
        step_o.kind = tsr_vector_pkg::KIND_REQUANT;
        illegal_o = !tsr_pkg::requant_legal(insn_i);
        step_o.per_tensor = tsr_pkg::requant_per_tensor(insn_i);
        prm_o = {9'd0, tsr_pkg::requant_prm_base(insn_i)};
        prm_out_o = {5'd0, tsr_pkg::requant_prm_out(insn_i)};
        prm_in_o = {5'd0, tsr_pkg::requant_prm_in(insn_i)};
      end
      step_o.src_mem = tsr_pkg::requant_src_mem(insn_i);
      step_o.dst_mem = tsr_pkg::requant_dst_mem(insn_i);
      step_o.round = tsr_pkg::requant_round(insn_i);
      step_o.clear = tsr_pkg::requant_clear(insn_i) && (step_o.kind == tsr_vector_pkg::KIND_ADD ||
                                                        step_o.src_mem == tsr_pkg::VMEM_ACC);
      step_o.src_zero = tsr_pkg::requant_src_zero(insn_i);
      step_o.src_shift = tsr_pkg::requant_src_shift(insn_i);
      step_o.out_zero = tsr_pkg::requant_out_zero(insn_i);
      step_o.lo = tsr_pkg::requant_lo(insn_i);
      step_o.hi = tsr_pkg::requant_hi(insn_i);
      step_o.multiplier = tsr_pkg::requant_multiplier(insn_i);
      step_o.shift = tsr_pkg::requant_shift(insn_i);
      count_out_o = {4'd0, tsr_pkg::requant_iter_out(insn_i)};
      count_in_o = {4'd0, tsr_pkg::requant_iter_in(insn_i)};
      src_o = {1'b0, tsr_pkg::requant_src_base(insn_i)};
      dst_o = {1'b0, tsr_pkg::requant_dst_base(insn_i)};
      src_out_o = tsr_pkg::requant_src_out(insn_i);
      src_in_o = tsr_pkg::requant_src_in(insn_i);
      dst_out_o = tsr_pkg::requant_dst_out(insn_i);
      dst_in_o = tsr_pkg::requant_dst_in(insn_i);
    end
  end
endmodule
