// SPDX-License-Identifier: Apache-2.0
//
// tsr_gemm_array: the multipliers and their adder trees. A step is a tile product or up to
// DepthwiseTaps taps of a depthwise window.
//
//   Input   valid_i: a step's operands are here. wgt_i [BlockOut][BlockIn]; dw_i = 0: inp_i [Batch][BlockIn];
//           dw_i = 1: tap p of the step is tap_i [p][Batch][BlockIn], its weights are row
//           half_i * DepthwiseTaps + p of wgt_i
//   Output  sum_o [Batch][BlockOut], SumBits each, in the fifth cycle after valid_i
//   Cost    Batch x BlockOut / 2 x BlockIn multipliers; 1 step a cycle
//
// Multiplier (p, c) of a batch row has weights of rows p and p + BlockOut/2 at column c. A tile product
// adds both its products along c; a depthwise step adds the half that it names along p.
module tsr_gemm_array #(
  parameter int SumBits = 24  // bits of a sum; 16 + log2(BlockIn) at least
) (
  input  logic                                             clk_i,
  input  logic                                             rst_ni,
  input  logic                                             valid_i,
  input  logic                                             dw_i,
  input  logic                                             half_i,
  input  logic [8*tsr_pkg::InpTileBytes-1:0]               inp_i,
  input  logic [8*tsr_pkg::InpTileBytes*tsr_pkg::DepthwiseTaps-1:0] tap_i,
  input  logic [8*tsr_pkg::WgtTileBytes-1:0]               wgt_i,
  output logic [SumBits*tsr_pkg::Lanes-1:0]                sum_o
);
  localparam int Batch = tsr_pkg::Batch;
  localparam int In = tsr_pkg::BlockIn;
  localparam int Out = tsr_pkg::BlockOut;
  localparam int Half = tsr_pkg::DepthwiseTaps;
  localparam int Tile = 8 * tsr_pkg::InpTileBytes;

  logic [4:1] valid_q, dw_q;
  logic [3:1] half_q;
  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? {valid_q[3:1], valid_i} : 4'd0;
    dw_q <= {dw_q[3:1], dw_i};
    half_q <= {half_q[2:1], half_i};
  end

  // Products: [b][p][c], 16 bits each.
  logic [16*Batch*Half*In-1:0] p0, p1;
  for (genvar b = 0; b < Batch; b++) begin : g_row
    for (genvar p = 0; p < Half; p++) begin : g_pair
      for (genvar c = 0; c < In; c++) begin : g_column
        localparam int Product = 16 * ((b * Half + p) * In + c);
        tsr_gemm_pair u_pair (
          .clk_i,
          .en_i(valid_i),
          .en1_i(valid_q[1]),
          .en2_i(valid_q[2]),
          .w0_i(wgt_i[8*(p*In+c)+:8]),
          .w1_i(wgt_i[8*((p+Half)*In+c)+:8]),
          .x_i(dw_i ? tap_i[Tile*p+8*(b*In+c)+:8] : inp_i[8*(b*In+c)+:8]),
          .p0_o(p0[Product+:16]),
          .p1_o(p1[Product+:16])
        );
      end
    end
  end

  // Trees: first sums of four, then the rest.
  for (genvar b = 0; b < Batch; b++) begin : g_sum
    for (genvar o = 0; o < Out; o++) begin : g_out
      logic [SumBits-1:0] along_c, along_p;
      // Tile product: row o, which is the low or the high product of pair o mod Half.
      logic [16*In-1:0] terms_c;
      localparam int First = 16 * (b * Half + o % Half) * In;
      assign terms_c = (o < Half) ? p0[First+:16*In] : p1[First+:16*In];
      tsr_gemm_tree #(.Terms(In), .SumBits(SumBits)) u_along_c (
        .clk_i, .en_i(valid_q[3] && !dw_q[3]), .en1_i(valid_q[4] && !dw_q[4]),
        .terms_i(terms_c), .sum_o(along_c)
      );
      // Depthwise: channel o.
      logic [16*Half-1:0] terms_p;
      for (genvar p = 0; p < Half; p++) begin : g_tap
        localparam int Product = 16 * ((b * Half + p) * In + o);
        assign terms_p[16*p+:16] = half_q[3] ? p1[Product+:16] : p0[Product+:16];
      end
      tsr_gemm_tree #(.Terms(Half), .SumBits(SumBits)) u_along_p (
        .clk_i, .en_i(valid_q[3] && dw_q[3]), .en1_i(valid_q[4] && dw_q[4]),
        .terms_i(terms_p), .sum_o(along_p)
      );
      logic dw_last_q;
      always_ff @(posedge clk_i) dw_last_q <= dw_q[4];
      assign sum_o[SumBits*(b*Out+o)+:SumBits] = dw_last_q ? along_p : along_c;
    end
  end

`ifndef SYNTHESIS
  initial if (In != Out || Half * 2 != Out) $fatal(1, "tsr_gemm_array: the array must be square");
`endif
endmodule
