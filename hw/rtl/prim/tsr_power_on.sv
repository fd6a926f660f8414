// SPDX-License-Identifier: Apache-2.0
//
// tsr_power_on: the reset of logic that must outlive the machine's own reset.
//
//   Input   clear_i: reset now too
//   Output  rst_no: low in the first cycle after configuration, and in the cycle after clear_i
//
// FPGAs start flip-flops with the value of the bitstream. An ASIC has no such value: there clear_i must be
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
