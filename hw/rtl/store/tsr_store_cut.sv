// SPDX-License-Identifier: Apache-2.0
//
// tsr_store_cut: cuts the tiles of STOREs, which tsr_store_read asks for, into chunks.
//
//   Input   operations (tsr_dma_walk) and tiles, both in order; taken_o when a tile is used up
//   Output  chunks for tsr_store_pack
//   Cost    1 chunk a cycle; at most Room tiles wait here
//
// Invariant: each operation's bytes leave once, in order.
`default_nettype none
`include "tsr_assert.svh"

module tsr_store_cut #(
  parameter int BusBytes  = 8,
  parameter int BusShift  = 3,
  parameter int TileBytes = 16,  // bytes of an OUT tile
  parameter int Room      = 8    // tiles under way; a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // operation
  input  logic                   op_valid_i,
  output logic                   op_ready_o,
  input  logic [tsr_pkg::BoxTileBytesBits-1:0] op_chunk_i,  // byte offset in the tile
  input  logic [BusBytes-1:0]    op_mask_i,
  input  logic [BusShift-1:0]    op_off_i,
  input  logic                   op_eot_i,
  input  logic                   op_eor_i,
  input  logic                   op_full_i,
  input  logic                   op_spans_i,
  // tiles
  input  logic                   rd_data_valid_i,
  input  logic [8*TileBytes-1:0] rd_data_i,
  output logic                   taken_o,
  // chunk
  output logic                   chunk_valid_o,
  input  logic                   chunk_ready_i,
  output logic [8*BusBytes-1:0]  chunk_data_o,
  output logic [BusBytes-1:0]    chunk_mask_o,
  output logic [BusShift-1:0]    chunk_off_o,
  output logic                   chunk_eor_o,
  output logic                   chunk_full_o,
  output logic                   chunk_spans_o
);
  localparam int Chunks = (TileBytes + BusBytes - 1) / BusBytes;

  logic tile_valid, tiles_ready;
  logic [8*TileBytes-1:0] tile;
  tsr_fifo #(
    .Width(8 * TileBytes),
    .Depth(Room)
  ) u_tiles (
    .clk_i,
    .rst_ni,
    .valid_i(rd_data_valid_i),
    .ready_o(tiles_ready),
    .data_i(rd_data_i),
    .valid_o(tile_valid),
    .ready_i(taken_o),
    .data_o(tile)
  );

  logic go, step;
  assign step = op_valid_i & tile_valid & go;
  assign op_ready_o = tile_valid & go;
  assign taken_o = step & op_eot_i;

  logic [8*Chunks*BusBytes-1:0] padded;
  logic [8*BusBytes-1:0] chunk;
  assign padded = (8 * Chunks * BusBytes)'(tile);
  always_comb begin
    chunk = '0;
    for (int c = 0; c < Chunks; c++) begin
      if ((op_chunk_i >> BusShift) == tsr_pkg::BoxTileBytesBits'(c)) chunk = padded[8*BusBytes*c+:8*BusBytes];
    end
  end

  tsr_skid #(
    .Width(9 * BusBytes + BusShift + 3)
  ) u_chunk (
    .clk_i,
    .rst_ni,
    .valid_i(op_valid_i & tile_valid),
    .ready_o(go),
    .data_i({chunk, op_mask_i, op_off_i, op_eor_i, op_full_i, op_spans_i}),
    .valid_o(chunk_valid_o),
    .ready_i(chunk_ready_i),
    .data_o({chunk_data_o, chunk_mask_o, chunk_off_o, chunk_eor_o, chunk_full_o, chunk_spans_o})
  );

  logic unused;
  assign unused = tiles_ready;

  `TSR_ASSERT_STREAM(op, op_valid_i, op_ready_o, {op_chunk_i, op_mask_i, op_off_i, op_eot_i, op_eor_i})
  `TSR_ASSERT_STREAM(chunk, chunk_valid_o, chunk_ready_i, {chunk_data_o, chunk_mask_o, chunk_off_o, chunk_eor_o})
  `TSR_ASSERT_IF(answers_have_room, rd_data_valid_i, tiles_ready)
endmodule
`default_nettype wire
