// SPDX-License-Identifier: Apache-2.0
//
// tsr_power_on: a reset for what must outlive the machine's own reset.
//
//   Input   clear_i: reset now too
//   Output  rst_no: low in the first cycle after configuration, and in the cycle after clear_i
//
// FPGAs start flip-flops with the value of the bitstream; where none is kept (an ASIC), clear_i has to be
// high once after power comes.
`default_nettype none
module tsr_power_on (
  input  logic clk_i,
  input  logic clear_i,
  output logic rst_no
);
  logic live_q;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) live_q <= !clear_i;
  assign rst_no = live_q;
endmodule
`default_nettype wire
