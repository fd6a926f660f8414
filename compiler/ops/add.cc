// SPDX-License-Identifier: Apache-2.0
//
// Sum of two tensors. ONNX Add, Sum, Mean; TFLite ADD.
#include "compiler/ops/binary.h"

namespace tessera::ops::add_op {
namespace {

void Body(RegionBuilder& b, const Node& node) { SumBody(b, node, ir::BinOp::kAdd); }

Status FromOnnx(QdqConverter& c, const OnnxNode& node) { return BinaryFromOnnx(c, node, Op::kAdd); }

Status FromTflite(Converter& c) {
  return BinaryFromTflite<tflite_file::AddOptions>(
      c, {.op = Op::kAdd, .attributes = SumAttributesOf<tflite_file::AddOptions>(c)});
}

Status FromSeveral(QdqConverter& c, const OnnxNode& node) {
  return SeveralFromOnnx(c, node, Op::kAdd, node.op_type == "Mean");
}

constexpr OnnxRow kOnnx[] = {
    {"Add", FromOnnx, 2}, {"Sum", FromSeveral, 1, kNever}, {"Mean", FromSeveral, 1, kNever}};
constexpr TfliteRow kTflite[] = {{"ADD", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kAddDef = {
    .name = "add",
    .meaning = "sum of two tensors of one shape; plain ones of extent 1 repeat",
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

}  // namespace tessera::ops::add_op
