// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite_convert.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;

// The operators that are read, with the numbers of their inputs.
struct Converter::Row {
  BuiltinOperator code;
  size_t least, most;
  Status (Converter::*convert)();

  static const Row* Find(BuiltinOperator code);
  static std::string Names();
  static const Row kAll[];
};

const Converter::Row Converter::Row::kAll[] = {
    {BuiltinOperator::ADD, 2, 2, &Converter::Add},
    {BuiltinOperator::AVERAGE_POOL_2D, 1, 1, &Converter::AveragePool},
    {BuiltinOperator::CONCATENATION, 1, 1024, &Converter::Concat},
    {BuiltinOperator::CONV_2D, 2, 3, &Converter::Conv},
    {BuiltinOperator::DEPTHWISE_CONV_2D, 2, 3, &Converter::Depthwise},
    {BuiltinOperator::DEQUANTIZE, 1, 1, &Converter::Dequantize},
    {BuiltinOperator::EXPAND_DIMS, 2, 2, &Converter::ExpandDims},
    {BuiltinOperator::FULLY_CONNECTED, 2, 3, &Converter::FullyConnected},
    {BuiltinOperator::MAX_POOL_2D, 1, 1, &Converter::MaxPool},
    {BuiltinOperator::MEAN, 2, 2, &Converter::Mean},
    {BuiltinOperator::MUL, 2, 2, &Converter::Mul},
    {BuiltinOperator::PAD, 2, 2, &Converter::Pad},
    {BuiltinOperator::PADV2, 3, 3, &Converter::Pad},
    {BuiltinOperator::QUANTIZE, 1, 1, &Converter::Quantize},
    {BuiltinOperator::RELU, 1, 1, &Converter::Relu},
    {BuiltinOperator::RELU6, 1, 1, &Converter::Relu},
    {BuiltinOperator::RELU_N1_TO_1, 1, 1, &Converter::Relu},
    {BuiltinOperator::RESHAPE, 1, 2, &Converter::Reshape},
    {BuiltinOperator::SOFTMAX, 1, 1, &Converter::Softmax},
    {BuiltinOperator::SQUEEZE, 1, 1, &Converter::Squeeze},
    {BuiltinOperator::SUB, 2, 2, &Converter::Sub},
    {BuiltinOperator::TRANSPOSE, 2, 2, &Converter::Transpose},
};

const Converter::Row* Converter::Row::Find(BuiltinOperator code) {
  const Row* row = std::ranges::find(kAll, code, &Row::code);
  return row == std::end(kAll) ? nullptr : row;
}

std::string Converter::Row::Names() {
  std::string names;
  for (const Row& row : kAll) {
    names += fmt::format("{}{}", names.empty() ? "" : " ",
                         tflite_file::EnumNameBuiltinOperator(row.code));
  }
  return names;
}

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
    if (from.type == TensorType::FLOAT32) {
      made.dtype = DType::kFloat32;
    } else if (from.type == TensorType::INT8) {
      Result<graph::Quant> quant = ActivationQuant(from);
      if (!quant) return Within("model input", quant.error());
      made.quant = std::move(*quant);
    } else {
      return Fail(Code::kUnsupported, "{} is {}; INT8 and FLOAT32 are supported", place,
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
  const Row* row = Row::Find(op.code);
  if (!row) {
    return Unsupported("operator {} is not supported{} (supported: {})", op.type,
                       op.outputs.empty() ? "" : "; it makes " + Out().Place(), Row::Names());
  }
  if (op.inputs.size() < row->least || op.inputs.size() > row->most) {
    return Invalid("{} inputs, takes {} to {}", op.inputs.size(), row->least, row->most);
  }
  if (op.outputs.size() != 1) return Invalid("{} results, makes one", op.outputs.size());
  if (Out().constant()) return Invalid("its result {} is a constant", Out().Place());
  if (made_[static_cast<size_t>(Out().index)] >= 0)
    return Invalid("its result {} has another maker", Out().Place());
  return (this->*row->convert)();
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

std::string Converter::Operators() { return Row::Names(); }

}  // namespace tessera::tflite_model
