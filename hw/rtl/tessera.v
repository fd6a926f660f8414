// SPDX-License-Identifier: Apache-2.0
//
// tessera: the machine for block designs, in Verilog-2001: ports have the names from which packagers and block designs
// infer the interfaces s_axi_control, m_axi_gmem and interrupt (those of kernels made by HLS), in one clock ap_clk.
//
//   With the macro TESSERA_AXI3    m_axi_gmem is AXI3, as the HP and GP ports of Zynq-7000: WID, LEN[3:0], LOCK[1:0], ids of 6 bits
//   Without                        it is AXI4, as the ports of Zynq UltraScale+ and of data centre cards
//   Tools tell the versions apart by the ports that exist.
//
// Signals that the machine does not use are tied: LOCK, QOS, REGION, USER to 0, WID to the one id of its writes. The trace
// has no ports. hw/rtl/README.md, "On a board", lists the settings for each port of a board.
// The name of the interrupt's port is what block designs expect.
// verilator lint_off SYMRSVDWORD
`default_nettype none
module tessera #(
  parameter integer     C_M_AXI_GMEM_DATA_WIDTH  = 64,       // bits: bus_bits of the configuration; another width does not elaborate
`ifdef TESSERA_AXI3
  parameter integer     C_M_AXI_GMEM_ADDR_WIDTH  = 32,       // the machine has 40 bits; a wider port gets zeros, a narrower one cuts
  parameter integer     C_M_AXI_GMEM_ID_WIDTH    = 6,
