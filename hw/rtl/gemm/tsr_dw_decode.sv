// SPDX-License-Identifier: Apache-2.0
//
// tsr_dw_decode: computes what tsr_dw_loop needs of a DEPTHWISE command before the command starts.
//
//   Input   insn_i: a Depthwise with legal fields; for another instruction the outputs mean nothing
//   Output  all_o: the positions 3 * ky + kx of a window; new_o: those that a window does not share with the
//           window beside it, which came before
//           keep_o: columns between two such windows; 0: they share none
//           bank_o: INP's bank of each position's tile, relative to the first one's
`default_nettype none
module tsr_dw_decode #(
  localparam int BankBits = $clog2(tsr_pkg::InpBanks)
) (
  input  logic [255:0]          insn_i,
  output logic [8:0]            all_o,
  output logic [8:0]            new_o,
  output logic [1:0]            keep_o,
  output logic [9*BankBits-1:0] bank_o
);
  logic [1:0] kh, kw, keep;
  logic [15:0] win_x, win_y, src_in;
  assign kh = tsr_pkg::depthwise_kh(insn_i);
  assign kw = tsr_pkg::depthwise_kw(insn_i);
  assign win_x = tsr_pkg::depthwise_win_x(insn_i);
  assign win_y = tsr_pkg::depthwise_win_y(insn_i);
  assign src_in = tsr_pkg::depthwise_src_in(insn_i);
  assign keep = (kw > 2'd1 && src_in == win_x) ? 2'd1 : (kw > 2'd2 && {1'b0, src_in} == {win_x, 1'b0}) ? 2'd2 : 2'd0;
  assign keep_o = keep;

  for (genvar ky = 0; ky < 3; ky++) begin : g_row
    for (genvar kx = 0; kx < 3; kx++) begin : g_column
      assign all_o[3*ky+kx] = 2'(ky) < kh && 2'(kx) < kw;
      assign new_o[3*ky+kx] = 2'(ky) < kh && 2'(kx) < kw && 2'(kx) >= kw - keep;
      assign bank_o[BankBits*(3*ky+kx)+:BankBits] = BankBits'(ky) * BankBits'(win_y) + BankBits'(kx) * BankBits'(win_x);
    end
  end

  logic unused;
  assign unused = ^{insn_i, win_y};
endmodule
`default_nettype wire
