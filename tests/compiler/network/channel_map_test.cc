// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the map of a chain of slices, gathers, reshapes, transpositions and pads of
// channels is what the operators' definitions do to a tensor whose values are the numbers of its
// channels; what moves anything else has no map; and the order of the channels of joined tensors.
// Space: 300 random chains; joined tensors of up to three parts and readers, against all orders of
// small ones.
#include "compiler/network/channel_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "compiler/network/channel_order.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::network::channel_map_test {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

constexpr int64_t kRows = 2, kColumns = 3;
constexpr int32_t kZero = -3;  // the value of no channel

TensorId Add(Graph& g, Shape shape) {
  return g.AddTensor({.name = fmt::format("x{}", g.tensors.size()),
                      .shape = std::move(shape),
                      .quant = graph::Quant{{0.5}, {kZero}, -1}});
}

Node Apply(Graph& g, TensorId x, Op op, Shape shape, graph::Attributes attributes) {
  Node node{.op = op, .name = "n", .inputs = {x}, .attributes = std::move(attributes)};
  node.output = Add(g, std::move(shape));
  return node;
}

// Axes of random extents whose product is |count|, with rows and columns.
Shape Split(int64_t count, Rng& rng) {
  Shape shape{1};
  for (int64_t left = count; left > 1 && shape.size() < 4;) {
    int64_t axis = rng.Range(1, left);
    while (left % axis != 0) axis = rng.Range(1, left);
    shape.push_back(axis);
    left /= axis;
    count = left;
  }
  if (count > 1 || shape.size() == 1) shape.push_back(count);
  shape.insert(shape.end(), {kRows, kColumns});
  return shape;
}

// Random indices along axis |d|, some from the end, some outside.
Node Gather(Graph& g, TensorId x, size_t d, Rng& rng) {
  Shape out = g.tensor(x).shape;
  const int64_t extent = out[d];
  out[d] = rng.Range(1, 6);
  std::vector<int64_t> at;
  for (int64_t k = 0; k < out[d]; ++k)
    at.push_back(rng.OneIn(10) ? extent + 2 : rng.Range(-extent, extent - 1));
  const bool wide = rng.OneIn(2);
  graph::GraphTensor indices{.name = fmt::format("at{}", g.tensors.size()),
                             .dtype = wide ? DType::kInt64 : DType::kInt32,
                             .shape = {out[d]}};
  indices.data = wide ? Bytes(at) : Bytes(std::vector<int32_t>(at.begin(), at.end()));
  const TensorId constant = g.AddTensor(std::move(indices));
  using graph::GatherAttributes;
  Node node = Apply(g, x, Op::kGather, out,
                    GatherAttributes{GatherAttributes::Form::kSlices, static_cast<int>(d)});
  node.inputs.push_back(constant);
  return node;
}

Node Pad(Graph& g, TensorId x, size_t d, std::array<int64_t, 2> pads, int32_t value) {
  Shape out = g.tensor(x).shape;
  graph::PadAttributes pad{std::vector<std::array<int64_t, 2>>(out.size()), value};
  pad.pads[d] = pads;
  out[d] += pads[0] + pads[1];
  return Apply(g, x, Op::kPad, out, pad);
}

