// SPDX-License-Identifier: Apache-2.0
//
// Floats to int8 or int16. ONNX QuantizeLinear; TFLite QUANTIZE.
#include "compiler/ops/unit.h"

namespace tessera::ops::quantize_op {
namespace {

// Rounds half away from zero: half to even, corrected where a tie went towards zero. x - even is
// exact.
Expr RoundAway(Expr x) {
  const Expr even = ir::RoundEven(x), zero = ir::ImmF32(0);
  const Expr rest = x - even;
  const Expr up = ir::And(ir::Eq(rest, ir::ImmF32(0.5)), ir::Lt(zero, x));
  const Expr down = ir::And(ir::Eq(rest, ir::ImmF32(-0.5)), ir::Lt(x, zero));
  return ir::Select(up, even + ir::ImmF32(1), ir::Select(down, even - ir::ImmF32(1), even));
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  const Quant& quant = *out.quant;
  const auto [lo, hi] = LimitsOf(out.dtype);
  const float far = 4 * static_cast<float>(hi + 1);
  const float scale = static_cast<float>(quant.scale[0]);
  te::Elements(b, node, [&](const Indices& i) {
    const Expr q = ir::Bin(ir::BinOp::kDiv, Wide(x(i)), ir::ImmF32(scale));
    const Expr whole = node.round == isa::Round::kTflite ? RoundAway(q) : ir::RoundEven(q);
    // Saturate in float first: a cast of a far value could overflow when the zero point is added.
    const Expr bounded = ir::Clamp(whole, ir::ImmF32(-far), ir::ImmF32(far));
    return ir::Cast(out.dtype, ir::ClampAdd(ir::Cast(DType::kInt32, bounded), I32(quant.zero[0]),
                                            I32(lo), I32(hi)));
  });
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) { return c.Quantize(node); }

// On quantised values QUANTIZE changes the scale.
Status FromTflite(Converter& c) {
  using tflite_model::TensorType;
  TESSERA_ASSIGN(const auto* from, c.In(0));
  const bool real = from->type == TensorType::FLOAT32;
  TESSERA_ASSIGN(const TensorId x, c.Activation(0, real ? TensorType::FLOAT32 : TensorType::INT8));
  return c.Finish({.op = real ? Op::kQuantize : Op::kRescale, .inputs = {x}}, c.tensor(x).shape);
}

constexpr TypePair kTypes[] = {{DType::kFloat32, DType::kInt8},
                               {DType::kFloat16, DType::kInt8},
                               {DType::kFloat32, DType::kInt16}};
constexpr OnnxRow kOnnx[] = {{"QuantizeLinear", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"QUANTIZE", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kQuantizeDef = {
    .name = "quantize",
    .meaning =
        "float to int8 or int16: x / scale, rounded half to even (half away from zero with tflite "
        "rounding), plus zero point, saturated",
    .types = kTypes,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
};

}  // namespace tessera::ops::quantize_op
