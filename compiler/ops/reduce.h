// SPDX-License-Identifier: Apache-2.0
//
// Shared code of operators that reduce or index along axes. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_REDUCE_H_
#define TESSERA_COMPILER_OPS_REDUCE_H_

#include <vector>

#include "compiler/ops/compose.h"

namespace tessera::ops {

// Pairs of element type and index type.
inline constexpr TypePair kIndexTypes[] = {
    {DType::kFloat32, DType::kInt64}, {DType::kFloat32, DType::kInt32},
    {DType::kFloat16, DType::kInt64}, {DType::kFloat16, DType::kInt32},
    {DType::kInt32, DType::kInt64},   {DType::kInt32, DType::kInt32},
    {DType::kInt64, DType::kInt64},   {DType::kInt8, DType::kInt64},
    {DType::kInt8, DType::kInt32},    {DType::kUint8, DType::kInt64},
    {DType::kUint8, DType::kInt32}};

// The axes of |node|, an ONNX reduction, over a tensor of shape |in|: from input 1 or attribute
// axes. Without either, all axes, unless noop_with_empty_axes is set.
Result<std::vector<int>> AxesFrom(const QdqConverter& c, const OnnxNode& node, const Shape& in);

// |op| of |x| along |axes|; reduced axes keep extent 1.
Result<TensorId> ReducedAlong(Composer& make, Op op, TensorId x, const std::vector<int>& axes);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_REDUCE_H_
