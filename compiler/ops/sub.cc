// SPDX-License-Identifier: Apache-2.0
//
// Difference of two tensors. ONNX Sub; TFLite SUB.
#include "compiler/ops/binary.h"

namespace tessera::ops::sub_op {
namespace {

void Body(RegionBuilder& b, const Node& node) { SumBody(b, node, ir::BinOp::kSub); }

Status FromOnnx(QdqConverter& c, const OnnxNode& node) { return BinaryFromOnnx(c, node, Op::kSub); }

Status FromTflite(Converter& c) {
  return BinaryFromTflite<tflite_file::SubOptions>(
      c, {.op = Op::kSub, .attributes = SumAttributesOf<tflite_file::SubOptions>(c)});
}

constexpr OnnxRow kOnnx[] = {{"Sub", FromOnnx, 2}};
constexpr TfliteRow kTflite[] = {{"SUB", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kSubDef = {
    .name = "sub",
    .meaning = "first less second, of one shape; plain ones of extent 1 repeat",
    .least = 2,
    .most = 2,
    .types = kNumberTypes,
    .shape = BinaryShape,
    .attributes = Fits<graph::SumAttributes>,
    .requant = SumRequant,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
};

}  // namespace tessera::ops::sub_op
