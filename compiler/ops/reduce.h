// SPDX-License-Identifier: Apache-2.0
//
// What operators that reduce along axes share. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_REDUCE_H_
#define TESSERA_COMPILER_OPS_REDUCE_H_

#include <vector>

#include "compiler/ops/compose.h"

namespace tessera::ops {

// The axes of |node|, an ONNX reduction, over a tensor of shape |in|: input 1 or attribute axes;
// all where it names none, unless noop_with_empty_axes is set.
Result<std::vector<int>> AxesFrom(const QdqConverter& c, const OnnxNode& node, const Shape& in);

// |op| of |x| along |axes|, which are kept with extent 1.
Result<TensorId> ReducedAlong(Composer& make, Op op, TensorId x, const std::vector<int>& axes);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_REDUCE_H_
