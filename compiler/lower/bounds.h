// SPDX-License-Identifier: Apache-2.0
//
// Bound inference: the extents of all loops, and the box of each tensor that is computed at its
// attachment. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_BOUNDS_H_
#define TESSERA_COMPILER_LOWER_BOUNDS_H_

#include <vector>

#include "base/error.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/body_reads.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// The box that contains a stage's reads.
struct ReadBox {
  std::vector<ir::Linear> min;  // in loop variables, for each dimension
  std::vector<int64_t> extent;  // below 1: nothing is read
};

// The inferred bounds of one stage.
struct StageBounds {
  std::vector<ir::Linear> min;    // the box in its buffer: first index in each dimension
  std::vector<int64_t> extent;    // the box's extents
  std::vector<ir::Linear> first;  // the box that one run of its loops computes; differs only if the
  std::vector<int64_t> count;     // stage follows the loops of another one (Attach::kAfter)
  bool once = true;               // no element is computed twice while its buffer lives
  size_t around = 0;              // number of the stage's own loops around its buffer
  std::vector<int64_t> limit;     // indices below it have a place in every buffer
  schedule::LoopCounts extents;   // of every axis, leaves included
  ir::FormMap values;             // every axis that is no leaf (reduction too), in leaf variables
  std::vector<ReadBox> ahead;     // by Stage::prefetches: the box that one iteration reads

  // Calls |fn| with each loop variable that |index|, of the stage's body, changes with: a const
  // ir::ExprNode*, some more than once.
  template <typename Fn>
  void ForEachLoopOf(const ir::Expr& index, const Fn& fn) const {
    ir::Visit(index, [&](const ir::Expr& x) {
      if (x->kind != ir::ExprKind::kVar) return;
      const auto value = values.find(x.get());
      if (value == values.end()) return fn(x.get());
      for (const ir::Linear::Term& t : value->second.terms) {
        ir::Visit(t.atom, [&](const ir::Expr& part) {
          if (part->kind == ir::ExprKind::kVar) fn(part.get());
        });
      }
    });
  }
};

struct Bounds {
  FlatMap<const schedule::Stage*, StageBounds> stages;
  ir::Ranges ranges;  // of every leaf variable
  BodyReads reads;
};

Result<Bounds> InferBounds(const schedule::Schedule& schedule);

// |extent| iterations of axis |d| of |stage| after a padded split rounds them up.
int64_t PaddedExtent(const schedule::Stage& stage, int64_t extent, size_t d);

// The loop variables that are fixed while |stage| is computed: those of the loops around it.
ir::VarSet FixedVars(const schedule::Schedule& schedule, const schedule::Stage& stage);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_BOUNDS_H_
