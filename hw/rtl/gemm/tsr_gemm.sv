// SPDX-License-Identifier: Apache-2.0
//
// tsr_gemm: the GEMM unit. Tile products and depthwise windows, accumulated in ACC.
//
//   Input   commands (hw/rtl/README.md): Gemm and Depthwise, or profile vta's GEMM
//   Output  retirement in order; the first error, after the retirement of all before it
//   Memory  reads UOP, WGT and INP, reads and writes ACC; all of them answer in the next cycle, always
//   Cost    N steps retire N + 14 cycles after the command was taken; one command in two cycles. A micro-op is a step, or
//           with half the columns of the array (ArrayPasses 2) two: the second reads no tile of INP and ACC anew
//
// Before slot 0 a command is held for a cycle. Slot 0: loops, micro-op address. 1: micro-op, tile indices.
// 2: INP read. 3: its data, WGT read. 4: operands. 5 to 7: products, in DSP blocks. 8 to 10: sums; 9: ACC
// read. 11: accumulation. 12: ACC write.
// Nothing in here ever waits, so slot 0 decides what happens in the later slots.
`default_nettype none
`include "tsr_assert.svh"

module tsr_gemm (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                vta_i,
  // commands
  input  logic                                cmd_valid_i,
  output logic                                cmd_ready_o,
  input  logic [255:0]                        cmd_insn_i,
  input  logic [31:0]                         cmd_num_i,
  output logic                                retire_valid_o,
  input  logic                                retire_ready_i,
  output logic [63:0]                         retire_digest_o,
  output logic                                err_valid_o,
  output logic [3:0]                          err_code_o,
  output logic [31:0]                         err_num_o,
  output logic                                busy_o,
  output logic                                memwait_o,
  output logic                                hazard_o,
  // memories
  output logic                                uop_rd_en_o,
  output logic [tsr_pkg::UopIdxBits-1:0]      uop_rd_addr_o,
  input  logic [63:0]                         uop_rd_data_i,
  output logic                                wgt_rd_en_o,
  output logic [tsr_pkg::WgtIdxBits-1:0]      wgt_rd_addr_o,
  input  logic [8*tsr_pkg::WgtTileBytes-1:0]  wgt_rd_data_i,
  output logic                                inp_rd_a_en_o,
  output logic [tsr_pkg::InpIdxBits-1:0]      inp_rd_a_addr_o,
  input  logic [8*tsr_pkg::InpTileBytes-1:0]  inp_rd_a_data_i,
  output logic                                inp_rd_b_en_o,  // never in the bank of a
  output logic [tsr_pkg::InpIdxBits-1:0]      inp_rd_b_addr_o,
  input  logic [8*tsr_pkg::InpTileBytes-1:0]  inp_rd_b_data_i,
  output logic                                acc_rd_en_o,
  output logic [tsr_pkg::AccIdxBits-1:0]      acc_rd_addr_o,
  input  logic [32*tsr_pkg::Lanes-1:0]        acc_rd_data_i,
  output logic                                acc_wr_en_o,
  output logic [tsr_pkg::AccIdxBits-1:0]      acc_wr_addr_o,
  output logic [32*tsr_pkg::Lanes-1:0]        acc_wr_data_o,
  input  logic [63:0]                         acc_wr_digest_i  // of the write of the cycle before
);
  localparam int Tile = 8 * tsr_pkg::InpTileBytes;
  localparam int SumBits = tsr_sim_pkg::width(16 + $clog2(tsr_pkg::BlockIn));
  localparam int TagBits = 3;
  `include "tsr_index.svh"

  // ---- Commands. One is held until it can start, so that ready does not depend on the loops. Gemm starts
  // when the depthwise schedule is empty; a Depthwise may start to fill its first window while the windows of
  // the Depthwise before it are multiplied.
  localparam int BankBits = $clog2(tsr_pkg::InpBanks);
  logic depthwise, dw_illegal, dw_work, loop_free, dw_fill_free, dw_idle, dw_start, loop_start;
  logic [8:0] dw_all, dw_new;
  logic [1:0] dw_keep;
  logic [9*BankBits-1:0] dw_bank;
  // Without Depthwise its opcode is unknown, and none comes here. What its modules say then means nothing: nobody reads it,
  // so synthesis leaves them out.
  localparam bit Windows = tsr_pkg::Depthwise != 0;
  assign depthwise = Windows ? !vta_i && tsr_pkg::insn_opcode(cmd_insn_i) == tsr_pkg::OP_DEPTHWISE : 1'b0;
  assign dw_illegal = depthwise && !tsr_pkg::depthwise_legal(cmd_insn_i);
  assign dw_work = tsr_pkg::depthwise_iter_z(cmd_insn_i) != '0 && tsr_pkg::depthwise_iter_out(cmd_insn_i) != '0 &&
                   tsr_pkg::depthwise_iter_in(cmd_insn_i) != '0;
  logic loop_valid;
  logic held_q, taken_q, begun_q, known_q, to_dw_q, nop_q, illegal_q, stop_q;  // known: the reads of its first slots are
  logic [255:0] insn_q;
  logic [31:0] num_q;
  logic [15:0] uops_q;  // profile vta's micro-ops
  assign cmd_ready_o = !held_q;
  tsr_dw_decode u_dw_decode (
    .insn_i(insn_q), .all_o(dw_all), .new_o(dw_new), .keep_o(dw_keep), .bank_o(dw_bank)
  );
  assign dw_start = Windows ? known_q && to_dw_q && !loop_valid && dw_fill_free && !stop_q : 1'b0;
  assign loop_start = held_q && !to_dw_q && loop_free && dw_idle && !stop_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {held_q, taken_q, begun_q, known_q} <= '0;
    end else begin
      taken_q <= cmd_valid_i && cmd_ready_o;
      held_q <= held_q ? !dw_start && !loop_start : cmd_valid_i;
      begun_q <= held_q && !dw_start && !loop_start;
      known_q <= begun_q && !dw_start && !loop_start;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!held_q) begin
      {insn_q, num_q} <= {cmd_insn_i, cmd_num_i};
      to_dw_q <= depthwise && !dw_illegal && dw_work;
      {nop_q, illegal_q} <= {depthwise, dw_illegal};
      uops_q <= uops_between(16'(tsr_pkg::vta_gemm_uop_bgn(cmd_insn_i[127:0])),
                             16'(tsr_pkg::vta_gemm_uop_end(cmd_insn_i[127:0])));
    end
  end

  // ---- Slot 0.
  logic loop_work, loop_illegal, loop_last, loop_pass, loop_reset;
  uop_t loop_uop;
  index_t loop_dst, loop_src, loop_wgt;
  logic [31:0] loop_num;
  tsr_gemm_loop u_loop (
    .clk_i, .rst_ni, .vta_i,
    .start_i(loop_start), .insn_i(insn_q), .num_i(num_q), .uops_i(uops_q), .nop_i(nop_q), .illegal_i(illegal_q),
    .free_next_o(loop_free),
    .valid_o(loop_valid), .work_o(loop_work), .illegal_o(loop_illegal), .last_o(loop_last), .pass_o(loop_pass),
    .reset_o(loop_reset),
    .uop_o(loop_uop), .dst_o(loop_dst), .src_o(loop_src), .wgt_o(loop_wgt), .num_o(loop_num)
  );

  logic dw_fill, dw_fill_a1, dw_fill_a2, dw_fill_b2, dw_swap, dw_step, dw_idle_next;
  logic fill, fill_a2, fill_b2, swap, step_valid, step_last, step_init, step_store, step_half, step_pass;
  logic [3:0] fill_a_tap2, fill_b_tap2, taps;
  logic [1:0] shift, step_group;
  logic fill_a1;
  index_t fill_a_tile1, fill_b_tile2, step_dst, step_wgt;
  logic [31:0] step_num;
  tsr_dw_loop u_dw_loop (
    .clk_i, .rst_ni,
    .start_i(dw_start), .insn_i(insn_q), .num_i(num_q),
    .all_i(dw_all & {9{tsr_sim_pkg::Always || to_dw_q}}), .new_i(dw_new & {9{tsr_sim_pkg::Always || to_dw_q}}),
    .keep_i(dw_keep), .bank_i(dw_bank),
    .fill_free_next_o(dw_fill_free), .idle_next_o(dw_idle_next),
    .fill_o(dw_fill),
    .fill_a_next_o(dw_fill_a1), .fill_a_tile_next_o(fill_a_tile1),
    .fill_a_valid_o(dw_fill_a2), .fill_a_tap_o(fill_a_tap2),
    .fill_b_valid_o(dw_fill_b2), .fill_b_tap_o(fill_b_tap2), .fill_b_tile_o(fill_b_tile2),
    .swap_o(dw_swap), .shift_o(shift), .taps_o(taps),
    .step_valid_o(dw_step), .step_last_o(step_last), .step_init_o(step_init), .step_store_o(step_store),
    .step_half_o(step_half), .step_pass_o(step_pass), .step_group_o(step_group),
    .step_dst_o(step_dst), .step_wgt_o(step_wgt), .step_num_o(step_num)
  );
  assign dw_idle = Windows ? dw_idle_next : 1'b1;
  assign {fill, fill_a1, fill_a2, fill_b2} = Windows ? {dw_fill, dw_fill_a1, dw_fill_a2, dw_fill_b2} : 4'd0;
  assign {swap, step_valid} = Windows ? {dw_swap, dw_step} : 2'd0;
  assign uop_rd_en_o = loop_valid && loop_work;
  assign uop_rd_addr_o = vta_i ? tsr_pkg::UopIdxBits'(loop_uop >> 1) : tsr_pkg::UopIdxBits'(loop_uop);

  // ---- Signals that travel from slot to slot. work: there is something to multiply. bad: the step is in
  // error; bad_field: its error is an illegal field. last: it ends its command.
  logic [4:1] work_q, last_q, init_q, zero_q, store_q, dw_q, half_q, bad_q, bad_field_q, swap_q, fill_q;
  // pass: the step is for the upper half of the output channels; half: depthwise, for the upper half of the pass's channels.
  logic [4:1] pass_q;
  if (tsr_pkg::ArrayPasses == 1) begin : g_one
    assign pass_q = '0;
    logic unused_pass;
    assign unused_pass = ^{loop_pass, step_pass, pass_q[2]};
  end else begin : g_two
    always_ff @(posedge clk_i) pass_q <= {pass_q[3:1], step_valid ? step_pass : loop_pass};
  end
  logic [31:0] num1_q, num2_q, num3_q, num4_q;
  logic [3:0] taps1_q, taps2_q, taps3_q;
  logic [8:0] past4_q;  // the taps that a window swapped in does not have
  logic [1:0] group1_q, group2_q, group3_q, group4_q, shift1_q, shift2_q, shift3_q, shift4_q;

  // Slot 1: indices.
  // src2: the tile that INP's port a reads, if read_a2: the step's tile, or one of a window.
  index_t dst1_q, src1_q, wgt1_q, uop_dst, uop_src, uop_wgt, dst2_q, src2_q, wgt2_q;
  logic read_a2_q;
  logic [tsr_pkg::WgtIdxBits-1:0] wgt3_q;
  logic uop_range1_q, uop_odd1_q, uop_init, uop_illegal;
  logic [31:0] uop_vta;
  assign uop_vta = uop_odd1_q ? uop_rd_data_i[63:32] : uop_rd_data_i[31:0];
  always_comb begin
    if (dw_q[1]) begin
      uop_dst = '0;
      uop_src = '0;
      uop_wgt = '0;
    end else if (vta_i) begin
      uop_dst = index_of(20'(tsr_pkg::vta_uop_dst_idx(uop_vta)));
      uop_src = index_of(20'(tsr_pkg::vta_uop_src_idx(uop_vta)));
      uop_wgt = index_of(20'(tsr_pkg::vta_uop_wgt_idx(uop_vta)));
    end else begin
      uop_dst = index_of(tsr_pkg::uop_dst(uop_rd_data_i));
      uop_src = index_of(tsr_pkg::uop_src(uop_rd_data_i));
      uop_wgt = index_of(tsr_pkg::uop_wgt(uop_rd_data_i));
    end
  end
  assign uop_init = !dw_q[1] && !vta_i && tsr_pkg::uop_init(uop_rd_data_i);
  assign uop_illegal = !dw_q[1] && !vta_i && (uop_rd_data_i & ~tsr_pkg::UOP_NAMED_BITS) != '0;

  // Slot 2: reads and range checks.
  logic range2, fill_range2;
  assign range2 = dst2_q >= index_t'(tsr_pkg::AccDepth) ||
                  (!zero_q[2] && (wgt2_q >= index_t'(tsr_pkg::WgtDepth) ||
                                  (!dw_q[2] && src2_q >= index_t'(tsr_pkg::InpDepth))));
  assign fill_range2 = fill_a2 && (src2_q >= index_t'(tsr_pkg::InpDepth) ||
                                   (fill_b2 && fill_b_tile2 >= index_t'(tsr_pkg::InpDepth)));
  assign inp_rd_a_en_o = read_a2_q;
  assign inp_rd_a_addr_o = src2_q[tsr_pkg::InpIdxBits-1:0];
  assign inp_rd_b_en_o = fill_b2;
  assign inp_rd_b_addr_o = fill_b_tile2[tsr_pkg::InpIdxBits-1:0];

  // Slot 3: data of INP. The weights come in slot 4, from WGT straight to the multipliers' registers.
  logic fill_a3_q, fill_b3_q;
  logic [3:0] fill_a_tap3_q, fill_b_tap3_q;
  logic [Tile-1:0] inp4_q;
  logic [tsr_pkg::AccIdxBits-1:0] dst3_q, dst4_q;
  assign wgt_rd_en_o = work_q[3];
  assign wgt_rd_addr_o = wgt3_q;
  always_ff @(posedge clk_i) begin
    if ((tsr_sim_pkg::Always || (work_q[3] && !dw_q[3])) && !pass_q[3]) inp4_q <= inp_rd_a_data_i;
  end

  // Slot 4: operands. A window whose reads were out of range is bad when it is multiplied.
  logic fill_bad3_q, read_bad_q, use_bad_q;  // tiles of slot 3, window being read, window being multiplied
  logic bad4, field4;
  assign bad4 = bad_q[4] || (work_q[4] && dw_q[4] && use_bad_q);
  assign field4 = bad_field_q[4];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {work_q, last_q, bad_q, swap_q, fill_q} <= '0;
      {read_a2_q, fill_a3_q, fill_b3_q, fill_bad3_q, read_bad_q, use_bad_q} <= '0;
    end else begin
      work_q <= {work_q[3:1], step_valid || (loop_valid && loop_work)};
      last_q <= {last_q[3:1], step_valid ? step_last : (loop_valid && loop_last)};
      bad_q[1] <= loop_valid && loop_illegal;
      bad_q[2] <= bad_q[1] || (work_q[1] && (uop_illegal || uop_range1_q));
      bad_q[3] <= bad_q[2] || (work_q[2] && range2);
      bad_q[4] <= bad_q[3];
      swap_q <= {swap_q[3:1], swap};
      fill_q <= {fill_q[3:1], fill};
      read_a2_q <= fill_a1 || (work_q[1] && !dw_q[1] && !pass_q[1]);
      fill_a3_q <= fill_a2;
      fill_b3_q <= fill_b2;
      fill_bad3_q <= fill_range2;
      read_bad_q <= fill_bad3_q || (read_bad_q && !swap_q[4]);
      if (swap_q[4]) use_bad_q <= read_bad_q;
    end
  end
  always_ff @(posedge clk_i) begin
    // Slot 0 to 1.
    dw_q <= {dw_q[3:1], step_valid};
    half_q <= {half_q[3:1], step_half};
    store_q <= {store_q[3:1], !step_valid || step_store};
    zero_q <= {zero_q[3:1], !step_valid && loop_reset};
    init_q <= {init_q[3:2], (init_q[1] || uop_init) && !pass_q[1], step_valid ? step_init : loop_reset};
    bad_field_q <= {bad_field_q[3:2], bad_field_q[1] || (work_q[1] && uop_illegal && !uop_range1_q),
                    loop_illegal && !step_valid};
    uop_odd1_q <= loop_uop[0];
    uop_range1_q <= !step_valid && (vta_i ? loop_uop >= uop_t'(tsr_pkg::VtaUopDepth)
                                          : loop_uop >= uop_t'(tsr_pkg::UopDepth));
    {dst1_q, wgt1_q} <= step_valid ? {step_dst, step_wgt} : {loop_dst, loop_wgt};
    src1_q <= loop_src;
    num1_q <= step_valid ? step_num : loop_num;
    {group1_q, taps1_q, shift1_q} <= {step_group, taps, shift};
    // 1 to 2.
    dst2_q <= index_sum(dst1_q, uop_dst);
    src2_q <= fill_a1 ? fill_a_tile1 : index_sum(src1_q, uop_src);
    wgt2_q <= index_sum(wgt1_q, uop_wgt);
    num2_q <= num1_q;
    {group2_q, taps2_q, shift2_q} <= {group1_q, taps1_q, shift1_q};
    // 2 to 3.
    dst3_q <= dst2_q[tsr_pkg::AccIdxBits-1:0];
    num3_q <= num2_q;
    {group3_q, taps3_q, shift3_q} <= {group2_q, taps2_q, shift2_q};
    wgt3_q <= wgt2_q[tsr_pkg::WgtIdxBits-1:0];
    {fill_a_tap3_q, fill_b_tap3_q} <= {fill_a_tap2, fill_b_tap2};
    // 3 to 4.
    dst4_q <= dst3_q;
    num4_q <= num3_q;
    {group4_q, shift4_q} <= {group3_q, shift3_q};
    for (int t = 0; t < 9; t++) past4_q[t] <= swap_q[3] && 4'(t) >= taps3_q;
  end

  logic [9*Tile-1:0] win;
  tsr_dw_window u_window (
    .clk_i, .rst_ni,
    .a_valid_i(fill_a3_q), .a_tap_i(fill_a_tap3_q), .a_data_i(inp_rd_a_data_i),
    .b_valid_i(fill_b3_q), .b_tap_i(fill_b_tap3_q), .b_data_i(inp_rd_b_data_i),
    .swap_i(swap_q[4]), .shift_i(shift4_q), .past_i(past4_q), .win_o(win)
  );

  // ---- The first bad step stops the unit: it and all after it do nothing.
  logic work4, last4, bad_first;
  logic [31:0] err_num_q;
  logic err_field_q;
  assign bad_first = bad4 && !stop_q;
  assign work4 = work_q[4] && !bad4 && !stop_q;
  assign last4 = last_q[4] && !bad4 && !stop_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) stop_q <= 1'b0;
    else if (bad4) stop_q <= 1'b1;
    if (bad_first) {err_num_q, err_field_q} <= {num4_q, field4};
  end

  // ---- Slots 4 to 12: the array and the accumulators.
  logic [SumBits*tsr_pkg::Lanes-1:0] sum;
  logic [tsr_pkg::Lanes-1:0] one;
  tsr_gemm_array #(.SumBits(SumBits)) u_array (
    .clk_i, .rst_ni,
    .valid_i(work4), .dw_i(dw_q[4]),
    .low_i(!zero_q[4] && !(dw_q[4] && half_q[4])), .high_i(!zero_q[4] && (!dw_q[4] || half_q[4])),
    .pass_i(pass_q[4]), .group_i(group4_q), .inp_i(inp4_q), .win_i(win), .wgt_i(wgt_rd_data_i),
    .sum_o(sum), .one_o(one)
  );
  localparam int AccBits = tsr_pkg::AccIdxBits;
  logic [9:5] work_b_q, last_b_q, bad_b_q, init_b_q, store_b_q;
  logic [5*AccBits-1:0] dst_b_q;  // slot 5 in the low bits
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {work_b_q, last_b_q, bad_b_q} <= '0;
    end else begin
      work_b_q <= {work_b_q[8:5], work4};
      last_b_q <= {last_b_q[8:5], last4};
      bad_b_q <= {bad_b_q[8:5], bad_first};
    end
  end
  // The next step of the command adds to the same tile, so nothing is written in between.
  logic again8;
  assign again8 = work_b_q[7] && !last_b_q[8] && dst_b_q[2*AccBits+:AccBits] == dst_b_q[3*AccBits+:AccBits];
  always_ff @(posedge clk_i) begin
    init_b_q <= {init_b_q[8:5], init_q[4]};
    store_b_q <= {store_b_q[8] && !again8, store_b_q[7:5], store_q[4]};
    dst_b_q <= {dst_b_q[4*AccBits-1:0], dst4_q};
  end

  logic [TagBits-1:0] tag;  // of the slot at its write: last, bad, work
  tsr_gemm_accum #(.SumBits(SumBits), .TagBits(TagBits)) u_accum (
    .clk_i, .rst_ni,
    .step_valid_i(work_b_q[9]), .step_init_i(init_b_q[9]), .step_store_i(store_b_q[9]),
    .step_dst_i(dst_b_q[4*AccBits+:AccBits]),
    .next_valid_i(work_b_q[8]), .next_init_i(init_b_q[8]), .next_dst_i(dst_b_q[3*AccBits+:AccBits]),
    .step_tag_i({last_b_q[9], bad_b_q[9], work_b_q[9]}), .sum_i(sum), .one_i(one),
    .rd_en_o(acc_rd_en_o), .rd_addr_o(acc_rd_addr_o), .rd_data_i(acc_rd_data_i),
    .wr_en_o(acc_wr_en_o), .wr_addr_o(acc_wr_addr_o), .wr_data_o(acc_wr_data_o),
    .out_tag_o(tag)
  );

  // ---- Slot 13: retirement, errors, counters.
  logic retire_q, err_q;
  logic [63:0] digest_q;
  logic flying, unused_full;  // commands taken and not retired
  logic [7:0] unused_behind;
  tsr_tally #(.Bits(8), .Limit(200)) u_flying (
    .clk_i, .rst_ni, .vta_i(1'b0), .up_i(taken_q), .down_i(retire_q),
    .some_o(flying), .full_o(unused_full), .behind_o(unused_behind)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      retire_q <= 1'b0;
      err_q <= 1'b0;
      digest_q <= '0;
    end else begin
      retire_q <= tag[2];
      err_q <= err_q || tag[1];
      digest_q <= retire_q ? '0 : digest_q + acc_wr_digest_i;
    end
  end
  assign retire_valid_o = retire_q;
  assign retire_digest_o = digest_q + acc_wr_digest_i;
  assign err_valid_o = err_q;
  assign err_code_o = err_field_q ? tsr_pkg::ERR_ILLEGAL_FIELD[3:0] : tsr_pkg::ERR_SRAM_RANGE[3:0];
  assign err_num_o = err_num_q;
  assign busy_o = (loop_valid && loop_work) || step_valid;
  assign hazard_o = !busy_o && (flying || taken_q);
  assign memwait_o = 1'b0;

  logic unused;
  assign unused = ^{retire_ready_i, fill_q, tag[0]};

  `TSR_ASSERT(one_source, !(loop_valid && (step_valid || fill)))
  `TSR_ASSERT_IF(two_banks, inp_rd_b_en_o, ((inp_rd_a_addr_o ^ inp_rd_b_addr_o) & tsr_pkg::InpIdxBits'(tsr_pkg::InpBanks - 1)) != '0)
  `TSR_ASSERT_IF(room_to_retire, retire_valid_o, retire_ready_i)
endmodule
`default_nettype wire
