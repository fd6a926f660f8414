// SPDX-License-Identifier: Apache-2.0
//
// How the instructions of a schedule's pieces are fetched and dispatched: how many, how fast, how
// far ahead of the units. The figures are those of hw/rtl/issue. Depends on: pieces.h. Used by:
// accel_clock.cc.
#ifndef TESSERA_COMPILER_COST_FETCH_H_
#define TESSERA_COMPILER_COST_FETCH_H_

#include "compiler/cost/nests.h"
#include "compiler/cost/pieces.h"
#include "isa/config.h"
#include "isa/costs.h"
#include "isa/insns.h"

namespace tessera::cost {

// Beats of instructions that come before the first beat of a LOAD, if the program has so many, and
// cycles from the first of them to the first request of LOAD.
inline constexpr double kFetchFirst = 80, kFirstRequest = 25;
// Beats of instructions for each beat of a LOAD that has as many on their way as it may: fetch
// holds 64 or has asked for them, LOAD for 128.
inline constexpr double kFetchShare = 0.5;
// Beats that LOAD holds before it needs them, if the bus was idle. They wait for no instructions.
inline constexpr double kReadAhead = 32;

// Cycles that dispatch takes for an instruction of |unit|: LOADs and STOREs are checked one by one.
constexpr double DispatchCycles(isa::Unit unit) {
  return unit == isa::Unit::kLoad || unit == isa::Unit::kStore ? isa::kCheckCycles : 1;
}

struct Fetching {
  double insn_beats = 0;  // of an instruction
  double beats = 0;       // of all instructions
  double ahead = 0;       // of those that fetch may be ahead until the queue of a unit is full
  double rate = 0;        // beats a cycle, as fast as instructions are dispatched
};

// What |pieces|, those of |nests|, need.
Fetching FetchingOf(const Nests& nests, const Pieces& pieces, const isa::Config& config);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_FETCH_H_
