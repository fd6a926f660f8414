// SPDX-License-Identifier: Apache-2.0
#include "compiler/region/functions.h"

namespace tessera::te {

using ir::Expr;

namespace {

constexpr float kLn2 = 0.693147181f;
constexpr float kLarge = 1e9f;  // adding 1 to its square changes nothing

Expr F(float value) { return ir::ImmF32(value); }

}  // namespace

Expr Quotient(Expr a, Expr b) { return ir::Bin(ir::BinOp::kDiv, a, b); }
Expr Greater(Expr a, Expr b) { return ir::Lt(b, a); }
Expr WithSignOf(Expr x, Expr sign) { return ir::Select(ir::Lt(sign, F(0)), ir::Neg(x), x); }

Expr Tan(const Expr& x) { return Quotient(ir::Sin(x), ir::Cos(x)); }

// 1 - x and 1 + x are exact near 1 and -1; 1 - x^2 is not.
Expr Asin(const Expr& x) { return ir::Atan(Quotient(x, ir::Sqrt((F(1) - x) * (F(1) + x)))); }
Expr Acos(const Expr& x) { return F(2) * ir::Atan(ir::Sqrt(Quotient(F(1) - x, F(1) + x))); }

// From e^|x| - 1; beyond 80 from the square of e^(|x| / 2), which overflows later.
Expr Sinh(const Expr& x) {
  const Expr size = ir::Abs(x), less = ir::Expm1(size), half = ir::Exp(F(0.5f) * size);
  const Expr near = F(0.5f) * (less + Quotient(less, less + F(1)));
  const Expr sinh = ir::Select(Greater(size, F(80)), F(0.5f) * half * half, near);
  return WithSignOf(sinh, x);
}
Expr Cosh(const Expr& x) {
  const Expr half = ir::Exp(F(0.5f) * ir::Abs(x));
  return F(0.5f) * half * half + Quotient(Quotient(F(0.5f), half), half);
}

// A polynomial near 0 keeps the relative error small (S. Moshier, Cephes, tanhf).
Expr Tanh(const Expr& x) {
  const Expr size = ir::Abs(x), z = x * x;
  Expr sum = F(-5.70498872745e-3f);
  for (const float term :
       {2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f})
    sum = sum * z + F(term);
  const Expr far = F(1) - Quotient(F(2), ir::Exp(size + size) + F(1));
  return ir::Select(ir::Lt(size, F(0.625f)), sum * z * x + x, WithSignOf(far, x));
}

// log(|x| + sqrt(x^2 + 1)), computed as log1p of the argument minus 1.
Expr Asinh(const Expr& x) {
  const Expr size = ir::Abs(x), square = x * x;
  const Expr near = ir::Log1p(size + Quotient(square, F(1) + ir::Sqrt(square + F(1))));
  const Expr far = ir::Log(size) + F(kLn2);
  return WithSignOf(ir::Select(Greater(size, F(kLarge)), far, near), x);
}
Expr Acosh(const Expr& x) {
  const Expr above = x - F(1);
  const Expr near = ir::Log1p(above + ir::Sqrt(above) * ir::Sqrt(above + F(2)));
  return ir::Select(Greater(x, F(kLarge)), ir::Log(x) + F(kLn2), near);
}
Expr Atanh(const Expr& x) {
  const Expr size = ir::Abs(x);
  const Expr grown = F(0.5f) * ir::Log1p(Quotient(size + size, F(1) - size));
  return ir::Select(Greater(size, F(1)), grown, WithSignOf(grown, x));  // a NaN keeps its sign
}

Expr Sigmoid(const Expr& x) { return Quotient(F(1), F(1) + ir::Exp(ir::Neg(x))); }

// Log1p(e^-|x|) + max(x, 0). The conditions keep the sign of a NaN and let both addends be one NaN.
Expr Softplus(const Expr& x) {
  const Expr less = ir::Select(ir::Lt(F(0), x), ir::Neg(x), x);
  return ir::Log1p(ir::Exp(less)) + ir::Select(ir::Lt(x, F(0)), F(0), x);
}

}  // namespace tessera::te
