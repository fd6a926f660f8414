// SPDX-License-Identifier: Apache-2.0
//
// Proven of LOAD at the machine's AXI read port: tsr_load with tsr_axi_read behind it and any fetch beside it, against
// a memory that takes and answers at any time and a program that stops at any time. Each burst lies in an aligned block
// of 16 bus words, so below 4 KiB and within AXI3's lengths; the bursts of a command are those of cut.svh, in order,
// each once, unchanged, and their beats add up to the bus words of the command's runs; an offer stands until it is
// taken; LOAD counts its bursts and beats under way exactly, and has at most MaxBursts bursts and MaxBeatsOut beats,
// plus two bursts, under way; LOAD takes every beat that the memory owes or, after its reset, drops it, before the bus
// is called quiet. Free: what tsr_load_align does with the beats and when, commands that tsr_dma_check may give,
// fetch's bursts.
//
// sources: pkg dma/tsr_dma_pkg.sv common/tsr_tally.sv common/tsr_loop_count.sv prim/tsr_skid.sv dma/tsr_nest.sv
// sources: dma/tsr_dma_front.sv dma/tsr_dma_errors.sv dma/tsr_pad_count.sv dma/tsr_dma_walk.sv load/tsr_load_align.sv
// sources: load/tsr_load.sv bus/tsr_axi_read.sv
// free: tsr_dma_walk tsr_load_align
// depth: 4 2 24
// breaks: s/assign ar_valid_o = run_valid & credit_q;/assign ar_valid_o = run_valid;/
// breaks: s/: box_gone & (runs_gone | box_o.no_data);/: box_gone;/
// breaks: s/beats_q < BeatBits'(MaxBeatsOut)) ||/beats_q < BeatBits'(MaxBeatsOut + MaxBurst)) ||/
// breaks: s/pick_l ? {l_ar_addr_i, l_ar_len_i, 1'b1}/pick_l ? {l_ar_addr_i, l_ar_len_i | f_ar_len_i, 1'b1}/
// breaks: s/.addr_i(box_o.addr),/.addr_i(box_o.addr | 40'(runs_gone_q | box_gone_q)),/
`include "tsr_assert.svh"
`include "queue.svh"
`include "cut.svh"
`include "asked.svh"

