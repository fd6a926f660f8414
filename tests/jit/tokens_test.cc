// SPDX-License-Identifier: Apache-2.0
//
// What is tested: InsertTokens on random instruction lists, against a second machine written here:
// the happens-before relation of counted tokens, closed over all pairs. Conflicts are all ordered;
// in-order units never deadlock; every single token is necessary. Space: up to 40 instructions of
// four units over three small spaces, seeded; and one long list for growth. Not tested here:
// accesses of real instructions (access_test), race checking of images (isa/check).
#include "jit/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "base/rng.h"

namespace tessera::jit::tokens_test {
namespace {

using isa::AddressRange;
using isa::Space;

std::vector<TokenNode> RandomProgram(Rng& rng, int64_t length, int64_t span) {
  std::vector<TokenNode> nodes;
  for (int64_t n = 0; n < length; ++n) {
    TokenNode node;
    node.unit = static_cast<isa::Unit>(rng.Range(0, 3));
    for (int64_t k = rng.Range(0, 2); k >= 0; --k) {
      isa::Access a;
      a.space = Space{static_cast<uint8_t>(rng.Range(1, 3))};
      a.write = rng.Range(0, 1) != 0;
      for (int64_t i = rng.Range(1, 2); i > 0; --i) {
        const int64_t begin = rng.Range(0, span - 1);
        a.intervals.push_back({begin, begin + rng.Range(1, 4)});
      }
      isa::Normalize(a.intervals);
      node.accesses.push_back(a);
    }
    nodes.push_back(node);
  }
  return nodes;
}

bool Conflict(const TokenNode& a, const TokenNode& b) {
  if (a.unit == b.unit) return false;
  for (const isa::Access& x : a.accesses) {
    for (const isa::Access& y : b.accesses) {
      if (x.space != y.space || !(x.write || y.write)) continue;
      for (const AddressRange& p : x.intervals) {
        for (const AddressRange& q : y.intervals) {
          if (p.begin < q.end && q.begin < p.end) return true;
        }
      }
    }
  }
  return false;
}

struct Token {
  size_t from, to;
};

// Pairs the k-th push from one unit to another with the k-th pop. Fails if their counts differ.
std::vector<Token> Match(const std::vector<TokenNode>& nodes,
                         const std::vector<TokenMasks>& masks) {
  std::vector<Token> tokens;
  for (unsigned a = 0; a < 4; ++a) {
    for (unsigned b = 0; b < 4; ++b) {
      std::deque<size_t> pushes, pops;
      for (size_t n = 0; n < nodes.size(); ++n) {
        if (static_cast<unsigned>(nodes[n].unit) == a && (masks[n].push >> b & 1))
          pushes.push_back(n);
        if (static_cast<unsigned>(nodes[n].unit) == b && (masks[n].pop >> a & 1)) pops.push_back(n);
      }
      EXPECT_EQ(pushes.size(), pops.size()) << "units " << a << " to " << b;
      EXPECT_TRUE(a != b || pushes.empty());
      for (size_t k = 0; k < std::min(pushes.size(), pops.size()); ++k)
        tokens.push_back({pushes[k], pops[k]});
    }
  }
  return tokens;
}

// before[i][j]: instruction i is complete before j starts. The rules: a token from i to j; a token
// to j from a later instruction of i's unit; all that holds for j's predecessors in its unit; and,
// transitively, all that the sender of a token waited for.
std::vector<std::vector<bool>> HappensBefore(const std::vector<TokenNode>& nodes,
                                             const std::vector<Token>& tokens) {
  const size_t count = nodes.size();
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
  for (size_t j = 0; j < count; ++j) {
    for (size_t p = 0; p < j; ++p) {
      if (nodes[p].unit != nodes[j].unit) continue;
      for (size_t i = 0; i < count; ++i) before[i][j] = before[i][j] || before[i][p];
    }
    for (const Token& t : tokens) {
      if (t.to != j) continue;
      for (size_t i = 0; i < count; ++i) {
        const bool retired = i == t.from || (i < t.from && nodes[i].unit == nodes[t.from].unit);
        before[i][j] = before[i][j] || retired || before[i][t.from];
        // before[i][t.from] covers the instructions that retired predecessors of the pusher waited
        // for.
      }
    }
  }
  return before;
}

class TokensProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(TokensProperty, OrderedNecessaryAndFreeOfDeadlock) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  const auto nodes = RandomProgram(rng, rng.Range(1, 40), rng.Range(4, 40));
  const auto masks = InsertTokens(nodes, 255);
  ASSERT_TRUE(masks.has_value()) << masks.error().message;
  const auto tokens = Match(nodes, *masks);
  for (const Token& t : tokens) {
    EXPECT_LT(t.from, t.to) << "a pop waits for a later instruction";
    EXPECT_TRUE(Conflict(nodes[t.from], nodes[t.to])) << t.from << " to " << t.to;
  }
  const auto before = HappensBefore(nodes, tokens);
  for (size_t j = 0; j < nodes.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      EXPECT_TRUE(before[i][j] || !Conflict(nodes[i], nodes[j])) << i << " races with " << j;
    }
  }
  for (size_t k = 0; k < tokens.size(); ++k) {
    auto fewer = tokens;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_FALSE(HappensBefore(nodes, fewer)[tokens[k].from][tokens[k].to])
        << "token " << tokens[k].from << " to " << tokens[k].to << " is not necessary";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TokensProperty, ::testing::Range(uint64_t{0}, uint64_t{300}));

isa::Access On(int space, bool write, int64_t begin, int64_t end) {
  return {Space{static_cast<uint8_t>(space)}, write, {{begin, end}}};
}

TEST(Tokens, ReadersDoNotOrderEachOther) {
  const std::vector<TokenNode> nodes = {{isa::Unit::kGemm, {On(2, false, 0, 8)}},
                                        {isa::Unit::kVector, {On(2, false, 0, 8)}}};
  EXPECT_EQ(InsertTokens(nodes, 255).value(), (std::vector<TokenMasks>(2)));
}

TEST(Tokens, ATokenThatAnotherOneTellsIsNotMade) {
  // Load writes A and B; Gemm reads A and writes C; Vector reads B and C: Gemm's token to Vector
  // orders both.
  const std::vector<TokenNode> nodes = {
      {isa::Unit::kLoad, {On(2, true, 0, 8), On(4, true, 0, 8)}},
      {isa::Unit::kGemm, {On(2, false, 0, 8), On(3, true, 0, 8)}},
      {isa::Unit::kVector, {On(3, false, 0, 8), On(4, false, 0, 8)}}};
  const auto masks = InsertTokens(nodes, 255).value();
  EXPECT_EQ(masks[0], (TokenMasks{0, 2}));
  EXPECT_EQ(masks[1], (TokenMasks{1, 4}));
  EXPECT_EQ(masks[2], (TokenMasks{2, 0}));
}

TEST(Tokens, MoreUnderWayThanACounterHoldsIsAnError) {
  std::vector<TokenNode> nodes;
  for (int64_t n = 0; n < 4; ++n) nodes.push_back({isa::Unit::kLoad, {On(2, true, n, n + 1)}});
  for (int64_t n = 0; n < 4; ++n) nodes.push_back({isa::Unit::kGemm, {On(2, false, n, n + 1)}});
  EXPECT_TRUE(InsertTokens(nodes, 4).has_value());
  const auto masks = InsertTokens(nodes, 3);
  ASSERT_FALSE(masks.has_value());
  EXPECT_EQ(masks.error().code, Code::kOutOfRange);
  EXPECT_THAT(masks.error().message, ::testing::HasSubstr("4 tokens from load to gemm"));
}

TEST(Tokens, ALongListOfRingedTilesTakesTwoTokensATile) {
  // 10,000 tiles of work over a ring of 4 pieces: Load fills, Gemm reads. From the fifth tile on,
  // Load waits until Gemm has used the piece. Comparing all pairs would take 2 * 10^8 comparisons.
  std::vector<TokenNode> nodes;
  constexpr int64_t kTiles = 10000;
  for (int64_t n = 0; n < kTiles; ++n) {
    const int64_t base = n % 4 * 100;
    nodes.push_back({isa::Unit::kLoad, {On(2, true, base, base + 100)}});
    nodes.push_back({isa::Unit::kGemm, {On(2, false, base, base + 100)}});
  }
  const auto masks = InsertTokens(nodes, 255).value();
  for (size_t n = 0; n < nodes.size(); ++n) {
    const bool load = n % 2 == 0;
    EXPECT_EQ(masks[n].pop, load ? (n >= 8 ? 2 : 0) : 1) << n;
    EXPECT_EQ(masks[n].push, load ? 2 : (n < 2 * kTiles - 8 ? 1 : 0)) << n;
  }
}

}  // namespace
}  // namespace tessera::jit::tokens_test
