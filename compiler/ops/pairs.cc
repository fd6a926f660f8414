// SPDX-License-Identifier: Apache-2.0
//
// Functions of two plain values, element by element: quotients, extremes, comparisons, logic. ONNX
// Div, Mod, Max, Min, Equal, Less, LessOrEqual, Greater, GreaterOrEqual, And, Or, Xor.
#include <array>
#include <string_view>

#include "compiler/ops/binary.h"
#include "compiler/ops/compose.h"

namespace tessera::ops {
namespace {

// How two values of a wide type (te::Wide) make one.
struct PairFunction {
  std::string_view name, meaning;
  Expr (*of)(Expr a, Expr b);
};

// Integers, towards zero; by 0 the result is 0, so that no input stops the program.
Expr Quotient(Expr a, Expr b) {
  if (IsFloat(a.dtype())) return ir::Bin(ir::BinOp::kDiv, a, b);
  const Expr zero = ir::Imm(a.dtype(), 0), one = ir::Imm(a.dtype(), 1);
  const Expr none = ir::Eq(b, zero);
  const Expr whole = ir::FloorDiv(ir::Abs(a), ir::Abs(ir::Select(none, one, b)));
  const Expr differ = ir::Bin(ir::BinOp::kNe, ir::Lt(a, zero), ir::Lt(b, zero));
  return ir::Select(none, zero, ir::Select(differ, ir::Neg(whole), whole));
}

// With the sign of |b|, as Python's.
Expr Remainder(Expr a, Expr b) {
  if (IsFloat(a.dtype())) return a - ir::Floor(ir::Bin(ir::BinOp::kDiv, a, b)) * b;
  const Expr zero = ir::Imm(a.dtype(), 0);
  const Expr none = ir::Eq(b, zero);
  return ir::Select(none, zero, ir::FloorMod(a, ir::Select(none, ir::Imm(a.dtype(), 1), b)));
}

// With the sign of |a|, as C's.
Expr RemainderOfC(Expr a, Expr b) {
  if (!IsFloat(a.dtype())) return a - Quotient(a, b) * b;
  const Expr quotient = ir::Bin(ir::BinOp::kDiv, ir::Abs(a), ir::Abs(b));
  const Expr rest = ir::Abs(a) - ir::Floor(quotient) * ir::Abs(b);
  return ir::Select(ir::Lt(a, ir::ImmF32(0)), ir::Neg(rest), rest);
}

// Of integers through floats: exact up to 2^24.
Expr Power(Expr a, Expr b) {
  if (IsFloat(a.dtype())) return ir::Pow(a, b);
  return ir::Cast(a.dtype(), ir::Pow(ir::Cast(DType::kFloat32, a), ir::Cast(DType::kFloat32, b)));
}

constexpr PairFunction kPowerOf{"pow", "the first to the power of the second", Power};
constexpr PairFunction kQuotientOf{"div", "first over second; integers towards zero, 0 by 0",
                                   Quotient};
constexpr PairFunction kRemainderOf{"mod", "remainder with the sign of the second", Remainder};
constexpr PairFunction kRemainderOfC{"fmod", "remainder with the sign of the first", RemainderOfC};
constexpr PairFunction kGreaterOf{"max", "the greater of two", ir::Max};
constexpr PairFunction kLesserOf{"min", "the lesser of two", ir::Min};
constexpr PairFunction kSameOf{"equal", "whether two are equal", ir::Eq};
constexpr PairFunction kBelowOf{"less", "whether the first is below the second", ir::Lt};
constexpr PairFunction kAtMostOf{"lessequal", "whether the first is at most the second", ir::Le};
Expr Both(Expr a, Expr b) { return ir::And(a, b); }
Expr Either(Expr a, Expr b) { return ir::Bin(ir::BinOp::kOr, a, b); }
Expr OneOf(Expr a, Expr b) { return ir::Bin(ir::BinOp::kXor, a, b); }
constexpr PairFunction kBothOf{"and", "both", Both};
constexpr PairFunction kEitherOf{"or", "either or both", Either};
constexpr PairFunction kOneOf{"xor", "one and not the other", OneOf};

// What elements of |x| are computed in: bools stay bools.
Expr Computed(Expr x) { return x.dtype() == DType::kBool ? x : Wide(x); }

template <const PairFunction& kFunction>
void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]), y = b.Value(node.inputs[1]);
  const GraphTensor& out = b.graph().tensor(node.output);
  te::Elements(b, node, [&](const Indices& i) {
    return ir::Cast(out.dtype, kFunction.of(Computed(Repeated(x, i, out.shape)),
                                            Computed(Repeated(y, i, out.shape))));
  });
}

Status PlainOnly(const NodeCheck& node) {
  if (node.In(0).quant || node.Out().quant) return node.Bad("takes plain values");
  return {};
}

// Extremes are as well of integers of one scale.
Status OneScale(const NodeCheck& node) { return node.KeepsScale(); }

