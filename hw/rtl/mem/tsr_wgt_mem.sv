// SPDX-License-Identifier: Apache-2.0
//
// tsr_wgt_mem: the weight scratchpad: a tile is block_out x block_in int8.
//
//   Input   LOAD's chunks (hw/rtl/README.md); always ready
//   Input   a tile read: data in the next cycle, kept until the next read
//   Output  digest_o: change of the write of the cycle before
module tsr_wgt_mem (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               trace_en_i,
  input  logic                               wr_valid_i,
  input  logic [tsr_pkg::WgtIdxBits-1:0]     wr_tile_i,
  input  logic [15:0]                        wr_off_i,
  input  logic [tsr_pkg::BusBits-1:0]        wr_data_i,
  input  logic [tsr_pkg::BusBytes-1:0]       wr_be_i,
  input  logic                               wr_fill_i,
  input  logic [31:0]                        wr_pad_i,
  output logic [63:0]                        digest_o,
  input  logic                               rd_en_i,
  input  logic [tsr_pkg::WgtIdxBits-1:0]     rd_addr_i,
  output logic [8*tsr_pkg::WgtTileBytes-1:0] rd_data_o
);
  localparam int Bytes = tsr_pkg::WgtTileBytes;
  logic [8*Bytes-1:0] wdata;
  logic [Bytes-1:0] be;
  tsr_chunk #(
    .TileBytes(Bytes),
    .ChunkBytes(tsr_pkg::BusBytes)
  ) u_chunk (
    .off_i(wr_off_i),
    .data_i(wr_data_i),
    .be_i(wr_be_i),
    .fill_i(wr_fill_i),
    .pad_i(wr_pad_i),
    .wdata_o(wdata),
    .wbe_o(be)
  );
`ifndef SYNTHESIS
  logic [8*Bytes-1:0] old;
`endif
  tsr_ram #(
    .Depth(tsr_pkg::WgtDepth),
    .Bytes(Bytes),
    .AddrBits(tsr_pkg::WgtIdxBits)
  ) u_ram (
    .clk_i,
    .we_i(wr_valid_i),
    .waddr_i(wr_tile_i),
    .be_i(be),
    .wdata_i(wdata),
    .re_i(rd_en_i),
    .raddr_i(rd_addr_i),
    .rdata_o(rd_data_o)
`ifndef SYNTHESIS
    ,
    .old_o(old)
`endif
  );
`ifdef SYNTHESIS
  assign digest_o = '0;
  logic unused;
  assign unused = ^{rst_ni, trace_en_i};
`else
  tsr_digest #(
    .Bytes(Bytes),
    .Space(8'd2)
  ) u_digest (
    .clk_i,
    .rst_ni,
    .en_i(trace_en_i),
    .valid_i(wr_valid_i),
    .addr_i(32'(wr_tile_i) * 32'(Bytes)),
    .be_i(be),
    .old_i(old),
    .new_i(wdata),
    .delta_o(digest_o)
  );
`endif
endmodule
