// SPDX-License-Identifier: Apache-2.0
//
// A second derivation of quantised arithmetic, for tests: exact rationals in 128-bit integers, and
// the bits of a double instead of frexp. Shares no code with compiler/quantize and compiler/ir.
#ifndef TESSERA_TESTS_COMPILER_EXACT_H_
#define TESSERA_TESTS_COMPILER_EXACT_H_

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tessera::exact {

using Wide = __int128;

// floor(a / b), b > 0.
constexpr Wide FloorDiv(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

// The nearest integer to a / b, b > 0; ties to even, away from zero, or up.
constexpr int64_t RoundEven(Wide a, Wide b) {
  const Wide q = FloorDiv(a, b), twice = 2 * (a - q * b);
  return static_cast<int64_t>(q + (twice > b || (twice == b && q % 2 != 0) ? 1 : 0));
}
constexpr int64_t RoundAway(Wide a, Wide b) {
  return static_cast<int64_t>(a >= 0 ? FloorDiv(2 * a + b, 2 * b) : -FloorDiv(-2 * a + b, 2 * b));
}
constexpr int64_t RoundUp(Wide a, Wide b) {
  return static_cast<int64_t>(FloorDiv(2 * a + b, 2 * b));
}

// A positive normal double as multiplier * 2^(shift - 31), 2^30 <= multiplier < 2^31.
struct Factor {
  int64_t multiplier = 0;
  int shift = 0;
};
inline Factor FactorOf(double real) {
  const uint64_t bits = std::bit_cast<uint64_t>(real);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) |
                            uint64_t{1} << 52;  // real = mantissa * 2^(exponent - 1075)
  // 53 bits to 31: drop 22, half away from zero.
  Factor f{static_cast<int64_t>((mantissa + (uint64_t{1} << 21)) >> 22), exponent - 1075 + 53};
  if (f.multiplier == int64_t{1} << 31) f = {int64_t{1} << 30, f.shift + 1};
  if (f.shift < -31) f = {0, 0};
  return f;
}

enum class Mode { kEven, kTflite, kHalfUp };

// a * 2^max(shift, 0), which must fit 32 bits, times multiplier / 2^31 / 2^max(-shift, 0).
inline int64_t Rescale(int64_t a, Factor f, Mode mode) {
  const Wide product = static_cast<Wide>(a) * (int64_t{1} << std::max(f.shift, 0)) * f.multiplier;
  const Wide right = static_cast<Wide>(1) << std::max(-f.shift, 0), one = static_cast<Wide>(1)
                                                                          << 31;
  switch (mode) {
    case Mode::kEven:
      return RoundEven(product, one * right);
    case Mode::kHalfUp:
      return RoundUp(product, one * right);
    case Mode::kTflite: {
      const int64_t t = RoundUp(product, one);
      return right == 1 ? t : RoundAway(t, right);
    }
  }
  return 0;
}

inline int8_t Narrow(int64_t y, int64_t zero, int64_t lo = -128, int64_t hi = 127) {
  return static_cast<int8_t>(std::clamp(y + zero, lo, hi));
}

// The sum of (a - za) * sa and (b - zb) * sb in steps of so: operands aligned to twice the larger
// scale with 20 bits of fraction (rounded in two steps), then rounded once.
inline int8_t Add(int64_t a, int64_t za, double sa, int64_t b, int64_t zb, double sb, double so,
                  int64_t zo, Mode mode) {
  const double twice = 2 * std::max(sa, sb);
  const auto aligned = [&](int64_t x, double s) {
    if (2 * s == twice) return x * (int64_t{1} << 19);
    const Factor f = FactorOf(s / twice);
    return RoundAway(FloorDiv(static_cast<Wide>(x) * f.multiplier + (1 << 10), 1 << 11),
                     static_cast<Wide>(1) << -f.shift);
  };
  const int64_t sum = aligned(a - za, sa) + aligned(b - zb, sb);
  return Narrow(Rescale(sum, FactorOf(twice / (1048576.0 * so)), mode), zo);
}

}  // namespace tessera::exact

#endif  // TESSERA_TESTS_COMPILER_EXACT_H_
