// SPDX-License-Identifier: Apache-2.0
//
// tsr_inp_mem: INP, four banks by the low bits of the tile index, each with one read and one write a cycle.
//
//   Read    GEMM's a and b always (never one bank in one cycle); VECTOR when GEMM does not read that bank.
//           Data in the next cycle, and only then
//   Write   VECTOR always; LOAD when VECTOR does not write that bank
//
// Invariant: a read does not see a write of the same cycle, and sees all before.
`include "tsr_assert.svh"

module tsr_inp_mem (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              trace_en_i,
  input  logic                              gemm_a_en_i,
  input  logic [tsr_pkg::InpIdxBits-1:0]    gemm_a_addr_i,
  output logic [8*tsr_pkg::InpTileBytes-1:0] gemm_a_data_o,
  input  logic                              gemm_b_en_i,
  input  logic [tsr_pkg::InpIdxBits-1:0]    gemm_b_addr_i,
  output logic [8*tsr_pkg::InpTileBytes-1:0] gemm_b_data_o,
  input  logic                              vec_rd_valid_i,
  output logic                              vec_rd_ready_o,
  input  logic [tsr_pkg::InpIdxBits-1:0]    vec_rd_addr_i,
  output logic [8*tsr_pkg::InpTileBytes-1:0] vec_rd_data_o,
  input  logic                              vec_wr_en_i,
  input  logic [tsr_pkg::InpIdxBits-1:0]    vec_wr_addr_i,
  input  logic [8*tsr_pkg::InpTileBytes-1:0] vec_wr_data_i,
  output logic [63:0]                       vec_wr_digest_o,
  input  logic                              ld_wr_valid_i,
  output logic                              ld_wr_ready_o,
  input  logic [tsr_pkg::InpIdxBits-1:0]    ld_wr_addr_i,
  input  logic [15:0]                       ld_wr_off_i,
  input  logic [8*tsr_pkg::BusBytes-1:0]    ld_wr_data_i,
  input  logic [tsr_pkg::BusBytes-1:0]      ld_wr_be_i,
  input  logic                              ld_wr_fill_i,
  input  logic [31:0]                       ld_wr_pad_i,
  output logic [63:0]                       ld_wr_digest_o
);
  localparam int Bytes = tsr_pkg::InpTileBytes;
  localparam int Bits = 8 * Bytes;
  localparam int Addr = tsr_pkg::InpIdxBits;
  localparam int Row = Addr - 2;

  logic [1:0] ga, gb, vr, vw, lw;  // banks
  assign ga = gemm_a_addr_i[1:0];
  assign gb = gemm_b_addr_i[1:0];
  assign vr = vec_rd_addr_i[1:0];
  assign vw = vec_wr_addr_i[1:0];
  assign lw = ld_wr_addr_i[1:0];
  assign vec_rd_ready_o = !(gemm_a_en_i && ga == vr) && !(gemm_b_en_i && gb == vr);
  assign ld_wr_ready_o = !(vec_wr_en_i && vw == lw);

  logic [Bits-1:0] ld_data;
  logic [Bytes-1:0] ld_be;
  tsr_chunk #(.TileBytes(Bytes), .ChunkBytes(tsr_pkg::BusBytes)) u_chunk (
    .off_i(ld_wr_off_i), .data_i(ld_wr_data_i), .be_i(ld_wr_be_i), .fill_i(ld_wr_fill_i), .pad_i(ld_wr_pad_i),
    .wdata_o(ld_data), .wbe_o(ld_be)
  );

  logic [4*Bits-1:0] rdata, old;  // of each bank
  for (genvar b = 0; b < 4; b++) begin : g_bank
    logic gemm_a, gemm_b, vec_r, vec_w, ld_w;
    assign gemm_a = gemm_a_en_i && ga == 2'(b);
    assign gemm_b = gemm_b_en_i && gb == 2'(b);
    assign vec_r = vec_rd_valid_i && vr == 2'(b);
    assign vec_w = vec_wr_en_i && vw == 2'(b);
    assign ld_w = ld_wr_valid_i && lw == 2'(b);
    tsr_ram #(.Depth(tsr_pkg::InpDepth / 4), .Bytes(Bytes), .AddrBits(Row)) u_ram (
      .clk_i,
      .we_i(vec_w || ld_w),
      .waddr_i(vec_w ? vec_wr_addr_i[Addr-1:2] : ld_wr_addr_i[Addr-1:2]),
      .be_i(vec_w ? {Bytes{1'b1}} : ld_be),
      .wdata_i(vec_w ? vec_wr_data_i : ld_data),
      .re_i(gemm_a || gemm_b || vec_r),
      .raddr_i(gemm_a ? gemm_a_addr_i[Addr-1:2] : gemm_b ? gemm_b_addr_i[Addr-1:2] : vec_rd_addr_i[Addr-1:2]),
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

  logic [1:0] ga_q, gb_q, vr_q;
  always_ff @(posedge clk_i) begin
    ga_q <= ga;
    gb_q <= gb;
    vr_q <= vr;
  end
  tsr_mux4 #(.Width(Bits)) u_gemm_a_data (.words_i(rdata), .sel_i(ga_q), .word_o(gemm_a_data_o));
  tsr_mux4 #(.Width(Bits)) u_gemm_b_data (.words_i(rdata), .sel_i(gb_q), .word_o(gemm_b_data_o));
  tsr_mux4 #(.Width(Bits)) u_vec_rd_data (.words_i(rdata), .sel_i(vr_q), .word_o(vec_rd_data_o));

  logic [31:0] vec_byte, ld_byte;
  assign vec_byte = 32'(vec_wr_addr_i) * Bytes;
  assign ld_byte = 32'(ld_wr_addr_i) * Bytes;
  // What the writes replace.
  logic [Bits-1:0] lw_old, vw_old;
  tsr_mux4 #(.Width(Bits)) u_lw_old (.words_i(old), .sel_i(lw), .word_o(lw_old));
  tsr_mux4 #(.Width(Bits)) u_vw_old (.words_i(old), .sel_i(vw), .word_o(vw_old));
  tsr_digest #(.Bytes(Bytes), .Space(8'd3)) u_vec_digest (
    .clk_i, .rst_ni, .en_i(trace_en_i), .valid_i(vec_wr_en_i), .addr_i(vec_byte), .be_i({Bytes{1'b1}}),
    .old_i(vw_old), .new_i(vec_wr_data_i), .delta_o(vec_wr_digest_o)
  );
  tsr_digest #(.Bytes(Bytes), .Space(8'd3)) u_ld_digest (
    .clk_i, .rst_ni, .en_i(trace_en_i), .valid_i(ld_wr_valid_i && ld_wr_ready_o), .addr_i(ld_byte),
    .be_i(ld_be), .old_i(lw_old), .new_i(ld_data), .delta_o(ld_wr_digest_o)
  );

  `TSR_ASSERT_STREAM(ld_wr, ld_wr_valid_i, ld_wr_ready_o, {ld_wr_addr_i, ld_wr_off_i, ld_wr_data_i, ld_wr_be_i})
  `TSR_ASSERT(two_banks, gemm_a_en_i && gemm_b_en_i |-> ga != gb)
endmodule
