// SPDX-License-Identifier: Apache-2.0
//
// tsr_dma_walk: walks a checked box tile by tile and cuts the tiles into chunks of a bus word at most.
//
//   Input   boxes (tsr_dma_front), in order
//   Output  chunk operations, in order of the tiles; the last one of a box is marked. A box without
//           tiles gives one operation that writes nothing
//   Cost    1 operation a cycle, also from box to box; a tile of pads is 1 operation; 2 cycles of latency,
//           no combinational path from ready_i
//
// Invariant: operations with data take the bytes of the box's runs in order; eor_o marks the last
// bytes of a run, off_o is the place of the first byte in its bus word.
`default_nettype none
`include "tsr_assert.svh"

module tsr_dma_walk #(
  parameter bit Load     = 1'b1,  // 0: no tile indices, no pads, no box without tiles
  parameter int UserBits = 1,     // bits that travel along
  localparam int BusBytes = tsr_pkg::BusBytes,
  localparam int BusShift = $clog2(BusBytes),
  localparam int WalkBits = tsr_pkg::BoxTileBytesBits + 3 * tsr_pkg::BoxSizeBits + 7 + 4 * BusShift
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // box
  input  logic                           valid_i,
  output logic                           ready_o,
  input  logic [WalkBits-1:0]            walk_i,     // of tsr_dma_front
  input  logic                           nop_i,
  input  logic                           short_i,    // x_bytes is less than the tile
  input  logic                           quarter_i,  // a quarter of a bus word fills a chunk (ACC8: one byte makes four)
  input  logic [tsr_pkg::BoxTileBits-1:0] sram_base_i,
  input  logic [7:0]                     x_pad_0_i,
  input  logic [7:0]                     x_pad_1_i,
  input  logic [7:0]                     y_pad_0_i,
  input  logic [7:0]                     y_pad_1_i,
  input  logic [11:0]                    pads_i,     // of tsr_dma_front
  input  logic [UserBits-1:0]            user_i,
  // operation
  output logic                           valid_o,
  input  logic                           ready_i,
  output logic                           write_o,    // 0: writes nothing, carries only the mark
  output logic                           data_o,     // bytes of device memory; else a whole tile of pads
  output logic                           fill_o,     // the rest of the tile becomes pads too
  output logic [tsr_pkg::BoxTileBits-1:0] tile_o,
  output logic [tsr_pkg::BoxTileBytesBits-1:0] chunk_o,  // byte offset of the chunk in the tile
  output logic [BusBytes-1:0]            mask_o,     // bytes of device memory, from byte 0 up
  output logic [BusShift-1:0]            off_o,
  output logic                           eot_o,      // ends its tile
  output logic                           eor_o,
  output logic                           full_o,     // takes its first byte's bus word to the end, or goes past it
  output logic                           spans_o,    // goes past it
  output logic                           last_o,
  output logic [UserBits-1:0]            user_o
);
  localparam int TileBits = tsr_pkg::BoxTileBits;
  localparam int ByteBits = tsr_pkg::BoxTileBytesBits;
  localparam int SizeBits = tsr_pkg::BoxSizeBits;

  logic [ByteBits-1:0] x_bytes;
  logic [SizeBits-1:0] x_size, y_size, z_size;
  logic x_one, y_one, z_one, one_chunk;
  logic row_run, plane_run, box_run;
  logic [BusShift-1:0] addr, x_step, y_step, z_step;  // low bits
  assign {x_bytes, x_size, y_size, z_size, x_one, y_one, z_one, one_chunk, row_run, plane_run, box_run, addr, x_step, y_step,
          z_step} = walk_i;

  // The box in progress.
  logic full_q, nop_q, short_q, quarter_q, row_run_q, plane_run_q, box_run_q;
  logic [UserBits-1:0] user_q;
  logic [ByteBits-1:0] x_bytes_q;
  logic one_chunk_q;  // a tile is one chunk
  logic [BusShift-1:0] x_step_q, y_step_q, z_step_q;
  // The operation in progress.
  logic [TileBits-1:0] tile_q;
  logic [ByteBits-1:0] chunk_q, left_q;  // left: bytes of this tile still to take
  logic data_q, first_q, eot_q;  // it has data, is the first of its tile, is the last of its tile
  logic [BusShift-1:0] off_q, row_off_q, plane_off_q, box_off_q;  // next byte; starts of tile, row, plane
  logic x_data, x_data_last, x_last, y_data, y_data_last, y_last, z_last;

  // takes: the next operation is the first of a box that comes in, since this one is the last of its box or there is none.
  // takes comes from a flop, since much depends on it.
  logic go, step, takes, takes_q, box_ends_next, run_ends;
  // A run ends with its tile unless the next tile follows it in device memory.
  assign run_ends = eot_q & (!row_run_q | (x_data_last & (!plane_run_q | (y_data_last & (!box_run_q | z_last)))));
  assign takes = takes_q;
  assign step = !full_q | go;
  assign ready_o = step & takes;
  // The last tile of a box: the box tells whether it is pads, so the tile's end does not wait for the next place.
  logic tail_pads, tail_pads_q, tail_eot, all_last_next;
  logic next_tile;
  logic two_left;  // this chunk and the last one are left
  assign tail_eot = !next_tile ? two_left : takes ? tail_pads | one_chunk : tail_pads_q | one_chunk_q;
  assign box_ends_next = (takes & (!valid_i | nop_i)) | (tail_eot & all_last_next);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {full_q, takes_q} <= 2'b01;
    else if (step) {full_q, takes_q} <= {valid_i | !takes, box_ends_next};
  end

  // Columns, rows, planes.
  assign next_tile = takes | eot_q;
  logic data_next, eot_next;
  if (Load) begin : g_pads
    logic x_next, y_next, x_last_next, y_last_next, z_last_next;
    tsr_pad_count #(
      .Bits(SizeBits)
    ) u_x (
      .clk_i,
      .en_i(step),
      .start_i(takes),
      .pad_0_i(x_pad_0_i),
      .size_i(x_size),
      .pad_1_i(x_pad_1_i),
      .has_i(pads_i[11:9]),
      .one_i(pads_i[8:6]),
      .step_i(eot_q),
      .data_next_o(x_next),
      .last_next_o(x_last_next),
      .data_o(x_data),
      .data_last_o(x_data_last),
      .last_o(x_last)
    );
    tsr_pad_count #(
      .Bits(SizeBits)
    ) u_y (
      .clk_i,
      .en_i(step),
      .start_i(takes),
      .pad_0_i(y_pad_0_i),
      .size_i(y_size),
      .pad_1_i(y_pad_1_i),
      .has_i(pads_i[5:3]),
      .one_i(pads_i[2:0]),
      .step_i(eot_q & x_last),
      .data_next_o(y_next),
      .last_next_o(y_last_next),
      .data_o(y_data),
      .data_last_o(y_data_last),
      .last_o(y_last)
    );
    tsr_loop_count #(
      .Bits(SizeBits)
    ) u_z (
      .clk_i,
      .en_i(step),
      .start_i(takes),
      .count_i(z_size),
      .only_i(z_one),
      .step_i(eot_q & x_last & y_last),
      .last_o(z_last),
      .last_next_o(z_last_next)
    );
    assign all_last_next = x_last_next & y_last_next & z_last_next;
    assign data_next = x_next & y_next & !(takes & nop_i);
    assign tail_pads = pads_i[11] | !pads_i[10] | pads_i[5] | !pads_i[4];  // pads behind, or no data
    logic unused;
    assign unused = ^{x_one, y_one, x_data};
  end else begin : g_plain
    logic unused_last;
    tsr_nest #(
      .Bits(SizeBits)
    ) u_nest (
      .clk_i,
      .en_i(step),
      .start_i(takes),
      .x_count_i(x_size),
      .y_count_i(y_size),
      .z_count_i(z_size),
      .x_only_i(x_one),
      .y_only_i(y_one),
      .z_only_i(z_one),
      .step_i(eot_q),
      .x_last_o(x_last),
      .y_last_o(y_last),
      .z_last_o(z_last),
      .last_o(unused_last),
      .last_next_o(all_last_next)
    );
    assign {x_data, x_data_last, y_data, y_data_last} = {1'b1, x_last, 1'b1, y_last};
    assign data_next = 1'b1;
    assign tail_pads = 1'b0;
    logic unused;
    assign unused = ^{unused_last, x_data, x_pad_0_i, x_pad_1_i, y_pad_0_i, y_pad_1_i, pads_i};
  end

  // The operation. end_off: one past its last byte, from the start of the bus word of its first.
  logic [BusShift:0] most, bytes;  // most: bytes of device memory that fill a chunk
  logic [BusShift+1:0] end_off;
  assign most = quarter_q ? (BusShift + 1)'(BusBytes / 4) : (BusShift + 1)'(BusBytes);
  assign bytes = eot_q ? (BusShift + 1)'(left_q) : most;
  assign end_off = (BusShift + 2)'(off_q) + (BusShift + 2)'(bytes);
  logic [BusBytes-1:0] mask;
  always_comb begin
    for (int b = 0; b < BusBytes; b++) mask[b] = data_q && b < 32'(bytes);
  end
  localparam int OpBits = 3 + TileBits + ByteBits + BusBytes + BusShift + 5 + UserBits;
  logic [OpBits-1:0] op, op_out;
  assign op = {!nop_q, data_q, !data_q | (short_q & first_q), tile_q, chunk_q, mask, off_q, eot_q, data_q & run_ends,
               end_off >= (BusShift + 2)'(BusBytes), end_off > (BusShift + 2)'(BusBytes), takes_q, user_q};
  assign {write_o, data_o, fill_o, tile_o, chunk_o, mask_o, off_o, eot_o, eor_o, full_o, spans_o, last_o, user_o} = op_out;
  tsr_skid #(
    .Width(OpBits)
  ) u_op (
    .clk_i,
    .rst_ni,
    .valid_i(full_q),
    .ready_o(go),
    .data_i(op),
    .valid_o,
    .ready_i,
    .data_o(op_out)
  );

  assign two_left = (ByteBits + 1)'(left_q) <= (quarter_q ? (ByteBits + 1)'(BusBytes / 2) : (ByteBits + 1)'(2 * BusBytes));
  assign eot_next = !next_tile ? two_left : !data_next | (takes ? one_chunk : one_chunk_q);

  // The next place: after a tile with data, after a row of them, after a plane.
  logic [BusShift-1:0] place;
  always_comb begin
    if (takes) place = addr;
    else if (x_last && y_last) place = box_off_q + z_step_q;
    else if (x_last) place = y_data ? plane_off_q + y_step_q : plane_off_q;
    else place = data_q ? row_off_q + x_step_q : row_off_q;
  end
  always_ff @(posedge clk_i) begin
    if (step && takes) tail_pads_q <= tail_pads;
    if (step && takes) begin
      nop_q <= Load && nop_i;
      short_q <= Load && short_i;
      quarter_q <= Load && quarter_i;
      {row_run_q, plane_run_q, box_run_q} <= {row_run, plane_run, box_run};
      user_q <= user_i;
      x_bytes_q <= x_bytes;
      one_chunk_q <= one_chunk;
      x_step_q <= x_step;
      y_step_q <= y_step;
      z_step_q <= z_step;
    end
    if (step) begin
      first_q <= next_tile;
      chunk_q <= next_tile ? '0 : chunk_q + ByteBits'(BusBytes);
      left_q <= takes ? x_bytes : eot_q ? x_bytes_q : left_q - ByteBits'(most);
      eot_q <= eot_next;
      data_q <= data_next;
      off_q <= next_tile ? place : off_q + BusShift'(most);
    end
    if (step && next_tile) begin
      tile_q <= !Load ? '0 : takes ? sram_base_i : tile_q + TileBits'(1);
      row_off_q <= place;
      if (takes || x_last) plane_off_q <= place;
      if (takes || (x_last && y_last)) box_off_q <= place;
    end
  end
  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {walk_i, sram_base_i, user_i})
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, {write_o, data_o, tile_o, chunk_o, mask_o, off_o, eor_o, last_o, user_o})
  `TSR_ASSERT_IF(end_of_the_box, full_q && step && !takes && all_last_next, tail_eot == eot_next)
  `TSR_ASSERT_IF(some_bytes, valid_o && write_o && data_o, mask_o != 0)
endmodule
`default_nettype wire
