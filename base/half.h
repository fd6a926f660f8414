// SPDX-License-Identifier: Apache-2.0
//
// IEEE binary16 as its 16 bits: a type for storage, which programs compute with as float. The
// conversions use integers and exact products only, so every machine gives the same bits, NaN
// payloads included. Depends on: nothing of ours. Used by: the loop IR, the importers, tools.
#ifndef TESSERA_BASE_HALF_H_
#define TESSERA_BASE_HALF_H_

#include <bit>
#include <cstdint>

namespace tessera {

// Exact. A signalling NaN becomes a quiet one, as on processors.
constexpr float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = half >> 10 & 0x1f, fraction = half & 0x3ffu;
  if (exponent == 0x1f) {
    const uint32_t quiet = fraction != 0 ? 0x400000u : 0;
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13 | quiet);
  }
  if (exponent == 0) {  // fraction * 2^-24, exact in float
    const float value = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

// Rounds to the nearest, ties to even. Numbers from 65520 on become infinity. A NaN keeps its sign
// and upper bits and becomes quiet.
constexpr uint16_t FloatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  uint32_t half = 0;
  if (size > 0x7f800000) {
    half = 0x7e00 | (size >> 13 & 0x3ff);
  } else if (size >= 0x477ff000) {  // 65520
    half = 0x7c00;
  } else if (size >= 0x38800000) {  // 2^-14: a carry out of the fraction goes into the exponent
    half = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
  } else if (size > 0x33000000) {  // above 2^-25, half of the least half: steps of 2^-24
    const uint32_t fraction = (size & 0x7fffff) | 0x800000;
    const uint32_t shift = 126 - (size >> 23);
    const uint32_t rest = fraction & ((1u << shift) - 1), tie = 1u << (shift - 1);
    half = fraction >> shift;
    half += rest > tie || (rest == tie && (half & 1) != 0) ? 1 : 0;
  }
  return static_cast<uint16_t>(sign | half);
}

}  // namespace tessera

#endif  // TESSERA_BASE_HALF_H_
