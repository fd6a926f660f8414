// SPDX-License-Identifier: Apache-2.0
//
// The conditions under which iterations of a stage's loops compute. Bounds do without them, so that
// an estimate of costs does too. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_STAGE_CONDITIONS_H_
#define TESSERA_COMPILER_LOWER_STAGE_CONDITIONS_H_

#include <vector>

#include "compiler/lower/bounds.h"

namespace tessera::lower {

// The conditions of a stage's iterations that may fail, over variables of loops.
struct StageConditions {
  std::vector<ir::Expr> guards;   // of the iterations that compute
  std::vector<ir::Expr> summing;  // of a reduction's steps: a skipped step adds nothing

  std::vector<ir::Expr> All() const;
};
StageConditions ConditionsOf(const schedule::Schedule& schedule, const Bounds& bounds,
                             const schedule::Stage& stage);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_STAGE_CONDITIONS_H_
