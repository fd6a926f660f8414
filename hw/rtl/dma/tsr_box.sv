// SPDX-License-Identifier: Apache-2.0
//
// tsr_box: checks a box of tiles between device memory and a scratchpad, and finds its loop levels that
// are contiguous in device memory. tsr_dma_check uses it.
//
//   Input   a box in bytes and tiles, both profiles already made alike
//   Output  the box with its address, its contiguous levels and its error, in order
//   Cost    9 cycles of latency, 1 box in 9 cycles. One register holds the box while its products and sums settle, one
//           step a cycle; nine DSP blocks, whose adders take all long sums but three
//
// Invariant: if err_o is ERR_NONE, every tile is inside the scratchpad and every byte inside the segment. A box
// without tiles (nop_o) is in error only if its fields are (bad_i).
`default_nettype none
`include "tsr_assert.svh"

module tsr_box #(
  parameter int UserBits = 1  // bits that travel along
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  tsr_dma_pkg::seg_write_t seg_write_i,  // no write while boxes are inside
  input  logic                unlimited_i,  // a segment of size 0 has no limit
  // box in
  input  logic                valid_i,
  output logic                ready_o,
  input  logic                bad_i,        // a field is illegal: ERR_ILLEGAL_FIELD
  input  logic                nop_i,        // does nothing whatever the sizes say
  input  logic [20:0]         depth_i,      // tiles in the scratchpad
  input  logic [2:0]          segment_i,
  input  logic [31:0]         dram_base_i,  // of tile (0, 0, 0) in the segment, counted in units
  input  logic [15:0]         unit_i,       // bytes
  input  tsr_dma_pkg::box_t   box_i,
  input  logic [UserBits-1:0] user_i,
  // box out, with its verdict
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
  // Bits of a run or a box beyond these mean nothing: a box that needs them is in error.
  localparam int RunBits = tsr_pkg::BoxBytesBits;
  localparam int SizeBits = tsr_pkg::BoxSizeBits;
  // y_step: in profile vta 16 bits that count tiles, at most the largest tile; in profile tessera 24 bits.
  localparam int TileShift = tsr_pkg::HasVta ? $clog2(tsr_pkg::WgtTileBytes > tsr_pkg::AccTileBytes
                                                      ? tsr_pkg::WgtTileBytes : tsr_pkg::AccTileBytes) : 8;
  localparam int YStepBits = (16 + TileShift > 24) ? 16 + TileShift : 24;
  localparam int SumBits = 44;  // x_bytes and three products, of at most 26 bits and 16

  // at_q: cycles of the box that is inside, Steps with its verdict; then another box may come. free_q is a flop, since it
  // enables all others.
  localparam int Steps = 9;
  logic [3:0] at_q;
  logic free_q, takes;
  assign takes = free_q & (!valid_o | ready_i);
  assign ready_o = takes;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {free_q, valid_o} <= 2'b10;
      at_q <= '0;
    end else begin
      at_q <= takes ? 4'd1 : free_q ? at_q : at_q + 4'd1;
      valid_o <= (!free_q && at_q == 4'(Steps - 1)) || (valid_o && !ready_i);
      free_q <= takes ? !valid_i : free_q || at_q == 4'(Steps - 1);
    end
  end

  // The box.
  tsr_dma_pkg::box_t b_q;
  logic [UserBits-1:0] user_q;
  logic bad_q, nop_q;
  logic [20:0] depth_q;
  logic [2:0] segment_q;
  logic [31:0] dram_q;
  logic [15:0] unit_q;
  always_ff @(posedge clk_i) begin
    if (takes) begin
      b_q <= box_i;
      b_q.y_step <= 32'(box_i.y_step[YStepBits-1:0]);
      user_q <= user_i;
      {bad_q, nop_q} <= {bad_i, nop_i};
      depth_q <= depth_i;
      segment_q <= segment_i;
      dram_q <= dram_base_i;
      unit_q <= unit_i;
    end
  end
  logic [39:0] base, size;
  logic huge;
  tsr_segments u_segments (
    .clk_i,
    .write_i(seg_write_i),
    .segment_i(segment_q),
    .base_o(base),
    .size_o(size),
    .huge_o(huge)
  );

  // Bytes from the first to the end of the last one: of a row of the box (step 4), a plane (step 5), the box
  // (step 6). Where a level is contiguous, this is its run. The bits of z_step above 24, which count 2^24 bytes, are added
  // apart. Factors have flops of their own: those of the DSP blocks.
  logic [39:0] x_q;
  logic [YStepBits+15:0] y_q;
  logic [39:0] z_q;
  logic [23:0] x_by_q, z_by_q;
  logic [YStepBits-1:0] y_by_q;
  logic [15:0] x_more_q, y_more_q, z_more_q;
  logic [SumBits-1:0] row_q, plane_q, box_q;
  always_ff @(posedge clk_i) begin
    {x_by_q, y_by_q, z_by_q} <= {b_q.x_step, b_q.y_step[YStepBits-1:0], b_q.z_step[23:0]};
    {x_more_q, y_more_q, z_more_q} <= {b_q.x_size - 16'd1, b_q.y_size - 16'd1, b_q.z_size - 16'd1};
    x_q <= 40'(x_by_q) * 40'(x_more_q);
    y_q <= (YStepBits + 16)'(y_by_q) * (YStepBits + 16)'(y_more_q);
    z_q <= 40'(z_by_q) * 40'(z_more_q);
    row_q <= SumBits'(x_q) + SumBits'(b_q.x_bytes);
    plane_q <= SumBits'(y_q) + row_q;
    box_q <= SumBits'(z_q) + plane_q;
  end

  // The first byte in device memory, and, with the sums above, the end in the segment. The product is made twice, so that
  // each copy has its sum in its DSP block.
  logic [15:0] unit1_q;
  logic [39:0] dram_lo_q, dram_lo2_q;
  logic [23:0] dram_hi_q;  // counts 2^24 bytes
  logic [23:0] z_hi_q;
  logic [25:0] hi_q;
  logic [40:0] first_q;
  logic [SumBits-1:0] end_q;
  logic [26:0] end_hi;
  always_ff @(posedge clk_i) begin
    dram_lo_q <= 40'(dram_q[23:0]) * 40'(unit_q);
    dram_hi_q <= 24'(dram_q[31:24]) * 24'(unit_q);
    z_hi_q <= 24'(b_q.z_step[31:24]) * 24'(z_more_q);
    hi_q <= 26'(z_hi_q) + 26'(dram_hi_q);
    unit1_q <= unit_q;
    dram_lo2_q <= 40'(dram_q[23:0]) * 40'(unit1_q);
    first_q <= 41'(dram_lo2_q) + 41'(base);
    end_q <= SumBits'(dram_lo_q) + box_q;
  end
  logic [49:0] end6_q;
  assign end_hi = 27'(end_q[SumBits-1:24]) + 27'(hi_q);
  always_ff @(posedge clk_i) begin
    end6_q <= {end_hi[25:0], end_q[23:0]};
    addr_o <= {first_q[39:24] + 16'(dram_hi_q), first_q[23:0]};
  end

  // Tiles, with pads, and the end in the scratchpad. A plane is saturated before the product: past 2^21 tiles nothing fits.
  logic [8:0] pad_cols, pad_rows;
  logic [16:0] cols_q, rows_q;
  logic [33:0] area_q, area2_q;
  logic [20:0] area, area3_q;
  logic [36:0] tiles_q;
  logic [37:0] sram_end_q;
  assign pad_cols = 9'(b_q.x_pad_0) + 9'(b_q.x_pad_1);
  assign pad_rows = 9'(b_q.y_pad_0) + 9'(b_q.y_pad_1);
  assign area = (area2_q[33:21] != '0) ? '1 : area2_q[20:0];
  always_ff @(posedge clk_i) begin
    cols_q <= 17'(b_q.x_size) + 17'(pad_cols);
    rows_q <= 17'(b_q.y_size) + 17'(pad_rows);
    area_q <= 34'(cols_q) * 34'(rows_q);
    area2_q <= area_q;
    area3_q <= area;
    tiles_q <= 37'(area3_q) * 37'(b_q.z_size);
    sram_end_q <= 38'(tiles_q) + 38'(b_q.sram_base);
  end

  // The verdict.
  logic row_run_q, plane_run_q, box_run_q, none_q, no_data_q;
  logic [RunBits-1:0] run;
  always_comb begin
    if (box_run_q) run = RunBits'(box_q);
    else if (plane_run_q) run = RunBits'(plane_q);
    else if (row_run_q) run = RunBits'(row_q);
    else run = RunBits'(b_q.x_bytes);
  end
  logic beyond;
  assign beyond = end6_q[49:40] != '0 || (!huge && end6_q[39:0] > size);
  always_ff @(posedge clk_i) begin
    row_run_q <= (b_q.x_step == 24'(b_q.x_bytes)) | (b_q.x_size == 16'd1);
    plane_run_q <= row_run_q & ((b_q.y_step == 32'(RunBits'(row_q))) | (b_q.y_size == 16'd1));
    box_run_q <= plane_run_q & ((b_q.z_step == 32'(RunBits'(plane_q))) | (b_q.z_size == 16'd1));
    run_last_o <= run - RunBits'(1);
    none_q <= (area == '0) | (b_q.z_size == '0) | nop_q;
    no_data_q <= none_q | (b_q.x_size == '0) | (b_q.y_size == '0);
    tiles_o <= SizeBits'(sram_end_q) - SizeBits'(b_q.sram_base);
    if (bad_q) err_o <= tsr_pkg::ERR_ILLEGAL_FIELD;
    else if (none_q) err_o <= tsr_pkg::ERR_NONE;
    else if (sram_end_q > 38'(depth_q)) err_o <= tsr_pkg::ERR_SRAM_RANGE;
    else if (!no_data_q && !(unlimited_i && !huge && size == '0) && beyond) err_o <= tsr_pkg::ERR_DRAM_RANGE;
    else err_o <= tsr_pkg::ERR_NONE;
  end
  assign nop_o = none_q;
  assign no_data_o = no_data_q;
  assign runs_o.row = row_run_q;
  assign runs_o.plane = plane_run_q;
  assign runs_o.box = box_run_q;
  assign box_o = b_q;
  assign user_o = user_q;

  logic unused;
  assign unused = ^{first_q[40], end_hi[26]};

  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {dram_base_i, box_i, user_i})
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, {err_o, addr_o, run_last_o, user_o})
endmodule
`default_nettype wire
