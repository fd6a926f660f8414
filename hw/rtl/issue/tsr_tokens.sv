// SPDX-License-Identifier: Apache-2.0
//
// tsr_tokens: the token counters, one for every ordered pair of units.
//
//   Input   push_i, pop_i: one bit a pair; pair f*4 + t is from unit f to unit t
//   Output  some_o, full_o: whether the pair's counter is not zero, and whether it is at its depth
//   Output  near_o: whether a counter that the unit pushes may be full after Margin more pushes
//   Cost    a token pushed on this edge can be popped in the next cycle
//
// Invariant: no counter is popped at zero or pushed at its depth. No unit has tokens for itself.
`include "tsr_assert.svh"

module tsr_tokens #(
  parameter int Depth    = 255,   // tokens a counter holds; >= 1
  parameter int Bits     = 8,     // bits of a counter
  parameter bit HasVta   = 1'b1,
  parameter int VtaDepth = 1024,  // tokens in profile vta, on the edges that it has
  parameter int VtaBits  = 11,    // bits of their counters; >= Bits
  parameter int Margin   = 16     // a power of two
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        vta_i,
  input  logic [15:0] push_i,
  input  logic [15:0] pop_i,
  output logic [15:0] some_o,
  output logic [15:0] full_o,
  output logic [3:0]  near_o
);
  localparam int Units = 32'(tsr_pkg::UNIT_STORE) + 1;
  localparam int Compute = 32'(tsr_pkg::UNIT_GEMM);
  localparam int Vector = 32'(tsr_pkg::UNIT_VECTOR);
  // near is one push late, and in steps of Margin.
  localparam int MarginBits = $clog2(Margin);
  localparam int Near = (Depth <= Margin) ? 0 : (Depth - Margin) >> MarginBits;
  localparam int VtaNear = (VtaDepth <= Margin) ? 0 : (VtaDepth - Margin) >> MarginBits;

  logic [15:0] near;
  for (genvar p = 0; p < 16; p++) begin : g_pair
    localparam int From = p / Units, To = p % Units;
    localparam bit Wide = HasVta && (From == Compute || To == Compute) && From != Vector && To != Vector;
    localparam int CountBits = Wide ? VtaBits : Bits;
    if (From == To) begin : g_none
      assign some_o[p] = 1'b0;
      assign full_o[p] = 1'b0;
      assign near[p] = 1'b0;
      `TSR_ASSERT(no_unit_has_its_own, !push_i[p] && !pop_i[p])
`ifdef SYNTHESIS
      logic unused;
      assign unused = ^{push_i[p], pop_i[p]};
`endif
    end else begin : g_counter
      // push_i and pop_i are late: the counter follows a cycle behind, by up_q and down_q, and what the flags become in
      // either case is known without them.
      logic [CountBits-1:0] behind_q;
      logic up, down, up_q, down_q, some_q, more_q, full_q, above_two, last_room;  // more: two or more
      assign up = push_i[p] && !pop_i[p];
      assign down = pop_i[p] && !push_i[p];
      assign above_two = up_q ? 32'(behind_q) > 1 : down_q ? 32'(behind_q) > 3 : 32'(behind_q) > 2;
      assign last_room = 32'(behind_q) + 32'(up_q) - 32'(down_q) == ((Wide && vta_i) ? VtaDepth : Depth) - 1;
      assign some_o[p] = some_q;
      assign full_o[p] = full_q;
      assign near[p] = (32'(behind_q) + 32'(up_q)) >> MarginBits >= ((Wide && vta_i) ? VtaNear : Near);
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          behind_q <= '0;
          {up_q, down_q, some_q, more_q, full_q} <= '0;
        end else begin
          {up_q, down_q} <= {up, down};
          behind_q <= behind_q + {{CountBits - 1{down_q}}, up_q || down_q};
          some_q <= up || (down ? more_q : some_q);
          more_q <= up ? some_q : down ? above_two : more_q;
          full_q <= up ? last_room : !down && full_q;
        end
      end
      `TSR_ASSERT(pop_has_token, pop_i[p] |-> some_q)
      `TSR_ASSERT(push_has_room, push_i[p] |-> !full_q)
`ifndef SYNTHESIS
      logic [31:0] count;
      assign count = 32'(behind_q) + 32'(up_q) - 32'(down_q);
`endif
      `TSR_ASSERT(flags, some_q == (count != 0) && more_q == (count > 1) &&
                  full_q == (count == ((Wide && vta_i) ? VtaDepth : Depth)))
    end
  end

  for (genvar u = 0; u < 4; u++) begin : g_unit
    always_ff @(posedge clk_i) near_o[u] <= near[4*u+:4] != '0;
  end
endmodule
