// SPDX-License-Identifier: Apache-2.0
//
// tsr_units: the four units and the scratchpads between them.
//
//   Input   commands by unit (enum Unit), in queue order
//   Output  retirements, errors and activity by unit
//   Output  LOAD's read requests, STORE's write requests and words
//
// Invariant: units share only scratchpads; tsr_issue orders their accesses by tokens.
`default_nettype none
`include "tsr_assert.svh"

module tsr_units #(
  parameter int MaxBurst = 16
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         vta_i,
  input  logic                         trace_en_i,
  // by unit
  input  logic [3:0]                   cmd_valid_i,
  output logic [3:0]                   cmd_ready_o,
  input  tsr_dma_pkg::commands_t       cmd_i,
  input  logic [4*32-1:0]              cmd_num_i,
  output logic [3:0]                   retire_o,
  output logic [4*64-1:0]              digest_o,
  output logic [3:0]                   err_valid_o,
  output logic [4*4-1:0]               err_code_o,
  output logic [4*32-1:0]              err_num_o,
  output logic [3:0]                   busy_o,
  output logic [3:0]                   memory_o,
  output logic [3:0]                   hazard_o,
  // LOAD's reads
  output logic                         ar_valid_o,
  input  logic                         ar_ready_i,
  output logic [39:0]                  ar_addr_o,
  output logic [7:0]                   ar_len_o,
  input  logic                         r_valid_i,
  output logic                         r_ready_o,
  input  logic [tsr_pkg::BusBits-1:0]  r_data_i,
  input  logic                         r_err_i,
  input  logic                         r_last_i,
  // STORE's writes
  output logic                         aw_valid_o,
  input  logic                         aw_ready_i,
  output logic [39:0]                  aw_addr_o,
  output logic [7:0]                   aw_len_o,
  output logic [31:0]                  aw_num_o,
  output logic                         w_valid_o,
  input  logic                         w_ready_i,
  output logic [tsr_pkg::BusBits-1:0]  w_data_o,
  output logic [tsr_pkg::BusBytes-1:0] w_strb_o,
  input  logic                         b_valid_i,
  input  logic                         b_err_i
);
  localparam int Load = 32'(tsr_pkg::UNIT_LOAD);
  localparam int Gemm = 32'(tsr_pkg::UNIT_GEMM);
  localparam int Vector = 32'(tsr_pkg::UNIT_VECTOR);
  localparam int Store = 32'(tsr_pkg::UNIT_STORE);

  // LOAD.
  logic ld_wr_valid, ld_wr_ready, ld_wr_fill;
  logic [2:0] ld_wr_mem;
  logic [19:0] ld_wr_tile;
  logic [15:0] ld_wr_off;
  logic [tsr_pkg::BusBits-1:0] ld_wr_data;
  logic [tsr_pkg::BusBytes-1:0] ld_wr_be;
  logic [31:0] ld_wr_pad;
  logic [63:0] ld_wr_digest;
  logic uop_rd_en, wgt_rd_en, prm_rd_en;
  logic [tsr_pkg::UopIdxBits-1:0] uop_rd_addr;
  logic [tsr_pkg::WgtIdxBits-1:0] wgt_rd_addr;
  logic [tsr_pkg::PrmIdxBits-1:0] prm_rd_addr;
  logic [63:0] uop_rd_data;
  logic [8*tsr_pkg::WgtTileBytes-1:0] wgt_rd_data;
  logic [8*tsr_pkg::PrmBytes-1:0] prm_rd_data;
  logic [8*tsr_pkg::Lanes-1:0] tab_index, tab_byte;
  tsr_load_path #(
    .MaxBurst(MaxBurst)
  ) u_load (
    .clk_i,
    .rst_ni,
    .vta_i,
    .trace_en_i,
    .cmd_valid_i(cmd_valid_i[Load]),
    .cmd_ready_o(cmd_ready_o[Load]),
    .cmd_i(cmd_i.to_load),
    .cmd_num_i(cmd_num_i[32*Load+:32]),
    .retire_valid_o(retire_o[Load]),
    .retire_digest_o(digest_o[64*Load+:64]),
    .err_valid_o(err_valid_o[Load]),
    .err_code_o(err_code_o[4*Load+:4]),
    .err_num_o(err_num_o[32*Load+:32]),
    .busy_o(busy_o[Load]),
    .memwait_o(memory_o[Load]),
    .hazard_o(hazard_o[Load]),
    .ar_valid_o,
    .ar_ready_i,
    .ar_addr_o,
    .ar_len_o,
    .r_valid_i,
    .r_ready_o,
    .r_data_i,
    .r_err_i,
    .r_last_i,
    .ld_wr_valid_o(ld_wr_valid),
    .ld_wr_ready_i(ld_wr_ready),
    .ld_wr_mem_o(ld_wr_mem),
    .ld_wr_tile_o(ld_wr_tile),
    .ld_wr_off_o(ld_wr_off),
    .ld_wr_data_o(ld_wr_data),
    .ld_wr_be_o(ld_wr_be),
    .ld_wr_fill_o(ld_wr_fill),
    .ld_wr_pad_o(ld_wr_pad),
    .ld_wr_digest_i(ld_wr_digest),
    .uop_rd_en_i(uop_rd_en),
    .uop_rd_addr_i(uop_rd_addr),
    .uop_rd_data_o(uop_rd_data),
    .wgt_rd_en_i(wgt_rd_en),
    .wgt_rd_addr_i(wgt_rd_addr),
    .wgt_rd_data_o(wgt_rd_data),
    .prm_rd_en_i(prm_rd_en),
    .prm_rd_addr_i(prm_rd_addr),
    .prm_rd_data_o(prm_rd_data),
    .tab_index_i(tab_index),
    .tab_byte_o(tab_byte)
  );
  // GEMM, VECTOR and their memories.
  logic st_rd_valid, st_rd_ready, st_rd_acc, st_rd_data_valid;
  logic [19:0] st_rd_addr;
  logic [8*tsr_pkg::OutTileBytes-1:0] st_rd_data;
  tsr_compute u_compute (
    .clk_i,
    .rst_ni,
    .vta_i,
    .trace_en_i,
    .gemm_cmd_valid_i(cmd_valid_i[Gemm]),
    .gemm_cmd_ready_o(cmd_ready_o[Gemm]),
    .gemm_cmd_insn_i(cmd_i.to_gemm),
    .gemm_cmd_num_i(cmd_num_i[32*Gemm+:32]),
    .gemm_retire_valid_o(retire_o[Gemm]),
    .gemm_retire_ready_i(1'b1),
    .gemm_retire_digest_o(digest_o[64*Gemm+:64]),
    .gemm_err_valid_o(err_valid_o[Gemm]),
    .gemm_err_code_o(err_code_o[4*Gemm+:4]),
    .gemm_err_num_o(err_num_o[32*Gemm+:32]),
    .gemm_busy_o(busy_o[Gemm]),
    .gemm_memwait_o(memory_o[Gemm]),
    .gemm_hazard_o(hazard_o[Gemm]),
    .vector_cmd_valid_i(cmd_valid_i[Vector]),
    .vector_cmd_ready_o(cmd_ready_o[Vector]),
    .vector_cmd_insn_i(cmd_i.to_vector),
    .vector_cmd_num_i(cmd_num_i[32*Vector+:32]),
    .vector_retire_valid_o(retire_o[Vector]),
    .vector_retire_ready_i(1'b1),
    .vector_retire_digest_o(digest_o[64*Vector+:64]),
    .vector_err_valid_o(err_valid_o[Vector]),
    .vector_err_code_o(err_code_o[4*Vector+:4]),
    .vector_err_num_o(err_num_o[32*Vector+:32]),
    .vector_busy_o(busy_o[Vector]),
    .vector_memwait_o(memory_o[Vector]),
    .vector_hazard_o(hazard_o[Vector]),
    .ld_wr_valid_i(ld_wr_valid),
    .ld_wr_ready_o(ld_wr_ready),
    .ld_wr_mem_i(ld_wr_mem),
    .ld_wr_tile_i(ld_wr_tile),
    .ld_wr_off_i(ld_wr_off),
    .ld_wr_data_i(ld_wr_data),
    .ld_wr_be_i(ld_wr_be),
    .ld_wr_fill_i(ld_wr_fill),
    .ld_wr_pad_i(ld_wr_pad),
    .ld_wr_digest_o(ld_wr_digest),
    .uop_rd_en_o(uop_rd_en),
    .uop_rd_addr_o(uop_rd_addr),
    .uop_rd_data_i(uop_rd_data),
    .wgt_rd_en_o(wgt_rd_en),
    .wgt_rd_addr_o(wgt_rd_addr),
    .wgt_rd_data_i(wgt_rd_data),
    .prm_rd_en_o(prm_rd_en),
    .prm_rd_addr_o(prm_rd_addr),
    .prm_rd_data_i(prm_rd_data),
    .tab_index_o(tab_index),
    .tab_byte_i(tab_byte),
    .st_rd_valid_i(st_rd_valid),
    .st_rd_ready_o(st_rd_ready),
    .st_rd_addr_i(st_rd_addr),
    .st_rd_acc_i(st_rd_acc),
    .st_rd_data_valid_o(st_rd_data_valid),
    .st_rd_data_o(st_rd_data)
  );

  // STORE.
  tsr_store #(
    .MaxBurst(MaxBurst),
    .MaxBursts(16)
  ) u_store (
    .clk_i,
    .rst_ni,
    .vta_i,
    .cmd_valid_i(cmd_valid_i[Store]),
    .cmd_ready_o(cmd_ready_o[Store]),
    .cmd_i(cmd_i.to_store),
    .cmd_num_i(cmd_num_i[32*Store+:32]),
    .retire_valid_o(retire_o[Store]),
    .retire_ready_i(1'b1),
    .retire_digest_o(digest_o[64*Store+:64]),
    .err_valid_o(err_valid_o[Store]),
    .err_code_o(err_code_o[4*Store+:4]),
    .err_num_o(err_num_o[32*Store+:32]),
    .busy_o(busy_o[Store]),
    .memwait_o(memory_o[Store]),
    .hazard_o(hazard_o[Store]),
    .st_rd_valid_o(st_rd_valid),
    .st_rd_ready_i(st_rd_ready),
    .st_rd_addr_o(st_rd_addr),
    .st_rd_acc_o(st_rd_acc),
    .st_rd_data_valid_i(st_rd_data_valid),
    .st_rd_data_i(st_rd_data),
    .aw_valid_o,
    .aw_ready_i,
    .aw_addr_o,
    .aw_len_o,
    .aw_num_o,
    .w_valid_o,
    .w_ready_i,
    .w_data_o,
    .w_strb_o,
    .b_valid_i,
    .b_err_i
  );
endmodule
`default_nettype wire
