// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/scalar_math.h"

#include <algorithm>
#include <cmath>

namespace tessera::ir {

int32_t RequantValue(int32_t a, int32_t multiplier, int32_t shift, isa::Round rounding) {
  const int left = std::max(shift, 0);
  const int right = std::max(-shift, 0);
  const int32_t scaled = static_cast<int32_t>(static_cast<uint32_t>(a) << left);
  const int64_t product = static_cast<int64_t>(scaled) * multiplier;  // |product| < 2^62

  if (rounding == isa::Round::kTflite) {
    // First step: divide by 2^31, nearest, ties to plus infinity.
    const int64_t first = (product + (int64_t{1} << 30)) >> 31;
    if (right == 0) return static_cast<int32_t>(first);
    // Second step: divide the magnitude by 2^right, nearest, ties away from zero.
    const int64_t half = int64_t{1} << (right - 1);
    const int64_t magnitude = ((first < 0 ? -first : first) + half) >> right;
    return static_cast<int32_t>(first < 0 ? -magnitude : magnitude);
  }

  // One step: floor quotient and remainder of the division by 2^bits, then the tie rule.
  const int bits = 31 + right;
  const int64_t quotient = product >> bits;
  const int64_t remainder = product - quotient * (int64_t{1} << (bits - 1)) * 2;
  const int64_t half = int64_t{1} << (bits - 1);
  bool up = remainder >= half;
  if (rounding == isa::Round::kEven && remainder == half) up = (quotient & 1) != 0;
  return static_cast<int32_t>(quotient + (up ? 1 : 0));
}

int32_t ClampAddValue(int32_t y, int32_t zero, int32_t lo, int32_t hi) {
  const int64_t sum = static_cast<int64_t>(y) + zero;
  return static_cast<int32_t>(std::clamp<int64_t>(sum, lo, hi));
}

float RoundEvenValue(float x) {
  if (!(std::fabs(x) < 8388608.0f)) return x;  // no fraction bits left, or NaN
  const float floor = std::floor(x);
  const float fraction = x - floor;  // exact
  float rounded = fraction > 0.5f ? floor + 1 : floor;
  if (fraction == 0.5f && std::fmod(floor, 2.0f) != 0) rounded = floor + 1;
  return std::copysign(rounded, x);
}

int64_t TruncateSaturate(float x, int64_t lo, int64_t hi) {
  if (std::isnan(x)) return 0;
  if (x <= static_cast<float>(lo)) return lo;
  if (x >= static_cast<float>(hi)) return hi;
  return static_cast<int64_t>(x);
}

}  // namespace tessera::ir
