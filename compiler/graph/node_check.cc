// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/node_check.h"

#include <algorithm>

namespace tessera::graph {

std::string ShapeText(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}{}", i ? ", " : "", shape[i]);
  return text + "]";
}

std::string CannotBecome(const Shape& from, const Shape& to) {
  int64_t count = 1;
  for (const int64_t extent : from) count *= extent;
  return fmt::format(
      "{} cannot become {}: it has {} elements; the new extents of an axis that is split, as "
      "channels into heads, must have its extent as their product",
      ShapeText(from), ShapeText(to), count);
}

Status NodeCheck::Run() const {
  const OpDef& def = DefOf(node.op);
  const bool typed = def.attributes ? def.attributes(node.attributes) : node.attributes.empty();
  if (!typed) return Bad("its attributes are those of another operator");
  for (const TensorId id : node.inputs) TESSERA_TRY(Scaled(graph.tensor(id), "operand"));
  TESSERA_TRY(Scaled(Out(), "result"));
  TESSERA_TRY(HasTypes());
  const IntegerLimits bounds = BoundsOf(graph, node);
  if (bounds.lo > bounds.hi) return Bad("bounds {} to {}", bounds.lo, bounds.hi);
  if (!(node.least <= node.most)) return Bad("bounds {} to {}", node.least, node.most);
  TESSERA_ASSIGN(const Shape shape, ResultShape());
  if (def.check) TESSERA_TRY(def.check(*this));
  if (Out().shape == shape) return {};
  return Bad("its result has shape {}, the operands make {}", ShapeText(Out().shape),
             ShapeText(shape));
}

Result<Shape> NodeCheck::ResultShape() const {
  const OpDef& def = DefOf(node.op);
  if (def.shape) return def.shape(*this);
  TESSERA_TRY(SameShapes());
  return In(0).shape;
}

Status NodeCheck::SameShapes() const {
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (In(i).dtype != In(0).dtype)
      return Bad("operand {} is {}", In(i).name, tessera::Text(In(i).dtype));
    if (In(i).shape != In(0).shape)
      return Bad("operands of shapes {} and {}", ShapeText(In(0).shape), ShapeText(In(i).shape));
  }
  return {};
}

// Operands of a requantised operator need scales; tensors that are not constants have one scale. If
// any tensor of a node has a scale, its int8 tensors must have one too.
Status NodeCheck::Scaled(const GraphTensor& t, const char* what) const {
  const auto scaled = [&](TensorId id) { return graph.tensor(id).quant.has_value(); };
  if (!t.quant && t.dtype == DType::kInt8 &&
      (DefOf(node.op).requant || scaled(node.output) || std::ranges::any_of(node.inputs, scaled)))
    return Bad("{} {} has no scale", what, t.name);
  // Int16 also needs a scale if the operator takes no plain integers.
  if (!t.quant && t.dtype == DType::kInt16 && DefOf(node.op).requant &&
      !Takes(DefOf(node.op), DType::kInt32, DType::kInt32))
    return Bad("{} {} has no scale", what, t.name);
  if (!t.quant) return {};
  if (t.dtype == DType::kUint8 && node.op != Op::kRescale)
    return Bad("{} {} is uint8 with a scale, which rescale makes int8", what, t.name);
  if (t.dtype == DType::kInt16 && std::ranges::any_of(t.quant->zero, [](int32_t z) { return z; }))
    return Bad("{} {} is int16 with zero point {}, int16 has 0", what, t.name, t.zero());
  const size_t scales = t.quant->scale.size();
  if (scales == 0 || t.quant->zero.size() != scales || (!t.constant() && scales != 1)) {
    return Bad("{} {} has {} scales and {} zero points", what, t.name, scales,
               t.quant->zero.size());
  }
  return {};
}

Status NodeCheck::HasTypes() const {
  const OpDef& def = DefOf(node.op);
  if (Takes(def, In(0).dtype, Out().dtype)) return {};
  std::string taken;
  for (const auto& [from, to] : def.types)
    taken += fmt::format("{} to {}, ", tessera::Text(from), tessera::Text(to));
  return Bad("takes {}has {} and {}", taken, tessera::Text(In(0).dtype),
             tessera::Text(Out().dtype));
}

Status NodeCheck::Image() const {
  if (In(0).shape.size() == 4) return {};
  return Bad("operand of shape {}, four axes are needed", ShapeText(In(0).shape));
}

Status NodeCheck::Plain() const {
  if (In(0).quant || Out().quant) return Bad("takes plain values");
  return {};
}

Status NodeCheck::KeepsScale() const {
  for (const TensorId id : node.inputs) {
    if (graph.tensor(id).dtype != Out().dtype)
      return Bad("operand {} is {}", graph.tensor(id).name, tessera::Text(graph.tensor(id).dtype));
    if (graph.tensor(id).quant != Out().quant)
      return Bad("{} and its result have different scales", graph.tensor(id).name);
  }
  return {};
}

Status NodeCheck::Weights(size_t rank) const {
  const GraphTensor& w = In(1);
  const bool real = IsFloat(In(0).dtype);
  // Quantised inputs and weights may differ in width.
  const auto integer = [](DType type) { return type == DType::kInt8 || type == DType::kInt16; };
  const bool mixed = integer(In(0).dtype) && integer(w.dtype);
  if (!w.constant() || (w.dtype != In(0).dtype && !mixed) || w.shape.size() != rank ||
      w.count() < 1 || static_cast<int64_t>(w.data->size()) != w.count() * SizeOf(w.dtype)) {
    return Bad("weights {} of shape {} are not {} {} constant of {} axes", w.name,
               ShapeText(w.shape), real ? "a" : "an", tessera::Text(In(0).dtype), rank);
  }
  const bool per_channel = !real && w.quant && w.quant->axis == 0 &&
                           static_cast<int64_t>(w.quant->scale.size()) == w.shape[0];
  if (!real && !w.quant) return Bad("weights {} have no scale", w.name);
  if (!real && ((w.quant->scale.size() != 1 && !per_channel) ||
                std::ranges::any_of(w.quant->zero, [](int32_t z) { return z != 0; }))) {
    return Bad("weights {} need one scale, or one an output channel, and no zero points", w.name);
  }
  if (node.inputs.size() < 3) return {};
  const GraphTensor& bias = In(2);
  const DType type = real                                                          ? w.dtype
                     : In(0).dtype == DType::kInt16 && bias.dtype == DType::kInt64 ? DType::kInt64
                                                                                   : DType::kInt32;
  if (!bias.constant() || bias.dtype != type || bias.shape != Shape{w.shape[0]} ||
      static_cast<int64_t>(bias.data->size()) != SizeOf(type) * w.shape[0]) {
    return Bad("bias {} is not a constant of {} {}", bias.name, w.shape[0], tessera::Text(type));
  }
  return {};
}

Status NodeCheck::Fits(const Window& w, const Shape& in) const {
  for (size_t d = 0; d < 2; ++d) {
    if (w.kernel[d] < 1 || w.stride[d] < 1 || w.dilation[d] < 1 || w.pad_before[d] < 0 ||
        w.pad_after[d] < 0) {
      return Bad("kernel, stride or dilation below 1, or a negative pad");
    }
    if (w.OutExtent(static_cast<int>(d), in[2 + d]) < 1)
      return Bad("the window does not fit shape {}", ShapeText(in));
  }
  return {};
}

}  // namespace tessera::graph
