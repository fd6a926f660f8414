// SPDX-License-Identifier: Apache-2.0
//
// What is tested: base/half.h against the definition of binary16 in double arithmetic: every one of
// the 65,536 values to float and back; every float that is a value, a tie between two neighbours or
// next to either; floats at random. Not tested: speed.
#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/rng.h"

namespace tessera::half_test {
namespace {

// The value of |half| by the definition; |half| is not a NaN.
double ValueOf(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double size = exponent == 31  ? std::numeric_limits<double>::infinity()
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -size : size;
}

bool IsNan(uint16_t half) { return (half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0; }

uint32_t BitsOf(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  return bits;
}

// The nearest half of |value| by comparing distances; |value| is not a NaN; 65536 stands for
// infinity.
uint16_t Nearest(float value) {
  const double size = std::fabs(static_cast<double>(value));
  uint16_t low = 0, high = 0x7c00;  // the greatest value <= size lies in [low, high)
  while (high - low > 1) {
    const auto middle = static_cast<uint16_t>((low + high) / 2);
    (ValueOf(middle) <= size ? low : high) = middle;
  }
  const double below = ValueOf(low), above = high == 0x7c00 ? 65536.0 : ValueOf(high);
  uint16_t half = low;
  if (size - below > above - size || (size - below == above - size && low % 2 == 1)) half = high;
  if (std::isinf(value)) half = 0x7c00;
  return static_cast<uint16_t>(half | (std::signbit(value) ? 0x8000 : 0));
}

TEST(Half, EveryValueIsExactAndComesBack) {
  for (uint32_t h = 0; h < 65536; ++h) {
    const auto half = static_cast<uint16_t>(h);
    const float value = HalfToFloat(half);
    ASSERT_EQ(std::signbit(value), half >= 0x8000) << h;
    if (IsNan(half)) {
      ASSERT_TRUE(std::isnan(value)) << h;
      ASSERT_EQ(BitsOf(value) & 0x7fffff, (half & 0x3ffu) << 13 | 0x400000) << h;
      ASSERT_EQ(FloatToHalf(value), half | 0x200) << h;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), ValueOf(half)) << h;
    ASSERT_EQ(FloatToHalf(value), half) << h;
  }
}

TEST(Half, TiesAndTheirNeighboursRoundToEven) {
  for (uint16_t half = 0; half < 0x7c00; ++half) {
    const double next = half == 0x7bff ? 65536 : ValueOf(static_cast<uint16_t>(half + 1));
    const auto tie = static_cast<float>((ValueOf(half) + next) / 2);  // 12 bits: exact
    for (const float size : {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, 1e9f)}) {
      for (const float value : {size, -size})
        ASSERT_EQ(FloatToHalf(value), Nearest(value)) << half << " " << value;
    }
    ASSERT_EQ(FloatToHalf(tie), half + half % 2) << half;
  }
}

TEST(Half, AnyFloatGoesToTheNearest) {
  constexpr uint64_t kSeed = 3;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  for (int i = 0; i < 300000; ++i) {
    auto bits = static_cast<uint32_t>(rng.Next());
    // Half of the floats lie in the range where a half is neither 0 nor infinity.
    if (i % 2 == 0) bits = (bits & 0x807fffff) | static_cast<uint32_t>(rng.Range(96, 148)) << 23;
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) {
      ASSERT_EQ(FloatToHalf(value), (bits >> 16 & 0x8000) | 0x7e00 | (bits >> 13 & 0x3ff)) << bits;
    } else {
      ASSERT_EQ(FloatToHalf(value), Nearest(value)) << bits;
    }
  }
}

}  // namespace
}  // namespace tessera::half_test
