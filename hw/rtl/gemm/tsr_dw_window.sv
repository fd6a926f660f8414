// SPDX-License-Identifier: Apache-2.0
//
// tsr_dw_window: the INP tiles of two depthwise windows: one that is being read, one that is being
// multiplied.
//
//   Input   a_*, b_*: tiles that have come from INP, with the number of their tap: ky * kw + kx
//           swap_i: the window being read is complete (its last tile came the cycle before). It becomes the
//           multiplied one, and the tiles that the next window keeps move |shift_i| columns to the left
//           past_i, with swap_i and from flops: the taps that the window does not have
//   Output  win_o: the taps of the window multiplied, zero past its last
//   Cost    18 tiles of flops
`default_nettype none
`include "tsr_assert.svh"

module tsr_dw_window (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 a_valid_i,
  input  logic [3:0]                           a_tap_i,
  input  logic [8*tsr_pkg::InpTileBytes-1:0]   a_data_i,
  input  logic                                 b_valid_i,
  input  logic [3:0]                           b_tap_i,
  input  logic [8*tsr_pkg::InpTileBytes-1:0]   b_data_i,
  input  logic                                 swap_i,
  input  logic [1:0]                           shift_i,
  input  logic [8:0]                           past_i,
  output logic [9*8*tsr_pkg::InpTileBytes-1:0] win_o
);
  localparam int Tile = 8 * tsr_pkg::InpTileBytes;
  logic [9*Tile-1:0] read_q, use_q;

  for (genvar t = 0; t < 9; t++) begin : g_tap
    // A column to the left is the tap before. Tiles that come over from the next row are read anew.
    localparam int From1 = (t < 8) ? t + 1 : t;
    localparam int From2 = (t < 7) ? t + 2 : t;
    // The source, one of four, in two bits, so that a bit of the tile takes one LUT.
    logic takes_a, takes_b;
    logic [1:0] from;
    assign takes_a = a_valid_i && a_tap_i == 4'(t);
    assign takes_b = b_valid_i && b_tap_i == 4'(t);
    assign from = {!takes_a && !takes_b, takes_a || (!takes_b && shift_i[0])};
    always_ff @(posedge clk_i) begin
      if (takes_a || takes_b || (swap_i && shift_i != 2'd0)) begin
        unique case (from)
          2'd0: read_q[Tile*t+:Tile] <= b_data_i;
          2'd1: read_q[Tile*t+:Tile] <= a_data_i;
          2'd2: read_q[Tile*t+:Tile] <= read_q[Tile*From2+:Tile];
          default: read_q[Tile*t+:Tile] <= read_q[Tile*From1+:Tile];
        endcase
      end
    end
    always_ff @(posedge clk_i) begin
      if (past_i[t]) use_q[Tile*t+:Tile] <= '0;
      else if (swap_i) use_q[Tile*t+:Tile] <= read_q[Tile*t+:Tile];
    end
  end
  assign win_o = use_q;

  `TSR_ASSERT_IF(past_with_swap, past_i != '0, swap_i)
  `TSR_ASSERT_IF(two_places, a_valid_i && b_valid_i, a_tap_i != b_tap_i)
endmodule
`default_nettype wire
