// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/layer_cycles.h"

#include <algorithm>

namespace tessera {

std::vector<uint64_t> LayerCycles(const isa::ProgramImage& program,
                                  std::span<const TraceEntry> trace, size_t layers,
                                  uint64_t total) {
  // The last retirement of each layer, then a pass over the layers in the order in which they end in the program.
  std::vector<uint64_t> last(layers);
  for (const TraceEntry& entry : trace) {
    const auto range =
        std::ranges::upper_bound(program.source, entry.insn, {}, &isa::SourceRange::end);
    if (range == program.source.end() || entry.insn < range->begin) continue;
    if (range->layer >= layers) continue;
    last[range->layer] = std::max(last[range->layer], entry.cycle);
  }
  std::vector<uint32_t> order;
  for (auto range = program.source.rbegin(); range != program.source.rend(); ++range) {
    if (range->layer < layers && std::ranges::count(order, range->layer) == 0) order.push_back(range->layer);
  }
  std::ranges::reverse(order);
  std::vector<uint64_t> cycles(layers);
  uint64_t now = 0;
  uint64_t* charged = nullptr;
  for (const uint32_t layer : order) {
    charged = &cycles[layer];
    if (last[layer] <= now) continue;
    *charged += last[layer] - now;
    now = last[layer];
  }
  if (charged != nullptr && total > now) *charged += total - now;
  return cycles;
}

}  // namespace tessera
