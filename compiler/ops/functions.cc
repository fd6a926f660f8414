// SPDX-License-Identifier: Apache-2.0
//
// Named functions of mathematics of one value, element by element.
#include "compiler/ops/functions.h"

#include <cmath>

#include "compiler/region/functions.h"

namespace tessera::ops::functions_op {
namespace {

Expr One(Expr like) { return ir::Const(like.dtype(), 1); }
Expr Zero(Expr like) { return ir::Const(like.dtype(), 0); }
Expr AbsOf(const Expr& x) { return ir::Abs(x); }
Expr NegOf(const Expr& x) { return ir::Neg(x); }
Expr SquareOf(const Expr& x) { return x * x; }
Expr InverseOf(const Expr& x) { return te::Quotient(One(x), x); }
Expr SignOf(const Expr& x) {
  const Expr below = ir::Select(ir::Lt(x, Zero(x)), ir::Neg(One(x)), Zero(x));
  return ir::Select(ir::Lt(Zero(x), x), One(x), below);
}

constexpr Function kAbsOf{"abs", "magnitude", AbsOf, [](double x) { return std::abs(x); }};
constexpr Function kNegOf{"neg", "-x", NegOf, [](double x) { return -x; }};
constexpr Function kSquareOf{"square", "x * x", SquareOf, [](double x) { return x * x; }};
constexpr Function kSignOf{"sign", "-1, 0 or 1", SignOf, [](double x) {
                             return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0;
                           }};
// An intrinsic of one value.
template <Expr (*kOf)(Expr)>
Expr Of(const Expr& x) {
  return kOf(x);
}

constexpr Function kExpOf{"exp", "e to the power x", Of<ir::Exp>,
                          [](double x) { return std::exp(x); }};
constexpr Function kLogOf{"log", "the logarithm to base e", Of<ir::Log>,
                          [](double x) { return std::log(x); }};
constexpr Function kSqrtOf{"sqrt", "the square root", Of<ir::Sqrt>,
                           [](double x) { return std::sqrt(x); }};
constexpr Function kFloorOf{"floor", "the whole number at or below x", Of<ir::Floor>,
                            [](double x) { return std::floor(x); }};
constexpr Function kCeilOf{"ceil", "the whole number at or above x", Of<ir::Ceil>,
                           [](double x) { return std::ceil(x); }};
constexpr Function kRoundOf{"round", "the nearest whole number, ties to even", Of<ir::RoundEven>,
                            [](double x) { return std::nearbyint(x); }};
constexpr Function kReciprocalOf{"reciprocal", "1 / x", InverseOf, [](double x) { return 1 / x; }};

Expr RsqrtOf(const Expr& x) { return te::Quotient(One(x), ir::Sqrt(x)); }
constexpr Function kRsqrtOf{"rsqrt", "1 over the square root", RsqrtOf,
                            [](double x) { return 1 / std::sqrt(x); }};
constexpr Function kErfOf{"erf", "the error function", Of<ir::Erf>,
                          [](double x) { return std::erf(x); }};
constexpr Function kSinOf{"sin", "the sine", Of<ir::Sin>, [](double x) { return std::sin(x); }};
constexpr Function kCosOf{"cos", "the cosine", Of<ir::Cos>, [](double x) { return std::cos(x); }};
constexpr Function kTanOf{"tan", "the tangent", te::Tan, [](double x) { return std::tan(x); }};
constexpr Function kAsinOf{"asin", "the arc sine", te::Asin, [](double x) { return std::asin(x); }};
constexpr Function kAcosOf{"acos", "the arc cosine", te::Acos,
                           [](double x) { return std::acos(x); }};
constexpr Function kAtanOf{"atan", "the arc tangent", Of<ir::Atan>,
                           [](double x) { return std::atan(x); }};
constexpr Function kSinhOf{"sinh", "the hyperbolic sine", te::Sinh,
                           [](double x) { return std::sinh(x); }};
constexpr Function kCoshOf{"cosh", "the hyperbolic cosine", te::Cosh,
                           [](double x) { return std::cosh(x); }};
constexpr Function kAsinhOf{"asinh", "the inverse of sinh", te::Asinh,
                            [](double x) { return std::asinh(x); }};
constexpr Function kAcoshOf{"acosh", "the inverse of cosh", te::Acosh,
                            [](double x) { return std::acosh(x); }};
constexpr Function kAtanhOf{"atanh", "the inverse of tanh", te::Atanh,
                            [](double x) { return std::atanh(x); }};

constexpr OnnxRow kAbsRows[] = {{"Abs", FunctionFromOnnx<Op::kAbs>}};
constexpr OnnxRow kNegRows[] = {{"Neg", FunctionFromOnnx<Op::kNeg>}};
constexpr OnnxRow kSignRows[] = {{"Sign", FunctionFromOnnx<Op::kSign>}};
constexpr OnnxRow kExpRows[] = {{"Exp", FunctionFromOnnx<Op::kExp>}};
constexpr OnnxRow kFloorRows[] = {{"Floor", FunctionFromOnnx<Op::kFloor>}};
constexpr OnnxRow kCeilRows[] = {{"Ceil", FunctionFromOnnx<Op::kCeil>}};
constexpr OnnxRow kRoundRows[] = {{"Round", FunctionFromOnnx<Op::kRound>}};
constexpr OnnxRow kReciprocalRows[] = {{"Reciprocal", FunctionFromOnnx<Op::kReciprocal>}};

constexpr OnnxRow kLogRows[] = {{"Log", FunctionFromOnnx<Op::kLog>}};
constexpr OnnxRow kSqrtRows[] = {{"Sqrt", FunctionFromOnnx<Op::kSqrt>}};
constexpr OnnxRow kErfRows[] = {{"Erf", FunctionFromOnnx<Op::kErf>}};
constexpr OnnxRow kSinRows[] = {{"Sin", FunctionFromOnnx<Op::kSin>}};
constexpr OnnxRow kCosRows[] = {{"Cos", FunctionFromOnnx<Op::kCos>}};
constexpr OnnxRow kTanRows[] = {{"Tan", FunctionFromOnnx<Op::kTan>}};
constexpr OnnxRow kAsinRows[] = {{"Asin", FunctionFromOnnx<Op::kAsin>}};
constexpr OnnxRow kAcosRows[] = {{"Acos", FunctionFromOnnx<Op::kAcos>}};
constexpr OnnxRow kAtanRows[] = {{"Atan", FunctionFromOnnx<Op::kAtan>}};
constexpr OnnxRow kSinhRows[] = {{"Sinh", FunctionFromOnnx<Op::kSinh>}};
constexpr OnnxRow kCoshRows[] = {{"Cosh", FunctionFromOnnx<Op::kCosh>}};
constexpr OnnxRow kAsinhRows[] = {{"Asinh", FunctionFromOnnx<Op::kAsinh>}};
constexpr OnnxRow kAcoshRows[] = {{"Acosh", FunctionFromOnnx<Op::kAcosh>}};
constexpr OnnxRow kAtanhRows[] = {{"Atanh", FunctionFromOnnx<Op::kAtanh>}};

constexpr TfliteRow kLogTflite[] = {{"LOG", 1, 1, PlainFromTflite<Op::kLog>}};
constexpr TfliteRow kSqrtTflite[] = {{"SQRT", 1, 1, PlainFromTflite<Op::kSqrt>}};
constexpr TfliteRow kRsqrtTflite[] = {{"RSQRT", 1, 1, PlainFromTflite<Op::kRsqrt>}};
constexpr TfliteRow kSinTflite[] = {{"SIN", 1, 1, PlainFromTflite<Op::kSin>}};
constexpr TfliteRow kCosTflite[] = {{"COS", 1, 1, PlainFromTflite<Op::kCos>}};

}  // namespace

constinit const OpDef kAbsDef = FunctionDef<kAbsOf>(kNumberTypes, kAbsRows);
constinit const OpDef kNegDef = FunctionDef<kNegOf>(kNumberTypes, kNegRows);
constinit const OpDef kSquareDef = FunctionDef<kSquareOf>(kNumberTypes, {});
constinit const OpDef kSignDef = FunctionDef<kSignOf>(kNumberTypes, kSignRows);
constinit const OpDef kExpDef = FunctionDef<kExpOf>(kAllTypes, kExpRows);
constinit const OpDef kFloorDef = FunctionDef<kFloorOf>(kAllTypes, kFloorRows);
constinit const OpDef kCeilDef = FunctionDef<kCeilOf>(kAllTypes, kCeilRows);
constinit const OpDef kRoundDef = FunctionDef<kRoundOf>(kAllTypes, kRoundRows);
constinit const OpDef kReciprocalDef = FunctionDef<kReciprocalOf>(kAllTypes, kReciprocalRows);
constinit const OpDef kLogDef = FunctionDef<kLogOf>(kAllTypes, kLogRows, kLogTflite);
constinit const OpDef kSqrtDef = FunctionDef<kSqrtOf>(kAllTypes, kSqrtRows, kSqrtTflite);
constinit const OpDef kErfDef = FunctionDef<kErfOf>(kAllTypes, kErfRows);
constinit const OpDef kSinDef = FunctionDef<kSinOf>(kAllTypes, kSinRows, kSinTflite);
constinit const OpDef kCosDef = FunctionDef<kCosOf>(kAllTypes, kCosRows, kCosTflite);
constinit const OpDef kTanDef = FunctionDef<kTanOf>(kAllTypes, kTanRows);
constinit const OpDef kAsinDef = FunctionDef<kAsinOf>(kAllTypes, kAsinRows);
constinit const OpDef kAcosDef = FunctionDef<kAcosOf>(kAllTypes, kAcosRows);
constinit const OpDef kAtanDef = FunctionDef<kAtanOf>(kAllTypes, kAtanRows);
constinit const OpDef kSinhDef = FunctionDef<kSinhOf>(kAllTypes, kSinhRows);
constinit const OpDef kCoshDef = FunctionDef<kCoshOf>(kAllTypes, kCoshRows);
constinit const OpDef kAsinhDef = FunctionDef<kAsinhOf>(kAllTypes, kAsinhRows);
constinit const OpDef kAcoshDef = FunctionDef<kAcoshOf>(kAllTypes, kAcoshRows);
constinit const OpDef kAtanhDef = FunctionDef<kAtanhOf>(kAllTypes, kAtanhRows);
constinit const OpDef kRsqrtDef = FunctionDef<kRsqrtOf>(kAllTypes, {}, kRsqrtTflite);

}  // namespace tessera::ops::functions_op
