// SPDX-License-Identifier: Apache-2.0
//
// The conditions of a stage, which enter its loops one by one. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_STAGE_GUARDS_H_
#define TESSERA_COMPILER_LOWER_STAGE_GUARDS_H_

#include <vector>

#include "compiler/lower/stage_conditions.h"

namespace tessera::lower {

class StageGuards {
 public:
  // |stage| must outlive this object.
  StageGuards(const schedule::Stage& stage, const StageConditions& conditions);

  // Takes the conditions that the first |depth| loops decide. The skipped steps of a sum are
  // decided inside its first loop: the sum is started before that, for every element.
  std::vector<ir::Expr> Ready(size_t depth);
  // A condition that is in no loop yet; null if there is none.
  const ir::Expr* Open() const;
  // The conditions that are in no loop yet where the reduction starts.
  std::vector<ir::Expr> OpenAtStart() const;

 private:
  struct Guard {
    ir::Expr condition;
    bool summing = false;  // one of StageConditions::summing
    bool done = false;     // already in the loops
  };

  const schedule::Stage& stage_;
  std::vector<Guard> guards_;
};

// Whether the last iteration of the reductions among the first |depth| loops may be skipped.
bool MaySkipLast(const schedule::Stage& stage, const StageConditions& conditions, size_t depth);
// Whether the first iteration of a sum may be skipped.
bool MaySkipFirst(const schedule::Stage& stage, const StageConditions& conditions,
                  const ir::Ranges& ranges);

// Runs |body| if all |conditions| hold.
ir::Stmt Guarded(const std::vector<ir::Expr>& conditions, ir::Stmt body);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_STAGE_GUARDS_H_
