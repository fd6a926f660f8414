// SPDX-License-Identifier: Apache-2.0
//
// What is tested: requantisation and the other scalar functions against exact rationals in 128
// bits. Space: 200,000 random cases a rounding, shifts -32 to 31, ties made on purpose; corner
// values; that the build fuses no products. Not tested here: functions of floats (functions_test),
// the accelerator's own arithmetic (tests/isa).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "compiler/ir/scalar_math.h"

namespace tessera::ir::math_test {
namespace {

using Wide = __int128;

Wide FloorDivide(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

// |n| / |d| to the nearest integer, d > 0; |tie| decides between the floor and the floor + 1.
template <typename Tie>
Wide Nearest(Wide n, Wide d, const Tie& tie) {
  const Wide floor = FloorDivide(n, d);
  const Wide twice = 2 * (n - floor * d);
  if (twice != d) return floor + (twice > d ? 1 : 0);
  return tie(floor);
}

int32_t Expected(int32_t a, int32_t multiplier, int shift, isa::Round rounding) {
  const int32_t shifted = static_cast<int32_t>(static_cast<uint32_t>(a) << std::max(shift, 0));
  const Wide product = static_cast<Wide>(shifted) * multiplier;
  const Wide right = static_cast<Wide>(1) << std::max(-shift, 0);
  const auto up = [](Wide floor) { return floor + 1; };
  const auto even = [](Wide floor) { return floor % 2 == 0 ? floor : floor + 1; };
  const auto away = [](Wide floor) { return floor >= 0 ? floor + 1 : floor; };
  const Wide unit = static_cast<Wide>(1) << 31;
  switch (rounding) {
    case isa::Round::kEven:
      return static_cast<int32_t>(Nearest(product, unit * right, even));
    case isa::Round::kHalfUp:
      return static_cast<int32_t>(Nearest(product, unit * right, up));
    case isa::Round::kTflite:
      return static_cast<int32_t>(Nearest(Nearest(product, unit, up), right, away));
  }
  return 0;
}

TEST(Requant, MatchesExactRationals) {
  const uint64_t seed = 20;
  SCOPED_TRACE(seed);
  Rng rng(seed);
  for (int i = 0; i < 200000; ++i) {
    int32_t a = static_cast<int32_t>(rng.Next());
    if (rng.OneIn(2)) a >>= rng.Range(0, 31);
    int32_t m = static_cast<int32_t>(rng.Next() >> 33);
    if (rng.OneIn(3)) m = 1 << rng.Range(0, 30);  // products with many ties
    if (rng.OneIn(20)) a = rng.OneIn(2) ? INT32_MIN : INT32_MAX;
    if (rng.OneIn(20)) m = rng.OneIn(2) ? 0 : INT32_MAX;
    const int shift = static_cast<int>(rng.Range(-32, 31));
    for (isa::Round r : {isa::Round::kEven, isa::Round::kTflite, isa::Round::kHalfUp}) {
      ASSERT_EQ(RequantValue(a, m, shift, r), Expected(a, m, shift, r))
          << a << " * " << m << " shift " << shift << " mode " << static_cast<int>(r);
    }
  }
}

TEST(Requant, TiesFollowTheMode) {
  const int32_t half = 1 << 30;  // multiplies by one half
  EXPECT_EQ(RequantValue(5, half, 0, isa::Round::kEven), 2);
  EXPECT_EQ(RequantValue(7, half, 0, isa::Round::kEven), 4);
  EXPECT_EQ(RequantValue(5, half, 0, isa::Round::kHalfUp), 3);
  EXPECT_EQ(RequantValue(-5, half, 0, isa::Round::kHalfUp), -2);
  EXPECT_EQ(RequantValue(-5, half, 0, isa::Round::kTflite), -2);  // first step: ties up
  EXPECT_EQ(RequantValue(-12, half, -2, isa::Round::kTflite),
            -2);  // second step: -6 / 4 away from zero
  EXPECT_EQ(RequantValue(-12, half, -2, isa::Round::kHalfUp), -1);
}

TEST(ClampAdd, DoesNotOverflow) {
  EXPECT_EQ(ClampAddValue(INT32_MAX, 127, -128, 127), 127);
  EXPECT_EQ(ClampAddValue(INT32_MIN, -128, -128, 127), -128);
  EXPECT_EQ(ClampAddValue(INT32_MAX, INT32_MAX, INT32_MIN, INT32_MAX), INT32_MAX);
  EXPECT_EQ(ClampAddValue(-3, 10, 0, 127), 7);
}

TEST(RoundEven, MatchesTheStandardLibrary) {
  Rng rng(4);
  for (int i = 0; i < 100000; ++i) {
    float x = static_cast<float>(rng.Range(-4000000, 4000000)) / 4.0f;
    if (rng.OneIn(4)) x = static_cast<float>(rng.Unit() * 1e10 - 5e9);
    ASSERT_EQ(RoundEvenValue(x), std::nearbyint(x)) << x;  // the default environment rounds to even
  }
  EXPECT_TRUE(std::isnan(RoundEvenValue(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::signbit(RoundEvenValue(-0.25f)));
}

TEST(TruncateSaturate, EndsAndNan) {
  EXPECT_EQ(TruncateSaturate(-1.9f, -128, 127), -1);
  EXPECT_EQ(TruncateSaturate(1e30f, INT32_MIN, INT32_MAX), INT32_MAX);
  EXPECT_EQ(TruncateSaturate(-1e30f, INT32_MIN, INT32_MAX), INT32_MIN);
  EXPECT_EQ(TruncateSaturate(std::numeric_limits<float>::quiet_NaN(), -128, 127), 0);
  EXPECT_EQ(TruncateSaturate(2147483648.0f, INT64_MIN, INT64_MAX), 2147483648);
}

// What a compiler may fuse, where the processor can.
#if defined(__x86_64__)
[[gnu::target("fma")]]
#endif
[[gnu::noinline, gnu::optimize("O2")]] float
ProductAndSum(float a, float b, float c) {
  return a * b + c;
}

TEST(Floats, AreRoundedAfterEachOperation) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor has no fused products";
#endif
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, a tie, which goes to 1 + 2^-11.
  const float x = 1 + 0x1p-12f;
  EXPECT_EQ(ProductAndSum(x, x, -(1 + 0x1p-11f)), 0.0f);
}

}  // namespace
}  // namespace tessera::ir::math_test
