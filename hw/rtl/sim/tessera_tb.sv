// SPDX-License-Identifier: Apache-2.0
//
// tessera_tb: the sim target of tessera.core. The machine in tessera.v runs a program of one instruction, FINISH. Every
// 32 bytes of the memory hold that instruction. The registers must say that the program ended well. tests/hw/top runs
// other programs.
//
//   Output  "tessera_tb: ok", or $fatal with the failure; ends after MaxCycles at the latest
`default_nettype none

module tessera_tb;
  localparam int BusBits = tsr_pkg::BusBits, BusBytes = BusBits / 8, MaxCycles = 5000;

  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = !clk;

  logic awvalid = 1'b0, awready, wvalid = 1'b0, wready, bvalid, arvalid = 1'b0, arready, rvalid;
  logic [11:0] awaddr, araddr;
  logic [31:0] wdata, rdata;
  logic interrupt, m_arvalid, m_rready, m_awvalid, m_wvalid;
  logic [63:0] m_araddr;
  logic [7:0] m_arlen;
  logic [0:0] m_arid;
  // One burst at a time: |left| words from |at| on.
  logic [63:0] at = '0;
  logic [8:0] left = '0;
  logic [0:0] id = '0;

  tessera #(
    .C_M_AXI_GMEM_DATA_WIDTH(BusBits)
  ) u_tessera (
    .ap_clk(clk), .ap_rst_n(rst_n), .interrupt,
    .s_axi_control_awvalid(awvalid), .s_axi_control_awready(awready), .s_axi_control_awaddr(awaddr), .s_axi_control_awprot('0),
    .s_axi_control_wvalid(wvalid), .s_axi_control_wready(wready), .s_axi_control_wdata(wdata), .s_axi_control_wstrb('1),
    .s_axi_control_bvalid(bvalid), .s_axi_control_bready(1'b1), .s_axi_control_bresp(),
    .s_axi_control_arvalid(arvalid), .s_axi_control_arready(arready), .s_axi_control_araddr(araddr), .s_axi_control_arprot('0),
    .s_axi_control_rvalid(rvalid), .s_axi_control_rready(1'b1), .s_axi_control_rdata(rdata), .s_axi_control_rresp(),
    .m_axi_gmem_arvalid(m_arvalid), .m_axi_gmem_arready(left == '0), .m_axi_gmem_araddr(m_araddr), .m_axi_gmem_arid(m_arid),
    .m_axi_gmem_arlen(m_arlen), .m_axi_gmem_arlock(), .m_axi_gmem_arregion(), .m_axi_gmem_aruser(), .m_axi_gmem_arsize(),
    .m_axi_gmem_arburst(), .m_axi_gmem_arcache(), .m_axi_gmem_arprot(), .m_axi_gmem_arqos(),
    .m_axi_gmem_rvalid(left != '0), .m_axi_gmem_rready(m_rready),
    .m_axi_gmem_rdata(at % 32 == '0 ? BusBits'(tsr_pkg::OP_FINISH) : '0), .m_axi_gmem_rresp('0), .m_axi_gmem_rlast(left == 9'd1),
    .m_axi_gmem_rid(id),
    .m_axi_gmem_awvalid(m_awvalid), .m_axi_gmem_awready(1'b1), .m_axi_gmem_awaddr(), .m_axi_gmem_awid(), .m_axi_gmem_awlen(),
    .m_axi_gmem_awlock(), .m_axi_gmem_awregion(), .m_axi_gmem_awuser(), .m_axi_gmem_wuser(), .m_axi_gmem_awsize(),
    .m_axi_gmem_awburst(), .m_axi_gmem_awcache(), .m_axi_gmem_awprot(), .m_axi_gmem_awqos(), .m_axi_gmem_wvalid(m_wvalid),
    .m_axi_gmem_wready(1'b1), .m_axi_gmem_wdata(), .m_axi_gmem_wstrb(), .m_axi_gmem_wlast(), .m_axi_gmem_bvalid(1'b0),
    .m_axi_gmem_bready(), .m_axi_gmem_bresp('0), .m_axi_gmem_bid('0)
  );

  always @(posedge clk) begin
    if (left == '0 && m_arvalid) {at, left, id} <= {m_araddr, 9'(m_arlen) + 9'd1, m_arid};
    else if (left != '0 && m_rready) {at, left} <= {at + 64'(BusBytes), left - 9'd1};
    if (m_awvalid || m_wvalid) $fatal(1, "tessera_tb: a program of FINISH writes to memory");
  end

  logic [31:0] value;
  // Signals change at falling edges; the slave's ready is sampled just before the rising edge.
  logic aw_taken, w_taken, ar_taken;
  task write(input [11:0] addr, input [31:0] data);
    {awvalid, wvalid, awaddr, wdata} = {2'b11, addr, data};
    while (awvalid || wvalid) begin
      #4 {aw_taken, w_taken} = {awready, wready};
      @(negedge clk);
      {awvalid, wvalid} = {awvalid && !aw_taken, wvalid && !w_taken};
    end
  endtask
  task read(input [11:0] addr);
    {arvalid, araddr} = {1'b1, addr};
    while (arvalid) begin
      #4 ar_taken = arready;
      @(negedge clk);
      arvalid = !ar_taken;
    end
    while (!rvalid) @(negedge clk);
    value = rdata;
    @(negedge clk);
  endtask

  initial begin
    repeat (20) @(negedge clk);
    rst_n = 1'b1;
    repeat (20) @(negedge clk);
    write(tsr_pkg::REG_INSN_COUNT, 32'd1);
    write(tsr_pkg::REG_CONTROL, 32'd1 << tsr_pkg::REG_CONTROL_START_LSB |
                                32'(tsr_pkg::PROFILE_TESSERA) << tsr_pkg::REG_CONTROL_PROFILE_LSB);
    do read(tsr_pkg::REG_STATUS); while (!value[tsr_pkg::REG_STATUS_DONE_LSB]);
    if (value[tsr_pkg::REG_STATUS_ERROR_LSB]) $fatal(1, "tessera_tb: STATUS is %h: an error", value);
    read(tsr_pkg::REG_RETIRED);
    if (value != 32'd1) $fatal(1, "tessera_tb: %0d instructions retired, one was given", value);
    $display("tessera_tb: ok");
    $finish;
  end
  initial begin
    repeat (MaxCycles) @(posedge clk);
    $fatal(1, "tessera_tb: the program has not ended after %0d cycles", MaxCycles);
  end
endmodule
`default_nettype wire
