// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite_convert.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "compiler/graph/op_def.h"
#include "compiler/import/tflite.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;

namespace {

const graph::TfliteRow* RowOf(std::string_view type) {
  for (const graph::OpDef* def : graph::AllOps()) {
    for (const graph::TfliteRow& row : def->tflite) {
      if (row.type == type) return &row;
    }
  }
  return nullptr;
}

}  // namespace

Result<graph::Graph> Converter::Convert() {
  graph_.name = model_.name;
  TESSERA_TRY(Inputs());
  for (const Operator& op : model_.operators) TESSERA_TRY(One(op));
  TESSERA_TRY(Outputs());
  MakeNamesUnique();
  TESSERA_TRY(graph::Verify(graph_));
  return std::move(graph_);
}

Status Converter::Inputs() {
  if (model_.inputs.empty()) return Fail(Code::kInvalidArgument, "the model has no inputs");
  for (const int index : model_.inputs) {
    const TfliteTensor& from = model_.tensors[static_cast<size_t>(index)];
    const std::string place = "model input: " + from.Place();
    if (made_[static_cast<size_t>(index)] >= 0)
      return Fail(Code::kInvalidArgument, "{} is an input twice", place);
    if (from.constant()) return Fail(Code::kInvalidArgument, "{} is a constant", place);
    if (from.shape.empty() || std::ranges::count(from.shape, 0) > 0) {
      return Fail(Code::kUnsupported, "{}: shape {}; one or more axes of fixed extent are needed",
                  place, ShapeText(from.shape));
    }
    graph::GraphTensor made{.name = from.name, .shape = GraphShape(from.shape)};
    if (from.shape.size() == 4) made.order = {0, 2, 3, 1};
    if (const auto type = FloatType(from.type)) {
      made.dtype = *type;
    } else if (from.type == TensorType::INT8) {
      Result<graph::Quant> quant = ActivationQuant(from);
      if (!quant) return Within("model input", quant.error());
      made.quant = std::move(*quant);
    } else {
      return Fail(Code::kUnsupported, "{} is {}; INT8, FLOAT32 and FLOAT16 are supported", place,
                  TypeText(from.type));
    }
    made_[static_cast<size_t>(index)] = graph_.AddTensor(std::move(made));
    graph_.inputs.push_back(made_[static_cast<size_t>(index)]);
  }
  return {};
}

Status Converter::Outputs() {
  if (model_.outputs.empty()) return Fail(Code::kInvalidArgument, "the model has no outputs");
  for (const int index : model_.outputs) {
    const TfliteTensor& from = model_.tensors[static_cast<size_t>(index)];
    const TensorId id = made_[static_cast<size_t>(index)];
    if (id < 0 || std::ranges::count(graph_.inputs, id) > 0) {
      return Fail(Code::kInvalidArgument, "model output: {} is not made by an operator",
                  from.Place());
    }
    if (std::ranges::count(graph_.outputs, id) > 0)
      return Fail(Code::kInvalidArgument, "model output: {} is an output twice", from.Place());
    if (from.shape.size() == 4) graph_.tensor(id).order = {0, 2, 3, 1};
    graph_.outputs.push_back(id);
  }
  return {};
}

Status Converter::One(const Operator& op) {
  op_ = &op;
  const graph::TfliteRow* row = RowOf(op.type);
  if (!row) {
    return Unsupported("operator {} is not supported{} (supported: {})", op.type,
                       op.outputs.empty() ? "" : "; it makes " + Out().Place(), TfliteOperators());
  }
  if (op.inputs.size() < row->least || op.inputs.size() > row->most) {
    return Invalid("{} inputs, takes {} to {}", op.inputs.size(), row->least, row->most);
  }
  if (op.outputs.size() != 1) return Invalid("{} results, makes one", op.outputs.size());
  if (Out().constant()) return Invalid("its result {} is a constant", Out().Place());
  if (made_[static_cast<size_t>(Out().index)] >= 0)
    return Invalid("its result {} has another maker", Out().Place());
  return row->convert(*this);
}

// Tensors of a file may share a name, and those between the nodes of one operator have made-up
// names. The model's inputs and outputs keep theirs.
void Converter::MakeNamesUnique() {
  std::set<std::string> taken;
  std::map<std::string, int>
      next;  // so that a thousand equal names do not try each other's numbers
  const auto make_unique = [&](std::string& name) {
    const std::string wanted = name.empty() ? "tensor" : name;
    name = wanted;
    while (!taken.insert(name).second) {
      int& n = next.try_emplace(wanted, 2).first->second;
      name = fmt::format("{}.{}", wanted, n++);
    }
  };
  std::set<TensorId> edges;
  for (const auto* ids : {&graph_.inputs, &graph_.outputs}) {
    for (const TensorId id : *ids) {
      if (edges.insert(id).second) make_unique(graph_.tensor(id).name);
    }
  }
  for (size_t i = 0; i < graph_.tensors.size(); ++i) {
    if (!edges.contains(static_cast<TensorId>(i))) make_unique(graph_.tensors[i].name);
  }
}

}  // namespace tessera::tflite_model
