// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_axi_read: one requester is granted at a time; in that cycle the granted request, and nothing else, goes
// into the channel's buffer (tsr_skid, which has a proof of its own), with its address, length and id; LOAD waits only
// for fetch, for the channel, or for the end of a run, and fetch only for the latter two; bursts under way are counted
// exactly, so the bus is called quiet exactly when it is; no beat reaches a unit while a run is flushed.
//
// sources: bus/tsr_axi_read.sv prim/tsr_skid.sv
// depth: 6 2 8
// breaks: s/assign l_ar_ready_o = room & !flush_i & pick_l/assign l_ar_ready_o = room \& !flush_i/
// breaks: s/& m_rlast_i & (bursts_q != '0)/\& (bursts_q != '0)/
// breaks: s/assign f_r_valid_o = m_rvalid_i & !m_rid_i\[0\] & !flush_i/assign f_r_valid_o = m_rvalid_i \& !m_rid_i[0]/
`include "tsr_assert.svh"

module prove_axi_read #(
  parameter int BusBits = 8
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               flush_i,
  input logic               f_ar_valid_i,
  input logic [39:0]        f_ar_addr_i,
  input logic [7:0]         f_ar_len_i,
  input logic               f_r_ready_i,
  input logic               l_ar_valid_i,
  input logic [39:0]        l_ar_addr_i,
  input logic [7:0]         l_ar_len_i,
  input logic               l_r_ready_i,
  input logic               m_arready_i,
  input logic               m_rvalid_i,
  input logic [BusBits-1:0] m_rdata_i,
  input logic [1:0]         m_rresp_i,
  input logic               m_rlast_i,
  input logic [0:0]         m_rid_i
);
  logic quiet, f_ar_ready, l_ar_ready, f_r_valid, l_r_valid, r_err, r_last, arvalid, rready;
  logic [BusBits-1:0] r_data;
  logic [39:0] araddr;
  logic [7:0] arlen;
  logic [0:0] arid;
  tsr_axi_read #(.BusBits(BusBits)) dut (
    .clk_i, .rst_ni, .flush_i, .quiet_o(quiet),
    .f_ar_valid_i, .f_ar_ready_o(f_ar_ready), .f_ar_addr_i, .f_ar_len_i, .f_r_valid_o(f_r_valid), .f_r_ready_i,
    .l_ar_valid_i, .l_ar_ready_o(l_ar_ready), .l_ar_addr_i, .l_ar_len_i, .l_r_valid_o(l_r_valid), .l_r_ready_i,
    .r_data_o(r_data), .r_err_o(r_err), .r_last_o(r_last),
    .m_arvalid_o(arvalid), .m_arready_i, .m_araddr_o(araddr), .m_arlen_o(arlen), .m_arid_o(arid),
    .m_rvalid_i, .m_rready_o(rready), .m_rdata_i, .m_rresp_i, .m_rlast_i, .m_rid_i
  );
  (* hierconn *) logic \dut.room ;
  (* hierconn *) logic \dut.push ;
  (* hierconn *) logic [48:0] \dut.u_ar.data_i ;
  (* hierconn *) logic [7:0] \dut.bursts_q ;

  initial assume (!rst_ni);
  logic f_grant, l_grant, ends, room, push;
  logic [48:0] request;
  logic [7:0] bursts_q;  // bursts granted, until their last beat
  assign room = \dut.room ;
  assign push = \dut.push ;
  assign request = \dut.u_ar.data_i ;
  assign f_grant = f_ar_valid_i && f_ar_ready;
  assign l_grant = l_ar_valid_i && l_ar_ready;
  assign ends = m_rvalid_i && rready && m_rlast_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) bursts_q <= '0;
    else bursts_q <= bursts_q + 8'(f_grant || l_grant) - 8'(ends);
  end
  // LOAD and fetch have places for fewer bursts.
  always_comb if (rst_ni) places: assume (bursts_q < 8'd199);

  `TSR_ASSERT(one_grant, !(f_grant && l_grant) && push == (f_grant || l_grant))
  `TSR_ASSERT_IF(fetch_goes, f_grant, request == {f_ar_addr_i, f_ar_len_i, 1'b0})
  `TSR_ASSERT_IF(load_goes, l_grant, request == {l_ar_addr_i, l_ar_len_i, 1'b1})
  `TSR_ASSERT_IF(load_waits_for, l_ar_valid_i && !l_ar_ready, f_ar_valid_i || !room || flush_i)
  `TSR_ASSERT_IF(fetch_waits_for, f_ar_valid_i && !f_ar_ready, !room || flush_i)
  `TSR_ASSERT(quiet_exact, quiet == (bursts_q == 8'd0) && \dut.bursts_q  == bursts_q)
  `TSR_ASSERT_IF(flushed, flush_i, !push && !f_r_valid && !l_r_valid && rready)
  `TSR_ASSERT(one_taker, !(f_r_valid && l_r_valid))
  `TSR_ASSERT_IF(taken_by_its_owner, m_rvalid_i && rready && !flush_i, (f_r_valid && f_r_ready_i) || (l_r_valid && l_r_ready_i))
  `TSR_COVER(load_asks, l_grant)
  `TSR_COVER(drained, flush_i && ends)
endmodule
