// SPDX-License-Identifier: Apache-2.0
//
// Proven of tsr_fetch and tsr_axi_read together: LOAD's request, which yields to fetch's requests, waits for a bounded
// number of them and of cycles, even when the program never ends and its instructions leave as fast as they come. With
// 8 places and bursts of 4 the bounds are 7 requests of fetch and 16 cycles, where the memory takes a request at least
// every second cycle. The same argument holds for the machine's 64 places and bursts of 16: a place is free again when
// its beat has left, at most one beat a cycle, so fetch pauses once it has requested all its places, and LOAD's request
// goes in that pause. Fetch itself waits for nothing but the channel (axi_read.sv). Also: fetch's bursts stay in their
// blocks, so below 4 KiB, and each beat has a place. Not proven, and false: behind a memory that takes requests no
// faster than the beats of one come, LOAD may wait until the queues of all units are full or the program is read.
//
// sources: pkg prim/tsr_skid.sv bus/tsr_axi_read.sv issue/tsr_fetch.sv
// depth: 10 3 12
// breaks: s/room_added = added <= CountBits'(Beats - MaxBurst)/room_added = 1'b1/
// breaks: s/assign pick_l = !f_ar_valid_i;/assign pick_l = 1'b0;/
`include "tsr_assert.svh"
`include "queue.svh"

