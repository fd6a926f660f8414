// SPDX-License-Identifier: Apache-2.0
//
// tsr_tokens: the token counters, one for every ordered pair of units.
//
//   Input   push_i, pop_i: one bit a pair; pair f*4 + t is from unit f to unit t
//   Output  some_o, full_o: the pair's counter is not zero; it is at its depth
//   Output  near_o: a counter that the unit pushes may be full after Margin more pushes
//   Cost    a token pushed on this edge can be popped in the next cycle
//
// Invariant: no counter is popped at zero or pushed at its depth. No unit has tokens for itself.
`default_nettype none
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
  // A counter is near from a round number on, which takes few gates to compare with. The count seen here is two pushes old.
  localparam int Round = Depth >= 4 * Margin ? 1 << ($clog2(Depth) - 2) : 1;
  localparam int VtaRound = VtaDepth >= 4 * Margin ? 1 << ($clog2(VtaDepth) - 2) : 1;
  localparam int Near = Depth < Margin + 2 ? 0 : (Depth - Margin - 2) / Round * Round;
  localparam int VtaNear = VtaDepth < Margin + 2 ? 0 : (VtaDepth - Margin - 2) / VtaRound * VtaRound;

  logic [15:0] near;
  for (genvar p = 0; p < 16; p++) begin : g_pair
    localparam int From = p / Units, To = p % Units;
    localparam bit Wide = HasVta && (From == Compute || To == Compute) && From != Vector && To != Vector;
    localparam int CountBits = Wide ? VtaBits : Bits;
    if (From == To) begin : g_none
      assign some_o[p] = 1'b0;
      assign full_o[p] = 1'b0;
      assign near[p] = 1'b0;
`ifdef SYNTHESIS
      logic unused;
      assign unused = ^{push_i[p], pop_i[p]};
`endif
    end else begin : g_counter
      logic [CountBits-1:0] behind;
      tsr_tally #(
        .Bits(CountBits),
        .Limit(Depth),
        .VtaLimit(Wide ? VtaDepth : Depth)
      ) u_count (
        .clk_i,
        .rst_ni,
        .vta_i,
        .up_i(push_i[p]),
        .down_i(pop_i[p]),
        .some_o(some_o[p]),
        .full_o(full_o[p]),
        .behind_o(behind)
      );
      assign near[p] = 32'(behind) >= ((Wide && vta_i) ? VtaNear : Near);
    end
  end

  for (genvar u = 0; u < 4; u++) begin : g_unit
    always_ff @(posedge clk_i) near_o[u] <= near[4*u+:4] != '0;
  end

  `TSR_ASSERT(no_unit_has_its_own, ((push_i | pop_i) & 16'h8421) == '0)
endmodule
`default_nettype wire
