// SPDX-License-Identifier: Apache-2.0
//
// tsr_dw_reads: chooses a slot's reads from the tiles that a depthwise window still misses: the lowest position, and
// the second lowest if it is in another bank.
//
//   Input   pair_i: {second lowest, lowest} of the positions 3 * ky + kx that are missing; 0: read none. set_i: the others
//           bank_i: INP's bank of each position
//   Output  slot_o, in the same cycle: last: nothing is missing after it; pair, rest: the missing positions, as pair_i
//           and set_i; first, second: the positions that it reads, or no second
//
// The pair comes from the slot before, so that no path both looks for positions and compares their banks.
`default_nettype none
module tsr_dw_reads #(
  localparam int BankBits = $clog2(tsr_pkg::InpBanks)
) (
  input  logic [8:0]             set_i,
  input  logic [17:0]            pair_i,
  input  logic [9*BankBits-1:0]  bank_i,
  output tsr_dw_pkg::slot_t      slot_o
);
  // Every bit at once, without a carry.
  function automatic [17:0] lowest_two(input [8:0] set);
    reg [8:0] below, pairs;
    begin
      for (int i = 0; i < 9; i++) begin
        below = set & 9'((9'd1 << i) - 9'd1);
        // Two below: one of them with another below it.
        for (int j = 0; j < 9; j++) pairs[j] = below[j] && (below & 9'((9'd1 << j) - 9'd1)) != '0;
        lowest_two[i] = set[i] && below == '0;
        lowest_two[9+i] = set[i] && below != '0 && pairs == '0;
      end
    end
  endfunction
  function automatic [BankBits-1:0] bank_at(input [8:0] one, input [9*BankBits-1:0] banks);
    reg [8:0] column;
    begin
      for (int b = 0; b < BankBits; b++) begin
        for (int i = 0; i < 9; i++) column[i] = one[i] && banks[BankBits*i+b];
        bank_at[b] = column != '0;
      end
    end
  endfunction

  // The next pair: the two lowest of the rest; or, if the second of this pair waits, that one and the lowest of the rest.
  logic same;
  logic [17:0] two;
  // Most commands are no DEPTHWISE: a simulator skips the search where nothing is missing.
  always_comb begin
    two = '0;
    if (tsr_sim_pkg::Always || set_i != '0) two = lowest_two(set_i);
    same = 1'b0;
    if (tsr_sim_pkg::Always || pair_i[17:9] != '0)
      same = pair_i[17:9] != '0 && bank_at(pair_i[8:0], bank_i) == bank_at(pair_i[17:9], bank_i);
  end
  assign slot_o.first = pair_i[8:0];
  assign slot_o.second = pair_i[17:9] & {9{!same}};
  assign slot_o.rest = set_i & ~two[8:0] & ~(two[17:9] & {9{!same}});
  assign slot_o.pair = same ? {two[8:0], pair_i[17:9]} : two;
  assign slot_o.last = !same && set_i == '0;
endmodule
`default_nettype wire
