// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_skid: no beat is lost, duplicated, changed or overtaken; it is ready unless two beats are inside, and a
// beat is at its output whenever one is inside.
//
// sources: prim/tsr_skid.sv
// depth: 6 2 8
// breaks: s/if (ready_o) spare_q <= data_i/if (push) spare_q <= ~data_i/
// breaks: s/spare_full_q <= !move/spare_full_q <= move/
`include "tsr_assert.svh"
`include "follow.svh"

module prove_skid #(
  parameter int Width = 3
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic             this_i
);
  logic ready, valid, followed;
  logic [Width-1:0] data, beat;
  logic [1:0] count, ahead;
  tsr_skid #(.Width(Width)) dut (.clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data));
  follow #(.Width(Width), .Bits(2)) u_follow (
    .clk_i, .rst_ni, .push_i(valid_i && ready), .data_i, .pop_i(valid && ready_i), .this_i,
    .count_o(count), .inside_o(followed), .ahead_o(ahead), .beat_o(beat)
  );
  initial assume (!rst_ni);

  `TSR_ASSERT(flags, ready == (count != 2'd2) && valid == (count != 2'd0))
  `TSR_ASSERT_IF(order, followed && ahead == 2'd0, valid && data == beat)
  // Invariants for the induction.
  (* hierconn *) logic [Width-1:0] \dut.spare_q ;
  (* hierconn *) logic \dut.spare_full_q ;
  (* hierconn *) logic \dut.head_full_q ;
  `TSR_ASSERT(places, count == 2'(\dut.head_full_q ) + 2'(\dut.spare_full_q ))
  `TSR_ASSERT_IF(is_there, followed, ahead < count && (ahead == 2'd0 || \dut.spare_q  == beat))
  `TSR_COVER(second, followed && ahead == 2'd1)
endmodule