module prove_load_port #(
  parameter int MaxBurst    = 16,
  parameter int MaxBursts   = 4,
  parameter int MaxBeatsOut = 32
) (
  input logic                                clk_i,
  input logic                                rst_ni,   // reset of the bus
  input logic                                flush_i,  // the unit is in reset
  input logic                                cmd_valid_i,
  input logic [tsr_dma_pkg::CommandBits-1:0] cmd_i,
  input logic [31:0]                         cmd_num_i,
  input logic                                f_ar_valid_i,
  input logic [39:0]                         f_ar_addr_i,
  input logic [7:0]                          f_ar_len_i,
  input logic                                f_r_ready_i,
  input logic                                m_arready_i,
  input logic                                m_rvalid_i,
  input logic [tsr_pkg::BusBits-1:0]         m_rdata_i,
  input logic [1:0]                          m_rresp_i,
  input logic                                m_rlast_i,
  input logic [0:0]                          m_rid_i
);
  localparam int BusBits = tsr_pkg::BusBits;
  logic unit_rst_n;
  assign unit_rst_n = rst_ni && !flush_i;
  logic cmd_ready, retire, err, busy, memwait, hazard, quiet, f_ready, f_r_valid, l_valid, l_ready, l_r_valid, l_r_ready, r_err, r_last;
  logic [63:0] digest;
  logic [3:0] err_code;
  logic [31:0] err_num;
  logic [39:0] l_addr, araddr;
  logic [7:0] l_len, arlen;
  logic [BusBits-1:0] r_data, wr_data;
  logic arvalid, rready, wr_valid, wr_fill;
  logic [0:0] arid;
  logic [2:0] wr_mem;
  logic [19:0] wr_tile;
  logic [15:0] wr_off;
  logic [tsr_pkg::BusBytes-1:0] wr_be;
  logic [31:0] wr_pad;
  tsr_load #(.MaxBurst(MaxBurst), .MaxBursts(MaxBursts), .MaxBeatsOut(MaxBeatsOut)) dut (
    .clk_i, .rst_ni(unit_rst_n), .vta_i(1'b0), .trace_en_i(1'b0), .cmd_valid_i, .cmd_ready_o(cmd_ready), .cmd_i, .cmd_num_i,
    .retire_valid_o(retire), .retire_ready_i(1'b1), .retire_digest_o(digest), .err_valid_o(err), .err_code_o(err_code),
    .err_num_o(err_num), .busy_o(busy), .memwait_o(memwait), .hazard_o(hazard), .ar_valid_o(l_valid), .ar_ready_i(l_ready),
    .ar_addr_o(l_addr), .ar_len_o(l_len), .r_valid_i(l_r_valid), .r_ready_o(l_r_ready), .r_data_i(r_data), .r_err_i(r_err),
    .r_last_i(r_last), .ld_wr_valid_o(wr_valid), .ld_wr_ready_i(1'b1), .ld_wr_mem_o(wr_mem), .ld_wr_tile_o(wr_tile),
    .ld_wr_off_o(wr_off), .ld_wr_data_o(wr_data), .ld_wr_be_o(wr_be), .ld_wr_fill_o(wr_fill), .ld_wr_pad_o(wr_pad),
    .ld_wr_digest_i('0)
  );
  tsr_axi_read #(.BusBits(BusBits)) u_axi (
    .clk_i, .rst_ni, .flush_i, .quiet_o(quiet), .f_ar_valid_i, .f_ar_ready_o(f_ready), .f_ar_addr_i, .f_ar_len_i,
    .f_r_valid_o(f_r_valid), .f_r_ready_i, .l_ar_valid_i(l_valid), .l_ar_ready_o(l_ready), .l_ar_addr_i(l_addr),
    .l_ar_len_i(l_len), .l_r_valid_o(l_r_valid), .l_r_ready_i(l_r_ready), .r_data_o(r_data), .r_err_o(r_err), .r_last_o(r_last),
    .m_arvalid_o(arvalid), .m_arready_i, .m_araddr_o(araddr), .m_arlen_o(arlen), .m_arid_o(arid), .m_rvalid_i, .m_rready_o(rready),
    .m_rdata_i, .m_rresp_i, .m_rlast_i, .m_rid_i
  );
  initial assume (!rst_ni);
  initial assume (flush_i);
  logic f_grant, l_grant, ar, r, l_r, ends;
  assign f_grant = f_ar_valid_i && f_ready;
  assign l_grant = l_valid && l_ready;
  assign ar = arvalid && m_arready_i;
  assign r = m_rvalid_i && rready;
  assign l_r = r && m_rid_i[0];
  assign ends = r && m_rlast_i;

  // ---- bursts
  localparam int BusShift = $clog2(tsr_pkg::BusBytes);
  localparam int GivenBits = 40 + tsr_pkg::BoxBytesBits + 3 + 3 * tsr_pkg::BoxSizeBits + 24 + 2 * 32 + 32;
  (* hierconn *) logic \dut.u_front.u_runs.valid_i ;
  (* hierconn *) logic \dut.u_front.u_runs.ready_o ;
  (* hierconn *) logic [GivenBits-1:0] \dut.u_front.u_runs.given ;
  (* hierconn *) logic [11:0] \dut.u_front.u_runs.put_q ;
  (* hierconn *) logic \u_axi.u_ar.head_full_q ;
  (* hierconn *) logic \u_axi.u_ar.spare_full_q ;
  (* hierconn *) logic [48:0] \u_axi.u_ar.spare_q ;
  logic head, spare;
  logic [48:0] behind;
  assign head = \u_axi.u_ar.head_full_q ;
  assign spare = \u_axi.u_ar.spare_full_q ;
  assign behind = \u_axi.u_ar.spare_q ;
  asked #(.MaxBurst(MaxBurst)) u_asked (
    .clk_i, .rst_ni, .unit_rst_ni(unit_rst_n), .cmd_valid_i, .cmd_ready_i(cmd_ready), .cmd_i, .cmd_num_i,
    .runs_valid_i(\dut.u_front.u_runs.valid_i ), .runs_ready_i(\dut.u_front.u_runs.ready_o ),
    .given_i(\dut.u_front.u_runs.given ), .grant_i(f_grant || l_grant), .mine_i(l_grant),
    .request_i(l_grant ? {l_addr, l_len} : {f_ar_addr_i, f_ar_len_i}), .taken_i(ar),
    .held_i({spare, head}), .next_i({araddr, arlen}), .behind_i(behind[48:1]), .put_i(\dut.u_front.u_runs.put_q )
  );

  // ---- beats: the lengths of LOAD's granted bursts, and the bursts of both that the channel took, until their last
  // beat
  logic owes, full, flush_q, quiet_q;
  logic [7:0] owed_len, place_q, f_open_q, l_open_q;
  tsr_fifo #(.Width(8), .Depth(MaxBursts)) u_lens (
    .clk_i, .rst_ni, .valid_i(l_grant), .ready_o(full), .data_i(l_len), .valid_o(owes), .ready_i(l_r && m_rlast_i), .data_o(owed_len)
  );
  always_ff @(posedge clk_i) begin
    {flush_q, quiet_q} <= {flush_i, quiet};
    if (!rst_ni) {place_q, f_open_q, l_open_q} <= '0;
    else begin
      if (l_r) place_q <= m_rlast_i ? '0 : place_q + 8'd1;
      f_open_q <= f_open_q + 8'(ar && !arid[0]) - 8'(ends && !m_rid_i[0]);
      l_open_q <= l_open_q + 8'(ar && arid[0]) - 8'(ends && m_rid_i[0]);
    end
  end
  logic [7:0] f_open;
  assign f_open = f_open_q + 8'(head && !arid[0]) + 8'(spare && !behind[0]);
  always_comb if (rst_ni) begin
    fetch_bursts: assume (!f_ar_valid_i || (32'(f_ar_addr_i[BusShift+:$clog2(MaxBurst)]) + 32'(f_ar_len_i) < MaxBurst &&
                                            f_ar_addr_i[BusShift-1:0] == '0));
    fetch_has_places: assume (!f_grant || f_open < 8'd100);
    answers_bursts: assume (!m_rvalid_i || (m_rid_i[0] ? l_open_q != '0 : f_open_q != '0));
    last_exact: assume (!m_rvalid_i || !m_rid_i[0] || m_rlast_i == (place_q == owed_len));
    runs_when_quiet: assume (flush_i || !flush_q || quiet_q);
  end
  localparam int BurstBits = $clog2(MaxBursts) + 1;
  localparam int BeatBits = $clog2(MaxBeatsOut + 2 * MaxBurst) + 1;
  (* hierconn *) logic [7:0] \u_axi.bursts_q ;
  (* hierconn *) logic [BurstBits-1:0] \dut.bursts_q ;
  (* hierconn *) logic [BeatBits-1:0] \dut.beats_q ;
  (* hierconn *) logic \dut.credit_q ;
  (* hierconn *) logic [BurstBits-1:0] \u_lens.count_q ;
  (* hierconn *) logic [8*MaxBursts-1:0] \u_lens.beats_q ;
  logic [BurstBits-1:0] bursts, lens;
  logic [BeatBits-1:0] beats, due;
  logic [8*MaxBursts-1:0] len_beats;
  logic credit;
  assign bursts = \dut.bursts_q ;
  assign beats = \dut.beats_q ;
  assign credit = \dut.credit_q ;
  assign lens = \u_lens.count_q ;
  assign len_beats = \u_lens.beats_q ;
  always_comb begin
    due = BeatBits'(0) - BeatBits'(place_q);
    for (int i = 0; i < MaxBursts; i++) if (i < 32'(lens)) due = due + BeatBits'(len_beats[8*i+:8]) + BeatBits'(1);
  end
  `TSR_ASSERT_IF(counted, unit_rst_n, bursts == lens && beats == due)
  `TSR_ASSERT_IF(few, unit_rst_n, 32'(lens) <= MaxBursts && 32'(due) < MaxBeatsOut + 2 * MaxBurst &&
                 (!credit || (32'(lens) < MaxBursts && 32'(due) < MaxBeatsOut + MaxBurst)))
  `TSR_ASSERT(quiet_exact, quiet == (!arvalid && f_open_q == '0 && l_open_q == '0))
  // Invariants for the induction.
  `TSR_ASSERT(open, f_open <= 8'd100 && f_open_q <= f_open && \u_axi.bursts_q  == f_open + 8'(lens) && l_open_q <= 8'(lens) &&
              8'(lens) == l_open_q + 8'(head && arid[0]) + 8'(spare && behind[0]) && 32'(lens) <= MaxBursts)
  `TSR_ASSERT(in_place, place_q == '0 || (l_open_q != '0 && place_q <= len_beats[7:0]))
  logic [MaxBursts-1:0] short_len;
  for (genvar i = 0; i < MaxBursts; i++) begin : g_len
    assign short_len[i] = i >= 32'(lens) || 32'(len_beats[8*i+:8]) < MaxBurst;
  end
  `TSR_ASSERT(short_lens, short_len == '1)
  // Boxes inside tsr_dma_walk, which gives them back in order, and inside tsr_load_align, which says when they are
  // done.
  (* hierconn *) logic \dut.ctx_valid ;
  (* hierconn *) logic \dut.walk_ready ;
  (* hierconn *) logic \dut.op_valid ;
  (* hierconn *) logic \dut.op_ready ;
  (* hierconn *) logic \dut.op_last ;
  (* hierconn *) logic \dut.done ;
  (* hierconn *) logic \dut.done_q ;
  (* hierconn *) logic \dut.enters_q ;
  (* hierconn *) logic [4:0] \dut.u_ctx.count_q ;
  (* hierconn *) logic [5:0] \dut.u_nums.count_q ;
  (* hierconn *) logic \dut.u_front.full_q ;
  (* hierconn *) logic \dut.u_front.good ;
  (* hierconn *) logic \dut.u_front.box_gone_q ;
  (* hierconn *) logic \dut.u_front.runs_gone_q ;
  (* hierconn *) logic [7:0] \dut.u_inside.behind_q ;
  (* hierconn *) logic \dut.u_inside.up_q ;
  (* hierconn *) logic \dut.u_inside.down_q ;
  logic enters_walk, leaves_walk, front, good, box_gone, runs_gone, done_late, enters_late;
  logic [7:0] walk_q, align_q, boxes;
  assign enters_walk = \dut.ctx_valid  && \dut.walk_ready ;
  assign leaves_walk = \dut.op_valid  && \dut.op_ready  && \dut.op_last ;
  assign front = \dut.u_front.full_q ;
  assign good = \dut.u_front.good ;
  assign box_gone = \dut.u_front.box_gone_q ;
  assign runs_gone = \dut.u_front.runs_gone_q ;
  assign done_late = \dut.done_q ;
  assign enters_late = \dut.enters_q ;
  assign boxes = 8'(\dut.u_ctx.count_q );
  always_ff @(posedge clk_i) begin
    if (!unit_rst_n) {walk_q, align_q} <= '0;
    else begin
      walk_q <= walk_q + 8'(enters_walk) - 8'(leaves_walk);
      align_q <= align_q + 8'(leaves_walk) - 8'(\dut.done );
    end
  end
  always_comb if (unit_rst_n) begin
    walk_holds_four: assume (walk_q < 8'd4 || !\dut.walk_ready );
    walk_gives_what_it_has: assume (walk_q != '0 || !\dut.op_valid );
    align_holds_eight: assume (align_q < 8'd8 || !\dut.op_ready );
    align_ends_what_it_has: assume (align_q != '0 || !\dut.done );
  end
  `TSR_ASSERT_IF(boxes_counted, unit_rst_n, boxes <= 8'd16 && walk_q <= 8'd4 && align_q <= 8'd8 && 8'(\dut.u_nums.count_q ) == boxes + walk_q)
  `TSR_ASSERT_IF(gone, unit_rst_n && (box_gone || runs_gone), front && good)
  `TSR_ASSERT_IF(just_entered, unit_rst_n && enters_late, front && !box_gone)
  `TSR_ASSERT_IF(inside, unit_rst_n, !(\dut.u_inside.up_q  && \dut.u_inside.down_q ) &&
                 \dut.u_inside.behind_q  + 8'(\dut.u_inside.up_q ) - 8'(\dut.u_inside.down_q ) + 8'(enters_late) ==
                 8'(front && !box_gone) + boxes + walk_q + align_q + 8'(done_late))
  `TSR_COVER(whole_burst, ar && arid[0] && arlen == 8'd15)
  `TSR_COVER(short_burst_comes, unit_rst_n && l_r && m_rlast_i && owed_len == 8'd1)
  `TSR_COVER(drained, flush_i && l_r && m_rlast_i)
endmodule
