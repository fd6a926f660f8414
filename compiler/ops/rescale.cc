// SPDX-License-Identifier: Apache-2.0
//
// Change of scale, and bounds: an activation that was not fused into an operator. ONNX Relu, Clip;
// TFLite RELU and related operators, QUANTIZE of int8.
#include "compiler/ops/unit.h"

namespace tessera::ops::rescale_op {
namespace {

using graph::FactorAttributes;
using tflite_file::ActivationFunctionType;

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  const double in = quantize::ScaleOf(graph, node, 0), out = quantize::ResultScale(graph, node);
  const double factor = node.As<FactorAttributes>().single
                            ? double{quantize::Single(in) / quantize::Single(out)}
                            : in / out;
  requant.bias = {-quantize::ZeroOf(graph, node, 0)};
  return quantize::SetFactors(node, {factor}, {quantize::FurthestOf(graph, node, 0)}, requant);
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  te::Elements(b, node, [&](const Indices& i) {
    if (te::IsReal(b, node)) return te::Real(b, node, Wide(x(i)));
    const Requant& q = *node.requant;
    const Expr y =
        ir::Requant(Wide(x(i)) + I32(q.bias[0]), I32(q.multiplier[0]), I32(q.shift[0]), q.round);
    return te::Narrow(b, node, y);
  });
}

// An activation that was not fused stands between two quantised values.
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  if (c.real()) {
    TESSERA_ASSIGN(const auto limits, c.ReadLimits(node));
    Node made{.op = Op::kRescale, .inputs = {x}};
    made.least = limits.least.value_or(made.least);
    made.most = limits.most.value_or(made.most);
    return c.EmitReal(std::move(made), node, c.tensor(x).shape);
  }
  TESSERA_ASSIGN(QdqConverter::Sink sink, c.Follow(node));
  // Apply this node's bounds first, then those of the activations that Follow found.
  QdqConverter::Sink first;
  TESSERA_TRY(c.Bound(node, sink.quant, first));
  const int32_t lo = sink.lo, hi = sink.hi;
  sink.lo = std::clamp(first.lo, lo, hi);
  sink.hi = std::clamp(first.hi, lo, hi);
  return c.EmitSink({.op = Op::kRescale, .inputs = {x}}, node, sink, c.tensor(x).shape);
}

template <ActivationFunctionType kFunction>
Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  Node made{.op = Op::kRescale, .inputs = {x}, .attributes = FactorAttributes{.single = true}};
  TESSERA_TRY(c.Bound(kFunction, made));
  return c.Finish(std::move(made), c.tensor(x).shape);
}

// No fused activation has these bounds: the upper one is that of RELU_N1_TO_1.
Status FromReluTo1(Converter& c) {
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  Node made{.op = Op::kRescale, .inputs = {x}, .attributes = FactorAttributes{.single = true}};
  TESSERA_TRY(c.Bound(ActivationFunctionType::RELU_N1_TO_1, made));
  Node half;
  TESSERA_TRY(c.Bound(ActivationFunctionType::RELU, half));
  made.lo = half.lo;
  made.least = half.least;
  return c.Finish(std::move(made), c.tensor(x).shape);
}

constexpr TypePair kTypes[] = {
    {DType::kInt8, DType::kInt8},       {DType::kFloat32, DType::kFloat32},
    {DType::kFloat16, DType::kFloat16}, {DType::kInt8, DType::kUint8},
    {DType::kUint8, DType::kInt8},      {DType::kInt16, DType::kInt16},
    {DType::kInt16, DType::kInt8}};
constexpr OnnxRow kOnnx[] = {{"Relu", FromOnnx}, {"Clip", FromOnnx}};
constexpr TfliteRow kTflite[] = {
    {"RELU", 1, 1, FromTflite<ActivationFunctionType::RELU>},
    {"RELU6", 1, 1, FromTflite<ActivationFunctionType::RELU6>},
    {"RELU_N1_TO_1", 1, 1, FromTflite<ActivationFunctionType::RELU_N1_TO_1>},
    {"RELU_0_TO_1", 1, 1, FromReluTo1},
};

}  // namespace

constinit const OpDef kRescaleDef = {
    .name = "rescale",
    .meaning = "the same real values under another scale, or in another type, clamped",
    .types = kTypes,
    .attributes = Fits<FactorAttributes>,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
};

}  // namespace tessera::ops::rescale_op
