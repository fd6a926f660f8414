// SPDX-License-Identifier: Apache-2.0
//
// Conditions: the loops of a stage that they depend on, and bounds of indices while they hold.
// Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_CONDITIONS_H_
#define TESSERA_COMPILER_LOWER_CONDITIONS_H_

#include <optional>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// Whether |condition| depends on a loop of |stage|'s reduction.
bool AsksReduction(const schedule::Stage& stage, const ir::Expr& condition);

// The |conditions| that do not depend on loops of the reduction: they also hold where it starts.
std::vector<ir::Expr> OfDataLoops(const schedule::Stage& stage, std::vector<ir::Expr> conditions);

// The form that |condition| states to be >= 0; nothing if it is not a comparison of indices.
std::optional<ir::Linear> RoomOf(const ir::Expr& condition, const ir::Ranges& ranges);

// The bounds of |index| where |guards| hold: since room >= 0, |index| is at most index + k room.
ir::Interval BoundsUnder(const ir::Expr& index, const std::vector<ir::Expr>& guards,
                         const ir::Ranges& ranges);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_CONDITIONS_H_
