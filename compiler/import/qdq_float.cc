// SPDX-License-Identifier: Apache-2.0
//
// Which operators work on plain values, and how the values that they read are made.
#include <algorithm>
#include <cstring>

#include "compiler/import/qdq.h"

namespace tessera::onnx_model {
namespace {

using graph::TensorId;

// The values of |t|, a constant with scales, as float32: (q - zero) * scale.
std::vector<uint8_t> DequantisedBytes(const graph::GraphTensor& t) {
  const auto count = static_cast<size_t>(t.count());
  std::vector<uint8_t> bytes(4 * count);
  size_t inner = 1;  // elements of one index of the axis
  const size_t channels = t.quant->scale.size();
  for (size_t d = static_cast<size_t>(t.quant->axis + 1); channels > 1 && d < t.shape.size(); ++d)
    inner *= static_cast<size_t>(t.shape[d]);
  for (size_t k = 0; k < count; ++k) {
    int32_t q = static_cast<int8_t>((*t.data)[t.dtype == DType::kInt8 ? k : 0]);
    if (t.dtype == DType::kInt32) std::memcpy(&q, t.data->data() + 4 * k, 4);
    const size_t c = channels > 1 ? k / inner % channels : 0;
    const float real =
        static_cast<float>(int64_t{q} - t.quant->zero[c]) * static_cast<float>(t.quant->scale[c]);
    std::memcpy(bytes.data() + 4 * k, &real, 4);
  }
  return bytes;
}

}  // namespace

bool QdqConverter::IsReal(const OnnxNode& node, const graph::OnnxRow& row) const {
  if (row.when == graph::OnnxWhen::kNever) return true;
  for (size_t i = 0; i < std::min(row.operands, node.inputs.size()); ++i) {
    const std::string& name = node.inputs[i];
    if (!reals_.contains(name) && (plain_.contains(name) || Initializer(name))) return true;
  }
  return row.when == graph::OnnxWhen::kQuantised && !IsQuantised(node);
}

bool QdqConverter::IsQuantised(const OnnxNode& node) const {
  std::string value = node.outputs[0];
  const auto users_of = [&](const std::string& name) {
    const auto it = users_.find(name);
    return it == users_.end() ? std::vector<const OnnxNode*>{} : it->second;
  };
  const auto is_output = [&](const std::string& name) {
    return std::ranges::count(model_.outputs, name, &Value::name) > 0;
  };
  std::vector<const OnnxNode*> users = users_of(value);
  while (users.size() == 1 && (users[0]->op_type == "Relu" || users[0]->op_type == "Clip") &&
         !is_output(value)) {
    value = users[0]->outputs[0];
    users = users_of(value);
  }
  return !users.empty() && !is_output(value) && std::ranges::all_of(users, [&](const auto* user) {
    return user->op_type == "QuantizeLinear" && user->inputs[0] == value;
  });
}

Result<TensorId> QdqConverter::PlainValue(const OnnxNode& node, const std::string& name) {
  if (const auto known = plain_.find(name); known != plain_.end()) return known->second;
  if (const auto it = reals_.find(name); it != reals_.end()) {
    const graph::GraphTensor from = graph_.tensor(it->second);
    graph::GraphTensor made{name, DType::kFloat32, from.shape, std::nullopt, std::nullopt};
    if (from.constant()) {
      made.data = DequantisedBytes(from);
      TESSERA_ASSIGN(plain_[name], AddConstant(node, std::move(made)));
      return plain_[name];
    }
    graph::Node dequantize{.op = graph::Op::kDequantize, .name = name, .inputs = {it->second}};
    dequantize.output = graph_.AddTensor(std::move(made));
    graph_.nodes.push_back(std::move(dequantize));
    return plain_[name] = graph_.nodes.back().output;
  }
  if (const auto it = ints_.find(name); it != ints_.end() && !unsigned_.contains(name))
    return it->second;
  const HostTensor* constant = Initializer(name);
  if (!constant) {
    return Fail(Code::kUnsupported,
                "{}: its operand '{}' is neither made by an operator in front of it nor a constant",
                node.Place(), name);
  }
  if (constant->count() == 0)
    return Fail(Code::kInvalidArgument, "{}: its operand '{}' is empty", node.Place(), name);
  TESSERA_ASSIGN(plain_[name], AddConstant(node, {name, constant->dtype, constant->shape,
                                                  std::nullopt, constant->bytes}));
  return plain_[name];
}

Result<TensorId> QdqConverter::Plain(const OnnxNode& node, size_t index) {
  if (!Has(node, index))
    return Fail(Code::kInvalidArgument, "{}: operand {} is missing", node.Place(), index);
  return PlainValue(node, node.inputs[index]);
}

}  // namespace tessera::onnx_model
