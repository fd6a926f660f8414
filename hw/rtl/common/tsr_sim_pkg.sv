// SPDX-License-Identifier: Apache-2.0
//
// tsr_sim_pkg: whether this is a simulation.
//
// A register that is not read while its slot is empty needs no enable, but a simulator is faster with one. `if
// (tsr_sim_pkg::Always || busy) x_q <= ...` has the enable in simulation only, where an enable of thousands of
// loads costs nothing. A simulator is also faster with a word for each of many packed numbers (width).
`default_nettype none
package tsr_sim_pkg;
`ifdef SYNTHESIS
  localparam bit Always = 1'b1;
`else
  localparam bit Always = 1'b0;
`endif

  // The distance in bits between packed numbers of |bits| bits, which are sign-extended.
  function automatic [31:0] width(input [31:0] bits);
    width = Always ? bits : 32'd32;
  endfunction
endpackage
`default_nettype wire
