// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs of an ONNX file's graph, and the list of operators that are not supported.
#include <algorithm>

#include "compiler/graph/op_def.h"
#include "compiler/import/qdq.h"

namespace tessera::onnx_model {
namespace {

using graph::Quant;
using graph::TensorId;

}  // namespace

// Report all missing operators in one message, so that the user sees them at once.
Status QdqConverter::CheckOperators() const {
  std::map<std::string, std::vector<const OnnxNode*>> missing;
  for (const OnnxNode& node : model_.nodes) {
    if (!RowOf(node.op_type)) missing[node.op_type].push_back(&node);
  }
  if (missing.empty()) return {};
  const OnnxNode& first = *missing.begin()->second[0];
  if (missing.size() == 1 && missing.begin()->second.size() == 1) {
    return Fail(Code::kUnsupported,
                "{}: operator {} is not supported; docs/operators.md lists those that are",
                first.Place(), first.op_type);
  }
  std::string list;
  for (const auto& [type, nodes] : missing)
    list += fmt::format("{}{} x {} (first: node {})", list.empty() ? "" : ", ", nodes.size(), type,
                        nodes[0]->index);
  return Fail(Code::kUnsupported,
              "operators that are not supported: {}; docs/operators.md lists those that are", list);
}

Status QdqConverter::Known(const Value& value) {
  const HostTensor& given = options_.known.at(value.name);
  const std::string place = fmt::format("input '{}'", value.name);
  if (value.dtype && *value.dtype != given.dtype) {
    return Fail(Code::kInvalidArgument, "{}: its value is given as {}, the model has {}", place,
                Text(given.dtype), Text(*value.dtype));
  }
  bool fits = !value.shape || value.shape->size() == given.shape.size();
  for (size_t d = 0; fits && value.shape && d < given.shape.size(); ++d)
    fits = (*value.shape)[d] == -1 || (*value.shape)[d] == given.shape[d];
  if (!fits) {
    return Fail(Code::kInvalidArgument, "{}: its value is given with shape {}, the model has {}",
                place, ShapeText(given.shape), ShapeText(*value.shape));
  }
  computed_[value.name] = given;
  return {};
}

Status QdqConverter::Inputs() {
  if (model_.inputs.empty() && options_.known.empty())
    return Fail(Code::kInvalidArgument, "the model has no inputs");
  const auto check = [&](const std::string& name) -> Status {
    if (std::ranges::count(model_.inputs, name, &Value::name) > 0) return {};
    std::string names;
    for (const Value& value : model_.inputs) names += (names.empty() ? "" : ", ") + value.name;
    return Fail(Code::kNotFound, "the model has no input '{}'; it has {}", name, names);
  };
  for (const auto& [name, shape] : options_.shapes) TESSERA_TRY(check(name));
  for (const auto& [name, value] : options_.known) TESSERA_TRY(check(name));
  for (const Value& value : model_.inputs) {
    if (options_.known.contains(value.name)) {
      TESSERA_TRY(Known(value));
      continue;
    }
    const std::string place = fmt::format("input '{}'", value.name);
    const auto given = options_.shapes.find(value.name);
    if (!value.shape && given == options_.shapes.end()) {
      return Fail(Code::kInvalidArgument,
                  "{}: the model gives no shape; run shape inference on it, or give --shape "
                  "{}=1,3,224,224",
                  place, value.name);
    }
    if (!value.dtype) {
      return Fail(Code::kUnsupported,
                  "{}: its type is not float32, float16, int8, uint8, int16, int32, int64 or bool",
                  place);
    }
    std::vector<int64_t> shape = given == options_.shapes.end() ? *value.shape : given->second;
    if (given != options_.shapes.end() && value.shape) {
      bool fits = shape.size() == value.shape->size();
      for (size_t d = 0; fits && d < shape.size(); ++d)
        fits = (*value.shape)[d] == -1 || (*value.shape)[d] == shape[d];
      if (!fits) {
        return Fail(Code::kInvalidArgument,
                    "{}: --shape gives {}, the model has {} (-1: any extent)", place,
                    ShapeText(shape), ShapeText(*value.shape));
      }
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i == 0 && shape[0] == -1) shape[0] = 1;
      if (shape[i] <= 0) {
        std::string example;
        for (const int64_t extent : shape)
          example += fmt::format("{}{}", example.empty() ? "" : ",", extent > 0 ? extent : 32);
        return Fail(Code::kInvalidArgument,
                    "{}: extent {} is not known; only the first may be left open: give its shape, "
                    "say --shape {}={}",
                    place, i, value.name, example);
      }
    }
    const Result<int64_t> count = ElementCount(shape, kMostTensorElements);
    if (!count) return Within(place, count.error());
    graph_.inputs.push_back(
        graph_.AddTensor({value.name, *value.dtype, shape, std::nullopt, std::nullopt}));
    plain_[value.name] = graph_.inputs.back();
  }
  return {};
}

