// SPDX-License-Identifier: Apache-2.0
//
// What instructions did to one memory so far: for every address, the last of each unit that read
// and that wrote it. Depends on: isa/access.h. Used by: jit/tokens.cc, jit/load_order.cc.
#ifndef TESSERA_JIT_HISTORY_H_
#define TESSERA_JIT_HISTORY_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/access.h"

namespace tessera::jit {

// Per unit a position in the unit's own stream, counted from 1; 0 for none.
using Positions = std::array<int32_t, isa::kUnits>;

// The last instruction of each unit that read and that wrote an elementary interval.
struct LastTouch {
  Positions read{};
  Positions write{};
};

// One space, cut at every end of an interval that any instruction has there, so that an access
// covers whole pieces and a lookup is a walk over an array.
class SpaceHistory {
 public:
  // All cuts come first, then Prepare, then the rest.
  void AddCuts(std::span<const isa::AddressRange> intervals) {
    for (const isa::AddressRange& r : intervals) {
      cuts_.push_back(r.begin);
      cuts_.push_back(r.end);
    }
  }

  void Prepare() {
    std::ranges::sort(cuts_);
    cuts_.erase(std::ranges::unique(cuts_).begin(), cuts_.end());
    pieces_.resize(cuts_.size());
  }

  // Calls |f| with a unit and the position of its last instruction that conflicts with |access| in
  // a piece: a read conflicts with writes, a write with both.
  template <typename F>
  void ForConflicts(const isa::Access& access, F&& f) const {
    ForPieces(access, [&](size_t i) {
      const LastTouch& piece = pieces_[i];
      for (size_t u = 0; u < isa::kUnits; ++u) {
        const int32_t last =
            access.write ? std::max(piece.write[u], piece.read[u]) : piece.write[u];
        if (last > 0) f(u, last);
      }
    });
  }

  // Raises |latest| to the latest instruction of each unit that conflicts with |access|.
  void FindConflicts(const isa::Access& access, Positions& latest) const {
    ForConflicts(access, [&](size_t u, int32_t last) { latest[u] = std::max(latest[u], last); });
  }

  void Record(const isa::Access& access, size_t unit, int32_t position) {
    ForPieces(access, [&](size_t i) {
      (access.write ? pieces_[i].write : pieces_[i].read)[unit] = position;
    });
  }

 private:
  template <typename F>
  void ForPieces(const isa::Access& access, F&& f) const {
    for (const isa::AddressRange& r : access.intervals) {
      auto cut = std::ranges::lower_bound(cuts_, r.begin);
      for (; cut != cuts_.end() && *cut < r.end; ++cut) f(static_cast<size_t>(cut - cuts_.begin()));
    }
  }

  std::vector<int64_t> cuts_;  // pieces_[i] is [cuts_[i], cuts_[i + 1])
  std::vector<LastTouch> pieces_;
};

}  // namespace tessera::jit

#endif  // TESSERA_JIT_HISTORY_H_
