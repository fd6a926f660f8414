// SPDX-License-Identifier: Apache-2.0
//
// The rig: seeded random programs that are legal by construction. Every conflict between units gets
// a token path, drawn at random among those that do; redundant tokens and SYNCs are mixed in.
// Depends on: isa/check. Used by: `tessera regress`, tests that compare machines with each other
// (tests/rig, tests/cosim).
#ifndef TESSERA_SIM_RIG_RIG_H_
#define TESSERA_SIM_RIG_RIG_H_

#include <cstdint>

#include "isa/config.h"
#include "isa/image.h"

namespace tessera::rig {

struct RigOptions {
  isa::Config config;
  isa::Profile profile = isa::Profile::kTessera;
  uint64_t seed = 1;
  int instructions = 40;  // about; tokens carried by SYNC come on top
  bool crowded = false;   // counters of tokens run up to their depth, and instructions stall there
};

// A program with all of its data in the image: the same bytes for the same options, on every
// platform. Every opcode of the profile, loops with zero to a few iterations, hazards, pads, steps,
// windows, short tiles, accumulators of all sizes; each scratchpad used in a small window, often at
// its end.
isa::ProgramImage MakeProgram(const RigOptions& options);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_RIG_H_
