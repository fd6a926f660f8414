// SPDX-License-Identifier: Apache-2.0
//
// tsr_tokens: the token counters, one for every ordered pair of units.
//
//   Input   push_i, pop_i: one bit a pair; pair f*4 + t is from unit f to unit t
//   Output  some_o, full_o: whether the pair's counter is not zero, and whether it is at Depth
//   Cost    a token pushed on this edge can be popped in the next cycle
//
// Invariant: no counter is popped at zero or pushed at Depth.
`include "tsr_assert.svh"

module tsr_tokens #(
  parameter int Depth = 255,  // tokens a counter holds; >= 1
  parameter int Bits  = 8     // bits of a counter
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] push_i,
  input  logic [15:0] pop_i,
  output logic [15:0] some_o,
  output logic [15:0] full_o
);
  for (genvar p = 0; p < 16; p++) begin : g_pair
    logic [Bits-1:0] count_q;
    logic some_q, full_q;
    logic [Bits-1:0] count_d;
    assign count_d = count_q + Bits'(push_i[p]) - Bits'(pop_i[p]);
    assign some_o[p] = some_q;
    assign full_o[p] = full_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        count_q <= '0;
        some_q <= 1'b0;
        full_q <= 1'b0;
      end else begin
        count_q <= count_d;
        some_q <= count_d != '0;
        full_q <= count_d == Bits'(Depth);
      end
    end
    `TSR_ASSERT(pop_has_token, pop_i[p] |-> count_q != '0)
    `TSR_ASSERT(push_has_room, push_i[p] |-> count_q != Bits'(Depth))
  end
endmodule
