// SPDX-License-Identifier: Apache-2.0
//
// A tensor repeated along its axes. ONNX Expand, Tile.
#include "compiler/ops/binary.h"

namespace tessera::ops::repeat_op {
namespace {

// Any shape to which the operand repeats: the operand does not determine the result's shape.
Result<Shape> ShapeOf(const NodeCheck& node) {
  const Shape &in = node.In(0).shape, &out = node.Out().shape;
  bool fits = out.size() >= in.size();
  for (size_t k = 1; fits && k <= in.size(); ++k)
    fits = out[out.size() - k] % in[in.size() - k] == 0;
  if (!fits) return node.Bad("{} does not repeat to {}", ShapeText(in), ShapeText(out));
  return out;
}

Status Check(const NodeCheck& node) { return node.KeepsScale(); }

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  b.SetValue(node.output, te::Compute(b.Name(out.name), out.shape, {}, [&](const Indices& i) {
               const size_t before = out.shape.size() - x.shape().size();
               Indices from(i.begin() + static_cast<int64_t>(before), i.end());
               for (size_t d = 0; d < from.size(); ++d) {
                 const int64_t extent = x.shape()[d];
                 if (extent == out.shape[before + d]) continue;
                 from[d] = extent == 1 ? Expr(0) : ir::FloorMod(from[d], Expr(extent));
               }
               return x(from);
             }));
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  const Shape in = c.tensor(x).shape;
  TESSERA_ASSIGN(const std::vector<int64_t> given, c.Integers(node, 1));
  Shape shape;
  if (node.op_type == "Expand") {
    const auto made = RepeatedShape(in, given);
    if (!made)
      return Fail(Code::kInvalidArgument, "{}: {} does not repeat to {}", node.Place(),
                  ShapeText(in), ShapeText(given));
    shape = *made;
  } else {
    if (given.size() != in.size() ||
        std::ranges::any_of(given, [](int64_t n) { return n < 1 || n > 1 << 24; }))
      return Fail(Code::kInvalidArgument, "{}: {} times shape {}", node.Place(), ShapeText(given),
                  ShapeText(in));
    for (size_t d = 0; d < in.size(); ++d) shape.push_back(in[d] * given[d]);
  }
  if (shape == in) {
    c.SetReal(node.outputs[0], x);
    return {};
  }
  return c.EmitReal({.op = Op::kRepeat, .inputs = {x}}, node, shape);
}

void MakeExample(Example& example) {
  Shape shape = example.first().shape;
  shape.back() *= example.draw(2, 3);
  example.shape = shape;
  example.KeepScale();
}

constexpr OnnxRow kOnnx[] = {{"Expand", FromOnnx, 1, graph::OnnxWhen::kAlways},
                             {"Tile", FromOnnx, 1, graph::OnnxWhen::kAlways}};

}  // namespace

constinit const OpDef kRepeatDef = {
    .name = "repeat",
    .meaning = "the tensor again and again along its axes, and along new ones in front",
    .category = Category::kInjective,
    .types = kAnyTypes,
    .shape = ShapeOf,
    .check = Check,
    .body = Body,
    .onnx = kOnnx,
    .example = MakeExample,
};

}  // namespace tessera::ops::repeat_op
