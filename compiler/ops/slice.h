// SPDX-License-Identifier: Apache-2.0
//
// What operators that take part of a tensor share. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_SLICE_H_
#define TESSERA_COMPILER_OPS_SLICE_H_

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Every axis of |shape| whole.
graph::SliceAttributes Whole(const Shape& shape);

// Indices [start, end) of an axis, |step| apart, as Python cuts: negative ones count from the end,
// what is outside of |extent| is left out. count 0: nothing is left.
graph::AxisCut CutOf(int64_t start, int64_t end, int64_t step, int64_t extent);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_SLICE_H_
