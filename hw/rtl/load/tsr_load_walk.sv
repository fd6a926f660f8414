// SPDX-License-Identifier: Apache-2.0
//
// tsr_load_walk: walks the padded box of a LOAD on the scratchpad's side and says, chunk by chunk,
// what is written: bytes from device memory, or pads.
//
//   Input   a checked box (tsr_box), in order
//   Output  chunk operations, in order of the tiles; the last one of a box is marked. A box without
//           tiles gives one operation that writes nothing
//   Cost    1 operation a cycle, also from box to box; a padded tile is 1 operation
//
// Invariant: operations with data take the bytes of the box's runs in order; eor_o marks the last
// bytes of a run, off_o is the place of the first byte in its bus word.
`include "tsr_assert.svh"

module tsr_load_walk #(
  parameter int BusBytes = 8,
  parameter int BusShift = 3   // $clog2(BusBytes)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                vta_i,
  // box
  input  logic                valid_i,
  output logic                ready_o,
  input  logic                nop_i,
  input  logic [31:0]         num_i,
  input  logic [2:0]          mem_i,
  input  logic [7:0]          pad_value_i,
  input  logic [19:0]         sram_base_i,
  input  logic [15:0]         x_bytes_i,
  input  logic                short_i,      // x_bytes is less than the tile
  input  logic [15:0]         x_size_i,
  input  logic [15:0]         y_size_i,
  input  logic [15:0]         z_size_i,
  input  logic [BusShift-1:0] addr_i,       // low bits of the start and of the steps
  input  logic [BusShift-1:0] x_step_i,
  input  logic [BusShift-1:0] y_step_i,
  input  logic [BusShift-1:0] z_step_i,
  input  logic [7:0]          x_pad_0_i,
  input  logic [7:0]          x_pad_1_i,
  input  logic [7:0]          y_pad_0_i,
  input  logic [7:0]          y_pad_1_i,
  input  logic                row_run_i,
  input  logic                plane_run_i,
  input  logic                box_run_i,
  // operation
  output logic                valid_o,
  input  logic                ready_i,
  output logic                write_o,      // 0: nothing, only the mark
  output logic                data_o,       // bytes from device memory; else a whole tile of pads
  output logic                fill_o,       // the rest of the tile becomes pads too
  output logic [2:0]          mem_o,
  output logic [19:0]         tile_o,
  output logic [15:0]         chunk_o,      // byte offset of the chunk in the tile
  output logic [BusShift:0]   bytes_o,      // bytes taken from device memory
  output logic [BusShift-1:0] off_o,
  output logic                eor_o,
  output logic [7:0]          pad_value_o,
  output logic                last_o,
  output logic [31:0]         num_o
);
  // The box in work.
  logic full_q, nop_q, short_q, row_run_q, plane_run_q, box_run_q;
  logic [31:0] num_q;
  logic [2:0] mem_q;
  logic [7:0] pad_value_q;
  logic [15:0] x_bytes_q;
  logic [16:0] x_begin_q, x_end_q, x_last_q, y_begin_q, y_end_q, y_last_q;  // in padded columns and rows
  logic [15:0] z_last_q;
  logic [BusShift-1:0] x_step_q, y_step_q, z_step_q;
  // Where it stands.
  logic [19:0] tile_q;
  logic [16:0] x_q, y_q;
  logic [15:0] z_q, chunk_q, left_q;         // left: bytes of this tile still to take
  logic [BusShift-1:0] off_q, row_off_q, plane_off_q, box_off_q;  // next byte; starts of tile, row, plane

  // ACC8 makes four bytes of one.
  logic acc8;
  logic [BusShift:0] most;  // bytes of device memory that fill a chunk
  assign acc8 = mem_q == tsr_pkg::MEM_ACC8;
  assign most = acc8 ? (BusShift + 1)'(BusBytes / 4) : (BusShift + 1)'(BusBytes);

  logic data, tile_ends, col_ends, row_ends, box_ends, run_ends, some_left;
  logic [BusShift:0] bytes;
  assign data = !nop_q && x_q >= x_begin_q && x_q < x_end_q && y_q >= y_begin_q && y_q < y_end_q;
  assign some_left = left_q > 16'(most);
  assign bytes = some_left ? most : left_q[BusShift:0];
  assign tile_ends = !data | !some_left;
  assign col_ends = x_q == x_last_q;
  assign row_ends = y_q == y_last_q;
  assign box_ends = nop_q | (tile_ends & col_ends & row_ends & (z_q == z_last_q));
  // A run ends with its tile unless the next tile in device memory follows it.
  assign run_ends = tile_ends & (!row_run_q | (x_q + 17'd1 == x_end_q &
                    (!plane_run_q | (y_q + 17'd1 == y_end_q & (!box_run_q | z_q == z_last_q)))));

  logic go, step;
  assign go = ready_i | !valid_o;
  assign step = full_q & go;
  assign ready_o = !full_q | (step & box_ends);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      full_q <= (valid_i & ready_o) | (full_q & !(step & box_ends));
      if (go) valid_o <= full_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (go) begin
      write_o <= !nop_q;
      data_o <= data;
      fill_o <= !data | (short_q & chunk_q == '0);
      mem_o <= mem_q;
      tile_o <= (vta_i && mem_q == tsr_pkg::MEM_UOP) ? {1'b0, tile_q[19:1]} : tile_q;
      chunk_o <= (vta_i && mem_q == tsr_pkg::MEM_UOP) ? {13'd0, tile_q[0], 2'd0} : chunk_q;
      bytes_o <= bytes;
      off_o <= off_q;
      eor_o <= run_ends;
      pad_value_o <= pad_value_q;
      last_o <= box_ends;
      num_o <= num_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      nop_q <= nop_i;
      short_q <= short_i;
      row_run_q <= row_run_i;
      plane_run_q <= plane_run_i;
      box_run_q <= box_run_i;
      num_q <= num_i;
      mem_q <= mem_i;
      pad_value_q <= pad_value_i;
      x_bytes_q <= x_bytes_i;
      x_begin_q <= 17'(x_pad_0_i);
      x_end_q <= 17'(x_pad_0_i) + 17'(x_size_i);
      x_last_q <= 17'(x_pad_0_i) + 17'(x_size_i) + 17'(x_pad_1_i) - 17'd1;
      y_begin_q <= 17'(y_pad_0_i);
      y_end_q <= 17'(y_pad_0_i) + 17'(y_size_i);
      y_last_q <= 17'(y_pad_0_i) + 17'(y_size_i) + 17'(y_pad_1_i) - 17'd1;
      z_last_q <= z_size_i - 16'd1;
      x_step_q <= x_step_i;
      y_step_q <= y_step_i;
      z_step_q <= z_step_i;
      tile_q <= sram_base_i;
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
      if (!tile_ends) begin
        chunk_q <= chunk_q + 16'(BusBytes);
        left_q <= left_q - 16'(most);
        off_q <= off_q + BusShift'(most);
      end else begin
        chunk_q <= '0;
        left_q <= x_bytes_q;
        tile_q <= tile_q + 20'd1;
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

  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {num_i, sram_base_i})
  `TSR_ASSERT_STREAM(out, valid_o, ready_i, {write_o, data_o, tile_o, chunk_o, bytes_o, off_o, eor_o, last_o, num_o})
  `TSR_ASSERT(some_bytes, valid_o && write_o && data_o |-> bytes_o != 0)
endmodule
