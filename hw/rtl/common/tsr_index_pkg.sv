// SPDX-License-Identifier: Apache-2.0
//
// tsr_index_pkg: how many micro-ops a command of profile vta has.
package tsr_index_pkg;
  // Indices from |first| up to |past|, which may lie below it.
  function automatic [15:0] between(input [15:0] first, input [15:0] past);
    between = (past - first) & {16{past > first}};  // a choice of 0 would be a flop's reset, and late
  endfunction
endpackage
