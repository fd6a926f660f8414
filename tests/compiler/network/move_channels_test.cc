// SPDX-License-Identifier: Apache-2.0
//
// What is tested: networks whose channels are cut, joined, shuffled, gathered and padded have the
// same integers by the definitions before and after, and as many products but for those with pads;
// what then is left to move is a view; a unit
// of ShuffleNetV2 has one copy, of the half that is kept; the form that takes longer is not taken.
// Space: 240 random networks of up to 12 layers, of images or rows, on the blocks of default, tiny, batch4 and wide,
// with batches, scales, bounds, several readers and outputs anywhere. Not tested here: that devices
// run them (tests/networks).
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

namespace tessera::network::move_channels_test {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

class Networks {
 public:
  // |rows|: tensors [N, C] and dense layers in the place of images and convolutions.
  explicit Networks(uint64_t seed, bool rows = false) : rng_(seed), rows_(rows) {}

  TensorId Input(Shape shape) {
    const TensorId x = Tensor(std::move(shape), Scale(), Zero());
    g.inputs.push_back(x);
    return x;
  }
  TensorId Conv(TensorId x, int64_t outs, int64_t kernel, bool depthwise = false) {
    const Shape in = g.tensor(x).shape;
    const int64_t ins = depthwise ? 1 : in[1];
    graph::GraphTensor w{.name = Next(), .shape = {outs, ins}};
    if (!rows_) w.shape.insert(w.shape.end(), 2, kernel);
    w.quant = graph::Quant{{}, {}, rng_.OneIn(3) ? -1 : 0};
    for (int64_t o = 0; o < (w.quant->axis < 0 ? 1 : outs); ++o) {
      w.quant->scale.push_back(0.002 * static_cast<double>(rng_.Range(1, 5)));
      w.quant->zero.push_back(0);
    }
    w.data.emplace();
    for (int64_t k = 0; k < w.count(); ++k)
      w.data->push_back(static_cast<uint8_t>(rng_.Range(-127, 127)));
    graph::ConvAttributes conv{.groups = depthwise ? outs : 1};
    conv.window = {.kernel = {kernel, kernel},
                   .pad_before = {kernel / 2, kernel / 2},
                   .pad_after = {kernel / 2, kernel / 2}};
    std::vector<TensorId> inputs{x, g.AddTensor(std::move(w))};
    if (rng_.OneIn(2)) {
      std::vector<int32_t> bias;
      for (int64_t o = 0; o < outs; ++o)
        bias.push_back(static_cast<int32_t>(rng_.Range(-3000, 3000)));
      inputs.push_back(g.AddTensor(
          {.name = Next(), .dtype = DType::kInt32, .shape = {outs}, .data = Bytes(bias)}));
    }
    if (rows_) return Apply(Op::kDense, std::move(inputs), {in[0], outs}, {}, true);
    return Apply(Op::kConv, std::move(inputs), {in[0], outs, in[2], in[3]}, conv, true);
  }
  TensorId Slice(TensorId x, int64_t first, int64_t step, int64_t count) {
    Shape shape = g.tensor(x).shape;
    graph::SliceAttributes cut;
    for (const int64_t extent : shape) cut.axes.push_back({0, 1, extent});
    cut.axes[1] = {first, step, count};
    shape[1] = count;
    return Apply(Op::kSlice, {x}, shape, cut, false);
  }
  TensorId Gather(TensorId x, int64_t count) {
    Shape shape = g.tensor(x).shape;
    std::vector<int64_t> at;
    for (int64_t k = 0; k < count; ++k) at.push_back(rng_.Range(-shape[1], shape[1] - 1));
    shape[1] = count;
    const TensorId indices =
        g.AddTensor({.name = Next(), .dtype = DType::kInt64, .shape = {count}, .data = Bytes(at)});
    using graph::GatherAttributes;
    return Apply(Op::kGather, {x, indices}, shape,
                 GatherAttributes{GatherAttributes::Form::kSlices, 1}, false);
  }
  TensorId Pad(TensorId x, int64_t before, int64_t after) {
    Shape shape = g.tensor(x).shape;
    graph::PadAttributes pad{std::vector<std::array<int64_t, 2>>(shape.size()), g.tensor(x).zero()};
    pad.pads[1] = {before, after};
    shape[1] += before + after;
    return Apply(Op::kPad, {x}, shape, pad, false);
  }
  TensorId Shuffle(TensorId x, int64_t groups) {
    const Shape in = g.tensor(x).shape;
    const int64_t each = in[1] / groups;
    x = Apply(Op::kReshape, {x}, {in[0], groups, each, in[2], in[3]}, {}, false);
    x = Apply(Op::kTranspose, {x}, {in[0], each, groups, in[2], in[3]},
              graph::TransposeAttributes{{0, 2, 1, 3, 4}}, false);
    return Apply(Op::kReshape, {x}, in, {}, false);
  }
  TensorId Concat(const std::vector<TensorId>& parts) {
    Shape shape = g.tensor(parts[0]).shape;
    shape[1] = 0;
    for (const TensorId id : parts) shape[1] += g.tensor(id).shape[1];
    return Apply(Op::kConcat, parts, shape, graph::ConcatAttributes{1}, rng_.OneIn(2));
  }
  TensorId Relu(TensorId x) {
    return Apply(Op::kRescale, {x}, g.tensor(x).shape, graph::FactorAttributes{}, true);
  }
  TensorId Pool(TensorId x) {
    const graph::Window three{.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}};
    return Apply(Op::kMaxPool, {x}, g.tensor(x).shape, graph::PoolAttributes{three}, false);
  }
  TensorId Sum(TensorId a, TensorId b) {
    return Apply(Op::kAdd, {a, b}, g.tensor(a).shape, {}, true);
  }

