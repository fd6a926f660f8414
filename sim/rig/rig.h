// SPDX-License-Identifier: Apache-2.0
//
// The rig: random programs from a seed, legal by construction. Every conflict between units has a
// token path, drawn at random among the possible ones. The rig adds redundant tokens and SYNCs.
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
  int instructions = 40;  // about; SYNCs that carry tokens come in addition
  bool crowded = false;   // token counters reach their depth, and instructions stall there
};

// Makes a program with all its data in the image. Equal options give equal bytes on every platform.
// It has every opcode of the profile, loops of zero to a few iterations, hazards, pads, steps,
// windows, short tiles, and accumulators of all sizes. Each scratchpad is used in a small window,
// often at its end.
isa::ProgramImage MakeProgram(const RigOptions& options);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_RIG_H_
