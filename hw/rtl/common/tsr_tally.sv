// SPDX-License-Identifier: Apache-2.0
//
// tsr_tally: an up-down counter whose flags do not wait for its adder: up_i and down_i may be late.
//
//   Input   up_i, down_i: one more, one less; vta_i: constant while the count is not 0
//   Output  some_o, full_o, from flops: the count is 1 or more; the count is the profile's limit
//           behind_o: the count of the cycle before
//
// Invariant: at 0 down_i comes only with up_i; at the limit up_i comes only with down_i.
`default_nettype none
`include "tsr_assert.svh"

module tsr_tally #(
  parameter int Bits     = 8,     // of the count; it holds both limits
  parameter int Limit    = 255,   // >= 1
  parameter int VtaLimit = Limit  // in profile vta
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            vta_i,
  input  logic            up_i,
  input  logic            down_i,
  output logic            some_o,
  output logic            full_o,
  output logic [Bits-1:0] behind_o
);
  // behind_q does not have up_q and down_q yet.
  logic [Bits-1:0] behind_q;
  logic up, down, up_q, down_q, some_q, more_q, full_q, above_two;  // more: two or more
  assign up = up_i && !down_i;
  assign down = down_i && !up_i;
  // Whether the count is |value|.
  function automatic is(input int value);
    is = up_q ? 32'(behind_q) == value - 1 : down_q ? 32'(behind_q) == value + 1 : 32'(behind_q) == value;
  endfunction
  assign above_two = up_q ? 32'(behind_q) > 1 : down_q ? 32'(behind_q) > 3 : 32'(behind_q) > 2;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      behind_q <= '0;
      {up_q, down_q, some_q, more_q, full_q} <= '0;
    end else begin
      {up_q, down_q} <= {up, down};
      behind_q <= behind_q + {{Bits - 1{down_q}}, up_q || down_q};
      some_q <= up || (down ? more_q : some_q);
      more_q <= up ? some_q : down ? above_two : more_q;
      full_q <= up ? (vta_i ? is(VtaLimit - 1) : is(Limit - 1)) : !down && full_q;
    end
  end
  assign some_o = some_q;
  assign full_o = full_q;
  assign behind_o = behind_q;

  `TSR_REQUIRE_IF(goes_if_there, down_i, some_q || up_i)
  `TSR_REQUIRE_IF(comes_if_room, up_i, !full_q || down_i)
`ifndef SYNTHESIS
  // A sum: is() would make a simulator branch on up_q and down_q.
  logic [31:0] count;
  assign count = 32'(behind_q) + 32'(up_q) - 32'(down_q);
`endif
  `TSR_ASSERT(flags, some_q == (count != 0) && more_q == (count > 1) && full_q == (count == (vta_i ? VtaLimit : Limit)))
endmodule
`default_nettype wire
