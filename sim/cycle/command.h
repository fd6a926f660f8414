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
  isa::Unit unit = isa::Unit::kLoad;  // the unit that executes it
  bool skip = false;                  // true: no unit executes it; it only moves tokens
  bool hush = false;                  // true: it does not appear in the trace
  isa::InsnNest nest;                 // its loop nest, if a unit executes it
  // The unit sets these when it takes the command and the functional model computes the effects. In
  // a legal program no other instruction accesses the same data until this one retires.
  isa::Stop stop;  // the error, if it has one
  uint64_t digest = 0;
};
using CommandPtr = Command*;  // the gates own a command until it retires

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_COMMAND_H_
