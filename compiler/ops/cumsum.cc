// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums along an axis, of plain values. ONNX CumSum; TFLite CUMSUM.
#include "compiler/ops/compose.h"

namespace tessera::ops::cumsum_op {
namespace {

struct CumSumAttributes {
  int axis = 0;
  bool exclusive = false;  // excludes the element itself
  bool reverse = false;    // from the end
};

Result<Shape> ShapeOf(const NodeCheck& node) {
  const Shape& in = node.In(0).shape;
  const int axis = node.node.As<CumSumAttributes>().axis;
  if (axis < 0 || axis >= static_cast<int>(in.size()))
    return node.Bad("axis {} of {}", axis, in.size());
  return in;
}

Status Check(const NodeCheck& node) { return node.Plain(); }

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  const auto& [along, exclusive, reverse] = node.As<CumSumAttributes>();
  const auto axis = static_cast<size_t>(along);
  const Axis k = te::ReduceAxis("k", x.shape()[axis]);
  const te::Tensor sum =
      te::Compute(b.Name(out.name + ".sum"), out.shape, {},
                  [&, exclusive = exclusive, reverse = reverse](const Indices& i) {
                    Indices from = i;
                    from[axis] = k.var;
                    const Expr low = reverse ? i[axis] : k.var, high = reverse ? k.var : i[axis];
                    const Expr value = Wide(x(from));
                    return te::Sum(ir::Select(exclusive ? ir::Lt(low, high) : ir::Le(low, high),
                                              value, ir::Const(value.dtype(), 0)),
                                   {k});
                  });
  te::Elements(b, node, [&](const Indices& i) { return te::Real(b, node, sum(i)); });
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Plain(node, 0));
  TESSERA_ASSIGN(const std::vector<int64_t> given, c.Integers(node, 1));
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, given.empty() ? 0 : given[0], c.tensor(x).shape));
  const CumSumAttributes how{static_cast<int>(axis), node.IntOr("exclusive", 0) != 0,
                             node.IntOr("reverse", 0) != 0};
  return c.EmitReal({.op = Op::kCumSum, .inputs = {x}, .attributes = how}, node, c.tensor(x).shape);
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::CumsumOptions>());
  if (!c.real())
    return c.Unsupported("its result {} is quantised; plain values are supported", c.Out().Place());
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const std::vector<int64_t> given, c.Integers(1));
  const Shape shape = c.tensor(x).shape;
  const int64_t rank = std::ssize(shape);
  if (given.size() != 1 || given[0] < -rank || given[0] >= rank)
    return c.Invalid("axes {} of {}", ShapeText(given), rank);
  const int64_t axis = given[0] < 0 ? given[0] + rank : given[0];
  const CumSumAttributes how{tflite_model::GraphAxis(shape.size(), static_cast<int>(axis)),
                             options->exclusive(), options->reverse()};
  return c.Finish({.op = Op::kCumSum, .inputs = {x}, .attributes = how}, shape);
}

void MakeExample(Example& example) {
  example.node.attributes =
      CumSumAttributes{.axis = static_cast<int>(example.first().shape.size()) - 1,
                       .exclusive = example.draw(0, 1) == 1,
                       .reverse = example.draw(0, 1) == 1};
}

constexpr OnnxRow kOnnx[] = {{"CumSum", FromOnnx, 1, kNever}};
constexpr TfliteRow kTflite[] = {{"CUMSUM", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kCumSumDef = {
    .name = "cumsum",
    .meaning = "sums of the elements up to each along an axis",
    .category = Category::kOpaque,
    .types = kPlainNumbers,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<CumSumAttributes>,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::cumsum_op
