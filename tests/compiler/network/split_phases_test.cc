// SPDX-License-Identifier: Apache-2.0
//
// What is tested: transposed convolutions become convolutions of their phases with the same
// integers, by the definitions before and after. Space: 300 random ones of one and two axes that
// differ, with any stride, dilation, pads and result, with groups, biases, bounds, a scale a
// channel, and functions and concatenations in other scales behind them. Not tested here: that the
// accelerator writes the phases between each other (tests/networks).
#include "compiler/network/split_phases.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/graph/op_def.h"
#include "compiler/quantize/params.h"
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
  int64_t phases = 0;
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
                outs = groups * rng.Range(1, 4);
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
  c.phases = made.window.stride[0] * made.window.stride[1];
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
  int split = 0;
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
    SplitPhases(c.graph);
    const Status sound = graph::Verify(c.graph);
    ASSERT_TRUE(sound) << sound.error().message;
    RunRegions(c.graph, after);
    ASSERT_EQ(before.at(c.graph.outputs[0]), after.at(c.graph.outputs[0]));
    const auto count = [&](Op op) { return std::ranges::count(c.graph.nodes, op, &Node::op); };
    if (count(Op::kTransposedConv) > 0) continue;
    ++split;
    EXPECT_EQ(count(Op::kConv), c.phases);
    EXPECT_EQ(count(Op::kRescale), c.phases * (c.follower + c.joined));
    EXPECT_EQ(count(Op::kInterleave), c.phases > 1 ? 1 : 0);
  }
  EXPECT_GT(split, 150);
}

}  // namespace
}  // namespace tessera::network::split_phases_test
