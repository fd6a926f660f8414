// SPDX-License-Identifier: Apache-2.0
//
// Functions of a float32 that are composed of the scalar intrinsics (compiler/ir/intrin.h), where
// the textbook's formula loses places: within 1e-5 of the result in relative terms, near 0 and 1
// and where a square is too large for a float, too. Depends on: ir. Used by: compiler/ops.
#ifndef TESSERA_COMPILER_TE_OPS_FUNCTIONS_H_
#define TESSERA_COMPILER_TE_OPS_FUNCTIONS_H_

#include "compiler/ir/intrin.h"
#include "compiler/ir/ir.h"

namespace tessera::te {

ir::Expr Quotient(ir::Expr a, ir::Expr b);
ir::Expr Greater(ir::Expr a, ir::Expr b);        // a > b
ir::Expr WithSignOf(ir::Expr x, ir::Expr sign);  // -x where |sign| is less than 0

ir::Expr Tan(const ir::Expr& x);
ir::Expr Asin(const ir::Expr& x);  // a NaN where |x| > 1
ir::Expr Acos(const ir::Expr& x);  // a NaN where |x| > 1
ir::Expr Sinh(const ir::Expr& x);
ir::Expr Cosh(const ir::Expr& x);
ir::Expr Tanh(const ir::Expr& x);
ir::Expr Asinh(const ir::Expr& x);
ir::Expr Acosh(const ir::Expr& x);  // a NaN where x < 1
ir::Expr Atanh(const ir::Expr& x);  // infinity at 1, a NaN beyond
ir::Expr Sigmoid(const ir::Expr& x);
ir::Expr Softplus(const ir::Expr& x);  // log(1 + e^x)

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_OPS_FUNCTIONS_H_
