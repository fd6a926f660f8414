// SPDX-License-Identifier: Apache-2.0
//
// The range of an index while the outer loops are fixed. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_REACH_H_
#define TESSERA_COMPILER_LOWER_REACH_H_

#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

using ir::VarSet;

// The lowest and highest value of an index, in fixed variables.
struct Reach {
  ir::Linear lo, hi;
  bool known = true;
};

// The reach of |form| while the variables of |fixed| are fixed and the others take all values of
// |ranges|.
Reach ReachOf(const ir::Linear& form, const VarSet& fixed, const ir::Ranges& ranges);

// Widens |lo| and |hi| to include |r|. False if |r| is not a constant distance away.
bool Widen(const Reach& r, ir::Linear* lo, ir::Linear* hi);

// Variables that stand for others, whose ranges they do not have.
class FreshVars {
 public:
  // The one for |var|, made at the first call with the range from 0 to |extent| - 1. The reference
  // is valid until the next call.
  const ir::Linear& Of(const ir::Expr& var, int64_t extent, ir::Ranges* ranges);

 private:
  ir::FormMap forms_;
};

// Whether |e| has a variable that is not fixed.
bool Moves(const ir::Expr& e, const VarSet& fixed);

// Every axis of |stage| that is not a leaf, in terms of leaves. If no leaf of a split axis is
// fixed, the axis is one fresh variable with its exact range, which the loops together overstate.
//   extents  iterations of every axis
//   fresh    the fresh variables
ir::FormMap ExactAxes(const schedule::Stage& stage, const schedule::LoopCounts& extents,
                      const VarSet& fixed, FreshVars* fresh, ir::Ranges* ranges);

// A condition reduced to whole tiles: 16 a + b < 16 n becomes a < n if b is 0 to 15, and 16 n <= 16
// a + b becomes n <= a. Other conditions are returned unchanged.
ir::Expr WithoutRemainder(const ir::Expr& guard, const ir::Ranges& ranges);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_REACH_H_
