// SPDX-License-Identifier: Apache-2.0
//
// tsr_dma_walk: walks a checked box tile by tile and cuts the tiles into chunks of a bus word at most.
//
//   Input   boxes (tsr_dma_front), in order
//   Output  chunk operations, in order of the tiles; the last one of a box is marked. A box without
//           tiles gives one operation that writes nothing
//   Cost    1 operation a cycle, also from box to box; a tile of pads is 1 operation. With Load, operations
//           come from a register, one cycle later
//
// Invariant: operations with data take the bytes of the box's runs in order; eor_o marks the last
// bytes of a run, off_o is the place of the first byte in its bus word.
`include "tsr_assert.svh"

module tsr_dma_walk #(
  parameter bit Load     = 1'b1,  // 0: no tile indices, no pads, no box without tiles
  parameter int UserBits = 1,     // bits that travel along
  localparam int BusShift = $clog2(tsr_pkg::BusBytes)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // box
  input  logic                           valid_i,
  output logic                           ready_o,
  input  tsr_dma_pkg::walk_t             walk_i,
  input  logic [4*BusShift-1:0]          lows_i,     // low bits of its address and of its steps along x, y and z
  input  logic                           nop_i,
  input  logic                           short_i,    // x_bytes is less than the tile
  input  logic                           quarter_i,  // a quarter of a bus word fills a chunk (ACC8: one byte makes four)
  input  logic [19:0]                    sram_base_i,
  input  logic [7:0]                     x_pad_0_i,
  input  logic [7:0]                     x_pad_1_i,
  input  logic [7:0]                     y_pad_0_i,
  input  logic [7:0]                     y_pad_1_i,
  input  logic [UserBits-1:0]            user_i,
  // operation
  output logic                           valid_o,
  input  logic                           ready_i,
  output logic                           write_o,    // 0: nothing, only the mark
  output logic                           data_o,     // bytes of device memory; else a whole tile of pads
  output logic                           fill_o,     // the rest of the tile becomes pads too
  output logic [19:0]                    tile_o,
  output logic [15:0]                    chunk_o,    // byte offset of the chunk in the tile
  output logic [BusShift:0]              bytes_o,    // bytes of device memory
  output logic [BusShift-1:0]            off_o,
  output logic                           eot_o,      // ends its tile
  output logic                           eor_o,
  output logic                           last_o,
  output logic [UserBits-1:0]            user_o
);
  localparam int BusBytes = tsr_pkg::BusBytes;

  logic [BusShift-1:0] addr, x_step, y_step, z_step;
  assign {addr, x_step, y_step, z_step} = lows_i;

  logic nop;
  logic [16:0] x_pad_0, x_pad_1, y_pad_0, y_pad_1;
  assign nop = Load && nop_i;
  assign x_pad_0 = Load ? 17'(x_pad_0_i) : '0;
  assign x_pad_1 = Load ? 17'(x_pad_1_i) : '0;
  assign y_pad_0 = Load ? 17'(y_pad_0_i) : '0;
  assign y_pad_1 = Load ? 17'(y_pad_1_i) : '0;

  // The box in work.
  logic full_q, nop_q, short_q, quarter_q, row_run_q, plane_run_q, box_run_q;
  logic [UserBits-1:0] user_q;
  logic [15:0] x_bytes_q;
  logic [16:0] x_begin_q, x_end_q, x_last_q, y_begin_q, y_end_q, y_last_q;  // in padded columns and rows
  logic [15:0] z_last_q;
  logic [BusShift-1:0] x_step_q, y_step_q, z_step_q;
  // Where it stands.
  logic [19:0] tile_q;
  logic [16:0] x_q, y_q;
  logic [15:0] z_q, chunk_q, left_q;         // left: bytes of this tile still to take
  logic [BusShift-1:0] off_q, row_off_q, plane_off_q, box_off_q;  // next byte; starts of tile, row, plane

  logic [BusShift:0] most;  // bytes of device memory that fill a chunk
  assign most = quarter_q ? (BusShift + 1)'(BusBytes / 4) : (BusShift + 1)'(BusBytes);

  logic data, tile_ends, col_ends, row_ends, box_ends, run_ends, some_left;
  logic [BusShift:0] bytes;
  assign data = !Load || (!nop_q && x_q >= x_begin_q && x_q < x_end_q && y_q >= y_begin_q && y_q < y_end_q);
  assign some_left = left_q > 16'(most);
  assign bytes = some_left ? most : left_q[BusShift:0];
  assign tile_ends = !data | !some_left;
  assign col_ends = x_q == x_last_q;
  assign row_ends = y_q == y_last_q;
  assign box_ends = nop_q | (tile_ends & col_ends & row_ends & (z_q == z_last_q));
  // A run ends with its tile unless the next tile in device memory follows it.
  assign run_ends = tile_ends & (!row_run_q | (x_q + 17'd1 == x_end_q &
                    (!plane_run_q | (y_q + 17'd1 == y_end_q & (!box_run_q | z_q == z_last_q)))));

  logic fill, go, step;
  assign fill = !data | (short_q & chunk_q == '0);
  assign step = full_q & go;
  assign ready_o = !full_q | (step & box_ends);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) full_q <= 1'b0;
    else full_q <= (valid_i & ready_o) | (full_q & !(step & box_ends));
  end

  localparam int OpBits = 3 + 20 + 16 + (BusShift + 1) + BusShift + 3 + UserBits;
  logic [OpBits-1:0] op;
  assign op = {!nop_q, data, fill, tile_q, chunk_q, bytes, off_q, tile_ends, run_ends, box_ends, user_q};
  if (Load) begin : g_register
    logic op_full_q;
    logic [OpBits-1:0] op_q;
    assign go = ready_i | !op_full_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) op_full_q <= 1'b0;
      else if (go) op_full_q <= full_q;
    end
    always_ff @(posedge clk_i) if (go) op_q <= op;
    assign valid_o = op_full_q;
    assign {write_o, data_o, fill_o, tile_o, chunk_o, bytes_o, off_o, eot_o, eor_o, last_o, user_o} = op_q;
  end else begin : g_direct
    assign go = ready_i;
    assign valid_o = full_q;
    assign {write_o, data_o, fill_o, tile_o, chunk_o, bytes_o, off_o, eot_o, eor_o, last_o, user_o} = op;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      nop_q <= nop;
      short_q <= Load && short_i;
      quarter_q <= Load && quarter_i;
      row_run_q <= walk_i.runs.row;
      plane_run_q <= walk_i.runs.plane;
      box_run_q <= walk_i.runs.box;
      user_q <= user_i;
      x_bytes_q <= walk_i.x_bytes;
      x_begin_q <= x_pad_0;
      x_end_q <= x_pad_0 + 17'(walk_i.x_size);
      x_last_q <= x_pad_0 + 17'(walk_i.x_size) + x_pad_1 - 17'd1;
      y_begin_q <= y_pad_0;
      y_end_q <= y_pad_0 + 17'(walk_i.y_size);
      y_last_q <= y_pad_0 + 17'(walk_i.y_size) + y_pad_1 - 17'd1;
      z_last_q <= walk_i.z_size - 16'd1;
      x_step_q <= x_step;
      y_step_q <= y_step;
      z_step_q <= z_step;
      tile_q <= Load ? sram_base_i : '0;
      x_q <= '0;
      y_q <= '0;
      z_q <= '0;
      chunk_q <= '0;
      left_q <= walk_i.x_bytes;
      off_q <= addr;
      row_off_q <= addr;
      plane_off_q <= addr;
      box_off_q <= addr;
    end else if (step) begin
      if (!tile_ends) begin
        chunk_q <= chunk_q + 16'(BusBytes);
        left_q <= left_q - 16'(most);
        off_q <= off_q + BusShift'(most);
      end else begin
        chunk_q <= '0;
        left_q <= x_bytes_q;
        if (Load) tile_q <= tile_q + 20'd1;
        x_q <= x_q + 17'd1;
        if (data) begin
          row_off_q <= row_off_q + x_step_q;
          off_q <= row_off_q + x_step_q;
        end
        if (col_ends) begin
          x_q <= '0;
          y_q <= y_q + 17'd1;
          if (y_q >= y_begin_q && y_q < y_end_q) begin
            plane_off_q <= plane_off_q + y_step_q;
            row_off_q <= plane_off_q + y_step_q;
            off_q <= plane_off_q + y_step_q;
          end
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

  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {walk_i, lows_i, sram_base_i, user_i})
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, {write_o, data_o, tile_o, chunk_o, bytes_o, off_o, eor_o, last_o, user_o})
  `TSR_ASSERT(some_bytes, valid_o && write_o && data_o |-> bytes_o != 0)
endmodule