// A random operator that only moves channels of |x|.
Node Move(Graph& g, TensorId x, Rng& rng) {
  const Shape in = g.tensor(x).shape;
  const size_t axes = in.size() - 3;
  if (rng.OneIn(3)) {
    int64_t count = 1;
    for (size_t d = 1; d <= axes; ++d) count *= in[d];
    return Apply(g, x, Op::kReshape, Split(count, rng), {});
  }
  if (rng.OneIn(2)) {
    graph::TransposeAttributes turn;
    for (size_t d = 0; d < in.size(); ++d) turn.perm.push_back(static_cast<int>(d));
    for (size_t d = 1; d <= axes; ++d)
      std::swap(turn.perm[d],
                turn.perm[static_cast<size_t>(rng.Range(1, static_cast<int64_t>(axes)))]);
    Shape out;
    for (const int from : turn.perm) out.push_back(in[static_cast<size_t>(from)]);
    return Apply(g, x, Op::kTranspose, out, turn);
  }
  const auto d = static_cast<size_t>(rng.Range(1, static_cast<int64_t>(axes)));
  if (rng.OneIn(3)) return Gather(g, x, d, rng);
  if (rng.OneIn(4)) return Pad(g, x, d, {rng.Range(0, 3), rng.Range(0, 3)}, kZero);
  graph::SliceAttributes cut;
  for (const int64_t extent : in) cut.axes.push_back({0, 1, extent});
  graph::AxisCut& axis = cut.axes[d];
  axis.begin = rng.Range(0, in[d] - 1);
  axis.step = rng.OneIn(3) ? -rng.Range(1, 2) : rng.Range(1, 2);
  const int64_t most =
      axis.step > 0 ? (in[d] - 1 - axis.begin) / axis.step + 1 : axis.begin / -axis.step + 1;
  axis.count = rng.Range(1, most);
  Shape out = in;
  out[d] = axis.count;
  return Apply(g, x, Op::kSlice, out, cut);
}

TEST(ChannelMap, IsWhatTheOperatorsDo) {
  int gaps = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Graph g;
    const int64_t channels = rng.Range(1, 60);
    TensorId x = Add(g, {1, channels, kRows, kColumns});
    g.inputs = {x};
    ChannelMap map = WholeMap(g, x);
    TensorBytes values;
    for (int64_t c = 0; c < channels; ++c)
      values[x].insert(values[x].end(), kRows * kColumns, static_cast<uint8_t>(c));
    const int64_t steps = rng.Range(1, 6);
    for (int64_t k = 0; k < steps; ++k) {
      const Node node = Move(g, x, rng);
      const auto moved = MovedBy(g, node, map);
      ASSERT_TRUE(moved);
      map = *moved;
      g.nodes.push_back(node);
      x = node.output;
    }
    g.outputs = {x};
    ASSERT_TRUE(quantize::AttachRequant(g));
    const Status sound = graph::Verify(g);
    ASSERT_TRUE(sound) << sound.error().message;
    RunRegions(g, values);
    ASSERT_EQ(map.base, g.inputs[0]);
    ASSERT_EQ(std::ssize(map.channels) * kRows * kColumns, std::ssize(values.at(x)));
    for (size_t k = 0; k < values.at(x).size(); ++k) {
      const int64_t channel = map.channels[k / (kRows * kColumns)];
      ASSERT_EQ(static_cast<int8_t>(values.at(x)[k]), channel == kGap ? kZero : channel)
          << "element " << k;
    }
    gaps += HasGaps(map);
    EXPECT_EQ(map.axes, g.tensor(x).shape.size() - 3);
  }
  EXPECT_GT(gaps, 30);
}

