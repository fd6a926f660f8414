// SPDX-License-Identifier: Apache-2.0
//
// Conditions: which loops of a stage they ask, and where indices are while they hold. Private to
// compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_CONDITIONS_H_
#define TESSERA_COMPILER_LOWER_CONDITIONS_H_

#include <optional>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// Is a loop of |stage|'s reduction in |condition|?
bool AsksReduction(const schedule::Stage& stage, const ir::Expr& condition);

// Those of |conditions| that ask no loop of the reduction: they hold where it starts, too.
std::vector<ir::Expr> OfDataLoops(const schedule::Stage& stage, std::vector<ir::Expr> conditions);

// What |condition|, a comparison of indices, says is not negative; nothing: it is none.
std::optional<ir::Linear> RoomOf(const ir::Expr& condition, const ir::Ranges& ranges);

// The bounds of |index| where |guards| hold: as room >= 0, it is at most index + k room.
ir::Interval BoundsUnder(const ir::Expr& index, const std::vector<ir::Expr>& guards,
                         const ir::Ranges& ranges);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_CONDITIONS_H_