  // A random layer behind one of the images so far, which have one extent.
  void Layer() {
    const TensorId x = Pick();
    const int64_t channels = g.tensor(x).shape[1];
    int64_t layer = rng_.Range(0, 11);
    if (rows_ && (layer == 2 || layer == 4 || layer == 6)) layer = 5;
    switch (layer) {
      case 0:
      case 1:
        return Keep(Conv(x, rng_.Range(1, 40), rng_.OneIn(3) ? 3 : 1));
      case 2:
        return Keep(Conv(x, channels, 3, true));
      case 3: {
        const int64_t first = rng_.Range(0, channels - 1), step = rng_.OneIn(4) ? 2 : 1;
        return Keep(Slice(x, first, step, rng_.Range(1, (channels - 1 - first) / step + 1)));
      }
      case 4: {
        int64_t groups = rng_.Range(1, channels);
        while (channels % groups != 0) --groups;
        return Keep(Shuffle(x, groups));
      }
      case 5:
        return Keep(Relu(x));
      case 6:
        return Keep(Pool(x));
      case 7:
        return Keep(Sum(x, rng_.OneIn(2) ? x : Conv(x, channels, 1)));
      case 8:
        return Keep(Gather(x, rng_.Range(1, 20)));
      case 9:
        if (channels < 60) Keep(Pad(x, rng_.OneIn(2) ? 0 : rng_.Range(0, 9), rng_.Range(0, 20)));
        return;
      default:
        std::vector<TensorId> parts{x, Pick()};
        if (rng_.OneIn(3)) parts.push_back(Pick());
        if (rng_.OneIn(2)) parts[1] = Conv(parts[1], rng_.Range(1, 40), 1);
        int64_t sum = 0;
        for (const TensorId id : parts) sum += g.tensor(id).shape[1];
        if (sum < 100) Keep(Concat(parts));
    }
  }
  void Keep(TensorId id) { images_.push_back(id); }
  void Outputs() {
    g.outputs = {images_.back()};
    for (const TensorId id : images_) {
      if (id != images_.back() && id != g.inputs[0] && rng_.OneIn(8)) g.outputs.push_back(id);
    }
  }
  std::vector<uint8_t> Values(TensorId id) {
    std::vector<uint8_t> values;
    for (int64_t k = 0; k < g.tensor(id).count(); ++k)
      values.push_back(static_cast<uint8_t>(rng_.Range(0, 255)));
    return values;
  }

  Graph g;

 private:
  std::string Next() { return fmt::format("t{}", g.tensors.size()); }
  double Scale() { return 0.02 * static_cast<double>(rng_.Range(2, 5)); }
  int32_t Zero() { return static_cast<int32_t>(rng_.Range(-30, 30)); }
  TensorId Tensor(Shape shape, double scale, int32_t zero) {
    return g.AddTensor(
        {.name = Next(), .shape = std::move(shape), .quant = graph::Quant{{scale}, {zero}, -1}});
  }
  TensorId Pick() {
    const int64_t most = std::ssize(images_) - 1;
    return images_[static_cast<size_t>(rng_.Range(std::max<int64_t>(most - 3, 0), most))];
  }
  // |scaled|: the result has a scale of its own, and perhaps bounds.
  TensorId Apply(Op op, std::vector<TensorId> inputs, Shape shape, graph::Attributes attributes,
                 bool scaled) {
    const graph::Quant like = *g.tensor(inputs[0]).quant;
    const TensorId out = scaled ? Tensor(std::move(shape), Scale(), Zero())
                                : Tensor(std::move(shape), like.scale[0], like.zero[0]);
    Node node{.op = op,
              .name = fmt::format("n{}", g.nodes.size()),
              .inputs = std::move(inputs),
              .output = out,
              .attributes = std::move(attributes)};
    if (scaled && rng_.OneIn(3)) node.lo = -60, node.hi = 70;
    g.nodes.push_back(std::move(node));
    return out;
  }

  Rng rng_;
  const bool rows_;
  std::vector<TensorId> images_;
};

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
    Networks made(seed, rows);
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
  Networks made(7);
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
  Networks made(5);
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
  Networks made(8, true);
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
  Networks whole(8, true);
  const TensorId y = whole.Input({1, 40});
  whole.g.outputs = {whole.Slice(whole.Conv(y, 48, 1), 16, 1, 32)};
  ASSERT_TRUE(quantize::AttachRequant(whole.g));
  EXPECT_FALSE(MoveChannels(whole.g, config));
}

// One channel behind whole blocks begins at a block, in a layout of its own.
TEST(MoveChannels, APartOfLessThanABlock) {
  const isa::Config config = test::NamedConfig("default");
  Networks made(6);
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
  Networks made(3);
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
