// SPDX-License-Identifier: Apache-2.0
//
// Padding with a constant or with the tensor's own elements. ONNX Pad; TFLite PAD, PADV2.
#include <cmath>
#include <cstring>

#include "compiler/ops/compose.h"

namespace tessera::ops::pad_op {
namespace {

using graph::PadAttributes;
using graph::PadMode;

Result<Shape> ShapeOf(const NodeCheck& node) {
  const auto& pads = node.node.As<PadAttributes>().pads;
  Shape made = node.In(0).shape;
  if (pads.size() != made.size())
    return node.Bad("pads for {} axes, the operand has {}", pads.size(), made.size());
  for (size_t d = 0; d < made.size(); ++d) {
    if (pads[d][0] < 0 || pads[d][1] < 0) return node.Bad("a negative pad");
    const bool mirrors = node.node.As<PadAttributes>().mode == PadMode::kReflect;
    if (mirrors && std::max(pads[d][0], pads[d][1]) >= made[d])
      return node.Bad("pads {} and {} of axis {}, whose extent {} has fewer to mirror", pads[d][0],
                      pads[d][1], d, made[d]);
    made[d] += pads[d][0] + pads[d][1];
  }
  return made;
}

Status Check(const NodeCheck& node) {
  const int32_t value = node.node.As<PadAttributes>().value;
  if (value < -128 || value > 127) return node.Bad("pad value {} is no int8", value);
  return node.KeepsScale();
}

// The index that is read for an index outside of [0, extent).
Expr SourceOf(PadMode mode, Expr at, int64_t extent) {
  if (mode == PadMode::kEdge) return ir::Clamp(at, Expr(0), Expr(extent - 1));
  if (mode == PadMode::kWrap) return ir::FloorMod(at, Expr(extent));
  const Expr last = Expr(extent - 1);
  return last - ir::Abs(last - ir::Abs(at));
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
                 if (pad.mode != PadMode::kConstant) {
                   from[d] = SourceOf(pad.mode, from[d], x.shape()[d]);
                   continue;
                 }
                 const Expr here =
                     ir::And(ir::Le(Expr(0), from[d]), ir::Lt(from[d], Expr(x.shape()[d])));
                 inside = inside ? ir::And(inside, here) : here;
               }
               if (!inside) return x(from);
               return ir::Select(inside, x(from), fill);
             }));
}

Result<PadMode> ModeOf(const OnnxNode& node) {
  const auto given = node.attributes.find("mode");
  const std::string mode =
      given == node.attributes.end() ? "constant" : given->second.s.value_or("constant");
  if (mode == "constant") return PadMode::kConstant;
  if (mode == "reflect") return PadMode::kReflect;
  if (mode == "edge") return PadMode::kEdge;
  if (mode == "wrap") return PadMode::kWrap;
  return Fail(Code::kUnsupported, "{}: mode {}; constant, reflect, edge and wrap are supported",
              node.Place(), mode);
}

// Quantised integers are padded with the integer that stands for |value|.
Status SetValue(QdqConverter& c, const OnnxNode& node, TensorId x, double value,
                PadAttributes& made) {
  made.real = static_cast<float>(value);
  made.value = static_cast<int32_t>(value);
  const auto& quant = c.tensor(x).quant;
  if (!quant) return {};
  const double steps = value / quant->scale[0];
  const double q = std::nearbyint(steps) + quant->zero[0];
  if (std::abs(steps - std::nearbyint(steps)) > 1e-6 || q < -128 || q > 127) {
    return Fail(Code::kUnsupported, "{}: value {} is no int8 of scale {} and zero point {}",
                node.Place(), value, quant->scale[0], quant->zero[0]);
  }
  made.value = static_cast<int32_t>(q);
  return {};
}

// Before opset 11 pads and value are attributes; opset 18 adds the list of axes.
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  constexpr int64_t kMaxPad = 1 << 28;
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  Shape shape = c.tensor(x).shape;
  PadAttributes made;
  TESSERA_ASSIGN(made.mode, ModeOf(node));
  std::vector<int64_t> pads = node.Ints("pads");
  double value = 0;
  if (const auto given = node.attributes.find("value"); given != node.attributes.end())
    value = static_cast<double>(given->second.f.value_or(0));
  if (QdqConverter::Has(node, 1)) {
    TESSERA_ASSIGN(pads, c.Integers(node, 1));
  }
  if (QdqConverter::Has(node, 2) && made.mode == PadMode::kConstant) {
    TESSERA_ASSIGN(value, c.Number(node, 2));
  }
  TESSERA_TRY(SetValue(c, node, x, value, made));
  std::vector<int64_t> axes;
  if (QdqConverter::Has(node, 3)) {
    TESSERA_ASSIGN(axes, c.Integers(node, 3));
  } else {
    for (size_t d = 0; d < shape.size(); ++d) axes.push_back(static_cast<int64_t>(d));
  }
  if (pads.size() != 2 * axes.size())
    return Fail(Code::kInvalidArgument, "{}: {} pads for {} axes", node.Place(), pads.size(),
                axes.size());
  made.pads.resize(shape.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    TESSERA_ASSIGN(const size_t d, AxisOf(node, axes[k], shape));
    made.pads[d] = {pads[k], pads[k + axes.size()]};
    for (const int64_t pad : made.pads[d]) {
      if (pad < 0 || pad > kMaxPad)
        return Fail(Code::kUnsupported, "{}: pad {} of axis {}; 0 to {} are supported",
                    node.Place(), pad, d, kMaxPad);
      shape[d] += pad;
    }
  }
  return c.EmitReal({.op = Op::kPad, .inputs = {x}, .attributes = std::move(made)}, node, shape);
}

// PAD pads with zeros, whose integer is the zero point; PADV2 has the value as a third input.
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

constexpr OnnxRow kOnnx[] = {{"Pad", FromOnnx, 1, graph::OnnxWhen::kAlways}};
constexpr TfliteRow kTflite[] = {{"PAD", 2, 2, FromTflite}, {"PADV2", 3, 3, FromTflite}};

}  // namespace

constinit const OpDef kPadDef = {
    .name = "pad",
    .meaning = "the tensor with a constant or its own elements around it",
    .category = Category::kInjective,
    .types = kAnyTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<PadAttributes>,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::pad_op
