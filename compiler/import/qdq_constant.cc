// SPDX-License-Identifier: Apache-2.0
//
// Constants of an ONNX file, also computed ones, as operands whose values an operator needs at
// import: shapes, axes, pads.
#include <algorithm>

#include "base/half.h"
#include "compiler/import/qdq.h"

namespace tessera::onnx_model {

const HostTensor* QdqConverter::Initializer(const std::string& name) const {
  const auto it = model_.initializers.find(name);
  if (it != model_.initializers.end()) return &it->second;
  const auto computed = computed_.find(name);
  return computed == computed_.end() ? nullptr : &computed->second;
}

Result<std::vector<int64_t>> QdqConverter::Integers(const OnnxNode& node, size_t index) const {
  constexpr int64_t kMost = 1 << 16;
  const HostTensor* given = Has(node, index) ? Initializer(node.inputs[index]) : nullptr;
  if (!given || (given->dtype != DType::kInt64 && given->dtype != DType::kInt32)) {
    const std::string name = Has(node, index) ? node.inputs[index] : "";
    const bool input = std::ranges::count(model_.inputs, name, &Value::name) > 0;
    return Fail(
        Code::kUnsupported,
        "{}: input {}{} is not a constant of int64 or int32; what a shape depends on has to "
        "be known when the model is compiled{}",
        node.Place(), index, name.empty() ? "" : " '" + name + "'",
        input ? fmt::format(": --known {}=FILE.npy gives it", name) : "");
  }
  if (given->count() > kMost)
    return Fail(Code::kOutOfRange, "{}: input '{}' has {} values, at most {} are accepted",
                node.Place(), node.inputs[index], given->count(), kMost);
  if (given->dtype == DType::kInt32)
    return std::vector<int64_t>(given->as<int32_t>().begin(), given->as<int32_t>().end());
  return std::vector<int64_t>(given->as<int64_t>().begin(), given->as<int64_t>().end());
}

Result<double> QdqConverter::Number(const OnnxNode& node, size_t index) const {
  const HostTensor* given = Has(node, index) ? Initializer(node.inputs[index]) : nullptr;
  if (!given || given->count() != 1) {
    return Fail(Code::kUnsupported, "{}: input {}{} is not a constant number", node.Place(), index,
                Has(node, index) ? " '" + node.inputs[index] + "'" : "");
  }
  switch (given->dtype) {
    case DType::kFloat32:
      return static_cast<double>(given->as<float>()[0]);
    case DType::kFloat16:
      return static_cast<double>(HalfToFloat(given->as<uint16_t>()[0]));
    case DType::kInt64:
      return static_cast<double>(given->as<int64_t>()[0]);
    case DType::kInt32:
      return static_cast<double>(given->as<int32_t>()[0]);
    case DType::kInt16:
      return static_cast<double>(given->as<int16_t>()[0]);
    case DType::kInt8:
      return static_cast<double>(given->as<int8_t>()[0]);
    case DType::kUint8:
    case DType::kBool:
      return static_cast<double>(given->bytes[0]);
  }
  return 0.0;
}

Result<graph::Shape> QdqConverter::ShapeOf(const OnnxNode& node, const std::string& name) const {
  for (const auto* values : {&plain_, &reals_, &ints_}) {
    if (const auto it = values->find(name); it != values->end())
      return graph_.tensor(it->second).shape;
  }
  if (const HostTensor* constant = Initializer(name)) return constant->shape;
  return Fail(Code::kUnsupported, "{}: its operand '{}' is not made by an operator in front of it",
              node.Place(), name);
}

std::optional<graph::Shape> QdqConverter::ConstantShape(const OnnxNode& node, size_t index) const {
  if (!Has(node, index)) return std::nullopt;
  if (const HostTensor* constant = Initializer(node.inputs[index])) return constant->shape;
  const auto it = reals_.find(node.inputs[index]);
  if (it == reals_.end() || !graph_.tensor(it->second).constant()) return std::nullopt;
  return graph_.tensor(it->second).shape;
}

Status QdqConverter::SetConstant(const OnnxNode& node, const std::string& name, HostTensor value) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 31;
  constant_bytes_ += value.bytes.size();
  if (constant_bytes_ > kMostBytes) {
    return Fail(Code::kOutOfRange, "{}: the constants of the model come to more than {} bytes",
                node.Place(), kMostBytes);
  }
  computed_[name] = std::move(value);
  return {};
}

}  // namespace tessera::onnx_model
