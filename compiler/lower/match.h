// SPDX-License-Identifier: Apache-2.0
//
// Tensorize: matches a loop nest of one statement with the behaviour of a tensor intrinsic. Private
// to compiler/lower.
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
  ir::Expr value;               // stored, or combined if the stage reduces; over Loads
  std::vector<ir::Axis> loops;  // of the nest, outermost first
  ir::Expr first;               // whether this is the first step of the reduction
};

// The call that replaces the nest. Loops match the behaviour's axes in order (data, then
// reduction); axes of extent 1 may be missing. Every operand must be one row-major tile without
// gaps.
//   errors  kInvalidArgument  naming stage, intrinsic and what differs
Result<ir::Stmt> MatchTensorIntrin(const TensorNest& nest, const target::TensorIntrin& intrin,
                                   const ir::Ranges& ranges);

// The call of the first of the stage's intrinsics that matches the nest. A select whose condition
// is constant within the nest becomes an if with a call in each branch.
//   errors  kInvalidArgument  the error of MatchTensorIntrin for the first intrinsic
Result<ir::Stmt> MatchNest(const TensorNest& nest, const target::Target& target,
                           const ir::Ranges& ranges);

// Checks that the loops of |stage| from |depth| on contain no other stages' loops and no virtual
// threads: an instruction cannot hold them.
//   errors  kInvalidArgument  names the one found
Status RequireNoneInside(const schedule::Schedule& schedule, const schedule::Stage& stage,
                         size_t depth);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_MATCH_H_
