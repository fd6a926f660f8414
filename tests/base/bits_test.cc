// SPDX-License-Identifier: Apache-2.0
//
// What is tested: small integer arithmetic at its edges and against slow definitions.
#include "base/bits.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/rng.h"

namespace tessera::bits_test {
namespace {

TEST(Bits, PowersOfTwo) {
  EXPECT_FALSE(IsPowerOfTwo(0));
  for (int i = 0; i < 64; ++i) {
    EXPECT_TRUE(IsPowerOfTwo(uint64_t{1} << i));
    EXPECT_EQ(Log2Floor(uint64_t{1} << i), i);
    if (i > 1) {
      EXPECT_FALSE(IsPowerOfTwo((uint64_t{1} << i) - 1));
      EXPECT_EQ(Log2Floor((uint64_t{1} << i) - 1), i - 1);
    }
  }
}

TEST(Bits, RoundUpIsTheLeastMultipleNotBelow) {
  for (int64_t a = 0; a < 100; ++a) {
    for (int64_t b = 1; b < 20; ++b) {
      int64_t multiple = 0;
      int64_t steps = 0;
      while (multiple < a) multiple += b, ++steps;
      EXPECT_EQ(RoundUp(a, b), multiple);
      EXPECT_EQ(CeilDiv(a, b), steps);
    }
  }
}

TEST(Bits, MaskHasWidthOnes) {
  uint64_t want = 0;
  for (int width = 0; width <= 64; ++width) {
    EXPECT_EQ(Mask(width), want);
    want = want * 2 + 1;
  }
}

TEST(Bits, SignExtendReadsTwosComplement) {
  EXPECT_EQ(SignExtend(0xff, 8), -1);
  EXPECT_EQ(SignExtend(0x80, 8), -128);
  EXPECT_EQ(SignExtend(0x7f, 8), 127);
  EXPECT_EQ(SignExtend(0xabc7f, 8), 127);  // the bits above the width are ignored
  EXPECT_EQ(SignExtend(1, 1), -1);
  EXPECT_EQ(SignExtend(~uint64_t{0}, 64), -1);
  for (int width = 1; width <= 62; ++width) {
    const int64_t half = int64_t{1} << (width - 1);
    for (const int64_t value : {-half, half - 1, int64_t{0}}) {
      EXPECT_EQ(SignExtend(static_cast<uint64_t>(value), width), value) << width;
    }
  }
}

TEST(Bits, WrapAroundIsModulo32Bits) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max(),
                    kMin = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(WrapAdd(kMax, 1), kMin);
  EXPECT_EQ(WrapAdd(kMin, -1), kMax);
  EXPECT_EQ(WrapMul(kMin, -1), kMin);
  SCOPED_TRACE("seed 8");
  Rng rng(8);
  for (int i = 0; i < 1000; ++i) {
    const int64_t a = rng.Range(kMin, kMax), b = rng.Range(kMin, kMax);
    const auto wrapped = [](__int128 x) {
      x = ((x % 4294967296) + 4294967296) % 4294967296;
      return static_cast<int64_t>(x >= 2147483648 ? x - 4294967296 : x);
    };
    EXPECT_EQ(WrapAdd(static_cast<int32_t>(a), static_cast<int32_t>(b)), wrapped(a + b));
    EXPECT_EQ(WrapMul(static_cast<int32_t>(a), static_cast<int32_t>(b)),
              wrapped(static_cast<__int128>(a) * b));
  }
}

}  // namespace
}  // namespace tessera::bits_test
