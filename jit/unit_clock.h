// SPDX-License-Identifier: Apache-2.0
//
// UnitClock estimates when the machine's units are done with work, by the cycles of instructions
// and their dependences. Depends on: isa. Used by: jit/load_order, codegen/accel/order/overlap,
// compiler/cost.
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

// Cycles of all steps of |nest|; |insn| must be one of GEMM or VECTOR.
int64_t StepCyclesOf(const isa::Insn& insn, const isa::InsnNest& nest, const isa::Config& config);

// Cycles in which |insn| keeps its unit busy, without waits and without the cost of a command
// (isa::StartCycles): its steps, or for a transfer the beats of all its tiles.
int64_t BusyCycles(const isa::Insn& insn, const isa::Config& config);

// Cycles of an instruction of |unit| with |busy| BusyCycles. For a transfer: the time of its beats
// on the bus.
int64_t CyclesOf(isa::Unit unit, int64_t busy, const isa::Config& config);

class UnitClock {
 public:
  // Counts the units alone; with |config| also the latency of its memory.
  UnitClock();
  explicit UnitClock(const isa::Config& config);

  struct Ran {
    int64_t start = 0;
    int64_t done = 0;  // its effects are visible, so others may go on
  };
  // Adds |cycles| of work on |unit| after its earlier work, but not before |ready|.
  Ran Run(isa::Unit unit, int64_t ready, int64_t cycles);
  // Adds the work since |then| another |times| times.
  void Repeat(const UnitClock& then, int64_t times);
  int64_t free(isa::Unit unit) const { return free_[static_cast<size_t>(unit)]; }

  // When another unit knows about an instruction that is complete at |done|.
  static int64_t Known(int64_t done) { return done + isa::kTokenCycles; }

 private:
  std::array<int64_t, isa::kUnits> free_{};
  std::array<int64_t, isa::kUnits> wait_{};  // from when a unit is free to when it is done
};

}  // namespace tessera::jit

#endif  // TESSERA_JIT_UNIT_CLOCK_H_