TEST(ChannelMap, WhatMovesMoreHasNone) {
  Graph g;
  const TensorId x = Add(g, {1, 6, 2, 3});
  const ChannelMap whole = WholeMap(g, x);
  const auto has = [&](const Node& node) { return MovedBy(g, node, whole).has_value(); };
  const graph::TransposeAttributes rows{{0, 1, 3, 2}}, mixed{{0, 2, 1, 3}};
  EXPECT_FALSE(has(Apply(g, x, Op::kTranspose, {1, 6, 3, 2}, rows)));
  EXPECT_FALSE(has(Apply(g, x, Op::kTranspose, {1, 2, 6, 3}, mixed)));
  EXPECT_FALSE(has(Apply(g, x, Op::kReshape, {1, 36}, {})));
  EXPECT_FALSE(has(Apply(g, x, Op::kReshape, {1, 6, 6, 1}, {})));
  const graph::SliceAttributes row{{{0, 1, 1}, {0, 1, 6}, {1, 1, 1}, {0, 1, 3}}};
  EXPECT_FALSE(has(Apply(g, x, Op::kSlice, {1, 6, 1, 3}, row)));
  EXPECT_FALSE(has(Apply(g, x, Op::kRescale, {1, 6, 2, 3}, {})));
  EXPECT_TRUE(has(Pad(g, x, 1, {1, 2}, kZero)));
  EXPECT_FALSE(has(Pad(g, x, 1, {1, 2}, kZero + 1)));
  EXPECT_FALSE(has(Pad(g, x, 2, {1, 2}, kZero)));
  Node mirrored = Pad(g, x, 1, {1, 2}, kZero);
  mirrored.Edit<graph::PadAttributes>().mode = graph::PadMode::kReflect;
  EXPECT_FALSE(has(mirrored));
  Rng rng(1);
  Node gathered = Gather(g, x, 1, rng);
  EXPECT_TRUE(has(gathered));
  EXPECT_FALSE(has(Gather(g, x, 3, rng)));
  g.tensor(gathered.inputs[1]).data.reset();  // the user's indices
  EXPECT_FALSE(has(gathered));
  Node scaled = Apply(g, x, Op::kReshape, {1, 2, 3, 2, 3}, {});
  EXPECT_TRUE(has(scaled));
  g.tensor(scaled.output).quant->scale = {1};
  EXPECT_FALSE(has(scaled));
}

TEST(ChannelMap, BlocksThatHoldChannels) {
  const auto blocks = [](const std::vector<int64_t>& channels, int64_t all) {
    const BlockRange range = BlocksOf(channels, 16, all);
    return std::pair{range.first, range.end};
  };
  EXPECT_EQ(blocks({17, 40}, 64), std::pair(int64_t{16}, int64_t{48}));
  EXPECT_EQ(blocks({3}, 64), std::pair(int64_t{0}, int64_t{16}));
  EXPECT_EQ(blocks({47, 33}, 48), std::pair(int64_t{32}, int64_t{48}));
  EXPECT_EQ(blocks({35}, 40), std::pair(int64_t{16}, int64_t{40}));
  EXPECT_EQ(blocks({7}, 9), std::pair(int64_t{0}, int64_t{9}));
  EXPECT_TRUE(IsInjective({0, {3, 1, 2}}));
  EXPECT_FALSE(IsInjective({0, {3, 1, 3}}));
  EXPECT_EQ(blocks({kGap, 33, kGap, 20}, 64), std::pair(int64_t{16}, int64_t{48}));
  EXPECT_EQ(blocks({kGap}, 64), std::pair(int64_t{0}, int64_t{16}));
  EXPECT_TRUE(IsInjective({0, {kGap, 1, kGap}}));
}

// Each reader's blocks, counted place by place.
int64_t BlocksRead(const ChannelReader& reader, const std::vector<int64_t>& places, int64_t block) {
  std::vector<int64_t> read;
  for (const int64_t channel : reader.channels)
    read.push_back(places[static_cast<size_t>(channel)] / block);
  return *std::ranges::max_element(read) - *std::ranges::min_element(read) + 1;
}

std::vector<int64_t> Channels(int64_t first, int64_t count) {
  std::vector<int64_t> channels(static_cast<size_t>(count));
  std::iota(channels.begin(), channels.end(), first);
  return channels;
}

