// SPDX-License-Identifier: Apache-2.0
//
// tsr_index.svh: tile indices and micro-op numbers that never wrap; included in the body of each module that counts them.
//
// An index has the bits that the largest scratchpad needs, and above them one bit that means "past all of them" and stays set.
// All terms are unsigned, so a sum that has left the range stays out of it and one comparison at the end decides exactly.
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

// A micro-op's number, likewise.
typedef logic [tsr_pkg::VtaUopIdxBits:0] uop_t;
localparam int UopTop = tsr_pkg::VtaUopIdxBits;
function automatic [tsr_pkg::VtaUopIdxBits:0] uop_of(input [15:0] value);
  uop_of = {(value >> UopTop) != '0, value[UopTop-1:0]};
endfunction
function automatic [tsr_pkg::VtaUopIdxBits:0] uop_after(input [tsr_pkg::VtaUopIdxBits:0] uop);
  uop_after = (uop + uop_t'(1)) | {uop[UopTop], {UopTop{1'b0}}};
endfunction
// The number of micro-ops of a command of profile vta: from |first| up to |past|; 0 when |past| is below |first|.
function automatic [15:0] uops_between(input [15:0] first, input [15:0] past);
  uops_between = (past - first) & {16{past > first}};  // gates: a choice of 0 would become a flop's reset, for which it is late
endfunction
