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

// Makes nodes on plain values, one behind the other, of one operator of an ONNX file. What is made
// of constants alone is a constant.
class Composer {
 public:
  Composer(QdqConverter& c, const OnnxNode& node) : c_(c), node_(node) {}

  const GraphTensor& tensor(TensorId id) const { return c_.tensor(id); }
  const Shape& shape(TensorId id) const { return c_.tensor(id).shape; }
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
  Result<TensorId> Number(TensorId like, float value) { return Floats(like, {value}, {}); }
  // Result |index| of the file's operator is |id|.
  Status Finish(TensorId id, size_t index = 0);

 private:
  QdqConverter& c_;
  const OnnxNode& node_;
  int count_ = 0;
};

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_COMPOSE_H_
