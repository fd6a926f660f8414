// SPDX-License-Identifier: Apache-2.0
//
// store_bench: STORE with the write channels of the bus, for tests. The test answers its tile reads.
module store_bench (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               vta_i,
  input  logic                               flush_i,
  output logic                               quiet_o,
  input  tsr_dma_pkg::seg_write_t            seg_write_i,
  input  logic                               cmd_valid_i,
  output logic                               cmd_ready_o,
  output logic                               taken_o,         // the unit takes a command
  output logic                               asks_o,          // it has a request for the bus
  input  logic [255:0]                       cmd_insn_i,
  input  logic [31:0]                        cmd_num_i,
  output logic                               retire_valid_o,
  output logic                               err_valid_o,
  output logic [3:0]                         err_code_o,
  output logic [31:0]                        err_num_o,
  output logic                               st_rd_valid_o,
  input  logic                               st_rd_ready_i,
  output logic [19:0]                        st_rd_addr_o,
  output logic                               st_rd_acc_o,
  input  logic                               st_rd_data_valid_i,
  input  logic [8*tsr_pkg::OutTileBytes-1:0] st_rd_data_i,
  output logic                               m_axi_awvalid_o,
  input  logic                               m_axi_awready_i,
  output logic [39:0]                        m_axi_awaddr_o,
  output logic [7:0]                         m_axi_awlen_o,
  output logic                               m_axi_wvalid_o,
  input  logic                               m_axi_wready_i,
  output logic [tsr_pkg::BusBits-1:0]        m_axi_wdata_o,
  output logic [tsr_pkg::BusBytes-1:0]       m_axi_wstrb_o,
  output logic                               m_axi_wlast_o,
  output logic [31:0]                        wnum_o,
  input  logic                               m_axi_bvalid_i,
  output logic                               m_axi_bready_o,
  input  logic [1:0]                         m_axi_bresp_i
);
  logic aw_valid, aw_ready, w_valid, w_ready, b_valid, b_err;
  logic [39:0] aw_addr;
  logic [7:0] aw_len;
  logic [31:0] aw_num;
  logic [tsr_pkg::BusBits-1:0] w_data;
  logic [tsr_pkg::BusBytes-1:0] w_strb;
  logic [63:0] unused_digest;
  logic unused_busy, unused_memwait, unused_hazard;
  // The command is checked ahead, as in tsr_issue.
  logic checked_valid, checked_ready;
  logic [31:0] checked_num;
  logic [tsr_dma_pkg::CommandBits-1:0] checked;
  assign taken_o = checked_valid & checked_ready;
  assign asks_o = aw_valid;
  tsr_dma_check u_check (
    .clk_i,
    .rst_ni(rst_ni & !flush_i),
    .vta_i,
    .seg_write_i,
    .valid_i(cmd_valid_i),
    .ready_o(cmd_ready_o),
    .store_i(1'b1),
    .insn_i(cmd_insn_i),
    .load_mem_i(3'd0),
    .user_i(cmd_num_i),
    .valid_o(checked_valid),
    .ready_i(checked_ready),
    .cmd_o(checked),
    .user_o(checked_num)
  );
  tsr_store u_store (
    .clk_i,
    .rst_ni(rst_ni & !flush_i),
    .vta_i,
    .cmd_valid_i(checked_valid),
    .cmd_ready_o(checked_ready),
    .cmd_i(checked),
    .cmd_num_i(checked_num),
    .retire_valid_o,
    .retire_ready_i(1'b1),
    .retire_digest_o(unused_digest),
    .err_valid_o,
    .err_code_o,
    .err_num_o,
    .busy_o(unused_busy),
    .memwait_o(unused_memwait),
    .hazard_o(unused_hazard),
    .st_rd_valid_o,
    .st_rd_ready_i,
    .st_rd_addr_o,
    .st_rd_acc_o,
    .st_rd_data_valid_i,
    .st_rd_data_i,
    .aw_valid_o(aw_valid),
    .aw_ready_i(aw_ready),
    .aw_addr_o(aw_addr),
    .aw_len_o(aw_len),
    .aw_num_o(aw_num),
    .w_valid_o(w_valid),
    .w_ready_i(w_ready),
    .w_data_o(w_data),
    .w_strb_o(w_strb),
    .b_valid_i(b_valid),
    .b_err_i(b_err)
  );
  tsr_axi_write #(
    .BusBits(tsr_pkg::BusBits)
  ) u_write (
    .clk_i,
    .rst_ni,
    .flush_i,
    .quiet_o,
    .aw_valid_i(aw_valid),
    .aw_ready_o(aw_ready),
    .aw_addr_i(aw_addr),
    .aw_len_i(aw_len),
    .aw_num_i(aw_num),
    .w_valid_i(w_valid),
    .w_ready_o(w_ready),
    .w_data_i(w_data),
    .w_strb_i(w_strb),
    .b_valid_o(b_valid),
    .b_err_o(b_err),
    .m_awvalid_o(m_axi_awvalid_o),
    .m_awready_i(m_axi_awready_i),
    .m_awaddr_o(m_axi_awaddr_o),
    .m_awlen_o(m_axi_awlen_o),
    .m_wvalid_o(m_axi_wvalid_o),
    .m_wready_i(m_axi_wready_i),
    .m_wdata_o(m_axi_wdata_o),
    .m_wstrb_o(m_axi_wstrb_o),
    .m_wlast_o(m_axi_wlast_o),
    .wnum_o,
    .m_bvalid_i(m_axi_bvalid_i),
    .m_bready_o(m_axi_bready_o),
    .m_bresp_i(m_axi_bresp_i)
  );
  logic unused;
  assign unused = ^{unused_digest, unused_busy, unused_memwait, unused_hazard};
endmodule
