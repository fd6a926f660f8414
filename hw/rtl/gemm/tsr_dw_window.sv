// SPDX-License-Identifier: Apache-2.0
//
// tsr_dw_window: the INP tiles of two depthwise windows: one that is being read, one that is being
// multiplied.
//
//   Input   a_*, b_*: tiles that have come from INP, with their position 3 * ky + kx in the window
//           swap_i: the window read is complete (its last tile came the cycle before); it becomes the
//           one multiplied, and what the next one keeps of it moves |shift_i| columns to the left
//   Output  tap_o: tap group_i * DepthwiseTaps + p of the window multiplied at p, zero past its taps_i taps
//   Cost    18 tiles of flops
`include "tsr_assert.svh"

module tsr_dw_window (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 a_valid_i,
  input  logic [3:0]                           a_pos_i,
  input  logic [8*tsr_pkg::InpTileBytes-1:0]   a_data_i,
  input  logic                                 b_valid_i,
  input  logic [3:0]                           b_pos_i,
  input  logic [8*tsr_pkg::InpTileBytes-1:0]   b_data_i,
  input  logic                                 swap_i,
  input  logic [1:0]                           shift_i,
  input  logic                                 use_i,    // tap_o is wanted
  input  logic [3:0]                           group_i,
  input  logic [1:0]                           kw_i,
  input  logic [3:0]                           taps_i,
  output logic [8*tsr_pkg::InpTileBytes*tsr_pkg::DepthwiseTaps-1:0] tap_o
);
  localparam int Tile = 8 * tsr_pkg::InpTileBytes;
  localparam int Half = tsr_pkg::DepthwiseTaps;
  logic [9*Tile-1:0] read_q, use_q;

  for (genvar pos = 0; pos < 9; pos++) begin : g_pos
    localparam int From1 = (pos % 3 < 2) ? pos + 1 : pos;
    localparam int From2 = (pos % 3 < 1) ? pos + 2 : pos;
    always_ff @(posedge clk_i) begin
      if (a_valid_i && a_pos_i == 4'(pos)) read_q[Tile*pos+:Tile] <= a_data_i;
      else if (b_valid_i && b_pos_i == 4'(pos)) read_q[Tile*pos+:Tile] <= b_data_i;
      else if (swap_i && shift_i == 2'd1) read_q[Tile*pos+:Tile] <= read_q[Tile*From1+:Tile];
      else if (swap_i && shift_i == 2'd2) read_q[Tile*pos+:Tile] <= read_q[Tile*From2+:Tile];
    end
  end
  always_ff @(posedge clk_i) begin
    if (swap_i) use_q <= read_q;
  end

  // Tap t of a window with kw columns is at (t / kw, t mod kw).
  function automatic [Tile*Half-1:0] taps(input [9*Tile-1:0] window, input [3:0] group, input [1:0] kw,
                                          input [3:0] count);
    begin
      taps = '0;
      for (int p = 0; p < Half; p++) begin
        for (int t = p; t < 9; t += Half) begin
          for (int w = 1; w <= 3; w++) begin
            if (t / w < 3 && group == 4'(t / Half) && kw == 2'(w) && 4'(t) < count) begin
              taps[Tile*p+:Tile] = window[Tile*((3*(t/w)+t%w)%9)+:Tile];
            end
          end
        end
      end
    end
  endfunction
  assign tap_o = use_i ? taps(use_q, group_i, kw_i, taps_i) : '0;

  `TSR_ASSERT(two_places, a_valid_i && b_valid_i |-> a_pos_i != b_pos_i)
endmodule
