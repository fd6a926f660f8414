// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_deep_fifo: no beat is lost, duplicated, changed or overtaken, and the queue shows a beat at most 3
// cycles after it has one. No beat is read from the RAM in the cycle that writes it (no_rw_check relies on that).
//
// sources: prim/tsr_deep_fifo.sv
// depth: 6 2 8
// breaks: s/read = some & (!head_q | moved_q)/read = some/
// breaks: s/shown_q <= head_q & !moved_q/shown_q <= head_q/
// breaks: s/assign some = wptr_q != rptr_q;/assign some = wptr_q != rptr_q || valid_i;/
`include "tsr_assert.svh"
`include "follow.svh"

module prove_deep_fifo #(
  parameter int Width = 2,
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
  localparam int Bits = AddrBits + 2;
  logic valid, followed;
  logic [Width-1:0] data, beat;
  logic [Bits-1:0] count, ahead;
  tsr_deep_fifo #(.Width(Width), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .valid_i, .data_i, .valid_o(valid), .ready_i, .data_o(data)
  );
  follow #(.Width(Width), .Bits(Bits)) u_follow (
    .clk_i, .rst_ni, .push_i(valid_i), .data_i, .pop_i(valid && ready_i), .this_i,
    .count_o(count), .inside_o(followed), .ahead_o(ahead), .beat_o(beat)
  );
  initial assume (!rst_ni);
  logic [1:0] hidden_q;  // cycles in which the queue had a beat and showed none
  always_ff @(posedge clk_i) hidden_q <= (rst_ni && count != '0 && !valid) ? hidden_q + 2'd1 : 2'd0;

  `TSR_ASSERT_IF(nothing_from_nothing, valid, count != '0)
  `TSR_ASSERT_IF(order, followed && ahead == '0 && valid, data == beat)
  `TSR_ASSERT_IF(soon, count != '0 && !valid, hidden_q < 2'd3)
  // Invariants for the induction: the followed beat is in front of the RAM, in its output or in the RAM, at its place.
  (* hierconn *) logic [AddrBits:0] \dut.wptr_q ;
  (* hierconn *) logic [AddrBits:0] \dut.rptr_q ;
  (* hierconn *) logic \dut.head_q ;
  (* hierconn *) logic \dut.moved_q ;
  (* hierconn *) logic \dut.read ;
  (* hierconn *) logic [Width-1:0] \dut.head_data_q ;
  (* hierconn *) logic [AddrBits-1:0] \dut.proof_addr ;
  (* hierconn *) logic [Width-1:0] \dut.proof_word ;
  logic head;
  logic [Bits-1:0] before_ram;
  logic [AddrBits:0] in_ram;
  assign head = \dut.head_q  && !\dut.moved_q ;
  assign before_ram = Bits'(valid) + Bits'(head);
  assign in_ram = \dut.wptr_q  - \dut.rptr_q ;
  assign \dut.proof_addr  = \dut.rptr_q [AddrBits-1:0] + AddrBits'(ahead - before_ram);
  `TSR_ASSERT_IF(no_read_of_a_write, valid_i && (\dut.read ), \dut.wptr_q [AddrBits-1:0] != \dut.rptr_q [AddrBits-1:0])
  `TSR_ASSERT(places, count == before_ram + Bits'(in_ram) && in_ram <= (AddrBits + 1)'(Depth))
  `TSR_ASSERT_IF(moved_is_shown, (\dut.moved_q ), \dut.head_q  && valid)
  `TSR_ASSERT_IF(is_inside, followed, ahead < count)
  `TSR_ASSERT_IF(in_head, followed && head && ahead == Bits'(valid), \dut.head_data_q  == beat)
  `TSR_ASSERT_IF(in_the_ram, followed && ahead >= before_ram, \dut.proof_word  == beat)
  `TSR_ASSERT_IF(comes_up, count != '0 && !valid, hidden_q == 2'd0 || head || (hidden_q == 2'd1 && in_ram != '0))
  `TSR_COVER(full, in_ram == (AddrBits + 1)'(Depth))
  `TSR_COVER(behind_others, followed && ahead == Bits'(Depth))
endmodule
