// SPDX-License-Identifier: Apache-2.0
//
// tsr_tab_mem: the table of VECTOR's results: a byte for each int8 value, read by all lanes at once.
//
//   Input   LOAD's chunks (hw/rtl/README.md), each a whole tile of four bytes; always ready
//   Input   index_i: a lane's int8 result
//   Output  byte_o: byte index + 128 of the table, in the same cycle
//   Output  digest_o: change of the write of the cycle before
//   Cost    lanes x 52 LUTs. A write is in the table two edges after it was offered: a token takes longer
//
// On a machine without TAB (TabDepth 0) nothing is loaded and looked up here, and there is no memory.
`default_nettype none
module tsr_tab_mem (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           trace_en_i,
  input  logic                           wr_valid_i,
  input  logic [tsr_pkg::TabIdxBits-1:0] wr_tile_i,
  input  logic [tsr_pkg::BusBits-1:0]    wr_data_i,
  output logic [63:0]                    digest_o,
  input  logic [8*tsr_pkg::Lanes-1:0]    index_i,
  output logic [8*tsr_pkg::Lanes-1:0]    byte_o
);
  localparam int Bytes = tsr_pkg::TabTileBytes;
  localparam int Bits = tsr_pkg::TabIdxBits;

  // Every lane has a copy, and the flops before the copies take the fan-out.
  logic we_q;
  logic [Bits-1:0] tile_q;
  logic [8*Bytes-1:0] tile_data_q;
  always_ff @(posedge clk_i) begin
    we_q <= wr_valid_i;
    {tile_q, tile_data_q} <= {wr_tile_i, wr_data_i[8*Bytes-1:0]};
  end
  if (tsr_pkg::TabDepth == 0) assign byte_o = '0;
  for (genvar l = 0; l < (tsr_pkg::TabDepth == 0 ? 0 : tsr_pkg::Lanes); l++) begin : g_lane
    logic [7:0] index;
    logic [8*Bytes-1:0] tile;
    assign index = index_i[8*l+:8] ^ 8'h80;
    tsr_lutram #(
      .Depth(tsr_pkg::TabDepth),
      .Width(8 * Bytes),
      .AddrBits(Bits)
    ) u_ram (
      .clk_i,
      .we_i(we_q),
      .waddr_i(tile_q),
      .wdata_i(tile_data_q),
      .raddr_i(index[7:2]),
      .rdata_o(tile)
    );
    assign byte_o[8*l+:8] = tile[8*index[1:0]+:8];
  end
  logic unused_data;
  assign unused_data = ^{wr_data_i, index_i, we_q, tile_q, tile_data_q};

`ifdef SYNTHESIS
  assign digest_o = '0;
  logic unused;
  assign unused = ^{rst_ni, trace_en_i};
`else
  // A copy that gives the old bytes of a write; it is read only while tracing.
  localparam int Tiles = tsr_pkg::TabDepth == 0 ? 1 : tsr_pkg::TabDepth;
  logic [8*Bytes-1:0] shadow_q [Tiles];
  logic [8*Bytes-1:0] old_q;
  always_ff @(posedge clk_i) begin
    if (wr_valid_i) shadow_q[wr_tile_i] <= wr_data_i[8*Bytes-1:0];
    if (trace_en_i && wr_valid_i) old_q <= shadow_q[wr_tile_i];
  end
  initial for (int i = 0; i < Tiles; i++) shadow_q[i] = '0;
  tsr_digest #(
    .Bytes(Bytes),
    .Space(8'd8)
  ) u_digest (
    .clk_i,
    .rst_ni,
    .en_i(trace_en_i),
    .valid_i(wr_valid_i),
    .addr_i(32'(wr_tile_i) * 32'(Bytes)),
    .be_i({Bytes{1'b1}}),
    .new_i(wr_data_i[8*Bytes-1:0]),
    .old_i(old_q),
    .delta_o(digest_o)
  );
`endif
endmodule
`default_nettype wire
