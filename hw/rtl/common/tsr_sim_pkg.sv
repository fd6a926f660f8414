// SPDX-License-Identifier: Apache-2.0
//
// tsr_sim_pkg: whether this is a simulation.
//
// A register that nobody reads while nothing is in its slot needs no enable; a simulator is faster with
// one. `if (tsr_sim_pkg::Always || busy) x_q <= ...` has it in simulation only, where a clock enable of
// thousands of loads costs nothing. So does a word for each of many numbers that lie side by side (width).
`default_nettype none
package tsr_sim_pkg;
`ifdef SYNTHESIS
  localparam bit Always = 1'b1;
`else
  localparam bit Always = 1'b0;
`endif

  // Bits from one number to the next, of numbers with |bits| that lie side by side and are sign-extended.
  function automatic [31:0] width(input [31:0] bits);
    width = Always ? bits : 32'd32;
  endfunction
endpackage
`default_nettype wire
