// SPDX-License-Identifier: Apache-2.0
//
// tsr_gemm_accum: adds the array's sums to ACC tiles, one a cycle, whatever their order.
//
//   Input   step_*: a step that entered the array five cycles ago; sum_i + one_i is its sum two cycles
//           later; next_*: the step that comes in the next cycle
//   ACC     rd_en_o, rd_addr_o with the step, when its tile is not in the pipeline; rd_data_i in the next
//           cycle; wr_* three cycles after the step
//   Output  out_tag_o: the step's tag, in the cycle of its write
//   Cost    3 cycles, 1 step a cycle
//
// A read would not see the writes of the three steps before it. Their results are forwarded instead, without a
// read, so the same tile in consecutive steps is exact. A step without `store` leaves its result for the next
// step only. So a sum of many consecutive steps leaves its bank to other units until it is complete.
`default_nettype none
`include "tsr_assert.svh"

module tsr_gemm_accum #(
  parameter int SumBits = 24,
  parameter int TagBits = 2    // carried along
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              step_valid_i,  // there is something to add
  input  logic                              step_init_i,   // the accumulator starts from zero
  input  logic                              step_store_i,  // the result is written
  input  logic [tsr_pkg::AccIdxBits-1:0]    step_dst_i,
  input  logic                              next_valid_i,
  input  logic                              next_init_i,
  input  logic [tsr_pkg::AccIdxBits-1:0]    next_dst_i,
  input  logic [TagBits-1:0]                step_tag_i,    // also without valid
  input  logic [SumBits*tsr_pkg::Lanes-1:0] sum_i,
  input  logic [tsr_pkg::Lanes-1:0]         one_i,         // the adder's carry
  // ACC
  output logic                              rd_en_o,
  output logic [tsr_pkg::AccIdxBits-1:0]    rd_addr_o,
  input  logic [32*tsr_pkg::Lanes-1:0]      rd_data_i,
  output logic                              wr_en_o,
  output logic [tsr_pkg::AccIdxBits-1:0]    wr_addr_o,
  output logic [32*tsr_pkg::Lanes-1:0]      wr_data_o,
  output logic [TagBits-1:0]                out_tag_o
);
  localparam int Lanes = tsr_pkg::Lanes;
  localparam int Addr = tsr_pkg::AccIdxBits;

  // Stage 0: the read; stage 1: its data; stage 2: the sum; stage 3: the write; stage 4: one later.
  logic valid1_q, valid2_q, valid3_q;
  logic init1_q, store1_q, store2_q, write3_q;
  logic [Addr-1:0] dst1_q, dst2_q, dst3_q;
  logic [TagBits-1:0] tag1_q, tag2_q, tag3_q;

  // near, mid, far: the first, second, third step before this one has the same tile; the nearest wins. read_q is a
  // flop, since VECTOR and STORE wait for it.
  logic near_d, mid_d, far_d, near_q, mid_q, far_q, near1_q, mid1_q, far1_q, near2_q, read_q;
  assign near_d = step_valid_i && step_dst_i == next_dst_i;
  assign mid_d = valid1_q && dst1_q == next_dst_i;
  assign far_d = valid2_q && dst2_q == next_dst_i;
  assign rd_en_o = read_q;
  assign rd_addr_o = step_dst_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {near_q, mid_q, far_q} <= '0;
      read_q <= 1'b0;
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
      write3_q <= 1'b0;
      tag1_q <= '0;
      tag2_q <= '0;
      tag3_q <= '0;
    end else begin
      {near_q, mid_q, far_q} <= {near_d, mid_d, far_d};
      read_q <= next_valid_i && !next_init_i && !near_d && !mid_d && !far_d;
      valid1_q <= step_valid_i;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
      write3_q <= valid2_q && store2_q;
      tag1_q <= step_tag_i;
      tag2_q <= tag1_q;
      tag3_q <= tag2_q;
    end
  end
  always_ff @(posedge clk_i) begin
    {init1_q, store1_q, dst1_q} <= {step_init_i, step_store_i, step_dst_i};
    {store2_q, dst2_q} <= {store1_q, dst1_q};
    dst3_q <= dst2_q;
    {near1_q, mid1_q, far1_q} <= {near_q && !step_init_i, mid_q, far_q};
    near2_q <= near1_q;
  end

  logic [32*Lanes-1:0] acc2_q, result3_q, result4_q;

  // A function, so that a simulator adds only when there is something to add.
  function automatic [32*Lanes-1:0] add_lanes(input [32*Lanes-1:0] acc, input [SumBits*Lanes-1:0] sum,
                                              input [Lanes-1:0] one);
    begin
      for (int l = 0; l < Lanes; l++) begin
        add_lanes[32*l+:32] = acc[32*l+:32] + {{33 - SumBits{sum[SumBits*l+SumBits-1]}}, sum[SumBits*l+:SumBits-1]} +
                              {31'd0, one[l]};
      end
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (tsr_sim_pkg::Always || valid1_q)
      acc2_q <= init1_q ? '0 : mid1_q ? result3_q : far1_q ? result4_q : rd_data_i;
    if (tsr_sim_pkg::Always || valid2_q)
      result3_q <= add_lanes(near2_q ? result3_q : acc2_q, sum_i, one_i);
    if (tsr_sim_pkg::Always || valid3_q) result4_q <= result3_q;
  end

  assign wr_en_o = write3_q;
  assign wr_addr_o = dst3_q;
  assign wr_data_o = result3_q;
  assign out_tag_o = tag3_q;

  `TSR_ASSERT_IF(read_by_its_step, read_q, step_valid_i && !step_init_i)
  // A result that is not written is used by the next step.
  `TSR_ASSERT_IF(unstored_goes_on, valid3_q && !write3_q, valid2_q && dst2_q == dst3_q)
endmodule
`default_nettype wire
