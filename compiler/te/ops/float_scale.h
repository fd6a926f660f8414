// SPDX-License-Identifier: Apache-2.0
//
// One requantisation by float32, found and shown to be exact. Depends on: isa/enums.h. Used by:
// float_requant.cc.
#ifndef TESSERA_COMPILER_TE_OPS_FLOAT_SCALE_H_
#define TESSERA_COMPILER_TE_OPS_FLOAT_SCALE_H_

#include <cstdint>
#include <optional>

#include "isa/enums.h"

namespace tessera::te {

// clamp(requant(a, multiplier, shift, rounding) + zero, lo, hi)
struct ClampedScale {
  int32_t multiplier = 0, shift = 0;
  isa::Round rounding = isa::Round::kEven;
  int32_t zero = 0, lo = 0, hi = 0;
};

// What ir::RequantClamp takes for one channel.
struct FloatNumbers {
  int32_t offset = 0;
  float high = 0, low = 0, start = 0;
};

// floor(x * high + (x * low + start)), the inner sum rounded to float32, the outer one exact.
//   x  below 2^24 in size
int64_t FloorByFloats(int64_t x, const FloatNumbers& by);

// The numbers by which every |a| of at most |most| in size has its result: both sides of each step
// from one result to the next were tried, and between two steps neither form falls. Empty: the
// factor is not in [2^-18, 1/2], sums may leave int32, or no numbers were found: ties to even and
// ties away from zero are no line.
std::optional<FloatNumbers> FindFloatNumbers(const ClampedScale& scale, int64_t most);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_OPS_FLOAT_SCALE_H_
