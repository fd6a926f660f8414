// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_deep_fifo: no beat is lost, made twice, changed or passed by another, and one is shown at most 3 cycles after
// there is any. A beat, any one, is followed from its push to its pop.
//
// sources: prim/tsr_deep_fifo.sv
// depth: 6 2 8
// breaks: s/read = some & (!head_q | moved_q)/read = some/
// breaks: s/shown_q <= head_q & !moved_q/shown_q <= head_q/
`include "tsr_assert.svh"

module prove_deep_fifo #(
  parameter int Width = 2,
  parameter int Depth = 4
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic             follow_i  // the beat that is pushed now, if one is
);
  localparam int AddrBits = $clog2(Depth);
  localparam int CountBits = AddrBits + 2;
  logic valid;
  logic [Width-1:0] data;
  tsr_deep_fifo #(.Width(Width), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .valid_i, .data_i, .valid_o(valid), .ready_i, .data_o(data)
  );
  (* hierconn *) logic [AddrBits:0] \dut.wptr_q ;
  (* hierconn *) logic [AddrBits:0] \dut.rptr_q ;
  (* hierconn *) logic \dut.head_q ;
  (* hierconn *) logic \dut.moved_q ;
  (* hierconn *) logic [Width-1:0] \dut.head_data_q ;
  (* hierconn *) logic [AddrBits-1:0] \dut.proof_addr ;
  (* hierconn *) logic [Width-1:0] \dut.proof_word ;

  initial assume (!rst_ni);
  logic [CountBits-1:0] count_q, ahead_q;  // beats inside; of them, in front of the one followed
  logic [1:0] hidden_q;                    // cycles in which there was one and none was shown
  logic inside_q, pop;
  logic [Width-1:0] beat_q;
  assign pop = valid && ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {count_q, inside_q, hidden_q} <= '0;
    end else begin
      count_q <= count_q + CountBits'(valid_i) - CountBits'(pop);
      hidden_q <= (count_q != '0 && !valid) ? hidden_q + 2'd1 : 2'd0;
      if (!inside_q) begin
        inside_q <= valid_i && follow_i;
        beat_q <= data_i;
        ahead_q <= count_q - CountBits'(pop);
      end else if (pop) begin
        inside_q <= ahead_q != '0;
        ahead_q <= ahead_q - CountBits'(1);
      end
    end
  end

  `TSR_ASSERT_IF(nothing_from_nothing, valid, count_q != '0)
  `TSR_ASSERT_IF(order, inside_q && ahead_q == '0 && valid, data == beat_q)
  `TSR_ASSERT_IF(soon, count_q != '0 && !valid, hidden_q < 2'd3)
  // What makes it inductive: where the beat is, in front of the RAM's, in the RAM's output or in the RAM; that it is there.
  logic head;
  logic [CountBits-1:0] before_ram;
  logic [AddrBits:0] in_ram;
  assign head = \dut.head_q  && !\dut.moved_q ;
  assign before_ram = CountBits'(valid) + CountBits'(head);
  assign in_ram = \dut.wptr_q  - \dut.rptr_q ;
  assign \dut.proof_addr  = \dut.rptr_q [AddrBits-1:0] + AddrBits'(ahead_q - before_ram);
  `TSR_ASSERT(places, count_q == before_ram + CountBits'(in_ram) && in_ram <= (AddrBits + 1)'(Depth))
  `TSR_ASSERT_IF(moved_is_shown, (\dut.moved_q ), \dut.head_q  && valid)
  `TSR_ASSERT_IF(is_inside, inside_q, ahead_q < count_q)
  `TSR_ASSERT_IF(in_head, inside_q && head && ahead_q == CountBits'(valid), \dut.head_data_q  == beat_q)
  `TSR_ASSERT_IF(in_the_ram, inside_q && ahead_q >= before_ram, \dut.proof_word  == beat_q)
  `TSR_ASSERT_IF(comes_up, count_q != '0 && !valid, hidden_q == 2'd0 || head || (hidden_q == 2'd1 && in_ram != '0))
  `TSR_COVER(full, in_ram == (AddrBits + 1)'(Depth))
  `TSR_COVER(behind_others, inside_q && ahead_q == CountBits'(Depth))
endmodule
