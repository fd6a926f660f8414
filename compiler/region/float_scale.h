// SPDX-License-Identifier: Apache-2.0
//
// Finds an exact float32 form of one requantisation. Depends on: isa/enums.h. Used by:
// float_requant.cc.
#ifndef TESSERA_COMPILER_REGION_FLOAT_SCALE_H_
#define TESSERA_COMPILER_REGION_FLOAT_SCALE_H_

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "isa/enums.h"

namespace tessera::te {

// clamp(requant(a, multiplier, shift, rounding) + zero, lo, hi)
struct ClampedScale {
  int32_t multiplier = 0, shift = 0;
  isa::Round rounding = isa::Round::kEven;
  int32_t zero = 0, lo = 0, hi = 0;
  bool operator==(const ClampedScale&) const = default;
};

// The parameters of ir::RequantClamp for one channel.
struct FloatNumbers {
  int32_t offset = 0;
  float high = 0, low = 0, start = 0;
};

// floor(x * high + (x * low + start)); the inner sum is rounded to float32, the outer one is exact.
//   x  |x| < 2^24
int64_t FloorByFloats(int64_t x, const FloatNumbers& by);

// Numbers that give the exact result for every |a| of magnitude at most |most|. Each step from one
// result to the next is tested on both sides; between steps both forms are monotonic. Empty: the
// factor is not in [2^-18, 1/2], sums may leave int32, or no numbers were found, since ties to even
// and ties away from zero do not follow a line.
std::optional<FloatNumbers> FindFloatNumbers(const ClampedScale& scale, int64_t most);

// FindFloatNumbers, once for each scale: channels of a layer share scales, and so do its parts.
class FloatScales {
 public:
  std::optional<FloatNumbers> Find(const ClampedScale& scale, int64_t most);

 private:
  struct Hash {
    size_t operator()(const ClampedScale& scale) const;
  };
  std::unordered_map<ClampedScale, std::optional<FloatNumbers>, Hash> known_;
};

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_REGION_FLOAT_SCALE_H_
