// SPDX-License-Identifier: Apache-2.0
//
// rescale(a, M, s, round): the requantise step y = a * M * 2^(s-31), rounded. Every instruction
// that changes a scale uses it. Depends on: base, isa/enums.h. Used by: requant.h, add.h.
#ifndef TESSERA_ISA_SEMANTICS_RESCALE_H_
#define TESSERA_ISA_SEMANTICS_RESCALE_H_

#include <cstdint>

#include "base/bits.h"
#include "isa/enums.h"

namespace tessera::isa {

// |multiplier| has 31 bits, unsigned; |shift| is -31 .. 31, left if positive, right if negative.
// The left shift wraps modulo 2^32; the product has 63 bits and is exact.
//
//   kTflite   t = the product / 2^31, halves upwards; then t / 2^right, halves away from zero
//   kEven     the exact quotient once, halves to even
//   kHalfUp   the exact quotient once, halves upwards
constexpr int32_t Rescale(int32_t a, int32_t multiplier, int shift, Round round) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift < 0 ? -shift : 0;
  const int32_t shifted = static_cast<int32_t>(static_cast<uint32_t>(a) << left);
  const int64_t product = static_cast<int64_t>(shifted) * multiplier;
  const int64_t high = product >> 31;
  const int64_t half = (product >> 30) & 1;                           // worth one half of |high|
  const bool rest = (product & static_cast<int64_t>(Mask(30))) != 0;  // anything below that

  if (round == Round::kTflite) {
    const int64_t t = high + half;
    if (right == 0) return static_cast<int32_t>(t);
    const int64_t guard = (t >> (right - 1)) & 1;
    const bool below = (t & static_cast<int64_t>(Mask(right - 1))) != 0;
    return static_cast<int32_t>((t >> right) + (guard & (below || t >= 0)));
  }
  const int64_t quotient = high >> right;
  const int64_t guard = right == 0 ? half : (high >> (right - 1)) & 1;
  if (round == Round::kHalfUp) return static_cast<int32_t>(quotient + guard);
  const bool sticky =
      right == 0 ? rest : (high & static_cast<int64_t>(Mask(right - 1))) != 0 || half || rest;
  return static_cast<int32_t>(quotient + (guard & (sticky || (quotient & 1))));
}

// An int8 result: |y| + |out_zero|, clamped to [lo, hi]; the sum has 33 bits.
constexpr int8_t ClampToInt8(int32_t y, int64_t out_zero, int64_t lo, int64_t hi) {
  const int64_t q = y + out_zero;
  return static_cast<int8_t>(q < lo ? lo : q > hi ? hi : q);
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_RESCALE_H_
