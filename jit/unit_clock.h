// SPDX-License-Identifier: Apache-2.0
//
// When the machine's units are done with work that is given to them, estimated: by the cycles of
// instructions and what they wait for. Depends on: isa. Used by: jit/load_order,
// codegen/accel/overlap.
#ifndef TESSERA_JIT_UNIT_CLOCK_H_
#define TESSERA_JIT_UNIT_CLOCK_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/config.h"
#include "isa/costs.h"
#include "isa/insns.h"
#include "isa/nest.h"

namespace tessera::jit {

// Cycles that the steps of |nest|, of |insn| on the array or VECTOR, take.
int64_t StepCyclesOf(const isa::Insn& insn, const isa::InsnNest& nest, const isa::Config& config);

// Cycles that |insn| keeps its unit busy, without waits and without what a command costs
// (isa::StartCycles): its steps; of a transfer, the beats of each tile.
int64_t BusyCycles(const isa::Insn& insn, const isa::Config& config);

// Cycles that an instruction of |unit| with |busy| BusyCycles keeps it: of a transfer as long as
// its beats take.
int64_t CyclesOf(isa::Unit unit, int64_t busy, const isa::Config& config);

class UnitClock {
 public:
  // Of the units alone; with |config|, its memory's latency too.
  UnitClock();
  explicit UnitClock(const isa::Config& config);

  struct Ran {
    int64_t start = 0;
    int64_t done = 0;  // what it made or read is: others may go on
  };
  // |cycles| of work on |unit| behind what it has, and not before |ready|.
  Ran Run(isa::Unit unit, int64_t ready, int64_t cycles);
  // As if what it ran since it was |then| came |times| times more.
  void Repeat(const UnitClock& then, int64_t times);
  int64_t free(isa::Unit unit) const { return free_[static_cast<size_t>(unit)]; }

  // When another unit knows that something is |done|.
  static int64_t Known(int64_t done) { return done + isa::kTokenCycles; }

 private:
  std::array<int64_t, isa::kUnits> free_{};
  std::array<int64_t, isa::kUnits> wait_{};  // from when a unit is free to when it is done
};

}  // namespace tessera::jit

#endif  // TESSERA_JIT_UNIT_CLOCK_H_
