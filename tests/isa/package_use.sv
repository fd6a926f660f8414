// SPDX-License-Identifier: Apache-2.0
//
// package_use: calls each kind of function that tsr_pkg has, as the RTL does; read by Verilator and yosys in
// test tsr_pkg_lint, never simulated.
//
//   Input   an instruction of each profile and a micro-op
//   Output  what the functions say
module package_use (
  input  logic [tsr_pkg::InsnBits-1:0]    insn_i,
  input  logic [tsr_pkg::VtaInsnBits-1:0] vta_i,
  input  logic [63:0]                     uop_i,
  output logic [1:0]                      unit_o,
  output logic                            known_o,
  output logic                            stray_o,
  output logic                            is_load_o,
  output logic signed [15:0]              pad_o,
  output logic signed [15:0]              imm_o,
  output logic [19:0]                     dst_o,
  output logic [tsr_pkg::InpIdxBits-1:0]  idx_o
);
  assign unit_o    = tsr_pkg::insn_unit(insn_i);
  assign known_o   = tsr_pkg::insn_known(insn_i);
  assign stray_o   = |(insn_i & ~tsr_pkg::insn_named_bits(insn_i));
  assign is_load_o = tsr_pkg::insn_opcode(insn_i) == tsr_pkg::OP_LOAD;
  assign pad_o     = 16'(tsr_pkg::load_pad_value(insn_i));
  assign imm_o     = tsr_pkg::vta_alu_imm(vta_i);
  assign dst_o     = tsr_pkg::uop_dst(uop_i);
  assign idx_o     = tsr_pkg::InpIdxBits'(tsr_pkg::load_sram_base(insn_i));
endmodule