// Every channel has a place of its own, in its part's blocks; the cost is that of the places, and
// no more than that of the channels as they are.
TEST(ChannelOrder, HasAPlaceForEachChannel) {
  int turns = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    const int64_t block = rng.OneIn(2) ? 4 : 16;
    std::vector<JoinedPart> parts;
    int64_t all = 0;
    const int64_t equal = rng.Range(1, 40);
    for (int64_t k = rng.Range(1, 3); k > 0; --k) {
      parts.push_back({rng.OneIn(2) ? equal : rng.Range(1, 40), rng.Range(1, 3)});
      all += parts.back().channels;
      if (parts.back().channels % block == 0 && rng.OneIn(2)) parts.back().cost = 0;
    }
    std::vector<ChannelReader> readers;
    for (int64_t r = rng.Range(1, 3); r > 0; --r) {
      ChannelReader reader{{}, rng.Range(1, 9)};
      for (int64_t c = 0; c < all; ++c) {
        if (rng.OneIn(2)) reader.channels.push_back(c);
      }
      if (!reader.channels.empty()) readers.push_back(reader);
    }
    const ChannelOrder order = OrderFor(parts, readers, block);
    const std::vector<int64_t> places = PlacesOf(parts, order, block);
    ASSERT_EQ(std::ssize(places), all);
    std::vector<int64_t> sorted = places;
    std::ranges::sort(sorted);
    EXPECT_TRUE(std::ranges::adjacent_find(sorted) == sorted.end());
    int64_t blocks = 0, cost = 0;
    ChannelOrder given;
    for (size_t p = 0; p < parts.size(); ++p) {
      const auto& part = order.parts[p];
      ASSERT_EQ(std::ssize(part) % block, 0);
      blocks += std::ssize(part) / block;
      cost += std::ssize(part) / block * parts[p].cost;
      given.parts.push_back(Channels(0, parts[p].channels));
      if (parts[p].cost == 0) {
        EXPECT_EQ(part, given.parts.back());
        EXPECT_FALSE(order.turns);
      }
      while (std::ssize(given.parts.back()) % block != 0) given.parts.back().push_back(kGap);
    }
    EXPECT_LT(sorted.back(), blocks * block);
    EXPECT_GE(sorted.front(), 0);
    for (const ChannelReader& reader : readers)
      cost += reader.cost * BlocksRead(reader, places, block);
    EXPECT_EQ(CostOf(parts, readers, order, block), cost);
    EXPECT_LE(cost, *CostOf(parts, readers, given, block));
    turns += order.turns;
  }
  EXPECT_GT(turns, 10);
}

// The unit of ShuffleNetV2: of the shuffled halves of two parts each reader reads what it needs.
TEST(ChannelOrder, OfShuffledHalves) {
  for (const int64_t half : {24, 48, 96, 16, 20}) {
    SCOPED_TRACE(testing::Message() << half << " channels");
    std::vector<ChannelReader> readers(2);
    for (int64_t c = 0; c < 2 * half; ++c) {
      const int64_t from = c % 2 * half + c / 2;
      readers[static_cast<size_t>(c / half)].channels.push_back(from);
    }
    const std::vector<JoinedPart> parts{{half, 1}, {half, 1}};
    const ChannelOrder order = OrderFor(parts, readers, 16);
    const std::vector<int64_t> places = PlacesOf(parts, order, 16);
    const int64_t least = 2 * ((half / 2 + 15) / 16);
    for (const ChannelReader& reader : readers) EXPECT_EQ(BlocksRead(reader, places, 16), least);
  }
}

// No order of the channels of two parts of one block each, in two blocks of two, is better.
TEST(ChannelOrder, IsTheBestOfSmallOnes) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    const std::vector<JoinedPart> parts{{4, 1}, {4, 1}};
    // Each channel has one of two readers, and each reader half of each part.
    std::vector<ChannelReader> readers{{{}, rng.Range(1, 4)}, {{}, rng.Range(1, 4)}};
    for (const int64_t first : {0, 4}) {
      std::vector<int64_t> channels = Channels(first, 4);
      for (size_t k = 4; k > 1; --k)
        std::swap(channels[k - 1],
                  channels[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(k) - 1))]);
      for (size_t k = 0; k < 4; ++k) readers[k / 2].channels.push_back(channels[k]);
    }
    int64_t best = INT64_MAX;
    std::vector<int64_t> a = Channels(0, 4);
    do {
      std::vector<int64_t> b = Channels(0, 4);
      do {
        for (const bool turns : {false, true})
          best = std::min(best, *CostOf(parts, readers, {{a, b}, turns}, 2));
      } while (std::ranges::next_permutation(b).found);
    } while (std::ranges::next_permutation(a).found);
    EXPECT_EQ(*CostOf(parts, readers, OrderFor(parts, readers, 2), 2), best);
  }
}

}  // namespace
}  // namespace tessera::network::channel_map_test
