// SPDX-License-Identifier: Apache-2.0
//
// tsr_serial_top: the machine with its memory, for a part that has nothing but a serial line to a computer.
//
//   Input   rx_i, tx_o: the line
//
// A board's top gives it a clock and the pins.
`default_nettype none
module tsr_serial_top #(
  parameter int ClocksPerBit = 25,
  parameter int ClockHz      = 50000000,
  parameter int MemoryBytes  = 262144  // a power of two
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic rx_i,
  output logic tx_o,
  output logic session_o,  // for lamps
  output logic noise_o,
  output logic busy_o      // a program runs
);
  localparam int AddrBits = $clog2(MemoryBytes);
  localparam int BusBits = tsr_pkg::BusBits;
  localparam int BusBytes = tsr_pkg::BusBytes;

  logic machine_reset, machine_rst_n;
  logic awvalid, awready, wvalid, wready, bvalid, arvalid, arready, rvalid;
  logic [1:0] bresp, rresp;
  logic [11:0] addr;
  logic [31:0] wdata, rdata;
  logic mem_write, mem_read;
  logic [AddrBits-1:0] mem_addr;
  logic [7:0] mem_wdata, mem_rdata;
  tsr_serial #(
    .ClocksPerBit(ClocksPerBit),
    .ClockHz(ClockHz),
    .MemoryBytes(MemoryBytes),
    .AddrBits(AddrBits)
  ) u_serial (
    .clk_i,
    .rst_ni,
    .rx_i,
    .tx_o,
    .session_o,
    .noise_o,
    .machine_reset_o(machine_reset),
    .m_awvalid_o(awvalid),
    .m_awready_i(awready),
    .m_wvalid_o(wvalid),
    .m_wready_i(wready),
    .m_bvalid_i(bvalid),
    .m_bresp_i(bresp),
    .m_arvalid_o(arvalid),
    .m_arready_i(arready),
    .m_rvalid_i(rvalid),
    .m_rresp_i(rresp),
    .m_rdata_i(rdata),
    .m_addr_o(addr),
    .m_wdata_o(wdata),
    .mem_write_o(mem_write),
    .mem_read_o(mem_read),
    .mem_addr_o(mem_addr),
    .mem_wdata_o(mem_wdata),
    .mem_rdata_i(mem_rdata)
  );
  initial machine_rst_n = 1'b0;
  always_ff @(posedge clk_i) machine_rst_n <= rst_ni & !machine_reset;

  logic m_arvalid, m_arready, m_arid, m_rvalid, m_rready, m_rlast, m_rid;
  logic m_awvalid, m_awready, m_awid, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready, m_bid;
  logic [39:0] m_araddr, m_awaddr;
  logic [7:0] m_arlen;
  logic [1:0] m_rresp, m_bresp;
  logic [BusBits-1:0] m_rdata, m_wdata;
  logic [BusBytes-1:0] m_wstrb;
  tsr_serial_mem #(
    .MemoryBytes(MemoryBytes),
    .AddrBits(AddrBits),
    .BusBits(BusBits),
    .WordBits($clog2(BusBytes))
  ) u_mem (
    .clk_i,
    .rst_ni(machine_rst_n),
    .byte_write_i(mem_write),
    .byte_read_i(mem_read),
    .byte_addr_i(mem_addr),
    .byte_wdata_i(mem_wdata),
    .byte_rdata_o(mem_rdata),
    .s_arvalid_i(m_arvalid),
    .s_arready_o(m_arready),
    .s_araddr_i(m_araddr),
    .s_arlen_i(m_arlen),
    .s_arid_i(m_arid),
    .s_rvalid_o(m_rvalid),
    .s_rready_i(m_rready),
    .s_rdata_o(m_rdata),
    .s_rresp_o(m_rresp),
    .s_rlast_o(m_rlast),
    .s_rid_o(m_rid),
    .s_awvalid_i(m_awvalid),
    .s_awready_o(m_awready),
    .s_awaddr_i(m_awaddr),
    .s_awid_i(m_awid),
    .s_wvalid_i(m_wvalid),
    .s_wready_o(m_wready),
    .s_wdata_i(m_wdata),
    .s_wstrb_i(m_wstrb),
    .s_wlast_i(m_wlast),
    .s_bvalid_o(m_bvalid),
    .s_bready_i(m_bready),
    .s_bresp_o(m_bresp),
    .s_bid_o(m_bid)
  );

  // Ports that only a board with a bus needs stay open.
  // verilator lint_off PINCONNECTEMPTY
  tsr_top u_machine (
    .clk_i,
    .rst_ni(machine_rst_n),
    .s_axil_awvalid_i(awvalid),
    .s_axil_awready_o(awready),
    .s_axil_awaddr_i(addr),
    .s_axil_wvalid_i(wvalid),
    .s_axil_wready_o(wready),
    .s_axil_wdata_i(wdata),
    .s_axil_wstrb_i('1),
    .s_axil_bvalid_o(bvalid),
    .s_axil_bready_i(1'b1),
    .s_axil_bresp_o(bresp),
    .s_axil_arvalid_i(arvalid),
    .s_axil_arready_o(arready),
    .s_axil_araddr_i(addr),
    .s_axil_rvalid_o(rvalid),
    .s_axil_rready_i(1'b1),
    .s_axil_rdata_o(rdata),
    .s_axil_rresp_o(rresp),
    .m_axi_arvalid_o(m_arvalid),
    .m_axi_arready_i(m_arready),
    .m_axi_araddr_o(m_araddr),
    .m_axi_arlen_o(m_arlen),
    .m_axi_arsize_o(),
    .m_axi_arburst_o(),
    .m_axi_arcache_o(),
    .m_axi_arprot_o(),
    .m_axi_arid_o(m_arid),
    .m_axi_rvalid_i(m_rvalid),
    .m_axi_rready_o(m_rready),
    .m_axi_rdata_i(m_rdata),
    .m_axi_rresp_i(m_rresp),
    .m_axi_rlast_i(m_rlast),
    .m_axi_rid_i(m_rid),
    .m_axi_awvalid_o(m_awvalid),
    .m_axi_awready_i(m_awready),
    .m_axi_awaddr_o(m_awaddr),
    .m_axi_awlen_o(),
    .m_axi_awsize_o(),
    .m_axi_awburst_o(),
    .m_axi_awcache_o(),
    .m_axi_awprot_o(),
    .m_axi_awid_o(m_awid),
    .m_axi_wvalid_o(m_wvalid),
    .m_axi_wready_i(m_wready),
    .m_axi_wdata_o(m_wdata),
    .m_axi_wstrb_o(m_wstrb),
    .m_axi_wlast_o(m_wlast),
    .m_axi_bvalid_i(m_bvalid),
    .m_axi_bready_o(m_bready),
    .m_axi_bresp_i(m_bresp),
    .m_axi_bid_i(m_bid),
    .m_axi_reset_i(!machine_rst_n),
    .busy_o,
    .irq_o(),
    .trace_en_i(1'b0),
    .trace_valid_o(),
    .trace_num_o(),
    .trace_digest_o(),
    .trace_wnum_o(),
    .trace_cycles_o(),
    .trace_counts_o(),
    .trace_moves_o(),
    .trace_taken_num_o(),
    .trace_stand_o()
  );
  // verilator lint_on PINCONNECTEMPTY
endmodule
`default_nettype wire
