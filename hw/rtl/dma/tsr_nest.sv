// SPDX-License-Identifier: Apache-2.0
//
// tsr_nest: three nested loops over a box: columns, rows, planes. All outputs but last_next_o come from flops.
//
//   Input   as of tsr_loop_count; with an only_i, its count does not matter; step_i: ends a column
//   Output  x_last_o, y_last_o, z_last_o: this one is the last of its loop; last_o: the last of all
//   Output  last_next_o: last_o after this cycle, if en_i
`default_nettype none
module tsr_nest #(
  parameter int Bits = 16
) (
  input  logic            clk_i,
  input  logic            en_i,
  input  logic            start_i,
  input  logic [Bits-1:0] x_count_i,
  input  logic [Bits-1:0] y_count_i,
  input  logic [Bits-1:0] z_count_i,
  input  logic            x_only_i,
  input  logic            y_only_i,
  input  logic            z_only_i,
  input  logic            step_i,
  output logic            x_last_o,
  output logic            y_last_o,
  output logic            z_last_o,
  output logic            last_o,
  output logic            last_next_o
);
  logic [2:0] last, next, only, step;  // of x, y, z
  logic [3*Bits-1:0] count;
  assign count = {z_count_i, y_count_i, x_count_i};
  assign only = {z_only_i, y_only_i, x_only_i};
  assign step = {step_i & last[0] & last[1], step_i & last[0], step_i};
  for (genvar i = 0; i < 3; i++) begin : g_loop
    tsr_loop_count #(
      .Bits(Bits)
    ) u_count (
      .clk_i,
      .en_i,
      .start_i,
      .count_i(count[Bits*i+:Bits]),
      .only_i(only[i]),
      .step_i(step[i]),
      .last_o(last[i]),
      .last_next_o(next[i])
    );
  end
  assign {z_last_o, y_last_o, x_last_o} = last;
  assign last_next_o = next == 3'b111;
  always_ff @(posedge clk_i) if (en_i) last_o <= last_next_o;
endmodule
`default_nettype wire
