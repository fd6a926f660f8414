// SPDX-License-Identifier: Apache-2.0
//
// Builds one operator of a file from several of the graph. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_COMPOSE_H_
#define TESSERA_COMPILER_OPS_COMPOSE_H_

#include <optional>
#include <string>
#include <vector>

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Axis |axis| of |shape|; a negative number counts from the end.
//   errors  kInvalidArgument  there is no such axis
Result<size_t> AxisOf(const OnnxNode& node, int64_t axis, const Shape& shape);

// Builds a sequence of nodes on plain values for one ONNX or TFLite operator. TFLite tensors have
// the file's order of axes here. Nodes whose operands are all constants are computed.
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
  // Adds |made|, which has no name yet, with a result of |shape|.
  Result<TensorId> operator()(Node made, Shape shape, std::optional<DType> dtype = {});
  // |op| of one operand, with its shape, or of two operands, which broadcast.
  Result<TensorId> operator()(Op op, TensorId x);
  Result<TensorId> operator()(Op op, TensorId x, TensorId y);
  Result<TensorId> Reshape(TensorId x, Shape shape);
  Result<TensorId> Transpose(TensorId x, std::vector<int> perm);
  // Indices [begin, begin + count) of axis |axis|.
  Result<TensorId> Part(TensorId x, size_t axis, int64_t begin, int64_t count);
  // |parts| concatenated; a single part is returned unchanged.
  Result<TensorId> Concat(std::vector<TensorId> parts, size_t axis);
  // Floats of |like|'s type.
  Result<TensorId> Floats(TensorId like, const std::vector<float>& values, Shape shape);
  // Int64.
  Result<TensorId> Wholes(const std::vector<int64_t>& values, Shape shape);
  // 0, 1, ..., |count| - 1, along axis |axis| of |rank| axes.
  Result<TensorId> Counting(int64_t count, size_t axis, size_t rank);
  // |x| cast to |dtype|; |x| itself if it has that type.
  Result<TensorId> As(TensorId x, DType dtype);
  Result<TensorId> Number(TensorId like, float value) { return Floats(like, {value}, {}); }
  // Makes |id| result |index| of the file's operator.
  Status Finish(TensorId id, size_t index = 0);

 private:
  std::string NextName();
  Result<TensorId> Constant(GraphTensor made);

  QdqConverter* onnx_ = nullptr;  // exactly one of the two is set
  Converter* tflite_ = nullptr;
  const OnnxNode* node_ = nullptr;
  int count_ = 0;
};

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_COMPOSE_H_
