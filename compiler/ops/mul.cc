// SPDX-License-Identifier: Apache-2.0
//
// Product of two tensors. ONNX Mul; TFLite MUL.
#include "compiler/ops/binary.h"

namespace tessera::ops::mul_op {
namespace {

using graph::FactorAttributes;

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  const double a = quantize::ScaleOf(graph, node, 0), b = quantize::ScaleOf(graph, node, 1);
  const double out = quantize::ResultScale(graph, node);
  const double factor =
      node.As<FactorAttributes>().single
          ? double{quantize::Single(a) * quantize::Single(b) / quantize::Single(out)}
          : a * b / out;
  requant.bias = {0};
  const int64_t largest =
      quantize::FurthestOf(graph, node, 0) * quantize::FurthestOf(graph, node, 1);
  return quantize::SetFactors(node, {factor}, {largest}, requant);
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]), y = b.Value(node.inputs[1]);
  const Shape& shape = b.graph().tensor(node.output).shape;
  const int32_t zx = b.graph().tensor(node.inputs[0]).zero();
  const int32_t zy = b.graph().tensor(node.inputs[1]).zero();
  te::Elements(b, node, [&](const Indices& i) {
    if (te::IsReal(b, node))
      return te::Real(b, node, Wide(Repeated(x, i, shape)) * Wide(Repeated(y, i, shape)));
    const Requant& q = *node.requant;
    const Expr product = (Wide(x(i)) - I32(zx)) * (Wide(y(i)) - I32(zy));
    return te::Narrow(b, node,
                      ir::Requant(product, I32(q.multiplier[0]), I32(q.shift[0]), q.round));
  });
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) { return BinaryFromOnnx(c, node, Op::kMul); }

Status FromTflite(Converter& c) {
  return BinaryFromTflite<tflite_file::MulOptions>(
      c, {.op = Op::kMul, .attributes = FactorAttributes{.single = true}});
}

constexpr OnnxRow kOnnx[] = {{"Mul", FromOnnx, 2}};
constexpr TfliteRow kTflite[] = {{"MUL", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kMulDef = {
    .name = "mul",
    .meaning = "product of two tensors of one shape; plain ones of extent 1 repeat",
    .least = 2,
    .most = 2,
    .types = kNumberTypes,
    .shape = BinaryShape,
    .attributes = Fits<FactorAttributes>,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
};

}  // namespace tessera::ops::mul_op
