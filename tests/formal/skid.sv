// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_skid: no beat is lost, made twice, changed or passed by another; it is ready but with two beats inside, and
// there is a beat at its output whenever one is inside.
//
// sources: prim/tsr_skid.sv
// depth: 6 2 8
// breaks: s/if (ready_o) spare_q <= data_i/if (push) spare_q <= ~data_i/
// breaks: s/spare_full_q <= !move/spare_full_q <= move/
`include "tsr_assert.svh"

module prove_skid #(
  parameter int Width = 3
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic             follow_i  // the beat that is pushed now, if one is
);
  logic ready, valid;
  logic [Width-1:0] data;
  tsr_skid #(.Width(Width)) dut (.clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data));
  (* hierconn *) logic [Width-1:0] \dut.spare_q ;
  (* hierconn *) logic \dut.spare_full_q ;
  (* hierconn *) logic \dut.head_full_q ;

  initial assume (!rst_ni);
  logic [1:0] count_q;
  logic inside_q, ahead_q, push, pop;  // ahead: one is in front of the beat followed
  logic [Width-1:0] beat_q;
  assign push = valid_i && ready;
  assign pop = valid && ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {count_q, inside_q} <= '0;
    end else begin
      count_q <= count_q + 2'(push) - 2'(pop);
      if (!inside_q) begin
        inside_q <= push && follow_i;
        beat_q <= data_i;
        ahead_q <= count_q != 2'(pop);
      end else if (pop) begin
        inside_q <= ahead_q;
        ahead_q <= 1'b0;
      end
    end
  end

  `TSR_ASSERT(flags, ready == (count_q != 2'd2) && valid == (count_q != 2'd0))
  `TSR_ASSERT_IF(order, inside_q && !ahead_q, valid && data == beat_q)
  // What makes it inductive.
  `TSR_ASSERT(places, count_q == 2'(\dut.head_full_q ) + 2'(\dut.spare_full_q ))
  `TSR_ASSERT_IF(is_there, inside_q && ahead_q, count_q == 2'd2 && \dut.spare_q  == beat_q)
  `TSR_COVER(second, inside_q && ahead_q)
endmodule
