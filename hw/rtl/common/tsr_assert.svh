// SPDX-License-Identifier: Apache-2.0
//
// Checks on the house clock and reset. Simulation watches them, a proof that names the module proves them (tests/formal),
// SYNTHESIS leaves them out.
//
//   TSR_ASSERT(name, prop)                       prop holds at every clock edge out of reset
//   TSR_ASSERT_IF(name, when, prop)              prop holds where |when| holds
//   TSR_ASSERT_NEXT(name, when, prop)            prop holds in the cycle after one in which |when| held
//   TSR_ASSERT_STREAM(name, valid, ready, data)  an offered beat is held, unchanged, until it is taken
//   TSR_REQUIRE, _IF, _STREAM                    the same for inputs: a proof of the module assumes it
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
// Checks are clocked processes, which see the values before the edge: for a concurrent property Verilator copies every
// signal it names at every evaluation. Each check is one condition and so one branch, which is never taken. A branch on
// signals that change from cycle to cycle would be mispredicted.
`define TSR_ASSERT(name, prop) \
  always_ff @(posedge clk_i) name: assert (prop) else if (rst_ni) $error("%m");
`define TSR_ASSERT_NEXT(name, when, prop) \
  logic name``_due_q; \
  always_ff @(posedge clk_i) name``_due_q <= rst_ni && (when); \
  always_ff @(posedge clk_i) name: assert (!name``_due_q || (prop)) else if (rst_ni) $error("%m");
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
// A beat of up to 64 bits is kept and compared in every cycle, a wider one only while it waits.
`define TSR_ASSERT_STREAM(name, valid, ready, data) \
  logic name``_due_q; \
  logic [$bits(data)-1:0] name``_beat_q; \
  always_ff @(posedge clk_i) name``_due_q <= rst_ni && (valid) && !(ready); \
  always_ff @(posedge clk_i) if ($bits(data) <= 64 || ((valid) && !(ready) && !name``_due_q)) name``_beat_q <= data; \
  always_ff @(posedge clk_i) if ($bits(data) <= 64 || name``_due_q) \
    name``_held: assert (!name``_due_q || ((valid) && name``_beat_q == data)) else if (rst_ni) $error("%m");
`endif
`define TSR_REQUIRE(name, prop) \
  `TSR_ASSERT(env_``name, prop)
`define TSR_REQUIRE_IF(name, when, prop) \
  `TSR_ASSERT_IF(env_``name, when, prop)
`define TSR_REQUIRE_STREAM(name, valid, ready, data) \
  `TSR_ASSERT_STREAM(env_``name, valid, ready, data)
`endif
