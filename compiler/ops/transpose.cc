// SPDX-License-Identifier: Apache-2.0
//
// The axes in another order. ONNX Transpose; TFLite TRANSPOSE.
#include "compiler/ops/unit.h"

namespace tessera::ops::transpose_op {
namespace {

using graph::TransposeAttributes;

Result<Shape> ShapeOf(const NodeCheck& node) {
  const std::vector<int>& perm = node.node.As<TransposeAttributes>().perm;
  const Shape& in = node.In(0).shape;
  std::vector<bool> seen(in.size());
  Shape made;
  for (const int d : perm) {
    if (d < 0 || d >= static_cast<int>(in.size()) || seen[static_cast<size_t>(d)])
      return node.Bad("axis {} of an order of {} axes", d, in.size());
    seen[static_cast<size_t>(d)] = true;
    made.push_back(in[static_cast<size_t>(d)]);
  }
  if (made.size() != in.size())
    return node.Bad("an order of {} axes for {}", made.size(), in.size());
  return made;
}

Status Check(const NodeCheck& node) { return node.KeepsScale(); }

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  const std::vector<int>& perm = node.As<TransposeAttributes>().perm;
  b.SetValue(node.output, te::Compute(b.Name(out.name), out.shape, {}, [&](const Indices& i) {
               Indices from(i.size());
               for (size_t d = 0; d < i.size(); ++d) from[static_cast<size_t>(perm[d])] = i[d];
               return x(from);
             }));
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  const Shape in = c.tensor(x).shape;
  std::vector<int64_t> perm = node.Ints("perm");
  for (size_t k = in.size(); perm.empty() && k-- > 0;) perm.push_back(static_cast<int64_t>(k));
  std::vector<bool> seen(in.size());
  bool good = perm.size() == in.size();
  for (size_t k = 0; good && k < perm.size(); ++k) {
    good = perm[k] >= 0 && perm[k] < std::ssize(in) && !seen[static_cast<size_t>(perm[k])];
    if (good) seen[static_cast<size_t>(perm[k])] = true;
  }
  if (!good) {
    return Fail(Code::kInvalidArgument, "{}: order {} of the axes of shape {}", node.Place(),
                ShapeText(perm), ShapeText(in));
  }
  Shape shape;
  for (const int64_t axis : perm) shape.push_back(in[static_cast<size_t>(axis)]);
  return c.EmitReal({.op = Op::kTranspose,
                     .inputs = {x},
                     .attributes = TransposeAttributes{{perm.begin(), perm.end()}}},
                    node, shape);
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> perm, c.Integers(1));
  const size_t rank = from->shape.size();
  std::vector<bool> seen(rank);
  const Shape in = c.tensor(x).shape;
  std::vector<int> order(rank);
  Shape shape(rank);
  if (perm.size() != rank) return c.Invalid("an order of {} axes for {}", perm.size(), rank);
  for (size_t k = 0; k < rank; ++k) {
    const int64_t axis = perm[k] < 0 ? perm[k] + static_cast<int64_t>(rank) : perm[k];
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || seen[static_cast<size_t>(axis)]) {
      return c.Invalid("axis {} is out of range or there twice in its order {}", perm[k],
                       ShapeText(perm));
    }
    seen[static_cast<size_t>(axis)] = true;
    const auto to = static_cast<size_t>(tflite_model::GraphAxis(rank, static_cast<int>(k)));
    order[to] = tflite_model::GraphAxis(rank, static_cast<int>(axis));
    shape[to] = in[static_cast<size_t>(order[to])];
  }
  TESSERA_TRY(c.SameScale(x));
  return c.Finish(
      {.op = Op::kTranspose, .inputs = {x}, .attributes = TransposeAttributes{std::move(order)}},
      shape);
}

void MakeExample(Example& example) {
  std::vector<int> perm{0, 2, 3, 1};
  for (size_t k = 1; k < 4; ++k)  // {0, 2, 3, 1} or another order that keeps the batch in front
    std::swap(perm[k], perm[static_cast<size_t>(example.draw(static_cast<int64_t>(k), 3))]);
  example.node.attributes = TransposeAttributes{std::move(perm)};
  example.KeepScale();
}

constexpr OnnxRow kOnnx[] = {{"Transpose", FromOnnx, 1, graph::OnnxWhen::kAlways}};
constexpr TfliteRow kTflite[] = {{"TRANSPOSE", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kTransposeDef = {
    .name = "transpose",
    .meaning = "the same elements with the axes in another order",
    .category = Category::kInjective,
    .types = kAnyTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<TransposeAttributes>,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::transpose_op
