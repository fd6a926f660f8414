// SPDX-License-Identifier: Apache-2.0
//
// tsr_skid: a two-beat elastic buffer; no combinational path runs through it in either direction.
//
//   Input   stream
//   Output  stream
//   Cost    1 cycle of latency, 1 beat a cycle; ready_o, valid_o and data_o come from flops
//
// Invariant: beats leave in the order they came; none is lost, none is made twice.
`default_nettype none
`include "tsr_assert.svh"

module tsr_skid #(
  parameter int Width = 32  // bits in a beat; >= 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // upstream
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  // downstream
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  logic head_full_q, spare_full_q;
  logic [Width-1:0] head_q, spare_q;

  assign ready_o = !spare_full_q;
  assign valid_o = head_full_q;
  assign data_o = head_q;

  logic push, move;  // move: the head's place is free for the next beat
  assign push = valid_i & ready_o;
  assign move = ready_i | !head_full_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_full_q <= 1'b0;
      spare_full_q <= 1'b0;
    end else begin
      if (move) head_full_q <= spare_full_q | push;
      spare_full_q <= !move & (spare_full_q | push);
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) head_q <= spare_full_q ? spare_q : data_i;
    if (ready_o) spare_q <= data_i;  // means a beat only when it is pushed
  end

`ifndef SYNTHESIS
  initial if (Width < 1) $fatal(1, "tsr_skid: Width is %0d, must be >= 1", Width);
`endif
  `TSR_REQUIRE_STREAM(in, valid_i, ready_o, data_i)
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, data_o)
  `TSR_ASSERT_IF(spare_behind_head, spare_full_q, head_full_q)
  `TSR_COVER(saw_stall, spare_full_q)
endmodule
`default_nettype wire
