// SPDX-License-Identifier: Apache-2.0
//
// What is tested: that average pooling by Rescale with shift 0 is exact: for every window of n = 2
// .. 256 elements there is a left shift and a multiplier near 2^31 / (n * 2^L) that give TFLite's
// quotient for every possible sum of int8; and pooling through ALU reductions. Not tested here: the
// search in the compiler.
#include <gtest/gtest.h>

#include "helpers.h"

namespace tessera::isa::pool_test {
namespace {

// TFLite rounds half away from zero: it adds half of the count towards the sign and truncates.
int64_t Average(int64_t sum, int64_t n) { return (sum + (sum > 0 ? n / 2 : -(n / 2))) / n; }

bool IsExact(int64_t n, int64_t multiplier, int left) {
  for (int64_t sum = -128 * n; sum <= 127 * n; ++sum) {
    if (Rescale(static_cast<int32_t>(sum), static_cast<int32_t>(multiplier), left,
                Round::kTflite) != Average(sum, n)) {
      return false;
    }
  }
  return true;
}

TEST(AveragePool, HasAnExactMultiplierForEveryCount) {
  for (int64_t n = 2; n <= 256; ++n) {
    bool found = false;
    for (int left = 0; left <= 15 && !found; ++left) {
      for (int64_t extra = 0; extra <= 2 && !found; ++extra) {
        found = IsExact(n, (int64_t{1} << 31) / (n << left) + extra, left);
      }
    }
    EXPECT_TRUE(found) << "n " << n;
  }
  EXPECT_TRUE(IsExact(64, 33554433, 0)) << "the value that the design states";
}

TEST(AveragePool, ByAluReductionAndRequant) {
  constexpr uint64_t kSeed = 5;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  Machine m(Named("tiny"), rng);
  const Machine before = m;
  const int64_t lanes = m.state.config.lanes();
  // A 2x3 window over a row pitch of 7 tiles of INP, at 3 positions; 6 elements: 2^31 / 6.
  ASSERT_FALSE(m.Run(Alu{.alu_op = 2,
                         .src_mem = 2,
                         .init = 1,
                         .iter_out = 1,
                         .iter_in = 3,
                         .dst_base = 10,
                         .src_base = 4,
                         .red_out = 2,
                         .red_in = 3,
                         .dst_in = 1,
                         .src_in = 2,
                         .red_out_step = 7,
                         .red_in_step = 1}));
  ASSERT_FALSE(m.Run(Requant{.src_mem = 0,
                             .dst_mem = 1,
                             .per_tensor = 1,
                             .lo = -128,
                             .hi = 127,
                             .src_base = 10,
                             .iter_out = 1,
                             .iter_in = 3,
                             .dst_in = 1,
                             .src_in = 1,
                             .multiplier = (int64_t{1} << 31) / 6 + 1}));
  for (int64_t position = 0; position < 3; ++position) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t sum = 0;
      for (int64_t y = 0; y < 2; ++y) {
        for (int64_t x = 0; x < 3; ++x)
          sum += before.state.inp[(4 + position * 2 + y * 7 + x) * lanes + lane];
      }
      EXPECT_EQ(m.state.acc[(10 + position) * lanes + lane], sum);
      EXPECT_EQ(m.state.out[position * lanes + lane], Average(sum, 6));
    }
  }
}

}  // namespace
}  // namespace tessera::isa::pool_test
