// SPDX-License-Identifier: Apache-2.0
//
// The float32 functions among the scalar intrinsics, by number: the operations that the interpreter
// computes and that every code generator emits. Depends on: intrin.h, exponential.h,
// trigonometric.h. Used by lane.cc and compiler/codegen.
#ifndef TESSERA_COMPILER_IR_FUNCTIONS_H_
#define TESSERA_COMPILER_IR_FUNCTIONS_H_

#include <span>

#include "base/check.h"
#include "compiler/ir/exponential.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/trigonometric.h"

namespace tessera::ir {

// Intrinsic |id|, for which ScalarIntrinInfo::function is true, of |x|. F is float or an Emitted
// float of real.h.
template <typename F>
F FunctionOf(ScalarIntrin id, std::span<const F> x) {
  switch (id) {
    case ScalarIntrin::kSqrt:
      return real::SquareRoot<F>(x[0]);
    case ScalarIntrin::kExp:
      return real::Exp<F>(x[0]);
    case ScalarIntrin::kExpm1:
      return real::ExpMinusOne<F>(x[0]);
    case ScalarIntrin::kLog:
      return real::Log<F>(x[0]);
    case ScalarIntrin::kLog1p:
      return real::LogOnePlus<F>(x[0]);
    case ScalarIntrin::kPow:
      return real::Pow<F>(x[0], x[1]);
    case ScalarIntrin::kErf:
      return real::Erf<F>(x[0]);
    case ScalarIntrin::kSin:
      return real::Sin<F>(x[0]);
    case ScalarIntrin::kCos:
      return real::Cos<F>(x[0]);
    case ScalarIntrin::kAtan:
      return real::Atan<F>(x[0]);
    case ScalarIntrin::kFmod:
      return real::Remainder<F>(x[0], x[1]);
    default:
      break;
  }
  TESSERA_CHECK(false, "{} is no function of floats", InfoOf(id).name);
}

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_FUNCTIONS_H_
