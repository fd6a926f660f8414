// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "base/bits.h"

namespace tessera::network {

MemoryPlan PlanMemory(const std::vector<Lifetime>& buffers, int64_t align) {
  MemoryPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  for (const Lifetime& b : buffers) plan.unshared += RoundUp(b.bytes, align);
  std::vector<size_t> order(buffers.size()), placed;
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  for (size_t k : order) {
    const Lifetime& b = buffers[k];
    std::vector<std::pair<int64_t, int64_t>> taken;  // begin, end
    for (size_t p : placed) {
      const Lifetime& other = buffers[p];
      if (other.first <= b.last && b.first <= other.last)
        taken.emplace_back(plan.offsets[p], plan.offsets[p] + other.bytes);
    }
    std::sort(taken.begin(), taken.end());
    int64_t at = 0;
    for (const auto& [begin, end] : taken) {
      if (at + b.bytes <= begin) break;
      at = std::max(at, RoundUp(end, align));
    }
    plan.offsets[k] = at;
    plan.bytes = std::max(plan.bytes, at + b.bytes);
    placed.push_back(k);
  }
  return plan;
}

}  // namespace tessera::network
