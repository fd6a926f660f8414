// SPDX-License-Identifier: Apache-2.0
//
// tsr_dw_pkg: a slot of the filling of a depthwise window (tsr_dw_reads).
`default_nettype none
package tsr_dw_pkg;
  typedef struct packed {
    logic        last;
    logic [8:0]  rest;
    logic [17:0] pair;
    logic [8:0]  second;
    logic [8:0]  first;
  } slot_t;
endpackage
`default_nettype wire
