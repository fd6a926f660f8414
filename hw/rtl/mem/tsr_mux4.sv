// SPDX-License-Identifier: Apache-2.0
//
// tsr_mux4: word |sel_i| of four.
module tsr_mux4 #(
  parameter int Width = 8  // bits in a word
) (
  input  logic [4*Width-1:0] words_i,
  input  logic [1:0]         sel_i,
  output logic [Width-1:0]   word_o
);
  assign word_o = sel_i[1] ? (sel_i[0] ? words_i[3*Width+:Width] : words_i[2*Width+:Width])
                           : (sel_i[0] ? words_i[Width+:Width] : words_i[0+:Width]);
endmodule
