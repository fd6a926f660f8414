// SPDX-License-Identifier: Apache-2.0
//
// Proven of fetch at the machine's AXI read port: tsr_fetch with tsr_axi_read behind it and any LOAD beside it, against
// a memory that takes and answers at any time and programs that stop at any time. Each burst lies in an aligned block
// of 16 bus words, so below 4 KiB and within AXI3's lengths; fetch's bursts follow each other from the program's first
// bus word on, and fetch requests each once; their beats and the beats not yet requested are the bus words of the
// program; an offer stands until it is taken; each beat has a place. Assumed, from axi_read.sv and load_port.sv: a run
// begins when all beats of the run before have come; from fifo.sv: the queue of beats has a beat at its output when it
// holds one, and room for Beats.
//
// sources: pkg dma/tsr_dma_pkg.sv prim/tsr_skid.sv bus/tsr_axi_read.sv issue/tsr_fetch.sv
// free: tsr_fifo
// depth: 4 2 24
// breaks: s/assign asks = ends ? left_q\[BurstBits:0\] : block_left;/assign asks = block_left;/
// breaks: s/assign out_ready = ar_ready_i & room_q;/assign out_ready = ar_ready_i;/
// breaks: s/assign block_left = (BurstBits + 1)'(MaxBurst) - .*;/assign block_left = (BurstBits + 1)'(MaxBurst);/
`include "tsr_assert.svh"
`include "queue.svh"
`include "asked.svh"

module prove_fetch_port #(
  parameter int MaxBurst = 16,
  parameter int Beats    = 64
) (
  input logic        clk_i,
  input logic        rst_ni,   // reset of the bus
  input logic        flush_i,  // fetch is in reset
  input logic        vta_i,
  input logic [39:0] addr_i,
  input logic [31:0] count_i,
  input logic        insn_ready_i,
  input logic        l_ar_valid_i,
  input logic [39:0] l_ar_addr_i,
  input logic [7:0]  l_ar_len_i,
  input logic        l_r_ready_i,
  input logic        m_arready_i,
  input logic        m_rvalid_i,
  input logic [1:0]  m_rresp_i,
  input logic        m_rlast_i,
  input logic [0:0]  m_rid_i
);
  localparam int BusBytes = tsr_pkg::BusBytes;
  localparam int BusShift = $clog2(BusBytes);
  logic unit_rst_n;
  assign unit_rst_n = rst_ni && !flush_i;
  logic f_valid, f_ready, f_r_valid, f_r_ready, l_ready, l_r_valid, quiet, r_err, r_last, arvalid, rready, insn_valid, last, none, err;
  logic [39:0] f_addr, araddr;
  logic [7:0] f_len, arlen;
  logic [0:0] arid;
  logic [tsr_pkg::BusBits-1:0] r_data;
  logic [255:0] insn;
  logic [31:0] num, err_num;
  tsr_fetch #(.MaxBurst(MaxBurst), .Beats(Beats)) u_fetch (
    .clk_i, .rst_ni(unit_rst_n), .vta_i, .vta_next_i(vta_i), .addr_i, .count_i, .ar_valid_o(f_valid), .ar_ready_i(f_ready),
    .ar_addr_o(f_addr), .ar_len_o(f_len), .r_valid_i(f_r_valid), .r_ready_o(f_r_ready), .r_data_i(r_data), .r_err_i(r_err),
    .insn_valid_o(insn_valid), .insn_ready_i, .insn_o(insn), .num_o(num), .last_o(last), .none_o(none), .err_valid_o(err),
    .err_num_o(err_num)
  );
  tsr_axi_read #(.BusBits(tsr_pkg::BusBits)) dut (
    .clk_i, .rst_ni, .flush_i, .quiet_o(quiet), .f_ar_valid_i(f_valid), .f_ar_ready_o(f_ready), .f_ar_addr_i(f_addr),
    .f_ar_len_i(f_len), .f_r_valid_o(f_r_valid), .f_r_ready_i(f_r_ready), .l_ar_valid_i, .l_ar_ready_o(l_ready), .l_ar_addr_i,
    .l_ar_len_i, .l_r_valid_o(l_r_valid), .l_r_ready_i, .r_data_o(r_data), .r_err_o(r_err), .r_last_o(r_last),
    .m_arvalid_o(arvalid), .m_arready_i, .m_araddr_o(araddr), .m_arlen_o(arlen), .m_arid_o(arid), .m_rvalid_i, .m_rready_o(rready),
    .m_rdata_i('0), .m_rresp_i, .m_rlast_i, .m_rid_i
  );
  initial assume (!rst_ni);
  initial assume (flush_i);
  logic f_grant, l_grant, ar, f_r;
  assign f_grant = f_valid && f_ready;
  assign l_grant = l_ar_valid_i && l_ready;
  assign ar = arvalid && m_arready_i;
  assign f_r = m_rvalid_i && rready && !m_rid_i[0];

  // ---- bursts
  (* hierconn *) logic \dut.u_ar.head_full_q ;
  (* hierconn *) logic \dut.u_ar.spare_full_q ;
  (* hierconn *) logic [48:0] \dut.u_ar.spare_q ;
  (* hierconn *) logic [7:0] \dut.bursts_q ;
  logic [48:0] behind;
  logic [1:0] counts;
  logic [11:0] waiting, taken;
  assign behind = \dut.u_ar.spare_q ;
  in_order #(.MaxBurst(MaxBurst)) u_order (
    .clk_i, .rst_ni, .unit_rst_ni(unit_rst_n), .grant_i(f_grant || l_grant), .mine_i(f_grant),
    .request_i(f_grant ? {f_addr, f_len} : {l_ar_addr_i, l_ar_len_i}), .taken_i(ar),
    .held_i({\dut.u_ar.spare_full_q , \dut.u_ar.head_full_q }), .next_i({araddr, arlen}), .behind_i(behind[48:1]),
    .counts_o(counts), .waiting_o(waiting), .taken_o(taken)
  );
  // The bus words of the program (fetch reads at most 4 GiB) and of the granted bursts, modulo 4 Ki; the word behind
  // the last burst granted, and behind the last that the channel took.
  localparam int CountBits = $clog2(Beats) + 1, BurstBits = $clog2(MaxBurst), WordBits = 40 - BusShift;
  (* hierconn *) logic [WordBits-1:0] \u_fetch.at_q ;
  (* hierconn *) logic [32-BusShift:0] \u_fetch.left_q ;
  (* hierconn *) logic \u_fetch.out_valid_q ;
  (* hierconn *) logic [BurstBits:0] \u_fetch.asks ;
  logic [36:0] bytes;
  logic [32-BusShift:0] words, left;
  logic [11:0] words_q, granted_q, out;
  logic [WordBits-1:0] grant_at_q, take_at_q, at, behind_out, behind_next, behind_last;
  logic out_valid;
  assign bytes = vta_i ? {1'b0, count_i, 4'd0} : {count_i, 5'd0};
  assign words = bytes[36:32] != '0 ? (33 - BusShift)'(32'hffff_ffe0 / BusBytes)
                                    : bytes[32:BusShift] + (33 - BusShift)'(bytes[BusShift-1:0] != '0);
  assign left = \u_fetch.left_q ;
  assign at = \u_fetch.at_q ;
  assign out_valid = \u_fetch.out_valid_q ;
  assign out = out_valid ? 12'(f_len) + 12'd1 : 12'd0;
  assign behind_out = f_addr[39:BusShift] + WordBits'(f_len) + WordBits'(1);
  assign behind_next = araddr[39:BusShift] + WordBits'(arlen) + WordBits'(1);
  assign behind_last = behind[48:9+BusShift] + WordBits'(behind[8:1]) + WordBits'(1);
  always_ff @(posedge clk_i) begin
    if (!unit_rst_n) begin
      words_q <= words[11:0];
      granted_q <= '0;
      {grant_at_q, take_at_q} <= {2{addr_i[39:BusShift]}};
    end else begin
      if (f_grant) {granted_q, grant_at_q} <= {granted_q + out, behind_out};
      if (ar && counts[0]) take_at_q <= behind_next;
    end
  end
  `TSR_ASSERT_IF(begins_there, unit_rst_n && out_valid, f_addr[39:BusShift] == grant_at_q)
  `TSR_ASSERT_IF(follows, unit_rst_n && counts[0], !arid[0] && araddr[39:BusShift] == take_at_q)
  `TSR_ASSERT_IF(all_words, unit_rst_n, words_q == granted_q + out + left[11:0])
  `TSR_ASSERT_IF(all_taken, unit_rst_n, grant_at_q == (counts[1] ? behind_last : counts[0] ? behind_next : take_at_q))
  `TSR_ASSERT_IF(no_more, unit_rst_n && left != '0, (33 - BusShift)'(\u_fetch.asks ) <= left)
  // Invariants for the induction.
  `TSR_ASSERT_IF(then_follows, unit_rst_n && counts[1], behind[48:9+BusShift] == (counts[0] ? behind_next : take_at_q))
  `TSR_ASSERT_IF(rest_follows, unit_rst_n && left != '0, at == (out_valid ? behind_out : grant_at_q))
  `TSR_ASSERT_IF(in_a_block, unit_rst_n && out_valid, 32'(f_addr[BusShift+:BurstBits]) + 32'(f_len) < MaxBurst)

  // ---- beats: each place is for a beat that is requested and has not come, or for one that is here
  (* hierconn *) logic [CountBits-1:0] \u_fetch.taken_q ;
  (* hierconn *) logic \u_fetch.room_q ;
  (* hierconn *) logic \u_fetch.asks_q ;
  (* hierconn *) logic \u_fetch.left_late_q ;
  (* hierconn *) logic \u_fetch.leaves ;
  (* hierconn *) logic \u_fetch.beat_valid ;
  logic [CountBits-1:0] places, here_q;
  logic [CountBits:0] open_q;
  logic room, asks, late, flush_q, vta_q;
  logic [39:0] addr_q;
  logic [31:0] count_q;
  assign places = \u_fetch.taken_q ;
  assign room = \u_fetch.room_q ;
  assign asks = \u_fetch.asks_q ;
  assign late = \u_fetch.left_late_q ;
  always_ff @(posedge clk_i) begin
    {flush_q, vta_q, addr_q, count_q} <= {flush_i, vta_i, addr_i, count_i};
    if (!unit_rst_n) here_q <= '0;
    else here_q <= here_q + CountBits'(f_r) - CountBits'(\u_fetch.leaves );
    if (!rst_ni) open_q <= '0;
    else open_q <= open_q + (ar && !arid[0] ? (CountBits + 1)'(arlen) + (CountBits + 1)'(1) : '0) - (CountBits + 1)'(f_r);
  end
  logic [1:0] held, mine;  // requests in the channel's buffer, and those of fetch
  assign held = {\dut.u_ar.spare_full_q , \dut.u_ar.head_full_q };
  assign mine = held & ~{behind[0], arid[0]};
  always_comb if (rst_ni) begin
    load_bursts: assume (!l_ar_valid_i || (32'(l_ar_addr_i[BusShift+:BurstBits]) + 32'(l_ar_len_i) < MaxBurst &&
                                           l_ar_addr_i[BusShift-1:0] == '0));
    load_has_places: assume (\dut.bursts_q  < 8'd198);
    constant: assume (flush_i && flush_q || (vta_i == vta_q && addr_i == addr_q && count_i == count_q));
    beats_of_requests: assume (!m_rvalid_i || m_rid_i[0] || open_q != '0);
    queue_of_beats: assume (!unit_rst_n || (f_r_ready == (32'(here_q) != Beats) && \u_fetch.beat_valid  == (here_q != '0)));
    runs_when_quiet: assume (flush_i || !flush_q || (open_q == '0 && mine == '0));
  end
  `TSR_ASSERT_IF(own, unit_rst_n, counts == mine)
  `TSR_ASSERT_IF(places_counted, unit_rst_n, 32'(places) <= Beats && 32'(open_q) <= Beats && 32'(here_q) <= Beats &&
                 12'(places) == 12'(open_q) + waiting + 12'(here_q) + 12'(late))
  `TSR_ASSERT_IF(asks_with_room, unit_rst_n, asks == (room && out_valid) && (!room || places <= CountBits'(Beats - MaxBurst)))
  `TSR_COVER(whole_burst, unit_rst_n && ar && !arid[0] && arlen == 8'd15)
  `TSR_COVER(all_asked, unit_rst_n && 32'(words_q) > MaxBurst && granted_q == words_q && counts == '0)
endmodule
