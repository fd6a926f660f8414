// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the lengths of pieces (cost/edges.h). The test splits an axis twice, by factors
// that need not divide it, and counts the calls of each piece one element at a time. It compares
// the share of the calls that a piece has, the mean over all pieces, the multiple of that mean, and
// the iterations of the outer loop in front of the next edge. Space: random extents, factors,
// tiles, pads; seeds 1 to 200. Not tested here: estimates that use them (models_estimates_test).
#include "compiler/cost/edges.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/bits.h"
#include "base/rng.h"
#include "compiler/cost/nests.h"

namespace tessera::cost::edges_test {
namespace {

// Loop 0 goes over |extent| by |outer|, loop 1 over that by |inner|; calls make |tile| elements.
// Those in [first, end) count.
struct SplitAxis {
  int64_t extent = 1, outer = 1, inner = 1, tile = 1, first = 0, end = 0;
  std::array<int64_t, 2> loops() const { return {CeilDiv(extent, outer), CeilDiv(outer, inner)}; }

  // Calls with an element, of the piece in iterations |a| and |b|.
  int64_t CallsAt(int64_t a, int64_t b) const {
    int64_t elements = 0;
    for (int64_t x = 0; x < inner; ++x) {
      const int64_t at = a * outer + b * inner + x;
      elements += b * inner + x < outer && at >= first && at < end;
    }
    return CeilDiv(elements, tile);
  }
  double ShareAt(int64_t a, int64_t b) const {
    return static_cast<double>(CallsAt(a, b)) / static_cast<double>(CeilDiv(inner, tile));
  }
  EdgeAlong Edge() const {
    EdgeAlong edge{.moves = {{{0, 0}, outer}, {{0, 1}, inner}},
                   .parts = {{.moves = {1}, .size = outer}},
                   .box = {0, inner},
                   .elements = tile,
                   .inside = {first, end},
                   .copied = {first, end}};
    edge.ran = edge.carried = edge.MeanShareIn({first, end}, loops());
    return edge;
  }
};

SplitAxis RandomAxis(Rng& rng) {
  SplitAxis axis;
  axis.extent = rng.Range(1, 60);
  axis.outer = rng.Range(1, axis.extent);
  axis.inner = rng.Range(1, axis.outer);
  axis.tile = rng.Range(1, 4);
  axis.first = rng.Range(0, 2);
  axis.end = axis.extent - rng.Range(0, 2);
  return axis;
}

TEST(Edges, SharesAreTheCallsCountedOneByOne) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    const SplitAxis axis = RandomAxis(rng);
    const EdgeAlong edge = axis.Edge();
    const auto [outer, inner] = axis.loops();
    double sum = 0;
    for (int64_t a = 0; a < outer; ++a) {
      for (int64_t b = 0; b < inner; ++b) {
        const std::array at{a, b};
        ASSERT_DOUBLE_EQ(edge.ShareIn(edge.inside, at), axis.ShareAt(a, b)) << a << ", " << b;
        sum += axis.ShareAt(a, b);
      }
    }
    const double mean = sum / static_cast<double>(outer * inner);
    ASSERT_NEAR(edge.ran, mean, 1e-12);
    if (mean == 0) continue;
    const EdgeAlong::Shares last = edge.Now({{outer - 1, inner - 1}});
    EXPECT_DOUBLE_EQ(last.carried, axis.ShareAt(outer - 1, inner - 1) / edge.carried);
  }
}

TEST(Edges, ALoopIsAlikeUntilTheNextEdge) {
  int shorter = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    const SplitAxis axis = RandomAxis(rng);
    Nests nests;
    nests.all.resize(1);
    nests.all[0].edges.push_back(axis.Edge());
    if (nests.all[0].edges[0].ran == 0) continue;
    const auto [outer, inner] = axis.loops();
    for (int64_t a = 1; a < outer; ++a) {  // behind the pads at the beginning
      Iterations now{{a, 0}};
      int64_t alike = 0;
      while (a + alike + 1 < outer && axis.CallsAt(a + alike + 1, 0) == axis.CallsAt(a, 0)) ++alike;
      ASSERT_EQ(nests.AlikeAfter({0, 0}, &now, outer - 1 - a), alike) << a;
      EXPECT_EQ(now, (Iterations{{a, 0}}));
      shorter += alike < outer - 1 - a;
    }
    Iterations now{{1 < outer ? 1 : 0, 0}};
    if (inner < 2 || axis.first > 0) continue;
    EXPECT_LE(nests.AlikeAfter({0, 1}, &now, inner - 1), inner - 1);
    EXPECT_EQ(nests.AlikeAfter({0, 7}, &now, 5), 5) << "a loop that moves nothing";
  }
  EXPECT_GT(shorter, 100);
}

// More iterations than are worth counting.
TEST(Edges, ManyIterationsHaveNoMean) {
  const SplitAxis axis{.extent = 10'000, .outer = 2, .inner = 1, .end = 5'000};
  EXPECT_EQ(axis.Edge().ran, 1);
}

}  // namespace
}  // namespace tessera::cost::edges_test
