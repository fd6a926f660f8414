// SPDX-License-Identifier: Apache-2.0
//
// tsr_top: the machine.
//
//   Input   AXI4-Lite: registers (isa/regs.def)
//   Output  one AXI4 master: reads (id 0 fetch, 1 LOAD), writes (STORE); bursts: at most MaxBurst beats, inside 4 KiB
//   Output  trace (simulation): instructions as they retire, hw/rtl/README.md, "Trace"
//
// Resets: rst_ni resets the machine but not the open transactions of the AXI master. The bus logic completes those before the
// next run, so rst_ni may come alone, at any cycle. m_axi_reset_i says that the interconnect and the memory are reset too and
// forget those transactions; rst_ni must be low with it. If one reset drives both, tie m_axi_reset_i to its inverse; if the
// memory is never reset, tie it to 0. Memory keeps what a run wrote before its reset. The master completes a write burst that
// was open with words without byte enables.
// Invariant: whatever ends a run, every AXI transaction is completed before STATUS.busy falls.
`default_nettype none
`include "tsr_assert.svh"

module tsr_top #(
  parameter int         MaxBurst   = 16,                // beats in a burst, 16 at most in AXI3; MaxBurst * BusBytes <= 4096
  parameter int         BusBits    = tsr_pkg::BusBits,  // a wrapper states the width it was made for
  parameter int         AxiVersion = 4,                 // 3: also accepts what only AXI3 allows a slave
  parameter logic [3:0] AxCache    = 4'b0011,           // AxCACHE and AxPROT
  parameter logic [2:0] AxProt     = 3'b000
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // AXI4-Lite
  input  logic                         s_axil_awvalid_i,
  output logic                         s_axil_awready_o,
  input  logic [11:0]                  s_axil_awaddr_i,
  input  logic                         s_axil_wvalid_i,
  output logic                         s_axil_wready_o,
  input  logic [31:0]                  s_axil_wdata_i,
  input  logic [3:0]                   s_axil_wstrb_i,
  output logic                         s_axil_bvalid_o,
  input  logic                         s_axil_bready_i,
  output logic [1:0]                   s_axil_bresp_o,
  input  logic                         s_axil_arvalid_i,
  output logic                         s_axil_arready_o,
  input  logic [11:0]                  s_axil_araddr_i,
  output logic                         s_axil_rvalid_o,
  input  logic                         s_axil_rready_i,
  output logic [31:0]                  s_axil_rdata_o,
  output logic [1:0]                   s_axil_rresp_o,
  // AXI4. For AXI3 tessera.v changes the widths of ids and LEN and adds WID
  output logic                         m_axi_arvalid_o,
  input  logic                         m_axi_arready_i,
  output logic [39:0]                  m_axi_araddr_o,
  output logic [7:0]                   m_axi_arlen_o,
  output logic [2:0]                   m_axi_arsize_o,
  output logic [1:0]                   m_axi_arburst_o,
  output logic [3:0]                   m_axi_arcache_o,
  output logic [2:0]                   m_axi_arprot_o,
  output logic [0:0]                   m_axi_arid_o,
  input  logic                         m_axi_rvalid_i,
  output logic                         m_axi_rready_o,
  input  logic [tsr_pkg::BusBits-1:0]  m_axi_rdata_i,
  input  logic [1:0]                   m_axi_rresp_i,
  input  logic                         m_axi_rlast_i,
  input  logic [0:0]                   m_axi_rid_i,
  output logic                         m_axi_awvalid_o,
  input  logic                         m_axi_awready_i,
  output logic [39:0]                  m_axi_awaddr_o,
  output logic [7:0]                   m_axi_awlen_o,
  output logic [2:0]                   m_axi_awsize_o,
  output logic [1:0]                   m_axi_awburst_o,
  output logic [3:0]                   m_axi_awcache_o,
  output logic [2:0]                   m_axi_awprot_o,
  output logic [0:0]                   m_axi_awid_o,
  output logic                         m_axi_wvalid_o,
  input  logic                         m_axi_wready_i,
  output logic [tsr_pkg::BusBits-1:0]  m_axi_wdata_o,
  output logic [tsr_pkg::BusBytes-1:0] m_axi_wstrb_o,
  output logic                         m_axi_wlast_o,
  input  logic                         m_axi_bvalid_i,
  output logic                         m_axi_bready_o,
  input  logic [1:0]                   m_axi_bresp_i,
  input  logic [0:0]                   m_axi_bid_i,
  input  logic                         m_axi_reset_i,  // see above
  output logic                         busy_o,         // as STATUS.busy
  output logic                         irq_o,          // a level: an enabled bit of IRQ_STATUS is set
  // trace
  input  logic                         trace_en_i,
  output logic [3:0]                   trace_valid_o,
  output logic [127:0]                 trace_num_o,
  output logic [255:0]                 trace_digest_o,
  output logic [31:0]                  trace_wnum_o,
  output logic [63:0]                  trace_cycles_o,  // the counters of tsr_regs, in every cycle
  output logic [511:0]                 trace_counts_o,
  output logic [35:0]                  trace_moves_o,   // commands taken, tokens
  output logic [127:0]                 trace_taken_num_o,
  output logic [47:0]                  trace_stand_o    // of the cycle before
);
  localparam int BusBytes = tsr_pkg::BusBytes;

  // ---- registers and control
  logic start, soft_reset, profile, locked, busy, done, error, leftover, refused;
  logic [2:0] irq_set;
  logic [39:0] insn_addr;
  logic [31:0] insn_count, err_num, retired;
  tsr_dma_pkg::seg_write_t seg_write;
  logic [7:0] err_code, err_unit;
  logic [63:0] cycles;
  logic [127:0] busy_count, token_count, memory_count, hazard_count, unit_state, unit_num;
  tsr_regs u_regs (
    .clk_i,
    .rst_ni,
    .s_awvalid_i(s_axil_awvalid_i),
    .s_awready_o(s_axil_awready_o),
    .s_awaddr_i(s_axil_awaddr_i),
    .s_wvalid_i(s_axil_wvalid_i),
    .s_wready_o(s_axil_wready_o),
    .s_wdata_i(s_axil_wdata_i),
    .s_wstrb_i(s_axil_wstrb_i),
    .s_bvalid_o(s_axil_bvalid_o),
    .s_bready_i(s_axil_bready_i),
    .s_bresp_o(s_axil_bresp_o),
    .s_arvalid_i(s_axil_arvalid_i),
    .s_arready_o(s_axil_arready_o),
    .s_araddr_i(s_axil_araddr_i),
    .s_rvalid_o(s_axil_rvalid_o),
    .s_rready_i(s_axil_rready_i),
    .s_rdata_o(s_axil_rdata_o),
    .s_rresp_o(s_axil_rresp_o),
    .start_o(start),
    .soft_reset_o(soft_reset),
    .profile_o(profile),
    .insn_addr_o(insn_addr),
    .insn_count_o(insn_count),
    .seg_write_o(seg_write),
    .irq_o,
    .irq_set_i(irq_set),
    .locked_i(locked),
    .busy_i(busy),
    .refused_i(refused),
    .done_i(done),
    .error_i(error),
    .leftover_i(leftover),
    .err_code_i(err_code),
    .err_unit_i(err_unit),
    .err_num_i(err_num),
    .retired_i(retired),
    .cycles_i(cycles),
    .busy_count_i(busy_count),
    .token_count_i(token_count),
    .memory_count_i(memory_count),
    .hazard_count_i(hazard_count),
    .unit_state_i(unit_state),
    .unit_num_i(unit_num)
  );

  assign busy_o = busy | start;

  logic core_rst_n, flush, vta, vta_next, quiet, read_quiet, write_quiet, finish, finish_counts, tokens_left, err_compute;
  logic [5:0] errs;
  logic [6*4-1:0] err_codes;
  logic [6*32-1:0] err_nums;
  logic [3:0] gate_retired, gate_traced, gate_idle, gate_token, unit_busy, unit_memory, unit_hazard, unit_errs;
  logic [15:0] gate_missing, gate_stalled, late;
  logic [127:0] gate_num;
  assign quiet = read_quiet & write_quiet;
  tsr_control u_control (
    .clk_i,
    .rst_ni,
    .start_i(start),
    .soft_reset_i(soft_reset),
    .profile_i(profile),
    .core_rst_no(core_rst_n),
    .flush_o(flush),
    .vta_o(vta),
    .vta_next_o(vta_next),
    .quiet_i(quiet),
    .finish_i(finish),
    .finish_counts_i(finish_counts),
    .tokens_left_i(tokens_left),
    .err_valid_i(errs),
    .err_code_i(err_codes),
    .err_num_i(err_nums),
    .err_compute_i(err_compute),
    .retired_i(gate_retired),
    .unit_busy_i(unit_busy),
    .unit_token_i(gate_token),
    .unit_memory_i(unit_memory),
    .unit_hazard_i(unit_hazard),
    .unit_holds_i(~gate_idle),
    .unit_missing_i(gate_missing),
    .unit_stalled_i(gate_stalled),
    .unit_num_i(gate_num),
    .locked_o(locked),
    .irq_set_o(irq_set),
    .refused_o(refused),
    .busy_o(busy),
    .done_o(done),
    .error_o(error),
    .leftover_o(leftover),
    .err_code_o(err_code),
    .err_unit_o(err_unit),
    .err_num_o(err_num),
    .retired_o(retired),
    .cycles_o(cycles),
    .busy_count_o(busy_count),
    .token_count_o(token_count),
    .memory_count_o(memory_count),
    .hazard_count_o(hazard_count),
    .late_o(late),
    .unit_state_o(unit_state),
    .unit_num_o(unit_num)
  );

  // ---- the bus
  logic bus_rst_n;
  tsr_power_on u_bus_reset (.clk_i, .clear_i(m_axi_reset_i), .rst_no(bus_rst_n));
  logic f_ar_valid, f_ar_ready, f_r_valid, f_r_ready, l_ar_valid, l_ar_ready, l_r_valid, l_r_ready;
  logic [39:0] f_ar_addr, l_ar_addr, aw_addr;
  logic [7:0] f_ar_len, l_ar_len, aw_len;
  logic [BusBits-1:0] r_data, w_data;
  logic [BusBytes-1:0] w_strb;
  logic r_err, r_last, aw_valid, aw_ready, w_valid, w_ready, b_valid, b_err;
  logic [31:0] aw_num, wnum;
  tsr_axi_read #(.BusBits(BusBits)) u_read (
    .clk_i, .rst_ni(bus_rst_n), .flush_i(flush), .quiet_o(read_quiet),
    .f_ar_valid_i(f_ar_valid),
    .f_ar_ready_o(f_ar_ready),
    .f_ar_addr_i(f_ar_addr),
    .f_ar_len_i(f_ar_len),
    .f_r_valid_o(f_r_valid),
    .f_r_ready_i(f_r_ready),
    .l_ar_valid_i(l_ar_valid),
    .l_ar_ready_o(l_ar_ready),
    .l_ar_addr_i(l_ar_addr),
    .l_ar_len_i(l_ar_len),
    .l_r_valid_o(l_r_valid),
    .l_r_ready_i(l_r_ready),
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
  tsr_axi_write #(.BusBits(BusBits), .MaxBursts(16), .AxiVersion(AxiVersion)) u_write (
    .clk_i, .rst_ni(bus_rst_n), .flush_i(flush), .quiet_o(write_quiet),
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
    .wnum_o(wnum),
    .m_bvalid_i(m_axi_bvalid_i),
    .m_bready_o(m_axi_bready_o),
    .m_bresp_i(m_axi_bresp_i)
  );
  // Whole bus words, incrementing.
  assign {m_axi_arsize_o, m_axi_awsize_o} = {2{3'($clog2(BusBytes))}};
  assign {m_axi_arburst_o, m_axi_awburst_o} = {2{2'b01}};
  assign {m_axi_arcache_o, m_axi_awcache_o} = {2{AxCache}};
  assign {m_axi_arprot_o, m_axi_awprot_o} = {2{AxProt}};
  assign m_axi_awid_o = 1'b0;

  // ---- instructions and commands, by unit
  logic [3:0] cmd_valid, cmd_ready, retire;
  logic [35:0] gate_moves;
  tsr_dma_pkg::commands_t cmd;
  logic [127:0] cmd_num, gate_taken_num;
  logic [255:0] digest;
  tsr_issue #(
    .MaxBurst(MaxBurst)
  ) u_issue (
    .clk_i,
    .rst_ni(core_rst_n),
    .vta_next_i(vta_next),
    .seg_write_i(seg_write),
    .insn_addr_i(insn_addr),
    .insn_count_i(insn_count),
    .ar_valid_o(f_ar_valid),
    .ar_ready_i(f_ar_ready),
    .ar_addr_o(f_ar_addr),
    .ar_len_o(f_ar_len),
    .r_valid_i(f_r_valid),
    .r_ready_o(f_r_ready),
    .r_data_i(r_data),
    .r_err_i(r_err),
    .cmd_valid_o(cmd_valid),
    .cmd_ready_i(cmd_ready),
    .cmd_o(cmd),
    .cmd_num_o(cmd_num),
    .retire_i(retire),
    .digest_i(digest),
    .finish_o(finish),
    .finish_counts_o(finish_counts),
    .tokens_left_o(tokens_left),
    .unit_err_valid_i(unit_errs),
    .unit_err_num_i(err_nums[127:0]),
    .err_valid_o(errs),
    .err_compute_o(err_compute),
    .err_code_o(err_codes[4*4+:8]),
    .err_num_o(err_nums[32*4+:64]),
    .moves_o(gate_moves),
    .taken_num_o(gate_taken_num),
    .retired_o(gate_retired),
    .traced_o(gate_traced),
    .retired_num_o(trace_num_o),
    .retired_digest_o(trace_digest_o),
    .idle_o(gate_idle),
    .token_wait_o(gate_token),
    .missing_o(gate_missing),
    .stalled_o(gate_stalled),
    .num_o(gate_num)
  );

  // ---- units and scratchpads
  tsr_units #(
    .MaxBurst(MaxBurst)
  ) u_units (
    .clk_i,
    .rst_ni(core_rst_n),
    .vta_i(vta),
    .trace_en_i,
    .cmd_valid_i(cmd_valid),
    .cmd_ready_o(cmd_ready),
    .cmd_i(cmd),
    .cmd_num_i(cmd_num),
    .retire_o(retire),
    .digest_o(digest),
    .err_valid_o(unit_errs),
    .err_code_o(err_codes[15:0]),
    .err_num_o(err_nums[127:0]),
    .busy_o(unit_busy),
    .memory_o(unit_memory),
    .hazard_o(unit_hazard),
    .ar_valid_o(l_ar_valid),
    .ar_ready_i(l_ar_ready),
    .ar_addr_o(l_ar_addr),
    .ar_len_o(l_ar_len),
    .r_valid_i(l_r_valid),
    .r_ready_o(l_r_ready),
    .r_data_i(r_data),
    .r_err_i(r_err),
    .r_last_i(r_last),
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

  // ---- trace
  assign trace_valid_o = (trace_en_i & core_rst_n) ? gate_traced : 4'd0;  // the instructions that RETIRED counts
`ifdef SYNTHESIS
  assign {trace_wnum_o, trace_cycles_o, trace_counts_o, trace_moves_o, trace_taken_num_o, trace_stand_o} = '0;
  logic unused_trace;
  assign unused_trace = ^{wnum, late, gate_moves, gate_taken_num};
`else
  logic [511:0] counts;
  assign counts = {hazard_count, memory_count, token_count, busy_count};
  assign {trace_wnum_o, trace_cycles_o, trace_taken_num_o} = {wnum, cycles, gate_taken_num};
  assign trace_moves_o = core_rst_n ? gate_moves : 36'd0;
  for (genvar u = 0; u < 4; u++) begin : g_trace
    assign trace_stand_o[12*u+:12] = {unit_state[32*u+4+:8], late[12+u], late[8+u], late[4+u], late[u]};
  end
  for (genvar c = 0; c < 16; c++) begin : g_count
    assign trace_counts_o[32*c+:32] = counts[32*c+:32] + 32'(late[c]);
  end
`endif

  logic unused;
  assign unused = ^m_axi_bid_i;
  if (BusBits != tsr_pkg::BusBits) $fatal(1, "tsr_top: BusBits is %0d, bus_bits %0d", BusBits, tsr_pkg::BusBits);
  `TSR_ASSERT(the_machine_is_reset_with_the_bus, !m_axi_reset_i)
endmodule
`default_nettype wire
