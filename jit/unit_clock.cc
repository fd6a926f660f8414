// SPDX-License-Identifier: Apache-2.0
#include "jit/unit_clock.h"

#include <algorithm>

#include "isa/dram_timing.h"
#include "jit/program_builder.h"

namespace tessera::jit {

int64_t CyclesOf(const isa::Insn& insn, const isa::Config& config) {
  const isa::Unit unit = isa::UnitOf(insn);
  const int64_t cycles = BusyCycles(insn, config);
  if (unit != isa::Unit::kLoad && unit != isa::Unit::kStore) return cycles;
  // That reads and writes share the beats is left out.
  const isa::DramTiming timing = isa::TimingOf(config.dram);
  return cycles * timing.frame_cycles / timing.frame_beats;
}

UnitClock::UnitClock() {
  for (size_t u = 0; u < isa::kUnits; ++u) wait_[u] = isa::StartCycles(static_cast<isa::Unit>(u));
}

UnitClock::UnitClock(const isa::Config& config) : UnitClock() {
  // Until a transfer's first beat, or the answer to its last; a memory whose latency counts from
  // idle only has none behind another transfer.
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

}  // namespace tessera::jit
