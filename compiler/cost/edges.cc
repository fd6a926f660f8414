// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/edges.h"

#include <algorithm>
#include <array>

#include "base/bits.h"
#include "base/check.h"

namespace tessera::cost {
namespace {

constexpr int64_t kMostCorners = 4096;  // iterations of all loops together

}  // namespace

double EdgeAlong::ShareIn(const Range& counts, std::span<const int64_t> iterations) const {
  int64_t by = 0, size = box.end - box.first;
  for (size_t m = 0; m < moves.size(); ++m) by += moves[m].step * iterations[m];
  for (const Part& part : parts) {
    int64_t left = part.size;
    for (const size_t m : part.moves) left -= moves[m].step * iterations[m];
    size = std::min(size, left);
  }
  const int64_t first = std::max(box.first + by, counts.first);
  const int64_t end = std::min(box.first + by + size, counts.end);
  return static_cast<double>(CeilDiv(std::max<int64_t>(end - first, 0), elements)) /
         static_cast<double>(CeilDiv(box.end - box.first, elements));
}

EdgeAlong::Shares EdgeAlong::Now(const Iterations& now) const {
  std::array<int64_t, kMostMoves> iterations{};
  TESSERA_CHECK(moves.size() <= kMostMoves);
  for (size_t m = 0; m < moves.size(); ++m)
    iterations[m] = now[moves[m].loop.nest][moves[m].loop.depth];
  const double share = ShareIn(inside, iterations);
  return {share / ran, (copied == inside ? share : ShareIn(copied, iterations)) / carried};
}

double EdgeAlong::MeanShareIn(const Range& counts, std::span<const int64_t> loops) const {
  int64_t corners = 1;
  for (const int64_t n : loops) corners = std::min(corners * n, kMostCorners + 1);
  if (corners > kMostCorners) return 1;
  double sum = 0;
  std::vector<int64_t> at(loops.size());
  for (int64_t corner = 0; corner < corners; ++corner) {
    int64_t rest = corner;
    for (size_t m = 0; m < at.size(); ++m) {
      at[m] = rest % loops[m];
      rest /= loops[m];
    }
    sum += ShareIn(counts, at);
  }
  return sum / static_cast<double>(corners);
}

}  // namespace tessera::cost
