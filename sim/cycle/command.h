// SPDX-License-Identifier: Apache-2.0
//
// Command: an instruction on its way through the machine. Depends on: isa. Used by: sim/cycle.
#ifndef TESSERA_SIM_CYCLE_COMMAND_H_
#define TESSERA_SIM_CYCLE_COMMAND_H_

#include <cstdint>

#include "isa/nest.h"
#include "isa/semantics/fetch.h"
#include "sim/cycle/part.h"

namespace tessera::sim::cycle {

struct Command {
  uint32_t number = 0;
  isa::Fetched fetched;               // its queue is fetched.unit
  isa::Unit unit = isa::Unit::kLoad;  // that executes it
  bool skip = false;                  // no unit does: it moves tokens only
  bool hush = false;                  // it leaves no trace
  isa::InsnNest nest;                 // of what a unit executes
  // Set when its unit takes it: that is when its effects are computed. In a legal program nobody
  // else touches what it touches before it retires.
  isa::Stop stop;  // it cannot be done
  uint64_t digest = 0;
};
using CommandPtr = Command*;  // the gates own it until it retires

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_COMMAND_H_
