// SPDX-License-Identifier: Apache-2.0
//
// TFLite operators whose results follow from shapes and constants: FILL, ZEROS_LIKE, RANGE, RANK.
#include <cmath>
#include <cstring>

#include "compiler/ops/composed.h"
#include "compiler/ops/unit.h"

namespace tessera::ops {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 28;

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Inputs: extents, one value.
Status FromFill(Converter& c) {
  TESSERA_ASSIGN(const std::vector<int64_t> shape, c.Integers(0));
  const Result<int64_t> count = ElementCount(shape, kMostElements);
  if (!count) return Within(c.op().Place(), count.error());
  TESSERA_ASSIGN(const auto* from, c.In(1));
  TESSERA_ASSIGN(TensorId x, c.Activation(1));
  if (c.tensor(x).count() != 1)
    return c.Invalid("value {} of shape {}, one element is needed", from->Place(),
                     ShapeText(from->shape));
  TESSERA_TRY(c.SameScale(x));
  TESSERA_ASSIGN(x, c.Shaped(x, Shape(shape.size(), 1), ".one"));
  return c.Finish({.op = Op::kRepeat, .inputs = {x}}, tflite_model::GraphShape(shape));
}

Status FromZerosLike(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  const auto type = tflite_model::PlainType(c.Out());
  const Result<int64_t> count = ElementCount(from->shape, kMostElements);
  if (!type || !count)
    return c.Unsupported("its result {} is {} of shape {}; plain values are supported",
                         c.Out().Place(), tflite_model::TypeText(c.Out().type),
                         ShapeText(from->shape));
  return c.FinishValue(from->shape,
                       std::vector<uint8_t>(static_cast<size_t>(*count * SizeOf(*type))));
}

Status FromRank(Converter& c) {
  TESSERA_ASSIGN(const auto* from, c.In(0));
  if (tflite_model::PlainType(c.Out()) != DType::kInt32)
    return c.Unsupported("its result {} is {}; INT32 is supported", c.Out().Place(),
                         tflite_model::TypeText(c.Out().type));
  return c.FinishValue({}, BytesOf<int32_t>({static_cast<int32_t>(from->shape.size())}));
}

// The numbers first, first + step, ... before |end|, counted as TFLite does.
template <typename T>
Status FinishRange(Converter& c, T first, T end, T step) {
  const double steps = std::ceil((static_cast<double>(end) - static_cast<double>(first)) /
                                 static_cast<double>(step));
  if (!(steps >= 1 && steps < static_cast<double>(kMostElements)))
    return c.Invalid("from {} to {} in steps of {}: {} elements, 1 to {} are accepted", first, end,
                     step, steps, kMostElements);
  std::vector<T> values(static_cast<size_t>(steps));
  T at = first;
  for (T& value : values) {
    value = at;
    at = static_cast<T>(at + step);
  }
  return c.FinishValue({std::ssize(values)}, BytesOf(values));
}

// Inputs: first, end, step.
Status FromRange(Converter& c) {
  const auto type = tflite_model::PlainType(c.Out());
  if (type == DType::kInt32 || type == DType::kInt64) {
    int64_t number[3];
    for (size_t k = 0; k < 3; ++k) {
      TESSERA_ASSIGN(const std::vector<int64_t> given, c.Integers(k));
      if (given.size() != 1) return c.Invalid("input {} has {} values", k, given.size());
      number[k] = given[0];
    }
    if (type == DType::kInt64) return FinishRange(c, number[0], number[1], number[2]);
    return FinishRange(c, static_cast<int32_t>(number[0]), static_cast<int32_t>(number[1]),
                       static_cast<int32_t>(number[2]));
  }
  float number[3];
  for (size_t k = 0; k < 3; ++k) {
    TESSERA_ASSIGN(const auto* from, c.In(k));
    if (type != DType::kFloat32 || from->type != c.Out().type || from->data.size() != sizeof(float))
      return c.Unsupported("input {} is not one constant of FLOAT32, INT32 or INT64",
                           from->Place());
    std::memcpy(&number[k], from->data.data(), sizeof(float));
  }
  return FinishRange(c, number[0], number[1], number[2]);
}

constexpr TfliteRow kConstantRows[] = {{"FILL", 2, 2, FromFill},
                                       {"ZEROS_LIKE", 1, 1, FromZerosLike},
                                       {"RANGE", 3, 3, FromRange},
                                       {"RANK", 1, 1, FromRank}};

}  // namespace

std::span<const TfliteRow> TfliteConstantRows() { return kConstantRows; }

}  // namespace tessera::ops
