// SPDX-License-Identifier: Apache-2.0
//
// tsr_errors: makes the errors of the units precise: an error counts when all instructions before it in its
// gate have retired, SYNCs included.
//
//   Input   errors of the units, by enum Unit, held; the oldest instruction in flight of every gate
//   Output  the errors that count; compute_o: LOAD's error belongs to an instruction of COMPUTE (profile vta)
//   Cost    1 cycle; five comparisons of 32 bits
//
// Invariant: every error counts in the end, because all older instructions of its gate retire: a gate issues
// nothing behind an instruction that may stall (tsr_gate). COMPUTE has one instruction in flight.
`default_nettype none
module tsr_errors (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         vta_i,
  // units
  input  logic [3:0]   err_valid_i,
  input  logic [127:0] err_num_i,
  // gates
  input  logic [3:0]   flying_i,    // an instruction is in flight
  input  logic [127:0] old_num_i,   // number of the oldest one
  // to control
  output logic [3:0]   err_valid_o,
  output logic         compute_o
);
  localparam int Load = 32'(tsr_pkg::UNIT_LOAD);
  localparam int Gemm = 32'(tsr_pkg::UNIT_GEMM);

  logic [3:0] due;
  logic compute;
  for (genvar u = 0; u < 4; u++) begin : g_unit
    assign due[u] = !flying_i[u] | (old_num_i[32*u+:32] == err_num_i[32*u+:32]);
  end
  assign compute = vta_i & flying_i[Gemm] & (old_num_i[32*Gemm+:32] == err_num_i[32*Load+:32]);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) err_valid_o <= '0;
    else err_valid_o <= err_valid_i & (due | (4'(compute) << Load));
  end
  always_ff @(posedge clk_i) compute_o <= compute;
endmodule
`default_nettype wire
