// SPDX-License-Identifier: Apache-2.0
//
// Reductions along axes, of plain values. ONNX ReduceSum, ReduceMean, ReduceMax, ReduceMin,
// ReduceProd and their compositions: ReduceL1, ReduceL2, ReduceSumSquare, ReduceLogSum,
// ReduceLogSumExp.
#include "compiler/ops/reduce.h"

namespace tessera::ops::reduce_op {
namespace {

using graph::AxesAttributes;

Result<Shape> ShapeOf(const NodeCheck& node) {
  Shape made = node.In(0).shape;
  for (const int axis : node.node.As<AxesAttributes>().axes) {
    if (axis < 0 || axis >= static_cast<int>(made.size()))
      return node.Bad("axis {} of {}", axis, made.size());
    made[static_cast<size_t>(axis)] = 1;
  }
  return made;
}

Status Check(const NodeCheck& node) { return node.Plain(); }

template <Expr (*kOf)(Expr, std::vector<Axis>), bool kMean>
void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  std::vector<Axis> along;
  std::vector<std::optional<Expr>> at(x.shape().size());
  int64_t count = 1;
  for (const int axis : node.As<AxesAttributes>().axes) {
    const auto d = static_cast<size_t>(axis);
    along.push_back(te::ReduceAxis(fmt::format("k{}", axis), x.shape()[d]));
    at[d] = along.back().var;
    count *= x.shape()[d];
  }
  const te::Tensor all =
      te::Compute(b.Name(out.name + ".all"), out.shape, {}, [&](const Indices& i) {
        Indices from = i;
        for (size_t d = 0; d < from.size(); ++d) from[d] = at[d] ? *at[d] : i[d];
        return kOf(Wide(x(from)), along);
      });
  te::Elements(b, node, [&](const Indices& i) {
    Expr value = all(i);
    if (kMean && IsFloat(value.dtype()))
      value = ir::Bin(ir::BinOp::kDiv, value, ir::Const(DType::kFloat32, count));
    if (kMean && !IsFloat(value.dtype()))
      value = ir::FloorDiv(value, ir::Imm(value.dtype(), count));
    return te::Real(b, node, value);
  });
}

Expr SumOf(Expr value, std::vector<Axis> axes) { return te::Sum(value, std::move(axes)); }

// A reduction |of|, with an operator before it and one behind it.
struct Composed {
  std::string_view type;
  Op before, of, behind;  // kCast: nothing
};
constexpr Composed kComposed[] = {
    {"ReduceL1", Op::kAbs, Op::kReduceSum, Op::kCast},
    {"ReduceSumSquare", Op::kSquare, Op::kReduceSum, Op::kCast},
    {"ReduceSum", Op::kCast, Op::kReduceSum, Op::kCast},
    {"ReduceMean", Op::kCast, Op::kReduceMean, Op::kCast},
    {"ReduceMax", Op::kCast, Op::kReduceMax, Op::kCast},
    {"ReduceMin", Op::kCast, Op::kReduceMin, Op::kCast},
    {"ReduceProd", Op::kCast, Op::kReduceProd, Op::kCast},
    {"ReduceL2", Op::kSquare, Op::kReduceSum, Op::kSqrt},
    {"ReduceLogSum", Op::kCast, Op::kReduceSum, Op::kLog},
    {"ReduceLogSumExp", Op::kExp, Op::kReduceSum, Op::kLog},
};

Result<TensorId> Reduced(Composer& make, const OnnxNode& node, TensorId x,
                         const std::vector<int>& axes) {
  const auto how = std::ranges::find(kComposed, node.op_type, &Composed::type);
  // Subtract the greatest value before the exponentials and add it to the result.
  std::optional<TensorId> most;
  if (how->before == Op::kExp) {
    TESSERA_ASSIGN(most, ReducedAlong(make, Op::kReduceMax, x, axes));
    TESSERA_ASSIGN(x, make(Op::kSub, x, *most));
  }
  if (how->before != Op::kCast) {
    TESSERA_ASSIGN(x, make(how->before, x));
  }
  TESSERA_ASSIGN(x, ReducedAlong(make, how->of, x, axes));
  if (how->behind != Op::kCast) {
    TESSERA_ASSIGN(x, make(how->behind, x));
  }
  return most ? make(Op::kAdd, x, *most) : x;
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Operand(node, 0));
  const Shape in = c.tensor(x).shape;
  TESSERA_ASSIGN(const std::vector<int> axes, AxesFrom(c, node, in));
  Composer make(c, node);
  if (axes.empty()) return make.Finish(x);
  TESSERA_ASSIGN(x, Reduced(make, node, x, axes));
  if (node.IntOr("keepdims", 1) == 0) {
    Shape dropped;
    for (size_t d = 0; d < in.size(); ++d) {
      if (std::ranges::count(axes, static_cast<int>(d)) == 0) dropped.push_back(in[d]);
    }
    TESSERA_ASSIGN(x, make.Reshape(x, std::move(dropped)));
  }
  return make.Finish(x);
}

