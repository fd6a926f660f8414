// SPDX-License-Identifier: Apache-2.0
//
// Index of the greatest or least value along an axis. ONNX ArgMax, ArgMin.
#include "compiler/ops/reduce.h"

namespace tessera::ops::argmax_op {
namespace {

using graph::ArgAttributes;

Result<Shape> ShapeOf(const NodeCheck& node) {
  Shape made = node.In(0).shape;
  const int axis = node.node.As<ArgAttributes>().axis;
  if (axis < 0 || axis >= static_cast<int>(made.size()))
    return node.Bad("axis {} of {}", axis, made.size());
  made[static_cast<size_t>(axis)] = 1;
  return made;
}

// Finds the extreme value, then the first (or last) index that holds it.
template <bool kGreatest>
void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  const auto& [along, last] = node.As<ArgAttributes>();
  const auto axis = static_cast<size_t>(along);
  const Axis k = te::ReduceAxis("k", x.shape()[axis]), l = te::ReduceAxis("l", x.shape()[axis]);
  const auto at = [&](Indices i, const Expr& where) {
    i[axis] = where;
    return Wide(x(i));
  };
  const te::Tensor extreme =
      te::Compute(b.Name(out.name + ".value"), out.shape, {}, [&](const Indices& i) {
        return kGreatest ? te::MaxOf(at(i, k.var), {k}) : te::MinOf(at(i, k.var), {k});
      });
  const Expr none = Expr(last ? int64_t{-1} : x.shape()[axis]);
  const te::Tensor index =
      te::Compute(b.Name(out.name + ".index"), out.shape, {}, [&, last = last](const Indices& i) {
        const Expr here = ir::Select(ir::Eq(at(i, l.var), extreme(i)), l.var, none);
        return last ? te::MaxOf(here, {l}) : te::MinOf(here, {l});
      });
  te::Elements(b, node, [&](const Indices& i) { return ir::Cast(out.dtype, index(i)); });
}

template <Op kOp>
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Operand(node, 0));
  Shape shape = c.tensor(x).shape;
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, node.IntOr("axis", 0), shape));
  shape[axis] = 1;
  Composer make(c, node);
  const ArgAttributes how{static_cast<int>(axis), node.IntOr("select_last_index", 0) != 0};
  TESSERA_ASSIGN(x, make({.op = kOp, .inputs = {x}, .attributes = how}, shape, DType::kInt64));
  if (node.IntOr("keepdims", 1) == 0) {
    shape.erase(shape.begin() + static_cast<int64_t>(axis));
    TESSERA_ASSIGN(x, make.Reshape(x, shape));
  }
  return make.Finish(x);
}

constexpr OnnxRow kMaxRows[] = {{"ArgMax", FromOnnx<Op::kArgMax>, 1, kNever}};
constexpr OnnxRow kMinRows[] = {{"ArgMin", FromOnnx<Op::kArgMin>, 1, kNever}};

void MakeExample(Example& example) {
  example.node.attributes =
      ArgAttributes{static_cast<int>(example.first().shape.size()) - 1, false};
}

}  // namespace

constinit const OpDef kArgMaxDef = {
    .name = "argmax",
    .meaning = "the index of the greatest along an axis, the first or last of equals",
    .category = Category::kOpaque,
    .types = kIndexTypes,
    .shape = ShapeOf,
    .attributes = Fits<ArgAttributes>,
    .body = Body<true>,
    .onnx = kMaxRows,
    .example = MakeExample,
};
constinit const OpDef kArgMinDef = {
    .name = "argmin",
    .meaning = "the index of the least along an axis, the first or last of equals",
    .category = Category::kOpaque,
    .types = kIndexTypes,
    .shape = ShapeOf,
    .attributes = Fits<ArgAttributes>,
    .body = Body<false>,
    .onnx = kMinRows,
    .example = MakeExample,
};

}  // namespace tessera::ops::argmax_op
