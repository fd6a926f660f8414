// SPDX-License-Identifier: Apache-2.0
//
// Pieces of a nest that are shorter than others, because a tensor, a sum or a split axis ends in
// them. Depends on: nothing. Used by: nests.h, pieces.cc.
#ifndef TESSERA_COMPILER_COST_EDGES_H_
#define TESSERA_COMPILER_COST_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::cost {

// An outer loop of a nest.
struct LoopOf {
  size_t nest = 0, depth = 0;
  bool operator==(const LoopOf&) const = default;
};

// By nest: the iteration of each of its outer loops.
using Iterations = std::vector<std::vector<int64_t>>;

// Indices of an axis: those in [first, end).
struct Range {
  int64_t first = 0, end = 0;
  bool operator==(const Range&) const = default;
};

// An axis of a nest along which some pieces are shorter. Shares are of the calls of a whole piece.
struct EdgeAlong {
  struct Move {
    LoopOf loop;
    int64_t step = 0;  // of the piece's first index, in each iteration
  };
  // What one iteration of a split covers, itself split again: a piece ends where it ends.
  struct Part {
    std::vector<size_t> moves;  // of |moves|, those inside it
    int64_t size = 0;
  };
  static constexpr size_t kMostMoves = 8;  // that Now takes
  std::vector<Move> moves;
  std::vector<Part> parts;
  Range box;                    // of the piece while each loop is in its first iteration
  int64_t elements = 1;         // in a call
  Range inside, copied;         // a call runs for the first, and moves data for the second
  double ran = 1, carried = 1;  // mean shares of the calls that do

  // The share of the piece's calls with an element of |counts|; |iterations|: of the moves' loops.
  double ShareIn(const Range& counts, std::span<const int64_t> iterations) const;
  // Its mean over all iterations, |loops| of each loop; 1 if these are too many to count.
  double MeanShareIn(const Range& counts, std::span<const int64_t> loops) const;
  // The calls that run now, and those that move data, as multiples of the means.
  struct Shares {
    double ran = 1, carried = 1;
    bool operator==(const Shares&) const = default;
  };
  Shares Now(const Iterations& now) const;
};

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_EDGES_H_
