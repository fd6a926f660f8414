// SPDX-License-Identifier: Apache-2.0
//
// Concatenation along an axis; each operand is rescaled to the result's scale. ONNX Concat; TFLite
// CONCATENATION, with one scale for all operands unless they are uint8.
#include <cmath>

#include "compiler/ops/unit.h"

namespace tessera::ops::concat_op {
namespace {

using graph::ConcatAttributes;

Result<Shape> ShapeOf(const NodeCheck& node) {
  Shape made = node.In(0).shape;
  const int along = node.node.As<ConcatAttributes>().axis;
  if (along < 0 || along >= static_cast<int>(made.size()))
    return node.Bad("axis {} of {}", along, made.size());
  const auto axis = static_cast<size_t>(along);
  for (size_t i = 1; i < node.node.inputs.size(); ++i) {
    Shape other = node.In(i).shape;
    if (node.In(i).dtype != node.In(0).dtype)
      return node.Bad("operand {} is {}", node.In(i).name, Text(node.In(i).dtype));
    if (other.size() != made.size())
      return node.Bad("{} has {} axes", node.In(i).name, other.size());
    const int64_t more = other[axis];
    other[axis] = made[axis];
    if (other != made)
      return node.Bad("{} of shape {} does not go after {}", node.In(i).name,
                      ShapeText(node.In(i).shape), ShapeText(made));
    made[axis] += more;
  }
  return made;
}

Status Check(const NodeCheck& node) {
  return node.Out().dtype == DType::kInt16 ? node.KeepsScale() : Status{};
}

// TFLite allows several scales only for uint8 and computes in float32: a table of 256 entries for
// each operand, indexed from uint8's least value.
Status SingleTables(const Graph& graph, const Node& node, Requant& requant) {
  const float steps = 1 / quantize::Single(quantize::ResultScale(graph, node));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const float scale = quantize::Single(quantize::ScaleOf(graph, node, i)) * steps;
    const float bias = -static_cast<float>(quantize::ZeroOf(graph, node, i) + 128) * scale;
    for (int32_t q = 0; q < 256; ++q) {
      const float value = std::round(static_cast<float>(q) * scale + bias);
      const float least = static_cast<float>(requant.lo - requant.out_zero),
                  most = static_cast<float>(requant.hi - requant.out_zero);
      requant.table.push_back(static_cast<int16_t>(
          static_cast<int32_t>(std::clamp(value, least, most)) + requant.out_zero));
    }
  }
  return {};
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  if (graph.tensor(node.output).dtype == DType::kInt16) return {};  // Check: no operand is rescaled
  bool kept = true;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    kept = kept && graph::KeepsNumbers(graph, node, i);
  if (node.round == isa::Round::kTflite && !kept) return SingleTables(graph, node, requant);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const double factor = quantize::ScaleOf(graph, node, i) / quantize::ResultScale(graph, node);
    TESSERA_TRY(quantize::SetFactors(node, {factor}, {255}, requant));
    requant.operands.push_back({.zero = quantize::ZeroOf(graph, node, i),
                                .left = 0,
                                .multiplier = requant.multiplier.back(),
                                .shift = requant.shift.back()});
  }
  return {};
}

// An element of operand |i| in the result's scale, read from |tables| if there are any.
Expr Brought(const RegionBuilder& b, const Node& node, size_t i, Expr value,
             const te::Tensor& tables) {
  if (graph::KeepsNumbers(b.graph(), node, i)) return value;
  if (tables)
    return tables(Expr(static_cast<int64_t>(i)), ir::Cast(DType::kInt64, value) + Expr(128));
  const Requant& q = *node.requant;
  const graph::OperandScale& scale = q.operands[i];
  return te::Narrow(
      b, node,
      ir::Requant(Wide(value) - I32(scale.zero), I32(scale.multiplier), I32(scale.shift), q.round));
}

