// SPDX-License-Identifier: Apache-2.0
//
// What is tested: convolutions to few channels become convolutions of groups of columns with the
// same integers, by the definitions before and after; where that takes fewer cycles of the array;
// and that the bytes in device memory are those of the result. Space: 300 random ones with any
// kernel, stride, dilation and pads, biases, bounds, a scale a channel, functions behind them.
// Not tested here: that the accelerator runs them (tests/networks).
#include "compiler/network/group_columns.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/graph/op_def.h"
#include "compiler/network/tensor_places.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::network::group_columns_test {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

TensorId AddTensor(Graph& g, const std::string& name, Shape shape, double scale, int32_t zero) {
  return g.AddTensor(
      {.name = name, .shape = std::move(shape), .quant = graph::Quant{{scale}, {zero}, -1}});
}

// A convolution of |in| with |window| to |outs| channels; a bias where |rng| says so.
Graph ConvOf(const Shape& in, const graph::Window& window, int64_t outs, Rng& rng) {
  Graph g;
  g.inputs = {AddTensor(g, "x", in, 0.05, static_cast<int32_t>(rng.Range(-20, 20)))};
  graph::GraphTensor weights{.name = "w",
                             .shape = {outs, in[1], window.kernel[0], window.kernel[1]},
                             .quant = graph::Quant{{}, {}, 0}};
  for (int64_t o = 0; o < outs; ++o) {
    weights.quant->scale.push_back(0.01 * static_cast<double>(rng.Range(1, 5)));
    weights.quant->zero.push_back(0);
  }
  std::vector<uint8_t>& bytes = weights.data.emplace();
  for (int64_t k = 0; k < weights.count(); ++k)
    bytes.push_back(static_cast<uint8_t>(rng.Range(-127, 127)));
  Node node{.op = Op::kConv, .name = "head", .attributes = graph::ConvAttributes{.window = window}};
  node.inputs = {g.inputs[0], g.AddTensor(std::move(weights))};
  if (rng.OneIn(2)) {
    std::vector<int32_t> bias;
    for (int64_t o = 0; o < outs; ++o) bias.push_back(static_cast<int32_t>(rng.Range(-3000, 3000)));
    node.inputs.push_back(
        g.AddTensor({.name = "b", .dtype = DType::kInt32, .shape = {outs}, .data = Bytes(bias)}));
  }
  node.output = AddTensor(
      g, "y", {in[0], outs, window.OutExtent(0, in[2]), window.OutExtent(1, in[3])}, 0.1, 7);
  g.nodes.push_back(node);
  g.outputs = {node.output};
  return g;
}

// Adds a function of one value behind the result of |g|.
void AddFollower(Graph& g) {
  const TensorId last = g.outputs[0];
  g.outputs = {AddTensor(g, "z", g.tensor(last).shape, 0.2, -3)};
  g.nodes.push_back({.op = Op::kRescale,
                     .name = "relu",
                     .inputs = {last},
                     .output = g.outputs[0],
                     .attributes = graph::FactorAttributes{},
                     .lo = -3});
}

// The columns that GroupColumns makes channels in |g|; 1: none.
int64_t GroupedIn(Graph& g) {
  EXPECT_TRUE(quantize::AttachRequant(g));
  GroupColumns(g, test::NamedConfig("default"));
  const auto joined = std::ranges::find(g.nodes, Op::kInterleave, &Node::op);
  return joined == g.nodes.end() ? 1 : joined->As<graph::InterleaveAttributes>().columns;
}

int64_t MacsOf(const Graph& g) {
  const auto conv = std::ranges::find(g.nodes, Op::kConv, &Node::op);
  return graph::DefOf(Op::kConv).macs(g, *conv);
}

