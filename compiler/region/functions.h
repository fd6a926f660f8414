// SPDX-License-Identifier: Apache-2.0
//
// Float32 functions composed of the scalar intrinsics (compiler/ir/intrin.h). Where the textbook's
// formula loses digits they use another: the relative error is below 1e-5 also near 0 and 1 and
// where a square overflows. Depends on: ir. Used by: compiler/ops.
#ifndef TESSERA_COMPILER_REGION_FUNCTIONS_H_
#define TESSERA_COMPILER_REGION_FUNCTIONS_H_

#include "compiler/ir/intrin.h"
#include "compiler/ir/ir.h"

namespace tessera::te {

ir::Expr Quotient(ir::Expr a, ir::Expr b);
ir::Expr Greater(ir::Expr a, ir::Expr b);        // a > b
ir::Expr WithSignOf(ir::Expr x, ir::Expr sign);  // -x if |sign| is negative

ir::Expr Tan(const ir::Expr& x);
ir::Expr Asin(const ir::Expr& x);  // NaN for |x| > 1
ir::Expr Acos(const ir::Expr& x);  // NaN for |x| > 1
ir::Expr Sinh(const ir::Expr& x);
ir::Expr Cosh(const ir::Expr& x);
ir::Expr Tanh(const ir::Expr& x);
ir::Expr Asinh(const ir::Expr& x);
ir::Expr Acosh(const ir::Expr& x);  // NaN for x < 1
ir::Expr Atanh(const ir::Expr& x);  // infinity at 1, NaN beyond
ir::Expr Sigmoid(const ir::Expr& x);
ir::Expr Softplus(const ir::Expr& x);  // log(1 + e^x)

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_REGION_FUNCTIONS_H_