module prove_fair #(
  parameter int MaxBurst = 4,
  parameter int Beats    = 8
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input logic                        vta_i,
  input logic [39:0]                 addr_i,
  input logic [31:0]                 count_i,
  input logic                        r_valid_i,  // a beat of fetch
  input logic                        insn_ready_i,
  input logic                        load_asks_i,
  input logic                        m_rvalid_i,   // a beat of LOAD, the last of its burst
  input logic                        m_arready_i
);
  logic f_valid, f_ready, r_ready, insn_valid, last, none, err, l_ready, quiet, f_r_valid, l_r_valid, r_err, r_last;
  logic [39:0] f_addr;
  logic [7:0] f_len;
  logic [255:0] insn;
  logic [31:0] num, err_num;
  tsr_fetch #(.MaxBurst(MaxBurst), .Beats(Beats)) u_fetch (
    .clk_i, .rst_ni, .vta_i, .vta_next_i(vta_i), .addr_i, .count_i, .ar_valid_o(f_valid), .ar_ready_i(f_ready), .ar_addr_o(f_addr),
    .ar_len_o(f_len), .r_valid_i, .r_ready_o(r_ready), .r_data_i('0), .r_err_i(1'b0), .insn_valid_o(insn_valid), .insn_ready_i,
    .insn_o(insn), .num_o(num), .last_o(last), .none_o(none), .err_valid_o(err), .err_num_o(err_num)
  );
  logic arvalid, rready;
  logic [39:0] araddr;
  logic [7:0] arlen;
  logic [0:0] arid;
  logic [tsr_pkg::BusBits-1:0] r_data;
  tsr_axi_read #(.BusBits(tsr_pkg::BusBits)) dut (
    .clk_i, .rst_ni, .flush_i(1'b0), .quiet_o(quiet),
    .f_ar_valid_i(f_valid), .f_ar_ready_o(f_ready), .f_ar_addr_i(f_addr), .f_ar_len_i(f_len), .f_r_valid_o(f_r_valid),
    .f_r_ready_i(r_ready),
    .l_ar_valid_i(load_asks_i), .l_ar_ready_o(l_ready), .l_ar_addr_i('0), .l_ar_len_i('0), .l_r_valid_o(l_r_valid), .l_r_ready_i(1'b1),
    .r_data_o(r_data), .r_err_o(r_err), .r_last_o(r_last),
    .m_arvalid_o(arvalid), .m_arready_i, .m_araddr_o(araddr), .m_arlen_o(arlen), .m_arid_o(arid),
    .m_rvalid_i(m_rvalid_i && bursts != '0), .m_rready_o(rready), .m_rdata_i('0), .m_rresp_i('0), .m_rlast_i(1'b1), .m_rid_i(1'b1)
  );
  localparam int CountBits = $clog2(Beats) + 1, BurstBits = $clog2(MaxBurst), BusShift = $clog2(tsr_pkg::BusBytes);
  (* hierconn *) logic [7:0] \dut.bursts_q ;
  (* hierconn *) logic \dut.u_ar.spare_full_q ;
  (* hierconn *) logic \dut.u_ar.head_full_q ;
  (* hierconn *) logic [CountBits-1:0] \u_fetch.taken_q ;
  (* hierconn *) logic \u_fetch.room_q ;
  (* hierconn *) logic \u_fetch.asks_q ;
  (* hierconn *) logic \u_fetch.left_late_q ;
  (* hierconn *) logic \u_fetch.out_valid_q ;
  (* hierconn *) logic \u_fetch.step ;
  (* hierconn *) logic [32-BusShift:0] \u_fetch.left_q ;
  (* hierconn *) logic [39-BusShift:0] \u_fetch.at_q ;
  (* hierconn *) logic [CountBits-1:0] \u_fetch.u_beats.count_q ;
  logic [CountBits-1:0] here;
  assign here = \u_fetch.u_beats.count_q ;
  logic [7:0] bursts;
  logic [CountBits-1:0] taken;
  logic room, asks, spare, step, out_valid, more, late;
  logic [BurstBits-1:0] place;
  assign bursts = \dut.bursts_q ;
  assign taken = \u_fetch.taken_q ;
  assign room = \u_fetch.room_q ;
  assign asks = \u_fetch.asks_q ;
  assign late = \u_fetch.left_late_q ;
  assign spare = \dut.u_ar.spare_full_q ;
  assign step = \u_fetch.step ;
  assign out_valid = \u_fetch.out_valid_q ;
  assign more = \u_fetch.left_q != '0;
  assign place = \u_fetch.at_q [BurstBits-1:0];

  initial assume (!rst_ni);
  logic vta_q, ready_q, waits, waited_q, f_grant, first_q, out_first_q, first_in_q, last_in_q;
  logic [4:0] grants_q, cycles_q;
  logic [CountBits:0] due_q;  // beats of fetch under way
  logic [39:0] addr_q;
  logic [31:0] count_q;
  assign f_grant = f_valid && f_ready;
  assign waits = load_asks_i && !l_ready;
  always_ff @(posedge clk_i) begin
    {vta_q, ready_q, addr_q, count_q} <= {vta_i, m_arready_i, addr_i, count_i};
    waited_q <= rst_ni && waits;
    if (!rst_ni) begin
      {due_q, first_q} <= {{CountBits + 1{1'b0}}, 1'b1};
      {grants_q, cycles_q} <= '0;
      {first_in_q, last_in_q} <= '0;
    end else begin
      due_q <= due_q + (f_grant ? (CountBits + 1)'(f_len) + (CountBits + 1)'(1) : '0) - (CountBits + 1)'(r_valid_i);
      if (step) first_q <= 1'b0;
      if (step) out_first_q <= first_q;
      // Counts since LOAD began to wait.
      grants_q <= waits ? grants_q + 5'(f_grant) : 5'd0;
      cycles_q <= waits ? cycles_q + 5'd1 : 5'd0;
      first_in_q <= waits && (first_in_q || (f_grant && out_first_q));
      last_in_q <= waits && (last_in_q || (f_grant && !more));
    end
  end
  always_comb if (rst_ni) begin
    constant: assume (vta_i == vta_q && addr_i == addr_q && count_i == count_q);
    load_stays: assume (load_asks_i || !waited_q);
    channel_moves: assume (m_arready_i || ready_q);
    beats_of_requests: assume (!r_valid_i || due_q != '0);
    load_has_places: assume (bursts < 8'd190);
  end

  `TSR_ASSERT(few_requests, grants_q <= 5'd7)
  `TSR_ASSERT(few_cycles, cycles_q <= 5'd16)
  // Invariants for the induction. |potential|: the places that fetch has taken since then, which are those of its
  // requests less one a cycle.
  `TSR_ASSERT(asks_with_room, asks == (room && out_valid) && (!room || taken <= CountBits'(Beats - MaxBurst)) &&
              taken <= CountBits'(Beats))
  `TSR_ASSERT(places, 32'(due_q) <= Beats && (CountBits + 1)'(taken) == due_q + (CountBits + 1)'(here) + (CountBits + 1)'(late))
  `TSR_ASSERT_IF(whole_bursts, out_valid && !out_first_q && more, 32'(f_len) == MaxBurst - 1)
  `TSR_ASSERT_IF(in_a_block, out_valid, 32'(f_addr[BusShift+:BurstBits]) + 32'(f_len) < MaxBurst)
  `TSR_ASSERT_IF(aligned, !first_q, place == '0)
  `TSR_ASSERT_IF(one_first, out_valid && out_first_q, !first_q)
  `TSR_ASSERT(begins_with_first, (!first_q || !out_valid) && (waited_q || (grants_q == '0 && cycles_q == '0)))
  `TSR_ASSERT_IF(first_was_first, first_in_q, !first_q && !(out_valid && out_first_q))
  `TSR_ASSERT_IF(last_is_last, last_in_q, !more && !out_valid)
  `TSR_ASSERT(potential, 32'(taken) + 32'(cycles_q) + (first_in_q ? 3 : 0) + (last_in_q ? 3 : 0) >= 4 * 32'(grants_q))
  `TSR_ASSERT_IF(channel_rate, waited_q, 32'(cycles_q) <= 2 * 32'(grants_q) + 32'd1 + 32'(spare && ready_q))
  `TSR_COVER(waits_for_three, grants_q == 5'd3)
endmodule
