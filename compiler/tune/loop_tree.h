// SPDX-License-Identifier: Apache-2.0
//
// The loops of a schedule as numbers, for a model that walks them (tree_network.h). They depend on
// no name. Depends on: compiler/schedule. Used by: features.h.
#ifndef TESSERA_COMPILER_TUNE_LOOP_TREE_H_
#define TESSERA_COMPILER_TUNE_LOOP_TREE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace tessera::tune {

// What a loop is. Numbers of iterations are an eighth of their log2, the others 0 or 1.
enum class LoopNumber : uint8_t {
  kExtent,    // iterations
  kElements,  // of the stage, which one run of the loop computes
  kReuse,     // how often one run of the loop adds to each of them
  kRuns,      // of the loop: iterations of the loops outside, those around the stage included
  kReduce,    // the loop is of a sum
  kVector,
  kUnroll,
  kParallel,  // threads of a host or a GPU share it
  kInput,     // the stage's buffer is in INP or WGT
  kSum,       // it is in ACC, in local memory or in registers
  kDouble,    // ... and has a second copy
  kInside,    // the stage is computed in a loop of another one
};
inline constexpr size_t kLoopNumbers = 12;
using LoopNode = std::array<float, kLoopNumbers>;

// For each stage with loops, its loops of several iterations, the innermost first. A stage that is
// computed in a loop of another one counts with the loops of its whole tensor.
using LoopTree = std::vector<std::vector<LoopNode>>;
LoopTree TreeOf(const schedule::Schedule& schedule);

// The iterations of each loop of |stage|, outermost first.
std::vector<int64_t> LoopsOf(const schedule::Stage& stage);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_LOOP_TREE_H_