`else
  parameter integer     C_M_AXI_GMEM_ADDR_WIDTH  = 64,
  parameter integer     C_M_AXI_GMEM_ID_WIDTH    = 1,        // the machine has 1 bit; a wider port gets zeros
`endif
  parameter       [3:0] C_M_AXI_GMEM_CACHE_VALUE = 4'b0011,  // AxCACHE; 4'b1111 on coherent ports
  parameter       [2:0] C_M_AXI_GMEM_PROT_VALUE  = 3'b000,   // AxPROT; 3'b010, not secure, on coherent ports beside Linux
  parameter       [0:0] C_RESET_WITH_BUS         = 1'b0      // 1: ap_rst_n resets the interconnect and the memory as well
) (
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi_control:m_axi_gmem, ASSOCIATED_RESET ap_rst_n" *)
  input  wire                                 ap_clk,
  input  wire                                 ap_rst_n,
  output wire                                 interrupt,
  // registers: isa/regs.def
  input  wire                                 s_axi_control_awvalid,
  output wire                                 s_axi_control_awready,
  input  wire [11:0]                          s_axi_control_awaddr,
  input  wire [2:0]                           s_axi_control_awprot,
  input  wire                                 s_axi_control_wvalid,
  output wire                                 s_axi_control_wready,
  input  wire [31:0]                          s_axi_control_wdata,
  input  wire [3:0]                           s_axi_control_wstrb,
  output wire                                 s_axi_control_bvalid,
  input  wire                                 s_axi_control_bready,
  output wire [1:0]                           s_axi_control_bresp,
  input  wire                                 s_axi_control_arvalid,
  output wire                                 s_axi_control_arready,
  input  wire [11:0]                          s_axi_control_araddr,
  input  wire [2:0]                           s_axi_control_arprot,
  output wire                                 s_axi_control_rvalid,
  input  wire                                 s_axi_control_rready,
  output wire [31:0]                          s_axi_control_rdata,
  output wire [1:0]                           s_axi_control_rresp,
  // device memory
  output wire                                 m_axi_gmem_arvalid,
  input  wire                                 m_axi_gmem_arready,
  output wire [C_M_AXI_GMEM_ADDR_WIDTH-1:0]   m_axi_gmem_araddr,
  output wire [C_M_AXI_GMEM_ID_WIDTH-1:0]     m_axi_gmem_arid,
`ifdef TESSERA_AXI3
  output wire [3:0]                           m_axi_gmem_arlen,
  output wire [1:0]                           m_axi_gmem_arlock,
`else
  output wire [7:0]                           m_axi_gmem_arlen,
  output wire                                 m_axi_gmem_arlock,
  output wire [3:0]                           m_axi_gmem_arregion,
  output wire                                 m_axi_gmem_aruser,
`endif
  output wire [2:0]                           m_axi_gmem_arsize,
  output wire [1:0]                           m_axi_gmem_arburst,
  output wire [3:0]                           m_axi_gmem_arcache,
  output wire [2:0]                           m_axi_gmem_arprot,
  output wire [3:0]                           m_axi_gmem_arqos,
  input  wire                                 m_axi_gmem_rvalid,
  output wire                                 m_axi_gmem_rready,
  input  wire [C_M_AXI_GMEM_DATA_WIDTH-1:0]   m_axi_gmem_rdata,
  input  wire [1:0]                           m_axi_gmem_rresp,
  input  wire                                 m_axi_gmem_rlast,
  input  wire [C_M_AXI_GMEM_ID_WIDTH-1:0]     m_axi_gmem_rid,
  output wire                                 m_axi_gmem_awvalid,
  input  wire                                 m_axi_gmem_awready,
  output wire [C_M_AXI_GMEM_ADDR_WIDTH-1:0]   m_axi_gmem_awaddr,
  output wire [C_M_AXI_GMEM_ID_WIDTH-1:0]     m_axi_gmem_awid,
`ifdef TESSERA_AXI3
  output wire [3:0]                           m_axi_gmem_awlen,
  output wire [1:0]                           m_axi_gmem_awlock,
  output wire [C_M_AXI_GMEM_ID_WIDTH-1:0]     m_axi_gmem_wid,
`else
  output wire [7:0]                           m_axi_gmem_awlen,
  output wire                                 m_axi_gmem_awlock,
  output wire [3:0]                           m_axi_gmem_awregion,
  output wire                                 m_axi_gmem_awuser,
  output wire                                 m_axi_gmem_wuser,
`endif
  output wire [2:0]                           m_axi_gmem_awsize,
  output wire [1:0]                           m_axi_gmem_awburst,
  output wire [3:0]                           m_axi_gmem_awcache,
  output wire [2:0]                           m_axi_gmem_awprot,
  output wire [3:0]                           m_axi_gmem_awqos,
  output wire                                 m_axi_gmem_wvalid,
  input  wire                                 m_axi_gmem_wready,
  output wire [C_M_AXI_GMEM_DATA_WIDTH-1:0]   m_axi_gmem_wdata,
  output wire [C_M_AXI_GMEM_DATA_WIDTH/8-1:0] m_axi_gmem_wstrb,
  output wire                                 m_axi_gmem_wlast,
  input  wire                                 m_axi_gmem_bvalid,
  output wire                                 m_axi_gmem_bready,
  input  wire [1:0]                           m_axi_gmem_bresp,
  input  wire [C_M_AXI_GMEM_ID_WIDTH-1:0]     m_axi_gmem_bid
);
  wire [39:0] araddr, awaddr;
  wire [7:0] arlen, awlen;
  wire arid, awid;

  // Addresses and ids are zero-extended or cut to the width of the port.
  wire [C_M_AXI_GMEM_ADDR_WIDTH+39:0] araddr_wide, awaddr_wide;
  wire [C_M_AXI_GMEM_ID_WIDTH:0] arid_wide, awid_wide;
  assign araddr_wide = {{C_M_AXI_GMEM_ADDR_WIDTH{1'b0}}, araddr};
  assign awaddr_wide = {{C_M_AXI_GMEM_ADDR_WIDTH{1'b0}}, awaddr};
  assign arid_wide = {{C_M_AXI_GMEM_ID_WIDTH{1'b0}}, arid};
  assign awid_wide = {{C_M_AXI_GMEM_ID_WIDTH{1'b0}}, awid};
  assign m_axi_gmem_araddr = araddr_wide[C_M_AXI_GMEM_ADDR_WIDTH-1:0];
  assign m_axi_gmem_awaddr = awaddr_wide[C_M_AXI_GMEM_ADDR_WIDTH-1:0];
  assign m_axi_gmem_arid = arid_wide[C_M_AXI_GMEM_ID_WIDTH-1:0];
  assign m_axi_gmem_awid = awid_wide[C_M_AXI_GMEM_ID_WIDTH-1:0];

`ifdef TESSERA_AXI3
  localparam integer AxiVersion = 3;
  assign m_axi_gmem_arlen = arlen[3:0];
  assign m_axi_gmem_awlen = awlen[3:0];
  assign m_axi_gmem_arlock = 2'b00;
  assign m_axi_gmem_awlock = 2'b00;
  assign m_axi_gmem_wid = m_axi_gmem_awid;  // the same for all writes
  wire unused_len;
  assign unused_len = ^{arlen[7:4], awlen[7:4]};
`else
  localparam integer AxiVersion = 4;
  assign m_axi_gmem_arlen = arlen;
  assign m_axi_gmem_awlen = awlen;
  assign m_axi_gmem_arlock = 1'b0;
  assign m_axi_gmem_awlock = 1'b0;
  assign m_axi_gmem_arregion = 4'b0000;
  assign m_axi_gmem_awregion = 4'b0000;
  assign m_axi_gmem_aruser = 1'b0;
  assign m_axi_gmem_awuser = 1'b0;
  assign m_axi_gmem_wuser = 1'b0;
`endif
  assign m_axi_gmem_arqos = 4'b0000;
  assign m_axi_gmem_awqos = 4'b0000;

  wire [3:0] trace_valid;
  wire [35:0] trace_moves;
  wire [47:0] trace_stand;
  wire [511:0] trace_counts;
  wire [31:0] trace_wnum;
  wire [63:0] trace_cycles;
  wire [127:0] trace_num, trace_taken_num;
  wire [255:0] trace_digest;
  wire busy;
  tsr_top #(
    .BusBits(C_M_AXI_GMEM_DATA_WIDTH),
    .AxiVersion(AxiVersion),
    .AxCache(C_M_AXI_GMEM_CACHE_VALUE),
    .AxProt(C_M_AXI_GMEM_PROT_VALUE)
  ) u_top (
    .clk_i(ap_clk),
    .rst_ni(ap_rst_n),
    .s_axil_awvalid_i(s_axi_control_awvalid),
    .s_axil_awready_o(s_axi_control_awready),
    .s_axil_awaddr_i(s_axi_control_awaddr),
    .s_axil_wvalid_i(s_axi_control_wvalid),
    .s_axil_wready_o(s_axi_control_wready),
    .s_axil_wdata_i(s_axi_control_wdata),
    .s_axil_wstrb_i(s_axi_control_wstrb),
    .s_axil_bvalid_o(s_axi_control_bvalid),
    .s_axil_bready_i(s_axi_control_bready),
    .s_axil_bresp_o(s_axi_control_bresp),
    .s_axil_arvalid_i(s_axi_control_arvalid),
    .s_axil_arready_o(s_axi_control_arready),
    .s_axil_araddr_i(s_axi_control_araddr),
    .s_axil_rvalid_o(s_axi_control_rvalid),
    .s_axil_rready_i(s_axi_control_rready),
    .s_axil_rdata_o(s_axi_control_rdata),
    .s_axil_rresp_o(s_axi_control_rresp),
    .m_axi_arvalid_o(m_axi_gmem_arvalid),
    .m_axi_arready_i(m_axi_gmem_arready),
    .m_axi_araddr_o(araddr),
    .m_axi_arlen_o(arlen),
    .m_axi_arsize_o(m_axi_gmem_arsize),
    .m_axi_arburst_o(m_axi_gmem_arburst),
    .m_axi_arcache_o(m_axi_gmem_arcache),
    .m_axi_arprot_o(m_axi_gmem_arprot),
    .m_axi_arid_o(arid),
    .m_axi_rvalid_i(m_axi_gmem_rvalid),
    .m_axi_rready_o(m_axi_gmem_rready),
    .m_axi_rdata_i(m_axi_gmem_rdata),
    .m_axi_rresp_i(m_axi_gmem_rresp),
    .m_axi_rlast_i(m_axi_gmem_rlast),
    .m_axi_rid_i(m_axi_gmem_rid[0]),
    .m_axi_awvalid_o(m_axi_gmem_awvalid),
    .m_axi_awready_i(m_axi_gmem_awready),
    .m_axi_awaddr_o(awaddr),
    .m_axi_awlen_o(awlen),
    .m_axi_awsize_o(m_axi_gmem_awsize),
    .m_axi_awburst_o(m_axi_gmem_awburst),
    .m_axi_awcache_o(m_axi_gmem_awcache),
    .m_axi_awprot_o(m_axi_gmem_awprot),
    .m_axi_awid_o(awid),
    .m_axi_wvalid_o(m_axi_gmem_wvalid),
    .m_axi_wready_i(m_axi_gmem_wready),
    .m_axi_wdata_o(m_axi_gmem_wdata),
    .m_axi_wstrb_o(m_axi_gmem_wstrb),
    .m_axi_wlast_o(m_axi_gmem_wlast),
    .m_axi_bvalid_i(m_axi_gmem_bvalid),
    .m_axi_bready_o(m_axi_gmem_bready),
    .m_axi_bresp_i(m_axi_gmem_bresp),
    .m_axi_bid_i(m_axi_gmem_bid[0]),
    .m_axi_reset_i(C_RESET_WITH_BUS & ~ap_rst_n),
    .busy_o(busy),
    .irq_o(interrupt),
    .trace_en_i(1'b0),
    .trace_valid_o(trace_valid),
    .trace_num_o(trace_num),
    .trace_digest_o(trace_digest),
    .trace_wnum_o(trace_wnum),
    .trace_cycles_o(trace_cycles),
    .trace_counts_o(trace_counts),
    .trace_moves_o(trace_moves),
    .trace_taken_num_o(trace_taken_num),
    .trace_stand_o(trace_stand)
  );

  wire unused;
  assign unused = ^{araddr_wide, awaddr_wide, arid_wide, awid_wide, m_axi_gmem_rid, m_axi_gmem_bid, s_axi_control_awprot,
                    s_axi_control_arprot, trace_valid, trace_num, trace_digest, trace_wnum, trace_cycles, trace_counts,
                    trace_moves, trace_taken_num, trace_stand, busy};
endmodule
`default_nettype wire
