// SPDX-License-Identifier: Apache-2.0
//
// What is tested: transposed convolutions become convolutions of their phases with the same
// integers, by the definitions before and after; and which phases are channels of one convolution.
// Space: 300 random ones of one and two axes that differ, with any stride, dilation, pads and
// result, with groups, biases, bounds, a scale a channel, and functions and concatenations in other
// scales behind them. Not tested here: that the accelerator writes the phases between each other
// (tests/networks).
#include "compiler/network/split_phases.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/graph/op_def.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::network::split_phases_test {
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

struct Case {
  Graph graph;
  std::array<int64_t, 2> phases{};  // of rows and columns
  bool follower = false, joined = false;
};

// Adds a function of the output.
void AddFunction(Graph& g) {
  const TensorId x = g.outputs[0];
  g.outputs = {AddTensor(g, "z", g.tensor(x).shape, 0.2, -3)};
  g.nodes.push_back({.op = Op::kRescale,
                     .name = "relu",
                     .inputs = {x},
                     .output = g.outputs[0],
                     .attributes = graph::FactorAttributes{},
                     .lo = -3});
}

// Joins the output with an input of its shape, in a scale of the result's own.
void AddConcat(Graph& g) {
  Shape shape = g.tensor(g.outputs[0]).shape;
  g.inputs.push_back(AddTensor(g, "side", shape, 0.3, 5));
  shape[1] *= 2;
  const TensorId joined = AddTensor(g, "joined", shape, 0.25, 4);
  g.nodes.push_back({.op = Op::kConcat,
                     .name = "join",
                     .inputs = {g.inputs.back(), g.outputs[0]},
                     .output = joined,
                     .attributes = graph::ConcatAttributes{1},
                     .round = isa::Round::kEven});
  g.outputs = {joined};
}

// A transposed convolution with random fields, perhaps with a function or a concatenation behind
// it.
Case RandomCase(Rng& rng) {
  Case c;
  Graph& g = c.graph;
  const int64_t groups = rng.OneIn(4) ? 2 : 1, ins = groups * rng.Range(1, 5),
                outs = groups * (rng.OneIn(4) ? 16 : rng.Range(1, 4));
  graph::TransposedConvAttributes made;
  Shape in{1, ins, 0, 0};
  for (size_t d = 0; d < 2; ++d) {
    graph::Window& w = made.window;
    in[2 + d] = rng.Range(1, 5);
    w.kernel[d] = rng.Range(1, 5), w.stride[d] = rng.Range(1, 4);
    w.dilation[d] = rng.OneIn(3) ? rng.Range(2, 3) : 1;
    const int64_t span = (w.kernel[d] - 1) * w.dilation[d] + 1;
    const int64_t all = (in[2 + d] - 1) * w.stride[d] + span;
    w.pad_before[d] = rng.Range(0, span - 1);
    made.out[d] = rng.Range(1, std::max<int64_t>(all - w.pad_before[d], 1) + 1);
  }
  if (rng.OneIn(2)) {  // all columns have as many taps
    graph::Window& w = made.window;
    w.kernel[1] = w.stride[1] * rng.Range(1, 3), w.dilation[1] = 1;
    w.pad_before[1] = rng.Range(0, w.kernel[1] - 1);
    made.out[1] = w.stride[1] * rng.Range(1, in[3]);
  }
  c.phases = made.window.stride;
  g.inputs = {AddTensor(g, "x", in, 0.05, static_cast<int32_t>(rng.Range(-20, 20)))};
  graph::GraphTensor weights{
      .name = "w",
      .shape = {outs, ins / groups, made.window.kernel[0], made.window.kernel[1]},
      .quant = graph::Quant{{}, {}, 0}};
  for (int64_t o = 0; o < outs; ++o) {
    weights.quant->scale.push_back(0.01 * static_cast<double>(rng.Range(1, 5)));
    weights.quant->zero.push_back(0);
  }
  std::vector<uint8_t>& bytes = weights.data.emplace();
  for (int64_t k = 0; k < weights.count(); ++k)
    bytes.push_back(static_cast<uint8_t>(rng.Range(-127, 127)));
  Node node{.op = Op::kTransposedConv, .name = "up", .attributes = made};
  node.inputs = {g.inputs[0], g.AddTensor(std::move(weights))};
  if (rng.OneIn(2)) {
    std::vector<int32_t> bias;
    for (int64_t o = 0; o < outs; ++o) bias.push_back(static_cast<int32_t>(rng.Range(-3000, 3000)));
    node.inputs.push_back(
        g.AddTensor({.name = "b", .dtype = DType::kInt32, .shape = {outs}, .data = Bytes(bias)}));
  }
  if (rng.OneIn(3)) node.lo = -40, node.hi = 60;
  const Shape out{1, outs, made.out[0], made.out[1]};
  node.output = AddTensor(g, "y", out, 0.1, 7);
  g.nodes.push_back(node);
  g.outputs = {node.output};
  c.follower = rng.OneIn(3);
  if (c.follower) AddFunction(g);
  c.joined = rng.OneIn(3);
  if (c.joined) AddConcat(g);
  return c;
}