void Body(RegionBuilder& b, const Node& node) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const auto axis = static_cast<size_t>(node.As<ConcatAttributes>().axis);
  std::vector<te::Tensor> parts;
  for (const TensorId id : node.inputs) parts.push_back(b.Value(id));
  te::Tensor tables;
  if (node.requant && !node.requant->table.empty())
    tables =
        b.Constant(out.name + ".table", DType::kInt8, {std::ssize(parts), 256},
                   std::vector<int8_t>(node.requant->table.begin(), node.requant->table.end()));
  b.SetValue(node.output, te::Compute(b.Name(out.name), out.shape, {}, [&](const Indices& i) {
               // The last operand needs no condition: it takes all remaining indices.
               int64_t first = out.shape[axis];
               Expr value;
               for (size_t k = parts.size(); k-- > 0;) {
                 const int64_t end = first;
                 first -= parts[k].shape()[axis];
                 Indices from = i;
                 from[axis] = i[axis] - Expr(first);
                 const Expr here = Brought(b, node, k, parts[k](from), tables);
                 value = value ? ir::Select(ir::Lt(i[axis], Expr(end)), here, value) : here;
               }
               return value;
             }));
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  if (node.inputs.empty()) return Fail(Code::kInvalidArgument, "{}: no operands", node.Place());
  Node made{.op = Op::kConcat};
  Shape sum;
  const auto axis = node.attributes.find("axis");
  int64_t along = axis == node.attributes.end() ? 1 : axis->second.i.value_or(1);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    TESSERA_ASSIGN(const TensorId x, c.Operand(node, i));
    Shape shape = c.tensor(x).shape;
    const auto rank = static_cast<int64_t>(shape.size());
    if (i == 0) {
      sum = shape;
      if (along < -rank || along >= rank) {
        return Fail(Code::kInvalidArgument, "{}: axis {} of shape {}", node.Place(), along,
                    ShapeText(shape));
      }
      along += along < 0 ? rank : 0;
    } else {
      const int64_t more = rank == std::ssize(sum) ? shape[static_cast<size_t>(along)] : 0;
      if (more > 0) shape[static_cast<size_t>(along)] = sum[static_cast<size_t>(along)];
      if (shape != sum) {
        return Fail(Code::kInvalidArgument, "{}: operand {} of shape {} does not go beside {}",
                    node.Place(), i, ShapeText(c.tensor(x).shape), ShapeText(sum));
      }
      sum[static_cast<size_t>(along)] += more;
    }
    made.inputs.push_back(x);
  }
  if (made.inputs.size() == 1) {
    made.op = Op::kRescale;
  } else {
    made.attributes = ConcatAttributes{static_cast<int>(along)};
  }
  return c.EmitInto(std::move(made), node, sum);
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::ConcatenationOptions>());
  if (options->fused_activation_function() != tflite_file::ActivationFunctionType::NONE)
    return c.Unsupported("a fused activation");
  TESSERA_ASSIGN(const auto* first, c.In(0));
  const int rank = static_cast<int>(first->shape.size());
  const int axis = options->axis() < 0 ? options->axis() + rank : options->axis();
  if (axis < 0 || axis >= rank)
    return c.Invalid("axis {} of shape {}", options->axis(), ShapeText(first->shape));
  Node made{.op = Op::kConcat};
  Shape sum = first->shape;
  for (size_t i = 0; i < c.op().inputs.size(); ++i) {
    TESSERA_ASSIGN(const auto* from, c.In(i));
    Shape shape = from->shape;
    if (shape.size() == sum.size())
      shape[static_cast<size_t>(axis)] = sum[static_cast<size_t>(axis)];
    if (shape != sum) {
      return c.Invalid("input {} of shape {} does not go beside {} along axis {}", from->Place(),
                       ShapeText(from->shape), ShapeText(first->shape), axis);
    }
    if (i > 0) sum[static_cast<size_t>(axis)] += from->shape[static_cast<size_t>(axis)];
    TESSERA_ASSIGN(const TensorId x, c.Activation(i));
    if (c.Out().type != tflite_model::TensorType::UINT8 || c.op().inputs.size() == 1)
      TESSERA_TRY(c.SameScale(x));
    made.inputs.push_back(x);
  }
  // A single operand is unchanged.
  if (made.inputs.size() == 1) {
    made.op = Op::kReshape;
  } else {
    made.attributes = ConcatAttributes{tflite_model::GraphAxis(first->shape.size(), axis)};
  }
  return c.Finish(std::move(made), tflite_model::GraphShape(sum));
}

void MakeExample(Example& example) {
  const auto rank = static_cast<int64_t>(example.first().shape.size());
  example.node.inputs.push_back(example.another(false));
  example.node.attributes = ConcatAttributes{static_cast<int>(example.draw(1, rank - 1))};
}

constexpr OnnxRow kOnnx[] = {{"Concat", FromOnnx, SIZE_MAX}};
constexpr TfliteRow kTflite[] = {{"CONCATENATION", 1, 1024, FromTflite}};

}  // namespace

constinit const OpDef kConcatDef = {
    .name = "concat",
    .meaning = "tensors one after the other along an axis, each brought to the scale of the result",
    .category = Category::kInjective,
    .least = 2,
    .most = 1024,
    .types = kAnyTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<ConcatAttributes>,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::concat_op
