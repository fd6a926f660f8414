// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite_convert.h"

#include <algorithm>
#include <cctype>
#include <map>
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
  for (const graph::TfliteRow& row : graph::ComposedTflite()) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

}  // namespace

Result<graph::Graph> Converter::Convert() {
  graph_.name = model_.name;
  TESSERA_TRY(CheckOperators());
  TESSERA_TRY(Inputs());
  TESSERA_TRY(FindVariables());
  for (const Operator& op : model_.operators) TESSERA_TRY(One(op));
  TESSERA_TRY(Outputs());
  States();
  MakeNamesUnique();
  TESSERA_TRY(graph::Verify(graph_));
  return std::move(graph_);
}

// Report all missing operators in one message, so that the user sees them at once.
Status Converter::CheckOperators() const {
  std::map<std::string, std::vector<const Operator*>> missing;
  for (const Operator& op : model_.operators) {
    if (!RowOf(op.type)) missing[op.type].push_back(&op);
  }
  if (missing.empty()) return {};
  const Operator& first = *missing.begin()->second[0];
  if (missing.size() == 1 && missing.begin()->second.size() == 1) {
    return Fail(Code::kUnsupported, "{}: operator {} is not supported{} (supported: {})",
                first.Place(), first.type,
                first.outputs.empty()
                    ? ""
                    : "; it makes " + model_.tensors[static_cast<size_t>(first.outputs[0])].Place(),
                TfliteOperators());
  }
  std::string list;
  for (const auto& [type, ops] : missing)
    list += fmt::format("{}{} x {} (first: operator {})", list.empty() ? "" : ", ", ops.size(),
                        type, ops[0]->index);
  return Fail(Code::kUnsupported, "operators that are not supported: {} (supported: {})", list,
              TfliteOperators());
}

Status Converter::One(const Operator& op) {
  op_ = &op;
  const graph::TfliteRow& row = *RowOf(op.type);  // CheckOperators has made sure of it
  if (op.inputs.size() < row.least || op.inputs.size() > row.most)
    return Invalid("{} inputs, takes {} to {}", op.inputs.size(), row.least, row.most);
  if (op.outputs.empty() != (row.results == 0) || op.outputs.size() > row.results) {
    return Invalid("{} results, makes {}", op.outputs.size(),
                   row.results == 0   ? "none"
                   : row.results == 1 ? "one"
                                      : fmt::format("1 to {}", row.results));
  }
  for (size_t k = op.outputs.size(); k-- > 0;) {
    Select(k);
    if (Out().constant()) return Invalid("its result {} is a constant", Out().Place());
    if (made_[static_cast<size_t>(Out().index)] >= 0)
      return Invalid("its result {} has another maker", Out().Place());
  }
  return row.convert(*this);
}

// Tensors of a file may share a name, and tensors between the nodes of one operator have made-up
// names. The model's inputs and outputs keep their names.
void Converter::MakeNamesUnique() {
  std::set<std::string> taken;
  std::map<std::string, int>
      next;  // the next suffix to try for a name; keeps many equal names linear
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
