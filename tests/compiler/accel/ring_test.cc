// SPDX-License-Identifier: Apache-2.0
//
// What is tested: RingAllocator gives pieces in turn, on whole banks, never overlaps pieces in use,
// and finds a gap whenever one exists. Space: directed cases and random allocate and release,
// seeded.
#include "compiler/codegen/accel/emit/ring.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/rng.h"

namespace tessera::codegen::accel::ring_test {
namespace {

TEST(Ring, PiecesFollowEachOtherAndWrap) {
  RingAllocator ring(10);
  EXPECT_EQ(ring.Allocate(4), 0);
  EXPECT_EQ(ring.Allocate(4), 4);
  EXPECT_EQ(ring.Allocate(4), std::nullopt) << "2 left at the end, none at the start";
  ring.Release(0);
  EXPECT_EQ(ring.Allocate(2), 8) << "the next after the one before comes first";
  EXPECT_EQ(ring.Allocate(4), 0);
  EXPECT_EQ(ring.in_use(), 10);
}

TEST(Ring, ALongLivedPieceIsSkipped) {
  RingAllocator ring(10);
  ASSERT_EQ(ring.Allocate(3), 0);  // stays allocated
  for (int round = 0; round < 5; ++round) {
    const auto piece = ring.Allocate(4);
    ASSERT_EQ(piece, 3) << "7 tiles left: 4 fit at one place at a time";
    ring.Release(*piece);
  }
}

TEST(Ring, PiecesTakeWholeBanks) {
  RingAllocator ring(32, 8);
  EXPECT_EQ(ring.Allocate(3), 0);
  EXPECT_EQ(ring.Allocate(9), 8);
  EXPECT_EQ(ring.Allocate(1), 24);
  EXPECT_EQ(ring.Allocate(1), std::nullopt);
  EXPECT_EQ(ring.in_use(), 32);
}

TEST(Ring, RewindStartsAgainAtTheFirstTile) {
  RingAllocator ring(10, 2);
  ASSERT_EQ(ring.Allocate(3), 0);
  EXPECT_EQ(ring.next(), 4);
  EXPECT_EQ(ring.Rounded(3), 4);
  EXPECT_FALSE(ring.empty());
  ring.Release(0);
  EXPECT_TRUE(ring.empty());
  ring.Rewind();
  EXPECT_EQ(ring.Allocate(3), 0);
}

class RingProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(RingProperty, PiecesAreApartAndGapsAreFound) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  const int64_t bank = rng.Range(0, 1) ? 4 : 1;
  const int64_t depth = 4 * rng.Range(2, 16);
  RingAllocator ring(depth, bank);
  std::map<int64_t, int64_t> in_use;  // begin -> tiles
  for (int step = 0; step < 200; ++step) {
    if (!in_use.empty() && rng.Range(0, 2) == 0) {
      auto victim =
          std::next(in_use.begin(), rng.Range(0, static_cast<int64_t>(in_use.size()) - 1));
      ring.Release(victim->first);
      in_use.erase(victim);
      continue;
    }
    const int64_t tiles = rng.Range(1, depth / 2);
    std::vector<bool> used(static_cast<size_t>(depth));
    for (const auto& [begin, size] : in_use) {
      for (int64_t t = begin; t < begin + (size + bank - 1) / bank * bank; ++t)
        used[static_cast<size_t>(t)] = true;
    }
    int64_t longest = 0, run = 0;
    for (int64_t t = 0; t < depth; ++t) {
      run = used[static_cast<size_t>(t)] ? 0 : run + 1;
      longest = std::max(longest, run);
    }
    const auto piece = ring.Allocate(tiles);
    ASSERT_EQ(piece.has_value(), longest >= (tiles + bank - 1) / bank * bank);
    if (!piece) continue;
    EXPECT_EQ(*piece % bank, 0);
    for (int64_t t = *piece; t < *piece + tiles; ++t) ASSERT_FALSE(used.at(static_cast<size_t>(t)));
    in_use[*piece] = tiles;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RingProperty, ::testing::Range(uint64_t{0}, uint64_t{50}));

}  // namespace
}  // namespace tessera::codegen::accel::ring_test
