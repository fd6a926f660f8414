// SPDX-License-Identifier: Apache-2.0
//
// Resized images whose elements are weighted sums of neighbours. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_INTERPOLATE_H_
#define TESSERA_COMPILER_OPS_INTERPOLATE_H_

#include <functional>
#include <vector>

#include "compiler/ops/compose.h"

namespace tessera::ops {

// For one axis: the position in the operand for each index of the result.
struct AxisPlaces {
  size_t axis = 0;
  std::vector<float> at;
};

// The weights of neighbours: linear between two, or R. Keys' cubic convolution (1981) of four with
// the parameter |a|.
struct Interpolation {
  bool cubic = false;
  float a = -0.75f;
  // Neighbours outside weigh 0 and the others more; else the edge stands for them.
  bool exclude_outside = false;
};

// |x| resized to |places|, axis by axis, from gathers, products and sums.
Result<TensorId> Interpolated(Composer& make, TensorId x, const std::vector<AxisPlaces>& places,
                              const Interpolation& how);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_INTERPOLATE_H_
