// SPDX-License-Identifier: Apache-2.0
//
// Images with other extents, each element a weighted sum of a few. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_INTERPOLATE_H_
#define TESSERA_COMPILER_OPS_INTERPOLATE_H_

#include <functional>
#include <vector>

#include "compiler/ops/compose.h"

namespace tessera::ops {

// One axis of a result: where each of its indices is in the operand.
struct AxisPlaces {
  size_t axis = 0;
  std::vector<float> at;
};

// How an element is made of its neighbours: of two by distance, or of four by R. Keys' cubic
// convolution (1981) with |a|.
struct Interpolation {
  bool cubic = false;
  float a = -0.75f;
  bool exclude_outside = false;  // neighbours outside weigh nothing, the others more; else the edge
};

// |x| through |places|, axis by axis, as gathers, products and sums.
Result<TensorId> Interpolated(Composer& make, TensorId x, const std::vector<AxisPlaces>& places,
                              const Interpolation& how);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_INTERPOLATE_H_
