// SPDX-License-Identifier: Apache-2.0
//
// Small integer arithmetic used everywhere: bit fields, rounding, wrap-around.
#ifndef TESSERA_BASE_BITS_H_
#define TESSERA_BASE_BITS_H_

#include <bit>
#include <cstdint>

namespace tessera {

constexpr bool IsPowerOfTwo(uint64_t x) { return std::has_single_bit(x); }

// ceil(a / b) for a >= 0, b > 0.
constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The smallest multiple of |b| that is >= |a|, for a >= 0, b > 0.
constexpr int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

// floor(log2(x)) for x >= 1.
constexpr int Log2Floor(uint64_t x) { return 63 - std::countl_zero(x); }

// |width| ones from bit 0; width 0..64.
constexpr uint64_t Mask(int width) {
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

// The |width| low bits of |x| read as a two's-complement number; width 1..64.
constexpr int64_t SignExtend(uint64_t x, int width) {
  const int unused = 64 - width;
  return static_cast<int64_t>(x << unused) >> unused;
}

// 32-bit arithmetic that wraps, as the RTL's adders do (signed overflow is undefined in C++).
constexpr int32_t WrapAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
constexpr int32_t WrapMul(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

}  // namespace tessera

#endif  // TESSERA_BASE_BITS_H_
