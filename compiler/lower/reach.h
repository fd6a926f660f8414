// SPDX-License-Identifier: Apache-2.0
//
// How far an index reaches while the loops around stand still. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_REACH_H_
#define TESSERA_COMPILER_LOWER_REACH_H_

#include <unordered_map>

#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

using ir::VarSet;

// The lowest and highest value of an index, in variables that stand still.
struct Reach {
  ir::Linear lo, hi;
  bool known = true;
};

// Of |e| while the variables of |fixed| stand still and the others take all values of |ranges|.
Reach ReachOf(const ir::Expr& e, const VarSet& fixed, const ir::Ranges& ranges);

// |lo| and |hi| so far apart that |r| is between them. False when it is not a constant away.
bool Widen(const Reach& r, ir::Linear* lo, ir::Linear* hi);

// Does |e| have a variable that does not stand still?
bool Moves(const ir::Expr& e, const VarSet& fixed);

// Every axis of |stage| that is no leaf, of leaves and, where no leaf of what was split stands
// still, of that as one variable, whose range is put into |ranges|: it is the exact one, which the
// loops together overstate.
//   extents  iterations of every axis
ir::VarMap ExactAxes(const schedule::Stage& stage,
                     const std::unordered_map<const ir::ExprNode*, int64_t>& extents,
                     const VarSet& fixed, ir::Ranges* ranges);

// 16 a + b < 16 n as a < n where b is 0 to 15, and 16 n <= 16 a + b as n <= a: a condition of whole
// tiles. Other conditions as they are.
ir::Expr WithoutRemainder(const ir::Expr& guard, const ir::Ranges& ranges);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_REACH_H_
