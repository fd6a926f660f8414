// SPDX-License-Identifier: Apache-2.0
//
// tsr_loop_count: the iterations of one loop of a nest. Whether this one is the last is known in a flop, so that what
// depends on the ends of several loops takes no comparisons of counters.
//
//   Input   en_i: one of the others means something; it may come late
//           start_i: a loop of count_i iterations, at its first; with 0, last_o means nothing. only_i: count_i is 1
//           step_i: an iteration is over; after the last one the loop is at its first again
//   Output  last_o: this iteration is the last; last_next_o: what it is after this cycle, if en_i
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
  logic [Bits-1:0] count_q, left_q, left_next;  // left: iterations with this one
  logic only_q, last_q;              // only: there is one iteration
  // As gates, not as a choice: where a bit of count_i is constant, a choice becomes the flop's reset, and en_i is late
  // for that.
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