// Comparisons of every type give bools, of the same type an operator of numbers.
constexpr auto kTests = [] {
  std::array<TypePair, kDTypes.size()> pairs{};
  for (size_t k = 0; k < pairs.size(); ++k) pairs[k] = {kDTypes[k], DType::kBool};
  return pairs;
}();
constexpr TypePair kBools[] = {{DType::kBool, DType::kBool}};

// Two operands of one type, in turn or not.
template <Op kOp>
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  return BinaryFromOnnx(c, node, kOp);
}

// The exponent may be of another type than the base, whose type the result has.
Status FromPow(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId base, c.Plain(node, 0));
  TESSERA_ASSIGN(TensorId exponent, c.Plain(node, 1));
  Composer make(c, node);
  const DType from = c.tensor(base).dtype, other = c.tensor(exponent).dtype;
  TensorId x = base;
  if (from != other) {
    const DType in = IsFloat(from) || IsFloat(other) ? DType::kFloat32 : DType::kInt64;
    for (TensorId* operand : {&x, &exponent}) {
      if (c.tensor(*operand).dtype == in) continue;
      TESSERA_ASSIGN(*operand,
                     make({.op = Op::kCast, .inputs = {*operand}}, make.shape(*operand), in));
    }
  }
  TESSERA_ASSIGN(x, make(Op::kPow, x, exponent));
  if (make.tensor(x).dtype != from) {
    TESSERA_ASSIGN(x, make({.op = Op::kCast, .inputs = {x}}, make.shape(x), from));
  }
  return make.Finish(x);
}

Status FromGreater(QdqConverter& c, const OnnxNode& node) {
  OnnxNode turned = node;
  if (turned.inputs.size() > 1) std::swap(turned.inputs[0], turned.inputs[1]);
  return BinaryFromOnnx(c, turned, node.op_type == "Greater" ? Op::kLess : Op::kLessEqual);
}

Status FromMod(QdqConverter& c, const OnnxNode& node) {
  return BinaryFromOnnx(c, node, node.IntOr("fmod", 0) != 0 ? Op::kFmod : Op::kMod);
}

// Of any number of operands.
template <Op kOp>
Status FromSeveral(QdqConverter& c, const OnnxNode& node) {
  return SeveralFromOnnx(c, node, kOp, false);
}

constexpr OnnxRow kPowRows[] = {{"Pow", FromPow, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kDivRows[] = {{"Div", FromOnnx<Op::kDiv>, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kModRows[] = {{"Mod", FromMod, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kMaxRows[] = {{"Max", FromSeveral<Op::kMax>, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kMinRows[] = {{"Min", FromSeveral<Op::kMin>, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kEqualRows[] = {{"Equal", FromOnnx<Op::kEqual>, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kLessRows[] = {{"Less", FromOnnx<Op::kLess>, 2, graph::OnnxWhen::kNever},
                                 {"Greater", FromGreater, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kLessEqualRows[] = {
    {"LessOrEqual", FromOnnx<Op::kLessEqual>, 2, graph::OnnxWhen::kNever},
    {"GreaterOrEqual", FromGreater, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kAndRows[] = {{"And", FromOnnx<Op::kAnd>, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kOrRows[] = {{"Or", FromOnnx<Op::kOr>, 2, graph::OnnxWhen::kNever}};
constexpr OnnxRow kXorRows[] = {{"Xor", FromOnnx<Op::kXor>, 2, graph::OnnxWhen::kNever}};

template <const PairFunction& kFunction>
constexpr OpDef DefWith(std::span<const TypePair> types, std::span<const OnnxRow> onnx,
                        Status (*check)(const NodeCheck&) = PlainOnly) {
  return {.name = kFunction.name,
          .meaning = kFunction.meaning,
          .least = 2,
          .most = 2,
          .types = types,
          .shape = BinaryShape,
          .check = check,
          .body = Body<kFunction>,
          .onnx = onnx};
}

}  // namespace

constinit const OpDef kPowDef = DefWith<kPowerOf>(kPlainNumbers, kPowRows);
constinit const OpDef kDivDef = DefWith<kQuotientOf>(kPlainNumbers, kDivRows);
constinit const OpDef kModDef = DefWith<kRemainderOf>(kPlainNumbers, kModRows);
constinit const OpDef kFmodDef = DefWith<kRemainderOfC>(kPlainNumbers, {});
constinit const OpDef kMaxDef = DefWith<kGreaterOf>(kPlainNumbers, kMaxRows, OneScale);
constinit const OpDef kMinDef = DefWith<kLesserOf>(kPlainNumbers, kMinRows, OneScale);
constinit const OpDef kEqualDef = DefWith<kSameOf>(kTests, kEqualRows);
constinit const OpDef kLessDef = DefWith<kBelowOf>(kTests, kLessRows);
constinit const OpDef kLessEqualDef = DefWith<kAtMostOf>(kTests, kLessEqualRows);
constinit const OpDef kAndDef = DefWith<kBothOf>(kBools, kAndRows);
constinit const OpDef kOrDef = DefWith<kEitherOf>(kBools, kOrRows);
constinit const OpDef kXorDef = DefWith<kOneOf>(kBools, kXorRows);

}  // namespace tessera::ops
