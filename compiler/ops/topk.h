// SPDX-License-Identifier: Apache-2.0
//
// The greatest or least elements along an axis. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_TOPK_H_
#define TESSERA_COMPILER_OPS_TOPK_H_

#include "compiler/ops/compose.h"

namespace tessera::ops {

// |indices|: of the |count| greatest (or least) elements of an axis, in order; of equal elements
// the lower index is first. |values|: those elements.
struct TopElements {
  TensorId values = -1, indices = -1;
};

// The top elements of |x| along |axis|; |type| is the type of the indices.
//   errors  kInvalidArgument  |count| is not 1 to the axis' extent
//           kUnsupported      the axis is too long to compare all its elements with each other
Result<TopElements> TopOf(Composer& make, TensorId x, size_t axis, int64_t count, bool greatest,
                          DType type);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_TOPK_H_
