// SPDX-License-Identifier: Apache-2.0
//
// tsr_loop_count: the iterations of one loop of a nest. Whether this one is the last is known in a flop, so that what
// depends on the ends of several loops takes no comparisons of counters.
//
//   Input   start_i: a loop of count_i iterations, at its first; with 0, last_o means nothing
//           step_i: an iteration is over; after the last one the loop is at its first again
//   Output  last_o: this iteration is the last
module tsr_loop_count #(
  parameter int Bits = 16
) (
  input  logic            clk_i,
  input  logic            start_i,
  input  logic [Bits-1:0] count_i,
  input  logic            step_i,
  output logic            last_o
);
  logic [Bits-1:0] count_q, left_q;  // left: iterations with this one
  logic only_q, last_q;              // only: there is one iteration
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      {count_q, left_q} <= {count_i, count_i};
      {only_q, last_q} <= {2{count_i == Bits'(1)}};
    end else if (step_i) begin
      left_q <= last_q ? count_q : left_q - Bits'(1);
      last_q <= last_q ? only_q : left_q == Bits'(2);
    end
  end
  assign last_o = last_q;
endmodule
