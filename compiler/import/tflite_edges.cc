// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs of a .tflite model: they keep the file's types; the graph between them uses
// int8.
#include <algorithm>

#include "compiler/graph/op_def.h"
#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;

namespace {

constexpr int32_t kBelow = 128;  // int8 is uint8 less this

std::vector<int> OrderOf(const Shape& shape) {
  return shape.size() == 4 ? std::vector<int>{0, 2, 3, 1} : std::vector<int>{};
}

}  // namespace

// The shape that the options give, or the file's. An open batch takes the file's extent.
Result<Shape> Converter::InputShape(const TfliteTensor& from, const std::string& place) const {
  const auto asked = options.shapes.find(from.name);
  if (asked == options.shapes.end()) {
    for (size_t d = 1; d < from.open.size(); ++d) {
      if (!from.open[d]) continue;
      return Fail(Code::kUnsupported, "{}: extent {} of its shape is open; give the input a shape",
                  place, d);
    }
  }
  const Shape shape = asked == options.shapes.end() ? from.shape : asked->second;
  bool fits = shape.size() == from.shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = shape[d] == from.shape[d] || (d < from.open.size() && from.open[d]);
  if (!fits) {
    return Fail(Code::kInvalidArgument, "{}: shape {} is asked for, the file has {}", place,
                ShapeText(shape), ShapeText(from.shape));
  }
  if (shape.empty() || std::ranges::any_of(shape, [](int64_t extent) { return extent < 1; })) {
    return Fail(Code::kUnsupported, "{}: shape {}; one or more axes of fixed extent are needed",
                place, ShapeText(shape));
  }
  const Result<int64_t> count = ElementCount(shape, kMostTensorElements);
  if (!count) return Within(place, count.error());
  return shape;
}

Status Converter::Inputs() {
  if (model_.inputs.empty()) return Fail(Code::kInvalidArgument, "the model has no inputs");
  if (!options.known.empty()) {
    return Fail(
        Code::kUnsupported,
        "the value of '{}' is given; that goes with ONNX, a TFLite model is computed with all "
        "of its inputs",
        options.known.begin()->first);
  }
  for (const auto& [name, shape] : options.shapes) {
    if (std::ranges::none_of(model_.inputs, [&, &wanted = name](int index) {
          return model_.tensors[static_cast<size_t>(index)].name == wanted;
        }))
      return Fail(Code::kInvalidArgument, "a shape for '{}' is given; the model has no such input",
                  name);
  }
  for (const int index : model_.inputs) {
    TfliteTensor& from = model_.tensors[static_cast<size_t>(index)];
    const std::string place = "model input: " + from.Place();
    if (made_[static_cast<size_t>(index)] >= 0)
      return Fail(Code::kInvalidArgument, "{} is an input twice", place);
    if (from.constant()) return Fail(Code::kInvalidArgument, "{} is a constant", place);
    TESSERA_ASSIGN(from.shape, InputShape(from, place));
    graph::GraphTensor made{
        .name = from.name, .shape = GraphShape(from.shape), .order = OrderOf(from.shape)};
    if (const auto type = PlainType(from)) {
      made.dtype = *type;
    } else if (IsQuantised(from)) {
      Result<graph::Quant> quant = ActivationQuant(from);
      if (!quant) return Within("model input", quant.error());
      made.dtype = QuantisedType(from);
      made.quant = std::move(*quant);
    } else {
      return Fail(Code::kUnsupported, "{} is {}, which is not supported", place,
                  TypeText(from.type));
    }
    TensorId& id = made_[static_cast<size_t>(index)];
    if (!made.quant || from.type != TensorType::UINT8) {
      id = graph_.AddTensor(std::move(made));
      graph_.inputs.push_back(id);
      continue;
    }
    graph::GraphTensor inside = made;
    inside.name += ".int8";
    inside.order.clear();
    made.dtype = DType::kUint8;
    made.quant->zero[0] += kBelow;
    graph_.inputs.push_back(graph_.AddTensor(std::move(made)));
    id = graph_.AddTensor(std::move(inside));
    graph_.nodes.push_back({.op = graph::Op::kRescale,
                            .name = fmt::format("input_{}.int8", graph_.inputs.size() - 1),
                            .inputs = {graph_.inputs.back()},
                            .output = id,
                            .round = isa::Round::kTflite});
  }
  return {};
}

TensorId Converter::OwnOutput(TensorId id, const std::string& name, bool is_unsigned) {
  if (!is_unsigned && !graph_.tensor(id).constant() && std::ranges::count(graph_.inputs, id) == 0 &&
      std::ranges::count(graph_.outputs, id) == 0)
    return id;
  graph::GraphTensor edge = graph_.tensor(id);
  edge.name = name;
  edge.data.reset();
  edge.order.clear();
  graph::Node made{.op = graph::Op::kReshape,
                   .name = fmt::format("output_{}", graph_.outputs.size()),
                   .inputs = {id},
                   .round = isa::Round::kTflite};
  if (is_unsigned) {
    if (graph_.tensor(id).name == name) graph_.tensor(id).name += ".int8";
    edge.dtype = DType::kUint8;
    edge.quant->zero[0] += kBelow;
    made.op = graph::Op::kRescale;
    made.lo = 0;
    made.hi = 255;
  }
  made.output = graph_.AddTensor(std::move(edge));
  graph_.nodes.push_back(std::move(made));
  return graph_.nodes.back().output;
}

Status Converter::Outputs() {
  if (model_.outputs.empty()) return Fail(Code::kInvalidArgument, "the model has no outputs");
  for (const int index : model_.outputs) {
    const TfliteTensor& from = model_.tensors[static_cast<size_t>(index)];
    TensorId id = made_[static_cast<size_t>(index)];
    if (id < 0) {
      return Fail(Code::kInvalidArgument, "model output: {} is not made by an operator",
                  from.Place());
    }
    const bool is_unsigned = IsQuantised(from) && from.type == TensorType::UINT8;
    id = OwnOutput(id, from.name, is_unsigned);
    graph_.tensor(id).order = OrderOf(from.shape);
    graph_.outputs.push_back(id);
  }
  return {};
}

}  // namespace tessera::tflite_model
