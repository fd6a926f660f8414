// SPDX-License-Identifier: Apache-2.0
//
// tsr_gemm_array: the multipliers and their adder trees. A step is a tile product, or up to BlockIn taps
// of a depthwise window for half its channels.
//
//   Input   valid_i: a step's operands are here. wgt_i [BlockOut][BlockIn]; dw_i = 0: inp_i [Batch][BlockIn];
//           dw_i = 1: win_i, the window's taps [9][Batch][BlockIn], zero where it has none; tap
//           group_i * BlockIn + c is multiplied by column c of wgt_i, a channel by its row
//           pass_i: with half the columns (ArrayPasses 2), the step is for the upper half of the output
//           channels; the lower half gets zero, or the other way round
//           low_i, high_i: the lower, the upper half of the pass's channels gets the step's sums, else
//           zero; depthwise: just one of them
//   Output  sum_o + one_o [Batch][BlockOut] in the seventh cycle after valid_i
//   Cost    Batch x BlockOut / ArrayPasses / 2 x BlockIn multipliers; 1 step a cycle
//
// Row p of multipliers has the weights of the pass's output channels p and p + Half, and multiplies both by
// the same activation. In a tile product that is right for both; in a depthwise step only for the channel of
// the half that low_i, high_i choose.
`default_nettype none
module tsr_gemm_array #(
  parameter int SumBits = 24  // bits of a sum; 16 + log2(BlockIn) at least
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   valid_i,
  input  logic                                   dw_i,
  input  logic                                   pass_i,
  input  logic                                   low_i,
  input  logic                                   high_i,
  input  logic [1:0]                             group_i,
  input  logic [8*tsr_pkg::InpTileBytes-1:0]     inp_i,
  input  logic [9*8*tsr_pkg::InpTileBytes-1:0]   win_i,
  input  logic [8*tsr_pkg::WgtTileBytes-1:0]     wgt_i,
  output logic [SumBits*tsr_pkg::Lanes-1:0]      sum_o,
  output logic [tsr_pkg::Lanes-1:0]              one_o
);
  localparam int Batch = tsr_pkg::Batch;
  localparam int In = tsr_pkg::BlockIn;
  localparam int Out = tsr_pkg::BlockOut;
  localparam int Passes = tsr_pkg::ArrayPasses;
  localparam int Columns = Out / Passes;  // output channels of a pass
  localparam int Half = Columns / 2;
  localparam int Pairs = In / 2;  // of columns
  localparam int Taps = 9;
  localparam int Groups = (Taps + In - 1) / In;
  localparam int LowBits = tsr_sim_pkg::width(16);
  localparam int HighBits = tsr_sim_pkg::width(17);

  logic [6:1] valid_q, low_q, high_q;
  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? {valid_q[5:1], valid_i} : '0;
    low_q <= {low_q[5:1], low_i};
    high_q <= {high_q[5:1], high_i};
  end
  logic [3:0] en;
`ifdef SYNTHESIS
  assign en = '1;
