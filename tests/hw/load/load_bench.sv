// SPDX-License-Identifier: Apache-2.0
//
// load_bench: LOAD with the read channels of the bus, for tests. The test drives its write port.
module load_bench (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         vta_i,
  input  logic                         trace_en_i,
  input  tsr_dma_pkg::seg_write_t      seg_write_i,
  input  logic                         cmd_valid_i,
  output logic                         cmd_ready_o,
  output logic                         taken_o,    // the unit takes a command
  output logic                         asks_o,     // it has a request for the bus
  input  logic [255:0]                 cmd_insn_i,
  input  logic [31:0]                  cmd_num_i,
  output logic                         retire_valid_o,
  output logic [63:0]                  retire_digest_o,
  output logic                         err_valid_o,
  output logic [3:0]                   err_code_o,
  output logic [31:0]                  err_num_o,
  output logic                         busy_o,
  output logic                         memwait_o,
  output logic                         hazard_o,
  output logic                         m_axi_arvalid_o,
  input  logic                         m_axi_arready_i,
  output logic [39:0]                  m_axi_araddr_o,
  output logic [7:0]                   m_axi_arlen_o,
  output logic [0:0]                   m_axi_arid_o,
  input  logic                         m_axi_rvalid_i,
  output logic                         m_axi_rready_o,
  input  logic [tsr_pkg::BusBits-1:0]  m_axi_rdata_i,
  input  logic [1:0]                   m_axi_rresp_i,
  input  logic                         m_axi_rlast_i,
  input  logic [0:0]                   m_axi_rid_i,
  output logic                         ld_wr_valid_o,
  input  logic                         ld_wr_ready_i,
  output logic [2:0]                   ld_wr_mem_o,
  output logic [19:0]                  ld_wr_tile_o,
  output logic [15:0]                  ld_wr_off_o,
  output logic [tsr_pkg::BusBits-1:0]  ld_wr_data_o,
  output logic [tsr_pkg::BusBytes-1:0] ld_wr_be_o,
  output logic                         ld_wr_fill_o,
  output logic [31:0]                  ld_wr_pad_o,
  input  logic [63:0]                  ld_wr_digest_i
);
  logic ar_valid, ar_ready, r_valid, r_ready, r_err, r_last;
  logic [39:0] ar_addr;
  logic [7:0] ar_len;
  logic [tsr_pkg::BusBits-1:0] r_data;
  // The command is checked ahead, as in tsr_issue.
  logic checked_valid, checked_ready;
  logic [31:0] checked_num;
  logic [tsr_dma_pkg::CommandBits-1:0] checked;
  assign taken_o = checked_valid & checked_ready;
  assign asks_o = ar_valid;
  tsr_dma_check u_check (
    .clk_i,
    .rst_ni,
    .vta_i,
    .seg_write_i,
    .valid_i(cmd_valid_i),
    .ready_o(cmd_ready_o),
    .store_i(1'b0),
    .insn_i(cmd_insn_i),
    .load_mem_i(vta_i ? tsr_pkg::vta_load_memory_type(cmd_insn_i[127:0]) : tsr_pkg::load_memory(cmd_insn_i)),
    .user_i(cmd_num_i),
    .valid_o(checked_valid),
    .ready_i(checked_ready),
    .cmd_o(checked),
    .user_o(checked_num)
  );
  tsr_load u_load (
    .clk_i,
    .rst_ni,
    .vta_i,
    .trace_en_i,
    .cmd_valid_i(checked_valid),
    .cmd_ready_o(checked_ready),
    .cmd_i(checked),
    .cmd_num_i(checked_num),
    .retire_valid_o,
    .retire_ready_i(1'b1),
    .retire_digest_o,
    .err_valid_o,
    .err_code_o,
    .err_num_o,
    .busy_o,
    .memwait_o,
    .hazard_o,
    .ar_valid_o(ar_valid),
    .ar_ready_i(ar_ready),
    .ar_addr_o(ar_addr),
    .ar_len_o(ar_len),
    .r_valid_i(r_valid),
    .r_ready_o(r_ready),
    .r_data_i(r_data),
    .r_err_i(r_err),
    .r_last_i(r_last),
    .ld_wr_valid_o,
    .ld_wr_ready_i,
    .ld_wr_mem_o,
    .ld_wr_tile_o,
    .ld_wr_off_o,
    .ld_wr_data_o,
    .ld_wr_be_o,
    .ld_wr_fill_o,
    .ld_wr_pad_o,
    .ld_wr_digest_i
  );
  logic unused_quiet, unused_f_ready, unused_f_valid;
  tsr_axi_read #(
    .BusBits(tsr_pkg::BusBits)
  ) u_read (
    .clk_i,
    .rst_ni,
    .flush_i(1'b0),
    .quiet_o(unused_quiet),
    .f_ar_valid_i(1'b0),
    .f_ar_ready_o(unused_f_ready),
    .f_ar_addr_i('0),
    .f_ar_len_i('0),
    .f_r_valid_o(unused_f_valid),
    .f_r_ready_i(1'b0),
    .l_ar_valid_i(ar_valid),
    .l_ar_ready_o(ar_ready),
    .l_ar_addr_i(ar_addr),
    .l_ar_len_i(ar_len),
    .l_r_valid_o(r_valid),
    .l_r_ready_i(r_ready),
    .r_data_o(r_data),
    .r_err_o(r_err),
    .r_last_o(r_last),
    .m_arvalid_o(m_axi_arvalid_o),
    .m_arready_i(m_axi_arready_i),
    .m_araddr_o(m_axi_araddr_o),
    .m_arlen_o(m_axi_arlen_o),
    .m_arid_o(m_axi_arid_o),
    .m_rvalid_i(m_axi_rvalid_i),
    .m_rready_o(m_axi_rready_o),
    .m_rdata_i(m_axi_rdata_i),
    .m_rresp_i(m_axi_rresp_i),
    .m_rlast_i(m_axi_rlast_i),
    .m_rid_i(m_axi_rid_i)
  );
  logic unused;
  assign unused = ^{unused_quiet, unused_f_ready, unused_f_valid};
endmodule
