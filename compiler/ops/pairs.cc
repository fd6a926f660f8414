// SPDX-License-Identifier: Apache-2.0
//
// Functions of two plain values, element by element: quotients, powers, extremes, comparisons,
// logic. ONNX Div, Mod, Pow, Max, Min, Equal, Less, LessOrEqual, Greater, GreaterOrEqual, And, Or,
// Xor.
#include <array>
#include <string_view>

#include "compiler/ops/binary.h"
#include "compiler/ops/compose.h"

namespace tessera::ops::pairs_op {
namespace {

// A function of two values of a wide type (te::Wide).
struct PairFunction {
  std::string_view name, meaning;
  Expr (*of)(Expr a, Expr b);
};

// Integers are divided towards zero; x / 0 is 0, so that no input stops the program.
Expr QuotientOf(Expr a, Expr b) {
  if (IsFloat(a.dtype())) return ir::Bin(ir::BinOp::kDiv, a, b);
  const Expr zero = ir::Imm(a.dtype(), 0), one = ir::Imm(a.dtype(), 1);
  const Expr none = ir::Eq(b, zero);
  const Expr whole = ir::FloorDiv(ir::Abs(a), ir::Abs(ir::Select(none, one, b)));
  const Expr differ = ir::Bin(ir::BinOp::kNe, ir::Lt(a, zero), ir::Lt(b, zero));
  return ir::Select(none, zero, ir::Select(differ, ir::Neg(whole), whole));
}

// Has the sign of |b|, as in Python.
Expr Remainder(Expr a, Expr b) {
  const Expr zero = ir::Const(a.dtype(), 0);
  if (IsFloat(a.dtype())) {
    const Expr rest = ir::Fmod(a, b);
    const Expr differ = ir::Bin(ir::BinOp::kNe, ir::Lt(rest, zero), ir::Lt(b, zero));
    return ir::Select(ir::And(ir::Bin(ir::BinOp::kNe, rest, zero), differ), rest + b, rest);
  }
  const Expr none = ir::Eq(b, zero);
  return ir::Select(none, zero, ir::FloorMod(a, ir::Select(none, ir::Imm(a.dtype(), 1), b)));
}

// Has the sign of |a|, as in C.
Expr RemainderOfC(Expr a, Expr b) {
  if (!IsFloat(a.dtype())) return a - QuotientOf(a, b) * b;
  return ir::Fmod(a, b);
}

constexpr PairFunction kQuotientOf{"div", "first over second; integers towards zero, 0 by 0",
                                   QuotientOf};
constexpr PairFunction kRemainderOf{"mod", "remainder with the sign of the second", Remainder};
constexpr PairFunction kRemainderOfC{"fmod", "remainder with the sign of the first", RemainderOfC};
constexpr PairFunction kPowerOf{"pow", "the first to the power of the second", ir::Pow};
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

// The type for computing with elements of |x|: bools stay bools.
Expr Computed(Expr x) { return x.dtype() == DType::kBool ? x : Wide(x); }

template <const PairFunction& kFunction>
void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]), y = b.Value(node.inputs[1]);
  const GraphTensor& out = b.graph().tensor(node.output);
  te::Elements(b, node, [&](const Indices& i) {
    const Expr made =
        kFunction.of(Computed(Repeated(x, i, out.shape)), Computed(Repeated(y, i, out.shape)));
    if (te::IsReal(b, node)) return ir::Cast(out.dtype, made);
    const auto [lo, hi] = graph::BoundsOf(b.graph(), node);
    return ir::Cast(out.dtype, ir::ClampAdd(made, I32(0), I32(lo), I32(hi)));
  });
}

Status PlainOnly(const NodeCheck& node) { return node.Plain(); }

// Max and Min also take integers that share one scale.
Status OneScale(const NodeCheck& node) { return node.KeepsScale(); }
void OneScaleExample(Example& example) {
  example.node.inputs.push_back(example.another(true));
  example.KeepScale();
}

// Comparisons of every type give bools; other functions keep the operands' type.
constexpr auto kTests = [] {
  std::array<TypePair, kDTypes.size()> pairs{};
  for (size_t k = 0; k < pairs.size(); ++k) pairs[k] = {kDTypes[k], DType::kBool};
  return pairs;
}();
constexpr TypePair kBools[] = {{DType::kBool, DType::kBool}};

// Two operands of one type.
template <Op kOp>
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  return BinaryFromOnnx(c, node, kOp);
}

Status FromGreater(QdqConverter& c, const OnnxNode& node) {
  OnnxNode turned = node;
  if (turned.inputs.size() > 1) std::swap(turned.inputs[0], turned.inputs[1]);
  return BinaryFromOnnx(c, turned, node.op_type == "Greater" ? Op::kLess : Op::kLessEqual);
}

Status FromMod(QdqConverter& c, const OnnxNode& node) {
  return BinaryFromOnnx(c, node, node.IntOr("fmod", 0) != 0 ? Op::kFmod : Op::kMod);
}

