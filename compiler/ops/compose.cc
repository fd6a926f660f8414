// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/compose.h"

#include <cstring>
#include <numeric>

#include "base/half.h"
#include "compiler/ops/binary.h"
#include "compiler/ops/slice.h"

namespace tessera::ops {

Result<size_t> AxisOf(const OnnxNode& node, int64_t axis, const Shape& shape) {
  const int64_t rank = std::ssize(shape);
  if (axis < -rank || axis >= rank)
    return Fail(Code::kInvalidArgument, "{}: axis {} of shape {}", node.Place(), axis,
                ShapeText(shape));
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

std::string Composer::Place() const { return onnx_ ? node_->Place() : tflite_->op().Place(); }

std::string Composer::NextName() {
  return fmt::format("{}.{}", onnx_ ? node_->outputs[0] : tflite_->Out().name, ++count_);
}

Result<TensorId> Composer::operator()(Node made, Shape shape, std::optional<DType> dtype) {
  const std::string name = NextName();
  if (onnx_) {
    made.name = fmt::format("{}.{}", node_->name.empty() ? node_->outputs[0] : node_->name, count_);
    return onnx_->Emit(std::move(made), *node_, std::nullopt, std::move(shape), name, dtype);
  }
  if (!dtype) dtype = graph::ResultType(graph::DefOf(made.op), tensor(made.inputs[0]).dtype);
  return tflite_->Emit(std::move(made), fmt::format(".{}", count_), std::nullopt, std::move(shape),
                       dtype);
}

Result<TensorId> Composer::operator()(Op op, TensorId x) {
  return (*this)({.op = op, .inputs = {x}}, shape(x));
}

Result<TensorId> Composer::operator()(Op op, TensorId x, TensorId y) {
  const auto both = RepeatedShape(shape(x), shape(y));
  if (!both)
    return Fail(Code::kInvalidArgument, "{}: shapes {} and {} do not repeat to one another",
                Place(), ShapeText(shape(x)), ShapeText(shape(y)));
  return (*this)({.op = op, .inputs = {x, y}}, *both);
}

Result<TensorId> Composer::Reshape(TensorId x, Shape to) {
  if (shape(x) == to) return x;
  return (*this)({.op = Op::kReshape, .inputs = {x}}, std::move(to));
}

Result<TensorId> Composer::Transpose(TensorId x, std::vector<int> perm) {
  Shape to;
  for (const int axis : perm) to.push_back(shape(x)[static_cast<size_t>(axis)]);
  return (*this)({.op = Op::kTranspose,
                  .inputs = {x},
                  .attributes = graph::TransposeAttributes{std::move(perm)}},
                 std::move(to));
}

Result<TensorId> Composer::Part(TensorId x, size_t axis, int64_t begin, int64_t count) {
  graph::SliceAttributes cut = Whole(shape(x));
  Shape to = shape(x);
  cut.axes[axis] = {begin, 1, count};
  to[axis] = count;
  return (*this)({.op = Op::kSlice, .inputs = {x}, .attributes = std::move(cut)}, std::move(to));
}

Result<TensorId> Composer::Concat(std::vector<TensorId> parts, size_t axis) {
  if (parts.size() == 1) return parts[0];
  Shape to = shape(parts[0]);
  to[axis] = 0;
  for (const TensorId part : parts) to[axis] += shape(part)[axis];
  return (*this)({.op = Op::kConcat,
                  .inputs = std::move(parts),
                  .attributes = graph::ConcatAttributes{static_cast<int>(axis)}},
                 std::move(to));
}

Result<TensorId> Composer::Floats(TensorId like, const std::vector<float>& values, Shape to) {
  const DType dtype = tensor(like).dtype;
  GraphTensor made{.name = NextName(), .dtype = dtype, .shape = std::move(to)};
  std::vector<uint8_t> bytes(values.size() * static_cast<size_t>(SizeOf(dtype)));
  for (size_t k = 0; k < values.size(); ++k) {
    if (dtype == DType::kFloat16) {
      const uint16_t half = FloatToHalf(values[k]);
      std::memcpy(&bytes[2 * k], &half, 2);
    } else if (dtype == DType::kFloat32) {
      std::memcpy(&bytes[4 * k], &values[k], 4);
    } else {
      return Fail(Code::kUnsupported, "{}: of {}; float32 and float16 are supported", Place(),
                  Text(dtype));
    }
  }
  made.data = std::move(bytes);
  return Constant(std::move(made));
}

Result<TensorId> Composer::Wholes(const std::vector<int64_t>& values, Shape to) {
  GraphTensor made{.name = NextName(), .dtype = DType::kInt64, .shape = std::move(to)};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  made.data.emplace(bytes, bytes + values.size() * sizeof(int64_t));
  return Constant(std::move(made));
}

Result<TensorId> Composer::Counting(int64_t count, size_t axis, size_t rank) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), int64_t{0});
  Shape to(rank, 1);
  to[axis] = count;
  return Wholes(values, std::move(to));
}

Result<TensorId> Composer::As(TensorId x, DType dtype) {
  if (tensor(x).dtype == dtype) return x;
  return (*this)({.op = Op::kCast, .inputs = {x}}, shape(x), dtype);
}

Result<TensorId> Composer::Constant(GraphTensor made) {
  return onnx_ ? onnx_->AddConstant(*node_, std::move(made)) : tflite_->Constant(std::move(made));
}

Status Composer::Finish(TensorId id, size_t index) {
  if (tflite_) {
    tflite_->Select(index);
    return tflite_->FinishAs(id, shape(id));
  }
  if (index < node_->outputs.size() && !node_->outputs[index].empty())
    onnx_->SetPlain(node_->outputs[index], id);
  return {};
}

}  // namespace tessera::ops
