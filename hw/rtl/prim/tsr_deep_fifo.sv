// SPDX-License-Identifier: Apache-2.0
//
// tsr_deep_fifo: a queue in block RAM, for a sender that counts the beats inside.
//
//   Input   beats, always taken
//   Output  stream
//   Cost    3 cycles of latency when it is empty, then 1 beat in 2 cycles; Width x Depth bits of block RAM
//
// Invariant: beats leave in the order they came; at most Depth are inside. Outputs come from flops, and ready_i reaches
// only enables of flops.
`default_nettype none
`include "tsr_assert.svh"

module tsr_deep_fifo #(
  parameter int Width = 32,  // bits in a beat
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
  logic [AddrBits:0] wptr_q, rptr_q;  // one bit more, to tell full from empty
  logic some, read, free, head_q, shown_q, moved_q;
  logic [Width-1:0] head_data_q, shown_data_q;
  // head: the RAM's output is the oldest beat behind the one shown; moved: that beat became the one shown.
  assign some = wptr_q != rptr_q;
  assign read = some & (!head_q | moved_q);
  assign free = !shown_q | ready_i;
  assign valid_o = shown_q;
  assign data_o = shown_data_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wptr_q <= '0;
      rptr_q <= '0;
      head_q <= 1'b0;
      shown_q <= 1'b0;
      moved_q <= 1'b0;
    end else begin
      if (valid_i) wptr_q <= wptr_q + (AddrBits + 1)'(1);
      if (read) rptr_q <= rptr_q + (AddrBits + 1)'(1);
      head_q <= read | (head_q & !moved_q);
      moved_q <= free & head_q & !moved_q;
      if (free) shown_q <= head_q & !moved_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (free) shown_data_q <= head_data_q;
  end

  // Not tsr_ram: beats are written whole, so a block holds 72 bits of them and not 64.
  // No beat is read in the cycle that writes it (has_room), so the block need not say what a reader then gets: ECP5 would take
  // two flops a bit, and a LUT behind the block, to give the old beat.
  (* ram_style = "block", no_rw_check *) logic [Width-1:0] mem_q [Depth];
  always_ff @(posedge clk_i) begin
    if (read) head_data_q <= mem_q[rptr_q[AddrBits-1:0]];
    if (valid_i) mem_q[wptr_q[AddrBits-1:0]] <= data_i;
  end

`ifdef FORMAL
  logic [AddrBits-1:0] proof_addr;  // driven by a proof
  logic [Width-1:0] proof_word;
  assign proof_word = mem_q[proof_addr];
`elsif SYNTHESIS
`else
  initial if (Depth != 1 << AddrBits) $fatal(1, "tsr_deep_fifo: Depth is %0d, must be a power of two", Depth);
`endif
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, data_o)
  `TSR_REQUIRE_IF(has_room, valid_i, (wptr_q - rptr_q) != (AddrBits + 1)'(Depth))
endmodule
`default_nettype wire
