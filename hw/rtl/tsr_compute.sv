// SPDX-License-Identifier: Apache-2.0
//
// tsr_compute: GEMM, VECTOR and the memories between them: INP, ACC and OUT.
//
//   Input   commands of both units; LOAD's writes to INP, ACC and OUT; STORE's reads of OUT and ACC
//   Memory  reads UOP, WGT and PRM, which answer in the next cycle; TAB, which answers in the same
//
// All ports are described in hw/rtl/README.md.
`default_nettype none
`include "tsr_assert.svh"

module tsr_compute (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                vta_i,
  input  logic                                trace_en_i,
  // GEMM
  input  logic                                gemm_cmd_valid_i,
  output logic                                gemm_cmd_ready_o,
  input  logic [255:0]                        gemm_cmd_insn_i,
  input  logic [31:0]                         gemm_cmd_num_i,
  output logic                                gemm_retire_valid_o,
  input  logic                                gemm_retire_ready_i,
  output logic [63:0]                         gemm_retire_digest_o,
  output logic                                gemm_err_valid_o,
  output logic [3:0]                          gemm_err_code_o,
  output logic [31:0]                         gemm_err_num_o,
  output logic                                gemm_busy_o,
  output logic                                gemm_memwait_o,
  output logic                                gemm_hazard_o,
  // VECTOR
  input  logic                                vector_cmd_valid_i,
  output logic                                vector_cmd_ready_o,
  input  logic [255:0]                        vector_cmd_insn_i,
  input  logic [31:0]                         vector_cmd_num_i,
  output logic                                vector_retire_valid_o,
  input  logic                                vector_retire_ready_i,
  output logic [63:0]                         vector_retire_digest_o,
  output logic                                vector_err_valid_o,
  output logic [3:0]                          vector_err_code_o,
  output logic [31:0]                         vector_err_num_o,
  output logic                                vector_busy_o,
  output logic                                vector_memwait_o,
  output logic                                vector_hazard_o,
  // LOAD's writes; the memory is INP, ACC or OUT
  input  logic                                ld_wr_valid_i,
  output logic                                ld_wr_ready_o,
  input  logic [2:0]                          ld_wr_mem_i,
  input  logic [19:0]                         ld_wr_tile_i,
  input  logic [15:0]                         ld_wr_off_i,
  input  logic [8*tsr_pkg::BusBytes-1:0]      ld_wr_data_i,
  input  logic [tsr_pkg::BusBytes-1:0]        ld_wr_be_i,
  input  logic                                ld_wr_fill_i,
  input  logic [31:0]                         ld_wr_pad_i,
  output logic [63:0]                         ld_wr_digest_o,
  // UOP, WGT, PRM and TAB
  output logic                                uop_rd_en_o,
  output logic [tsr_pkg::UopIdxBits-1:0]      uop_rd_addr_o,
  input  logic [63:0]                         uop_rd_data_i,
  output logic                                wgt_rd_en_o,
  output logic [tsr_pkg::WgtIdxBits-1:0]      wgt_rd_addr_o,
  input  logic [8*tsr_pkg::WgtTileBytes-1:0]  wgt_rd_data_i,
  output logic                                prm_rd_en_o,
  output logic [tsr_pkg::PrmIdxBits-1:0]      prm_rd_addr_o,
  input  logic [8*tsr_pkg::PrmBytes-1:0]      prm_rd_data_i,
  output logic [8*tsr_pkg::Lanes-1:0]         tab_index_o,
  input  logic [8*tsr_pkg::Lanes-1:0]         tab_byte_i,
  // STORE's reads; answered in the next cycle
  input  logic                                st_rd_valid_i,
  output logic                                st_rd_ready_o,
  input  logic [19:0]                         st_rd_addr_i,
  input  logic                                st_rd_acc_i,
  output logic                                st_rd_data_valid_o,
  output logic [8*tsr_pkg::OutTileBytes-1:0]  st_rd_data_o
);
  localparam int Lanes = tsr_pkg::Lanes;
  localparam int InpBits = 8 * tsr_pkg::InpTileBytes;
  localparam int OutBits = 8 * tsr_pkg::OutTileBytes;

  // UOP has one read port: in profile vta only one of the two units runs at a time, in tessera only GEMM has micro-ops.
  logic gemm_uop_en, vector_uop_en;
  logic [tsr_pkg::UopIdxBits-1:0] gemm_uop_addr, vector_uop_addr;
  assign uop_rd_en_o = gemm_uop_en || vector_uop_en;
  assign uop_rd_addr_o = gemm_uop_en ? gemm_uop_addr : vector_uop_addr;

  logic inp_a_en, inp_b_en, ga_en, gw_en;
  logic [tsr_pkg::InpIdxBits-1:0] inp_a_addr, inp_b_addr;
  logic [InpBits-1:0] inp_a_data, inp_b_data;
  logic [tsr_pkg::AccIdxBits-1:0] ga_addr, gw_addr;
  logic [32*Lanes-1:0] ga_data, gw_data;
  logic [63:0] gw_digest;
  tsr_gemm u_gemm (
    .clk_i, .rst_ni, .vta_i,
    .cmd_valid_i(gemm_cmd_valid_i), .cmd_ready_o(gemm_cmd_ready_o),
    .cmd_insn_i(gemm_cmd_insn_i), .cmd_num_i(gemm_cmd_num_i),
    .retire_valid_o(gemm_retire_valid_o), .retire_ready_i(gemm_retire_ready_i),
    .retire_digest_o(gemm_retire_digest_o),
    .err_valid_o(gemm_err_valid_o), .err_code_o(gemm_err_code_o), .err_num_o(gemm_err_num_o),
    .busy_o(gemm_busy_o), .memwait_o(gemm_memwait_o), .hazard_o(gemm_hazard_o),
    .uop_rd_en_o(gemm_uop_en), .uop_rd_addr_o(gemm_uop_addr), .uop_rd_data_i,
    .wgt_rd_en_o, .wgt_rd_addr_o, .wgt_rd_data_i,
    .inp_rd_a_en_o(inp_a_en), .inp_rd_a_addr_o(inp_a_addr), .inp_rd_a_data_i(inp_a_data),
    .inp_rd_b_en_o(inp_b_en), .inp_rd_b_addr_o(inp_b_addr), .inp_rd_b_data_i(inp_b_data),
    .acc_rd_en_o(ga_en), .acc_rd_addr_o(ga_addr), .acc_rd_data_i(ga_data),
    .acc_wr_en_o(gw_en), .acc_wr_addr_o(gw_addr), .acc_wr_data_o(gw_data), .acc_wr_digest_i(gw_digest)
  );

  logic va_valid, va_ready, vw_valid, vw_ready, vo_en, vi_valid, vi_ready, vow_en, viw_en;
  logic [tsr_pkg::AccIdxBits-1:0] va_addr, vw_addr;
  logic [32*Lanes-1:0] va_data, vw_data;
  logic [tsr_pkg::OutIdxBits-1:0] vo_addr, vow_addr;
  logic [OutBits-1:0] vo_data, vow_data;
  logic [tsr_pkg::InpIdxBits-1:0] vi_addr, viw_addr;
  logic [InpBits-1:0] vi_data, viw_data;
  logic [63:0] vw_digest, vow_digest, viw_digest;
  tsr_vector u_vector (
    .clk_i, .rst_ni, .vta_i,
    .cmd_valid_i(vector_cmd_valid_i), .cmd_ready_o(vector_cmd_ready_o),
    .cmd_insn_i(vector_cmd_insn_i), .cmd_num_i(vector_cmd_num_i),
    .retire_valid_o(vector_retire_valid_o), .retire_ready_i(vector_retire_ready_i),
    .retire_digest_o(vector_retire_digest_o),
    .err_valid_o(vector_err_valid_o), .err_code_o(vector_err_code_o), .err_num_o(vector_err_num_o),
    .busy_o(vector_busy_o), .memwait_o(vector_memwait_o), .hazard_o(vector_hazard_o),
    .uop_rd_en_o(vector_uop_en), .uop_rd_addr_o(vector_uop_addr), .uop_rd_data_i,
    .prm_rd_en_o, .prm_rd_addr_o, .prm_rd_data_i, .tab_index_o, .tab_byte_i,
    .acc_rd_valid_o(va_valid), .acc_rd_ready_i(va_ready), .acc_rd_addr_o(va_addr), .acc_rd_data_i(va_data),
    .out_rd_en_o(vo_en), .out_rd_addr_o(vo_addr), .out_rd_data_i(vo_data),
    .inp_rd_valid_o(vi_valid), .inp_rd_ready_i(vi_ready), .inp_rd_addr_o(vi_addr), .inp_rd_data_i(vi_data),
    .acc_wr_valid_o(vw_valid), .acc_wr_ready_i(vw_ready), .acc_wr_addr_o(vw_addr), .acc_wr_data_o(vw_data),
    .out_wr_en_o(vow_en), .out_wr_addr_o(vow_addr), .out_wr_data_o(vow_data),
    .inp_wr_en_o(viw_en), .inp_wr_addr_o(viw_addr), .inp_wr_data_o(viw_data),
    .acc_wr_digest_i(vw_digest), .out_wr_digest_i(vow_digest), .inp_wr_digest_i(viw_digest)
  );

  logic to_inp, to_acc, to_out, inp_ready, acc_ready, out_ready;
  logic [63:0] inp_digest, acc_digest, out_digest;
  assign to_inp = ld_wr_mem_i == tsr_pkg::MEM_INP;
  assign to_acc = ld_wr_mem_i == tsr_pkg::MEM_ACC;
  assign to_out = ld_wr_mem_i == tsr_pkg::MEM_OUT;
  assign ld_wr_ready_o = to_inp ? inp_ready : to_acc ? acc_ready : out_ready;
  assign ld_wr_digest_o = inp_digest + acc_digest + out_digest;

  // GEMM reads up to two INP tiles in a cycle, from different banks, and never waits for them.
  logic [1:0] inp_pair_ready;
  logic unused_inp_wr_ready;
  tsr_banked_mem #(
    .Depth(tsr_pkg::InpDepth), .Bytes(tsr_pkg::InpTileBytes), .AddrBits(tsr_pkg::InpIdxBits),
    .Banks(tsr_pkg::InpBanks), .BankHigh(1'b0), .Readers(3), .Writers(1), .Space(8'd3)
  ) u_inp (
    .clk_i, .rst_ni, .trace_en_i,
    .rd_valid_i({vi_valid, inp_b_en, inp_a_en}), .rd_ready_o({vi_ready, inp_pair_ready}),
    .rd_addr_i({vi_addr, inp_b_addr, inp_a_addr}), .rd_data_o({vi_data, inp_b_data, inp_a_data}),
    .wr_valid_i(viw_en), .wr_ready_o(unused_inp_wr_ready), .wr_addr_i(viw_addr), .wr_data_i(viw_data),
    .wr_digest_o(viw_digest),
    .ld_wr_valid_i(ld_wr_valid_i && to_inp), .ld_wr_ready_o(inp_ready),
    .ld_wr_addr_i(ld_wr_tile_i[tsr_pkg::InpIdxBits-1:0]), .ld_wr_off_i, .ld_wr_data_i, .ld_wr_be_i, .ld_wr_fill_i,
    .ld_wr_pad_i, .ld_wr_digest_o(inp_digest)
  );

  // STORE reads the low bytes of ACC.
  logic st_acc_ready, st_out_ready, st_acc_q, st_valid_q;
  logic [32*Lanes-1:0] st_acc_tile;
  logic [8*Lanes-1:0] st_acc_data;
  logic unused_acc_ready, unused_acc_wr_ready;
  tsr_banked_mem #(
    .Depth(tsr_pkg::AccDepth), .Bytes(tsr_pkg::AccTileBytes), .AddrBits(tsr_pkg::AccIdxBits),
    .Banks(tsr_pkg::AccBanks), .BankHigh(1'b1), .Readers(3), .Writers(2), .Space(8'd4)
  ) u_acc (
    .clk_i, .rst_ni, .trace_en_i,
    .rd_valid_i({st_rd_valid_i && st_rd_acc_i, va_valid, ga_en}),
    .rd_ready_o({st_acc_ready, va_ready, unused_acc_ready}),
    .rd_addr_i({st_rd_addr_i[tsr_pkg::AccIdxBits-1:0], va_addr, ga_addr}), .rd_data_o({st_acc_tile, va_data, ga_data}),
    .wr_valid_i({vw_valid, gw_en}), .wr_ready_o({vw_ready, unused_acc_wr_ready}), .wr_addr_i({vw_addr, gw_addr}),
    .wr_data_i({vw_data, gw_data}), .wr_digest_o({vw_digest, gw_digest}),
    .ld_wr_valid_i(ld_wr_valid_i && to_acc), .ld_wr_ready_o(acc_ready),
    .ld_wr_addr_i(ld_wr_tile_i[tsr_pkg::AccIdxBits-1:0]), .ld_wr_off_i, .ld_wr_data_i, .ld_wr_be_i, .ld_wr_fill_i,
    .ld_wr_pad_i, .ld_wr_digest_o(acc_digest)
  );
  for (genvar l = 0; l < Lanes; l++) begin : g_low
    assign st_acc_data[8*l+:8] = st_acc_tile[32*l+:8];
  end

  logic [OutBits-1:0] st_out_data;
  logic unused_out_ready, unused_out_wr_ready;
  tsr_banked_mem #(
    .Depth(tsr_pkg::OutDepth), .Bytes(tsr_pkg::OutTileBytes), .AddrBits(tsr_pkg::OutIdxBits),
    .Banks(tsr_pkg::OutBanks), .BankHigh(1'b1), .Readers(2), .Writers(1), .Space(8'd5)
  ) u_out (
    .clk_i, .rst_ni, .trace_en_i,
    .rd_valid_i({st_rd_valid_i && !st_rd_acc_i, vo_en}), .rd_ready_o({st_out_ready, unused_out_ready}),
    .rd_addr_i({st_rd_addr_i[tsr_pkg::OutIdxBits-1:0], vo_addr}), .rd_data_o({st_out_data, vo_data}),
    .wr_valid_i(vow_en), .wr_ready_o(unused_out_wr_ready), .wr_addr_i(vow_addr), .wr_data_i(vow_data),
    .wr_digest_o(vow_digest),
    .ld_wr_valid_i(ld_wr_valid_i && to_out), .ld_wr_ready_o(out_ready),
    .ld_wr_addr_i(ld_wr_tile_i[tsr_pkg::OutIdxBits-1:0]), .ld_wr_off_i, .ld_wr_data_i, .ld_wr_be_i, .ld_wr_fill_i,
    .ld_wr_pad_i, .ld_wr_digest_o(out_digest)
  );
  assign st_rd_ready_o = st_rd_acc_i ? st_acc_ready : st_out_ready;
  always_ff @(posedge clk_i) begin
    st_valid_q <= rst_ni && st_rd_valid_i && st_rd_ready_o;
    st_acc_q <= st_rd_acc_i;
  end
  assign st_rd_data_valid_o = st_valid_q;
  assign st_rd_data_o = st_acc_q ? st_acc_data : st_out_data;

  logic unused;
  assign unused = ^{ld_wr_tile_i, st_rd_addr_i, st_acc_tile, inp_pair_ready, unused_inp_wr_ready, unused_acc_ready,
                    unused_acc_wr_ready, unused_out_ready, unused_out_wr_ready};
  `TSR_ASSERT(one_reads_uop, !(gemm_uop_en && vector_uop_en))
  `TSR_ASSERT_IF(inp_pair_is_served, inp_b_en, inp_pair_ready == '1)
  `TSR_ASSERT_IF(load_memories, ld_wr_valid_i, to_inp || to_acc || to_out)
endmodule
`default_nettype wire