`else
  assign en = {valid_q[3:1], valid_i};
`endif

  // What a pass takes of the weights: [Columns][BlockIn]; and of a tile of the window: [Batch][Columns].
  logic [8*Columns*In-1:0] wgt;
  logic [9*8*Batch*Columns-1:0] win;
  localparam int Part = 8 * Batch * Columns;  // of a tile
  if (Passes == 1) begin : g_whole
    assign {wgt, win} = {wgt_i, win_i};
    logic unused_pass;
    assign unused_pass = pass_i;
  end else begin : g_half
    assign wgt = pass_i ? wgt_i[8*Out*In-1:8*Columns*In] : wgt_i[8*Columns*In-1:0];
    for (genvar t = 0; t < Taps * Batch; t++) begin : g_tile
      assign win[8*Columns*t+:8*Columns] =
          pass_i ? win_i[8*(In*t+Columns)+:8*Columns] : win_i[8*In*t+:8*Columns];
    end
  end

  // Taps by column of multipliers: [c][Batch][Columns].
  logic unused;
  assign unused = ^group_i;  // one group holds them all where BlockIn is 9 or more
  localparam int TapColumns = Taps < In ? Taps : In;  // that have taps
  logic [Part*TapColumns-1:0] tap;
  for (genvar c = 0; c < TapColumns; c++) begin : g_tap
    if (Groups == 1) begin : g_one
      assign tap[Part*c+:Part] = win[Part*c+:Part];
    end else begin : g_group
      logic [Part-1:0] of_group;
      always_comb begin
        of_group = '0;
        for (int g = 0; g < Groups; g++) begin
          if (g * In + c < Taps && group_i == 2'(g)) of_group = win[Part*((g*In+c)%Taps)+:Part];
        end
      end
      assign tap[Part*c+:Part] = of_group;
    end
  end

  logic [SumBits*Batch*Columns-1:0] sum;  // of the pass: [Batch][Columns]
  for (genvar b = 0; b < Batch; b++) begin : g_row
    for (genvar p = 0; p < Half; p++) begin : g_out
      // The activations by column.
      logic [8*In-1:0] x;
      always_comb begin
        x = inp_i[8*b*In+:8*In];
        if (dw_i) begin
          x = '0;
          for (int c = 0; c < TapColumns; c++)
            x[8*c+:8] = high_i ? tap[Part*c+8*(b*Columns+p+Half)+:8] : tap[Part*c+8*(b*Columns+p)+:8];
        end
      end
      logic [LowBits*Pairs-1:0] low;  // each is one too small
      logic [HighBits*Pairs-1:0] high;
      for (genvar k = 0; k < Pairs; k++) begin : g_pair
        logic [15:0] raised;  // by 2^15 - 1
        logic [16:0] hi;
        tsr_dsp_pair u_dsp (
          .clk_i, .en_i(en),
          .w0a_i(wgt[8*(p*In+2*k)+:8]), .w1a_i(wgt[8*((p+Half)*In+2*k)+:8]), .xa_i(x[16*k+:8]),
          .w0b_i(wgt[8*(p*In+2*k+1)+:8]), .w1b_i(wgt[8*((p+Half)*In+2*k+1)+:8]), .xb_i(x[16*k+8+:8]),
          .lo_o(raised), .hi_o(hi)
        );
        assign low[LowBits*k+:LowBits] = {{LowBits - 15{!raised[15]}}, raised[14:0]};
        assign high[HighBits*k+:HighBits] = {{HighBits - 16{hi[16]}}, hi[15:0]};
      end
      tsr_gemm_tree #(.Terms(Pairs), .Bits(LowBits), .Biased(1'b1), .SumBits(SumBits)) u_low (
        .clk_i, .en_i(valid_q[4]), .en1_i(valid_q[5]), .en2_i(valid_q[6]), .keep_i(low_q[6]),
        .terms_i(low), .sum_o(sum[SumBits*(b*Columns+p)+:SumBits])
      );
      tsr_gemm_tree #(.Terms(Pairs), .Bits(HighBits), .SumBits(SumBits)) u_high (
        .clk_i, .en_i(valid_q[4]), .en1_i(valid_q[5]), .en2_i(valid_q[6]), .keep_i(high_q[6]),
        .terms_i(high), .sum_o(sum[SumBits*(b*Columns+p+Half)+:SumBits])
      );
    end
  end

  // The sums of the lower half of a pass's channels are one too small.
  if (Passes == 1) begin : g_all
    assign sum_o = sum;
    assign one_o = {Batch{{Half{1'b0}}, {Half{1'b1}}}};
  end else begin : g_chosen
    logic [6:1] pass_q;
    logic [1:0] chosen_q;
    always_ff @(posedge clk_i) begin
      pass_q <= {pass_q[5:1], pass_i};
      chosen_q <= {pass_q[6], !pass_q[6]};
    end
    for (genvar h = 0; h < Batch * Passes; h++) begin : g_part
      assign sum_o[SumBits*Columns*h+:SumBits*Columns] =
          sum[SumBits*Columns*(h/Passes)+:SumBits*Columns] & {SumBits * Columns{chosen_q[h%Passes]}};
      assign one_o[Columns*h+:Columns] = {{Half{1'b0}}, {Half{chosen_q[h%Passes]}}};
    end
  end

`ifndef SYNTHESIS
  initial if (In != Out || In < 4) $fatal(1, "tsr_gemm_array: the array must be square and have 4 rows");
`endif
endmodule
`default_nettype wire
