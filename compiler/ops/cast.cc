// SPDX-License-Identifier: Apache-2.0
//
// The same numbers in another type. ONNX Cast, CastLike; TFLite CAST.
#include <array>

#include "compiler/ops/unit.h"

namespace tessera::ops::cast_op {
namespace {

// Every pair of types; by default the result has the operand's type.
constexpr auto kTypes = [] {
  std::array<TypePair, kDTypes.size() * kDTypes.size()> pairs{};
  size_t at = 0;
  for (const DType from : kDTypes) {
    pairs[at++] = {from, from};
    for (const DType to : kDTypes) {
      if (to != from) pairs[at++] = {from, to};
    }
  }
  return pairs;
}();

Status Check(const NodeCheck& node) {
  if (node.In(0).quant || node.Out().quant)
    return node.Bad("a cast of integers that stand for real numbers");
  return {};
}

// A float is truncated towards zero and saturated; as a bool it is true unless it is 0.
void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const DType to = b.graph().tensor(node.output).dtype;
  te::Elements(b, node, [&](const Indices& i) { return ir::Cast(to, x(i)); });
}

std::optional<DType> TypeOfCode(int64_t onnx) {
  switch (onnx) {  // numbers of TensorProto.DataType in onnx.proto
    case 1:
      return DType::kFloat32;
    case 2:
      return DType::kUint8;
    case 3:
      return DType::kInt8;
    case 5:
      return DType::kInt16;
    case 6:
      return DType::kInt32;
    case 7:
      return DType::kInt64;
    case 9:
      return DType::kBool;
    case 10:
      return DType::kFloat16;
    default:
      return std::nullopt;
  }
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  std::optional<DType> to;
  if (node.op_type == "CastLike") {
    TESSERA_ASSIGN(const TensorId like, c.Plain(node, 1));
    to = c.tensor(like).dtype;
  } else {
    to = TypeOfCode(node.IntOr("to", 0));
  }
  if (!to) {
    return Fail(
        Code::kUnsupported,
        "{}: to type {}; float32 (1), uint8 (2), int8 (3), int16 (5), int32 (6), int64 (7), "
        "bool (9) and float16 (10) are supported",
        node.Place(), node.IntOr("to", 0));
  }
  if (*to == c.tensor(x).dtype) {
    c.SetReal(node.outputs[0], x);
    return {};
  }
  return c.EmitPlain({.op = Op::kCast, .inputs = {x}}, node, *to, c.tensor(x).shape);
}

constexpr OnnxRow kOnnx[] = {{"Cast", FromOnnx, 1, kNever}, {"CastLike", FromOnnx, 1, kNever}};

}  // namespace

constinit const OpDef kCastDef = {
    .name = "cast",
    .meaning = "the same numbers in another type; floats to integers towards zero, saturated",
    .types = kTypes,
    .check = Check,
    .body = Body,
    .onnx = kOnnx,
};

}  // namespace tessera::ops::cast_op
