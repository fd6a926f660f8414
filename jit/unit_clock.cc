// SPDX-License-Identifier: Apache-2.0
#include "jit/unit_clock.h"

#include <algorithm>

#include "base/bits.h"
#include "isa/dram_timing.h"

namespace tessera::jit {

int64_t StepCyclesOf(const isa::Insn& insn, const isa::InsnNest& nest, const isa::Config& config) {
  int64_t parts = 1;
  for (const isa::NestLoop& loop : nest.loops()) parts *= loop.within ? loop.count : 1;
  return std::visit(
      [&]<typename T>(const T&) { return nest.steps() * isa::StepCycles<T>(config, parts); }, insn);
}

int64_t BusyCycles(const isa::Insn& insn, const isa::Config& config) {
  const isa::Unit unit = isa::UnitOf(insn);
  const isa::InsnNest nest = isa::NestOf(insn, config);
  if (unit != isa::Unit::kLoad && unit != isa::Unit::kStore)
    return StepCyclesOf(insn, nest, config);
  int64_t beats = 1;
  for (const isa::NestOperand& o : nest.operands()) {
    if (o.space.is_segment()) beats = CeilDiv(o.extent, config.bus_bytes());
  }
  return nest.steps() * beats;
}

int64_t CyclesOf(isa::Unit unit, int64_t busy, const isa::Config& config) {
  if (unit != isa::Unit::kLoad && unit != isa::Unit::kStore) return busy;
  // Ignores that reads and writes share the beats.
  const isa::DramTiming timing = isa::TimingOf(config.dram);
  return busy * timing.frame_cycles / timing.frame_beats;
}

UnitClock::UnitClock() {
  for (size_t u = 0; u < isa::kUnits; ++u) wait_[u] = isa::StartCycles(static_cast<isa::Unit>(u));
}

UnitClock::UnitClock(const isa::Config& config) : UnitClock() {
  // The time to a transfer's first beat, or to the answer to its last. A memory whose latency
  // counts only when idle has none for a transfer right after another.
  const isa::DramTiming timing = isa::TimingOf(config.dram);
  if (!timing.pipelined) return;
  wait_[static_cast<size_t>(isa::Unit::kLoad)] += timing.read_latency;
  wait_[static_cast<size_t>(isa::Unit::kStore)] += timing.write_latency;
}

UnitClock::Ran UnitClock::Run(isa::Unit unit, int64_t ready, int64_t cycles) {
  const auto u = static_cast<size_t>(unit);
  const int64_t start = std::max(free_[u], ready);
  free_[u] = start + cycles;
  return {start, free_[u] + wait_[u]};
}

void UnitClock::Repeat(const UnitClock& then, int64_t times) {
  for (size_t u = 0; u < isa::kUnits; ++u) free_[u] += times * (free_[u] - then.free_[u]);
}

}  // namespace tessera::jit
