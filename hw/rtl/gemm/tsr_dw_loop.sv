// SPDX-License-Identifier: Apache-2.0
//
// tsr_dw_loop: the schedule of DEPTHWISE. While one output tile's window is read from INP, the window
// before it is multiplied; neither waits for another unit.
//
//   Input   start_i: starts the command insn_i, num_i, with its outputs of tsr_dw_decode; it has work to do.
//           Only with fill_free_next_o, and when these inputs were the same in the two cycles before
//   Output  fill_*: up to two INP tiles to read, registered: addresses two cycles after their slot
//           swap_o, shift_o: with the last read of a window, in its slot
//           step_*: a group of taps to multiply, in its slot
//   Cost    an output tile takes max(reads, 2 * ArrayPasses * ceil(taps / DepthwiseTaps)) slots, where reads is
//           the number of its new INP tiles divided by two, rounded up, plus one for each pair in one bank
//
// A window that overlaps the one before it by columns (src_in is win_x or 2 * win_x) keeps them.
`default_nettype none
`include "tsr_assert.svh"

module tsr_dw_loop #(
  localparam int BankBits = $clog2(tsr_pkg::InpBanks)
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,
  input  logic [255:0] insn_i,
  input  logic [31:0]  num_i,
  input  logic [8:0]   all_i,
  input  logic [8:0]   new_i,
  input  logic [1:0]   keep_i,
  input  logic [9*BankBits-1:0] bank_i,
  output logic         fill_free_next_o,  // a command may start the filling of its first window
  output logic         idle_next_o,       // nothing is left to fill or to multiply after this slot
  // the filling of a window; tap: ky * kw + kx
  output logic         fill_o,            // in the slot: a read, or two
  output logic         fill_a_next_o,     // one cycle after the slot
  output logic [tsr_pkg::IndexBits-1:0] fill_a_tile_next_o,
  output logic         fill_a_valid_o,    // two cycles after the slot
  output logic [3:0]   fill_a_tap_o,
  output logic         fill_b_valid_o,
  output logic [3:0]   fill_b_tap_o,
  output logic [tsr_pkg::IndexBits-1:0] fill_b_tile_o,
  output logic         swap_o,            // in the slot: after these reads the window is complete
  output logic [1:0]   shift_o,           // columns by which kept tiles move for the next window
  output logic [3:0]   taps_o,            // of the window
  // the multiplication of a window
  output logic         step_valid_o,
  output logic         step_last_o,       // of its command
  output logic         step_init_o,
  output logic         step_store_o,
  output logic         step_half_o,       // the upper half of the pass's channels
  output logic         step_pass_o,       // the upper half of all channels; always 0 with all columns (ArrayPasses 1)
  output logic [1:0]   step_group_o,      // of taps
  output logic [tsr_pkg::IndexBits-1:0] step_dst_o,
  output logic [tsr_pkg::IndexBits-1:0] step_wgt_o,
  output logic [31:0]  step_num_o
);
  localparam int Taps = tsr_pkg::DepthwiseTaps;
  `include "tsr_index.svh"

  // ---- The command.
  logic fill_q, init_q;
  logic [31:0] num_q;
  logic [1:0] kw_q, keep_q;  // keep: 0 none, else the columns between windows that overlap
  logic [3:0] taps_q;
  index_t win_y_q, win_y2_q, win_x_q, win_x2_q;
  index_t src_q, src_row_q, src_plane_q, dst_q, dst_row_q, dst_plane_q, wgt_q;
  index_t dst_z_q, dst_out_q, dst_in_q, src_z_q, src_out_q, src_in_q;
  logic [3:0] wgt_z_q;

  logic [1:0] kh, kw;
  assign kh = tsr_pkg::depthwise_kh(insn_i);
  assign kw = tsr_pkg::depthwise_kw(insn_i);

  // ---- Filling. The reads of a slot are decided in the cycle before. The reads of a window's first slot, for a window
  // that keeps nothing and for one that keeps columns, are decided in the two cycles before the command starts.
  logic [9*BankBits-1:0] bank_q, next_bank_q;  // next: of the command that may start
  logic [1:0] next_keep_q;
  tsr_dw_pkg::slot_t slot_q, next_slot, all_set, new_set, all_set_q, new_set_q, all_first, new_first;
  tsr_dw_pkg::slot_t all_first_q, new_first_q, all_q, new_q;
  tsr_dw_reads u_all_set (.set_i(all_i), .pair_i('0), .bank_i, .slot_o(all_set));
  tsr_dw_reads u_new_set (.set_i(new_i), .pair_i('0), .bank_i, .slot_o(new_set));
  tsr_dw_reads u_all_first (
    .set_i(all_set_q.rest), .pair_i(all_set_q.pair), .bank_i(next_bank_q), .slot_o(all_first)
  );
  tsr_dw_reads u_new_first (
    .set_i(new_set_q.rest), .pair_i(new_set_q.pair), .bank_i(next_bank_q), .slot_o(new_first)
  );
  tsr_dw_reads u_next (.set_i(slot_q.rest), .pair_i(slot_q.pair), .bank_i(bank_q), .slot_o(next_slot));
  always_ff @(posedge clk_i) begin
    {all_set_q, new_set_q, next_bank_q, next_keep_q} <= {all_set, new_set, bank_i, keep_i};
    {all_first_q, new_first_q} <= {all_first, new_first};
  end
  logic [8:0] one_a, one_b;
  logic unused_set;
  assign unused_set = ^new_set_q;
  assign {one_b, one_a} = {slot_q.second, slot_q.first};

  function automatic [3:0] number(input [8:0] one);
    begin
      number = '0;
      for (int i = 0; i < 9; i++) number = number | (one[i] ? 4'(i) : 4'd0);
    end
  endfunction
  // The tap at position 3 * ky + kx of a window with kw columns.
  function automatic [3:0] tap_at(input [3:0] position, input [1:0] columns);
    begin
      tap_at = '0;
      for (int i = 0; i < 9; i++) begin
        if (position == 4'(i)) tap_at = 4'(i % 3) + 4'(i / 3) * {2'd0, columns};
      end
    end
  endfunction
  // Offset of a position along y and along x.
  function automatic [tsr_pkg::IndexBits-1:0] pick(input [8:0] one, input [8:0] second, input [8:0] third,
                                                   input index_t once, input index_t twice);
    pick = ((one & second) != '0) ? once : ((one & third) != '0) ? twice : '0;
  endfunction
  localparam logic [8:0] Row1 = 9'b000_111_000, Row2 = 9'b111_000_000;
  localparam logic [8:0] Column1 = 9'b010_010_010, Column2 = 9'b100_100_100;

  // ---- The hand-over of a full window, and the next one.
  // end_o, end_z: this window is the last of its plane, of its command.
  // rests: no step; free: no window is filled. Both are flops of their own, for late paths.
  logic step_q, step_end_q, rests_q, spent_q, free_q, filled, move, end_i, end_o, end_z;
  logic [2:0] last_next;
  logic [1:0] unused_last;
  assign filled = fill_q && slot_q.last;
  assign move = filled && (rests_q || step_end_q);
  logic [15:0] count_in, count_out;
  logic [11:0] count_z;
  assign count_in = 16'(tsr_pkg::depthwise_iter_in(insn_i));
  assign count_out = 16'(tsr_pkg::depthwise_iter_out(insn_i));
  assign count_z = tsr_pkg::depthwise_iter_z(insn_i);
  // The place changes with a move, which is late. The new place is known early: when nothing is filled, and with a move
  // of the last window, the command that may start is loaded.
  logic place, first;
  assign place = free_q || (slot_q.last && (rests_q || step_end_q));  // nothing is filled, or move
  assign first = !fill_q || end_z;
  tsr_loop_count u_in (
    .clk_i, .en_i(place), .start_i(first), .count_i(count_in), .only_i(count_in == 16'd1), .step_i(1'b1), .last_o(end_i),
    .last_next_o(last_next[0])
  );
  tsr_loop_count u_out (
    .clk_i, .en_i(place), .start_i(first), .count_i(count_out), .only_i(count_out == 16'd1), .step_i(end_i),
    .last_o(unused_last[0]), .last_next_o(last_next[1])
  );
  tsr_loop_count #(.Bits(12)) u_plane (
    .clk_i, .en_i(place), .start_i(first), .count_i(count_z), .only_i(count_z == 12'd1), .step_i(end_o),
    .last_o(unused_last[1]), .last_next_o(last_next[2])
  );
  always_ff @(posedge clk_i) if (place) {end_z, end_o} <= {last_next == '1, last_next[1:0] == '1};
  assign fill_free_next_o = free_q || (move && end_z);
  assign idle_next_o = free_q && (rests_q || step_end_q);

  index_t src_next, dst_next;
  assign src_next = index_sum(!end_i ? src_q : !end_o ? src_row_q : src_plane_q,
                                       !end_i ? src_in_q : !end_o ? src_out_q : src_z_q);
  assign dst_next = index_sum(!end_i ? dst_q : !end_o ? dst_row_q : dst_plane_q,
                                       !end_i ? dst_in_q : !end_o ? dst_out_q : dst_z_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {fill_q, free_q} <= 2'b01;
    else {fill_q, free_q} <= {start_i || !fill_free_next_o, !start_i && fill_free_next_o};
  end
  // After a slot comes the window's next one, after the last slot the first one of the next window, if that may come:
  // else the last slot stays and is spent.
  always_ff @(posedge clk_i) begin
    spent_q <= filled && !move;
    if (place || !slot_q.last) begin
      slot_q <= (fill_q && !slot_q.last) ? next_slot : first ? all_first_q : (end_i || keep_q == '0) ? all_q : new_q;
    end
    if (place && first) begin
      num_q <= num_i;
      init_q <= tsr_pkg::depthwise_init(insn_i);
      kw_q <= kw;
      keep_q <= next_keep_q;
      taps_q <= {2'd0, kh} * {2'd0, kw};
      bank_q <= next_bank_q;
      {all_q, new_q} <= {all_first_q, new_first_q};
      win_y_q <= index_of(20'(tsr_pkg::depthwise_win_y(insn_i)));
      win_y2_q <= index_of({3'd0, tsr_pkg::depthwise_win_y(insn_i), 1'b0});
      win_x_q <= index_of(20'(tsr_pkg::depthwise_win_x(insn_i)));
      win_x2_q <= index_of({3'd0, tsr_pkg::depthwise_win_x(insn_i), 1'b0});
      src_q <= index_of(tsr_pkg::depthwise_src_base(insn_i));
      src_row_q <= index_of(tsr_pkg::depthwise_src_base(insn_i));
      src_plane_q <= index_of(tsr_pkg::depthwise_src_base(insn_i));
      dst_q <= index_of(tsr_pkg::depthwise_dst_base(insn_i));
      dst_row_q <= index_of(tsr_pkg::depthwise_dst_base(insn_i));
      dst_plane_q <= index_of(tsr_pkg::depthwise_dst_base(insn_i));
      wgt_q <= index_of(tsr_pkg::depthwise_wgt_base(insn_i));
      dst_z_q <= index_of(20'(tsr_pkg::depthwise_dst_z(insn_i)));
      dst_out_q <= index_of(20'(tsr_pkg::depthwise_dst_out(insn_i)));
      dst_in_q <= index_of(20'(tsr_pkg::depthwise_dst_in(insn_i)));
      src_z_q <= index_of(20'(tsr_pkg::depthwise_src_z(insn_i)));
      src_out_q <= index_of(20'(tsr_pkg::depthwise_src_out(insn_i)));
      src_in_q <= index_of(20'(tsr_pkg::depthwise_src_in(insn_i)));
      wgt_z_q <= tsr_pkg::depthwise_wgt_z(insn_i);
    end else if (place) begin
      src_q <= src_next;
      dst_q <= dst_next;
      if (end_i) begin
        src_row_q <= src_next;
        dst_row_q <= dst_next;
      end
      if (end_o) begin
        src_plane_q <= src_next;
        dst_plane_q <= dst_next;
        wgt_q <= index_sum(wgt_q, index_t'(wgt_z_q));
      end
    end
  end

  // ---- The reads: slot, sum, address.
  logic a1_q, b1_q, a2_q, b2_q;
  logic [3:0] pos_a1_q, pos_b1_q, tap_a2_q, tap_b2_q;
  logic [1:0] kw1_q;
  index_t ya1_q, xa1_q, yb1_q, xb1_q, src1_q, tile_b2_q;
  assign fill_o = fill_q && one_a != '0 && !spent_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {a1_q, b1_q, a2_q, b2_q} <= '0;
    end else begin
      a1_q <= fill_o;
      b1_q <= fill_o && one_b != '0;
      a2_q <= a1_q;
      b2_q <= b1_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fill_o) begin
      {pos_a1_q, pos_b1_q} <= {number(one_a), number(one_b)};
      ya1_q <= pick(one_a, Row1, Row2, win_y_q, win_y2_q);
      xa1_q <= pick(one_a, Column1, Column2, win_x_q, win_x2_q);
      yb1_q <= pick(one_b, Row1, Row2, win_y_q, win_y2_q);
      xb1_q <= pick(one_b, Column1, Column2, win_x_q, win_x2_q);
      src1_q <= src_q;
      kw1_q <= kw_q;
    end
    if (a1_q) begin
      {tap_a2_q, tap_b2_q} <= {tap_at(pos_a1_q, kw1_q), tap_at(pos_b1_q, kw1_q)};
      tile_b2_q <= index_sum(src1_q, index_sum(yb1_q, xb1_q));
    end
  end
  assign fill_a_next_o = a1_q;
  assign fill_a_tile_next_o = index_sum(src1_q, index_sum(ya1_q, xa1_q));
  assign fill_a_valid_o = a2_q;
  assign fill_b_valid_o = b2_q;
  assign fill_a_tap_o = tap_a2_q;
  assign fill_b_tap_o = tap_b2_q;
  assign fill_b_tile_o = tile_b2_q;
  assign swap_o = move;
  assign shift_o = keep_q;
  assign taps_o = taps_q;

  // ---- Multiplying.
  logic step_init_q, step_final_q;
  // Bit 0: the half of the pass's channels; above it: the pass, if there are two; then the group of taps.
  localparam int PassBits = tsr_pkg::ArrayPasses - 1;
  localparam logic [PassBits+2:0] NextPart = 1;
  logic [PassBits+2:0] part_q, last_part_q;
  index_t step_dst_q, step_wgt_q;
  logic [31:0] step_num_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {step_q, rests_q} <= 2'b01;
    else {step_q, rests_q} <= {move || (step_q && !step_end_q), !move && (rests_q || step_end_q)};
  end
  always_ff @(posedge clk_i) begin
    if (move) begin
      part_q <= '0;
      step_end_q <= 1'b0;
      last_part_q <= {2'((32'(taps_q) - 32'd1) / Taps), {PassBits + 1{1'b1}}};
      step_init_q <= init_q;
      step_final_q <= end_z;
      step_dst_q <= dst_q;
      step_wgt_q <= wgt_q;
      step_num_q <= num_q;
    end else if (step_q) begin
      part_q <= part_q + NextPart;
      step_end_q <= part_q + NextPart == last_part_q;
      if (part_q[PassBits:0] == '1) step_wgt_q <= index_sum(step_wgt_q, index_t'(1));
    end
  end
  assign step_valid_o = step_q;
  assign step_last_o = step_final_q && step_end_q;
  assign step_init_o = step_init_q && part_q == '0;
  assign step_store_o = step_end_q;
  assign step_group_o = part_q[PassBits+2:PassBits+1];
  assign step_pass_o = PassBits != 0 && part_q[PassBits];
  assign step_half_o = part_q[0];
  assign step_dst_o = step_dst_q;
  assign step_wgt_o = step_wgt_q;
  assign step_num_o = step_num_q;

  `TSR_ASSERT_IF(start_when_free, start_i, fill_free_next_o)
  `TSR_ASSERT(own_flops, rests_q == !step_q && free_q == !fill_q)
  `TSR_ASSERT_IF(end_of_the_parts, step_q, step_end_q == (part_q == last_part_q))
  `TSR_ASSERT_IF(start_when_known, start_i, all_set_q == all_set && all_first_q == all_first)
endmodule
`default_nettype wire
