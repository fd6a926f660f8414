// SPDX-License-Identifier: Apache-2.0
//
// tsr_gemm_loop: the loops of GEMM in both profiles, one micro-op step a cycle. A command with nothing to
// do passes here too, as one step without work.
//
//   Input   start_i: starts the command insn_i, num_i, nop_i, illegal_i; only with free_next_o
//   Output  a step in each cycle while valid_o: the micro-op's index and the loops' part of its tiles
//   Cost    the first step in the cycle after start_i, then one a cycle; no gap between commands
//
// With half the columns (ArrayPasses 2) a micro-op is two steps, one for each half of the output channels.
`default_nettype none
`include "tsr_assert.svh"

module tsr_gemm_loop (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         vta_i,
  input  logic         start_i,
  input  logic [255:0] insn_i,
  input  logic [31:0]  num_i,
  input  logic [15:0]  uops_i,     // profile vta: number of micro-ops
  input  logic         nop_i,      // do nothing: a Depthwise that is empty or illegal
  input  logic         illegal_i,  // a field is illegal
  output logic         free_next_o,
  // a step
  output logic         valid_o,
  output logic         work_o,     // 0: nothing to do
  output logic         illegal_o,
  output logic         last_o,     // of its command
  output logic         pass_o,     // the upper half of the output channels; always 0 with all columns
  output logic         reset_o,    // profile vta: write zero
  output logic [tsr_pkg::VtaUopIdxBits:0] uop_o,
  output logic [tsr_pkg::IndexBits-1:0] dst_o,
  output logic [tsr_pkg::IndexBits-1:0] src_o,
  output logic [tsr_pkg::IndexBits-1:0] wgt_o,
  output logic [31:0]  num_o
);
  // The command's fields in either profile.
  logic [15:0] count_u, count_i, count_o;
  `include "tsr_index.svh"
  index_t dst_base, src_base, wgt_base;
  uop_t uop_begin;
  index_t dst_out, dst_in, src_out, src_in, wgt_out, wgt_in;
  logic [127:0] vta;
  assign vta = insn_i[127:0];
  always_comb begin
    if (vta_i) begin
      uop_begin = uop_of(16'(tsr_pkg::vta_gemm_uop_bgn(vta)));
      count_u = uops_i;
      count_o = 16'(tsr_pkg::vta_gemm_iter_out(vta));
      count_i = 16'(tsr_pkg::vta_gemm_iter_in(vta));
      dst_base = '0;
      src_base = '0;
      wgt_base = '0;
      dst_out = index_of(20'(tsr_pkg::vta_gemm_dst_factor_out(vta)));
      dst_in = index_of(20'(tsr_pkg::vta_gemm_dst_factor_in(vta)));
      src_out = index_of(20'(tsr_pkg::vta_gemm_src_factor_out(vta)));
      src_in = index_of(20'(tsr_pkg::vta_gemm_src_factor_in(vta)));
      wgt_out = index_of(20'(tsr_pkg::vta_gemm_wgt_factor_out(vta)));
      wgt_in = index_of(20'(tsr_pkg::vta_gemm_wgt_factor_in(vta)));
    end else begin
      uop_begin = uop_of(tsr_pkg::gemm_uop_begin(insn_i));
      count_u = tsr_pkg::gemm_uop_count(insn_i);
      count_o = tsr_pkg::gemm_iter_out(insn_i);
      count_i = tsr_pkg::gemm_iter_in(insn_i);
      dst_base = index_of(tsr_pkg::gemm_dst_base(insn_i));
      src_base = index_of(tsr_pkg::gemm_src_base(insn_i));
      wgt_base = index_of(tsr_pkg::gemm_wgt_base(insn_i));
      dst_out = index_of(20'(tsr_pkg::gemm_dst_out(insn_i)));
      dst_in = index_of(20'(tsr_pkg::gemm_dst_in(insn_i)));
      src_out = index_of(20'(tsr_pkg::gemm_src_out(insn_i)));
      src_in = index_of(20'(tsr_pkg::gemm_src_in(insn_i)));
      wgt_out = index_of(20'(tsr_pkg::gemm_wgt_out(insn_i)));
      wgt_in = index_of(20'(tsr_pkg::gemm_wgt_in(insn_i)));
    end
  end
  logic work;
  assign work = !nop_i && !illegal_i && count_u != '0 && count_i != '0 && count_o != '0;

  logic valid_q, work_q, illegal_q, reset_q;
  logic [31:0] num_q;
  uop_t uop_q, uop_begin_q;
  index_t dst_q, src_q, wgt_q;             // of this step
  index_t dst_row_q, src_row_q, wgt_row_q; // at the start of this outer iteration
  index_t dst_out_q, dst_in_q, src_out_q, src_in_q, wgt_out_q, wgt_in_q;

  // free: there is no step, or it is the last one. step: this step is the last of its micro-op; ends: after this cycle
  // the command's last.
  logic last_in, end_u, end_i, free_q, unused_last, step, ends;
  logic [2:0] last_next;
  if (tsr_pkg::ArrayPasses == 1) begin : g_one
    assign {pass_o, step, ends} = {1'b0, valid_q, last_next == '1};
  end else begin : g_two
    logic pass_q, pass_next;
    assign pass_next = !start_i && (valid_q ^ pass_q);
    always_ff @(posedge clk_i) pass_q <= rst_ni && pass_next;
    assign {pass_o, step, ends} = {pass_q, valid_q && pass_q, last_next == '1 && pass_next};
  end
  tsr_loop_count u_uop (
    .clk_i, .en_i(1'b1), .start_i, .count_i(count_u), .only_i(count_u == 16'd1), .step_i(step), .last_o(end_u),
    .last_next_o(last_next[0])
  );
  tsr_loop_count u_in (
    .clk_i, .en_i(1'b1), .start_i, .count_i(count_i), .only_i(count_i == 16'd1),
    .step_i(step && end_u), .last_o(last_in), .last_next_o(last_next[1])
  );
  tsr_loop_count u_out (
    .clk_i, .en_i(1'b1), .start_i, .count_i(count_o), .only_i(count_o == 16'd1),
    .step_i(step && end_i), .last_o(unused_last), .last_next_o(last_next[2])
  );
  assign end_i = end_u && last_in;
  assign last_o = free_q;
  assign free_next_o = free_q;

  // The next iteration: along the inner loop from this step, or along the outer loop from the row's start.
  index_t dst_next, src_next, wgt_next;
  assign dst_next = index_sum(end_i ? dst_row_q : dst_q, end_i ? dst_out_q : dst_in_q);
  assign src_next = index_sum(end_i ? src_row_q : src_q, end_i ? src_out_q : src_in_q);
  assign wgt_next = index_sum(end_i ? wgt_row_q : wgt_q, end_i ? wgt_out_q : wgt_in_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {valid_q, free_q} <= 2'b01;
    end else begin
      valid_q <= start_i || !free_q;
      free_q <= (start_i ? !work : free_q) || ends;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      work_q <= work;
      illegal_q <= illegal_i;
      reset_q <= vta_i & tsr_pkg::vta_gemm_reset_reg(vta);
      num_q <= num_i;
      uop_q <= uop_begin;
      uop_begin_q <= uop_begin;
      {dst_q, src_q, wgt_q} <= {dst_base, src_base, wgt_base};
      {dst_row_q, src_row_q, wgt_row_q} <= {dst_base, src_base, wgt_base};
      {dst_out_q, src_out_q, wgt_out_q} <= {dst_out, src_out, wgt_out};
      {dst_in_q, src_in_q, wgt_in_q} <= {dst_in, src_in, wgt_in};
    end else if (step) begin
      if (end_u) begin
        uop_q <= uop_begin_q;
        {dst_q, src_q, wgt_q} <= {dst_next, src_next, wgt_next};
      end else begin
        uop_q <= uop_after(uop_q);
      end
      if (end_i) begin
        {dst_row_q, src_row_q, wgt_row_q} <= {dst_next, src_next, wgt_next};
      end
    end
  end

  assign valid_o = valid_q;
  assign work_o = work_q;
  assign illegal_o = illegal_q;
  assign reset_o = reset_q;
  assign uop_o = uop_q;
  assign dst_o = dst_q;
  assign src_o = src_q;
  assign wgt_o = wgt_q;
  assign num_o = num_q;

  `TSR_ASSERT_IF(start_when_free, start_i, free_next_o)
endmodule
`default_nettype wire
