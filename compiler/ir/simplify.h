// SPDX-License-Identifier: Apache-2.0
//
// Simplification: constant folding, linear normal form of indices, comparisons decided by bounds,
// loops of one or no iteration, branches that cannot be taken. It preserves the meaning exactly,
// except that it may remove an error (a read outside its buffer that is no longer made). Depends on
// affine.h.
#ifndef TESSERA_COMPILER_IR_SIMPLIFY_H_
#define TESSERA_COMPILER_IR_SIMPLIFY_H_

#include "compiler/ir/affine.h"
#include "compiler/ir/ir.h"

namespace tessera::ir {

Expr Simplify(const Expr& e, const Ranges& ranges = {});
Stmt Simplify(const Stmt& s, const Ranges& ranges = {});  // may be an empty Seq
Func Simplify(const Func& f);

// Whether |condition| is true for all values of the variables.
bool ProveTrue(const Expr& condition, const Ranges& ranges);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_SIMPLIFY_H_
