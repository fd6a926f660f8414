// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_loop: the loops of VECTOR, one step for each advance.
//
//   Input   start_i: insn_i, num_i are a new command; only when free_next_o
//           advance_i: the step shown is taken
//   Output  a step while valid_o: constants, the loops' part of its tiles, the micro-op's index
//   Cost    the first step in the cycle after start_i; no gap between commands
//
// A command with nothing to do, or with a field that has no meaning, is one step without work.
`include "tsr_assert.svh"

module tsr_vector_loop (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  vta_i,
  input  logic                  start_i,
  input  logic [255:0]          insn_i,
  input  logic [31:0]           num_i,
  output logic                  free_next_o,
  input  logic                  advance_i,
  output logic                  valid_o,
  output logic                  work_o,
  output logic                  illegal_o,
  output logic                  last_o,     // of its command
  output tsr_vector_pkg::step_t step_o,
  output logic [16:0]           uop_o,
  output logic [20:0]           src_o,
  output logic [20:0]           acc_o,
  output logic [20:0]           dst_o,
  output logic [20:0]           prm_o,
  output logic [31:0]           num_o
);
  tsr_vector_pkg::step_t step, step_q;
  logic init, fold, illegal, init_q, fold_q, illegal_q, valid_q, work_q;
  logic [16:0] uop, uop_q, uop_begin_q;
  logic [15:0] count_o, count_i, count_ro, count_ri, src_out, src_in, src_ro, src_ri, dst_out, dst_in, prm_out, prm_in;
  logic [20:0] src, acc, dst, prm;
  tsr_vector_decode u_decode (
    .vta_i, .insn_i, .step_o(step), .init_o(init), .fold_o(fold), .illegal_o(illegal), .uop_o(uop),
    .count_out_o(count_o), .count_in_o(count_i), .count_red_out_o(count_ro), .count_red_in_o(count_ri),
    .src_o(src), .acc_o(acc), .dst_o(dst), .prm_o(prm),
    .src_out_o(src_out), .src_in_o(src_in), .src_red_out_o(src_ro), .src_red_in_o(src_ri),
    .dst_out_o(dst_out), .dst_in_o(dst_in), .prm_out_o(prm_out), .prm_in_o(prm_in)
  );

  logic [31:0] num_q;
  logic [15:0] src_out_q, src_in_q, src_ro_q, src_ri_q, dst_out_q, dst_in_q, prm_out_q, prm_in_q;
  // Tiles of this step, and at the start of each loop around it.
  logic [20:0] src_q, src_at_ro_q, src_at_i_q, src_at_o_q, dst_q, dst_at_o_q, acc_q, acc_at_o_q, prm_q, prm_at_o_q;
  logic begin_q;  // no reduction step of this tile has been

  logic last_ro, last_in, last_out, end_ri, end_ro, end_i, end_o, step_over;
  assign step_over = valid_q && advance_i;
  tsr_loop_count u_red_in (.clk_i, .start_i, .count_i(count_ri), .step_i(step_over), .last_o(end_ri));
  tsr_loop_count u_red_out (.clk_i, .start_i, .count_i(count_ro), .step_i(step_over && end_ri), .last_o(last_ro));
  tsr_loop_count u_in (.clk_i, .start_i, .count_i(count_i), .step_i(step_over && end_ro), .last_o(last_in));
  tsr_loop_count u_out (.clk_i, .start_i, .count_i(count_o), .step_i(step_over && end_i), .last_o(last_out));
  assign end_ro = end_ri && last_ro;
  assign end_i = end_ro && last_in;
  assign end_o = end_i && last_out;
  assign last_o = end_o || !work_q;
  assign free_next_o = !valid_q || (advance_i && last_o);

  logic [20:0] src_next, dst_next, acc_next, prm_next;
  assign src_next = tsr_index_pkg::add(!end_ri ? src_q : !end_ro ? src_at_ro_q : !end_i ? src_at_i_q : src_at_o_q,
                                       {5'd0, !end_ri ? src_ri_q : !end_ro ? src_ro_q : !end_i ? src_in_q : src_out_q});
  assign dst_next = tsr_index_pkg::add(!end_i ? dst_q : dst_at_o_q, {5'd0, !end_i ? dst_in_q : dst_out_q});
  assign acc_next = tsr_index_pkg::add(!end_i ? acc_q : acc_at_o_q, {5'd0, !end_i ? dst_in_q : dst_out_q});
  assign prm_next = tsr_index_pkg::add(!end_i ? prm_q : prm_at_o_q, {5'd0, !end_i ? prm_in_q : prm_out_q});

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= start_i || !free_next_o;
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      step_q <= step;
      init_q <= init;
      fold_q <= fold;
      illegal_q <= illegal;
      work_q <= !illegal && count_o != '0 && count_i != '0 && count_ro != '0 && count_ri != '0;
      num_q <= num_i;
      uop_q <= uop;
      uop_begin_q <= uop;
      {src_out_q, src_in_q, src_ro_q, src_ri_q} <= {src_out, src_in, src_ro, src_ri};
      {dst_out_q, dst_in_q, prm_out_q, prm_in_q} <= {dst_out, dst_in, prm_out, prm_in};
      {src_q, src_at_ro_q, src_at_i_q, src_at_o_q} <= {src, src, src, src};
      {dst_q, dst_at_o_q} <= {dst, dst};
      {acc_q, acc_at_o_q} <= {acc, acc};
      {prm_q, prm_at_o_q} <= {prm, prm};
      begin_q <= 1'b1;
    end else if (step_over) begin
      src_q <= src_next;
      begin_q <= end_ro;
      uop_q <= end_ri ? uop_begin_q : uop_q + 17'd1;
      if (end_ri) begin
        src_at_ro_q <= src_next;
      end
      if (end_ro) begin
        src_at_i_q <= src_next;
        {dst_q, acc_q, prm_q} <= {dst_next, acc_next, prm_next};
      end
      if (end_i) begin
        src_at_o_q <= src_next;
        {dst_at_o_q, acc_at_o_q, prm_at_o_q} <= {dst_next, acc_next, prm_next};
      end
    end
  end

  always_comb begin
    step_o = step_q;
    if (init_q && begin_q) step_o.op = tsr_pkg::ALU_MOV;
    step_o.first = !fold_q || begin_q;
    step_o.emit = !work_q || !fold_q || end_ro;
  end
  assign valid_o = valid_q;
  assign work_o = work_q;
  assign illegal_o = illegal_q;
  assign uop_o = uop_q;
  assign src_o = src_q;
  assign dst_o = dst_q;
  assign acc_o = step_q.kind == tsr_vector_pkg::KIND_ALU ? dst_q : acc_q;
  assign prm_o = prm_q;
  assign num_o = num_q;

  `TSR_ASSERT(start_when_free, start_i |-> free_next_o)
endmodule
