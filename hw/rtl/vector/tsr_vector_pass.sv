// SPDX-License-Identifier: Apache-2.0
//
// tsr_vector_pass: which elements of a tile the lanes have. With half as many lanes as a tile has elements
// (VectorPasses 2) a step does all its phases in slot 3 twice: for the first half of its elements, then for the second.
//
//   Input   more_i: this pass has another phase in slot 3; two_i: each pass has two; the other signals are tsr_vector's
//   Output  stays_o: the step in slot 3 has another phase; again_o: if go_i, with another pass; last_o: this pass is the last
//   Data    *_i: tiles that were read, in stage 0; *_o: of these what the lanes take, in the same cycle
//   Data    result_i: what the lanes have in stage 13; whole_o: the tile, while last_result_o
//   Cost    with all lanes nothing; else flops for half a tile of results
`default_nettype none
module tsr_vector_pass #(
  parameter int LaneCount = tsr_pkg::Lanes / tsr_pkg::VectorPasses
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // slot 3
  input  logic                           advance_i,
  input  logic                           next_i,  // a step comes with advance_i
  input  logic                           go_i,
  input  logic                           more_i,
  input  logic                           two_i,
  output logic                           stays_o,
  output logic                           again_o,
  output logic                           last_o,
  // stage 0
  input  logic [8*tsr_pkg::Lanes-1:0]    out_i,
  input  logic [8*tsr_pkg::Lanes-1:0]    inp_i,
  input  logic [32*tsr_pkg::Lanes-1:0]   acc_i,
  input  logic [8*tsr_pkg::PrmBytes-1:0] prm_i,
  output logic [8*LaneCount-1:0]         out_o,
  output logic [8*LaneCount-1:0]         inp_o,
  output logic [32*LaneCount-1:0]        acc_o,
  output logic [8*tsr_pkg::PrmBytes-1:0] prm_o,  // the lanes' channels come first in each field
  // stage 13
  input  logic                           result_valid_i,
  input  logic [32*LaneCount-1:0]        result_i,
  output logic                           last_result_o,
  output logic [32*tsr_pkg::Lanes-1:0]   whole_o
);
  if (tsr_pkg::VectorPasses == 1) begin : g_one
    assign {stays_o, again_o, last_o, last_result_o} = {more_i, 1'b0, 1'b1, 1'b1};
    assign {out_o, inp_o, acc_o, prm_o, whole_o} = {out_i, inp_i, acc_i, prm_i, result_i};
    logic unused;
    assign unused = ^{clk_i, rst_ni, advance_i, next_i, go_i, two_i, result_valid_i};
  end else begin : g_two
    logic second_q, stays_q, second0_q, second13_q;  // in the second pass: slot 3, stages 0 and 13
    assign {stays_o, again_o, last_o} = {stays_q, stays_q && !more_i, second_q};
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        {second_q, stays_q, second13_q} <= '0;
      end else begin
        if (advance_i) {second_q, stays_q} <= {1'b0, next_i};
        else if (go_i) {second_q, stays_q} <= {second_q || !more_i, !second_q && (more_i || two_i)};
        if (result_valid_i) second13_q <= !second13_q;
      end
      if (go_i) second0_q <= second_q;
    end

    assign out_o = second0_q ? out_i[8*tsr_pkg::Lanes-1:8*LaneCount] : out_i[8*LaneCount-1:0];
    assign inp_o = second0_q ? inp_i[8*tsr_pkg::Lanes-1:8*LaneCount] : inp_i[8*LaneCount-1:0];
    assign acc_o = second0_q ? acc_i[32*tsr_pkg::Lanes-1:32*LaneCount] : acc_i[32*LaneCount-1:0];
    // A tile of one row is cut between its channels, another one between its rows.
    if (tsr_pkg::Batch == 1) begin : g_channels
      localparam int Bias = 8 * tsr_pkg::PrmBiasOffset, BiasBits = 8 * tsr_pkg::PrmBiasBytes * LaneCount;
      localparam int Mult = 8 * tsr_pkg::PrmMultiplierOffset, MultBits = 8 * tsr_pkg::PrmMultiplierBytes * LaneCount;
      localparam int Shift = 8 * tsr_pkg::PrmShiftOffset, ShiftBits = 8 * tsr_pkg::PrmShiftBytes * LaneCount;
      always_comb begin
        prm_o = prm_i;
        if (second0_q) begin
          prm_o[Bias+:BiasBits] = prm_i[Bias+BiasBits+:BiasBits];
          prm_o[Mult+:MultBits] = prm_i[Mult+MultBits+:MultBits];
          prm_o[Shift+:ShiftBits] = prm_i[Shift+ShiftBits+:ShiftBits];
        end
      end
    end else begin : g_rows
      assign prm_o = prm_i;
    end

    logic [32*LaneCount-1:0] before_q;  // half a tile of results waits for the other
    always_ff @(posedge clk_i) if (result_valid_i) before_q <= result_i;
    assign last_result_o = second13_q;
    assign whole_o = {result_i, before_q};
  end
endmodule
`default_nettype wire
