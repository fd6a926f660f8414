// SPDX-License-Identifier: Apache-2.0
//
// What is tested: networks whose channels are cut, joined, shuffled, gathered and padded have the
// same integers by the definitions before and after, and as many products but for those with pads;
// what then is left to move is a view; a unit of ShuffleNetV2 has one copy, of the half that is
// kept; the form that takes longer is not taken. Space: 240 random networks of up to 12 layers, of
// images or rows, on the blocks of default, tiny, batch4 and wide, with batches, scales, bounds,
// several readers and outputs anywhere. Not tested here: that devices run them (tests/networks).
#include "compiler/network/move_channels.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"
#include "compiler/network/simplify.h"
#include "compiler/network/tensor_places.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/graph_eval.h"
#include "tests/compiler/network/channel_networks.h"

namespace tessera::network::move_channels_test {
namespace {

int64_t MacsOf(const Graph& g) {
  int64_t macs = 0;
  for (const Node& node : g.nodes) macs += graph::Macs(g, node);
  return macs;
}

int64_t CountOf(const Graph& g, Op op) { return std::ranges::count(g.nodes, op, &Node::op); }

TEST(MoveChannels, HasTheIntegersOfTheDefinition) {
  int moved = 0, fewer = 0, padded = 0;
  for (uint64_t seed = 0; seed < 240; ++seed) {
    const char* name = std::array{"default", "tiny", "batch4", "wide"}[seed % 4];
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", configuration " << name);
    Rng rng(seed);
    const bool rows = seed % 5 == 4;
    ChannelNetworks made(seed, rows);
    Graph& g = made.g;
    Shape shape{rng.OneIn(5) ? 2 : 1, rng.Range(1, 40)};
    if (!rows) shape.insert(shape.end(), {3, 4});
    made.Keep(made.Input(shape));
    for (int64_t k = rng.Range(3, 12); k > 0; --k) made.Layer();
    made.Outputs();
    if (g.outputs[0] == g.inputs[0]) continue;
    ASSERT_TRUE(quantize::AttachRequant(g));
    const Status given = graph::Verify(g);
    ASSERT_TRUE(given) << given.error().message;
    const isa::Config config = test::NamedConfig(name);
    const auto all = MoveChannels(g, config);
    if (!all) continue;
    // Some groups stay as they are.
    std::vector<size_t> left;
    for (const auto& group : all->groups) {
      if (rng.OneIn(3)) left.insert(left.end(), group.begin(), group.end());
    }
    const auto some = MoveChannels(g, config, left);
    Graph whole = g;
    graph::RemoveDead(whole);
    const Graph& result = some ? some->graph : whole;
    ++moved;
    const Status sound = graph::Verify(result);
    ASSERT_TRUE(sound) << sound.error().message;
    TensorBytes before, after;
    before[g.inputs[0]] = made.Values(g.inputs[0]);
    after[result.inputs[0]] = before[g.inputs[0]];
    if (CountOf(whole, Op::kPad) > 0) {
      EXPECT_LE(MacsOf(result), MacsOf(whole));
      padded += CountOf(result, Op::kPad) < CountOf(whole, Op::kPad);
    } else {
      EXPECT_EQ(MacsOf(result), MacsOf(whole));
    }
    RunRegions(g, before);
    RunRegions(result, after);
    ASSERT_EQ(result.outputs.size(), g.outputs.size());
    for (size_t k = 0; k < g.outputs.size(); ++k) {
      EXPECT_EQ(result.tensor(result.outputs[k]).name, g.tensor(g.outputs[k]).name);
      ASSERT_EQ(before.at(g.outputs[k]), after.at(result.outputs[k])) << "output " << k;
    }
    fewer += CountOf(result, Op::kTranspose) < CountOf(whole, Op::kTranspose);
    for (const Node& node : result.nodes) {
      const bool moves = node.op == Op::kSlice || node.op == Op::kInterleave;
      EXPECT_FALSE(left.empty() && moves && LyingOf(result, node, config).empty()) << node.name;
    }
  }
  EXPECT_GT(moved, 120);
  EXPECT_GT(fewer, 40);
  EXPECT_GT(padded, 30);
}

// Units in which one half of |channels| is kept, and joined and shuffled with the other one.
Graph Units(int64_t channels, int units) {
  ChannelNetworks made(7);
  TensorId x = made.Conv(made.Input({1, 8, 6, 6}), channels, 1);
  const int64_t half = channels / 2;
  for (int unit = 0; unit < units; ++unit) {
    const TensorId kept = made.Slice(x, 0, 1, half), other = made.Slice(x, half, 1, half);
    const TensorId deep = made.Conv(made.Conv(other, half, 1), half, 3, true);
    x = made.Shuffle(made.Concat({kept, made.Conv(deep, half, 1)}), 2);
  }
  made.g.outputs = {made.Conv(x, 16, 1)};
  EXPECT_TRUE(quantize::AttachRequant(made.g));
  return made.g;
}

TEST(MoveChannels, AUnitCopiesTheHalfThatIsKept) {
  const isa::Config config = test::NamedConfig("default");
  for (const int64_t channels : {48, 96, 40, 64}) {
    SCOPED_TRACE(testing::Message() << channels << " channels");
    const auto moved = MoveChannels(Units(channels, 3), config);
    ASSERT_TRUE(moved);
    EXPECT_EQ(CountOf(moved->graph, Op::kTranspose) + CountOf(moved->graph, Op::kReshape), 0);
    EXPECT_EQ(CountOf(moved->graph, Op::kConcat) + CountOf(moved->graph, Op::kInterleave), 3);
    // For a half that is aligned, as in the first unit of 64 channels, a requantisation is enough.
    EXPECT_EQ(CountOf(moved->graph, Op::kConv), 2 + 3 * 3 + (channels % 32 == 0 ? 2 : 3));
    for (const Node& node : moved->graph.nodes) {
      const bool moves = node.op == Op::kSlice || node.op == Op::kInterleave;
      EXPECT_FALSE(moves && LyingOf(moved->graph, node, config).empty()) << node.name;
    }
  }
  EXPECT_FALSE(MoveChannels(Units(64, 0), config));
}

// A residual block whose straight way has fewer channels: its zeros are a copy's, and a convolution
// reads only what is there.
TEST(MoveChannels, PadsAreChannelsOfZeros) {
  const isa::Config config = test::NamedConfig("default");
  ChannelNetworks made(5);
  const TensorId x = made.Conv(made.Input({1, 8, 6, 6}), 24, 1);
  const TensorId wide = made.Pad(x, 0, 12);
  const TensorId read = made.Conv(wide, 20, 1);
  made.g.outputs = {read, made.Sum(wide, made.Conv(x, 36, 1))};
  ASSERT_TRUE(quantize::AttachRequant(made.g));
  const auto moved = MoveChannels(made.g, config);
  ASSERT_TRUE(moved);
  EXPECT_EQ(CountOf(moved->graph, Op::kPad), 0);
  EXPECT_EQ(CountOf(moved->graph, Op::kConv), 4);
  EXPECT_EQ(MacsOf(moved->graph), MacsOf(made.g) - 36 * 20 * 12);
}

// Rows are images for as long as their channels move; a dense layer reads them where they are.
TEST(MoveChannels, OfRows) {
  const isa::Config config = test::NamedConfig("default");
  ChannelNetworks made(8, true);
  const TensorId x = made.Input({1, 40});
  const TensorId both = made.Concat({made.Conv(x, 24, 1), made.Conv(x, 20, 1)});
  made.g.outputs = {made.Conv(made.Slice(both, 5, 1, 30), 12, 1)};
  ASSERT_TRUE(quantize::AttachRequant(made.g));
  const auto moved = MoveChannels(made.g, config);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->groups.size(), 1u);
  EXPECT_EQ(CountOf(moved->graph, Op::kDense), 0);
  EXPECT_EQ(CountOf(moved->graph, Op::kConv), 3);
  for (const Node& node : moved->graph.nodes) {
    const bool computes = node.op == Op::kConv || node.op == Op::kRescale;
    EXPECT_TRUE(computes || !LyingOf(moved->graph, node, config).empty()) << node.name;
  }
  // Whole blocks are views, and rows stay.
  ChannelNetworks whole(8, true);
  const TensorId y = whole.Input({1, 40});
  whole.g.outputs = {whole.Slice(whole.Conv(y, 48, 1), 16, 1, 32)};
  ASSERT_TRUE(quantize::AttachRequant(whole.g));
  EXPECT_FALSE(MoveChannels(whole.g, config));
}

