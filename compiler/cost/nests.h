// SPDX-License-Identifier: Apache-2.0
//
// A schedule as a tree of loop nests, with counts: how often each stage runs, the work of one run,
// and the stages that run inside its loops. Made from stages and their bounds, without loop IR.
// Depends on: compiler/lower, schedule. Used by: cost.cc, accel_clock.cc.
#ifndef TESSERA_COMPILER_COST_NESTS_H_
#define TESSERA_COMPILER_COST_NESTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "compiler/cost/edges.h"
#include "compiler/ir/affine.h"
#include "compiler/lower/bounds.h"
#include "compiler/schedule/schedule.h"

namespace tessera::cost {

// A loop of a stage in which other stages are computed or the stage's buffer is allocated.
struct OuterLoop {
  int64_t iterations = 1;
  bool reduce = false;
  std::vector<size_t> before, after;  // nests that run in each iteration, in this order
};

// The loops of one stage. Inside the outer loops are the loops of the piece: the part of the stage
// that runs without another stage in between.
struct Nest {
  const schedule::Stage* stage = nullptr;
  const lower::StageBounds* bounds = nullptr;
  std::span<const lower::BodyRead> body_reads;  // of the stage's body
  std::vector<OuterLoop> outer;
  // Means over all pieces; iterations past the edge of a tensor do not count.
  double calls = 1;              // of the intrinsic; without one, iterations of the body
  std::vector<EdgeAlong> edges;  // by which pieces differ from the mean
  int64_t call_elements = 1;     // elements of the result that a call makes
  std::vector<int64_t> tile;     // of them, along each axis
  double pads = 0;               // of a copy: calls outside the tensor, which only fill
  // Iterations of the loops of the piece around a call, over its result and over its sums; longest
  // first.
  std::vector<int64_t> loops, sum_loops;
  bool goes_on = false;       // a sum that other pieces go on with
  double rows = 1;            // runs of calls along the innermost loop around them
  int64_t call_sums = 1;      // iterations of the reduction in a call
  int64_t call_fresh = 1;     // of them, those with an operand that the call before did not read
  std::vector<size_t> reads;  // nests whose results the body reads
  size_t owner = 0;           // the nest whose buffer it writes: itself, or one it is in place of
  std::optional<LoopOf> in;   // the loop that it runs in; nothing: it runs once
};

// In tiles of a buffer, how far apart are the places that iterations of a loop read.
struct TileStep {
  int64_t next = 0;  // of an iteration and the next one; 0: they read the same
  int64_t row = 0;   // the tiles in which those of all iterations lie
};

struct Nests {
  std::vector<Nest> all;      // in the order of the stages, without those that compute nothing
  std::vector<size_t> roots;  // in running order
  const ir::Ranges* ranges = nullptr;  // of the loops' variables

  // The outer loops around a piece of nest |k|: its own and those of the nests that it runs in.
  std::vector<LoopOf> LoopsAround(size_t k) const;
  const OuterLoop& At(const LoopOf& loop) const { return all[loop.nest].outer[loop.depth]; }
  const ir::ExprNode* VarOf(const LoopOf& loop) const {
    return all[loop.nest].stage->leaves[loop.depth].var.get();
  }
  // Whether nest |k| may write its buffer more than once: a loop is around it or around the buffer.
  bool IsRepeated(size_t k) const { return all[k].in || all[k].bounds->around > 0; }
  // Whether nest |k| follows a sum and so runs in the last iteration of |loop|, one of the sum's.
  bool IsLastIn(size_t k, const LoopOf& loop) const;
  // Of the next |most| iterations of |loop|, those at the beginning whose pieces are as long as
  // |now|, which is the same afterwards.
  int64_t AlikeAfter(const LoopOf& loop, Iterations* now, int64_t most) const;
  // How each of |loops|, around nest |reader|, moves what the reader reads of nest |from|.
  std::vector<TileStep> StepsIn(const std::vector<LoopOf>& loops, size_t reader, size_t from) const;
};

// The nests of |schedule|, whose bounds are |bounds|. Both have to outlive the result.
Nests NestsOf(const schedule::Schedule& schedule, const lower::Bounds& bounds);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_NESTS_H_
