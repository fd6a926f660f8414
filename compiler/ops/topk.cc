// SPDX-License-Identifier: Apache-2.0
//
// Indices of the greatest or least elements along an axis, in order. The rank of an element is the
// number of elements before it; element r of the result has rank r. ONNX TopK; TFLite TOPK_V2.
#include "compiler/ops/topk.h"

#include "compiler/ops/reduce.h"

namespace tessera::ops::topk_op {
namespace {

constexpr int64_t kMostExtent = 1 << 16;  // an axis takes extent^2 comparisons

struct TopKAttributes {
  int axis = 0;
  int64_t count = 1;
  bool greatest = true;
};

Result<Shape> ShapeOf(const NodeCheck& node) {
  Shape made = node.In(0).shape;
  const auto& [axis, count, _] = node.node.As<TopKAttributes>();
  if (axis < 0 || axis >= static_cast<int>(made.size()))
    return node.Bad("axis {} of {}", axis, made.size());
  int64_t& extent = made[static_cast<size_t>(axis)];
  if (count < 1 || count > extent) return node.Bad("{} of {} elements", count, extent);
  extent = count;
  return made;
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  const auto& how = node.As<TopKAttributes>();
  const auto axis = static_cast<size_t>(how.axis);
  const Axis j = te::ReduceAxis("j", x.shape()[axis]), k = te::ReduceAxis("k", x.shape()[axis]);
  const auto at = [&](const te::Tensor& t, Indices i, const Expr& where) {
    i[axis] = where;
    return Wide(t(i));
  };
  const te::Tensor rank =
      te::Compute(b.Name(out.name + ".rank"), x.shape(), {}, [&](const Indices& i) {
        const Expr own = at(x, i, i[axis]), other = at(x, i, j.var);
        const Expr ahead = how.greatest ? ir::Lt(own, other) : ir::Lt(other, own);
        const Expr equal = ir::And(ir::Eq(own, other), ir::Lt(j.var, i[axis]));
        return te::Sum(ir::Select(ir::Bin(ir::BinOp::kOr, ahead, equal), I32(1), I32(0)), {j});
      });
  const te::Tensor index =
      te::Compute(b.Name(out.name + ".index"), out.shape, {}, [&](const Indices& i) {
        const Expr here = ir::Eq(at(rank, i, k.var), ir::Cast(DType::kInt32, i[axis]));
        return te::Sum(ir::Select(here, k.var, Expr(0)), {k});
      });
  te::Elements(b, node, [&](const Indices& i) { return ir::Cast(out.dtype, index(i)); });
}

// Inputs: the tensor and, from opset 10 on, the count.
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, node.IntOr("axis", -1), c.tensor(x).shape));
  std::vector<int64_t> count{node.IntOr("k", 0)};
  if (QdqConverter::Has(node, 1)) {
    TESSERA_ASSIGN(count, c.Integers(node, 1));
  }
  Composer make(c, node);
  if (count.size() != 1) return make.Bad(Code::kInvalidArgument, "{} counts", count.size());
  TESSERA_ASSIGN(const TopElements top,
                 TopOf(make, x, axis, count[0], node.IntOr("largest", 1) != 0, DType::kInt64));
  TESSERA_TRY(make.Finish(top.indices, 1));
  return make.Finish(top.values);
}

// Along the last axis.
Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const std::vector<int64_t> count, c.Integers(1));
  if (count.size() != 1 || from->shape.empty())
    return c.Invalid("{} counts of {} with shape {}", count.size(), from->Place(),
                     ShapeText(from->shape));
  TESSERA_TRY(c.SameScale(x));
  const int rank = static_cast<int>(from->shape.size());
  const int axis = tflite_model::GraphAxis(from->shape.size(), rank - 1);
  if (count[0] < 1 || count[0] > from->shape.back() || from->shape.back() > kMostExtent)
    return c.Unsupported("{} of {} elements; 1 to all of at most {} are supported", count[0],
                         from->shape.back(), kMostExtent);
  Shape file = from->shape;
  file.back() = count[0];
  const Shape shape = tflite_model::GraphShape(file);
  TESSERA_ASSIGN(
      const TensorId at,
      c.Emit({.op = Op::kTopK, .inputs = {x}, .attributes = TopKAttributes{axis, count[0], true}},
             ".indices", std::nullopt, shape, DType::kInt32));
  const graph::GatherAttributes beside{graph::GatherAttributes::Form::kElements, axis};
  TESSERA_TRY(c.Finish({.op = Op::kGather, .inputs = {x, at}, .attributes = beside}, shape));
  if (c.op().outputs.size() < 2) return {};
  c.Select(1);
  return c.Finish({.op = Op::kReshape, .inputs = {at}}, shape);
}

void MakeExample(Example& example) {
  const Shape& in = example.first().shape;
  example.node.attributes = TopKAttributes{static_cast<int>(in.size()) - 1,
                                           example.draw(1, in.back()), example.draw(0, 1) == 0};
}

constexpr OnnxRow kOnnx[] = {{"TopK", FromOnnx, 1, kNever}};
constexpr TfliteRow kTflite[] = {{"TOPK_V2", 2, 2, FromTflite, 2}};

}  // namespace

constinit const OpDef kTopKDef = {
    .name = "topk",
    .meaning = "the indices of the greatest or least along an axis, in order, of equals the lower",
    .category = Category::kOpaque,
    .types = kIndexTypes,
    .shape = ShapeOf,
    .attributes = Fits<TopKAttributes>,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::topk_op

namespace tessera::ops {

Result<TopElements> TopOf(Composer& make, TensorId x, size_t axis, int64_t count, bool greatest,
                          DType type) {
  Shape shape = make.shape(x);
  if (count < 1 || count > shape[axis])
    return make.Bad(Code::kInvalidArgument, "{} of the {} elements of axis {}", count, shape[axis],
                    axis);
  if (shape[axis] > topk_op::kMostExtent)
    return make.Bad(Code::kUnsupported, "axis {} has {} elements, at most {} are sorted", axis,
                    shape[axis], topk_op::kMostExtent);
  shape[axis] = count;
  const int along = static_cast<int>(axis);
  TopElements top;
  TESSERA_ASSIGN(top.indices, make({.op = Op::kTopK,
                                    .inputs = {x},
                                    .attributes = topk_op::TopKAttributes{along, count, greatest}},
                                   shape, type));
  const graph::GatherAttributes beside{graph::GatherAttributes::Form::kElements, along};
  TESSERA_ASSIGN(
      top.values,
      make({.op = Op::kGather, .inputs = {x, top.indices}, .attributes = beside}, shape));
  return top;
}

}  // namespace tessera::ops
