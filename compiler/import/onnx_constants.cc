// SPDX-License-Identifier: Apache-2.0
//
// ONNX operators that make constants: Constant, ConstantOfShape, Shape, Size, Range. Emit computes
// every later node that depends on constants alone.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/graph/op_def.h"
#include "compiler/import/qdq.h"

namespace tessera::onnx_model {
namespace {

using graph::OnnxRow;
using graph::OnnxWhen::kNever;

constexpr int64_t kMostElements = int64_t{1} << 28;

template <typename T>
HostTensor ListOf(DType dtype, std::vector<int64_t> shape, const std::vector<T>& values) {
  HostTensor made = HostTensor::Zeros(dtype, std::move(shape));
  std::ranges::copy(values, made.as<T>().begin());
  return made;
}

Status FromConstant(QdqConverter& c, const OnnxNode& node) {
  if (node.attributes.size() == 1) {
    const auto& [name, a] = *node.attributes.begin();
    const std::string& to = node.outputs[0];
    if (name == "value" && a.tensor) return c.SetConstant(node, to, *a.tensor);
    if (name == "value_int" && a.i)
      return c.SetConstant(node, to, ListOf<int64_t>(DType::kInt64, {}, {*a.i}));
    if (name == "value_float" && a.f)
      return c.SetConstant(node, to, ListOf<float>(DType::kFloat32, {}, {*a.f}));
    if (name == "value_ints")
      return c.SetConstant(node, to, ListOf(DType::kInt64, {std::ssize(a.ints)}, a.ints));
    if (name == "value_floats")
      return c.SetConstant(node, to, ListOf(DType::kFloat32, {std::ssize(a.floats)}, a.floats));
    return Fail(Code::kUnsupported,
                "{}: attribute {}; value, value_int, value_ints, value_float and value_floats are "
                "supported",
                node.Place(), name);
  }
  return Fail(Code::kInvalidArgument, "{}: has {} attributes, one is its value", node.Place(),
              node.attributes.size());
}

Status FromConstantOfShape(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const std::vector<int64_t> shape, c.Integers(node, 0));
  const Result<int64_t> count = ElementCount(shape, kMostElements);
  if (!count) return Within(node.Place(), count.error());
  const auto given = node.attributes.find("value");
  HostTensor one = ListOf<float>(DType::kFloat32, {1}, {0.0f});
  if (given != node.attributes.end()) {
    if (!given->second.tensor || given->second.tensor->count() != 1)
      return Fail(Code::kInvalidArgument, "{}: attribute value is not one element", node.Place());
    one = *given->second.tensor;
  }
  HostTensor made = HostTensor::Zeros(one.dtype, shape);
  for (size_t at = 0; at < made.bytes.size(); at += one.bytes.size())
    std::ranges::copy(one.bytes, made.bytes.begin() + static_cast<int64_t>(at));
  return c.SetConstant(node, node.outputs[0], std::move(made));
}

// Opset 15 adds the attributes start and end: the range of axes of the shape that are returned.
Status FromShape(QdqConverter& c, const OnnxNode& node) {
  if (!QdqConverter::Has(node, 0))
    return Fail(Code::kInvalidArgument, "{}: operand 0 is missing", node.Place());
  TESSERA_ASSIGN(const graph::Shape shape, c.ShapeOf(node, node.inputs[0]));
  if (node.op_type == "Size") {
    TESSERA_ASSIGN(const int64_t count, ElementCount(shape));
    return c.SetConstant(node, node.outputs[0], ListOf<int64_t>(DType::kInt64, {}, {count}));
  }
  const int64_t rank = std::ssize(shape);
  const auto axis = [&](const char* name, int64_t otherwise) {
    const int64_t given = node.IntOr(name, otherwise);
    return std::clamp<int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const int64_t first = axis("start", 0), end = std::max(first, axis("end", rank));
  const std::vector<int64_t> part(shape.begin() + first, shape.begin() + end);
  return c.SetConstant(node, node.outputs[0], ListOf(DType::kInt64, {std::ssize(part)}, part));
}

template <typename T>
Result<HostTensor> RangeOf(const OnnxNode& node, DType dtype, T start, T limit, T delta) {
  if (delta == T{0} || !(static_cast<double>(delta) == static_cast<double>(delta)))
    return Fail(Code::kInvalidArgument, "{}: delta {}", node.Place(), delta);
  const double steps = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                 static_cast<double>(delta));
  if (!(steps < static_cast<double>(kMostElements)))
    return Fail(Code::kOutOfRange, "{}: {} elements, at most {} are accepted", node.Place(), steps,
                kMostElements);
  std::vector<T> values(static_cast<size_t>(std::max(steps, 0.0)));
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = static_cast<T>(start + static_cast<T>(k) * delta);
  return ListOf(dtype, {std::ssize(values)}, values);
}

Status FromRange(QdqConverter& c, const OnnxNode& node) {
  double number[3];
  for (size_t k = 0; k < 3; ++k) {
    TESSERA_ASSIGN(number[k], c.Number(node, k));
  }
  const DType dtype = c.Initializer(node.inputs[0])->dtype;
  const auto as = [&]<typename T>(T) {
    return RangeOf(node, dtype, static_cast<T>(number[0]), static_cast<T>(number[1]),
                   static_cast<T>(number[2]));
  };
  if (dtype != DType::kFloat32 && dtype != DType::kInt32 && dtype != DType::kInt64) {
    return Fail(Code::kUnsupported, "{}: of {}; float32, int32 and int64 are supported",
                node.Place(), Text(dtype));
  }
  TESSERA_ASSIGN(HostTensor made, dtype == DType::kFloat32 ? as(float{})
                                  : dtype == DType::kInt32 ? as(int32_t{})
                                                           : as(int64_t{}));
  return c.SetConstant(node, node.outputs[0], std::move(made));
}

constexpr OnnxRow kRows[] = {{"Constant", FromConstant, 0, kNever},
                             {"ConstantOfShape", FromConstantOfShape, 0, kNever},
                             {"Shape", FromShape, 0, kNever},
                             {"Size", FromShape, 0, kNever},
                             {"Range", FromRange, 0, kNever}};

}  // namespace

std::span<const OnnxRow> ConstantRows() { return kRows; }

}  // namespace tessera::onnx_model
