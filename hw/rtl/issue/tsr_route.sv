// SPDX-License-Identifier: Apache-2.0
//
// tsr_route: merges LOAD's commands from LOAD's own gate and, in profile vta, from COMPUTE's (the gate of
// GEMM), which also commands GEMM and VECTOR. A retirement goes back to the gate of its command.
//
//   Input   commands of two gates
//   Output  commands of three units
//   Cost    none: combinational, except for the record of the commands' gates
//
// Invariant: a command offered to LOAD stays the same until LOAD takes it.
`default_nettype none
`include "tsr_assert.svh"

module tsr_route (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  // gate of LOAD
  input  logic                                  a_valid_i,
  output logic                                  a_ready_o,
  input  logic [tsr_dma_pkg::CommandBits-1:0]   a_cmd_i,
  input  logic [31:0]                           a_num_i,
  output logic                                  a_retire_o,
  output logic [63:0]                           a_digest_o,
  // gate of GEMM, or of COMPUTE
  input  logic                                  b_valid_i,
  output logic                                  b_ready_o,
  input  logic [tsr_dma_pkg::CommandBits-1:0]   b_cmd_i,  // checked, or an instruction
  input  logic [31:0]                           b_num_i,
  input  logic [1:0]                            b_unit_i,
  output logic                                  b_retire_o,
  output logic [63:0]                           b_digest_o,
  // gate of VECTOR, unused in profile vta
  input  logic                                  c_valid_i,
  output logic                                  c_ready_o,
  input  logic [255:0]                          c_cmd_i,
  input  logic [31:0]                           c_num_i,
  output logic                                  c_retire_o,
  output logic [63:0]                           c_digest_o,
  input  logic                                  vta_i,
  // units
  output logic                                  load_valid_o,
  input  logic                                  load_ready_i,
  output logic [tsr_dma_pkg::CommandBits-1:0]   load_cmd_o,
  output logic [31:0]                           load_num_o,
  input  logic                                  load_retire_i,
  input  logic [63:0]                           load_digest_i,
  output logic                                  gemm_valid_o,
  input  logic                                  gemm_ready_i,
  output logic [255:0]                          gemm_cmd_o,
  output logic [31:0]                           gemm_num_o,
  input  logic                                  gemm_retire_i,
  input  logic [63:0]                           gemm_digest_i,
  output logic                                  vector_valid_o,
  input  logic                                  vector_ready_i,
  output logic [255:0]                          vector_cmd_o,
  output logic [31:0]                           vector_num_o,
  input  logic                                  vector_retire_i,
  input  logic [63:0]                           vector_digest_i
);
  // LOAD's own gate has the turn, unless COMPUTE offered a command in the cycle before and did not have the turn. So
  // the turn does not wait for the tokens of either gate.
  logic b_load, b_vector, b_turn_q;
  assign b_load = b_valid_i & (b_unit_i == tsr_pkg::UNIT_LOAD);
  assign b_vector = b_valid_i & (b_unit_i == tsr_pkg::UNIT_VECTOR);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) b_turn_q <= 1'b0;
    else if (!load_valid_o || load_ready_i) b_turn_q <= b_load & !b_turn_q;
  end

  // The gate of each command that LOAD has in flight, in order: at most 16 commands of each gate. A command that is taken
  // counts a cycle later (took_q), since that is known late.
  localparam int OwnerBits = 5;
  logic took_q, owner_b;
  logic [OwnerBits:0] before_q, taken, retired_q;
  assign taken = before_q + (OwnerBits + 1)'(took_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {took_q, before_q, retired_q} <= '0;
    end else begin
      took_q <= load_valid_o & load_ready_i;
      before_q <= taken;
      if (load_retire_i) retired_q <= retired_q + (OwnerBits + 1)'(1);
    end
  end
  tsr_lutram #(
    .Depth(1 << OwnerBits),
    .Width(1),
    .AddrBits(OwnerBits)
  ) u_owners (
    .clk_i,
    .we_i(1'b1),  // in every cycle until the command is taken
    .waddr_i(taken[OwnerBits-1:0]),
    .wdata_i(b_turn_q),
    .raddr_i(retired_q[OwnerBits-1:0]),
    .rdata_o(owner_b)
  );
  assign load_valid_o = b_turn_q ? b_load : a_valid_i;
  assign load_cmd_o = b_turn_q ? b_cmd_i : a_cmd_i;
  assign load_num_o = b_turn_q ? b_num_i : a_num_i;
  assign a_ready_o = load_ready_i & !b_turn_q;

  assign gemm_valid_o = b_valid_i & (b_unit_i == tsr_pkg::UNIT_GEMM);
  assign gemm_cmd_o = b_cmd_i[255:0];
  assign gemm_num_o = b_num_i;
  assign vector_valid_o = vta_i ? b_vector : c_valid_i;
  assign vector_cmd_o = vta_i ? b_cmd_i[255:0] : c_cmd_i;
  assign vector_num_o = vta_i ? b_num_i : c_num_i;
  assign c_ready_o = !vta_i & vector_ready_i;
  always_comb begin
    unique case (b_unit_i)
      tsr_pkg::UNIT_LOAD: b_ready_o = load_ready_i & b_turn_q;
      tsr_pkg::UNIT_VECTOR: b_ready_o = vector_ready_i;
      default: b_ready_o = gemm_ready_i;
    endcase
  end

  assign a_retire_o = load_retire_i & !owner_b;
  assign a_digest_o = load_digest_i;
  assign b_retire_o = gemm_retire_i | (load_retire_i & owner_b) | (vta_i & vector_retire_i);
  assign b_digest_o = gemm_retire_i ? gemm_digest_i : (vta_i & vector_retire_i) ? vector_digest_i : load_digest_i;
  assign c_retire_o = !vta_i & vector_retire_i;
  assign c_digest_o = vector_digest_i;

`ifdef SYNTHESIS
  logic unused;
  assign unused = ^{taken[OwnerBits], retired_q[OwnerBits]};
`endif
  `TSR_ASSERT_STREAM(load, load_valid_o, load_ready_i, {load_cmd_o, load_num_o})
  `TSR_ASSERT_IF(owner_known, load_retire_i, taken != retired_q)
  `TSR_ASSERT(one_at_a_time, !(gemm_retire_i && load_retire_i && owner_b))
endmodule
`default_nettype wire
