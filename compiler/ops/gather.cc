// SPDX-License-Identifier: Apache-2.0
//
// Elements selected by a tensor of indices. ONNX Gather, GatherElements, GatherND.
#include "compiler/ops/compose.h"

namespace tessera::ops::gather_op {
namespace {

using graph::GatherAttributes;
using enum GatherAttributes::Form;

Result<Shape> Made(const Shape& x, const Shape& at, const GatherAttributes& how) {
  const auto axis = static_cast<size_t>(how.axis);
  const auto bad = [&] {
    return Fail(Code::kInvalidArgument, "shape {} is not pointed at by indices of shape {}",
                ShapeText(x), ShapeText(at));
  };
  Shape made;
  switch (how.form) {
    case kSlices:
      if (axis >= x.size()) return bad();
      made.assign(x.begin(), x.begin() + how.axis);
      made.insert(made.end(), at.begin(), at.end());
      made.insert(made.end(), x.begin() + how.axis + 1, x.end());
      return made;
    case kElements:
      if (axis >= x.size() || at.size() != x.size()) return bad();
      for (size_t d = 0; d < x.size(); ++d) {
        if (d != axis && at[d] > x[d]) return bad();
      }
      return at;
    case kPoints: {  // the first |axis| axes are batch axes
      if (at.empty() || axis >= at.size() || axis >= x.size()) return bad();
      const auto pointed = static_cast<size_t>(at.back());
      if (axis + pointed > x.size() || !std::equal(at.begin(), at.begin() + how.axis, x.begin()))
        return bad();
      made.assign(at.begin(), at.end() - 1);
      made.insert(made.end(), x.begin() + how.axis + at.back(), x.end());
      return made;
    }
  }
  return bad();
}

Result<Shape> ShapeOf(const NodeCheck& node) {
  if (node.In(1).dtype != DType::kInt64 && node.In(1).dtype != DType::kInt32)
    return node.Bad("indices of {}", Text(node.In(1).dtype));
  const auto made = Made(node.In(0).shape, node.In(1).shape, node.node.As<GatherAttributes>());
  if (made) return *made;
  return node.Bad("{}", made.error().message);
}

Status Check(const NodeCheck& node) {
  if (node.In(0).quant != node.Out().quant)
    return node.Bad("{} and its result have different scales", node.In(0).name);
  return {};
}

// A negative index counts from the end. An index outside reads the nearest element: input data must
// not make the program read outside of the tensor.
Expr Inside(Expr at, int64_t extent) {
  const Expr wide = ir::Cast(DType::kInt64, at);
  const Expr from_start = ir::Select(ir::Lt(wide, Expr(0)), wide + Expr(extent), wide);
  return ir::Clamp(from_start, Expr(0), Expr(extent - 1));
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]), at = b.Value(node.inputs[1]);
  const GraphTensor& out = b.graph().tensor(node.output);
  const auto& [form, along] = node.As<GatherAttributes>();
  const auto axis = static_cast<size_t>(along);
  b.SetValue(node.output,
             te::Compute(b.Name(out.name), out.shape, {}, [&, form = form](const Indices& i) {
               Indices from;
               if (form == kElements) {
                 from = i;
                 from[axis] = Inside(at(i), x.shape()[axis]);
                 return x(from);
               }
               if (form == kSlices) {
                 const size_t width = at.shape().size();
                 const auto first = i.begin() + along, last = first + static_cast<int64_t>(width);
                 from.assign(i.begin(), first);
                 from.push_back(Inside(at(Indices(first, last)), x.shape()[axis]));
                 from.insert(from.end(), last, i.end());
                 return x(from);
               }
               const size_t rows = at.shape().size() - 1;
               Indices where(i.begin(), i.begin() + static_cast<int64_t>(rows));
               from.assign(i.begin(), i.begin() + along);
               where.push_back(Expr(0));
               for (int64_t k = 0; k < at.shape().back(); ++k) {
                 where.back() = Expr(k);
                 from.push_back(Inside(at(where), x.shape()[axis + static_cast<size_t>(k)]));
               }
               from.insert(from.end(), i.begin() + static_cast<int64_t>(rows), i.end());
               return x(from);
             }));
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  TESSERA_ASSIGN(const TensorId at, c.Plain(node, 1));
  const Shape in = c.tensor(x).shape;
  GatherAttributes how{kSlices, 0};
  if (node.op_type == "GatherND") {
    how = {kPoints, static_cast<int>(node.IntOr("batch_dims", 0))};
    if (how.axis < 0)
      return Fail(Code::kInvalidArgument, "{}: batch_dims {}", node.Place(), how.axis);
  } else {
    TESSERA_ASSIGN(const size_t axis, AxisOf(node, node.IntOr("axis", 0), in));
    how.axis = static_cast<int>(axis);
    if (node.op_type == "GatherElements") how.form = kElements;
  }
  const Result<Shape> shape = Made(in, c.tensor(at).shape, how);
  if (!shape) return Within(node.Place(), shape.error());
  return c.EmitReal({.op = Op::kGather, .inputs = {x, at}, .attributes = how}, node, *shape);
}

// Indices 0 and -1 along the last axis.
void MakeExample(Example& example) {
  const size_t rank = example.first().shape.size();
  GraphTensor at{.name = "at", .dtype = DType::kInt64, .shape = {2}};
  at.data = std::vector<uint8_t>(8, 0);
  at.data->insert(at.data->end(), 8, 0xff);
  example.node.inputs.push_back(example.graph.AddTensor(std::move(at)));
  example.node.attributes = GatherAttributes{kSlices, static_cast<int>(rank) - 1};
  example.KeepScale();
}

constexpr OnnxRow kOnnx[] = {{"Gather", FromOnnx, 1, graph::OnnxWhen::kAlways},
                             {"GatherElements", FromOnnx, 1, graph::OnnxWhen::kAlways},
                             {"GatherND", FromOnnx, 1, graph::OnnxWhen::kAlways}};

}  // namespace

constinit const OpDef kGatherDef = {
    .name = "gather",
    .meaning = "elements that a tensor of indices points at; those outside read the nearest",
    .category = Category::kOpaque,
    .least = 2,
    .most = 2,
    .types = kAnyTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<GatherAttributes>,
    .body = Body,
    .onnx = kOnnx,
    .example = MakeExample,
};

}  // namespace tessera::ops::gather_op
