// SPDX-License-Identifier: Apache-2.0
//
// tsr_index.svh: tile indices that never wrap; included in the body of each module that counts tiles.
//
// An index is the bits that any scratchpad needs and above them one that says "past all of them", which stays set. All terms
// are unsigned, so a sum that has left the range stays out of it and one comparison at the end decides exactly.
typedef logic [tsr_pkg::IndexBits-1:0] index_t;
localparam int IndexTop = tsr_pkg::IndexBits - 1;
function automatic [tsr_pkg::IndexBits-1:0] index_of(input [19:0] value);
  index_of = {(value >> IndexTop) != '0, value[IndexTop-1:0]};
endfunction
function automatic [tsr_pkg::IndexBits-1:0] index_sum(input [tsr_pkg::IndexBits-1:0] a, input [tsr_pkg::IndexBits-1:0] b);
  reg [tsr_pkg::IndexBits-1:0] sum;
  begin
    sum = {1'b0, a[IndexTop-1:0]} + {1'b0, b[IndexTop-1:0]};
    index_sum = {a[IndexTop] | b[IndexTop] | sum[IndexTop], sum[IndexTop-1:0]};
  end
endfunction
