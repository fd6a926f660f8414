// SPDX-License-Identifier: Apache-2.0
//
// Part of a tensor: along each axis a number of indices at equal steps. ONNX Slice, Split.
#include "compiler/ops/slice.h"

#include "compiler/ops/compose.h"

namespace tessera::ops::slice_op {
namespace {

using graph::SliceAttributes;

Result<Shape> ShapeOf(const NodeCheck& node) {
  const auto& axes = node.node.As<SliceAttributes>().axes;
  const Shape& in = node.In(0).shape;
  if (axes.size() != in.size())
    return node.Bad("{} axes are cut, the operand has {}", axes.size(), in.size());
  Shape made;
  for (size_t d = 0; d < in.size(); ++d) {
    const auto& [begin, step, count] = axes[d];
    const int64_t last = begin + step * (count - 1);
    if (count < 1 || std::min(begin, last) < 0 || std::max(begin, last) >= in[d])
      return node.Bad("{} from {} on by {} of axis {} with extent {}", count, begin, step, d,
                      in[d]);
    made.push_back(count);
  }
  return made;
}

Status Check(const NodeCheck& node) { return node.KeepsScale(); }

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  const auto& axes = node.As<SliceAttributes>().axes;
  b.SetValue(node.output, te::Compute(b.Name(out.name), out.shape, {}, [&](const Indices& i) {
               Indices from = i;
               for (size_t d = 0; d < i.size(); ++d) {
                 if (axes[d].step != 1) from[d] = from[d] * Expr(axes[d].step);
                 if (axes[d].begin != 0) from[d] = from[d] + Expr(axes[d].begin);
               }
               return x(from);
             }));
}

Status FromSlice(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  const Shape in = c.tensor(x).shape;
  std::vector<int64_t> lists[4] = {node.Ints("starts"), node.Ints("ends"), node.Ints("axes"), {}};
  for (size_t k = 0; k < 4 && node.inputs.size() > 1; ++k) {
    if (!QdqConverter::Has(node, k + 1)) continue;
    TESSERA_ASSIGN(lists[k], c.Integers(node, k + 1));
  }
  auto& [starts, ends, axes, steps] = lists;
  if (starts.empty() || ends.size() != starts.size() ||
      (!axes.empty() && axes.size() != starts.size()) ||
      (!steps.empty() && steps.size() != starts.size())) {
    return Fail(Code::kInvalidArgument, "{}: {} starts, {} ends, {} axes and {} steps",
                node.Place(), starts.size(), ends.size(), axes.size(), steps.size());
  }
  SliceAttributes made = Whole(in);
  Shape shape = in;
  for (size_t k = 0; k < starts.size(); ++k) {
    const int64_t rank = std::ssize(in);
    int64_t axis = axes.empty() ? static_cast<int64_t>(k) : axes[k];
    if (axis < 0) axis += rank;
    const int64_t step = steps.empty() ? 1 : steps[k];
    if (axis < 0 || axis >= rank || step == 0)
      return Fail(Code::kInvalidArgument, "{}: axis {} of shape {}, step {}", node.Place(), axis,
                  ShapeText(in), step);
    const auto d = static_cast<size_t>(axis);
    made.axes[d] = CutOf(starts[k], ends[k], step, in[d]);
    shape[d] = made.axes[d].count;
    if (shape[d] == 0)
      return Fail(Code::kUnsupported, "{}: nothing is left of axis {} with extent {}", node.Place(),
                  axis, in[d]);
  }
  return c.EmitReal({.op = Op::kSlice, .inputs = {x}, .attributes = made}, node, shape);
}

// Consecutive parts along an axis. The lengths come from attribute or input split, or are as equal
// as possible.
Status FromSplit(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  const Shape in = c.tensor(x).shape;
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, node.IntOr("axis", 0), in));
  std::vector<int64_t> parts = node.Ints("split");
  if (QdqConverter::Has(node, 1)) {
    TESSERA_ASSIGN(parts, c.Integers(node, 1));
  }
  const int64_t results = std::ssize(node.outputs);
  const int64_t each = (in[axis] + results - 1) / results;
  for (int64_t k = 0, left = in[axis]; parts.size() < node.outputs.size(); ++k) {
    parts.push_back(std::min(each, left));
    left -= parts.back();
  }
  int64_t begin = 0;
  for (const int64_t part : parts) begin += part;
  if (parts.size() != node.outputs.size() || begin != in[axis] ||
      std::ranges::any_of(parts, [](int64_t p) { return p < 1; })) {
    return Fail(Code::kInvalidArgument, "{}: parts {} of extent {}", node.Place(), ShapeText(parts),
                in[axis]);
  }
  begin = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    SliceAttributes made = Whole(in);
    made.axes[axis] = {begin, 1, parts[k]};
    begin += parts[k];
    if (node.outputs[k].empty()) continue;
    OnnxNode one = node;
    one.outputs = {node.outputs[k]};
    one.name += fmt::format(".{}", k);
    Shape shape = in;
    shape[axis] = parts[k];
    TESSERA_TRY(c.EmitReal({.op = Op::kSlice, .inputs = {x}, .attributes = made}, one, shape));
  }
  return {};
}

void MakeExample(Example& example) {
  const Shape& in = example.first().shape;
  SliceAttributes made = Whole(in);
  made.axes.back() = {1, 1, std::max<int64_t>(in.back() - 1, 1)};
  if (in.back() == 1) made.axes.back().begin = 0;
  example.node.attributes = made;
  example.KeepScale();
}

constexpr OnnxRow kOnnx[] = {{"Slice", FromSlice, 1, graph::OnnxWhen::kAlways},
                             {"Split", FromSplit, 1, graph::OnnxWhen::kAlways}};

}  // namespace

constinit const OpDef kSliceDef = {
    .name = "slice",
    .meaning = "of each axis some indices, at equal steps",
    .category = Category::kInjective,
    .types = kAnyTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<SliceAttributes>,
    .body = Body,
    .onnx = kOnnx,
    .example = MakeExample,
};

}  // namespace tessera::ops::slice_op

namespace tessera::ops {

graph::SliceAttributes Whole(const Shape& shape) {
  graph::SliceAttributes made;
  for (const int64_t extent : shape) made.axes.push_back({0, 1, extent});
  return made;
}

graph::AxisCut CutOf(int64_t start, int64_t end, int64_t step, int64_t extent) {
  const bool back = step < 0;
  const int64_t least = back ? -1 : 0, most = back ? extent - 1 : extent;
  const auto inside = [&](int64_t at) {
    if (at < 0) at = at < -extent ? -1 - (back ? 0 : extent) : at + extent;
    return std::clamp(at, least, most);
  };
  const int64_t from = inside(start), to = inside(end);
  const int64_t way = back ? from - to : to - from,
                size = back ? -std::max(step, -extent - 1) : std::min(step, extent + 1);
  return {from, back ? -size : size, way <= 0 ? 0 : (way + size - 1) / size};
}

}  // namespace tessera::ops
