// SPDX-License-Identifier: Apache-2.0
//
// Bound inference: how far every loop goes and which box of each tensor is computed where it is
// attached. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_BOUNDS_H_
#define TESSERA_COMPILER_LOWER_BOUNDS_H_

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// The box that a stage's reads are in.
struct ReadBox {
  std::vector<ir::Expr> min;    // in loop variables, a dimension each
  std::vector<int64_t> extent;  // below 1: nothing is read
};

// What lowering knows of one stage.
struct StageBounds {
  std::vector<ir::Expr> min;    // the box that its buffer holds: first index, a dimension each
  std::vector<int64_t> extent;  // and how many
  std::vector<ir::Expr> first;  // the box that its loops compute in one go: the same, unless it
  std::vector<int64_t> count;   // follows the loops of another stage (Attach::kAfter)
  bool once = true;             // no element is computed again while its buffer lives
  size_t around = 0;            // loops of the stage that its buffer is inside of
  std::vector<int64_t> limit;   // indices below it have a place in every buffer
  std::unordered_map<const ir::ExprNode*, int64_t> extents;  // of every axis, leaves included
  ir::VarMap values;  // root axis variable (reduction too) -> expression of leaf variables
  std::vector<ir::Expr> guards;   // hold for the iterations that count
  std::vector<ir::Expr> summing;  // and of a reduction's: others leave elements as they are
  std::vector<ReadBox> ahead;     // by Stage::prefetches: what the loop's iteration reads of each

  std::vector<ir::Expr> Conditions() const;  // both
};

struct Bounds {
  std::map<std::string, StageBounds> stages;
  ir::Ranges ranges;  // of every leaf variable
};

Result<Bounds> InferBounds(const schedule::Schedule& schedule);

// The loop variables that are fixed where |stage| is computed: those of the loops around it.
std::set<const ir::ExprNode*> FixedVars(const schedule::Schedule& schedule,
                                        const schedule::Stage& stage);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_BOUNDS_H_