Status QdqConverter::Outputs() {
  if (model_.outputs.empty()) return Fail(Code::kInvalidArgument, "the model has no outputs");
  for (const Value& value : model_.outputs) {
    OnnxNode place{.op_type = "output", .name = value.name, .outputs = {value.name}};
    TensorId id = -1;
    if (const auto it = ints_.find(value.name); it != ints_.end()) {
      id = it->second;
      if (unsigned_.contains(value.name)) {
        const graph::GraphTensor from = graph_.tensor(id);
        Quant quant = *from.quant;
        quant.zero[0] += 128;
        graph::Node made{.op = graph::Op::kRescale, .name = value.name, .inputs = {id}};
        made.lo = 0;
        made.hi = 255;
        made.output =
            graph_.AddTensor({value.name, DType::kUint8, from.shape, quant, std::nullopt});
        id = made.output;
        graph_.nodes.push_back(std::move(made));
      }
    } else if (plain_.contains(value.name) || reals_.contains(value.name) ||
               Initializer(value.name)) {
      TESSERA_ASSIGN(id, PlainValue(place, value.name));
      const graph::GraphTensor made = graph_.tensor(id);
      if (made.constant() && graph_.inputs.empty())
        return Fail(Code::kUnsupported, "output '{}' is a constant: nothing is left to run",
                    value.name);
      // An input, a constant or another output cannot take this name: the output gets a copy.
      if (made.constant() ||
          std::ranges::count(graph_.inputs, id) + std::ranges::count(graph_.outputs, id) > 0) {
        graph::Node copy{.op = graph::Op::kCast, .name = value.name, .inputs = {id}};
        copy.output =
            graph_.AddTensor({value.name, made.dtype, made.shape, std::nullopt, std::nullopt});
        id = copy.output;
        graph_.nodes.push_back(std::move(copy));
      }
      graph_.tensor(id).name = value.name;
    } else {
      return Fail(Code::kInvalidArgument, "output '{}' is not made by an operator", value.name);
    }
    graph_.outputs.push_back(id);
  }
  return {};
}

// A value of the file may become several tensors of the graph: a float result and its integers, or
// a constant with two uses. The file may also use a name that the converter makes up.
void QdqConverter::MakeNamesUnique() {
  std::set<std::string> taken;
  const auto make_unique = [&](std::string& name) {
    const std::string wanted = name;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}.{}", wanted, n);
  };
  std::set<TensorId> edges;
  for (const auto* ids : {&graph_.inputs, &graph_.outputs}) {  // these keep their names
    for (const TensorId id : *ids) {
      if (edges.insert(id).second) make_unique(graph_.tensor(id).name);
    }
  }
  for (size_t i = 0; i < graph_.tensors.size(); ++i) {
    if (!edges.contains(static_cast<TensorId>(i))) make_unique(graph_.tensors[i].name);
  }
  taken.clear();
  for (graph::Node& node : graph_.nodes) make_unique(node.name);
}

}  // namespace tessera::onnx_model