constexpr OnnxRow kSumRows[] = {
    {"ReduceSum", FromOnnx, 1, kNever},       {"ReduceL1", FromOnnx, 1, kNever},
    {"ReduceSumSquare", FromOnnx, 1, kNever}, {"ReduceL2", FromOnnx, 1, kNever},
    {"ReduceLogSum", FromOnnx, 1, kNever},    {"ReduceLogSumExp", FromOnnx, 1, kNever}};
constexpr OnnxRow kMeanRows[] = {{"ReduceMean", FromOnnx, 1, kNever}};
constexpr OnnxRow kMaxRows[] = {{"ReduceMax", FromOnnx, 1, kNever}};
constexpr OnnxRow kMinRows[] = {{"ReduceMin", FromOnnx, 1, kNever}};
constexpr OnnxRow kProdRows[] = {{"ReduceProd", FromOnnx, 1, kNever}};

void MakeExample(Example& example) {
  example.node.attributes = AxesAttributes{{static_cast<int>(example.first().shape.size()) - 1}};
}

constexpr OpDef DefOf(std::string_view name, std::string_view meaning,
                      void (*body)(RegionBuilder&, const Node&), std::span<const OnnxRow> onnx) {
  return {.name = name,
          .meaning = meaning,
          .category = Category::kReduction,
          .types = kPlainNumbers,
          .shape = ShapeOf,
          .check = Check,
          .attributes = Fits<AxesAttributes>,
          .body = body,
          .onnx = onnx,
          .example = MakeExample};
}

}  // namespace

constinit const OpDef kReduceSumDef =
    DefOf("sum", "sum of all along some axes", Body<SumOf, false>, kSumRows);
constinit const OpDef kReduceMeanDef =
    DefOf("average", "mean of all along some axes", Body<SumOf, true>, kMeanRows);
constinit const OpDef kReduceMaxDef =
    DefOf("greatest", "the greatest along some axes", Body<te::MaxOf, false>, kMaxRows);
constinit const OpDef kReduceMinDef =
    DefOf("least", "the least along some axes", Body<te::MinOf, false>, kMinRows);
constinit const OpDef kReduceProdDef =
    DefOf("product", "product of all along some axes", Body<te::ProductOf, false>, kProdRows);

}  // namespace tessera::ops::reduce_op

namespace tessera::ops {

Result<std::vector<int>> AxesFrom(const QdqConverter& c, const OnnxNode& node, const Shape& in) {
  std::vector<int64_t> given = node.Ints("axes");
  if (QdqConverter::Has(node, 1)) {
    TESSERA_ASSIGN(given, c.Integers(node, 1));
  }
  std::vector<int> axes;
  if (given.empty() && node.IntOr("noop_with_empty_axes", 0) != 0) return axes;
  for (size_t d = 0; given.empty() && d < in.size(); ++d) axes.push_back(static_cast<int>(d));
  for (const int64_t axis : given) {
    TESSERA_ASSIGN(const size_t d, AxisOf(node, axis, in));
    if (std::ranges::count(axes, static_cast<int>(d)) > 0)
      return Fail(Code::kInvalidArgument, "{}: axis {} twice", node.Place(), axis);
    axes.push_back(static_cast<int>(d));
  }
  return axes;
}

Result<TensorId> ReducedAlong(Composer& make, Op op, TensorId x, const std::vector<int>& axes) {
  Shape kept = make.shape(x);
  for (const int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  return make({.op = op, .inputs = {x}, .attributes = graph::AxesAttributes{axes}},
              std::move(kept));
}

}  // namespace tessera::ops
