// SPDX-License-Identifier: Apache-2.0
//
// Tests of one plain value: NaN, infinite, false. ONNX IsNaN, IsInf, Not; TFLite LOGICAL_NOT.
#include <limits>

#include "compiler/ops/functions.h"

namespace tessera::ops::truths_op {
namespace {

using graph::InfinityAttributes;

constexpr TypePair kOfFloats[] = {{DType::kFloat32, DType::kBool}, {DType::kFloat16, DType::kBool}};
constexpr TypePair kOfBools[] = {{DType::kBool, DType::kBool}};

Expr Infinite(const Expr& x, const InfinityAttributes& of) {
  const Expr least = ir::ImmF32(-std::numeric_limits<float>::infinity()),
             most = ir::ImmF32(std::numeric_limits<float>::infinity());
  const Expr none = ir::Imm(DType::kBool, 0);
  return ir::Bin(ir::BinOp::kOr, of.negative ? ir::Eq(x, least) : none,
                 of.positive ? ir::Eq(x, most) : none);
}

void IsNanBody(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  te::Elements(b, node,
               [&](const Indices& i) { return ir::Bin(ir::BinOp::kNe, Wide(x(i)), Wide(x(i))); });
}
void IsInfBody(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  te::Elements(b, node, [&](const Indices& i) {
    return Infinite(Wide(x(i)), node.As<InfinityAttributes>());
  });
}
void NotBody(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  te::Elements(b, node, [&](const Indices& i) { return ir::Not(x(i)); });
}

std::string InfinityText(const Node& node) {
  const auto& of = node.As<InfinityAttributes>();
  return of.negative && of.positive ? "" : of.negative ? " negative" : " positive";
}

Status FromIsInf(QdqConverter& c, const OnnxNode& node) {
  const InfinityAttributes of{.negative = node.IntOr("detect_negative", 1) != 0,
                              .positive = node.IntOr("detect_positive", 1) != 0};
  return UnaryFromOnnx(c, node, {.op = Op::kIsInf, .attributes = of});
}

constexpr OnnxRow kIsNanRows[] = {{"IsNaN", FunctionFromOnnx<Op::kIsNan>, 1, kNever}};
constexpr OnnxRow kIsInfRows[] = {{"IsInf", FromIsInf, 1, kNever}};
constexpr OnnxRow kNotRows[] = {{"Not", FunctionFromOnnx<Op::kNot>, 1, kNever}};
constexpr TfliteRow kNotTflite[] = {{"LOGICAL_NOT", 1, 1, PlainFromTflite<Op::kNot>}};

}  // namespace

constinit const OpDef kIsNanDef = {.name = "isnan",
                                   .meaning = "whether it is a NaN",
                                   .types = kOfFloats,
                                   .body = IsNanBody,
                                   .onnx = kIsNanRows};
constinit const OpDef kIsInfDef = {.name = "isinf",
                                   .meaning = "whether it is infinite, of one sign or any",
                                   .types = kOfFloats,
                                   .attributes = Fits<InfinityAttributes>,
                                   .text = InfinityText,
                                   .body = IsInfBody,
                                   .onnx = kIsInfRows};
constinit const OpDef kNotDef = {.name = "not",
                                 .meaning = "whether it is false",
                                 .types = kOfBools,
                                 .body = NotBody,
                                 .onnx = kNotRows,
                                 .tflite = kNotTflite};

}  // namespace tessera::ops::truths_op
