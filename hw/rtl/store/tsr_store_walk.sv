// SPDX-License-Identifier: Apache-2.0
//
// tsr_store_walk: cuts the tiles of a STORE, which tsr_store_read fetches, into chunks.
//
//   Input   a checked box without pads, not empty
//   Input   tiles, in the order of the box; taken_o when one is used up
//   Output  chunks for tsr_store_pack
//   Cost    1 chunk a cycle, also from box to box; at most Room tiles wait here
//
// Invariant: a tile's first x_bytes bytes leave, in order; eor marks the last chunk of a run.
`include "tsr_assert.svh"

module tsr_store_walk #(
  parameter int BusBytes  = 8,
  parameter int BusShift  = 3,
  parameter int TileBytes = 16,  // bytes of an OUT tile
  parameter int Room      = 8    // tiles under way; a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // box
  input  logic                   valid_i,
  output logic                   ready_o,
  input  logic [15:0]            x_bytes_i,
  input  logic [15:0]            x_size_i,
  input  logic [15:0]            y_size_i,
  input  logic [15:0]            z_size_i,
  input  logic [BusShift-1:0]    addr_i,       // low bits of the start and of the steps
  input  logic [BusShift-1:0]    x_step_i,
  input  logic [BusShift-1:0]    y_step_i,
  input  logic [BusShift-1:0]    z_step_i,
  input  logic                   row_run_i,
  input  logic                   plane_run_i,
  input  logic                   box_run_i,
  // tiles
  input  logic                   rd_data_valid_i,
  input  logic [8*TileBytes-1:0] rd_data_i,
  output logic                   taken_o,
  // chunk
  output logic                   chunk_valid_o,
  input  logic                   chunk_ready_i,
  output logic [8*BusBytes-1:0]  chunk_data_o,
  output logic [BusShift:0]      chunk_bytes_o,
  output logic [BusShift-1:0]    chunk_off_o,
  output logic                   chunk_eor_o,
  output logic                   idle_o       // no box inside
);
  localparam int Chunks = (TileBytes + BusBytes - 1) / BusBytes;
  localparam int RoomBits = $clog2(Room) + 1;

  // The box in work.
  logic full_q, row_run_q, plane_run_q, box_run_q;
  logic [15:0] x_bytes_q, x_last_q, y_last_q, z_last_q;
  logic [BusShift-1:0] x_step_q, y_step_q, z_step_q;
  logic [15:0] x_q, y_q, z_q, left_q, chunk_q;
  logic [BusShift-1:0] off_q, row_off_q, plane_off_q, box_off_q;

  logic box_ends, step;
  assign ready_o = !full_q | (step & box_ends);
  assign idle_o = !full_q;

  // Answers.
  logic tile_valid, tile_leaves, unused_ready;
  assign taken_o = tile_leaves;
  logic [8*TileBytes-1:0] tile;
  logic [RoomBits-1:0] unused_count;
  tsr_fifo #(
    .Width(8 * TileBytes),
    .Depth(Room),
    .CountBits(RoomBits)
  ) u_tiles (
    .clk_i,
    .rst_ni,
    .valid_i(rd_data_valid_i),
    .ready_o(unused_ready),
    .data_i(rd_data_i),
    .valid_o(tile_valid),
    .ready_i(tile_leaves),
    .data_o(tile),
    .count_o(unused_count)
  );

  // Chunks.
  logic some_left, col_ends, row_ends, run_ends, go;
  logic [BusShift:0] bytes;
  assign go = chunk_ready_i | !chunk_valid_o;
  assign step = full_q & tile_valid & go;
  assign some_left = left_q > 16'(BusBytes);
  assign bytes = some_left ? (BusShift + 1)'(BusBytes) : left_q[BusShift:0];
  assign tile_leaves = step & !some_left;
  assign col_ends = x_q == x_last_q;
  assign row_ends = y_q == y_last_q;
  assign box_ends = !some_left & col_ends & row_ends & (z_q == z_last_q);
  assign run_ends = !some_left & (!row_run_q | (col_ends & (!plane_run_q | (row_ends & (!box_run_q |
                    (z_q == z_last_q))))));

  logic [8*Chunks*BusBytes-1:0] padded;
  logic [8*BusBytes-1:0] chunk;
  assign padded = (8 * Chunks * BusBytes)'(tile);
  always_comb begin
    chunk = '0;
    for (int c = 0; c < Chunks; c++) begin
      if (chunk_q == 16'(c)) chunk = padded[8*BusBytes*c+:8*BusBytes];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      chunk_valid_o <= 1'b0;
    end else begin
      full_q <= (valid_i & ready_o) | (full_q & !(step & box_ends));
      if (go) chunk_valid_o <= step;
    end
  end
  always_ff @(posedge clk_i) begin
    if (go) begin
      chunk_data_o <= chunk;
      chunk_bytes_o <= bytes;
      chunk_off_o <= off_q;
      chunk_eor_o <= run_ends;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      row_run_q <= row_run_i;
      plane_run_q <= plane_run_i;
      box_run_q <= box_run_i;
      x_bytes_q <= x_bytes_i;
      x_last_q <= x_size_i - 16'd1;
      y_last_q <= y_size_i - 16'd1;
      z_last_q <= z_size_i - 16'd1;
      x_step_q <= x_step_i;
      y_step_q <= y_step_i;
      z_step_q <= z_step_i;
      x_q <= '0;
      y_q <= '0;
      z_q <= '0;
      chunk_q <= '0;
      left_q <= x_bytes_i;
      off_q <= addr_i;
      row_off_q <= addr_i;
      plane_off_q <= addr_i;
      box_off_q <= addr_i;
    end else if (step) begin
      if (some_left) begin
        chunk_q <= chunk_q + 16'd1;
        left_q <= left_q - 16'(BusBytes);
      end else begin
        chunk_q <= '0;
        left_q <= x_bytes_q;
        x_q <= x_q + 16'd1;
        row_off_q <= row_off_q + x_step_q;
        off_q <= row_off_q + x_step_q;
        if (col_ends) begin
          x_q <= '0;
          y_q <= y_q + 16'd1;
          plane_off_q <= plane_off_q + y_step_q;
          row_off_q <= plane_off_q + y_step_q;
          off_q <= plane_off_q + y_step_q;
          if (row_ends) begin
            y_q <= '0;
            z_q <= z_q + 16'd1;
            box_off_q <= box_off_q + z_step_q;
            plane_off_q <= box_off_q + z_step_q;
            row_off_q <= box_off_q + z_step_q;
            off_q <= box_off_q + z_step_q;
          end
        end
      end
    end
  end

  logic unused;
  assign unused = ^{unused_ready, unused_count};

  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {x_bytes_i, x_size_i, y_size_i, z_size_i})
  `TSR_ASSERT_STREAM(chunk, chunk_valid_o, chunk_ready_i, {chunk_data_o, chunk_bytes_o, chunk_off_o, chunk_eor_o})
  `TSR_ASSERT(answers_have_room, rd_data_valid_i |-> unused_ready)
endmodule