// One channel behind whole blocks begins at a block, in a layout of its own.
TEST(MoveChannels, APartOfLessThanABlock) {
  const isa::Config config = test::NamedConfig("default");
  ChannelNetworks made(6);
  const TensorId x = made.Input({1, 8, 6, 6});
  made.g.outputs = {made.Concat({made.Conv(x, 64, 1), made.Conv(x, 1, 1)})};
  ASSERT_TRUE(quantize::AttachRequant(made.g));
  EXPECT_TRUE(LyingOf(made.g, made.g.nodes.back(), config).empty());
  const auto moved = MoveChannels(made.g, config);
  ASSERT_TRUE(moved);
  for (const Node& node : moved->graph.nodes) {
    EXPECT_FALSE(node.op == Op::kConcat && LyingOf(moved->graph, node, config).empty());
  }
}

// Shuffles with a convolution between that reads all channels are groups of their own.
TEST(MoveChannels, AGroupMayStay) {
  const isa::Config config = test::NamedConfig("default");
  ChannelNetworks made(3);
  TensorId x = made.Input({1, 8, 6, 6});
  for (int k = 0; k < 3; ++k) x = made.Conv(made.Shuffle(made.Conv(x, 24, 1), 2), 16, 1);
  made.g.outputs = {x};
  ASSERT_TRUE(quantize::AttachRequant(made.g));
  const auto all = MoveChannels(made.g, config);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->groups.size(), 3u);
  EXPECT_EQ(CountOf(all->graph, Op::kTranspose), 0);
  const auto some = MoveChannels(made.g, config, all->groups[1]);
  ASSERT_TRUE(some);
  EXPECT_EQ(CountOf(some->graph, Op::kTranspose), 1);
  EXPECT_EQ(some->groups, (std::vector{all->groups[0], all->groups[2]}));
  const auto units = MoveChannels(Units(48, 3), config);
  ASSERT_TRUE(units);
  // The half of the first cut that a convolution reads, and the rest.
  EXPECT_EQ(units->groups.size(), 2u);
}

TEST(MoveChannels, TheFormThatTakesLongerIsNotTaken) {
  isa::Config config = test::NamedConfig("default");
  config.cpu.clock_mhz = 1;
  Graph slow = Units(48, 3);
  Simplify(slow, &config);
  EXPECT_EQ(CountOf(slow, Op::kTranspose), 0);
  config.cpu.clock_mhz = 1'000'000;
  config.cpu.start_us = 0;
  config.cpu.pack_mb_s = 1'000'000'000;
  Graph fast = Units(48, 3);
  Simplify(fast, &config);
  EXPECT_EQ(CountOf(fast, Op::kTranspose), 3);
}

}  // namespace
}  // namespace tessera::network::move_channels_test
