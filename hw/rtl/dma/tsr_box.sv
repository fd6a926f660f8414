// SPDX-License-Identifier: Apache-2.0
//
// tsr_box: checks a box of tiles between device memory and a scratchpad, and says which of its loop
// levels are contiguous in device memory. tsr_dma_check uses it.
//
//   Input   a box in bytes and tiles, both profiles already made alike
//   Output  the box with its address, its contiguous levels and its error, in order
//   Cost    6 cycles of latency, 1 box in 2 cycles; three address products and two tile products
//
// Invariant: err_o is not ERR_NONE, or every tile is inside the scratchpad and every byte inside the
// segment. A box without tiles (nop_o) is never an error unless its fields are (bad_i).
`include "tsr_assert.svh"

module tsr_box #(
  parameter int UserBits = 1  // bits that travel along
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  tsr_dma_pkg::seg_write_t seg_write_i,  // nothing while boxes are inside
  input  logic                unlimited_i,  // a segment of size 0 has no limit
  // box in
  input  logic                valid_i,
  output logic                ready_o,
  input  logic                bad_i,        // a field has no meaning: ERR_ILLEGAL_FIELD
  input  logic                nop_i,        // does nothing whatever the sizes say
  input  logic [20:0]         depth_i,      // tiles in the scratchpad
  input  logic [2:0]          segment_i,
  input  logic [47:0]         dram_base_i,
  input  tsr_dma_pkg::box_t   box_i,
  input  logic [UserBits-1:0] user_i,
  // box out
  output logic                valid_o,
  input  logic                ready_i,
  output logic [7:0]          err_o,        // tsr_pkg::ERR_*
  output logic                nop_o,        // no tile
  output logic                no_data_o,    // no byte of device memory: pads only, or nothing
  output logic [39:0]         addr_o,       // of tile (0, 0, 0)
  output logic [tsr_pkg::BoxBytesBits-1:0] run_last_o,  // bytes of a contiguous run - 1
  output tsr_dma_pkg::runs_t  runs_o,
  output logic [tsr_pkg::BoxSizeBits-1:0] tiles_o,
  output tsr_dma_pkg::box_t   box_o,
  output logic [UserBits-1:0] user_o
);
  localparam int Stages = 6;
  localparam int EndBits = 52;
  // What a run and a box have beyond these bits means nothing: such a box is in error.
  localparam int RunBits = tsr_pkg::BoxBytesBits;
  localparam int SizeBits = tsr_pkg::BoxSizeBits;
  // Rows of profile vta step by 16 bits of tiles, of at most the largest tile; those of profile tessera by 24 bits.
  localparam int TileShift = tsr_pkg::HasVta ? $clog2(tsr_pkg::WgtTileBytes > tsr_pkg::AccTileBytes
                                                      ? tsr_pkg::WgtTileBytes : tsr_pkg::AccTileBytes) : 8;
  localparam int YStepBits = (16 + TileShift > 24) ? 16 + TileShift : 24;

  logic go;     // every stage moves
  logic takes;  // stage 1 is free; what is before it waits for no more than this flop
  assign go = ready_i | !valid_o;

  logic [Stages:1] full_q;
  assign valid_o = full_q[Stages];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) full_q <= '0;
    else begin
      if (go) full_q[Stages:2] <= full_q[Stages-1:1];
      full_q[1] <= takes ? valid_i : !go;
    end
  end
  assign takes = !full_q[1];
  assign ready_o = takes;

  // Stage 1: the box; its segment is looked up on the way to stage 2. What later stages need travels on.
  tsr_dma_pkg::box_t b1_q, b2_q, b3_q, b4_q, b5_q, b6_q;
  logic [UserBits-1:0] user1_q, user2_q, user3_q, user4_q, user5_q, user6_q;
  tsr_dma_pkg::box_t box_used;
  logic [5:1] bad_q;
  logic [4:1] nop_q;
  logic [20:0] depth1_q, depth2_q, depth3_q, depth4_q, depth5_q;
  logic [2:0] segment1_q;
  logic [47:0] dram1_q, dram2_q, dram3_q;
  always_comb begin
    box_used = box_i;
    box_used.y_step = 32'(box_i.y_step[YStepBits-1:0]);
  end
  always_ff @(posedge clk_i) begin
    if (go) begin
      {b2_q, b3_q, b4_q, b5_q, b6_q} <= {b1_q, b2_q, b3_q, b4_q, b5_q};
      {user2_q, user3_q, user4_q, user5_q, user6_q} <= {user1_q, user2_q, user3_q, user4_q, user5_q};
      bad_q[5:2] <= bad_q[4:1];
      nop_q[4:2] <= nop_q[3:1];
      {depth2_q, depth3_q, depth4_q, depth5_q} <= {depth1_q, depth2_q, depth3_q, depth4_q};
    end
    if (takes) begin
      b1_q <= box_used;
      user1_q <= user_i;
      bad_q[1] <= bad_i;
      nop_q[1] <= nop_i;
      depth1_q <= depth_i;
      segment1_q <= segment_i;
      dram1_q <= dram_base_i;
    end
  end

  logic [39:0] seg_base1, seg_size1;
  tsr_segments u_segments (
    .clk_i,
    .write_i(seg_write_i),
    .segment_i(segment1_q),
    .base_o(seg_base1),
    .size_o(seg_size1)
  );

  // Stage 2: products of sizes and steps; extents of the padded box.
  logic [39:0] xx2_q;
  logic [YStepBits+15:0] yy2_q;
  logic [47:0] zz2_q;
  logic [16:0] cols2_q, rows2_q;
  logic [39:0] base2_q, base3_q, base4_q, size2_q, size3_q, size4_q, size5_q;
  always_ff @(posedge clk_i) begin
    if (go) begin
      xx2_q <= 40'(b1_q.x_size) * 40'(b1_q.x_step);
      yy2_q <= (YStepBits + 16)'(b1_q.y_size) * (YStepBits + 16)'(b1_q.y_step);
      zz2_q <= 48'(b1_q.z_size) * 48'(b1_q.z_step);
      cols2_q <= 17'(b1_q.x_size) + 17'(b1_q.x_pad_0) + 17'(b1_q.x_pad_1);
      rows2_q <= 17'(b1_q.y_size) + 17'(b1_q.y_pad_0) + 17'(b1_q.y_pad_1);
      base2_q <= seg_base1;
      size2_q <= seg_size1;
      dram2_q <= dram1_q;
    end
  end

  // Stage 3: distance of the last tile along each level; tiles of a plane; whether a row is a run.
  logic [39:0] xlast3_q;
  logic [YStepBits+15:0] ylast3_q;
  logic [RunBits-1:0] yy3_q;
  logic [47:0] zlast3_q;
  logic [33:0] plane3_q;
  logic row_run3_q, row_run4_q, row_run5_q, row_run6_q;
  logic [RunBits-1:0] row_bytes3_q;
  logic x_dense2;
  assign x_dense2 = b2_q.x_step == 24'(b2_q.x_bytes);
  always_ff @(posedge clk_i) begin
    if (go) begin
      xlast3_q <= xx2_q - 40'(b2_q.x_step);
      ylast3_q <= yy2_q - (YStepBits + 16)'(b2_q.y_step);
      yy3_q <= RunBits'(yy2_q);
      zlast3_q <= zz2_q - 48'(b2_q.z_step);
      plane3_q <= 34'(cols2_q) * 34'(rows2_q);
      row_run3_q <= x_dense2 | (b2_q.x_size == 16'd1);
      row_bytes3_q <= x_dense2 ? RunBits'(xx2_q) : RunBits'(b2_q.x_bytes);
      dram3_q <= dram2_q;
      base3_q <= base2_q;
      size3_q <= size2_q;
    end
  end

  // Stage 4: tiles of the box (saturated before the product: past 2^21 nothing fits); planes as runs.
  logic [36:0] tiles4_q;
  logic [RunBits-1:0] row_bytes4_q, plane_bytes4_q, run5_q, run6_q;
  logic plane_run4_q, plane_run5_q, plane_run6_q;
  logic [EndBits-1:0] end_a4_q, end_b4_q;
  logic [47:0] dram4_q;
  logic [20:0] plane3;
  logic y_dense3;
  assign plane3 = (plane3_q[33:21] != '0) ? '1 : plane3_q[20:0];
  assign y_dense3 = 32'(b3_q.y_step) == 32'(row_bytes3_q);
  always_ff @(posedge clk_i) begin
    if (go) begin
      tiles4_q <= 37'(plane3) * 37'(b3_q.z_size);
      row_bytes4_q <= row_bytes3_q;
      plane_run4_q <= row_run3_q & (y_dense3 | (b3_q.y_size == 16'd1));
      plane_bytes4_q <= y_dense3 ? yy3_q : row_bytes3_q;
      end_a4_q <= EndBits'(xlast3_q) + EndBits'(ylast3_q);
      end_b4_q <= EndBits'(zlast3_q) + EndBits'(dram3_q);
      row_run4_q <= row_run3_q;
      dram4_q <= dram3_q;
      base4_q <= base3_q;
      size4_q <= size3_q;
    end
  end

  // Stage 5: ends of the box on both sides; the whole box as a run.
  logic [EndBits-1:0] end5_q;
  logic [37:0] sram_end5_q;
  logic [SizeBits-1:0] tiles5_q, tiles6_q;
  logic none5_q, none6_q, no_data5_q, no_data6_q, box_run5_q, box_run6_q;
  logic [39:0] addr5_q, addr6_q;
  logic z_dense4, box_run4;
  assign z_dense4 = (b4_q.z_step == 32'(plane_bytes4_q)) | (b4_q.z_size == 16'd1);
  assign box_run4 = plane_run4_q & z_dense4;
  always_ff @(posedge clk_i) begin
    if (go) begin
      end5_q <= end_a4_q + end_b4_q + EndBits'(b4_q.x_bytes);
      sram_end5_q <= 38'(tiles4_q) + 38'(b4_q.sram_base);
      none5_q <= (tiles4_q == '0) | nop_q[4];
      tiles5_q <= SizeBits'(tiles4_q);
      no_data5_q <= (b4_q.x_size == '0) | (b4_q.y_size == '0) | (tiles4_q == '0) | nop_q[4];
      box_run5_q <= box_run4;
      if (box_run4) begin
        // One run: a level of size 1 adds nothing, a dense level multiplies.
        run5_q <= (b4_q.z_size == 16'd1) ? plane_bytes4_q : zz4_q;
      end else if (plane_run4_q) begin
        run5_q <= plane_bytes4_q;
      end else if (row_run4_q) begin
        run5_q <= row_bytes4_q;
      end else begin
        run5_q <= RunBits'(b4_q.x_bytes);
      end
      plane_run5_q <= plane_run4_q;
      row_run5_q <= row_run4_q;
      addr5_q <= base4_q + dram4_q[39:0];
      size5_q <= size4_q;
    end
  end
  logic [RunBits-1:0] zz3_q, zz4_q;
  always_ff @(posedge clk_i) begin
    if (go) begin
      zz3_q <= RunBits'(zz2_q);
      zz4_q <= zz3_q;
    end
  end

  // Stage 6: the verdict.
  logic [7:0] err6_q;
  always_ff @(posedge clk_i) begin
    if (go) begin
      if (bad_q[5]) err6_q <= tsr_pkg::ERR_ILLEGAL_FIELD;
      else if (none5_q) err6_q <= tsr_pkg::ERR_NONE;
      else if (sram_end5_q > 38'(depth5_q)) err6_q <= tsr_pkg::ERR_SRAM_RANGE;
      else if (!no_data5_q && !(unlimited_i && size5_q == '0) && end5_q > EndBits'(size5_q))
        err6_q <= tsr_pkg::ERR_DRAM_RANGE;
      else err6_q <= tsr_pkg::ERR_NONE;
      none6_q <= none5_q;
      tiles6_q <= tiles5_q;
      no_data6_q <= no_data5_q;
      run6_q <= run5_q - RunBits'(1);
      box_run6_q <= box_run5_q;
      plane_run6_q <= plane_run5_q;
      row_run6_q <= row_run5_q;
      addr6_q <= addr5_q;
    end
  end

  assign err_o = err6_q;
  assign nop_o = none6_q;
  assign no_data_o = no_data6_q;
  assign addr_o = addr6_q;
  assign run_last_o = run6_q;
  assign tiles_o = tiles6_q;
  assign runs_o.row = row_run6_q;
  assign runs_o.plane = plane_run6_q;
  assign runs_o.box = box_run6_q;
  assign box_o = b6_q;
  assign user_o = user6_q;

  logic unused;
  assign unused = ^dram4_q[47:40];

  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {dram_base_i, box_i, user_i})
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, {err_o, addr_o, run_last_o, user_o})
endmodule
