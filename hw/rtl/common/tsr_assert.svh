// SPDX-License-Identifier: Apache-2.0
//
// Checks on the house clock and reset: watched in simulation, proven where a proof names the module (tests/formal), nothing
// under SYNTHESIS.
//
//   TSR_ASSERT(name, prop)                       prop holds at every clock edge out of reset
//   TSR_ASSERT_IF(name, when, prop)              it does where |when| holds
//   TSR_ASSERT_NEXT(name, when, prop)            it does in the cycle after one in which |when| held
//   TSR_ASSERT_STREAM(name, valid, ready, data)  an offered beat is held, unchanged, until it is taken
//   TSR_REQUIRE, _IF, _STREAM                    the same of what comes in: a proof of the module takes it as given
//   TSR_COVER(name, prop)                        prop was seen
`ifndef TSR_ASSERT_SVH
`define TSR_ASSERT_SVH
`ifdef SYNTHESIS
`define TSR_ASSERT(name, prop)
`define TSR_ASSERT_NEXT(name, when, prop)
`define TSR_COVER(name, prop)
`elsif FORMAL
`define TSR_ASSERT(name, prop) \
  always_comb if (rst_ni) name: assert (prop);
`define TSR_ASSERT_NEXT(name, when, prop) \
  always_ff @(posedge clk_i) if (rst_ni && $past(rst_ni) && $past(when)) name: assert (prop);
`define TSR_COVER(name, prop) \
  always_comb if (rst_ni) name: cover (prop);
`else
// In clocked processes, which see the values before the edge: a concurrent property has Verilator copy every signal it
// names at every evaluation, and $stable every beat in every cycle. Here a beat is kept when it begins to wait.
`define TSR_ASSERT(name, prop) \
  always_ff @(posedge clk_i) if (rst_ni) name: assert (prop) else $error("%m");
`define TSR_ASSERT_NEXT(name, when, prop) \
  logic name``_due_q; \
  always_ff @(posedge clk_i) name``_due_q <= rst_ni && (when); \
  always_ff @(posedge clk_i) if (rst_ni && name``_due_q) name: assert (prop) else $error("%m");
`define TSR_COVER(name, prop) \
  always_ff @(posedge clk_i) if (rst_ni) name: cover (prop);
`endif
`define TSR_ASSERT_IF(name, when, prop) \
  `TSR_ASSERT(name, !(when) || (prop))
`ifdef SYNTHESIS
`define TSR_ASSERT_STREAM(name, valid, ready, data)
`elsif FORMAL
`define TSR_ASSERT_STREAM(name, valid, ready, data) \
  `TSR_ASSERT_NEXT(name``_hold_valid, (valid) && !(ready), valid) \
  `TSR_ASSERT_NEXT(name``_hold_data, (valid) && !(ready), $stable(data))
`else
`define TSR_ASSERT_STREAM(name, valid, ready, data) \
  `TSR_ASSERT_NEXT(name``_hold_valid, (valid) && !(ready), valid) \
  logic [$bits(data)-1:0] name``_beat_q; \
  always_ff @(posedge clk_i) if ((valid) && !(ready) && !name``_hold_valid_due_q) name``_beat_q <= data; \
  always_ff @(posedge clk_i) \
    if (rst_ni && name``_hold_valid_due_q) name``_hold_data: assert (name``_beat_q == data) else $error("%m");
`endif
`define TSR_REQUIRE(name, prop) \
  `TSR_ASSERT(env_``name, prop)
`define TSR_REQUIRE_IF(name, when, prop) \
  `TSR_ASSERT_IF(env_``name, when, prop)
`define TSR_REQUIRE_STREAM(name, valid, ready, data) \
  `TSR_ASSERT_STREAM(env_``name, valid, ready, data)
`endif