TEST(GroupColumns, HasTheIntegersOfTheDefinition) {
  int grouped = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    graph::Window w;
    Shape in{1, rng.Range(1, 20), 0, 0};
    for (size_t d = 0; d < 2; ++d) {
      w.kernel[d] = rng.Range(1, 4), w.stride[d] = rng.Range(1, 3), w.dilation[d] = rng.Range(1, 2);
      const int64_t span = (w.kernel[d] - 1) * w.dilation[d];
      w.pad_before[d] = rng.Range(0, span), w.pad_after[d] = rng.Range(0, span);
      in[2 + d] = rng.Range(1, 12) * w.stride[d] + span + rng.Range(0, w.stride[d] - 1);
    }
    Graph g = ConvOf(in, w, rng.Range(1, 5), rng);
    if (rng.OneIn(3)) g.nodes[0].lo = -40, g.nodes[0].hi = 60;
    const bool follower = rng.OneIn(3);
    if (follower) AddFollower(g);
    ASSERT_TRUE(quantize::AttachRequant(g));
    TensorBytes before;
    for (int64_t k = 0; k < g.tensor(g.inputs[0]).count(); ++k)
      before[g.inputs[0]].push_back(static_cast<uint8_t>(rng.Range(0, 255)));
    TensorBytes after = before;
    RunRegions(g, before);
    const int64_t macs = MacsOf(g), columns = GroupedIn(g);
    const Status sound = graph::Verify(g);
    ASSERT_TRUE(sound) << sound.error().message;
    RunRegions(g, after);
    ASSERT_EQ(before.at(g.outputs[0]), after.at(g.outputs[0]));
    EXPECT_EQ(MacsOf(g), macs);
    if (columns == 1) continue;
    ++grouped;
    EXPECT_EQ(std::ssize(g.nodes), follower ? 3 : 2);
    EXPECT_EQ(g.nodes.back().op, Op::kInterleave);
    const isa::Config config = test::NamedConfig("default");
    const TensorPlaces places(g, config, std::vector<bool>(g.nodes.size(), true));
    const TensorId part = g.nodes.back().inputs[0];
    EXPECT_EQ(places.Of(part).in, g.outputs[0]);
    EXPECT_TRUE(places.PackingOf(part).layout.strides.empty());
  }
  EXPECT_GT(grouped, 40);
}

TEST(GroupColumns, WhereItTakesFewerCycles) {
  Rng rng(1);
  const graph::Window three{.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}};
  const auto grouped = [&](const Shape& in, const graph::Window& window, int64_t outs) {
    Graph g = ConvOf(in, window, outs, rng);
    return GroupedIn(g);
  };
  // P columns have P + 2 taps a row instead of 3 * P.
  EXPECT_EQ(grouped({1, 32, 64, 64}, three, 2), 8);
  EXPECT_EQ(grouped({1, 32, 64, 64}, three, 3), 4);  // 5 does not divide 64
  EXPECT_EQ(grouped({1, 32, 64, 65}, three, 3), 5);
  EXPECT_EQ(grouped({1, 32, 64, 67}, three, 2), 1);  // a prime
  EXPECT_EQ(grouped({1, 32, 64, 64}, three, 9), 1);  // 2 * 9 columns of the array
  EXPECT_EQ(grouped({1, 32, 64, 64}, {}, 2), 1);     // 8 columns have 8 taps
  EXPECT_EQ(grouped({1, 32, 64, 64}, {.kernel = {3, 1}, .pad_before = {1, 0}}, 2), 1);
  // Taps of what the host packs are channels: 2 tiles a column, 3 tiles for 2 columns.
  const graph::Window stem{
      .kernel = {3, 3}, .stride = {2, 2}, .pad_before = {1, 1}, .pad_after = {0, 0}};
  EXPECT_EQ(grouped({1, 3, 64, 64}, stem, 8), 2);
  EXPECT_EQ(grouped({1, 1, 64, 64}, three, 8), 2);  // one tile each
  // Weights of more taps are loaded for a few results only.
  EXPECT_EQ(grouped({1, 512, 4, 4}, three, 2), 1);
}

// A result that is read again would leave the chip; a part of a concatenation may have gaps.
TEST(GroupColumns, WhatIsReadAgain) {
  Rng rng(1);
  const graph::Window three{.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}};
  // Two columns of 8 channels save a cycle a column, and 8 bytes out and in take two.
  const graph::Window row{.kernel = {1, 3}, .pad_before = {0, 1}, .pad_after = {0, 1}};
  Graph kept = ConvOf({1, 16, 64, 64}, row, 8, rng), end = kept;
  AddFollower(end);
  EXPECT_EQ(GroupedIn(end), 2);
  const TensorId read = kept.outputs[0];
  kept.nodes.push_back({.op = Op::kMaxPool,
                        .name = "pool",
                        .inputs = {read},
                        .output = AddTensor(kept, "p", {1, 8, 32, 32}, 0.1, 7),
                        .attributes = graph::PoolAttributes{{.kernel = {2, 2}, .stride = {2, 2}}}});
  kept.outputs = {kept.nodes.back().output};
  EXPECT_EQ(GroupedIn(kept), 1);
  Graph joined = ConvOf({1, 16, 64, 64}, three, 2, rng);
  const TensorId part = joined.outputs[0];
  joined.nodes.push_back({.op = Op::kConcat,
                          .name = "both",
                          .inputs = {part, part},
                          .output = AddTensor(joined, "j", {1, 2, 64, 128}, 0.1, 7),
                          .attributes = graph::ConcatAttributes{3}});
  joined.outputs = {joined.nodes.back().output};
  EXPECT_EQ(GroupedIn(joined), 1);
}

}  // namespace
}  // namespace tessera::network::group_columns_test
