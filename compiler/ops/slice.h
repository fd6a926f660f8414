// SPDX-License-Identifier: Apache-2.0
//
// Shared code of operators that take part of a tensor. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_SLICE_H_
#define TESSERA_COMPILER_OPS_SLICE_H_

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Attributes that select all of |shape|.
graph::SliceAttributes Whole(const Shape& shape);

// Indices [start, end) of an axis, |step| apart, as in a Python slice: negative ones count from the
// end, and indices outside of |extent| are dropped. count 0: nothing is left.
graph::AxisCut CutOf(int64_t start, int64_t end, int64_t step, int64_t extent);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_SLICE_H_
