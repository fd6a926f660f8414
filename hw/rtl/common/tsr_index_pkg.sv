// SPDX-License-Identifier: Apache-2.0
//
// tsr_index_pkg: sums and differences of tile indices that never wrap.
//
// An index is 21 bits: 20 bits of value and above them one bit that says "past 2^20", which stays set.
// Every scratchpad has at most 2^20 tiles, all terms are unsigned, so a sum that has left the range
// stays out of it and one comparison at the end decides exactly.
package tsr_index_pkg;
  function automatic [20:0] add(input [20:0] a, input [20:0] b);
    reg [20:0] sum;
    begin
      sum = {1'b0, a[19:0]} + {1'b0, b[19:0]};
      add = {a[20] | b[20] | sum[20], sum[19:0]};
    end
  endfunction
  // Indices from |first| up to |past|, which may lie below it.
  function automatic [15:0] between(input [15:0] first, input [15:0] past);
    between = (past > first) ? past - first : 16'd0;
  endfunction
endpackage
