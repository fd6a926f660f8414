// SPDX-License-Identifier: Apache-2.0
//
// tsr_store_read: asks for the consecutive tiles of STOREs.
//
//   Input   a checked box: first tile, sizes; not empty
//   Output  tile reads
//   Cost    1 tile a cycle, also from box to box
//
// Invariant: no more tiles are under way than there is room for (Room).
`include "tsr_assert.svh"

module tsr_store_read #(
  parameter int Room = 8         // tiles under way; >= 2
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // box
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [19:0] sram_base_i,
  input  logic [15:0] x_size_i,
  input  logic [15:0] y_size_i,
  input  logic [15:0] z_size_i,
  // tile reads
  output logic        rd_valid_o,
  input  logic        rd_ready_i,
  output logic [19:0] rd_addr_o,
  input  logic        taken_i     // a tile that came has left its place
);
  localparam int RoomBits = $clog2(Room + 1);

  logic full_q;
  logic [19:0] tile_q;
  logic [15:0] x_q, y_q, z_q, x_last_q, y_last_q;  // x, y, z: what is left after this one
  logic [RoomBits-1:0] room_q;
  logic step, ends;
  assign rd_valid_o = full_q & (room_q != '0);
  assign rd_addr_o = tile_q;
  assign step = rd_valid_o & rd_ready_i;
  assign ends = x_q == '0 && y_q == '0 && z_q == '0;
  assign ready_o = !full_q | (step & ends);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      room_q <= RoomBits'(Room);
    end else begin
      full_q <= (valid_i & ready_o) | (full_q & !(step & ends));
      room_q <= room_q - RoomBits'(step) + RoomBits'(taken_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      tile_q <= sram_base_i;
      x_q <= x_size_i - 16'd1;
      y_q <= y_size_i - 16'd1;
      z_q <= z_size_i - 16'd1;
      x_last_q <= x_size_i - 16'd1;
      y_last_q <= y_size_i - 16'd1;
    end else if (step) begin
      tile_q <= tile_q + 20'd1;
      x_q <= x_q - 16'd1;
      if (x_q == '0) begin
        x_q <= x_last_q;
        y_q <= y_q - 16'd1;
        if (y_q == '0) begin
          y_q <= y_last_q;
          z_q <= z_q - 16'd1;
        end
      end
    end
  end

  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {sram_base_i, x_size_i, y_size_i, z_size_i})
  `TSR_ASSERT_STREAM(rd, rd_valid_o, rd_ready_i, rd_addr_o)
  `TSR_ASSERT(room, room_q <= RoomBits'(Room))
endmodule
