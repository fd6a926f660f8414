// SPDX-License-Identifier: Apache-2.0
//
// Selects between two tensors, element by element. ONNX Where.
#include "compiler/ops/binary.h"

namespace tessera::ops::where_op {
namespace {

// Operand 2, of bools, selects.
Result<Shape> ShapeOf(const NodeCheck& node) {
  if (node.In(1).dtype != node.In(0).dtype || node.In(2).dtype != DType::kBool)
    return node.Bad("operands of {}, {} and {}", Text(node.In(0).dtype), Text(node.In(1).dtype),
                    Text(node.In(2).dtype));
  const auto both = RepeatedShape(node.In(0).shape, node.In(1).shape);
  const auto all = both ? RepeatedShape(*both, node.In(2).shape) : std::nullopt;
  if (all) return *all;
  return node.Bad("operands of shapes {}, {} and {}", ShapeText(node.In(0).shape),
                  ShapeText(node.In(1).shape), ShapeText(node.In(2).shape));
}

Status Check(const NodeCheck& node) { return node.Plain(); }

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]), y = b.Value(node.inputs[1]);
  const te::Tensor first = b.Value(node.inputs[2]);
  const Shape& shape = b.graph().tensor(node.output).shape;
  te::Elements(b, node, [&](const Indices& i) {
    return ir::Select(Repeated(first, i, shape), Repeated(x, i, shape), Repeated(y, i, shape));
  });
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId first, c.Plain(node, 0));
  TESSERA_ASSIGN(const TensorId x, c.Plain(node, 1));
  TESSERA_ASSIGN(const TensorId y, c.Plain(node, 2));
  const auto both = RepeatedShape(c.tensor(x).shape, c.tensor(y).shape);
  const auto all = both ? RepeatedShape(*both, c.tensor(first).shape) : std::nullopt;
  if (!all)
    return Fail(Code::kInvalidArgument, "{}: shapes {}, {} and {} do not repeat to one another",
                node.Place(), ShapeText(c.tensor(first).shape), ShapeText(c.tensor(x).shape),
                ShapeText(c.tensor(y).shape));
  return c.EmitReal({.op = Op::kWhere, .inputs = {x, y, first}}, node, *all);
}

// The example's operand 2 is a constant that is true everywhere.
void MakeExample(Example& example) {
  const Shape shape = example.first().shape;
  example.node.inputs.push_back(example.another(true));
  GraphTensor which{.name = "which", .dtype = DType::kBool, .shape = shape};
  which.data = std::vector<uint8_t>(static_cast<size_t>(which.count()), 1);
  example.node.inputs.push_back(example.graph.AddTensor(std::move(which)));
}

constexpr OnnxRow kOnnx[] = {{"Where", FromOnnx, 3, kNever}};

}  // namespace

constinit const OpDef kWhereDef = {
    .name = "where",
    .meaning = "of two tensors the first's element where a third, of bools, is true",
    .least = 3,
    .most = 3,
    .types = kPlainTypes,
    .shape = ShapeOf,
    .check = Check,
    .body = Body,
    .onnx = kOnnx,
    .example = MakeExample,
};

}  // namespace tessera::ops::where_op
