// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the memory plan: two tensors that are alive at one moment share no byte, places
// are aligned and inside the peak, the peak is at least what is alive at some moment and at most
// what a place of its own for each would take. Space: 200 random sets of lives, seeded, checked
// moment by moment and byte by byte. Not tested here: that steps name their lives rightly
// (tests/networks runs with poisoned storage).
#include "compiler/network/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace tessera::network::memory_plan_test {
namespace {

class MemoryPlanProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(MemoryPlanProperty, EveryByteHasOneOwnerAtAMoment) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  constexpr int64_t kMoments = 26;
  std::vector<Lifetime> lives(static_cast<size_t>(rng.Range(1, 24)));
  int64_t sum = 0;
  for (Lifetime& life : lives) {
    life.bytes = rng.Range(1, 600);
    life.first = rng.Range(-1, 20);
    life.last = life.first + rng.Range(0, 5);
    sum += (life.bytes + 63) / 64 * 64;
  }
  const MemoryPlan plan = PlanMemory(lives, 64);
  EXPECT_EQ(plan.unshared, sum);
  EXPECT_LE(plan.bytes, sum);
  int64_t most_alive = 0;
  for (int64_t moment = -1; moment < kMoments; ++moment) {
    std::vector<int> owner(static_cast<size_t>(plan.bytes), -1);
    int64_t alive = 0;
    for (size_t k = 0; k < lives.size(); ++k) {
      if (moment < lives[k].first || moment > lives[k].last) continue;
      alive += lives[k].bytes;
      ASSERT_EQ(plan.offsets[k] % 64, 0);
      ASSERT_LE(plan.offsets[k] + lives[k].bytes, plan.bytes);
      for (int64_t b = 0; b < lives[k].bytes; ++b) {
        int& byte = owner[static_cast<size_t>(plan.offsets[k] + b)];
        ASSERT_EQ(byte, -1) << "tensors " << byte << " and " << k << " at moment " << moment;
        byte = static_cast<int>(k);
      }
    }
    most_alive = std::max(most_alive, alive);
  }
  EXPECT_GE(plan.bytes, most_alive);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemoryPlanProperty, ::testing::Range(uint64_t{0}, uint64_t{200}));

TEST(MemoryPlan, WhatNeverLivesTogetherSharesBytes) {
  EXPECT_EQ(PlanMemory({{100, 0, 1}, {100, 2, 3}, {100, 1, 2}}, 64).bytes, 228);
  EXPECT_EQ(PlanMemory({{100, 0, 1}, {100, 2, 3}}, 64).bytes, 100);
  EXPECT_EQ(PlanMemory({}, 64).bytes, 0);
}

}  // namespace
}  // namespace tessera::network::memory_plan_test
