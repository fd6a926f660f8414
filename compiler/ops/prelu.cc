// SPDX-License-Identifier: Apache-2.0
//
// x if not negative, else a factor times x; operand 1 holds the factors, which broadcast. ONNX
// PRelu; TFLite PRELU, which uses separate multipliers for the two halves.
#include "compiler/ops/binary.h"
#include "compiler/ops/compose.h"
#include "compiler/quantize/multiplier.h"

namespace tessera::ops::prelu_op {
namespace {

Result<Shape> ShapeOf(const NodeCheck& node) {
  const GraphTensor &x = node.In(0), &factor = node.In(1);
  if (x.dtype != factor.dtype) return node.Bad("operand {} is {}", factor.name, Text(factor.dtype));
  if (RepeatedShape(x.shape, factor.shape) == x.shape) return x.shape;
  return node.Bad("factors of shape {} do not repeat to {}", ShapeText(factor.shape),
                  ShapeText(x.shape));
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  const float in = quantize::Single(quantize::ScaleOf(graph, node, 0));
  const float factor = quantize::Single(quantize::ScaleOf(graph, node, 1));
  const float out = quantize::Single(quantize::ResultScale(graph, node));
  TESSERA_TRY(quantize::SetFactors(node, {double{in / out}, double{in * factor / out}},
                                   {255, 255 * 255}, requant));
  for (size_t i = 0; i < 2; ++i)
    requant.operands.push_back({.zero = quantize::ZeroOf(graph, node, i),
                                .left = 0,
                                .multiplier = requant.multiplier[i],
                                .shift = requant.shift[i]});
  return {};
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]), factor = b.Value(node.inputs[1]);
  const Shape& shape = b.graph().tensor(node.output).shape;
  te::Elements(b, node, [&](const Indices& i) {
    if (te::IsReal(b, node)) {
      const Expr value = Wide(x(i));
      const Expr below = ir::Lt(value, ir::ImmF32(0));
      return te::Real(b, node, ir::Select(below, value * Wide(Repeated(factor, i, shape)), value));
    }
    const Requant& q = *node.requant;
    const auto brought = [&](size_t k, Expr value) {
      return ir::Requant(value, I32(q.operands[k].multiplier), I32(q.operands[k].shift), q.round);
    };
    // One of the two halves is always 0, and 0 stays 0 in any scale. So their sum is the result,
    // and accelerators without a choice compute it.
    const DType type = b.graph().tensor(node.output).dtype;
    const Expr value = Wide(x(i)) - I32(q.operands[0].zero);
    const Expr below =
        ir::Min(value, I32(0)) * (Wide(Repeated(factor, i, shape)) - I32(q.operands[1].zero));
    const Expr above = ir::Cast(type, ir::ClampAdd(brought(0, value), I32(q.out_zero),
                                                   I32(q.out_zero), I32(LimitsOf(type).hi)));
    return te::Narrow(b, node, brought(1, below) + (Wide(above) - I32(q.out_zero)));
  });
}

// Before opset 9, and in files from PyTorch, factors [C] belong to axis 1.
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Plain(node, 0));
  TESSERA_ASSIGN(TensorId factor, c.Plain(node, 1));
  Composer make(c, node);
  const Shape in = make.shape(x), given = make.shape(factor);
  if (RepeatedShape(in, given) != in && given.size() == 1 && in.size() > 1 && given[0] == in[1]) {
    Shape along(in.size(), 1);
    along[1] = in[1];
    TESSERA_ASSIGN(factor, make.Reshape(factor, along));
  }
  if (RepeatedShape(in, make.shape(factor)) != in)
    return Fail(Code::kInvalidArgument, "{}: factors of shape {} do not repeat to {}", node.Place(),
                ShapeText(given), ShapeText(in));
  TESSERA_ASSIGN(const TensorId made, make({.op = Op::kPrelu, .inputs = {x, factor}}, in));
  return make.Finish(made);
}

// The factors keep their extents of 1.
Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const TensorId x, c.Activation(0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const auto* factors, c.In(1));
  if (RepeatedShape(from->shape, factors->shape) != from->shape)
    return c.Invalid("factors {} of shape {} do not repeat to {}", factors->Place(),
                     ShapeText(factors->shape), ShapeText(from->shape));
  TESSERA_ASSIGN(const TensorId factor, c.Raised(1, from->shape.size()));
  return c.Finish({.op = Op::kPrelu, .inputs = {x, factor}}, c.tensor(x).shape);
}

// Factors of each channel, as files have them, or another tensor's elements.
void MakeExample(Example& example) {
  Shape factors(example.first().shape.size(), 1);
  const size_t axis = factors.size() > 1 ? 1 : 0;
  factors[axis] = example.first().shape[axis];
  example.node.inputs.push_back(example.draw(0, 1) > 0 ? example.another(false)
                                                       : example.Weights(factors));
}

constexpr OnnxRow kOnnx[] = {{"PRelu", FromOnnx, 1, kNever}};
constexpr TfliteRow kTflite[] = {{"PRELU", 2, 2, FromTflite}};

}  // namespace

constinit const OpDef kPreluDef = {
    .name = "prelu",
    .meaning = "x where it is not negative, else x times a factor; factors of extent 1 repeat",
    .least = 2,
    .most = 2,
    .types = kAllTypes,
    .shape = ShapeOf,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::prelu_op
