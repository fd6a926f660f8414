// SPDX-License-Identifier: Apache-2.0
//
// tsr_load_path: the LOAD unit with the scratchpads that only LOAD writes: UOP, WGT, PRM and TAB.
//
//   Input   LOAD's commands; beats of its reads
//   Output  LOAD's read requests; its write port towards INP, ACC and OUT
//   Output  the read ports of UOP, WGT and PRM; TAB's lookups, in the same cycle
`default_nettype none
`include "tsr_assert.svh"

module tsr_load_path #(
  parameter int MaxBurst = 16
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               vta_i,
  input  logic                               trace_en_i,
  // command
  input  logic                               cmd_valid_i,
  output logic                               cmd_ready_o,
  input  logic [tsr_dma_pkg::CommandBits-1:0] cmd_i,
  input  logic [31:0]                        cmd_num_i,
  output logic                               retire_valid_o,
  output logic [63:0]                        retire_digest_o,
  output logic                               err_valid_o,
  output logic [3:0]                         err_code_o,
  output logic [31:0]                        err_num_o,
  output logic                               busy_o,
  output logic                               memwait_o,
  output logic                               hazard_o,
  // reads
  output logic                               ar_valid_o,
  input  logic                               ar_ready_i,
  output logic [39:0]                        ar_addr_o,
  output logic [7:0]                         ar_len_o,
  input  logic                               r_valid_i,
  output logic                               r_ready_o,
  input  logic [tsr_pkg::BusBits-1:0]        r_data_i,
  input  logic                               r_err_i,
  input  logic                               r_last_i,
  // writes to INP, ACC and OUT
  output logic                               ld_wr_valid_o,
  input  logic                               ld_wr_ready_i,
  output logic [2:0]                         ld_wr_mem_o,
  output logic [19:0]                        ld_wr_tile_o,
  output logic [15:0]                        ld_wr_off_o,
  output logic [tsr_pkg::BusBits-1:0]        ld_wr_data_o,
  output logic [tsr_pkg::BusBytes-1:0]       ld_wr_be_o,
  output logic                               ld_wr_fill_o,
  output logic [31:0]                        ld_wr_pad_o,
  input  logic [63:0]                        ld_wr_digest_i,
  // scratchpad reads
  input  logic                               uop_rd_en_i,
  input  logic [tsr_pkg::UopIdxBits-1:0]     uop_rd_addr_i,
  output logic [63:0]                        uop_rd_data_o,
  input  logic                               wgt_rd_en_i,
  input  logic [tsr_pkg::WgtIdxBits-1:0]     wgt_rd_addr_i,
  output logic [8*tsr_pkg::WgtTileBytes-1:0] wgt_rd_data_o,
  input  logic                               prm_rd_en_i,
  input  logic [tsr_pkg::PrmIdxBits-1:0]     prm_rd_addr_i,
  output logic [8*tsr_pkg::PrmBytes-1:0]     prm_rd_data_o,
  input  logic [8*tsr_pkg::Lanes-1:0]        tab_index_i,
  output logic [8*tsr_pkg::Lanes-1:0]        tab_byte_o
);
  logic wr_valid, to_compute;
  logic [63:0] digest_uop, digest_wgt, digest_prm, digest_tab;
  assign to_compute = (ld_wr_mem_o == tsr_pkg::MEM_INP) | (ld_wr_mem_o == tsr_pkg::MEM_ACC) |
                      (ld_wr_mem_o == tsr_pkg::MEM_OUT);
  assign ld_wr_valid_o = wr_valid & to_compute;
  tsr_load #(
    .MaxBurst(MaxBurst)
  ) u_load (
    .clk_i,
    .rst_ni,
    .vta_i,
    .trace_en_i,
    .cmd_valid_i,
    .cmd_ready_o,
    .cmd_i,
    .cmd_num_i,
    .retire_valid_o,
    .retire_ready_i(1'b1),
    .retire_digest_o,
    .err_valid_o,
    .err_code_o,
    .err_num_o,
    .busy_o,
    .memwait_o,
    .hazard_o,
    .ar_valid_o,
    .ar_ready_i,
    .ar_addr_o,
    .ar_len_o,
    .r_valid_i,
    .r_ready_o,
    .r_data_i,
    .r_err_i,
    .r_last_i,
    .ld_wr_valid_o(wr_valid),
    .ld_wr_ready_i(!to_compute | ld_wr_ready_i),
    .ld_wr_mem_o,
    .ld_wr_tile_o,
    .ld_wr_off_o,
    .ld_wr_data_o,
    .ld_wr_be_o,
    .ld_wr_fill_o,
    .ld_wr_pad_o,
    .ld_wr_digest_i(digest_uop + digest_wgt + digest_prm + digest_tab + ld_wr_digest_i)
  );
  // One bank each: one unit reads, LOAD writes, and neither ever waits.
  logic unused_uop_rd_ready, unused_uop_wr_ready, unused_uop_ld_ready;
  logic [63:0] unused_uop_wr_digest;
  tsr_banked_mem #(
    .Depth(tsr_pkg::UopDepth),
    .Bytes(tsr_pkg::UopTileBytes),
    .AddrBits(tsr_pkg::UopIdxBits),
    .Banks(1),
    .Readers(1),
    .Writers(0),
    .Space(8'd1)
  ) u_uop_mem (
    .clk_i,
    .rst_ni,
    .trace_en_i,
    .rd_valid_i(uop_rd_en_i),
    .rd_ready_o(unused_uop_rd_ready),
    .rd_addr_i(uop_rd_addr_i),
    .rd_data_o(uop_rd_data_o),
    .wr_valid_i(1'b0),
    .wr_ready_o(unused_uop_wr_ready),
    .wr_addr_i('0),
    .wr_data_i('0),
    .wr_digest_o(unused_uop_wr_digest),
    .ld_wr_valid_i(wr_valid & (ld_wr_mem_o == tsr_pkg::MEM_UOP)),
    .ld_wr_ready_o(unused_uop_ld_ready),
    .ld_wr_addr_i(ld_wr_tile_o[tsr_pkg::UopIdxBits-1:0]),
    .ld_wr_off_i(ld_wr_off_o),
    .ld_wr_data_i(ld_wr_data_o),
    .ld_wr_be_i(ld_wr_be_o),
    .ld_wr_fill_i(ld_wr_fill_o),
    .ld_wr_pad_i(ld_wr_pad_o),
    .ld_wr_digest_o(digest_uop)
  );
  logic unused_wgt_rd_ready, unused_wgt_wr_ready, unused_wgt_ld_ready;
  logic [63:0] unused_wgt_wr_digest;
  tsr_banked_mem #(
    .Depth(tsr_pkg::WgtDepth),
    .Bytes(tsr_pkg::WgtTileBytes),
    .AddrBits(tsr_pkg::WgtIdxBits),
    .Banks(1),
    .Readers(1),
    .Writers(0),
    .Space(8'd2)
  ) u_wgt_mem (
    .clk_i,
    .rst_ni,
    .trace_en_i,
    .rd_valid_i(wgt_rd_en_i),
    .rd_ready_o(unused_wgt_rd_ready),
    .rd_addr_i(wgt_rd_addr_i),
    .rd_data_o(wgt_rd_data_o),
    .wr_valid_i(1'b0),
    .wr_ready_o(unused_wgt_wr_ready),
    .wr_addr_i('0),
    .wr_data_i('0),
    .wr_digest_o(unused_wgt_wr_digest),
    .ld_wr_valid_i(wr_valid & (ld_wr_mem_o == tsr_pkg::MEM_WGT)),
    .ld_wr_ready_o(unused_wgt_ld_ready),
    .ld_wr_addr_i(ld_wr_tile_o[tsr_pkg::WgtIdxBits-1:0]),
    .ld_wr_off_i(ld_wr_off_o),
    .ld_wr_data_i(ld_wr_data_o),
    .ld_wr_be_i(ld_wr_be_o),
    .ld_wr_fill_i(ld_wr_fill_o),
    .ld_wr_pad_i(ld_wr_pad_o),
    .ld_wr_digest_o(digest_wgt)
  );
  tsr_prm_mem u_prm_mem (
    .clk_i,
    .rst_ni,
    .trace_en_i,
    .wr_valid_i(wr_valid & (ld_wr_mem_o == tsr_pkg::MEM_PRM)),
    .wr_tile_i(ld_wr_tile_o[tsr_pkg::PrmIdxBits-1:0]),
    .wr_off_i(ld_wr_off_o),
    .wr_data_i(ld_wr_data_o),
    .digest_o(digest_prm),
    .rd_en_i(prm_rd_en_i),
    .rd_addr_i(prm_rd_addr_i),
    .rd_data_o(prm_rd_data_o)
  );
  tsr_tab_mem u_tab_mem (
    .clk_i,
    .rst_ni,
    .trace_en_i,
    .wr_valid_i(wr_valid & (ld_wr_mem_o == tsr_pkg::MEM_TAB)),
    .wr_tile_i(ld_wr_tile_o[tsr_pkg::TabIdxBits-1:0]),
    .wr_data_i(ld_wr_data_o),
    .digest_o(digest_tab),
    .index_i(tab_index_i),
    .byte_o(tab_byte_o)
  );

  logic unused;
  assign unused = ^{unused_uop_rd_ready, unused_uop_wr_ready, unused_uop_ld_ready, unused_uop_wr_digest,
                    unused_wgt_rd_ready, unused_wgt_wr_ready, unused_wgt_ld_ready, unused_wgt_wr_digest};
endmodule
`default_nettype wire
