// SPDX-License-Identifier: Apache-2.0
//
// A constant around a tensor. TFLite PAD, PADV2.
#include <cstring>

#include "compiler/ops/unit.h"

namespace tessera::ops {
namespace {

using graph::PadAttributes;

Result<Shape> ShapeOf(const NodeCheck& node) {
  const auto& pads = node.node.As<PadAttributes>().pads;
  Shape made = node.In(0).shape;
  if (pads.size() != made.size())
    return node.Bad("pads for {} axes, the operand has {}", pads.size(), made.size());
  for (size_t d = 0; d < made.size(); ++d) {
    if (pads[d][0] < 0 || pads[d][1] < 0) return node.Bad("a negative pad");
    made[d] += pads[d][0] + pads[d][1];
  }
  return made;
}

Status Check(const NodeCheck& node) {
  const auto& [pads, value, real] = node.node.As<PadAttributes>();
  if (value < -128 || value > 127) return node.Bad("pad value {} is no int8", value);
  return node.KeepsScale();
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  const PadAttributes& pad = node.As<PadAttributes>();
  const Expr fill =
      IsFloat(x.dtype()) ? ir::ImmFloat(x.dtype(), pad.real) : ir::Imm(x.dtype(), pad.value);
  b.SetValue(node.output, te::Compute(b.Name(out.name), out.shape, {}, [&](const Indices& i) {
               Indices from = i;
               Expr inside;
               for (size_t d = 0; d < i.size(); ++d) {
                 const auto [before, after] = pad.pads[d];
                 if (before == 0 && after == 0) continue;
                 from[d] = i[d] - Expr(before);
                 const Expr here =
                     ir::And(ir::Le(Expr(0), from[d]), ir::Lt(from[d], Expr(x.shape()[d])));
                 inside = inside ? ir::And(inside, here) : here;
               }
               if (!inside) return x(i);
               return ir::Select(inside, x(from), fill);
             }));
}

// PAD puts zeros around, which are the zero point; PADV2 gives the value as a third input.
Status FromTflite(Converter& c) {
  constexpr int64_t kMaxPad = 1 << 28;
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> pads, c.Integers(1));
  const size_t rank = from->shape.size();
  if (pads.size() != 2 * rank) return c.Invalid("{} pads for {} axes", pads.size(), rank);
  Shape shape = c.tensor(x).shape;
  PadAttributes made;
  made.pads.resize(rank);
  for (size_t k = 0; k < rank; ++k) {
    const auto to = static_cast<size_t>(tflite_model::GraphAxis(rank, static_cast<int>(k)));
    for (size_t side = 0; side < 2; ++side) {
      const int64_t pad = pads[2 * k + side];
      if (pad < 0 || pad > kMaxPad)
        return c.Invalid("pad {} of axis {}; 0 to {} are accepted", pad, k, kMaxPad);
      made.pads[to][side] = pad;
      shape[to] += pad;
    }
  }
  TESSERA_TRY(c.SameScale(x));
  made.value = c.tensor(x).zero();
  if (c.Has(2) && c.real()) {
    TESSERA_ASSIGN(const auto* value, c.In(2));
    if (value->type != tflite_model::TensorType::FLOAT32 || value->data.size() != 4)
      return c.Unsupported("pad value {} is not one constant of FLOAT32", value->Place());
    std::memcpy(&made.real, value->data.data(), 4);
  } else if (c.Has(2)) {
    const Quant& quant = *c.tensor(x).quant;
    TESSERA_ASSIGN(const auto* value, c.In(2));
    if (value->type != tflite_model::TensorType::INT8 || value->data.size() != 1)
      return c.Unsupported("pad value {} is not one constant of INT8", value->Place());
    TESSERA_ASSIGN(const Quant given, c.ActivationQuant(*value));
    if (given != quant) {
      return c.Unsupported("pad value {} and {} have different scales or zero points",
                           value->Place(), from->Place());
    }
    made.value = static_cast<int8_t>(value->data[0]);
  }
  return c.Finish({.op = Op::kPad, .inputs = {x}, .attributes = std::move(made)}, shape);
}

void MakeExample(Example& example) {
  const size_t rank = example.first().shape.size();
  PadAttributes pad{.pads = std::vector<std::array<int64_t, 2>>(rank),
                    .value = example.first().zero()};
  for (size_t d = rank - 2; d < rank; ++d) pad.pads[d] = {example.draw(1, 2), example.draw(1, 2)};
  example.node.attributes = std::move(pad);
  example.KeepScale();
}

constexpr TfliteRow kTflite[] = {{"PAD", 2, 2, FromTflite}, {"PADV2", 3, 3, FromTflite}};

}  // namespace

constinit const OpDef kPadDef = {
    .name = "pad",
    .meaning = "the tensor with a constant around it",
    .category = Category::kInjective,
    .types = kAnyTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<PadAttributes>,
    .body = Body,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops
