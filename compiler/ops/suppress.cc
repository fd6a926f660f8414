// SPDX-License-Identifier: Apache-2.0
//
// One step of non-maximum suppression: removes the scores of the picked box and of the boxes that
// overlap it, for many rows of scores at once. Used by boxes.cc.
#include <limits>

#include "compiler/ops/unit.h"

namespace tessera::ops::suppress_op {
namespace {

// Operands: scores [batch, ..., n]; boxes [batch, n, 4] as least y, least x, greatest y, greatest
// x; picked indices [batch, ..., 1]; one number, the intersection over union above which boxes
// overlap.
Result<Shape> ShapeOf(const NodeCheck& node) {
  const Shape &scores = node.In(0).shape, &boxes = node.In(1).shape;
  Shape picked = scores;
  if (!picked.empty()) picked.back() = 1;
  if (scores.size() < 2 || boxes != Shape{scores[0], scores.back(), 4} ||
      node.In(2).shape != picked || node.In(3).count() != 1)
    return node.Bad("scores {}, boxes {} and picked ones {} do not agree", ShapeText(scores),
                    ShapeText(boxes), ShapeText(node.In(2).shape));
  if (node.In(1).dtype != DType::kFloat32 || node.In(2).dtype != DType::kInt64 ||
      node.In(3).dtype != DType::kFloat32)
    return node.Bad("boxes of {}, indices of {}", Text(node.In(1).dtype), Text(node.In(2).dtype));
  return scores;
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor scores = b.Value(node.inputs[0]), boxes = b.Value(node.inputs[1]);
  const te::Tensor picked = b.Value(node.inputs[2]), most = b.Value(node.inputs[3]);
  const int64_t count = boxes.shape()[1];
  te::Elements(b, node, [&](const Indices& i) {
    Indices pick = i;
    pick.back() = Expr(0);
    // Clamp the index: input data must not make the program read outside of the tensor.
    const Expr at = ir::Clamp(picked(pick), Expr(0), Expr(count - 1));
    const auto side = [&](const Expr& box, int64_t k) { return boxes(i[0], box, Expr(k)); };
    const auto area = [&](const Expr& box) {
      return (side(box, 2) - side(box, 0)) * (side(box, 3) - side(box, 1));
    };
    const Expr none = ir::ImmF32(0), own = i.back();
    const auto shared = [&](int64_t k) {
      return ir::Max(
          ir::Min(side(own, k + 2), side(at, k + 2)) - ir::Max(side(own, k), side(at, k)), none);
    };
    const Expr both = shared(0) * shared(1);
    const Expr share = ir::Bin(ir::BinOp::kDiv, both, area(own) + area(at) - both);
    const Expr overlap = ir::And(ir::And(ir::Lt(none, area(own)), ir::Lt(none, area(at))),
                                 ir::Lt(most(Indices(most.shape().size(), Expr(0))), share));
    return ir::Select(ir::Bin(ir::BinOp::kOr, overlap, ir::Eq(own, at)),
                      ir::ImmF32(-std::numeric_limits<float>::infinity()), scores(i));
  });
}

void MakeExample(Example& example) {
  const Shape in = example.first().shape;
  if (in.size() < 2) return;
  example.node.inputs.push_back(example.Weights({in[0], in.back(), 4}));
  Shape one = in;
  one.back() = 1;
  GraphTensor picked{.name = "picked", .dtype = DType::kInt64, .shape = one};
  picked.data = std::vector<uint8_t>(static_cast<size_t>(8 * picked.count()));
  example.node.inputs.push_back(example.graph.AddTensor(std::move(picked)));
  example.node.inputs.push_back(example.Weights({1}));
}

constexpr TypePair kTypes[] = {{DType::kFloat32, DType::kFloat32}};

}  // namespace

constinit const OpDef kSuppressDef = {
    .name = "suppress",
    .meaning = "scores, -infinity for the box that is picked and those that overlap it",
    .category = Category::kOpaque,
    .least = 4,
    .most = 4,
    .types = kTypes,
    .shape = ShapeOf,
    .body = Body,
    .example = MakeExample,
};

}  // namespace tessera::ops::suppress_op
