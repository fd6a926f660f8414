// SPDX-License-Identifier: Apache-2.0
//
// A schedule as a tree of loop nests, counted: how often each stage runs, what one run of it does,
// and which stages run inside its loops. Made from stages and their bounds, without loop IR.
// Depends on: compiler/lower, schedule. Used by: cost.cc, accel_clock.cc.
#ifndef TESSERA_COMPILER_COST_NESTS_H_
#define TESSERA_COMPILER_COST_NESTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "compiler/lower/bounds.h"
#include "compiler/schedule/schedule.h"

namespace tessera::cost {

// A loop of a stage that other stages are computed in, or in which its buffer is made anew.
struct OuterLoop {
  int64_t iterations = 1;
  bool reduce = false;
  std::vector<size_t> before, after;  // nests that run in each iteration, in this order
};

// An outer loop of a nest.
struct LoopOf {
  size_t nest = 0, depth = 0;
};

// The loops of one stage. Behind the outer loops come the loops of the piece: the part of the stage
// that runs without another stage in between.
struct Nest {
  const schedule::Stage* stage = nullptr;
  const lower::StageBounds* bounds = nullptr;
  std::vector<OuterLoop> outer;
  // Of one piece, in the mean over all of them: iterations past the edge of a tensor do not count.
  double calls = 1;           // of the intrinsic, or iterations of the body where there is none
  int64_t call_elements = 1;  // elements of the result that a call makes
  double pads = 0;  // of a copy: calls that only fill, since they are outside of the tensor
  // Iterations of the loops of the piece behind its two longest: an instruction has two loops, a
  // micro-op is one iteration of the rest.
  double micro_ops = 1;
  double rows = 1;            // runs of calls along the innermost loop around them
  int64_t call_sums = 1;      // iterations of the reduction in a call
  int64_t call_fresh = 1;     // of which the call before it in a row did not read the operand
  std::vector<size_t> reads;  // nests whose results the body reads
  size_t owner = 0;           // the nest whose buffer it writes: itself, or one it is in place of
  std::optional<LoopOf> in;   // the loop that it runs in; nothing: it runs once
};

struct Nests {
  std::vector<Nest> all;  // in the order of the stages; those that compute nothing are not there
  std::vector<size_t> roots;  // in running order

  // The outer loops around a piece of nest |k|, its own and those that it runs in.
  std::vector<LoopOf> LoopsAround(size_t k) const;
  const OuterLoop& At(const LoopOf& loop) const { return all[loop.nest].outer[loop.depth]; }
  // Does |loop|, around nest |reader|, choose which elements of nest |from| that one reads?
  bool Moves(const LoopOf& loop, size_t reader, size_t from) const;
};

// The nests of |schedule|, whose bounds are |bounds|. Both have to outlive the result.
Nests NestsOf(const schedule::Schedule& schedule, const lower::Bounds& bounds);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_NESTS_H_
