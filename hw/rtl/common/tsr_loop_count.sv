// SPDX-License-Identifier: Apache-2.0
//
// tsr_loop_count: counts the iterations of one loop of a nest. A flop holds whether this iteration is the last, so that
// logic on the ends of several loops compares no counters.
//
//   Input   en_i: start_i or step_i counts in this cycle; it may come late
//           start_i: starts a loop of count_i iterations; with 0, last_o means nothing. only_i: count_i is 1
//           step_i: ends an iteration; after the last one the loop is at its first again
//   Output  last_o: this iteration is the last; last_next_o: last_o after this cycle, if en_i
`default_nettype none
module tsr_loop_count #(
  parameter int Bits = 16
) (
  input  logic            clk_i,
  input  logic            en_i,
  input  logic            start_i,
  input  logic [Bits-1:0] count_i,
  input  logic            only_i,
  input  logic            step_i,
  output logic            last_o,
  output logic            last_next_o
);
  logic [Bits-1:0] count_q, left_q, left_next;  // left: iterations, this one included
  logic only_q, last_q;              // only: there is one iteration
  // Gates instead of a choice: where a bit of count_i is constant, a choice becomes the flop's reset, for which en_i is
  // too late.
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (start_i) {count_q, only_q} <= {count_i, only_i};
      if (start_i || step_i) left_q <= (count_i & {Bits{start_i}}) | (left_next & {Bits{!start_i}});
      last_q <= last_next_o;
    end
  end
  assign left_next = last_q ? count_q : left_q - Bits'(1);
  assign last_o = last_q;
  assign last_next_o = start_i ? only_i : !step_i ? last_q : last_q ? only_q : left_q == Bits'(2);
endmodule
`default_nettype wire
