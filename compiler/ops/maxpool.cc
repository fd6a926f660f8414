// SPDX-License-Identifier: Apache-2.0
//
// Greatest value over a window. ONNX MaxPool, GlobalMaxPool; TFLite MAX_POOL_2D, REDUCE_MAX.
#include <cmath>
#include <limits>

#include "compiler/ops/window.h"

namespace tessera::ops::maxpool_op {
namespace {

using graph::PoolAttributes;

Status Check(const NodeCheck& node) {
  if (node.In(0).quant != node.Out().quant) return node.Bad("the greatest value keeps its scale");
  if (!node.Out().quant && !IsFloat(node.Out().dtype))
    return node.Bad("takes floats, or integers with a scale");
  return {};
}

void Body(RegionBuilder& b, const Node& node) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const Window& window = node.As<PoolAttributes>().window;
  const te::Tensor given = b.Value(node.inputs[0]);
  const bool real = te::IsReal(b, node), narrow = given.dtype() == DType::kFloat16;
  const Expr lowest = real ? ir::ImmFloat(given.dtype(), -std::numeric_limits<float>::infinity())
                           : ir::Imm(given.dtype(), LimitsOf(given.dtype()).lo);
  const te::Tensor x = te::PadSpatial(b.Name(out.name + ".padded"), given, window, lowest);
  const Axis ky = te::ReduceAxis("ky", window.kernel[0]);
  const Axis kx = te::ReduceAxis("kx", window.kernel[1]);
  const auto [lo, hi] = graph::BoundsOf(b.graph(), node);
  const IntegerLimits limits = LimitsOf(given.dtype());
  const bool bounded = real ? narrow || std::isfinite(node.least) || std::isfinite(node.most)
                            : lo > limits.lo || hi < limits.hi;
  const te::Tensor most =
      te::Compute(b.Name(bounded ? out.name + ".max" : out.name), out.shape, {"n", "c", "y", "x"},
                  [&](const Indices& i) {
                    const Expr value =
                        x(i[0], i[1], te::Tap(window, 0, i[2], ky), te::Tap(window, 1, i[3], kx));
                    return te::MaxOf(narrow ? Wide(value) : value, {ky, kx});
                  });
  if (!bounded) return b.SetValue(node.output, most);
  te::Elements(b, node, [&](const Indices& i) {
    if (real) return te::Real(b, node, most(i));
    return ir::Clamp(most(i), ir::Imm(given.dtype(), lo), ir::Imm(given.dtype(), hi));
  });
}

// The maximum keeps the operand's scale; a QuantizeLinear behind it is an identity or a rescale.
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId given, c.Operand(node, 0));
  const size_t rank = c.tensor(given).shape.size();
  TESSERA_ASSIGN(const TensorId x, c.Spatial4(node, given));
  const GraphTensor from = c.tensor(x);
  TESSERA_ASSIGN(const Window window, PoolWindow(c, node, from.shape));
  const Window whole = WithCeiling(node, window, from.shape);
  const Shape shape = Through(whole, from.shape, from.shape[1]);
  Node made{.op = Op::kMaxPool, .inputs = {x}, .attributes = PoolAttributes{whole}};
  if (rank == 4) return c.EmitReal(std::move(made), node, shape);
  const std::string name = node.outputs[0] + ".rank4";
  TESSERA_ASSIGN(const TensorId most,
                 c.Emit(std::move(made), node, from.quant, shape, name, from.dtype));
  return c.EmitReal({.op = Op::kReshape, .name = node.outputs[0] + ".rank3", .inputs = {most}},
                    node, {shape[0], shape[1], shape[3]});
}

Status FromTflite(Converter& c) { return PoolFromTflite(c, Op::kMaxPool); }

Status FromReduceMax(Converter& c) {
  TESSERA_ASSIGN(const TensorId x, c.ReducedImage());
  TESSERA_TRY(c.SameScale(x));
  const Shape in = c.tensor(x).shape;
  return c.FinishReduction({.op = Op::kMaxPool,
                            .inputs = {x},
                            .attributes = PoolAttributes{{.kernel = {in[2], in[3]}}}});
}

constexpr OnnxRow kOnnx[] = {{"MaxPool", FromOnnx, 1, graph::OnnxWhen::kAlways},
                             {"GlobalMaxPool", FromOnnx, 1, graph::OnnxWhen::kAlways}};
constexpr TfliteRow kTflite[] = {{"MAX_POOL_2D", 1, 1, FromTflite},
                                 {"REDUCE_MAX", 2, 2, FromReduceMax}};

}  // namespace

constinit const OpDef kMaxPoolDef = {
    .name = "maxpool",
    .meaning = "greatest value over a window",
    .category = Category::kReduction,
    .types = kWideTypes,
    .shape = PoolShape,
    .check = Check,
    .attributes = Fits<PoolAttributes>,
    .text = PoolText,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = PoolExample,
};

}  // namespace tessera::ops::maxpool_op
