// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the generator's published sequence, and the ranges of the values derived from it.
#include "base/rng.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace tessera::rng_test {
namespace {

// splitmix64's reference outputs.
TEST(Rng, IsSplitmix64) {
  Rng zero(0);
  for (const uint64_t want :
       {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu, 0xf88bb8a8724c81ecu}) {
    EXPECT_EQ(zero.Next(), want);
  }
  Rng seeded(1234567);
  for (const uint64_t want : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u}) {
    EXPECT_EQ(seeded.Next(), want);
  }
}

TEST(Rng, RangeReachesBothEndsAndNoFurther) {
  SCOPED_TRACE("seed 10");
  Rng rng(10);
  std::set<int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.Range(-3, 4));
  EXPECT_EQ(*seen.begin(), -3);
  EXPECT_EQ(*seen.rbegin(), 4);
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_EQ(rng.Range(5, 5), 5);
}

TEST(Rng, RangeTakesEveryWidth) {
  SCOPED_TRACE("seed 11");
  Rng rng(11);
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(),
                    kMax = std::numeric_limits<int64_t>::max();
  bool negative = false, positive = false;
  for (int i = 0; i < 100; ++i) {
    const int64_t value = rng.Range(kMin, kMax);
    negative = negative || value < 0;
    positive = positive || value > 0;
    EXPECT_GE(rng.Range(kMin, kMin + 1), kMin);
    EXPECT_GE(rng.Range(kMax - 1, kMax), kMax - 1);
  }
  EXPECT_TRUE(negative);
  EXPECT_TRUE(positive);
}

TEST(Rng, OneInAndUnit) {
  SCOPED_TRACE("seed 12");
  Rng rng(12);
  int hits = 0;
  double sum = 0;
  for (int i = 0; i < 4000; ++i) {
    hits += rng.OneIn(4) ? 1 : 0;
    const double u = rng.Unit();
    EXPECT_GE(u, 0);
    EXPECT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(hits, 1000, 150);  // a margin of more than 5 standard deviations
  EXPECT_NEAR(sum / 4000, 0.5, 0.03);
}

}  // namespace
}  // namespace tessera::rng_test
