// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_runs, which cuts boxes of device memory into AXI bursts: the bursts of a run touch each bus word between its first
// byte and its last once, in order, and no other; runs come in the order x, y, z at the places that the steps give; a burst
// has at most MaxBeats words (16 of AXI3 where that is the parameter), stays in an aligned block of them and so below 4 KiB; the
// last of a box is marked. Beside the module stands what it has to do, with whole addresses and counts.
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
  localparam int BusShift = $clog2(BusBytes);
  localparam int BlockShift = $clog2(BusBytes * MaxBeats);
  localparam int WordBits = BlockShift - BusShift;
  localparam int MoreBits = RunBits - BlockShift;
  logic ready, valid, last;
  logic [39:0] addr;
  logic [7:0] len;
  logic [0:0] user;
  tsr_runs #(.BusBytes(BusBytes), .MaxBeats(MaxBeats), .RunBits(RunBits), .SizeBits(SizeBits), .UserBits(1)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .addr_i, .run_last_i, .row_run_i, .plane_run_i, .box_run_i,
    .x_size_i, .y_size_i, .z_size_i, .x_step_i, .y_step_i, .z_step_i, .user_i,
    .valid_o(valid), .ready_i, .addr_o(addr), .len_o(len), .last_o(last), .user_o(user)
  );

  initial assume (!rst_ni);
  // The burst to be cut next, if any: at a word of a run of a box.
  logic full_q;
  logic [39:BusShift] word_q;
  logic [39:0] run_q, row_q, plane_q;  // where run, row and plane begin
  logic [39:0] run_end;                // its last byte
  logic [RunBits-1:0] run_last_q;
  logic [SizeBits-1:0] x_q, y_q, z_q, x_size_q, y_size_q, z_size_q;
  logic [23:0] x_step_q;
  logic [31:0] y_step_q, z_step_q;
  logic run_ends, row_ends, plane_ends, box_ends, step, takes;
  logic [39:BusShift] last_word, next_word;
  assign run_end = run_q + 40'(run_last_q);
  assign run_ends = word_q[39:BlockShift] == run_end[39:BlockShift];
  assign last_word = run_ends ? run_end[39:BusShift] : {word_q[39:BlockShift], {WordBits{1'b1}}};
  assign next_word = last_word + (40 - BusShift)'(1);
  assign row_ends = x_q == x_size_q - SizeBits'(1);
  assign plane_ends = row_ends && y_q == y_size_q - SizeBits'(1);
  assign box_ends = run_ends && plane_ends && z_q == z_size_q - SizeBits'(1);
  assign step = !full_q || ready_i || !valid;  // the output has room for it
  assign takes = !full_q || box_ends;
  logic [39:0] next_run;
  assign next_run = !row_ends ? run_q + 40'(x_step_q) : !plane_ends ? row_q + 40'(y_step_q) : plane_q + 40'(z_step_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
    end else if (step) begin
      full_q <= !takes || valid_i;
      if (takes) begin
        {run_q, row_q, plane_q} <= {3{addr_i}};
        word_q <= addr_i[39:BusShift];
        run_last_q <= run_last_i;
        {x_q, y_q, z_q} <= '0;
        x_size_q <= row_run_i ? SizeBits'(1) : x_size_i;
        y_size_q <= plane_run_i ? SizeBits'(1) : y_size_i;
        z_size_q <= box_run_i ? SizeBits'(1) : z_size_i;
        {x_step_q, y_step_q, z_step_q} <= {x_step_i, y_step_i, z_step_i};
      end else if (run_ends) begin
        run_q <= next_run;
        word_q <= next_run[39:BusShift];
        x_q <= row_ends ? '0 : x_q + SizeBits'(1);
        if (row_ends) begin
          row_q <= next_run;
          y_q <= plane_ends ? '0 : y_q + SizeBits'(1);
        end
        if (plane_ends) begin
          plane_q <= next_run;
          z_q <= z_q + SizeBits'(1);
        end
      end else begin
        word_q <= next_word;
      end
    end
  end
  // What must be at the output.
  logic [39:BusShift] out_word_q, out_last_q;
  logic out_valid_q, out_box_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_q <= 1'b0;
    else if (ready_i || !out_valid_q) begin
      out_valid_q <= full_q;
      {out_word_q, out_last_q, out_box_q} <= {word_q, last_word, box_ends};
    end
  end

  `TSR_ASSERT(takes_boxes, ready == (step && takes) && valid == out_valid_q)
  `TSR_ASSERT_IF(bursts, valid, addr[39:BusShift] == out_word_q && addr[BusShift-1:0] == '0 &&
                 40'(len) == 40'(out_last_q - out_word_q) && last == out_box_q)
  `TSR_ASSERT_IF(in_a_block, valid, len < 8'(MaxBeats) && out_word_q[39:BlockShift] == out_last_q[39:BlockShift])
  // What makes it inductive: the module's state in terms of that.
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
  `TSR_ASSERT_IF(same_steps, full_q, {\dut.x_step_q , \dut.y_step_q , \dut.z_step_q } == {x_step_q, y_step_q, z_step_q})
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
