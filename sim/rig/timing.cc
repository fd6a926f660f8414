// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tessera::rig {
namespace {

void Sort(std::vector<TraceEntry>& trace) {
  std::sort(trace.begin(), trace.end(), [](const TraceEntry& a, const TraceEntry& b) {
    return std::tuple(a.cycle, a.unit, a.insn) < std::tuple(b.cycle, b.unit, b.insn);
  });
}

std::string Text(const UnitCounters& c) {
  return fmt::format("busy {} token {} memory {} hazard {} idle {}", c.busy, c.token_wait,
                     c.memory_wait, c.hazard, c.idle);
}

}  // namespace

std::string TimeDifference(std::vector<TraceEntry> want, std::vector<TraceEntry> got) {
  Sort(want);
  Sort(got);
  for (size_t i = 0; i < std::min(want.size(), got.size()); ++i) {
    const TraceEntry &a = want[i], &b = got[i];
    if (a.insn != b.insn || a.unit != b.unit || a.cycle != b.cycle) {
      return fmt::format("retirement {}: {} {} in cycle {}, not {} {} in cycle {}", i,
                         isa::Text(a.unit), a.insn, a.cycle, isa::Text(b.unit), b.insn, b.cycle);
    }
    for (int u = 0; u < isa::kUnits; ++u) {
      if (a.units[u] == b.units[u]) continue;
      return fmt::format("retirement {} ({} {}, cycle {}): {} was {}, not {}", i, isa::Text(a.unit),
                         a.insn, a.cycle, isa::Text(static_cast<isa::Unit>(u)), Text(a.units[u]),
                         Text(b.units[u]));
    }
  }
  if (want.size() == got.size()) return "";
  return fmt::format("{} retirements, not {}", want.size(), got.size());
}

std::string ReportDifference(const RunReport& want, const RunReport& got) {
  if (want.cycles != got.cycles) return fmt::format("{} cycles, not {}", want.cycles, got.cycles);
  if (want.instructions != got.instructions)
    return fmt::format("{} instructions, not {}", want.instructions, got.instructions);
  for (int u = 0; u < isa::kUnits; ++u) {
    if (want.units[u] == got.units[u]) continue;
    return fmt::format("{} was {}, not {}", isa::Text(static_cast<isa::Unit>(u)),
                       Text(want.units[u]), Text(got.units[u]));
  }
  if (want.bytes_read != got.bytes_read || want.bytes_written != got.bytes_written) {
    return fmt::format("bytes {} and {}, not {} and {}", want.bytes_read, want.bytes_written,
                       got.bytes_read, got.bytes_written);
  }
  return "";
}

}  // namespace tessera::rig