TEST(SplitPhases, HasTheIntegersOfTheDefinition) {
  isa::Config config = test::NamedConfig("default");
  config.inp_bytes = 4 * config.inp_tile_bytes();  // most images do not stay
  int split = 0, joined = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Case c = RandomCase(rng);
    ASSERT_TRUE(quantize::AttachRequant(c.graph));
    const Status given = graph::Verify(c.graph);
    ASSERT_TRUE(given) << given.error().message;
    TensorBytes before;
    for (const TensorId x : c.graph.inputs) {
      for (int64_t k = 0; k < c.graph.tensor(x).count(); ++k)
        before[x].push_back(static_cast<uint8_t>(rng.Range(0, 255)));
    }
    TensorBytes after = before;
    RunRegions(c.graph, before);
    SplitPhases(c.graph, config);
    const Status sound = graph::Verify(c.graph);
    ASSERT_TRUE(sound) << sound.error().message;
    RunRegions(c.graph, after);
    ASSERT_EQ(before.at(c.graph.outputs[0]), after.at(c.graph.outputs[0]));
    const auto count = [&](Op op) { return std::ranges::count(c.graph.nodes, op, &Node::op); };
    if (count(Op::kTransposedConv) > 0) continue;
    ++split;
    const auto [rows, columns] = c.phases;
    EXPECT_EQ(count(Op::kInterleave), rows * columns > 1 ? 1 : 0);
    const auto turns = std::ranges::find(c.graph.nodes, Op::kInterleave, &Node::op);
    const bool one = turns != c.graph.nodes.end() &&
                     turns->As<graph::InterleaveAttributes>().columns == columns && columns > 1;
    EXPECT_EQ(count(Op::kConv), rows * (one ? 1 : columns));
    EXPECT_EQ(count(Op::kRescale), count(Op::kConv) * (c.follower + c.joined));
    joined += one ? 1 : 0;
  }
  EXPECT_GT(split, 150);
  EXPECT_GT(joined, 15);
}

// The convolutions that SplitPhases makes of one of 32 to |outs| channels of |in| x |in| elements.
std::vector<Node> PhasesOf(int64_t kernel, int64_t stride, int64_t pad, int64_t outs, int64_t in,
                           Graph* made, int64_t groups = 1) {
  Graph g;
  const int64_t out = (in - 1) * stride + kernel - 2 * pad;
  g.inputs = {AddTensor(g, "x", {1, 32, in, in}, 0.05, 0)};
  graph::GraphTensor weights{.name = "w",
                             .shape = {outs, 32 / groups, kernel, kernel},
                             .quant = graph::Quant{{0.01}, {0}, -1}};
  weights.data.emplace(static_cast<size_t>(weights.count()), uint8_t{1});
  graph::TransposedConvAttributes up;
  up.window = {.kernel = {kernel, kernel}, .stride = {stride, stride}, .pad_before = {pad, pad}};
  up.out = {out, out};
  Node node{.op = Op::kTransposedConv, .name = "up", .attributes = up};
  node.inputs = {g.inputs[0], g.AddTensor(std::move(weights))};
  node.output = AddTensor(g, "y", {1, outs, out, out}, 0.1, 7);
  g.nodes.push_back(node);
  g.outputs = {node.output};
  EXPECT_TRUE(quantize::AttachRequant(g));
  SplitPhases(g, test::NamedConfig("default"));
  std::vector<Node> convs;
  std::ranges::copy_if(g.nodes, std::back_inserter(convs),
                       [](const Node& n) { return n.op == Op::kConv; });
  *made = std::move(g);
  return convs;
}

TEST(SplitPhases, ColumnsAreChannelsWhereThatTakesNoMoreProducts) {
  Graph g;
  // Both columns of a row read one element.
  std::vector<Node> convs = PhasesOf(2, 2, 0, 32, 32, &g);
  ASSERT_EQ(convs.size(), 2);
  EXPECT_EQ(g.tensor(convs[0].output).shape, (Shape{1, 64, 32, 32}));
  EXPECT_EQ(g.tensor(convs[0].inputs[1]).shape, (Shape{64, 32, 1, 1}));
  EXPECT_EQ(g.nodes.back().As<graph::InterleaveAttributes>().steps, (std::array<int64_t, 2>{2, 1}));
  EXPECT_EQ(PhasesOf(2, 2, 0, 32, 16, &g).size(), 4) << "the image stays on chip";
  EXPECT_EQ(PhasesOf(2, 2, 0, 48, 32, &g).size(), 4) << "the array takes longer than LOAD";
  // Behind a pad they read neighbours: a window of both has two taps for each.
  EXPECT_EQ(PhasesOf(2, 2, 1, 32, 32, &g).size(), 4);
  // Windows of two taps that are one element apart have three together: 6 products instead of 4.
  EXPECT_EQ(PhasesOf(4, 2, 1, 32, 32, &g).size(), 4);
  // Two columns of 8 channels fill a block: 3 products instead of 4.
  convs = PhasesOf(4, 2, 1, 8, 16, &g);
  ASSERT_EQ(convs.size(), 2);
  EXPECT_EQ(g.tensor(convs[0].output).shape, (Shape{1, 16, 16, 16}));
  EXPECT_EQ(g.tensor(convs[0].inputs[1]).shape, (Shape{16, 32, 2, 3}));
  EXPECT_EQ(graph::DefOf(Op::kConv).macs(g, convs[0]), 16 * 16 * 16 * 32 * 4);
  EXPECT_EQ(PhasesOf(3, 2, 1, 32, 32, &g).size(), 4) << "of one and of two taps";
  EXPECT_EQ(PhasesOf(2, 2, 0, 12, 32, &g).size(), 4) << "a column ends inside a block";
  EXPECT_EQ(PhasesOf(2, 2, 0, 32, 32, &g, 2).size(), 4) << "groups";
}

}  // namespace
}  // namespace tessera::network::split_phases_test
