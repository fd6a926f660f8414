// SPDX-License-Identifier: Apache-2.0
//
// The nodes that become one region: residuals, diamonds, results with several users, kept results;
// and, on random graphs, every node is in one region and every region can run in its turn.
#include "compiler/graph/fuse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "tests/compiler/graph/chain.h"

namespace tessera::graph::fuse_test {
namespace {

std::vector<std::string> Names(const Chain& c) {
  EXPECT_TRUE(Verify(c.g)) << Verify(c.g).error().message;
  std::vector<std::string> names;
  for (const Region& r : Fuse(c.g)) names.push_back(r.name);
  return names;
}
using Regions = std::vector<std::string>;

TEST(Fuse, AResidualJoinsTheConvolutionWhenTheOtherSideIsThere) {
  Chain c;
  const TensorId x = c.Input(), a = c.Conv(x, "a");
  const TensorId b = c.Conv(a, "b"), s = c.Sum(b, a, "add");
  c.g.outputs = {s};
  EXPECT_EQ(Names(c), (Regions{"a", "b+add"}));
  const Region r = Fuse(c.g)[1];
  EXPECT_EQ(r.inputs, (std::vector<TensorId>{a}));
  EXPECT_EQ(r.output, s);
}

TEST(Fuse, TheLaterArmOfADiamondTakesTheAdd) {
  Chain c;
  const TensorId x = c.Input(), a = c.Conv(x, "a"), b = c.Conv(x, "b");
  c.g.outputs = {c.Sum(a, b, "add")};
  EXPECT_EQ(Names(c), (Regions{"a", "b+add"}));
  const Region r = Fuse(c.g)[1];
  EXPECT_EQ(r.inputs, (std::vector<TensorId>{x, a}));
}

TEST(Fuse, AResultWithTwoUsersEndsItsRegion) {
  Chain c;
  const TensorId x = c.Input(), a = c.Conv(x, "a");
  const TensorId p = c.Add(Op::kRescale, {a}, "p"), q = c.Add(Op::kRescale, {a}, "q");
  c.g.outputs = {p, q};
  EXPECT_EQ(Names(c), (Regions{"a", "p", "q"}));
}

TEST(Fuse, AKeptResultEndsItsRegion) {
  Chain c;
  const TensorId a = c.Conv(c.Input(), "a"), r = c.Add(Op::kRescale, {a}, "r");
  c.g.outputs = {a, r};
  EXPECT_EQ(Names(c), (Regions{"a", "r"}));
}

TEST(Fuse, AnAddOfAResultWithItselfFuses) {
  Chain c;
  const TensorId a = c.Conv(c.Input(), "a");
  c.g.outputs = {c.Sum(a, a, "twice")};
  EXPECT_EQ(Names(c), (Regions{"a+twice"}));
}

TEST(Fuse, WaitingForSomethingLaterDoesNotFuse) {
  // a's only user needs b, which comes after a and depends on its own branch: b takes the sum into
  // its region.
  Chain c;
  const TensorId x = c.Input(), a = c.Conv(x, "a"), m = c.Conv(x, "m"), b = c.Conv(m, "b");
  c.g.outputs = {c.Sum(a, b, "add")};
  EXPECT_EQ(Names(c), (Regions{"a", "m", "b+add"}));
}

TEST(Fuse, ShapeChangesAndEdgesStayOutside) {
  Chain c;
  const TensorId a = c.Conv(c.Input(), "a"), r = c.Add(Op::kReshape, {a}, "reshape"),
                 b = c.Conv(r, "b");
  c.g.outputs = {c.Add(Op::kDequantize, {b}, "dequantize")};
  EXPECT_EQ(Names(c), (Regions{"a", "reshape", "b", "dequantize"}));
}

TEST(Fuse, ElementwiseNodesWithoutAnAnchorStandAlone) {
  Chain c;
  const TensorId x = c.Input(), p = c.Add(Op::kRescale, {x}, "p");
  c.g.outputs = {c.Add(Op::kRescale, {p}, "q")};
  EXPECT_EQ(Names(c), (Regions{"p", "q"}));
}

TEST(Fuse, PrintsALineARegion) {
  Chain c;
  const TensorId a = c.Conv(c.Input(), "a");
  c.g.outputs = {c.Sum(a, a, "twice")};
  EXPECT_EQ(Print(c.g, Fuse(c.g)), "region 0 a+twice: conv + add -> %t3\n");
}

TEST(Fuse, RandomGraphsCanRunInOrder) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    Chain c;
    std::vector<TensorId> made{c.Input(), c.Input()};
    const auto any = [&] {
      return made[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(made.size()) - 1))];
    };
    for (int i = 0; i < 12; ++i) {
      const std::string name = fmt::format("n{}", i);
      switch (rng.Range(0, 3)) {
        case 0:
          made.push_back(c.Sum(any(), any(), name));
          break;
        case 1:
          made.push_back(c.Add(Op::kRescale, {made.back()}, name));
          break;
        default:
          made.push_back(c.Conv(any(), name));
      }
      if (rng.OneIn(5)) c.g.outputs.push_back(made.back());
    }
    c.g.outputs.push_back(made.back());
    ASSERT_TRUE(Verify(c.g)) << Verify(c.g).error().message;
    std::set<TensorId> there(c.g.inputs.begin(), c.g.inputs.end());
    std::set<size_t> seen;
    for (const Region& r : Fuse(c.g)) {
      for (const TensorId id : r.inputs) ASSERT_TRUE(there.contains(id)) << r.name;
      std::set<TensorId> inside;
      for (const size_t n : r.nodes) {
        ASSERT_TRUE(seen.insert(n).second) << r.name;
        for (const TensorId id : c.g.nodes[n].inputs) {
          ASSERT_TRUE(inside.contains(id) || c.g.tensor(id).constant() ||
                      std::ranges::count(r.inputs, id) == 1)
              << r.name;
        }
        inside.insert(c.g.nodes[n].output);
      }
      ASSERT_TRUE(inside.contains(r.output));
      there.insert(r.output);
    }
    ASSERT_EQ(seen.size(), c.g.nodes.size());
    for (const TensorId id : c.g.outputs) ASSERT_TRUE(there.contains(id));
  }
}

}  // namespace
}  // namespace tessera::graph::fuse_test
