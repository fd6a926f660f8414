// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_fifo: no beat is lost, duplicated, changed or overtaken; the flags give exactly the number of beats
// inside.
//
// sources: prim/tsr_fifo.sv prim/tsr_lutram.sv
// depth: 6 2 8
// breaks: s/full_q <= push \&\& wptr_next == rptr_q/full_q <= 1'b0/
// breaks: s/if (pop) rptr_q <= rptr_next/if (pop \&\& !push) rptr_q <= rptr_next/
`include "tsr_assert.svh"
`include "follow.svh"

module prove_fifo #(
  parameter int Width = 3,
  parameter int Depth = 4
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic             this_i
);
  localparam int AddrBits = $clog2(Depth);
  localparam int Bits = AddrBits + 1;
  logic ready, valid, followed;
  logic [Width-1:0] data, beat;
  logic [Bits-1:0] count, ahead;
  tsr_fifo #(.Width(Width), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data)
  );
  follow #(.Width(Width), .Bits(Bits)) u_follow (
    .clk_i, .rst_ni, .push_i(valid_i && ready), .data_i, .pop_i(valid && ready_i), .this_i,
    .count_o(count), .inside_o(followed), .ahead_o(ahead), .beat_o(beat)
  );
  initial assume (!rst_ni);

  `TSR_ASSERT(flags, ready == (count != Bits'(Depth)) && valid == (count != '0))
  `TSR_ASSERT_IF(order, followed && ahead == '0, valid && data == beat)
  // Invariants for the induction: the followed beat is inside, at its place.
  (* hierconn *) logic [AddrBits-1:0] \dut.wptr_q ;
  (* hierconn *) logic [AddrBits-1:0] \dut.rptr_q ;
  (* hierconn *) logic [AddrBits-1:0] \dut.u_mem.proof_addr ;
  (* hierconn *) logic [Width-1:0] \dut.u_mem.proof_word ;
  assign \dut.u_mem.proof_addr  = \dut.rptr_q  + AddrBits'(ahead);
  `TSR_ASSERT(pointers, AddrBits'(count) == AddrBits'(\dut.wptr_q  - \dut.rptr_q ) && count <= Bits'(Depth))
  `TSR_ASSERT_IF(is_there, followed, ahead < count && \dut.u_mem.proof_word  == beat)
  `TSR_COVER(behind_others, followed && ahead == Bits'(Depth - 1))
endmodule
