// SPDX-License-Identifier: Apache-2.0
//
// Images whose rows and columns, or channels, take turns in one image. No file has it: passes make
// it behind the phases of a transposed convolution, behind convolutions of groups of columns
// (network/into_parts.h) and of concatenations whose channels are shuffled
// (network/move_channels.h).
#include "compiler/ops/unit.h"

namespace tessera::ops::interleave_op {
namespace {

using graph::InterleaveAttributes;

// The shape of the image that |part| is.
Shape ImageOf(const InterleaveAttributes& attributes, const GraphTensor& part) {
  Shape image = part.shape;
  image[1] /= attributes.columns, image[3] *= attributes.columns;
  return image;
}

Result<Shape> ShapeOfChannels(const NodeCheck& node, int64_t channels) {
  const auto& [steps, columns, ignored] = node.node.As<InterleaveAttributes>();
  Shape made = node.In(0).shape;
  if (steps != std::array<int64_t, 2>{1, 1} || columns != 1)
    return node.Bad("channels, rows and columns take turns");
  if (made[1] % channels != 0) return node.Bad("{} channels at a time of {}", channels, made[1]);
  for (size_t k = 1; k < node.node.inputs.size(); ++k) {
    const GraphTensor& one = node.In(k);
    if (one.dtype != node.In(0).dtype || one.shape != made)
      return node.Bad("{} of shape {} takes no turns with {}", one.name, ShapeText(one.shape),
                      ShapeText(made));
  }
  made[1] *= std::ssize(node.node.inputs);
  return made;
}

Result<Shape> ShapeOf(const NodeCheck& node) {
  TESSERA_TRY(node.Image());
  const auto& attributes = node.node.As<InterleaveAttributes>();
  const auto& [steps, columns, channels] = attributes;
  if (channels < 0) return node.Bad("{} channels at a time", channels);
  if (channels > 0) return ShapeOfChannels(node, channels);
  const auto parts = static_cast<int64_t>(node.node.inputs.size());
  if (steps[0] < 1 || steps[1] < 1 || steps[0] * steps[1] != parts)
    return node.Bad("{} operands, its steps are {} and {}", parts, steps[0], steps[1]);
  const auto part = [&](int64_t row, int64_t column) -> const GraphTensor& {
    return node.In(static_cast<size_t>(row * steps[1] + column));
  };
  if (columns < 1 || part(0, 0).shape[1] % columns != 0)
    return node.Bad("{} columns in the {} channels of {}", columns, part(0, 0).shape[1],
                    part(0, 0).name);
  Shape made = ImageOf(attributes, part(0, 0));
  made[2] = made[3] = 0;
  for (int64_t k = 0; k < steps[0]; ++k) made[2] += part(k, 0).shape[2];
  for (int64_t k = 0; k < steps[1]; ++k) made[3] += part(0, k).shape[3] * columns;
  for (int64_t k = 0; k < parts; ++k) {
    const GraphTensor& one = part(k / steps[1], k % steps[1]);
    if (one.dtype != part(0, 0).dtype)
      return node.Bad("operand {} is {}", one.name, Text(one.dtype));
    Shape wanted = made;
    wanted[2] = (made[2] - k / steps[1] + steps[0] - 1) / steps[0];
    wanted[3] = (made[3] - k % steps[1] + steps[1] - 1) / steps[1];
    if (one.shape[1] != made[1] * columns || ImageOf(attributes, one) != wanted)
      return node.Bad("{} of shape {}, every {}th row and {}th column of {} are {}", one.name,
                      ShapeText(one.shape), steps[0], steps[1], ShapeText(made), ShapeText(wanted));
  }
  return made;
}

Status Check(const NodeCheck& node) {
  for (size_t k = 0; k < node.node.inputs.size(); ++k) {
    if (node.In(k).quant != node.Out().quant)
      return node.Bad("{} has another scale than the result", node.In(k).name);
  }
  return {};
}

// |each| channels of one operand after those of the one before.
void BodyOfChannels(RegionBuilder& b, const Node& node, int64_t each) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const int64_t count = std::ssize(node.inputs);
  std::vector<te::Tensor> parts;
  for (const TensorId id : node.inputs) parts.push_back(b.Value(id));
  b.SetValue(node.output, te::Compute(b.Name(out.name), out.shape, {}, [&](const Indices& i) {
               const Expr turn = te::DivBy(i[1], each);
               const Expr c = te::DivBy(turn, count) * Expr(each) + ir::FloorMod(i[1], Expr(each));
               const Expr from = ir::FloorMod(turn, Expr(count));
               Expr value;
               for (int64_t k = count; k-- > 0;) {
                 const Expr here = parts[static_cast<size_t>(k)](i[0], c, i[2], i[3]);
                 value = value ? ir::Select(ir::Eq(from, Expr(k)), here, value) : here;
               }
               return value;
             }));
}

void Body(RegionBuilder& b, const Node& node) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const auto& [steps, together, channels] = node.As<InterleaveAttributes>();
  if (channels > 0) return BodyOfChannels(b, node, channels);
  const auto [rows, columns] = steps;
  std::vector<te::Tensor> parts;
  for (const TensorId id : node.inputs) parts.push_back(b.Value(id));
  b.SetValue(node.output, te::Compute(b.Name(out.name), out.shape, {}, [&](const Indices& i) {
               const Expr y = te::DivBy(i[2], rows);
               Expr x = te::DivBy(i[3], columns), c = i[1];
               if (together > 1) {
                 c = ir::FloorMod(x, Expr(together)) * Expr(out.shape[1]) + c;
                 x = te::DivBy(x, together);
               }
               const Expr row = ir::FloorMod(i[2], Expr(rows)),
                          column = ir::FloorMod(i[3], Expr(columns));
               Expr value;
               for (int64_t k = rows * columns; k-- > 0;) {
                 const Expr here = parts[static_cast<size_t>(k)](i[0], c, y, x);
                 value = value ? ir::Select(ir::And(ir::Eq(row, Expr(k / columns)),
                                                    ir::Eq(column, Expr(k % columns))),
                                            here, value)
                               : here;
               }
               return value;
             }));
}

void MakeExample(Example& example) {
  if (example.first().shape.size() != 4) return;
  example.node.inputs.push_back(example.another(false));
  const int64_t channels = example.first().shape[1];
  example.node.attributes = example.draw(0, 1) == 0
                                ? InterleaveAttributes{{2, 1}}
                                : InterleaveAttributes{.channels = channels % 16 ? channels : 16};
  example.KeepScale();
}

}  // namespace

constinit const OpDef kInterleaveDef = {
    .name = "interleave",
    .meaning = "images whose rows and columns, or channels, take turns, also columns as channels",
    .category = Category::kInjective,
    .most = 256,
    .types = kAnyTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<InterleaveAttributes>,
    .body = Body,
    .example = MakeExample,
};

}  // namespace tessera::ops::interleave_op
