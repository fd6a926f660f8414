// SPDX-License-Identifier: Apache-2.0
//
// tsr_mux: word |sel_i| of |words_i|, as a tree of two-way choices.
`default_nettype none
module tsr_mux #(
  parameter int Width = 8,   // bits in a word
  parameter int Words = 4,   // a power of two, >= 2
  parameter int SelBits = 2  // $clog2(Words)
) (
  input  logic [Words*Width-1:0] words_i,
  input  logic [SelBits-1:0]     sel_i,
  output logic [Width-1:0]       word_o
);
  for (genvar s = SelBits - 1; s >= 0; s--) begin : g_half
    logic [(Width<<s)-1:0] half;  // bit s chooses this half of the words left
    if (s == SelBits - 1) assign half = sel_i[s] ? words_i[(Width<<s)+:(Width<<s)] : words_i[0+:(Width<<s)];
    else assign half = sel_i[s] ? g_half[s+1].half[(Width<<s)+:(Width<<s)] : g_half[s+1].half[0+:(Width<<s)];
  end
  assign word_o = g_half[0].half;
endmodule
`default_nettype wire
