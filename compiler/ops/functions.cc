// SPDX-License-Identifier: Apache-2.0
//
// Functions of one value, element by element, that have no attributes: a description each. Of an
// int8 value that stands for a real number it is a table (compiler/ops/lookup.h); of plain numbers
// the formula.
#include <cmath>
#include <string_view>

#include "compiler/ops/lookup.h"

namespace tessera::ops {
namespace {

struct Function {
  std::string_view name, meaning;
  Expr (*of)(Expr x);        // of a wide value (te::Wide)
  double (*real)(double x);  // the same of a real number, for the table
};

template <const Function& kFunction>
Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  return RealTable(graph, node, requant, [](double x) { return kFunction.real(x); });
}

template <const Function& kFunction>
void Body(RegionBuilder& b, const Node& node) {
  LookupBody(b, node, [](Expr x) { return kFunction.of(x); });
}

template <Op kOp>
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  return UnaryFromOnnx(c, node, {.op = kOp});
}

Expr One(Expr like) { return ir::Const(like.dtype(), 1); }
Expr Zero(Expr like) { return ir::Const(like.dtype(), 0); }
Expr NegOf(Expr x) { return ir::Neg(x); }
Expr SquareOf(Expr x) { return x * x; }
Expr CeilOf(Expr x) { return ir::Neg(ir::Floor(ir::Neg(x))); }
Expr InverseOf(Expr x) { return ir::Bin(ir::BinOp::kDiv, One(x), x); }
Expr SignOf(Expr x) {
  const Expr below = ir::Select(ir::Lt(x, Zero(x)), ir::Neg(One(x)), Zero(x));
  return ir::Select(ir::Lt(Zero(x), x), One(x), below);
}

constexpr Function kAbsOf{"abs", "magnitude", ir::Abs, [](double x) { return std::abs(x); }};
constexpr Function kNegOf{"neg", "-x", NegOf, [](double x) { return -x; }};
constexpr Function kSquareOf{"square", "x * x", SquareOf, [](double x) { return x * x; }};
constexpr Function kSignOf{"sign", "-1, 0 or 1", SignOf, [](double x) {
                             return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0;
                           }};
constexpr Function kExpOf{"exp", "e to the power x", ir::Exp, [](double x) { return std::exp(x); }};
constexpr Function kSqrtOf{"sqrt", "the root of x", ir::Sqrt,
                           [](double x) { return std::sqrt(x); }};
constexpr Function kLogOf{"log", "natural logarithm", ir::Log,
                          [](double x) { return std::log(x); }};
constexpr Function kFloorOf{"floor", "the whole number at or below x", ir::Floor,
                            [](double x) { return std::floor(x); }};
constexpr Function kCeilOf{"ceil", "the whole number at or above x", CeilOf,
                           [](double x) { return std::ceil(x); }};
constexpr Function kRoundOf{"round", "the nearest whole number, ties to even", ir::RoundEven,
                            [](double x) { return std::nearbyint(x); }};
constexpr Function kReciprocalOf{"reciprocal", "1 / x", InverseOf, [](double x) { return 1 / x; }};

template <const Function& kFunction>
constexpr OpDef DefWith(std::span<const TypePair> types, std::span<const OnnxRow> onnx) {
  return {.name = kFunction.name,
          .meaning = kFunction.meaning,
          .types = types,
          .requant = RequantOf<kFunction>,
          .body = Body<kFunction>,
          .onnx = onnx};
}

constexpr OnnxRow kAbsRows[] = {{"Abs", FromOnnx<Op::kAbs>}};
constexpr OnnxRow kNegRows[] = {{"Neg", FromOnnx<Op::kNeg>}};
constexpr OnnxRow kSignRows[] = {{"Sign", FromOnnx<Op::kSign>}};
constexpr OnnxRow kExpRows[] = {{"Exp", FromOnnx<Op::kExp>}};
constexpr OnnxRow kSqrtRows[] = {{"Sqrt", FromOnnx<Op::kSqrt>}};
constexpr OnnxRow kLogRows[] = {{"Log", FromOnnx<Op::kLog>}};
constexpr OnnxRow kFloorRows[] = {{"Floor", FromOnnx<Op::kFloor>}};
constexpr OnnxRow kCeilRows[] = {{"Ceil", FromOnnx<Op::kCeil>}};
constexpr OnnxRow kRoundRows[] = {{"Round", FromOnnx<Op::kRound>}};
constexpr OnnxRow kReciprocalRows[] = {{"Reciprocal", FromOnnx<Op::kReciprocal>}};

}  // namespace

constinit const OpDef kAbsDef = DefWith<kAbsOf>(kNumberTypes, kAbsRows);
constinit const OpDef kNegDef = DefWith<kNegOf>(kNumberTypes, kNegRows);
constinit const OpDef kSquareDef = DefWith<kSquareOf>(kNumberTypes, {});
constinit const OpDef kSignDef = DefWith<kSignOf>(kNumberTypes, kSignRows);
constinit const OpDef kExpDef = DefWith<kExpOf>(kAllTypes, kExpRows);
constinit const OpDef kSqrtDef = DefWith<kSqrtOf>(kAllTypes, kSqrtRows);
constinit const OpDef kLogDef = DefWith<kLogOf>(kAllTypes, kLogRows);
constinit const OpDef kFloorDef = DefWith<kFloorOf>(kAllTypes, kFloorRows);
constinit const OpDef kCeilDef = DefWith<kCeilOf>(kAllTypes, kCeilRows);
constinit const OpDef kRoundDef = DefWith<kRoundOf>(kAllTypes, kRoundRows);
constinit const OpDef kReciprocalDef = DefWith<kReciprocalOf>(kAllTypes, kReciprocalRows);

}  // namespace tessera::ops
