// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_loop: the loops of VECTOR, one step for each advance.
//
//   Input   cmd_valid_i: insn_i, num_i are a command, and were the same in the cycle before; it is taken
//           with taken_next_o and advance_i
//           advance_i: the step shown, if any, is taken; it comes late and only enables flops
//   Output  consts_o of that command, under the tag that the command's steps carry
//           a step while valid_o: its operation, the loops' part of its tiles, the micro-op's index
//   Cost    the first step in the cycle after it is taken; no gap between commands
//
// A command with nothing to do, or with an illegal field, is one step without work.
`default_nettype none
module tsr_vector_loop (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  vta_i,
  input  logic                  cmd_valid_i,
  output logic                  taken_next_o,  // the next advance takes it
  input  logic [255:0]          insn_i,
  input  logic                  of_alu_i,
  input  logic                  add_i,
  input  logic [31:0]           num_i,
  input  logic [15:0]           uops_i,
  input  logic                  advance_i,
  output logic                  valid_o,
  output logic                  work_o,
  output logic                  illegal_o,
  output logic                  last_o,     // of its command
  output tsr_vector_pkg::consts_t consts_o,
  output logic [tsr_vector_pkg::TagBits-1:0] tag_o,
  output tsr_vector_pkg::step_t step_o,
  output logic [tsr_pkg::VtaUopIdxBits:0] uop_o,
  output logic [tsr_pkg::IndexBits-1:0] src_o,
  output logic [tsr_pkg::IndexBits-1:0] acc_o,
  output logic [tsr_pkg::IndexBits-1:0] dst_o,
  output logic [tsr_pkg::IndexBits-1:0] prm_o
);
  tsr_vector_pkg::step_t step, step_q;
  logic init, fold, illegal, init_q, fold_q, illegal_q, valid_q, work_q;
  logic [15:0] count_o, count_i, count_ro, count_ri;
  `include "tsr_index.svh"
  uop_t uop, uop_q, uop_begin_q;
  index_t src, acc, dst, prm, src_out, src_in, src_ro, src_ri, dst_out, dst_in, prm_out, prm_in;
  tsr_vector_decode u_decode (
    .vta_i, .insn_i, .of_alu_i, .add_i, .num_i, .uops_i,
    .step_o(step), .consts_o, .init_o(init), .fold_o(fold), .illegal_o(illegal), .uop_o(uop),
    .count_out_o(count_o), .count_in_o(count_i), .count_red_out_o(count_ro), .count_red_in_o(count_ri),
    .src_o(src), .acc_o(acc), .dst_o(dst), .prm_o(prm),
    .src_out_o(src_out), .src_in_o(src_in), .src_red_out_o(src_ro), .src_red_in_o(src_ri),
    .dst_out_o(dst_out), .dst_in_o(dst_in), .prm_out_o(prm_out), .prm_in_o(prm_in)
  );

  index_t src_out_q, src_in_q, src_ro_q, src_ri_q, dst_out_q, dst_in_q, prm_out_q, prm_in_q;
  // Tiles of this step, and at the start of each loop around it.
  index_t src_q, src_at_ro_q, src_at_i_q, src_at_o_q, dst_q, dst_at_o_q, acc_q, acc_at_o_q, prm_q, prm_at_o_q;
  logic begin_q;  // the first reduction step of this tile

  logic [tsr_vector_pkg::TagBits-1:0] tag_q;  // of the command to come
  assign tag_o = tag_q;
  // start: there is no step, or it is the last one. With advance_i a command starts, or nothing.
  logic end_ri, end_ro_q, end_i_q, start_q, work;  // end_*: the loop and the loops in it end with this step
  logic [3:0] last_next;
  logic [2:0] unused_last;
  logic [3:0] only_q;
  logic works_q;
  assign work = !illegal && count_o != '0 && count_i != '0 && count_ro != '0 && count_ri != '0;
  always_ff @(posedge clk_i) begin
    only_q <= {count_o == 16'd1, count_i == 16'd1, count_ro == 16'd1, count_ri == 16'd1};
    works_q <= work;
  end
  assign taken_next_o = cmd_valid_i && start_q;
  tsr_loop_count u_red_in (
    .clk_i, .en_i(advance_i), .start_i(start_q), .count_i(count_ri), .only_i(only_q[0]), .step_i(1'b1), .last_o(end_ri),
    .last_next_o(last_next[0])
  );
  tsr_loop_count u_red_out (
    .clk_i, .en_i(advance_i), .start_i(start_q), .count_i(count_ro), .only_i(only_q[1]),
    .step_i(end_ri), .last_o(unused_last[0]), .last_next_o(last_next[1])
  );
  tsr_loop_count u_in (
    .clk_i, .en_i(advance_i), .start_i(start_q), .count_i(count_i), .only_i(only_q[2]),
    .step_i(end_ro_q), .last_o(unused_last[1]), .last_next_o(last_next[2])
  );
  tsr_loop_count u_out (
    .clk_i, .en_i(advance_i), .start_i(start_q), .count_i(count_o), .only_i(only_q[3]),
    .step_i(end_i_q), .last_o(unused_last[2]), .last_next_o(last_next[3])
  );
  assign last_o = start_q;

  index_t src_next, dst_next, acc_next, prm_next;
  assign src_next = index_sum(!end_ri ? src_q : !end_ro_q ? src_at_ro_q : !end_i_q ? src_at_i_q : src_at_o_q,
                                       !end_ri ? src_ri_q : !end_ro_q ? src_ro_q : !end_i_q ? src_in_q : src_out_q);
  assign dst_next = index_sum(!end_i_q ? dst_q : dst_at_o_q, !end_i_q ? dst_in_q : dst_out_q);
  assign acc_next = index_sum(!end_i_q ? acc_q : acc_at_o_q, !end_i_q ? dst_in_q : dst_out_q);
  assign prm_next = index_sum(!end_i_q ? prm_q : prm_at_o_q, !end_i_q ? prm_in_q : prm_out_q);

  // Gates instead of a choice, as in tsr_loop_count.
  function automatic [tsr_pkg::IndexBits-1:0] begins(input index_t first, input index_t next);
    begins = (first & {tsr_pkg::IndexBits{start_q}}) | (next & {tsr_pkg::IndexBits{!start_q}});
  endfunction
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {valid_q, start_q} <= 2'b01;
      tag_q <= '0;
    end else if (advance_i) begin
      if (start_q) tag_q <= tag_q + tsr_vector_pkg::TagBits'(1);
      valid_q <= cmd_valid_i || !start_q;
      start_q <= (start_q && (!cmd_valid_i || !works_q)) || last_next == '1;
      {end_i_q, end_ro_q} <= {last_next[2:0] == '1, last_next[1:0] == '1};
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      src_q <= begins(src, src_next);
      begin_q <= start_q || end_ro_q;
      uop_q <= start_q ? uop : end_ri ? uop_begin_q : uop_after(uop_q);
      if (start_q || end_ri) src_at_ro_q <= begins(src, src_next);
      if (start_q || end_ro_q) begin
        src_at_i_q <= begins(src, src_next);
        {dst_q, acc_q, prm_q} <= {begins(dst, dst_next), begins(acc, acc_next), begins(prm, prm_next)};
      end
      if (start_q || end_i_q) begin
        src_at_o_q <= begins(src, src_next);
        {dst_at_o_q, acc_at_o_q, prm_at_o_q} <= {begins(dst, dst_next), begins(acc, acc_next), begins(prm, prm_next)};
      end
      if (start_q) begin
        step_q <= step;
        step_q.tag <= tag_q;
        init_q <= init;
        fold_q <= fold;
        illegal_q <= illegal;
        work_q <= works_q;
      end
    end
    if (start_q) begin  // the last step has no next one that needs them
      uop_begin_q <= uop;
      {src_out_q, src_in_q, src_ro_q, src_ri_q} <= {src_out, src_in, src_ro, src_ri};
      {dst_out_q, dst_in_q, prm_out_q, prm_in_q} <= {dst_out, dst_in, prm_out, prm_in};
    end
  end

  always_comb begin
    step_o = step_q;
    if (init_q && begin_q) step_o.op = tsr_pkg::ALU_MOV;
    step_o.first = !fold_q || begin_q;
    step_o.emit = !work_q || !fold_q || end_ro_q;
  end
  assign valid_o = valid_q;
  assign work_o = work_q;
  assign illegal_o = illegal_q;
  assign uop_o = uop_q;
  assign src_o = src_q;
  assign dst_o = dst_q;
  assign acc_o = step_q.kind == tsr_vector_pkg::KIND_ALU ? dst_q : acc_q;
  assign prm_o = prm_q;
`ifndef SYNTHESIS
  initial begin
    if ($bits(tsr_vector_pkg::consts_t) != tsr_vector_pkg::ConstBits) $fatal(1, "tsr_vector_pkg::ConstBits is wrong");
  end
`endif
endmodule
`default_nettype wire
