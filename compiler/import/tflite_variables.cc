// SPDX-License-Identifier: Apache-2.0
//
// Variables of a .tflite file: resources, which handles name, and variable tensors, which are
// inputs that an operator changes. The value before the model runs is an input of the graph, the
// value afterwards an output.
#include <algorithm>

#include "compiler/import/tflite_convert.h"

namespace tessera::tflite_model {

using graph::TensorId;

// TfliteModel::first already holds the first values.
Status Converter::CallOnce() { return {}; }

// FindVariables has recorded the handle.
Status Converter::VarHandle() { return {}; }

Status Converter::FindVariables() {
  for (const Operator& op : model_.operators) {
    if (op.code == BuiltinOperator::VAR_HANDLE && op.outputs.size() == 1) {
      TESSERA_ASSIGN(const std::string name, VariableName(op));
      handles_[op.outputs[0]] = name;
      variables_[name].place = fmt::format("variable '{}'", name);
    }
    if (op.code != BuiltinOperator::ASSIGN_VARIABLE || op.inputs.empty()) continue;
    const auto handle = handles_.find(op.inputs[0]);
    if (handle != handles_.end()) variables_[handle->second].assigned = true;
  }
  return {};
}

Result<Converter::Variable*> Converter::VariableOf(size_t i) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  const auto handle = handles_.find(from->index);
  if (handle == handles_.end())
    return Unsupported("input {} is no variable that VAR_HANDLE names", from->Place());
  return &variables_.at(handle->second);
}

Status Converter::ReadVariable() {
  TESSERA_ASSIGN(Variable* const variable, VariableOf(0));
  TensorId& id = made_[static_cast<size_t>(Out().index)];
  if (variable->now < 0) {
    const auto first = model_.first.find(handles_.at(op_->inputs[0]));
    if (first == model_.first.end())
      return Unsupported("{} has no first value, which a CALL_ONCE puts into it", variable->place);
    const TfliteTensor& value = first->second;
    if (value.type != Out().type || value.shape != Out().shape ||
        IsQuantised(value) != IsQuantised(Out())) {
      return Invalid("{} begins as {} of shape {} and is read as {} of shape {}", variable->place,
                     TypeText(value.type), ShapeText(value.shape), TypeText(Out().type),
                     ShapeText(Out().shape));
    }
    TESSERA_TRY(Reserve(value.data.size()));
    TESSERA_ASSIGN(graph::GraphTensor made, ConstantOf(value));
    TESSERA_ASSIGN(made.quant, ResultQuant());
    made.name = Out().name;
    if (variable->assigned) {
      variable->first = std::exchange(made.data, std::nullopt);
      states_.push_back(variable);
    }
    variable->now = graph_.AddTensor(std::move(made));
    if (variable->assigned) graph_.inputs.push_back(variable->now);
  }
  id = variable->now;
  TESSERA_TRY(ShapeIs(FileShape(graph_.tensor(id).shape)));
  return SameScale(id);
}

Status Converter::AssignVariable() {
  TESSERA_ASSIGN(Variable* const variable, VariableOf(0));
  TESSERA_ASSIGN(const TensorId x, Operand(1));
  return Assign(*variable, x);
}

Status Converter::Assign(Variable& variable, TensorId x) {
  const graph::GraphTensor& to = graph_.tensor(x);
  if (variable.now >= 0) {
    const graph::GraphTensor& from = graph_.tensor(variable.now);
    if (from.dtype != to.dtype || from.shape != to.shape || from.quant != to.quant)
      return Invalid("{} of shape {} is assigned {} of shape {}, or another type or scale",
                     variable.place, ShapeText(FileShape(from.shape)), to.name,
                     ShapeText(FileShape(to.shape)));
  }
  variable.now = x;
  return {};
}

Result<TensorId> Converter::StateNow(size_t i, bool plain) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  if (!from->variable) return Invalid("input {} is no variable", from->Place());
  Variable& variable = variables_[fmt::format("#{}", from->index)];
  if (variable.now >= 0) return variable.now;
  variable.place = from->Place();
  graph::GraphTensor made{.name = from->name, .shape = GraphShape(from->shape)};
  uint8_t zero = 0;
  if (const auto type = PlainType(*from)) {
    made.dtype = *type;
  } else if (plain) {
    made.dtype = QuantisedType(*from);
  } else if (from->type == TensorType::INT8) {
    TESSERA_ASSIGN(made.quant, ActivationQuant(*from));
    zero = static_cast<uint8_t>(made.zero());
  } else {
    return Unsupported("input {} is {}; variables of INT8, INT16 and floats are supported",
                       from->Place(), TypeText(from->type));
  }
  const auto bytes = static_cast<size_t>(made.count() * SizeOf(made.dtype));
  TESSERA_TRY(Reserve(bytes));
  variable.first = std::vector<uint8_t>(bytes, zero);
  states_.push_back(&variable);
  variable.now = graph_.AddTensor(std::move(made));
  graph_.inputs.push_back(variable.now);
  return variable.now;
}

Status Converter::SetState(size_t i, TensorId x) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(i));
  return Assign(variables_.at(fmt::format("#{}", from->index)), x);
}

void Converter::States() {
  for (Variable* variable : states_) {
    const std::string name =
        graph_.tensor(graph_.inputs[graph_.inputs.size() - states_.size() + graph_.states.size()])
            .name;
    graph_.outputs.push_back(OwnOutput(variable->now, name + ".next", false));
    graph_.states.push_back(std::move(*variable->first));
  }
}

}  // namespace tessera::tflite_model
