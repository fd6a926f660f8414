// SPDX-License-Identifier: Apache-2.0
//
// tsr_acc_mem: ACC, four banks by the high bits of the tile index, each with one read and one write a cycle.
//
//   Read    GEMM always; VECTOR when GEMM does not read that bank; STORE (low bytes) when neither does.
//           Data in the next cycle; GEMM's and VECTOR's only in that cycle
//   Write   GEMM always; VECTOR when GEMM does not write that bank; LOAD when neither does
//
// Invariant: a read does not see a write of the same cycle, and sees all before.
`include "tsr_assert.svh"

module tsr_acc_mem (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              trace_en_i,
  input  logic                              gemm_rd_en_i,
  input  logic [tsr_pkg::AccIdxBits-1:0]    gemm_rd_addr_i,
  output logic [32*tsr_pkg::Lanes-1:0]      gemm_rd_data_o,
  input  logic                              gemm_wr_en_i,
  input  logic [tsr_pkg::AccIdxBits-1:0]    gemm_wr_addr_i,
  input  logic [32*tsr_pkg::Lanes-1:0]      gemm_wr_data_i,
  output logic [63:0]                       gemm_wr_digest_o,
  input  logic                              vec_rd_valid_i,
  output logic                              vec_rd_ready_o,
  input  logic [tsr_pkg::AccIdxBits-1:0]    vec_rd_addr_i,
  output logic [32*tsr_pkg::Lanes-1:0]      vec_rd_data_o,
  input  logic                              vec_wr_valid_i,
  output logic                              vec_wr_ready_o,
  input  logic [tsr_pkg::AccIdxBits-1:0]    vec_wr_addr_i,
  input  logic [32*tsr_pkg::Lanes-1:0]      vec_wr_data_i,
  output logic [63:0]                       vec_wr_digest_o,
  input  logic                              ld_wr_valid_i,
  output logic                              ld_wr_ready_o,
  input  logic [tsr_pkg::AccIdxBits-1:0]    ld_wr_addr_i,
  input  logic [15:0]                       ld_wr_off_i,
  input  logic [8*tsr_pkg::BusBytes-1:0]    ld_wr_data_i,
  input  logic [tsr_pkg::BusBytes-1:0]      ld_wr_be_i,
  input  logic                              ld_wr_fill_i,
  input  logic [31:0]                       ld_wr_pad_i,
  output logic [63:0]                       ld_wr_digest_o,
  input  logic                              st_rd_valid_i,
  output logic                              st_rd_ready_o,
  input  logic [tsr_pkg::AccIdxBits-1:0]    st_rd_addr_i,
  output logic [8*tsr_pkg::Lanes-1:0]       st_rd_data_o
);
  localparam int Bytes = tsr_pkg::AccTileBytes;
  localparam int Bits = 8 * Bytes;
  localparam int Addr = tsr_pkg::AccIdxBits;
  localparam int Row = Addr - 2;  // address bits in a bank

  logic [1:0] gr, gw, vr, vw, lw, sr;  // banks
  assign gr = gemm_rd_addr_i[Addr-1-:2];
  assign gw = gemm_wr_addr_i[Addr-1-:2];
  assign vr = vec_rd_addr_i[Addr-1-:2];
  assign vw = vec_wr_addr_i[Addr-1-:2];
  assign lw = ld_wr_addr_i[Addr-1-:2];
  assign sr = st_rd_addr_i[Addr-1-:2];

  assign vec_rd_ready_o = !(gemm_rd_en_i && gr == vr);
  assign st_rd_ready_o = !(gemm_rd_en_i && gr == sr) && !(vec_rd_valid_i && vr == sr);
  assign vec_wr_ready_o = !(gemm_wr_en_i && gw == vw);
  assign ld_wr_ready_o = !(gemm_wr_en_i && gw == lw) && !(vec_wr_valid_i && vw == lw);

  logic [Bits-1:0] ld_data;
  logic [Bytes-1:0] ld_be;
  tsr_chunk #(.TileBytes(Bytes), .ChunkBytes(tsr_pkg::BusBytes)) u_chunk (
    .off_i(ld_wr_off_i), .data_i(ld_wr_data_i), .be_i(ld_wr_be_i), .fill_i(ld_wr_fill_i), .pad_i(ld_wr_pad_i),
    .wdata_o(ld_data), .wbe_o(ld_be)
  );

  logic [4*Bits-1:0] rdata, old;  // of each bank
  for (genvar b = 0; b < 4; b++) begin : g_bank
    logic gemm_r, vec_r, st_r, gemm_w, vec_w, ld_w;
    assign gemm_r = gemm_rd_en_i && gr == 2'(b);
    assign vec_r = vec_rd_valid_i && vr == 2'(b);
    assign st_r = st_rd_valid_i && sr == 2'(b);
    assign gemm_w = gemm_wr_en_i && gw == 2'(b);
    assign vec_w = vec_wr_valid_i && vw == 2'(b);
    assign ld_w = ld_wr_valid_i && lw == 2'(b);
    tsr_ram #(.Depth(tsr_pkg::AccDepth / 4), .Bytes(Bytes), .AddrBits(Row)) u_ram (
      .clk_i,
      .we_i(gemm_w || vec_w || ld_w),
      .waddr_i(gemm_w ? gemm_wr_addr_i[Row-1:0] : vec_w ? vec_wr_addr_i[Row-1:0] : ld_wr_addr_i[Row-1:0]),
      .be_i(gemm_w || vec_w ? {Bytes{1'b1}} : ld_be),
      .wdata_i(gemm_w ? gemm_wr_data_i : vec_w ? vec_wr_data_i : ld_data),
      .re_i(gemm_r || vec_r || st_r),
      .raddr_i(gemm_r ? gemm_rd_addr_i[Row-1:0] : vec_r ? vec_rd_addr_i[Row-1:0] : st_rd_addr_i[Row-1:0]),
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

  logic [1:0] gr_q, vr_q, sr_q;
  always_ff @(posedge clk_i) begin
    gr_q <= gr;
    vr_q <= vr;
    sr_q <= sr;
  end
  tsr_mux4 #(.Width(Bits)) u_gemm_rd_data (.words_i(rdata), .sel_i(gr_q), .word_o(gemm_rd_data_o));
  tsr_mux4 #(.Width(Bits)) u_vec_rd_data (.words_i(rdata), .sel_i(vr_q), .word_o(vec_rd_data_o));
  logic [Bits-1:0] st_tile;
  tsr_mux4 #(.Width(Bits)) u_st_rd_data (.words_i(rdata), .sel_i(sr_q), .word_o(st_tile));
  logic unused;
  assign unused = ^st_tile;
  for (genvar l = 0; l < tsr_pkg::Lanes; l++) begin : g_low
    assign st_rd_data_o[8*l+:8] = st_tile[32*l+:8];
  end

  logic [31:0] gemm_byte, vec_byte, ld_byte;
  assign gemm_byte = 32'(gemm_wr_addr_i) * Bytes;
  assign vec_byte = 32'(vec_wr_addr_i) * Bytes;
  assign ld_byte = 32'(ld_wr_addr_i) * Bytes;
  // What the writes replace.
  logic [Bits-1:0] gw_old, lw_old, vw_old;
  tsr_mux4 #(.Width(Bits)) u_gw_old (.words_i(old), .sel_i(gw), .word_o(gw_old));
  tsr_mux4 #(.Width(Bits)) u_lw_old (.words_i(old), .sel_i(lw), .word_o(lw_old));
  tsr_mux4 #(.Width(Bits)) u_vw_old (.words_i(old), .sel_i(vw), .word_o(vw_old));
  tsr_digest #(.Bytes(Bytes), .Space(8'd4)) u_gemm_digest (
    .clk_i, .rst_ni, .en_i(trace_en_i), .valid_i(gemm_wr_en_i), .addr_i(gemm_byte), .be_i({Bytes{1'b1}}),
    .old_i(gw_old), .new_i(gemm_wr_data_i), .delta_o(gemm_wr_digest_o)
  );
  tsr_digest #(.Bytes(Bytes), .Space(8'd4)) u_vec_digest (
    .clk_i, .rst_ni, .en_i(trace_en_i), .valid_i(vec_wr_valid_i && vec_wr_ready_o), .addr_i(vec_byte),
    .be_i({Bytes{1'b1}}), .old_i(vw_old), .new_i(vec_wr_data_i), .delta_o(vec_wr_digest_o)
  );
  tsr_digest #(.Bytes(Bytes), .Space(8'd4)) u_ld_digest (
    .clk_i, .rst_ni, .en_i(trace_en_i), .valid_i(ld_wr_valid_i && ld_wr_ready_o), .addr_i(ld_byte),
    .be_i(ld_be), .old_i(lw_old), .new_i(ld_data), .delta_o(ld_wr_digest_o)
  );

  `TSR_ASSERT_STREAM(ld_wr, ld_wr_valid_i, ld_wr_ready_o, {ld_wr_addr_i, ld_wr_off_i, ld_wr_data_i, ld_wr_be_i})
  `TSR_ASSERT_STREAM(vec_wr, vec_wr_valid_i, vec_wr_ready_o, {vec_wr_addr_i, vec_wr_data_i})
endmodule
