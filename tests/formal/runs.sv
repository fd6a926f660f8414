// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_runs, which cuts boxes of device memory into AXI bursts: the bursts of a run touch each bus word from
// its first byte to its last once, in order, and no other word; runs come in the order x, y, z at the places that the
// steps give; a burst has at most MaxBeats words (16 of AXI3 where that is the parameter) and stays in an aligned block
// of MaxBeats words, so below 4 KiB; the last burst of a box is marked. The proof compares the module with the
// reference of bursts.svh, which has whole addresses and counts.
//
// sources: common/tsr_loop_count.sv dma/tsr_nest.sv dma/tsr_runs.sv
// depth: 5 2 14
// breaks: s/over_q <= fresh & to\[BlockShift\]/over_q <= 1'b0/
// breaks: s/left_q == MoreBits'(!over_q)/left_q == MoreBits'(1)/
// breaks: s/if (takes || x_last) row_at_q <= start/if (takes) row_at_q <= start/
// breaks: s/last_next_o = start_i ? only_i : !step_i/last_next_o = start_i ? 1'b0 : !step_i/
`include "tsr_assert.svh"

module prove_runs #(
  parameter int BusBytes = 4,
  parameter int MaxBeats = 4,
  parameter int RunBits  = 7,
  parameter int SizeBits = 3
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                valid_i,
  input logic [39:0]         addr_i,
  input logic [RunBits-1:0]  run_last_i,
  input logic                row_run_i,
  input logic                plane_run_i,
  input logic                box_run_i,
  input logic [SizeBits-1:0] x_size_i,
  input logic [SizeBits-1:0] y_size_i,
  input logic [SizeBits-1:0] z_size_i,
  input logic [23:0]         x_step_i,
  input logic [31:0]         y_step_i,
  input logic [31:0]         z_step_i,
  input logic [0:0]          user_i,
  input logic                ready_i
);
  localparam int UserBits = 1;
  localparam int BusShift = $clog2(BusBytes);
  localparam int BlockShift = $clog2(BusBytes * MaxBeats);
  localparam int WordBits = BlockShift - BusShift;
  localparam int MoreBits = RunBits - BlockShift;
  logic ready, valid, last;
  logic [39:0] addr;
  logic [7:0] len;
  logic [0:0] user;
  tsr_runs #(.BusBytes(BusBytes), .MaxBeats(MaxBeats), .RunBits(RunBits), .SizeBits(SizeBits), .UserBits(UserBits)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .addr_i, .run_last_i, .row_run_i, .plane_run_i, .box_run_i,
    .x_size_i, .y_size_i, .z_size_i, .x_step_i, .y_step_i, .z_step_i, .user_i,
    .valid_o(valid), .ready_i, .addr_o(addr), .len_o(len), .last_o(last), .user_o(user)
  );

  initial assume (!rst_ni);
`include "bursts.svh"

  `TSR_ASSERT(takes_boxes, ready == (step && takes) && valid == out_valid_q)
  `TSR_ASSERT_IF(bursts, valid, addr[39:BusShift] == out_word_q && addr[BusShift-1:0] == '0 &&
                 40'(len) == 40'(out_last_q - out_word_q) && last == out_box_q && user == out_user_q)
  `TSR_ASSERT_IF(in_a_block, valid, len < 8'(MaxBeats) && out_word_q[39:BlockShift] == out_last_q[39:BlockShift])
  // Invariants for the induction: the module's state in terms of the reference.
  (* hierconn *) logic \dut.full_q ;
  (* hierconn *) logic \dut.ends_q ;
  (* hierconn *) logic \dut.over_q ;
  (* hierconn *) logic [39-BlockShift:0] \dut.block_q ;
  (* hierconn *) logic [WordBits-1:0] \dut.from_q ;
  (* hierconn *) logic [WordBits-1:0] \dut.to_q ;
  (* hierconn *) logic [MoreBits-1:0] \dut.left_q ;
  (* hierconn *) logic [39:0] \dut.run_at_q ;
  (* hierconn *) logic [39:0] \dut.row_at_q ;
  (* hierconn *) logic [39:0] \dut.plane_at_q ;
  (* hierconn *) logic [RunBits-1:0] \dut.run_last_q ;
  (* hierconn *) logic [23:0] \dut.x_step_q ;
  (* hierconn *) logic [31:0] \dut.y_step_q ;
  (* hierconn *) logic [31:0] \dut.z_step_q ;
  (* hierconn *) logic [0:0] \dut.user_q ;
  (* hierconn *) logic \dut.u_nest.last_o ;
  logic [39:BlockShift] behind;  // blocks of the run after this one
  assign behind = run_end[39:BlockShift] - word_q[39:BlockShift];
  `TSR_ASSERT(same_full, full_q == \dut.full_q  && (out_valid_q == valid))
  `TSR_ASSERT_IF(same_word, full_q, {\dut.block_q , \dut.from_q } == word_q)
  `TSR_ASSERT_IF(same_blocks, full_q, behind == (40 - BlockShift)'(\dut.left_q ) + (40 - BlockShift)'(\dut.over_q ) &&
                 \dut.ends_q  == (behind == '0) && \dut.to_q  == run_end[BlockShift-1:BusShift])
  `TSR_ASSERT_IF(forward, full_q && run_ends, word_q <= run_end[39:BusShift])
  `TSR_ASSERT_IF(same_places, full_q, {\dut.run_at_q , \dut.row_at_q , \dut.plane_at_q , \dut.run_last_q } ==
                 {run_q, row_q, plane_q, run_last_q})
  `TSR_ASSERT_IF(same_steps, full_q, {\dut.x_step_q , \dut.y_step_q , \dut.z_step_q , \dut.user_q } ==
                 {x_step_q, y_step_q, z_step_q, user_q})
  `TSR_ASSERT_IF(same_end, full_q, \dut.u_nest.last_o  == (plane_ends && z_q == z_size_q - SizeBits'(1)))
  `TSR_ASSERT_IF(in_the_box, full_q, x_q < x_size_q && y_q < y_size_q && z_q < z_size_q)
  logic [3*SizeBits-1:0] at, size;
  assign at = {z_q, y_q, x_q};
  assign size = {z_size_q, y_size_q, x_size_q};
  (* hierconn *) logic [SizeBits-1:0] \dut.u_nest.g_loop[0].u_count.left_q ;
  (* hierconn *) logic [SizeBits-1:0] \dut.u_nest.g_loop[1].u_count.left_q ;
  (* hierconn *) logic [SizeBits-1:0] \dut.u_nest.g_loop[2].u_count.left_q ;
  (* hierconn *) logic [SizeBits-1:0] \dut.u_nest.g_loop[0].u_count.count_q ;
  (* hierconn *) logic [SizeBits-1:0] \dut.u_nest.g_loop[1].u_count.count_q ;
  (* hierconn *) logic [SizeBits-1:0] \dut.u_nest.g_loop[2].u_count.count_q ;
  (* hierconn *) logic \dut.u_nest.g_loop[0].u_count.last_q ;
  (* hierconn *) logic \dut.u_nest.g_loop[1].u_count.last_q ;
  (* hierconn *) logic \dut.u_nest.g_loop[2].u_count.last_q ;
  (* hierconn *) logic \dut.u_nest.g_loop[0].u_count.only_q ;
  (* hierconn *) logic \dut.u_nest.g_loop[1].u_count.only_q ;
  (* hierconn *) logic \dut.u_nest.g_loop[2].u_count.only_q ;
  logic [3*SizeBits-1:0] left, count;
  logic [2:0] lasts, only;
  assign left = {\dut.u_nest.g_loop[2].u_count.left_q , \dut.u_nest.g_loop[1].u_count.left_q , \dut.u_nest.g_loop[0].u_count.left_q };
  assign count = {\dut.u_nest.g_loop[2].u_count.count_q , \dut.u_nest.g_loop[1].u_count.count_q ,
                  \dut.u_nest.g_loop[0].u_count.count_q };
  assign lasts = {\dut.u_nest.g_loop[2].u_count.last_q , \dut.u_nest.g_loop[1].u_count.last_q , \dut.u_nest.g_loop[0].u_count.last_q };
  assign only = {\dut.u_nest.g_loop[2].u_count.only_q , \dut.u_nest.g_loop[1].u_count.only_q , \dut.u_nest.g_loop[0].u_count.only_q };
  logic [2:0] same;
  for (genvar i = 0; i < 3; i++) begin : g_loop
    assign same[i] = only[i] == (size[SizeBits*i+:SizeBits] == SizeBits'(1)) &&
                     lasts[i] == (at[SizeBits*i+:SizeBits] == size[SizeBits*i+:SizeBits] - SizeBits'(1)) &&
                     (only[i] || (count[SizeBits*i+:SizeBits] == size[SizeBits*i+:SizeBits] &&
                                  left[SizeBits*i+:SizeBits] == size[SizeBits*i+:SizeBits] - at[SizeBits*i+:SizeBits]));
  end
  `TSR_ASSERT_IF(same_loops, full_q, same == 3'b111)
  `TSR_COVER(second_plane, valid && !last && z_q == SizeBits'(1))
  `TSR_COVER(three_blocks, full_q && behind == (40 - BlockShift)'(2))
endmodule
