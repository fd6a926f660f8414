// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/binary.h"

#include <cmath>

#include "compiler/quantize/multiplier.h"

namespace tessera::ops {
namespace {

// rescale((q - zero) << left, multiplier, shift), or the plain shift when the multiplier is a half:
// the operand with the larger scale.
Expr Aligned(const graph::OperandScale& in, Expr value) {
  const Expr centred = Wide(value) - I32(in.zero);
  if (in.multiplier == 1 << 30 && in.shift == 0)
    return ir::Bin(ir::BinOp::kShl, centred, I32(in.left - 1));
  return ir::Requant(ir::Bin(ir::BinOp::kShl, centred, I32(in.left)), I32(in.multiplier),
                     I32(in.shift), isa::Round::kTflite);
}

}  // namespace

Status SumRequant(const Graph& graph, const Node& node, Requant& requant) {
  const double twice_max =
      2 * std::max(quantize::ScaleOf(graph, node, 0), quantize::ScaleOf(graph, node, 1));
  for (size_t i = 0; i < 2; ++i) {
    const auto m = quantize::MultiplierOf(quantize::ScaleOf(graph, node, i) / twice_max);
    if (!m) return Within(fmt::format("node {} operand {}", node.name, i), m.error());
    requant.operands.push_back({quantize::ZeroOf(graph, node, i), 20, m->multiplier, m->shift});
  }
  requant.bias = {0};
  const double factor = twice_max / (std::ldexp(1.0, 20) * quantize::ResultScale(graph, node));
  return quantize::SetFactors(node, {factor}, {2 * int64_t{255} << 19}, requant);
}

void SumBody(RegionBuilder& b, const Node& node, ir::BinOp op) {
  const te::Tensor x = b.Value(node.inputs[0]), y = b.Value(node.inputs[1]);
  const Requant& q = *node.requant;
  te::Elements(b, node, [&](const Indices& i) {
    const Expr sum = ir::Bin(op, Aligned(q.operands[0], x(i)), Aligned(q.operands[1], y(i)));
    return te::Narrow(q, ir::Requant(sum, I32(q.multiplier[0]), I32(q.shift[0]), q.round));
  });
}

Status BinaryFromOnnx(QdqConverter& c, const OnnxNode& node, Op op) {
  TESSERA_ASSIGN(const TensorId a, c.Operand(node, 0));
  TESSERA_ASSIGN(const TensorId b, c.Operand(node, 1));
  if (c.tensor(a).shape != c.tensor(b).shape) {
    return Fail(Code::kUnsupported, "{}: shapes {} and {}; broadcasting is not supported",
                node.Place(), ShapeText(c.tensor(a).shape), ShapeText(c.tensor(b).shape));
  }
  return c.EmitInto({.op = op, .inputs = {a, b}}, node, c.tensor(a).shape);
}

Status BinaryFromTflite(Converter& c, Node made, tflite_file::ActivationFunctionType activation) {
  TESSERA_ASSIGN(const auto* a, c.In(0));
  TESSERA_ASSIGN(const auto* b, c.In(1));
  if (a->constant() && b->constant()) return c.Unsupported("both inputs are constants");
  if (!a->constant() && !b->constant() && a->shape != b->shape) {
    return c.Unsupported("inputs of shapes {} and {}; only constants are repeated",
                         ShapeText(a->shape), ShapeText(b->shape));
  }
  const Shape& shape = a->constant() ? b->shape : a->shape;
  TESSERA_ASSIGN(const TensorId x, a->constant() ? c.FullConstant(0, shape) : c.Activation(0));
  TESSERA_ASSIGN(const TensorId y, b->constant() ? c.FullConstant(1, shape) : c.Activation(1));
  made.inputs = {x, y};
  TESSERA_TRY(c.Bound(activation, made));
  return c.Finish(std::move(made), tflite_model::GraphShape(shape));
}

}  // namespace tessera::ops
