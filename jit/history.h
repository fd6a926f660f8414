// SPDX-License-Identifier: Apache-2.0
//
// AccessHistory: for every address, the last instruction of each unit that read it and that wrote
// it. Depends on: isa/access.h. Used by: jit/tokens.cc, jit/load_order.cc.
#ifndef TESSERA_JIT_HISTORY_H_
#define TESSERA_JIT_HISTORY_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/access.h"

namespace tessera::jit {

// For each unit a position in the unit's own stream, counted from 1; 0: none.
using Positions = std::array<int32_t, isa::kUnits>;

// Cuts memory into pieces at every end of an interval that any instruction touches, so an access
// covers whole pieces. Looks each interval up once and keeps it as a range of pieces.
class AccessHistory {
 public:
  // Adds the next instruction: it is of |unit| and touches |accesses|, which must live until
  // Prepare. Add all instructions first, then call Prepare, then the other functions.
  void Add(isa::Unit unit, std::span<const isa::Access> accesses) {
    const unsigned bit = 1u << static_cast<unsigned>(unit);
    for (const isa::Access& a : accesses) {
      users_[a.space.index] |= bit;
      written_[a.space.index] |= a.write;
    }
    added_.push_back(accesses);
  }

  void Prepare();

  // Calls |f| with a unit and a position for each instruction that conflicts with instruction |n|
  // in a piece and is the last to touch it: a read conflicts with writes, a write with both.
  template <typename F>
  void ForConflicts(size_t n, F&& f) const {
    ForPieces(n, [&](const PieceRange& range, size_t piece) {
      const LastTouch& last = pieces_[piece];
      for (size_t u = 0; u < isa::kUnits; ++u) {
        const int32_t at = range.write ? std::max(last.write[u], last.read[u]) : last.write[u];
        if (at > 0) f(u, at);
      }
    });
  }

  // The latest instruction of each unit that conflicts with instruction |n|.
  Positions FindConflicts(size_t n) const {
    Positions latest{};
    ForConflicts(n, [&](size_t u, int32_t at) { latest[u] = std::max(latest[u], at); });
    return latest;
  }

  // Records that instruction |n| is at |position| of |unit|'s stream.
  void Record(size_t n, size_t unit, int32_t position) {
    ForPieces(n, [&](const PieceRange& range, size_t piece) {
      (range.write ? pieces_[piece].write : pieces_[piece].read)[unit] = position;
    });
  }

  // Forgets everything recorded.
  void Forget() { std::ranges::fill(pieces_, LastTouch{}); }

 private:
  struct LastTouch {
    Positions read{};
    Positions write{};
  };
  struct PieceRange {
    uint32_t begin = 0, end = 0;  // indices into pieces_
    bool write = false;
  };

  // Whether instructions can conflict in a space: some instruction writes it, and either two units
  // touch it or only LOAD does (the order of loads may change).
  bool Matters(isa::Space space) const {
    const unsigned users = users_[space.index];
    return written_[space.index] &&
           ((users & (users - 1)) != 0 || users == 1u << static_cast<unsigned>(isa::Unit::kLoad));
  }

  template <typename F>
  void ForPieces(size_t n, F&& f) const {
    for (size_t r = ends_[n]; r < ends_[n + 1]; ++r) {
      for (size_t piece = ranges_[r].begin; piece < ranges_[r].end; ++piece) f(ranges_[r], piece);
    }
  }

  std::array<unsigned, isa::kSpaces> users_{};
  std::array<bool, isa::kSpaces> written_{};
  std::vector<std::span<const isa::Access>> added_;
  std::vector<PieceRange> ranges_;  // of all instructions, one after another
  std::vector<size_t> ends_;  // instruction n has ranges_[ends_[n]] .. ranges_[ends_[n + 1] - 1]
  std::vector<LastTouch> pieces_;  // of all spaces, by address
};

}  // namespace tessera::jit

#endif  // TESSERA_JIT_HISTORY_H_