// Pow on floats; integers are converted to floats, and the rounded power back. Exponent 2 is a
// square.
Status FromPow(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Plain(node, 0));
  TESSERA_ASSIGN(TensorId y, c.Plain(node, 1));
  Composer make(c, node);
  const DType type = c.tensor(x).dtype, real = IsFloat(type) ? type : DType::kFloat32;
  const auto as = [&](TensorId id, DType to) -> Result<TensorId> {
    if (make.tensor(id).dtype == to) return id;
    return make({.op = Op::kCast, .inputs = {id}}, make.shape(id), to);
  };
  const auto exponent = c.Number(node, 1);
  if (exponent && *exponent == 2 && make.shape(y).size() <= make.shape(x).size() && IsFloat(type)) {
    TESSERA_ASSIGN(x, make(Op::kSquare, x));
    return make.Finish(x);
  }
  TESSERA_ASSIGN(x, as(x, real));
  TESSERA_ASSIGN(y, as(y, real));
  TESSERA_ASSIGN(x, make(Op::kPow, x, y));
  if (real != type) {
    TESSERA_ASSIGN(x, make(Op::kRound, x));
  }
  TESSERA_ASSIGN(x, as(x, type));
  return make.Finish(x);
}

// Of any number of operands.
template <Op kOp>
Status FromSeveral(QdqConverter& c, const OnnxNode& node) {
  return SeveralFromOnnx(c, node, kOp, false);
}

constexpr OnnxRow kDivRows[] = {{"Div", FromOnnx<Op::kDiv>, 2, kNever}};
constexpr OnnxRow kModRows[] = {{"Mod", FromMod, 2, kNever}};
constexpr OnnxRow kPowRows[] = {{"Pow", FromPow, 2, kNever}};
constexpr OnnxRow kMaxRows[] = {{"Max", FromSeveral<Op::kMax>, 2, kNever}};
constexpr OnnxRow kMinRows[] = {{"Min", FromSeveral<Op::kMin>, 2, kNever}};
constexpr OnnxRow kEqualRows[] = {{"Equal", FromOnnx<Op::kEqual>, 2, kNever}};
constexpr OnnxRow kLessRows[] = {{"Less", FromOnnx<Op::kLess>, 2, kNever},
                                 {"Greater", FromGreater, 2, kNever}};
constexpr OnnxRow kLessEqualRows[] = {{"LessOrEqual", FromOnnx<Op::kLessEqual>, 2, kNever},
                                      {"GreaterOrEqual", FromGreater, 2, kNever}};
constexpr OnnxRow kAndRows[] = {{"And", FromOnnx<Op::kAnd>, 2, kNever}};
constexpr OnnxRow kOrRows[] = {{"Or", FromOnnx<Op::kOr>, 2, kNever}};
constexpr OnnxRow kXorRows[] = {{"Xor", FromOnnx<Op::kXor>, 2, kNever}};

template <const PairFunction& kFunction>
constexpr OpDef DefWith(std::span<const TypePair> types, std::span<const OnnxRow> onnx,
                        Status (*check)(const NodeCheck&) = PlainOnly,
                        void (*example)(Example&) = nullptr) {
  return {.name = kFunction.name,
          .meaning = kFunction.meaning,
          .least = 2,
          .most = 2,
          .types = types,
          .shape = BinaryShape,
          .check = check,
          .body = Body<kFunction>,
          .onnx = onnx,
          .example = example};
}

}  // namespace

constinit const OpDef kDivDef = DefWith<kQuotientOf>(kPlainNumbers, kDivRows);
constinit const OpDef kModDef = DefWith<kRemainderOf>(kPlainNumbers, kModRows);
constinit const OpDef kFmodDef = DefWith<kRemainderOfC>(kPlainNumbers, {});
constinit const OpDef kPowDef = DefWith<kPowerOf>(kPlainFloats, kPowRows);
constinit const OpDef kMaxDef =
    DefWith<kGreaterOf>(kNumberTypes, kMaxRows, OneScale, OneScaleExample);
constinit const OpDef kMinDef =
    DefWith<kLesserOf>(kNumberTypes, kMinRows, OneScale, OneScaleExample);
constinit const OpDef kEqualDef = DefWith<kSameOf>(kTests, kEqualRows);
constinit const OpDef kLessDef = DefWith<kBelowOf>(kTests, kLessRows);
constinit const OpDef kLessEqualDef = DefWith<kAtMostOf>(kTests, kLessEqualRows);
constinit const OpDef kAndDef = DefWith<kBothOf>(kBools, kAndRows);
constinit const OpDef kOrDef = DefWith<kEitherOf>(kBools, kOrRows);
constinit const OpDef kXorDef = DefWith<kOneOf>(kBools, kXorRows);

}  // namespace tessera::ops::pairs_op
