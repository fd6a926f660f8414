// SPDX-License-Identifier: Apache-2.0
//
// Tensorize: a loop nest of one statement against the behaviour of a tensor intrinsic. Private to
// compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_MATCH_H_
#define TESSERA_COMPILER_LOWER_MATCH_H_

#include <vector>

#include "base/error.h"
#include "compiler/ir/affine.h"
#include "compiler/schedule/schedule.h"
#include "compiler/target/tensor_intrin.h"

namespace tessera::lower {

struct TensorNest {
  const schedule::Stage* stage = nullptr;
  ir::Buffer output;
  std::vector<ir::Expr> place;  // of the element that the statement stores
  ir::Expr value;               // stored, or combined when the stage reduces; over Loads
  std::vector<ir::Axis> loops;  // of the nest, outermost first
  ir::Expr first;               // is this the first step of the reduction?
};

// The call that stands for the nest. Loops match the behaviour's axes in order (data, then
// reduction), axes of extent 1 may be missing; every operand must be one row-major tile without
// gaps.
//   errors  kInvalidArgument  naming stage, intrinsic and what differs
Result<ir::Stmt> MatchTensorIntrin(const TensorNest& nest, const target::TensorIntrin& intrin,
                                   const ir::Ranges& ranges);

// The call of the first of the stage's intrinsics that the nest is. Under a condition that is the
// same in all of it, a call for each branch.
//   errors  kInvalidArgument  as MatchTensorIntrin says of the first
Result<ir::Stmt> MatchNest(const TensorNest& nest, const target::Target& target,
                           const ir::Ranges& ranges);

// An instruction has no room for other stages' loops, nor for threads: is there none in the loops
// of |stage| from |depth| on?
//   errors  kInvalidArgument  there is: names it
Status RequireNoneInside(const schedule::Schedule& schedule, const schedule::Stage& stage,
                         size_t depth);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_MATCH_H_
