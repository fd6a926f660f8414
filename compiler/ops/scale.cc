// SPDX-License-Identifier: Apache-2.0
//
// Sums in another scale: plain int32 times a fixed-point factor. Recurrent layers on integers do
// this between their products. Source: TFLite's MultiplyByQuantizedMultiplier.
#include "compiler/ops/unit.h"

namespace tessera::ops::scale_op {
namespace {

using graph::ScaleAttributes;

Status Check(const NodeCheck& node) {
  const auto& [multiplier, shift, zero] = node.node.As<ScaleAttributes>();
  const auto fits = [&](size_t count) {
    return count == 1 ||
           (!node.In(0).shape.empty() && static_cast<int64_t>(count) == node.In(0).shape.back());
  };
  if (!fits(multiplier.size()) || shift.size() != multiplier.size())
    return node.Bad("{} multipliers and {} shifts for shape {}", multiplier.size(), shift.size(),
                    ShapeText(node.In(0).shape));
  if (node.In(0).quant) return node.Bad("takes plain values");
  return {};
}

void Body(RegionBuilder& b, const Node& node) {
  const auto& [multiplier, shift, zero] = node.As<ScaleAttributes>();
  const GraphTensor& out = b.graph().tensor(node.output);
  const te::Tensor x = b.Value(node.inputs[0]);
  const te::Tensor more = node.inputs.size() > 1 ? b.Value(node.inputs[1]) : te::Tensor();
  te::Tensor multipliers, shifts;
  if (multiplier.size() > 1) {
    const Shape each{std::ssize(multiplier)};
    multipliers = b.Constant(out.name + ".multiplier", DType::kInt32, each, multiplier);
    shifts = b.Constant(out.name + ".shift", DType::kInt32, each,
                        std::vector<int32_t>(shift.begin(), shift.end()));
  }
  const auto [lo, hi] = graph::BoundsOf(b.graph(), node);
  te::Elements(b, node, [&, zero = zero, lo = lo, hi = hi](const Indices& i) {
    const Expr by = multipliers ? multipliers(i.back()) : I32(multiplier[0]);
    const Expr moved = shifts ? shifts(i.back()) : I32(shift[0]);
    Expr y = ir::Requant(x(i), by, moved, isa::Round::kTflite);
    if (more) y = y + more(i);
    return ir::Cast(out.dtype, ir::ClampAdd(y, I32(zero), I32(lo), I32(hi)));
  });
}

std::string Words(const Node& node) {
  const auto& of = node.As<ScaleAttributes>();
  if (of.multiplier.size() > 1) return fmt::format(" {} factors", of.multiplier.size());
  return fmt::format(" factor {} shift {} zero {}", of.multiplier[0], of.shift[0], of.zero);
}

constexpr TypePair kTypes[] = {{DType::kInt32, DType::kInt32}, {DType::kInt32, DType::kInt8}};

}  // namespace

constinit const OpDef kScaleDef = {
    .name = "scale",
    .meaning = "int32 times a fixed-point factor, rounded as TFLite does, plus a second, bounded",
    .least = 1,
    .most = 2,
    .types = kTypes,
    .check = Check,
    .attributes = Fits<ScaleAttributes>,
    .text = Words,
    .body = Body,
};

}  // namespace tessera::ops::scale_op
