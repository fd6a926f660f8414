// SPDX-License-Identifier: Apache-2.0
//
// tsr_sim_pkg: whether this is a simulation.
//
// A register that nobody reads while nothing is in its slot needs no enable; a simulator is faster with
// one. `if (tsr_sim_pkg::Always || busy) x_q <= ...` has it in simulation only, where a clock enable of
// thousands of loads costs nothing.
package tsr_sim_pkg;
`ifdef SYNTHESIS
  localparam bit Always = 1'b1;
`else
  localparam bit Always = 1'b0;
`endif
endpackage
