// SPDX-License-Identifier: Apache-2.0
//
// tsr_store_read: reads the consecutive tiles of STOREs.
//
//   Input   a checked box's first tile and number of tiles, which is not 0
//   Output  tile reads, from flops: no combinational path goes to the stages ahead
//   Cost    1 tile a cycle, also from box to box; 1 cycle of latency
//
// Invariant: at most Room tiles are under way.
`default_nettype none
`include "tsr_assert.svh"

module tsr_store_read #(
  parameter int Room = 8         // tiles under way; >= 2
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  // box
  input  logic                             valid_i,
  output logic                             ready_o,
  input  logic [tsr_pkg::BoxTileBits-1:0] sram_base_i,
  input  logic [tsr_pkg::BoxSizeBits-1:0] tiles_i,
  // tile reads
  output logic                             rd_valid_o,
  input  logic                             rd_ready_i,
  output logic [19:0]                      rd_addr_o,
  output logic                             blocked_o,  // a read waits, and there is no place for the next
  input  logic                             taken_i     // a tile that came has left its place
);
  localparam int RoomBits = $clog2(Room + 1);
  localparam int TileBits = tsr_pkg::BoxTileBits;
  localparam int SizeBits = tsr_pkg::BoxSizeBits;

  // The box in front, after the read of its first tile: its next tile, and the tiles left with that one.
  logic inside_q, last_q;
  logic [TileBits-1:0] tile_q, tile;
  logic [SizeBits-1:0] left_q, left;
  logic [RoomBits-1:0] room_q;
  logic some_room_q, free, step, last;
  assign tile = inside_q ? tile_q : sram_base_i;
  assign left = inside_q ? left_q : tiles_i;
  assign last = inside_q ? last_q : tiles_i == SizeBits'(1);
  assign step = valid_i & some_room_q & free;
  assign ready_o = step & last;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      room_q <= RoomBits'(Room);
      some_room_q <= 1'b1;
    end else begin
      if (step) inside_q <= !last;
      if (step != taken_i) begin
        room_q <= step ? room_q - RoomBits'(1) : room_q + RoomBits'(1);
        some_room_q <= !step || room_q != RoomBits'(1);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (step) begin
      tile_q <= tile + TileBits'(1);
      left_q <= left - SizeBits'(1);
      last_q <= left == SizeBits'(2);
    end
  end

  logic [TileBits-1:0] addr;
  tsr_skid #(
    .Width(TileBits)
  ) u_ask (
    .clk_i,
    .rst_ni,
    .valid_i(step),
    .ready_o(free),
    .data_i(tile),
    .valid_o(rd_valid_o),
    .ready_i(rd_ready_i),
    .data_o(addr)
  );
  assign rd_addr_o = 20'(addr);
  assign blocked_o = !free;

  `TSR_ASSERT_STREAM(in, valid_i, ready_o, {sram_base_i, tiles_i})
  `TSR_ASSERT_STREAM(rd, rd_valid_o, rd_ready_i, rd_addr_o)
  `TSR_ASSERT(room, room_q <= RoomBits'(Room))
endmodule
`default_nettype wire
