// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_fifo: no beat is lost, made twice, changed or passed by another; the flags say exactly what is inside. A beat,
// any one, is followed from its push to its pop.
//
// sources: prim/tsr_fifo.sv prim/tsr_lutram.sv
// depth: 6 2 8
// breaks: s/full_q <= push \&\& wptr_next == rptr_q/full_q <= 1'b0/
// breaks: s/if (pop) rptr_q <= rptr_next/if (pop \&\& !push) rptr_q <= rptr_next/
`include "tsr_assert.svh"

module prove_fifo #(
  parameter int Width = 3,
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
  logic ready, valid;
  logic [Width-1:0] data;
  tsr_fifo #(.Width(Width), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data)
  );
  (* hierconn *) logic [AddrBits-1:0] \dut.wptr_q ;
  (* hierconn *) logic [AddrBits-1:0] \dut.rptr_q ;
  (* hierconn *) logic [AddrBits-1:0] \dut.u_mem.proof_addr ;
  (* hierconn *) logic [Width-1:0] \dut.u_mem.proof_word ;

  initial assume (!rst_ni);
  logic [AddrBits:0] count_q, ahead_q;  // beats inside; of them, in front of the one followed
  logic inside_q, push, pop;
  logic [Width-1:0] beat_q;
  assign push = valid_i && ready;
  assign pop = valid && ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {count_q, inside_q} <= '0;
    end else begin
      count_q <= count_q + (AddrBits + 1)'(push) - (AddrBits + 1)'(pop);
      if (!inside_q) begin
        inside_q <= push && follow_i;
        beat_q <= data_i;
        ahead_q <= count_q - (AddrBits + 1)'(pop);
      end else if (pop) begin
        inside_q <= ahead_q != '0;
        ahead_q <= ahead_q - (AddrBits + 1)'(1);
      end
    end
  end

  `TSR_ASSERT(flags, ready == (count_q != (AddrBits + 1)'(Depth)) && valid == (count_q != '0))
  `TSR_ASSERT_IF(order, inside_q && ahead_q == '0, valid && data == beat_q)
  // What makes it inductive: where the beat is, and that it is there.
  assign \dut.u_mem.proof_addr  = \dut.rptr_q  + AddrBits'(ahead_q);
  `TSR_ASSERT(pointers, AddrBits'(count_q) == AddrBits'(\dut.wptr_q  - \dut.rptr_q ) && count_q <= (AddrBits + 1)'(Depth))
  `TSR_ASSERT_IF(is_there, inside_q, ahead_q < count_q && \dut.u_mem.proof_word  == beat_q)
  `TSR_COVER(behind_others, inside_q && ahead_q == (AddrBits + 1)'(Depth - 1))
endmodule
