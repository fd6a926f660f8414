// SPDX-License-Identifier: Apache-2.0
//
// Checks on the house clock and reset; nothing under SYNTHESIS.
//
//   TSR_ASSERT(name, prop)                       prop holds at every clock edge out of reset
//   TSR_ASSERT_STREAM(name, valid, ready, data)  an offered beat is held, unchanged, until it is taken
//   TSR_COVER(name, prop)                        prop was seen
`ifndef TSR_ASSERT_SVH
`define TSR_ASSERT_SVH
`ifdef SYNTHESIS
`define TSR_ASSERT(name, prop)
`define TSR_COVER(name, prop)
`else
`define TSR_ASSERT(name, prop) \
  name: assert property (@(posedge clk_i) disable iff (!rst_ni) (prop)) else $error("%m");
`define TSR_COVER(name, prop) \
  name: cover property (@(posedge clk_i) disable iff (!rst_ni) (prop));
`endif
`define TSR_ASSERT_STREAM(name, valid, ready, data) \
  `TSR_ASSERT(name``_hold_valid, (valid) && !(ready) |=> (valid)) \
  `TSR_ASSERT(name``_hold_data, (valid) && !(ready) |=> $stable(data))
`endif
