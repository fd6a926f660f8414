// SPDX-License-Identifier: Apache-2.0
//
// The conditions of a stage, as they go into its loops one by one. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_STAGE_GUARDS_H_
#define TESSERA_COMPILER_LOWER_STAGE_GUARDS_H_

#include <vector>

#include "compiler/lower/bounds.h"

namespace tessera::lower {

class StageGuards {
 public:
  // Both outlive it.
  StageGuards(const schedule::Stage& stage, const StageBounds& bounds);

  // Takes those that the first |depth| loops decide. What a sum leaves out is decided inside of its
  // first loop: in front of that it starts, for every element.
  std::vector<ir::Expr> Ready(size_t depth);
  // One that is in no loop yet; null: none.
  const ir::Expr* Open() const;
  // Those that are in no loop yet, where the reduction starts.
  std::vector<ir::Expr> OpenAtStart() const;

 private:
  struct Guard {
    ir::Expr condition;
    bool summing = false;  // one of StageBounds::summing
    bool done = false;     // is it in the loops?
  };

  const schedule::Stage& stage_;
  std::vector<Guard> guards_;
};

// May the last iteration of the reductions among the first |depth| loops not run?
bool MaySkipLast(const schedule::Stage& stage, const StageBounds& bounds, size_t depth);
// May the first iteration of a sum not run?
bool MaySkipFirst(const schedule::Stage& stage, const StageBounds& bounds,
                  const ir::Ranges& ranges);

// |body| where all of |conditions| hold.
ir::Stmt Guarded(const std::vector<ir::Expr>& conditions, ir::Stmt body);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_STAGE_GUARDS_H_
