// SPDX-License-Identifier: Apache-2.0
//
// Int8 or int16 to floats. ONNX DequantizeLinear; TFLite DEQUANTIZE.
#include "compiler/ops/unit.h"

namespace tessera::ops::dequantize_op {
namespace {

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const Quant& quant = *b.graph().tensor(node.inputs[0]).quant;
  te::Elements(b, node, [&](const Indices& i) {
    return te::Real(b, node,
                    ir::Cast(DType::kFloat32, Wide(x(i)) - I32(quant.zero[0])) *
                        ir::ImmF32(static_cast<float>(quant.scale[0])));
  });
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) { return c.Dequantize(node); }

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  if (from->constant() && tflite_model::FloatType(from->type)) return c.FinishConstant();
  if (const bool half = from->type == tflite_model::TensorType::FLOAT16; half) {
    TESSERA_ASSIGN(const TensorId x, c.Activation(0, from->type));
    return c.Finish({.op = Op::kCast, .inputs = {x}}, c.tensor(x).shape);
  }
  TESSERA_ASSIGN(const TensorId x, c.Activation(0, tflite_model::TensorType::INT8));
  return c.Finish({.op = Op::kDequantize, .inputs = {x}}, c.tensor(x).shape);
}

constexpr TypePair kTypes[] = {{DType::kInt8, DType::kFloat32},
                               {DType::kInt8, DType::kFloat16},
                               {DType::kInt16, DType::kFloat32}};
constexpr OnnxRow kOnnx[] = {{"DequantizeLinear", FromOnnx}};
constexpr TfliteRow kTflite[] = {{"DEQUANTIZE", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kDequantizeDef = {
    .name = "dequantize",
    .meaning = "int8 or int16 to float: (q - zero point) * scale",
    .types = kTypes,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
};

}  // namespace tessera::ops::dequantize_op
