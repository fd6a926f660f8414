// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_tally, the counter of every token edge: its flags say exactly whether the counter is above zero and
// whether it is full, under either profile's limit, so a gate that pushes below full and pops above empty neither loses
// nor duplicates a token.
//
// sources: common/tsr_tally.sv
// depth: 6 2 14
// breaks: s/above_two = up_q ? 32'(behind_q) > 1/above_two = up_q ? 32'(behind_q) > 0/
// breaks: s/is(VtaLimit - 1)/is(VtaLimit)/
`include "tsr_assert.svh"

module prove_tally #(
  parameter int Bits     = 4,
  parameter int Limit    = 5,
  parameter int VtaLimit = 9
) (
  input logic clk_i,
  input logic rst_ni,
  input logic vta_i,
  input logic up_i,
  input logic down_i
);
  logic some, full;
  logic [Bits-1:0] behind;
  tsr_tally #(.Bits(Bits), .Limit(Limit), .VtaLimit(VtaLimit)) dut (
    .clk_i, .rst_ni, .vta_i, .up_i, .down_i, .some_o(some), .full_o(full), .behind_o(behind)
  );

  initial assume (!rst_ni);
  logic vta_q;
  logic [Bits-1:0] count_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {count_q, vta_q} <= {{Bits{1'b0}}, vta_i};
    else count_q <= count_q + Bits'(up_i) - Bits'(down_i);
  end
  always_comb if (rst_ni) profile: assume (vta_i == vta_q);

  `TSR_ASSERT(some_exact, some == (count_q != '0))
  `TSR_ASSERT(full_exact, full == (32'(count_q) == (vta_i ? VtaLimit : Limit)))
  `TSR_ASSERT(in_range, 32'(count_q) <= (vta_i ? VtaLimit : Limit))
  // Invariants for the induction.
  (* hierconn *) logic \dut.up_q ;
  (* hierconn *) logic \dut.down_q ;
  `TSR_ASSERT(count, count_q == behind + Bits'(\dut.up_q ) - Bits'(\dut.down_q ) && !(\dut.up_q  && \dut.down_q ))
  `TSR_COVER(full_of_vta, full && vta_i)
  `TSR_COVER(full_of_tessera, full && !vta_i)
endmodule
