// SPDX-License-Identifier: Apache-2.0
//
// tsr_axi_read: the AXI read channels of two requesters, drained at the end of a run.
//
//   Input   requests of fetch (f, id 0, goes first) and of LOAD (l, id 1)
//   Output  AXI read address channel from flops; beats back to the requester, by id
//   Cost    1 cycle from request to channel; 0 for beats
//
// Invariant: with flush_i the module sends no new request and drops every beat under way; quiet_o means
// that none is left. rst_ni resets the bus (tsr_power_on), not the machine: the module holds an offered
// request and awaits its beats even when the requesters are reset. A beat without a request (from before
// the configuration) is dropped and not counted.
`default_nettype none
`include "tsr_assert.svh"

module tsr_axi_read #(
  parameter int BusBits = 64
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               flush_i,
  output logic               quiet_o,
  // fetch
  input  logic               f_ar_valid_i,
  output logic               f_ar_ready_o,
  input  logic [39:0]        f_ar_addr_i,
  input  logic [7:0]         f_ar_len_i,
  output logic               f_r_valid_o,
  input  logic               f_r_ready_i,
  // LOAD
  input  logic               l_ar_valid_i,
  output logic               l_ar_ready_o,
  input  logic [39:0]        l_ar_addr_i,
  input  logic [7:0]         l_ar_len_i,
  output logic               l_r_valid_o,
  input  logic               l_r_ready_i,
  // beats, for both
  output logic [BusBits-1:0] r_data_o,
  output logic               r_err_o,
  output logic               r_last_o,
  // AXI
  output logic               m_arvalid_o,
  input  logic               m_arready_i,
  output logic [39:0]        m_araddr_o,
  output logic [7:0]         m_arlen_o,
  output logic [0:0]         m_arid_o,
  input  logic               m_rvalid_i,
  output logic               m_rready_o,
  input  logic [BusBits-1:0] m_rdata_i,
  input  logic [1:0]         m_rresp_i,
  input  logic               m_rlast_i,
  input  logic [0:0]         m_rid_i
);
  logic any, push, room, pick_l;
  assign pick_l = !f_ar_valid_i;
  assign any = (f_ar_valid_i | l_ar_valid_i) & !flush_i;
  assign push = any & room;
  assign f_ar_ready_o = room & !flush_i;
  assign l_ar_ready_o = room & !flush_i & pick_l;
  tsr_skid #(
    .Width(40 + 8 + 1)
  ) u_ar (
    .clk_i,
    .rst_ni,
    .valid_i(push),
    .ready_o(room),
    .data_i(pick_l ? {l_ar_addr_i, l_ar_len_i, 1'b1} : {f_ar_addr_i, f_ar_len_i, 1'b0}),
    .valid_o(m_arvalid_o),
    .ready_i(m_arready_i),
    .data_o({m_araddr_o, m_arlen_o, m_arid_o})
  );

  assign f_r_valid_o = m_rvalid_i & !m_rid_i[0] & !flush_i;
  assign l_r_valid_o = m_rvalid_i & m_rid_i[0] & !flush_i;
  assign m_rready_o = flush_i | (m_rid_i[0] ? l_r_ready_i : f_r_ready_i);
  assign r_data_o = m_rdata_i;
  assign r_err_o = m_rresp_i[1];
  assign r_last_o = m_rlast_i;

  logic [7:0] bursts_q;
  logic ends;
  assign ends = m_rvalid_i & m_rready_o & m_rlast_i & (bursts_q != '0);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) bursts_q <= '0;
    else bursts_q <= bursts_q + 8'(push) - 8'(ends);
  end
  assign quiet_o = bursts_q == '0;

  logic unused;
  assign unused = m_rresp_i[0];

  `TSR_ASSERT_STREAM(ar, m_arvalid_o, m_arready_i, {m_araddr_o, m_arlen_o, m_arid_o})
  `TSR_REQUIRE_IF(beat_was_asked_for, m_rvalid_i, bursts_q != '0)
  `TSR_ASSERT(in_range, bursts_q < 8'd200)
endmodule
`default_nettype wire
