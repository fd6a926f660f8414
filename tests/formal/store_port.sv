// SPDX-License-Identifier: Apache-2.0
//
// Proven of STORE at the machine's AXI write port: tsr_store with tsr_axi_write behind it, against a memory that takes
// and answers at any time and a program that stops at any time. Each burst lies in an aligned block of 16 bus words, so
// below 4 KiB and within AXI3's lengths; the bursts of a command are those of cut.svh, in order, each once, unchanged,
// and their beats add up to the bus words of the command's runs; each burst has as many words as its address says, with
// WLAST on the last word alone, also when its unit was reset; an offer stands until it is taken; every response is
// counted: the bus is called quiet when and only when each burst has its words and its response, and a command retires
// only after the response of its last burst. Free: which words tsr_store_pack gives and when, tile reads, commands that
// tsr_dma_check may give.
//
// sources: pkg dma/tsr_dma_pkg.sv common/tsr_tally.sv common/tsr_loop_count.sv prim/tsr_skid.sv dma/tsr_nest.sv
// sources: dma/tsr_dma_front.sv dma/tsr_dma_errors.sv dma/tsr_pad_count.sv dma/tsr_dma_walk.sv store/tsr_store_read.sv store/tsr_store_cut.sv
// sources: store/tsr_store_pack.sv store/tsr_store.sv bus/tsr_axi_write.sv
// free: tsr_dma_walk tsr_store_read tsr_store_cut tsr_store_pack
// depth: 4 2 24
// breaks: s/assign w_last = beat_q == owed_len;/assign w_last = beat_q == owed_len \& !flush_i;/
// breaks: s/runs_gone_q | (good & runs_ready)/runs_gone_q/
// breaks: s/assign run_ready = aw_ready_i & bursts_ready;/assign run_ready = aw_ready_i;/
// breaks: s/assign answered = b_valid_i & burst_valid & burst_last/assign answered = b_valid_i \& burst_valid/
// breaks: s/assign w_push = owed & w_room/assign w_push = w_room/
// breaks: s/assign ends = m_bvalid_i & (bursts_q != '0);/assign ends = m_bvalid_i;/;s/8'(ends)/8'(m_bvalid_i \& !flush_i)/
`include "tsr_assert.svh"
`include "queue.svh"
`include "cut.svh"
`include "asked.svh"

