// SPDX-License-Identifier: Apache-2.0
//
// tsr_out_mem: OUT, four banks by the high bits of the tile index, each with one read and one write a cycle.
//
//   Read    VECTOR always; STORE when VECTOR does not read that bank. Data in the next cycle, and only then
//   Write   VECTOR always; LOAD when VECTOR does not write that bank
//
// Invariant: a read does not see a write of the same cycle, and sees all before.
`include "tsr_assert.svh"

module tsr_out_mem (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              trace_en_i,
  input  logic                              vec_rd_en_i,
  input  logic [tsr_pkg::OutIdxBits-1:0]    vec_rd_addr_i,
  output logic [8*tsr_pkg::OutTileBytes-1:0] vec_rd_data_o,
  input  logic                              vec_wr_en_i,
  input  logic [tsr_pkg::OutIdxBits-1:0]    vec_wr_addr_i,
  input  logic [8*tsr_pkg::OutTileBytes-1:0] vec_wr_data_i,
  output logic [63:0]                       vec_wr_digest_o,
  input  logic                              ld_wr_valid_i,
  output logic                              ld_wr_ready_o,
  input  logic [tsr_pkg::OutIdxBits-1:0]    ld_wr_addr_i,
  input  logic [15:0]                       ld_wr_off_i,
  input  logic [8*tsr_pkg::BusBytes-1:0]    ld_wr_data_i,
  input  logic [tsr_pkg::BusBytes-1:0]      ld_wr_be_i,
  input  logic                              ld_wr_fill_i,
  input  logic [31:0]                       ld_wr_pad_i,
  output logic [63:0]                       ld_wr_digest_o,
  input  logic                              st_rd_valid_i,
  output logic                              st_rd_ready_o,
  input  logic [tsr_pkg::OutIdxBits-1:0]    st_rd_addr_i,
  output logic [8*tsr_pkg::OutTileBytes-1:0] st_rd_data_o
);
  localparam int Bytes = tsr_pkg::OutTileBytes;
  localparam int Bits = 8 * Bytes;
  localparam int Addr = tsr_pkg::OutIdxBits;
  localparam int Row = Addr - 2;

  logic [1:0] vr, vw, lw, sr;  // banks
  assign vr = vec_rd_addr_i[Addr-1-:2];
  assign vw = vec_wr_addr_i[Addr-1-:2];
  assign lw = ld_wr_addr_i[Addr-1-:2];
  assign sr = st_rd_addr_i[Addr-1-:2];
  assign st_rd_ready_o = !(vec_rd_en_i && vr == sr);
  assign ld_wr_ready_o = !(vec_wr_en_i && vw == lw);

  logic [Bits-1:0] ld_data;
  logic [Bytes-1:0] ld_be;
  tsr_chunk #(.TileBytes(Bytes), .ChunkBytes(tsr_pkg::BusBytes)) u_chunk (
    .off_i(ld_wr_off_i), .data_i(ld_wr_data_i), .be_i(ld_wr_be_i), .fill_i(ld_wr_fill_i), .pad_i(ld_wr_pad_i),
    .wdata_o(ld_data), .wbe_o(ld_be)
  );

  logic [4*Bits-1:0] rdata, old;  // of each bank
  for (genvar b = 0; b < 4; b++) begin : g_bank
    logic vec_r, st_r, vec_w, ld_w;
    assign vec_r = vec_rd_en_i && vr == 2'(b);
    assign st_r = st_rd_valid_i && sr == 2'(b);
    assign vec_w = vec_wr_en_i && vw == 2'(b);
    assign ld_w = ld_wr_valid_i && lw == 2'(b);
    tsr_ram #(.Depth(tsr_pkg::OutDepth / 4), .Bytes(Bytes), .AddrBits(Row)) u_ram (
      .clk_i,
      .we_i(vec_w || ld_w),
      .waddr_i(vec_w ? vec_wr_addr_i[Row-1:0] : ld_wr_addr_i[Row-1:0]),
      .be_i(vec_w ? {Bytes{1'b1}} : ld_be),
      .wdata_i(vec_w ? vec_wr_data_i : ld_data),
      .re_i(vec_r || st_r),
      .raddr_i(vec_r ? vec_rd_addr_i[Row-1:0] : st_rd_addr_i[Row-1:0]),
      .rdata_o(rdata[Bits*b+:Bits])
`ifndef SYNTHESIS
      ,
      .old_o(old[Bits*b+:Bits])
`endif
    );
`ifdef SYNTHESIS
    assign old[Bits*b+:Bits] = '0;
`endif
  end

  logic [1:0] vr_q, sr_q;
  always_ff @(posedge clk_i) begin
    vr_q <= vr;
    sr_q <= sr;
  end
  tsr_mux4 #(.Width(Bits)) u_vec_rd_data (.words_i(rdata), .sel_i(vr_q), .word_o(vec_rd_data_o));
  tsr_mux4 #(.Width(Bits)) u_st_rd_data (.words_i(rdata), .sel_i(sr_q), .word_o(st_rd_data_o));

  logic [31:0] vec_byte, ld_byte;
  assign vec_byte = 32'(vec_wr_addr_i) * Bytes;
  assign ld_byte = 32'(ld_wr_addr_i) * Bytes;
  // What the writes replace.
  logic [Bits-1:0] lw_old, vw_old;
  tsr_mux4 #(.Width(Bits)) u_lw_old (.words_i(old), .sel_i(lw), .word_o(lw_old));
  tsr_mux4 #(.Width(Bits)) u_vw_old (.words_i(old), .sel_i(vw), .word_o(vw_old));
  tsr_digest #(.Bytes(Bytes), .Space(8'd5)) u_vec_digest (
    .clk_i, .rst_ni, .en_i(trace_en_i), .valid_i(vec_wr_en_i), .addr_i(vec_byte), .be_i({Bytes{1'b1}}),
    .old_i(vw_old), .new_i(vec_wr_data_i), .delta_o(vec_wr_digest_o)
  );
  tsr_digest #(.Bytes(Bytes), .Space(8'd5)) u_ld_digest (
    .clk_i, .rst_ni, .en_i(trace_en_i), .valid_i(ld_wr_valid_i && ld_wr_ready_o), .addr_i(ld_byte),
    .be_i(ld_be), .old_i(lw_old), .new_i(ld_data), .delta_o(ld_wr_digest_o)
  );

  `TSR_ASSERT_STREAM(ld_wr, ld_wr_valid_i, ld_wr_ready_o, {ld_wr_addr_i, ld_wr_off_i, ld_wr_data_i, ld_wr_be_i})
endmodule
