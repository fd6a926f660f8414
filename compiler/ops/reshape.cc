// SPDX-License-Identifier: Apache-2.0
//
// Another shape for the same elements. ONNX Flatten, Reshape, Squeeze, Unsqueeze, and the operators
// without effect: Identity, Dropout; TFLite RESHAPE, SQUEEZE, EXPAND_DIMS.
#include <functional>
#include <numeric>
#include <set>

#include "compiler/ops/unit.h"

namespace tessera::ops::reshape_op {
namespace {

using graph::OnnxWhen::kAlways;

constexpr size_t kMaxRank = 8;

// The operand does not determine the result's shape; only the element counts must agree.
Result<Shape> ShapeOf(const NodeCheck& node) {
  if (node.In(0).count() != node.Out().count() || node.In(0).dtype != node.Out().dtype ||
      node.In(0).quant != node.Out().quant) {
    return node.Bad("{} cannot become {}, or the scales differ", ShapeText(node.In(0).shape),
                    ShapeText(node.Out().shape));
  }
  return node.Out().shape;
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const GraphTensor& out = b.graph().tensor(node.output);
  b.SetValue(node.output, te::Compute(b.Name(out.name), out.shape, {}, [&](const Indices& i) {
               Expr flat = Expr(0);
               for (size_t d = 0; d < i.size(); ++d) flat = flat * Expr(out.shape[d]) + i[d];
               Indices from(x.shape().size());
               for (size_t d = from.size(); d-- > 0;) {
                 from[d] = d == 0 ? flat : ir::FloorMod(flat, Expr(x.shape()[d]));
                 flat = ir::FloorDiv(flat, Expr(x.shape()[d]));
               }
               return x(from);
             }));
}

// The shape that Flatten, Reshape, Squeeze or Unsqueeze makes of |in|. The caller checks that it
// holds as many elements.
Result<Shape> NewShape(const QdqConverter& c, const OnnxNode& node, const Shape& in) {
  const int64_t rank = static_cast<int64_t>(in.size());
  const int64_t count = std::accumulate(in.begin(), in.end(), int64_t{1}, std::multiplies<>());
  if (node.op_type == "Flatten") {
    int64_t axis = node.IntOr("axis", 1);
    if (axis < 0 && axis >= -rank) axis += rank;
    if (axis < 0 || axis > rank)
      return Fail(Code::kInvalidArgument, "{}: axis {} of shape {}", node.Place(), axis,
                  ShapeText(in));
    const int64_t rows =
        std::accumulate(in.begin(), in.begin() + axis, int64_t{1}, std::multiplies<>());
    return Shape{rows, count / rows};
  }
  std::vector<int64_t> values = node.Ints("axes");
  if (node.op_type == "Reshape" || (node.inputs.size() > 1 && !node.inputs[1].empty())) {
    TESSERA_ASSIGN(values, c.Integers(node, 1));
  }
  if (values.size() > kMaxRank) {
    return Fail(Code::kUnsupported, "{}: {} axes, at most {} are supported", node.Place(),
                values.size(), kMaxRank);
  }
  if (node.op_type == "Reshape") {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0 && i < in.size() && node.IntOr("allowzero", 0) == 0) values[i] = in[i];
    }
    const auto unknown = std::ranges::find(values, -1);
    if (unknown == values.end()) return values;
    *unknown = 1;
    const Result<int64_t> rest = ElementCount(values);
    *unknown = rest && *rest > 0 ? count / *rest : -1;
    return values;
  }
  const bool grows = node.op_type == "Unsqueeze";
  const int64_t out_rank = rank + (grows ? static_cast<int64_t>(values.size()) : 0);
  std::set<int64_t> axes;
  for (const int64_t v : values) {
    if (v < -out_rank || v >= out_rank || !axes.insert(v < 0 ? v + out_rank : v).second) {
      return Fail(Code::kInvalidArgument, "{}: axis {} of shape {}", node.Place(), v,
                  ShapeText(in));
    }
  }
  std::vector<int64_t> shape;
  for (int64_t i = 0, next = 0; i < out_rank; ++i) {
    if (grows) {
      shape.push_back(axes.contains(i) ? 1 : in[static_cast<size_t>(next++)]);
    } else if (!(axes.empty() ? in[static_cast<size_t>(i)] == 1 : axes.contains(i))) {
      shape.push_back(in[static_cast<size_t>(i)]);
    }
  }
  return shape;
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  const Shape in = c.tensor(x).shape;
  TESSERA_ASSIGN(const Shape shape, NewShape(c, node, in));
  const Result<int64_t> got = ElementCount(shape);
  if (!got || *got != c.tensor(x).count() || shape.size() > kMaxRank) {
    return Fail(Code::kInvalidArgument, "{}: {}", node.Place(), graph::CannotBecome(in, shape));
  }
  if (shape == in) {
    c.SetReal(node.outputs[0], x);
    return {};
  }
  return c.EmitReal({.op = Op::kReshape, .inputs = {x}}, node, shape);
}

