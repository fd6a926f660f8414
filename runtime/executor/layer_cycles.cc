// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/layer_cycles.h"

#include <algorithm>

namespace tessera {

std::vector<uint64_t> LayerCycles(const isa::ProgramImage& program,
                                  std::span<const TraceEntry> trace, size_t layers,
                                  uint64_t total) {
  // The last retirement of each source range, then a pass over the ranges in program order.
  std::vector<uint64_t> last(program.source.size());
  for (const TraceEntry& entry : trace) {
    const auto range =
        std::ranges::upper_bound(program.source, entry.insn, {}, &isa::SourceRange::end);
    if (range == program.source.end() || entry.insn < range->begin) continue;
    uint64_t& cycle = last[static_cast<size_t>(range - program.source.begin())];
    cycle = std::max(cycle, entry.cycle);
  }
  std::vector<uint64_t> cycles(layers);
  uint64_t now = 0;
  uint64_t* charged = nullptr;
  for (size_t r = 0; r < last.size(); ++r) {
    if (program.source[r].layer >= layers) continue;
    charged = &cycles[program.source[r].layer];
    if (last[r] <= now) continue;
    *charged += last[r] - now;
    now = last[r];
  }
  if (charged != nullptr && total > now) *charged += total - now;
  return cycles;
}

}  // namespace tessera
