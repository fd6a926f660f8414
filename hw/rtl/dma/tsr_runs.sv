// SPDX-License-Identifier: Apache-2.0
//
// tsr_runs: cuts a box of device memory into bursts. LOAD and STORE use it.
//
//   Input   a checked box (tsr_box): start, run length, loops over the levels that are not contiguous
//   Output  bursts in the order z, y, x of their runs; the last one of a box is marked
//   Cost    1 burst a cycle, also from run to run and box to box; 1 cycle of latency
//
// Flops hold whether a burst ends its run, and a run its row, plane and box: no change of the state waits for an
// addition or a comparison.
//
// Invariant: a burst stays inside an aligned block of MaxBeats bus words (which divides 4 KiB), and
// the bursts of a run touch every bus word of the run once.
`default_nettype none
`include "tsr_assert.svh"

module tsr_runs #(
  parameter int BusBytes  = 8,   // bytes of a bus word; a power of two
  parameter int MaxBeats  = 16,  // bus words in a burst; a power of two, MaxBeats * BusBytes <= 4096
  parameter int RunBits   = 32,  // bits of run_last_i; more than a block has
  parameter int SizeBits  = 16,  // bits of a size
  parameter int UserBits  = 32   // bits that travel along with the box
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // box, never empty
  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [39:0]          addr_i,
  input  logic [RunBits-1:0]   run_last_i,  // bytes of a run - 1
  input  logic                 row_run_i,
  input  logic                 plane_run_i,
  input  logic                 box_run_i,
  input  logic [SizeBits-1:0]  x_size_i,
  input  logic [SizeBits-1:0]  y_size_i,
  input  logic [SizeBits-1:0]  z_size_i,
  input  logic [23:0]          x_step_i,
  input  logic [31:0]          y_step_i,
  input  logic [31:0]          z_step_i,
  input  logic [UserBits-1:0]  user_i,
  // burst
  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [39:0]          addr_o,    // of a bus word
  output logic [7:0]           len_o,     // beats - 1
  output logic                 last_o,    // last burst of the box
  output logic [UserBits-1:0]  user_o
);
  localparam int BusShift = $clog2(BusBytes);
  localparam int BlockShift = $clog2(BusBytes * MaxBeats);
  localparam int WordBits = BlockShift - BusShift;  // of a bus word in its block
  localparam int MoreBits = RunBits - BlockShift;

  // The burst in progress: from a word to the run's last one, or to the end of the block. Blocks of the run behind
  // it: left_q, and one more with over_q; ends_q: there are none.
  logic full_q, ends_q, over_q;
  logic [39-BlockShift:0] block_q;
  logic [WordBits-1:0] from_q, to_q;
  logic [MoreBits-1:0] left_q;
  // The box in progress: starts of its run, row and plane.
  logic [39:0] run_at_q, row_at_q, plane_at_q;
  logic [RunBits-1:0] run_last_q;
  logic [23:0] x_step_q;
  logic [31:0] y_step_q, z_step_q;
  logic [UserBits-1:0] user_q;
  logic x_last, y_last, last_run;

  // fresh: the next burst begins a run; takes: that run begins a box that comes in.
  logic go, step, fresh, box_ends, takes;
  assign go = ready_i | !valid_o;
  assign step = !full_q | go;
  assign box_ends = ends_q & last_run;
  assign fresh = !full_q | ends_q;
  assign takes = !full_q | box_ends;
  assign ready_o = step & takes;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (step) full_q <= takes ? valid_i : 1'b1;
      if (go) valid_o <= full_q;
    end
  end
  logic [WordBits-1:0] len;
  assign len = (ends_q ? to_q : {WordBits{1'b1}}) - from_q;
  always_ff @(posedge clk_i) begin
    if (go) begin
      addr_o <= {block_q, from_q, {BusShift{1'b0}}};
      len_o <= 8'(len);
      last_o <= box_ends;
      user_o <= user_q;
    end
  end

  // The next run's start and end.
  logic [39:0] base, by, start;
  logic [RunBits-1:0] run_last;
  logic [BlockShift:0] to;
  assign base = !x_last ? run_at_q : !y_last ? row_at_q : plane_at_q;
  assign by = !x_last ? 40'(x_step_q) : !y_last ? 40'(y_step_q) : 40'(z_step_q);
  assign start = takes ? addr_i : base + by;
  assign run_last = takes ? run_last_i : run_last_q;
  assign to = {1'b0, start[BlockShift-1:0]} + {1'b0, run_last[BlockShift-1:0]};
  always_ff @(posedge clk_i) begin
    if (step) begin
      block_q <= fresh ? start[39:BlockShift] : block_q + (40 - BlockShift)'(1);
      from_q <= fresh ? start[BlockShift-1:BusShift] : '0;
      over_q <= fresh & to[BlockShift];
      left_q <= fresh ? run_last[RunBits-1:BlockShift] : left_q - MoreBits'(!over_q);
      ends_q <= fresh ? run_last[RunBits-1:BlockShift] == '0 && !to[BlockShift]
                      : left_q == MoreBits'(!over_q);
    end
    if (step && fresh) begin
      to_q <= to[BlockShift-1:BusShift];
      run_at_q <= start;
      if (takes || x_last) row_at_q <= start;
      if (takes || (x_last && y_last)) plane_at_q <= start;
    end
    if (step && takes) begin
      run_last_q <= run_last_i;
      x_step_q <= x_step_i;
      y_step_q <= y_step_i;
      z_step_q <= z_step_i;
      user_q <= user_i;
    end
  end

  // Runs of a row, of a plane and of the box.
  logic unused_z_last, unused_next;
  tsr_nest #(
    .Bits(SizeBits)
  ) u_nest (
    .clk_i,
    .en_i(step),
    .start_i(takes),
    .x_count_i(x_size_i),
    .y_count_i(y_size_i),
    .z_count_i(z_size_i),
    .x_only_i(row_run_i | (x_size_i == SizeBits'(1))),
    .y_only_i(plane_run_i | (y_size_i == SizeBits'(1))),
    .z_only_i(box_run_i | (z_size_i == SizeBits'(1))),
    .step_i(fresh),
    .x_last_o(x_last),
    .y_last_o(y_last),
    .z_last_o(unused_z_last),
    .last_o(last_run),
    .last_next_o(unused_next)
  );
  logic unused;
  assign unused = ^{unused_z_last, unused_next};

`ifndef SYNTHESIS
  initial begin
    if (BlockShift > 12) $fatal(1, "tsr_runs: a burst of %0d bytes crosses 4 KiB", BusBytes * MaxBeats);
    if (RunBits <= BlockShift) $fatal(1, "tsr_runs: RunBits is %0d, a block has %0d", RunBits, BlockShift);
  end
`endif
  `TSR_REQUIRE_STREAM(in, valid_i, ready_o, {addr_i, run_last_i, x_size_i, y_size_i, z_size_i})
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, {addr_o, len_o, last_o})
  `TSR_ASSERT_IF(burst_fits, valid_o, 32'(addr_o[11:0]) + (32'(len_o) + 1) * BusBytes <= 4096)
  `TSR_REQUIRE_IF(not_empty, valid_i, x_size_i != 0 && y_size_i != 0 && z_size_i != 0)
endmodule
`default_nettype wire
