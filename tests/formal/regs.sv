// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_regs: AXI4-Lite. Each accepted write and read has exactly one response, and no response comes without
// one; a response stands until it is taken; a host that offers and takes waits at most Most cycles, whatever the other
// channel does.
//
// The proof ignores the contents of the registers: the RAM of segments gives any data.
//
// sources: pkg common/tsr_sim_pkg.sv dma/tsr_dma_pkg.sv regs/tsr_regs.sv
// depth: 6 2 44
// breaks: s/s_bvalid_o <= write | (s_bvalid_o & !s_bready_i)/s_bvalid_o <= write/
// breaks: s/assign write = s_awvalid_i & s_wvalid_i & !s_bvalid_o/assign write = s_awvalid_i \& s_wvalid_i/
// breaks: s/chosen_q | (s_rvalid_o & !s_rready_i)/chosen_q | s_rvalid_o/
`include "tsr_assert.svh"

module tsr_lutram #(
  parameter int Depth    = 32,
  parameter int Width    = 8,
  parameter int AddrBits = 5
) (
  input  logic                clk_i,
  input  logic                we_i,
  input  logic [AddrBits-1:0] waddr_i,
  input  logic [Width-1:0]    wdata_i,
  input  logic [AddrBits-1:0] raddr_i,
  output logic [Width-1:0]    rdata_o
);
  (* anyseq *) logic [Width-1:0] any;
  assign rdata_o = any;
endmodule

module prove_regs (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         s_awvalid_i,
  input logic [11:0]  s_awaddr_i,
  input logic         s_wvalid_i,
  input logic [31:0]  s_wdata_i,
  input logic [3:0]   s_wstrb_i,
  input logic         s_bready_i,
  input logic         s_arvalid_i,
  input logic [11:0]  s_araddr_i,
  input logic         s_rready_i,
  input logic [2:0]   irq_set_i,
  input logic         locked_i,
  input logic [63:0]  cycles_i
);
  localparam int Most = 4;
  logic awready, wready, bvalid, arready, rvalid;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata;
  logic irq, start, soft_reset, profile;
  logic [39:0] insn_addr;
  logic [31:0] insn_count;
  tsr_dma_pkg::seg_write_t seg_write;
  tsr_regs dut (
    .clk_i, .rst_ni,
    .s_awvalid_i, .s_awready_o(awready), .s_awaddr_i, .s_wvalid_i, .s_wready_o(wready), .s_wdata_i, .s_wstrb_i,
    .s_bvalid_o(bvalid), .s_bready_i, .s_bresp_o(bresp), .s_arvalid_i, .s_arready_o(arready), .s_araddr_i,
    .s_rvalid_o(rvalid), .s_rready_i, .s_rdata_o(rdata), .s_rresp_o(rresp),
    .irq_o(irq), .start_o(start), .soft_reset_o(soft_reset), .profile_o(profile), .insn_addr_o(insn_addr),
    .insn_count_o(insn_count), .seg_write_o(seg_write), .irq_set_i, .locked_i, .busy_i(1'b0), .refused_i(1'b0), .done_i(1'b0),
    .error_i(1'b0), .leftover_i(1'b0), .err_code_i(8'd0), .err_unit_i(8'd0), .err_num_i(32'd0), .retired_i(32'd0), .cycles_i,
    .busy_count_i(128'd0), .token_count_i(128'd0), .memory_count_i(128'd0), .hazard_count_i(128'd0), .unit_state_i(128'd0),
    .unit_num_i(128'd0)
  );
  (* hierconn *) logic [5:0] \dut.zero_q ;
  (* hierconn *) logic \dut.reading_q ;
  (* hierconn *) logic \dut.chosen_q ;

  initial assume (!rst_ni);
  logic aw, w, ar, b, r;
  assign aw = s_awvalid_i && awready;
  assign w = s_wvalid_i && wready;
  assign ar = s_arvalid_i && arready;
  assign b = bvalid && s_bready_i;
  assign r = rvalid && s_rready_i;
  // Writes and reads accepted and not answered; cycles that an offer waits while the host takes every response.
  logic writes_q, reads_q, ready;
  logic [3:0] write_waits_q, read_waits_q, answer_waits_q;
  assign ready = \dut.zero_q [5];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {writes_q, reads_q, write_waits_q, read_waits_q, answer_waits_q} <= '0;
    end else begin
      writes_q <= writes_q + aw - b;
      reads_q <= reads_q + ar - r;
      write_waits_q <= (s_awvalid_i && s_wvalid_i && !aw && ready) ? write_waits_q + 4'(!bvalid || s_bready_i) : 4'd0;
      read_waits_q <= (s_arvalid_i && !ar && ready) ? read_waits_q + 4'(!rvalid || s_rready_i) : 4'd0;
      answer_waits_q <= (reads_q && !rvalid) ? answer_waits_q + 4'd1 : 4'd0;
    end
  end
  `TSR_ASSERT(both_halves, aw == w)
  `TSR_ASSERT(one_write, writes_q == bvalid && !(aw && writes_q))
  `TSR_ASSERT(one_read, !(ar && reads_q) && !(r && !reads_q))
  `TSR_ASSERT(okay, bresp == 2'b00 && rresp == 2'b00)
  `TSR_ASSERT(write_is_taken, 32'(write_waits_q) < Most)
  `TSR_ASSERT(read_is_taken, 32'(read_waits_q) < Most)
  `TSR_ASSERT(read_is_answered, 32'(answer_waits_q) < Most)
  // Invariants for the induction: where a read is.
  logic reading, chosen;
  assign reading = \dut.reading_q ;
  assign chosen = \dut.chosen_q ;
  `TSR_ASSERT(a_read_is_in_one_place, 2'(reading) + 2'(chosen) + 2'(rvalid) == 2'(reads_q))
  `TSR_ASSERT_IF(nothing_before, !ready, !writes_q && !reads_q)
  `TSR_ASSERT(write_steps, write_waits_q == 4'd0 || (!bvalid && (write_waits_q == 4'd1 || (write_waits_q == 4'd2 && !reading))))
  `TSR_ASSERT(read_steps, read_waits_q <= (reading ? 4'd0 : chosen ? 4'd1 : rvalid ? 4'd2 : 4'd3))
  `TSR_ASSERT(answer_steps, answer_waits_q <= (reading ? 4'd0 : chosen ? 4'd1 : 4'd2))
  `TSR_COVER(two_waiting, bvalid && rvalid)
endmodule
