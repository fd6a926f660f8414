// SPDX-License-Identifier: Apache-2.0
//
// Operators of files that are several of the graph's. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_COMPOSE_H_
#define TESSERA_COMPILER_OPS_COMPOSE_H_

#include <optional>
#include <string>
#include <vector>

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Axis |axis| of |shape|, from the end where it is negative.
//   errors  kInvalidArgument  there is no such axis
Result<size_t> AxisOf(const OnnxNode& node, int64_t axis, const Shape& shape);

// Makes nodes on plain values, one behind the other, of one operator of a file: ONNX, or TFLite,
// whose tensors then have the file's order of axes. What is made of constants alone is a constant.
class Composer {
 public:
  Composer(QdqConverter& c, const OnnxNode& node) : onnx_(&c), node_(&node) {}
  explicit Composer(Converter& c) : tflite_(&c) {}

  const GraphTensor& tensor(TensorId id) const {
    return onnx_ ? onnx_->tensor(id) : tflite_->tensor(id);
  }
  const Shape& shape(TensorId id) const { return tensor(id).shape; }
  // The operator, for messages.
  std::string Place() const;
  template <typename... Args>
  std::unexpected<Error> Bad(Code code, fmt::format_string<Args...> format, Args&&... args) const {
    return Within(Place(), Fail(code, format, std::forward<Args>(args)...).error());
  }
  // |made|, which is without a name, with a result of |shape|.
  Result<TensorId> operator()(Node made, Shape shape, std::optional<DType> dtype = {});
  // |op| of one operand, of its shape, or of two, which repeat.
  Result<TensorId> operator()(Op op, TensorId x);
  Result<TensorId> operator()(Op op, TensorId x, TensorId y);
  Result<TensorId> Reshape(TensorId x, Shape shape);
  Result<TensorId> Transpose(TensorId x, std::vector<int> perm);
  // Indices [begin, begin + count) of axis |axis|.
  Result<TensorId> Part(TensorId x, size_t axis, int64_t begin, int64_t count);
  // |parts| one behind the other; one alone is itself.
  Result<TensorId> Concat(std::vector<TensorId> parts, size_t axis);
  // Floats of |like|'s type.
  Result<TensorId> Floats(TensorId like, const std::vector<float>& values, Shape shape);
  // Int64.
  Result<TensorId> Wholes(const std::vector<int64_t>& values, Shape shape);
  // 0, 1, ..., |count| - 1, along axis |axis| of |rank| axes.
  Result<TensorId> Counting(int64_t count, size_t axis, size_t rank);
  // |x| as |dtype|; itself where it is.
  Result<TensorId> As(TensorId x, DType dtype);
  Result<TensorId> Number(TensorId like, float value) { return Floats(like, {value}, {}); }
  // Result |index| of the file's operator is |id|.
  Status Finish(TensorId id, size_t index = 0);

 private:
  std::string NextName();
  Result<TensorId> Constant(GraphTensor made);

  QdqConverter* onnx_ = nullptr;  // one of the two
  Converter* tflite_ = nullptr;
  const OnnxNode* node_ = nullptr;
  int count_ = 0;
};

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_COMPOSE_H_
