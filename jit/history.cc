// SPDX-License-Identifier: Apache-2.0
#include "jit/history.h"

#include <utility>

namespace tessera::jit {

void AccessHistory::Prepare() {
  // Consecutive instructions, and the operands of one, often touch the same addresses.
  std::array<const isa::Access*, isa::kSpaces> before{};
  const auto again = [&](const isa::Access& a) {
    const isa::Access* last = std::exchange(before[a.space.index], &a);
    return last != nullptr && last->intervals == a.intervals;
  };
  std::array<std::vector<int64_t>, isa::kSpaces> cuts;
  for (const std::span<const isa::Access> accesses : added_) {
    for (const isa::Access& a : accesses) {
      if (!Matters(a.space) || again(a)) continue;
      for (const isa::AddressRange& r : a.intervals)
        cuts[a.space.index].insert(cuts[a.space.index].end(), {r.begin, r.end});
    }
  }
  std::array<size_t, isa::kSpaces> first{};  // the first piece of a space
  size_t pieces = 0;
  for (size_t s = 0; s < isa::kSpaces; ++s) {
    std::ranges::sort(cuts[s]);
    cuts[s].erase(std::ranges::unique(cuts[s]).begin(), cuts[s].end());
    first[s] = pieces;
    pieces += cuts[s].size();
  }
  pieces_.resize(pieces);
  ends_.push_back(0);
  for (const std::span<const isa::Access> accesses : added_) {
    for (const isa::Access& a : accesses) {
      if (!Matters(a.space)) continue;
      const std::vector<int64_t>& at = cuts[a.space.index];
      const auto piece = [&](auto cut) {
        return static_cast<uint32_t>(first[a.space.index] + static_cast<size_t>(cut - at.begin()));
      };
      auto cut = at.begin();
      for (const isa::AddressRange& r : a.intervals) {
        const auto begin = std::lower_bound(cut, at.end(), r.begin);
        cut = std::lower_bound(begin, at.end(), r.end);
        ranges_.push_back({piece(begin), piece(cut), a.write});
      }
    }
    ends_.push_back(ranges_.size());
  }
}

}  // namespace tessera::jit
