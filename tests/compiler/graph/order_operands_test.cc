// SPDX-License-Identifier: Apache-2.0
//
// OrderOperands. tests/networks checks that a network computes the same after all passes.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/node_check.h"
#include "compiler/graph/passes.h"
#include "tests/compiler/graph/chain.h"

namespace tessera::graph::order_operands_test {
namespace {

std::vector<std::string> Names(const Graph& g) {
  std::vector<std::string> names;
  for (const Node& node : g.nodes) names.push_back(node.name);
  return names;
}

// A convolution of 3x3: nine times the multiply-accumulates of Chain's own.
TensorId LargeConv(Chain& c, TensorId x, const std::string& name) {
  const TensorId y = c.Conv(x, name);
  GraphTensor& weights = c.g.tensor(c.g.nodes.back().inputs[1]);
  weights.shape = {2, 2, 3, 3};
  weights.data->resize(36);
  Window& window = c.g.nodes.back().Edit<ConvAttributes>().window;
  window.kernel = {3, 3};
  window.pad_before = window.pad_after = {1, 1};
  return y;
}

// Runs the pass and returns the names of the nodes in their order.
std::vector<std::string> Ordered(Chain& c, TensorId out) {
  c.g.outputs = {out};
  EXPECT_TRUE(Verify(c.g)) << Verify(c.g).error().message;
  OrderOperands(c.g);
  EXPECT_TRUE(Verify(c.g)) << Verify(c.g).error().message;
  return Names(c.g);
}

TEST(OrderOperands, TheLargerProductComesLast) {
  Chain c;
  const TensorId x = c.Input(), a = LargeConv(c, x, "large"), b = c.Conv(x, "small");
  EXPECT_EQ(Ordered(c, c.Sum(a, b, "sum")), (std::vector<std::string>{"small", "large", "sum"}));
}

TEST(OrderOperands, AChainMovesWithWhatFollowsItsProduct) {
  Chain c;
  const TensorId x = c.Input(), a = c.Add(Op::kAbs, {LargeConv(c, x, "large")}, "abs 1"),
                 b = c.Add(Op::kAbs, {c.Conv(x, "small")}, "abs 2");
  EXPECT_EQ(Ordered(c, c.Sum(b, a, "sum")),
            (std::vector<std::string>{"small", "abs 2", "large", "abs 1", "sum"}));
}

TEST(OrderOperands, EqualOnesAndTheRightOrderStay) {
  Chain c;
  const TensorId x = c.Input(), a = c.Conv(x, "a"), b = c.Conv(x, "b"), ab = c.Sum(a, b, "ab"),
                 d = LargeConv(c, x, "d");
  EXPECT_EQ(Ordered(c, c.Sum(ab, d, "sum")),
            (std::vector<std::string>{"a", "b", "ab", "d", "sum"}));
}

TEST(OrderOperands, AProductThatAnotherNodeReadsStays) {
  Chain c;
  const TensorId x = c.Input(), a = LargeConv(c, x, "large"), b = c.Conv(x, "small"),
                 sum = c.Sum(a, b, "sum");
  EXPECT_EQ(Ordered(c, c.Sum(sum, b, "again")),
            (std::vector<std::string>{"large", "small", "sum", "again"}));
}

TEST(OrderOperands, AChainStaysBehindWhatItReads) {
  Chain c;
  const TensorId x = c.Input(), a = LargeConv(c, x, "large"), y = c.Conv(x, "y"),
                 b = c.Conv(y, "small");
  EXPECT_EQ(Ordered(c, c.Sum(a, b, "sum")),
            (std::vector<std::string>{"large", "y", "small", "sum"}));
}

// Random graphs stay legal and keep their nodes; afterwards no sum could be ordered better.
TEST(OrderOperands, RandomGraphsKeepTheirNodes) {
  std::mt19937 random(31);
  int moved = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    SCOPED_TRACE(trial);
    Chain c;
    std::vector<TensorId> values = {c.Input()};
    const auto any = [&] {
      const size_t at = random() % values.size();
      const TensorId id = values[at];
      // Most are read once, so that they can move.
      if (at > 0 && random() % 4 > 0) values.erase(values.begin() + static_cast<int64_t>(at));
      return id;
    };
    for (int n = 0; n < 12; ++n) {
      const std::string name = fmt::format("n{}", n);
      const uint32_t kind = random() % 4;
      values.push_back(kind == 0   ? LargeConv(c, any(), name)
                       : kind == 1 ? c.Conv(any(), name)
                       : kind == 2 ? c.Add(Op::kAbs, {any()}, name)
                                   : c.Sum(any(), any(), name));
    }
    const std::vector<std::string> before = Names(c.g), after = Ordered(c, values.back());
    EXPECT_EQ(std::multiset(before.begin(), before.end()),
              std::multiset(after.begin(), after.end()));
    moved += before != after ? 1 : 0;
    OrderOperands(c.g);
    EXPECT_EQ(Names(c.g), after) << "the second run finds nothing to do";
  }
  EXPECT_GT(moved, 20);
}

}  // namespace
}  // namespace tessera::graph::order_operands_test