module prove_store_port #(
  parameter int MaxBurst  = 16,
  parameter int MaxBursts = 4
) (
  input logic                         clk_i,
  input logic                         rst_ni,   // reset of the bus
  input logic                         flush_i,  // the unit is in reset
  input logic                         cmd_valid_i,
  input logic [tsr_dma_pkg::CommandBits-1:0] cmd_i,
  input logic [31:0]                  cmd_num_i,
  input logic [63:0]                  tile_i,
  input logic                         m_awready_i,
  input logic                         m_wready_i,
  input logic                         m_bvalid_i,
  input logic [1:0]                   m_bresp_i
);
  localparam int BusBytes = tsr_pkg::BusBytes;
  localparam int BusShift = $clog2(BusBytes);
  logic unit_rst_n;
  assign unit_rst_n = rst_ni && !flush_i;
  logic cmd_ready, retire, err, busy, memwait, hazard, rd_valid, rd_acc, aw_valid, aw_ready, w_valid, w_ready, b_valid, b_err, quiet;
  logic [63:0] digest;
  logic [3:0] err_code;
  logic [31:0] err_num, aw_num, wnum;
  logic [19:0] rd_addr;
  logic [39:0] aw_addr, awaddr;
  logic [7:0] aw_len, awlen;
  logic [tsr_pkg::BusBits-1:0] w_data, wdata;
  logic [BusBytes-1:0] w_strb, wstrb;
  logic awvalid, wvalid, wlast, bready;
  tsr_store #(.MaxBurst(MaxBurst), .MaxBursts(MaxBursts)) dut (
    .clk_i, .rst_ni(unit_rst_n), .vta_i(1'b0), .cmd_valid_i, .cmd_ready_o(cmd_ready), .cmd_i, .cmd_num_i,
    .retire_valid_o(retire), .retire_ready_i(1'b1), .retire_digest_o(digest), .err_valid_o(err), .err_code_o(err_code),
    .err_num_o(err_num), .busy_o(busy), .memwait_o(memwait), .hazard_o(hazard), .st_rd_valid_o(rd_valid), .st_rd_ready_i(1'b1),
    .st_rd_addr_o(rd_addr), .st_rd_acc_o(rd_acc), .st_rd_data_valid_i(1'b0), .st_rd_data_i(tile_i[8*tsr_pkg::OutTileBytes-1:0]),
    .aw_valid_o(aw_valid), .aw_ready_i(aw_ready), .aw_addr_o(aw_addr), .aw_len_o(aw_len), .aw_num_o(aw_num), .w_valid_o(w_valid),
    .w_ready_i(w_ready), .w_data_o(w_data), .w_strb_o(w_strb), .b_valid_i(b_valid), .b_err_i(b_err)
  );
  tsr_axi_write #(.BusBits(tsr_pkg::BusBits), .MaxBursts(MaxBursts)) u_axi (
    .clk_i, .rst_ni, .flush_i, .quiet_o(quiet), .aw_valid_i(aw_valid), .aw_ready_o(aw_ready), .aw_addr_i(aw_addr), .aw_len_i(aw_len),
    .aw_num_i(aw_num), .w_valid_i(w_valid), .w_ready_o(w_ready), .w_data_i(w_data), .w_strb_i(w_strb), .b_valid_o(b_valid),
    .b_err_o(b_err), .m_awvalid_o(awvalid), .m_awready_i, .m_awaddr_o(awaddr), .m_awlen_o(awlen), .m_wvalid_o(wvalid), .m_wready_i,
    .m_wdata_o(wdata), .m_wstrb_o(wstrb), .m_wlast_o(wlast), .wnum_o(wnum), .m_bvalid_i, .m_bready_o(bready), .m_bresp_i
  );
  initial assume (!rst_ni);
  logic grant, aw, w, b;
  assign grant = aw_valid && aw_ready && !flush_i;  // with flush_i the unit is in reset
  assign aw = awvalid && m_awready_i;
  assign w = wvalid && m_wready_i;
  assign b = m_bvalid_i && bready;

  // ---- bursts
  localparam int GivenBits = 40 + tsr_pkg::BoxBytesBits + 3 + 3 * tsr_pkg::BoxSizeBits + 24 + 2 * 32 + 32;
  (* hierconn *) logic \dut.u_front.u_runs.valid_i ;
  (* hierconn *) logic \dut.u_front.u_runs.ready_o ;
  (* hierconn *) logic [GivenBits-1:0] \dut.u_front.u_runs.given ;
  (* hierconn *) logic [11:0] \dut.u_front.u_runs.put_q ;
  (* hierconn *) logic \u_axi.u_aw.head_full_q ;
  (* hierconn *) logic \u_axi.u_aw.spare_full_q ;
  (* hierconn *) logic [47:0] \u_axi.u_aw.spare_q ;
  logic aw_head, aw_spare;
  assign aw_head = \u_axi.u_aw.head_full_q ;
  assign aw_spare = \u_axi.u_aw.spare_full_q ;
  asked #(.MaxBurst(MaxBurst)) u_asked (
    .clk_i, .rst_ni, .unit_rst_ni(unit_rst_n), .cmd_valid_i, .cmd_ready_i(cmd_ready), .cmd_i, .cmd_num_i,
    .runs_valid_i(\dut.u_front.u_runs.valid_i ), .runs_ready_i(\dut.u_front.u_runs.ready_o ),
    .given_i(\dut.u_front.u_runs.given ), .grant_i(grant), .mine_i(1'b1), .request_i({aw_addr, aw_len}), .taken_i(aw),
    .held_i({aw_spare, aw_head}), .next_i({awaddr, awlen}), .behind_i(\u_axi.u_aw.spare_q ),
    .put_i(\dut.u_front.u_runs.put_q )
  );

  // ---- words
  logic owes, full, ends;  // bursts granted whose last word the channel has not taken, by their lengths
  logic [7:0] owed_len, place_q;
  assign ends = w && place_q == owed_len;
  tsr_fifo #(.Width(8), .Depth(MaxBursts + 2)) u_lens (
    .clk_i, .rst_ni, .valid_i(grant), .ready_o(full), .data_i(aw_len), .valid_o(owes), .ready_i(ends), .data_o(owed_len)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) place_q <= '0;
    else if (w) place_q <= wlast ? '0 : place_q + 8'd1;
  end
  `TSR_ASSERT_IF(last_exact, wvalid, owes && wlast == (place_q == owed_len))
  // Invariants for the induction: words and ends of bursts in the channel's buffer.
  localparam int OwedBits = $clog2(MaxBursts) + 1, LenBits = $clog2(MaxBursts + 2) + 1;
  localparam int WordBits = 9 * BusBytes + 1 + 32;
  (* hierconn *) logic \u_axi.u_w.head_full_q ;
  (* hierconn *) logic \u_axi.u_w.spare_full_q ;
  (* hierconn *) logic [WordBits-1:0] \u_axi.u_w.spare_q ;
  (* hierconn *) logic [OwedBits-1:0] \u_axi.u_owed.count_q ;
  (* hierconn *) logic [40*MaxBursts-1:0] \u_axi.u_owed.beats_q ;
  (* hierconn *) logic [LenBits-1:0] \u_lens.count_q ;
  (* hierconn *) logic [8*(MaxBursts+2)-1:0] \u_lens.beats_q ;
  (* hierconn *) logic [7:0] \u_axi.beat_q ;
  logic one, two, one_ends, two_ends;
  logic [1:0] ended;
  logic [LenBits-1:0] owed, lens;
  logic [WordBits-1:0] second;
  logic [40*MaxBursts-1:0] owed_beats;
  logic [8*(MaxBursts+2)-1:0] len_beats;
  logic [7:0] beat;
  assign second = \u_axi.u_w.spare_q ;
  assign one = \u_axi.u_w.head_full_q ;
  assign two = \u_axi.u_w.spare_full_q ;
  assign one_ends = one && wlast;
  assign two_ends = two && second[32];
  assign ended = 2'(one_ends) + 2'(two_ends);
  assign owed = LenBits'(\u_axi.u_owed.count_q );
  assign owed_beats = \u_axi.u_owed.beats_q ;
  assign lens = \u_lens.count_q ;
  assign len_beats = \u_lens.beats_q ;
  assign beat = \u_axi.beat_q ;
  logic [MaxBursts-1:0] same_len;
  for (genvar i = 0; i < MaxBursts; i++) begin : g_len
    logic [7:0] there;
    assign there = ended == 2'd2 ? len_beats[8*(i+2)+:8] : ended == 2'd1 ? len_beats[8*(i+1)+:8] : len_beats[8*i+:8];
    assign same_len[i] = LenBits'(i) >= owed || owed_beats[40*i+32+:8] == there;
  end
  logic [7:0] second_place, second_len;
  assign second_place = one_ends ? 8'd0 : place_q + 8'd1;
  assign second_len = one_ends ? len_beats[15:8] : len_beats[7:0];
  `TSR_ASSERT(lens_same, lens == owed + LenBits'(ended) && 32'(owed) <= MaxBursts && same_len == '1)
  `TSR_ASSERT_IF(first_in_place, one, place_q <= len_beats[7:0])
  `TSR_ASSERT_IF(second_in_place, two, second_place <= second_len && second[32] == (second_place == second_len))
  `TSR_ASSERT(next_in_place, beat == (two ? (two_ends ? 8'd0 : second_place + 8'd1) : one ? second_place : place_q))
  `TSR_ASSERT_IF(next_owed, beat != '0, owed != '0 && beat <= owed_beats[39:32])

  // ---- responses
  localparam int OutBits = $clog2(MaxBursts) + 1;
  (* hierconn *) logic [7:0] \u_axi.bursts_q ;
  (* hierconn *) logic [OutBits-1:0] \dut.u_bursts.count_q ;
  (* hierconn *) logic [33*MaxBursts-1:0] \dut.u_bursts.beats_q ;
  logic [7:0] addressed_q, written_q, bursts;  // unanswered bursts whose address, whose words the channel took
  logic [OutBits-1:0] waiting;
  assign waiting = \dut.u_bursts.count_q ;
  assign bursts = \u_axi.bursts_q ;
  logic flush_q, quiet_q;
  always_ff @(posedge clk_i) begin
    {flush_q, quiet_q} <= {flush_i, quiet};
    if (!rst_ni) {addressed_q, written_q} <= '0;
    else begin
      addressed_q <= addressed_q + 8'(aw) - 8'(b);
      written_q <= written_q + 8'(w && wlast) - 8'(b);
    end
  end
  always_comb if (rst_ni) begin
    answers_bursts: assume (!m_bvalid_i || (addressed_q != '0 && written_q != '0));
    runs_when_quiet: assume (flush_i || !flush_q || quiet_q);
  end
  initial assume (flush_i);
  `TSR_ASSERT(bursts_counted, bursts == addressed_q + 8'(aw_head) + 8'(aw_spare) && bursts == written_q + 8'(lens))
  `TSR_ASSERT(quiet_exact, quiet == (!awvalid && !wvalid && !owes && addressed_q == '0 && written_q == '0))
  `TSR_ASSERT(few, 32'(bursts) <= MaxBursts && addressed_q <= bursts && written_q <= bursts &&
              (flush_i || 32'(waiting) == 32'(bursts)) && 32'(waiting) <= MaxBursts)
  // Commands whose last burst was answered without an error and which have not retired. Each command with data that
  // retires is one of them.
  (* hierconn *) logic \dut.run_last ;
  (* hierconn *) logic \dut.cmd_empty ;
  (* hierconn *) logic \dut.some_answered_q ;
  (* hierconn *) logic [4:0] \dut.answered_q ;
  logic owes_last, lasts_full, is_last, failed_q, retires_one;
  logic [4:0] answered_q;
  assign retires_one = retire && !\dut.cmd_empty ;
  tsr_fifo #(.Width(1), .Depth(MaxBursts)) u_lasts (
    .clk_i, .rst_ni(unit_rst_n), .valid_i(grant), .ready_o(lasts_full), .data_i(\dut.run_last ), .valid_o(owes_last),
    .ready_i(b), .data_o(is_last)
  );
  always_ff @(posedge clk_i) begin
    if (!unit_rst_n) {failed_q, answered_q} <= '0;
    else begin
      failed_q <= failed_q || (b && m_bresp_i[1]);
      answered_q <= answered_q + 5'(b && is_last && !m_bresp_i[1] && !failed_q) - 5'(retires_one);
    end
  end
  `TSR_ASSERT_IF(answered_exact, unit_rst_n, answered_q == \dut.answered_q  && \dut.some_answered_q  == (answered_q != '0))
  `TSR_ASSERT_IF(retires_when_answered, unit_rst_n && retires_one, answered_q != '0)
  // Invariants for the induction: each command with data in the queue of those to retire is answered, or its last burst
  // is on its way.
  (* hierconn *) logic \dut.stopped ;
  (* hierconn *) logic [4:0] \dut.u_cmds.count_q ;
  (* hierconn *) logic [15:0] \dut.u_cmds.beats_q ;
  (* hierconn *) logic [OutBits-1:0] \u_lasts.count_q ;
  (* hierconn *) logic [MaxBursts-1:0] \u_lasts.beats_q ;
  (* hierconn *) logic \dut.u_front.full_q ;
  (* hierconn *) logic \dut.u_front.good ;
  (* hierconn *) logic \dut.u_front.box_gone_q ;
  (* hierconn *) logic \dut.u_front.runs_gone_q ;
  (* hierconn *) logic \dut.u_front.u_runs.full_q ;
  (* hierconn *) logic \dut.u_front.u_runs.out_valid_q ;
  (* hierconn *) logic \dut.u_front.u_runs.out_box_q ;
  (* hierconn *) logic [tsr_dma_pkg::FixedBits+tsr_pkg::BoxBits-1:0] \dut.u_front.cmd_q ;
  (* hierconn *) logic [7:0] \dut.u_inside.behind_q ;
  (* hierconn *) logic \dut.u_inside.up_q ;
  (* hierconn *) logic \dut.u_inside.down_q ;
  localparam int NopAt = tsr_dma_pkg::FixedBits + tsr_pkg::BoxBits - tsr_dma_pkg::LoadOnlyBits - 5;
  logic front, good, nop, no_data, box_gone, runs_gone;
  logic [4:0] commands;
  logic [15:0] empties;
  logic [MaxBursts-1:0] lasts;
  logic [33*MaxBursts-1:0] waiting_beats;
  assign front = \dut.u_front.full_q ;
  assign good = \dut.u_front.good ;
  assign {nop, no_data} = \dut.u_front.cmd_q [NopAt-:2];
  assign box_gone = \dut.u_front.box_gone_q ;
  assign runs_gone = \dut.u_front.runs_gone_q ;
  assign commands = \dut.u_cmds.count_q ;
  assign empties = \dut.u_cmds.beats_q ;
  assign lasts = \u_lasts.beats_q ;
  assign waiting_beats = \dut.u_bursts.beats_q ;
  logic [5:0] to_retire, on_the_way;
  logic same_lasts;
  always_comb begin
    to_retire = '0;
    on_the_way = 6'(\dut.u_front.u_runs.full_q ) + 6'(\dut.u_front.u_runs.out_valid_q  && \dut.u_front.u_runs.out_box_q );
    same_lasts = \u_lasts.count_q  == waiting;
    for (int i = 0; i < 16; i++) to_retire = to_retire + 6'(i < 32'(commands) && !empties[i]);
    for (int i = 0; i < MaxBursts; i++) begin
      on_the_way = on_the_way + 6'(i < 32'(waiting) && lasts[i]);
      if (i < 32'(waiting) && lasts[i] != waiting_beats[33*i]) same_lasts = 1'b0;
    end
    if (good && !nop && box_gone && !runs_gone) on_the_way = on_the_way + 6'd1;
    if (good && !nop && !box_gone && runs_gone) on_the_way = on_the_way - 6'd1;
  end
  // A box of STORE without data has no tiles.
  always_comb if (unit_rst_n) empty: assume (nop == no_data);
  `TSR_ASSERT_IF(lasts_same, unit_rst_n, same_lasts && \dut.stopped  == failed_q)
  `TSR_ASSERT_IF(answered_or_coming, unit_rst_n && !failed_q, to_retire == 6'(answered_q) + on_the_way)
  `TSR_ASSERT_IF(few_answered, unit_rst_n, answered_q <= 5'd17 && commands <= 5'd16)
  `TSR_ASSERT_IF(gone, unit_rst_n && (box_gone || runs_gone), front && good)
  `TSR_ASSERT_IF(inside, unit_rst_n, !(\dut.u_inside.up_q  && \dut.u_inside.down_q ) &&
                 \dut.u_inside.behind_q  + 8'(\dut.u_inside.up_q ) - 8'(\dut.u_inside.down_q ) == 8'(commands) + 8'(front && !box_gone))
  `TSR_COVER(two_bursts_of_a_run, aw && awlen == 8'd15)
  `TSR_COVER(second_command_retires, unit_rst_n && retires_one && m_bvalid_i)
  `TSR_COVER(drained, flush_i && w && wlast)
endmodule
