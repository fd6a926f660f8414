// SPDX-License-Identifier: Apache-2.0
//
// Checks of a function that a text or a pass may have broken. Depends on ir.h, intrin.h.
#ifndef TESSERA_COMPILER_IR_VERIFY_H_
#define TESSERA_COMPILER_IR_VERIFY_H_

#include "base/error.h"
#include "compiler/ir/ir.h"

namespace tessera::ir {

// errors (kInvalidArgument, naming the place):
//   a variable or buffer used outside the loop or allocation that makes it, or made twice on one
//   path; a constant index outside its buffer; a vector in loop bounds; a vector or unroll loop of
//   unknown extent; a scalar intrinsic with wrong operands or an unknown name; a tile intrinsic as
//   a value; a tensor expression node
Status Verify(const Func& func);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_VERIFY_H_
