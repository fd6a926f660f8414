// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/binary.h"

#include <cmath>

#include "compiler/ops/compose.h"
#include "compiler/quantize/multiplier.h"

namespace tessera::ops {
namespace {

// rescale((q - zero) << left, multiplier, shift). The operand with the larger scale has a
// multiplier of one half, so a plain shift replaces the rescaling.
Expr Aligned(const graph::OperandScale& in, Expr value) {
  const Expr centred = Wide(value) - I32(in.zero);
  if (in.multiplier == 1 << 30 && in.shift == 0)
    return ir::Bin(ir::BinOp::kShl, centred, I32(in.left - 1));
  return ir::Requant(ir::Bin(ir::BinOp::kShl, centred, I32(in.left)), I32(in.multiplier),
                     I32(in.shift), isa::Round::kTflite);
}

}  // namespace

Result<Shape> BinaryShape(const NodeCheck& node) {
  const GraphTensor &a = node.In(0), &b = node.In(1);
  if (a.quant || a.dtype != b.dtype || a.shape == b.shape) {
    TESSERA_TRY(node.SameShapes());
    return a.shape;
  }
  const auto made = RepeatedShape(a.shape, b.shape);
  if (made) return *made;
  return node.Bad("operands of shapes {} and {}", ShapeText(a.shape), ShapeText(b.shape));
}

std::optional<Shape> RepeatedShape(const Shape& a, const Shape& b) {
  Shape made(std::max(a.size(), b.size()), 1);
  for (const Shape* from : {&a, &b}) {
    for (size_t k = 1; k <= from->size(); ++k) {
      int64_t& extent = made[made.size() - k];
      const int64_t here = (*from)[from->size() - k];
      if (here != 1 && extent != 1 && here != extent) return std::nullopt;
      if (here != 1) extent = here;
    }
  }
  return made;
}

Expr Repeated(const te::Tensor& x, const Indices& i, const Shape& shape) {
  const size_t rank = x.shape().size(), before = shape.size() - rank;
  Indices from(i.end() - std::ssize(x.shape()), i.end());
  for (size_t d = 0; d < rank; ++d) {
    if (x.shape()[d] != shape[before + d]) from[d] = Expr(0);
  }
  return x(from);
}

bool HasPowersOfTwo(const Converter& c) {
  const auto a = c.In(0), b = c.In(1);
  if (!a || !b) return false;
  return std::ranges::all_of(std::array{*a, *b, &c.Out()}, [](const auto* of) {
    if (of->type != tflite_model::TensorType::INT16 || !tflite_model::IsQuantised(*of))
      return false;
    const float power = std::log2(of->quantization->scale()->Get(0));
    return std::abs(power - std::round(power)) < 1e-3f;
  });
}

namespace {

// A shift by n bits with halves away from zero equals rescaling twice the value by 2^-(n + 1).
Status ShiftedRequant(const Graph& graph, const Node& node, Requant& requant) {
  bool stays = false;
  for (size_t i = 0; i < 2; ++i) {
    const double by = quantize::ScaleOf(graph, node, i) / quantize::ResultScale(graph, node);
    const int shift = static_cast<int>(std::lround(std::log2(by)));
    stays = stays || shift == 0;
    if (shift > 0 || shift < -31 || (i == 1 && !stays))
      return Fail(
          Code::kOutOfRange,
          "node {}: operand {} has {} times the result's scale; of int16 with powers of two "
          "one operand has the result's, the other a smaller one",
          node.name, i, by);
    requant.operands.push_back({0, 1, 1 << 30, static_cast<int8_t>(shift)});
  }
  requant.bias = {0};
  return quantize::SetFactors(node, {1.0}, {1 << 16}, requant);
}

}  // namespace

Status SumRequant(const Graph& graph, const Node& node, Requant& requant) {
  if (node.As<graph::SumAttributes>().shifted) return ShiftedRequant(graph, node, requant);
  const bool wide = graph.tensor(node.output).dtype == DType::kInt16;
  const int32_t left = wide ? 15 : 20;
  const double twice_max =
      2 * std::max(quantize::ScaleOf(graph, node, 0), quantize::ScaleOf(graph, node, 1));
  for (size_t i = 0; i < 2; ++i) {
    const auto m = quantize::MultiplierOf(quantize::ScaleOf(graph, node, i) / twice_max);
    if (!m) return Within(fmt::format("node {} operand {}", node.name, i), m.error());
    requant.operands.push_back({quantize::ZeroOf(graph, node, i), left, m->multiplier, m->shift});
  }
  requant.bias = {0};
  const double factor = twice_max / (std::ldexp(1.0, left) * quantize::ResultScale(graph, node));
  const int64_t largest = 2 * quantize::FurthestOf(graph, node, 0) << (left - 1);
  return quantize::SetFactors(node, {factor}, {largest}, requant);
}

void SumBody(RegionBuilder& b, const Node& node, ir::BinOp op) {
  const te::Tensor x = b.Value(node.inputs[0]), y = b.Value(node.inputs[1]);
  const Shape& shape = b.graph().tensor(node.output).shape;
  te::Elements(b, node, [&](const Indices& i) {
    if (te::IsReal(b, node)) {
      const Expr left = Wide(Repeated(x, i, shape)), right = Wide(Repeated(y, i, shape));
      return te::Real(b, node, ir::Bin(op, left, right));
    }
    const Requant& q = *node.requant;
    const Expr sum = ir::Bin(op, Aligned(q.operands[0], x(i)), Aligned(q.operands[1], y(i)));
    return te::Narrow(b, node, ir::Requant(sum, I32(q.multiplier[0]), I32(q.shift[0]), q.round));
  });
}

Status BinaryFromOnnx(QdqConverter& c, const OnnxNode& node, Op op) {
  TESSERA_ASSIGN(const TensorId a, c.Operand(node, 0));
  TESSERA_ASSIGN(const TensorId b, c.Operand(node, 1));
  if (c.real()) {
    const auto shape = RepeatedShape(c.tensor(a).shape, c.tensor(b).shape);
    if (shape) return c.EmitInto({.op = op, .inputs = {a, b}}, node, *shape);
    return Fail(Code::kInvalidArgument, "{}: shapes {} and {} do not repeat to one another",
                node.Place(), ShapeText(c.tensor(a).shape), ShapeText(c.tensor(b).shape));
  }
  const auto shape = RepeatedShape(c.tensor(a).shape, c.tensor(b).shape);
  if (!shape)
    return Fail(Code::kInvalidArgument, "{}: shapes {} and {} do not repeat to one another",
                node.Place(), ShapeText(c.tensor(a).shape), ShapeText(c.tensor(b).shape));
  // Integer operands must have the result's shape.
  TensorId operands[2] = {a, b};
  for (size_t k = 0; k < 2; ++k) {
    const GraphTensor from = c.tensor(operands[k]);
    if (from.shape == *shape) continue;
    const std::string name = from.name + ".repeated";
    TESSERA_ASSIGN(operands[k], c.Emit({.op = Op::kRepeat, .name = name, .inputs = {operands[k]}},
                                       node, from.quant, *shape, name));
  }
  return c.EmitInto({.op = op, .inputs = {operands[0], operands[1]}}, node, *shape);
}

Status SeveralFromOnnx(QdqConverter& c, const OnnxNode& node, Op op, bool mean) {
  TESSERA_ASSIGN(TensorId x, c.Plain(node, 0));
  Composer make(c, node);
  for (size_t k = 1; k < node.inputs.size(); ++k) {
    TESSERA_ASSIGN(const TensorId y, c.Plain(node, k));
    TESSERA_ASSIGN(x, make(op, x, y));
  }
  if (mean) {
    TESSERA_ASSIGN(const TensorId count, make.Number(x, static_cast<float>(node.inputs.size())));
    TESSERA_ASSIGN(x, make(Op::kDiv, x, count));
  }
  return make.Finish(x);
}

Status BinaryFromTflite(Converter& c, Node made, tflite_file::ActivationFunctionType activation) {
  TESSERA_ASSIGN(const auto* a, c.In(0));
  TESSERA_ASSIGN(const auto* b, c.In(1));
  const auto shape = RepeatedShape(a->shape, b->shape);
  if (!shape) {
    return c.Invalid("inputs {} and {} of shapes {} and {} do not repeat to one another",
                     a->Place(), b->Place(), ShapeText(a->shape), ShapeText(b->shape));
  }
  TESSERA_ASSIGN(const TensorId x, c.Beside(0, *shape));
  TESSERA_ASSIGN(const TensorId y, c.Beside(1, *shape));
  made.inputs = {x, y};
  TESSERA_TRY(c.Bound(activation, made));
  return c.Finish(std::move(made), tflite_model::GraphShape(*shape));
}

}  // namespace tessera::ops
