// SPDX-License-Identifier: Apache-2.0
//
// tsr_fifo: a queue in LUT RAM.
//
//   Input   stream
//   Output  stream; an empty queue shows a beat in the cycle after its push
//   Cost    1 cycle of latency, 1 beat a cycle; ready_o and valid_o come from flops
//
// Invariant: beats leave in the order they came.
`default_nettype none
`include "tsr_assert.svh"

module tsr_fifo #(
  parameter int Width     = 32,  // bits in a beat; >= 1
  parameter int Depth     = 16   // beats; a power of two, >= 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // upstream
  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [Width-1:0]     data_i,
  // downstream
  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [Width-1:0]     data_o
);
  localparam int AddrBits = $clog2(Depth);
  logic [AddrBits-1:0] wptr_q, rptr_q, wptr_next, rptr_next;
  logic full_q, some_q;

  logic push, pop;
  assign ready_o = !full_q;
  assign valid_o = some_q;
  assign push = valid_i & ready_o;
  assign pop = valid_o & ready_i;
  assign wptr_next = wptr_q + AddrBits'(1);
  assign rptr_next = rptr_q + AddrBits'(1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wptr_q <= '0;
      rptr_q <= '0;
      full_q <= 1'b0;
      some_q <= 1'b0;
    end else begin
      if (push) wptr_q <= wptr_next;
      if (pop) rptr_q <= rptr_next;
      // ready_i decides only whether the number of beats changes.
      if (push != pop) begin
        full_q <= push && wptr_next == rptr_q;
        some_q <= push || rptr_next != wptr_q;
      end
    end
  end

  tsr_lutram #(
    .Depth(Depth),
    .Width(Width),
    .AddrBits(AddrBits)
  ) u_mem (
    .clk_i,
    .we_i(push),
    .waddr_i(wptr_q),
    .wdata_i(data_i),
    .raddr_i(rptr_q),
    .rdata_o(data_o)
  );

`ifndef SYNTHESIS
  initial begin
    if (Depth < 2 || (Depth & (Depth - 1)) != 0) $fatal(1, "tsr_fifo: Depth is %0d, must be a power of two", Depth);
  end
`endif
  `TSR_REQUIRE_STREAM(in, valid_i, ready_o, data_i)
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, data_o)
  `TSR_ASSERT_IF(full_or_some, full_q, some_q && wptr_q == rptr_q)
  `TSR_COVER(saw_full, full_q)
endmodule
`default_nettype wire
