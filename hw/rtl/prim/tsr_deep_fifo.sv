// SPDX-License-Identifier: Apache-2.0
//
// tsr_deep_fifo: a queue in block RAM, for a sender that counts what is inside.
//
//   Input   beats, always taken
//   Output  stream
//   Cost    2 cycles of latency when it is empty, then 1 beat in 2 cycles; Width x Depth bits of block RAM
//
// Invariant: beats leave in the order they came; at most Depth are inside. valid_o and the low Front bits,
// which decide what becomes of a beat, come from flops, and the others straight from the RAM.
`include "tsr_assert.svh"

module tsr_deep_fifo #(
  parameter int Width = 32,  // bits in a beat
  parameter int Front = 1,   // of them from flops; 1 .. Width - 1
  parameter int Depth = 512  // beats; a power of two
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // upstream
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  // downstream
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  localparam int AddrBits = $clog2(Depth);
  logic [AddrBits:0] wptr_q, rptr_q;  // a bit more, that full is not empty
  logic some, read, head_q, shown_q, fresh_q;
  logic [Width-1:0] head_data_q;
  logic [Front-1:0] front_q, last_q;
  // head: the RAM's output is the oldest beat; shown: its low bits are in front. They follow a cycle later, or come
  // from the write if that was in the cycle before, into nothing (fresh).
  assign some = wptr_q != rptr_q;
  assign read = some & (!head_q | (shown_q & ready_i));
  assign valid_o = shown_q;
  assign data_o = {head_data_q[Width-1:Front], front_q};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wptr_q <= '0;
      rptr_q <= '0;
      head_q <= 1'b0;
      shown_q <= 1'b0;
      fresh_q <= 1'b0;
    end else begin
      if (valid_i) wptr_q <= wptr_q + (AddrBits + 1)'(1);
      if (read) rptr_q <= rptr_q + (AddrBits + 1)'(1);
      head_q <= read | (head_q & !(shown_q & ready_i));
      shown_q <= read ? fresh_q : head_q & !(shown_q & ready_i);
      fresh_q <= valid_i & !some;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i) last_q <= data_i[Front-1:0];
    if (!shown_q || ready_i) front_q <= fresh_q ? last_q : head_data_q[Front-1:0];
  end

  // Not tsr_ram: beats are written whole, so a block holds 72 bits of them and not 64.
  logic [Width-1:0] mem_q [Depth];
  always_ff @(posedge clk_i) begin
    if (read) head_data_q <= mem_q[rptr_q[AddrBits-1:0]];
    if (valid_i) mem_q[wptr_q[AddrBits-1:0]] <= data_i;
  end

`ifndef SYNTHESIS
  initial if (Depth != 1 << AddrBits) $fatal(1, "tsr_deep_fifo: Depth is %0d, must be a power of two", Depth);
`endif
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, data_o)
  `TSR_ASSERT(has_room, valid_i |-> (wptr_q - rptr_q) != (AddrBits + 1)'(Depth))
endmodule