// A Dropout in training mode drops elements and is refused.
Status FromIdentity(QdqConverter& c, const OnnxNode& node) {
  if (node.op_type == "Dropout" && node.inputs.size() > 2 && !node.inputs[2].empty()) {
    const HostTensor* training = c.Initializer(node.inputs[2]);
    if (!training || training->dtype != DType::kBool || training->count() != 1 ||
        training->bytes[0] != 0)
      return Fail(Code::kUnsupported, "{}: training_mode '{}' is not a constant false",
                  node.Place(), node.inputs[2]);
  }
  TESSERA_ASSIGN(const TensorId x, c.Operand(node, 0));
  c.SetReal(node.outputs[0], x);
  return {};
}

int64_t Count(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

Status FromReshape(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  Shape shape;
  if (c.Has(1)) {
    TESSERA_ASSIGN(shape, c.Integers(1));
  } else {
    TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::ReshapeOptions>());
    if (!options->new_shape() || options->new_shape()->size() > kMaxRank)
      return c.Invalid("its options have no shape of 1 to {} axes", kMaxRank);
    shape.assign(options->new_shape()->begin(), options->new_shape()->end());
  }
  const auto unknown = std::ranges::find(shape, -1);
  if (unknown != shape.end()) {
    *unknown = 1;
    const Result<int64_t> rest = ElementCount(shape);
    *unknown = rest && *rest > 0 ? Count(from->shape) / *rest : -1;
  }
  return c.ReshapeTo(shape);
}

Status FromSqueeze(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  const int rank = static_cast<int>(from->shape.size());
  const auto* options = c.op().table->builtin_options_as<tflite_file::SqueezeOptions>();
  std::set<int> axes;
  if (options && options->squeeze_dims()) {
    for (const int axis : *options->squeeze_dims()) {
      if (axis < -rank || axis >= rank ||
          from->shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)] != 1) {
        return c.Invalid("axis {} of {} with shape {} is not one of extent 1", axis, from->Place(),
                         ShapeText(from->shape));
      }
      axes.insert(axis < 0 ? axis + rank : axis);
    }
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const int64_t extent = from->shape[static_cast<size_t>(i)];
    if (axes.empty() ? extent != 1 : !axes.contains(i)) shape.push_back(extent);
  }
  return c.ReshapeTo(shape);
}

Status FromExpandDims(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  TESSERA_ASSIGN(const std::vector<int64_t> axes, c.Integers(1));
  const int64_t rank = static_cast<int64_t>(from->shape.size());
  if (axes.size() != 1 || axes[0] < -rank - 1 || axes[0] > rank) {
    return c.Invalid("its axis is not one of {} to {}", -rank - 1, rank);
  }
  Shape shape = from->shape;
  shape.insert(shape.begin() + (axes[0] < 0 ? axes[0] + rank + 1 : axes[0]), 1);
  return c.ReshapeTo(shape);
}

// Shapes are fixed at import, so the result is a constant.
Status FromShape(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  std::vector<uint8_t> bytes;
  const auto put = [&]<typename T>(T extent) {
    const auto* first = reinterpret_cast<const uint8_t*>(&extent);
    bytes.insert(bytes.end(), first, first + sizeof(T));
  };
  for (const int64_t extent : from->shape) {
    if (c.Out().type == tflite_model::TensorType::INT64)
      put(extent);
    else
      put(static_cast<int32_t>(extent));
  }
  return c.FinishValue({std::ssize(from->shape)}, std::move(bytes));
}

void MakeExample(Example& example) {
  const GraphTensor& x = example.first();
  example.shape = Shape{x.shape[0], x.count() / x.shape[0]};
  example.KeepScale();
}

constexpr OnnxRow kOnnx[] = {
    {"Flatten", FromOnnx, 1, kAlways},      {"Reshape", FromOnnx, 1, kAlways},
    {"Squeeze", FromOnnx, 1, kAlways},      {"Unsqueeze", FromOnnx, 1, kAlways},
    {"Identity", FromIdentity, 1, kAlways}, {"Dropout", FromIdentity, 1, kAlways}};
constexpr TfliteRow kTflite[] = {{"RESHAPE", 1, 2, FromReshape},
                                 {"SQUEEZE", 1, 1, FromSqueeze},
                                 {"SHAPE", 1, 1, FromShape},
                                 {"EXPAND_DIMS", 2, 2, FromExpandDims}};

}  // namespace

constinit const OpDef kReshapeDef = {
    .name = "reshape",
    .meaning = "the same elements in row-major order under another shape",
    .category = Category::kInjective,
    .types = kAnyTypes,
    .shape = ShapeOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::reshape_op
