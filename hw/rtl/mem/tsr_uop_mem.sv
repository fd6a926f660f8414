// SPDX-License-Identifier: Apache-2.0
//
// tsr_uop_mem: the micro-op scratchpad: 64-bit words, one micro-op each (two in profile vta).
//
//   Input   LOAD's chunks (hw/rtl/README.md); always ready
//   Input   a word read: data in the next cycle, kept until the next read
//   Output  digest_o: change of the write of the cycle before
module tsr_uop_mem (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           trace_en_i,
  input  logic                           wr_valid_i,
  input  logic [tsr_pkg::UopIdxBits-1:0] wr_tile_i,
  input  logic [63:0]                    wr_data_i,
  input  logic [7:0]                     wr_be_i,
  output logic [63:0]                    digest_o,
  input  logic                           rd_en_i,
  input  logic [tsr_pkg::UopIdxBits-1:0] rd_addr_i,
  output logic [63:0]                    rd_data_o
);
`ifndef SYNTHESIS
  logic [63:0] old;
`endif
  tsr_ram #(
    .Depth(tsr_pkg::UopDepth),
    .Bytes(8),
    .AddrBits(tsr_pkg::UopIdxBits)
  ) u_ram (
    .clk_i,
    .we_i(wr_valid_i),
    .waddr_i(wr_tile_i),
    .be_i(wr_be_i),
    .wdata_i(wr_data_i),
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
    .Bytes(8),
    .Space(8'd1)
  ) u_digest (
    .clk_i,
    .rst_ni,
    .en_i(trace_en_i),
    .valid_i(wr_valid_i),
    .addr_i(32'(wr_tile_i) * 32'd8),
    .be_i(wr_be_i),
    .old_i(old),
    .new_i(wr_data_i),
    .delta_o(digest_o)
  );
`endif
endmodule
