// SPDX-License-Identifier: Apache-2.0
//
// Graph passes keep the integers: random graphs evaluated before and after, and where a pass must
// not fire. Space: pads in front of convolutions, flattened images in both orders in front of dense
// layers. Not here: dead code and what the rewritten graphs look like otherwise
// (tests/compiler/graph).
#include "compiler/graph/passes.h"

#include <gtest/gtest.h>

#include "tests/compiler/region/random_graph.h"

namespace tessera::passes_test {
namespace {

using graph::Op;
using graph::TensorId;

class Passes : public ::testing::TestWithParam<uint64_t> {
 protected:
  RandomGraph r{GetParam()};

  // The output after Simplify, by a graph with the requantisation of the original one.
  std::vector<int8_t> Simplified() {
    graph::Graph g = r.g;
    const std::string name = g.tensor(g.outputs[0]).name;
    TensorBytes values;
    graph::Simplify(g);
    EXPECT_TRUE(graph::Verify(g));
    values[g.inputs[0]] = r.values.at(r.g.inputs[0]);
    RunRegions(g, values);
    ops = "";
    for (const graph::Node& n : g.nodes) ops += std::string(graph::Text(n.op)) + " ";
    return As<int8_t>(values.at(g.outputs[0]));
  }
  std::string ops;
};

// |channels|, |value|: whether the pad also grows the channels, whether it holds another value than
// the zero point.
void PadAndConv(RandomGraph& r, bool channels, bool value) {
  const int64_t c = r.rng.Range(1, 4), h = r.rng.Range(2, 6), w = r.rng.Range(2, 6);
  const TensorId x = r.Int8("x", {1, c, h, w}, true);
  graph::Node pad{.op = Op::kPad, .name = "pad", .inputs = {x}};
  graph::PadAttributes& around = pad.Edit<graph::PadAttributes>();
  around.pads = {{0, 0},
                 {channels, 0},
                 {r.rng.Range(0, 2), r.rng.Range(0, 2)},
                 {r.rng.Range(0, 2), r.rng.Range(1, 2)}};
  around.value = value ? (r.Z(x) == 127 ? 126 : r.Z(x) + 1) : r.Z(x);
  std::vector<int64_t> shape{1, c, h, w};
  for (size_t d = 0; d < 4; ++d) shape[d] += around.pads[d][0] + around.pads[d][1];
  const TensorId wide = pad.output = r.Int8("wide", shape, false);
  r.g.tensor(wide).quant = r.T(x).quant;
  graph::Node conv{
      .op = Op::kConv, .name = "conv", .inputs = {wide, r.Weights({3, shape[1], 2, 2}), r.Bias(3)}};
  graph::Window& window = conv.Edit<graph::ConvAttributes>().window;
  window.kernel = {2, 2};
  window.stride = {r.rng.Range(1, 2), 1};
  window.pad_before = {r.rng.Range(0, 1), 0};
  conv.output =
      r.Int8("y", {1, 3, window.OutExtent(0, shape[2]), window.OutExtent(1, shape[3])}, false, 1.0);
  r.Bounds(conv);
  r.Round(conv);
  r.g.nodes = {pad, conv};
  r.g.outputs = {conv.output};
}

TEST_P(Passes, APadBecomesTheConvolutionsOwn) {
  PadAndConv(r, false, false);
  ASSERT_NO_FATAL_FAILURE(r.Run());
  EXPECT_EQ(Simplified(), r.V(r.g.outputs[0]));
  EXPECT_EQ(ops, "conv ");
}

TEST_P(Passes, OtherPadsStay) {
  PadAndConv(r, r.rng.OneIn(2), true);
  ASSERT_NO_FATAL_FAILURE(r.Run());
  EXPECT_EQ(Simplified(), r.V(r.g.outputs[0]));
  EXPECT_EQ(ops, "pad conv ");
}

TEST_P(Passes, PadsOfChannelsStay) {
  PadAndConv(r, true, false);
  ASSERT_NO_FATAL_FAILURE(r.Run());
  EXPECT_EQ(Simplified(), r.V(r.g.outputs[0]));
  EXPECT_EQ(ops, "pad conv ");
}

// Names that a model may choose: as words of a schedule some are one, or what another became.
TEST_P(Passes, NamesThatAreOneWordAreOfTensorsOfTheirOwn) {
  PadAndConv(r, true, false);
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> want = r.V(r.g.outputs[0]);
  const char* const names[] = {"a b", "a#b", "a$b", "a_b", "a_b.2", "a b.2", "", " "};
  for (size_t t = 0; t < r.g.tensors.size(); ++t)
    r.g.tensors[t].name = names[(t + GetParam()) % std::size(names)];
  ASSERT_NO_FATAL_FAILURE(r.Run());
  EXPECT_EQ(r.V(r.g.outputs[0]), want);
}

// reshape, or transpose by |perm| and reshape, in front of a dense layer.
void FlatDense(RandomGraph& r, const std::vector<int>& perm) {
  const std::vector<int64_t> in{1, r.rng.Range(1, 4), r.rng.Range(1, 4), r.rng.Range(2, 4)};
  const TensorId x = r.Int8("x", in, true);
  TensorId image = x;
  if (!perm.empty()) {
    std::vector<int64_t> shape;
    for (const int d : perm) shape.push_back(in[static_cast<size_t>(d)]);
    image = r.Int8("moved", shape, false);
    r.g.tensor(image).quant = r.T(x).quant;
    r.g.nodes.push_back({.op = Op::kTranspose,
                         .name = "transpose",
                         .inputs = {x},
                         .output = image,
                         .attributes = graph::TransposeAttributes{perm}});
  }
  const int64_t n = in[1] * in[2] * in[3];
  const TensorId flat = r.Int8("flat", {1, n}, false);
  r.g.tensor(flat).quant = r.T(x).quant;
  r.g.nodes.push_back({.op = Op::kReshape, .name = "reshape", .inputs = {image}, .output = flat});
  graph::Node dense{.op = Op::kDense,
                    .name = "dense",
                    .inputs = {flat, r.Weights({5, n}), r.Bias(5)},
                    .output = r.Int8("y", {1, 5}, false, 1.0)};
  r.Round(dense);
  r.g.nodes.push_back(dense);
  r.g.outputs = {dense.output};
}

TEST_P(Passes, AFlattenedImageNeedsNoTransposition) {
  FlatDense(r, {0, 2, 3, 1});
  ASSERT_NO_FATAL_FAILURE(r.Run());
  EXPECT_EQ(Simplified(), r.V(r.g.outputs[0]));
  EXPECT_EQ(ops, "conv reshape ");
}

TEST_P(Passes, AFlattenedImageInOrderBecomesAWindow) {
  FlatDense(r, {});
  ASSERT_NO_FATAL_FAILURE(r.Run());
  EXPECT_EQ(Simplified(), r.V(r.g.outputs[0]));
  EXPECT_EQ(ops, "conv reshape ");
}

// Another order is the window of what the transposition makes.
TEST_P(Passes, OtherTranspositionsStay) {
  FlatDense(r, {0, 3, 1, 2});
  ASSERT_NO_FATAL_FAILURE(r.Run());
  EXPECT_EQ(Simplified(), r.V(r.g.outputs[0]));
  EXPECT_EQ(ops, "transpose conv reshape ");
}

INSTANTIATE_TEST_SUITE_P(Seeds, Passes, ::testing::Range<uint64_t>(0, 20));

}  // namespace
}  // namespace tessera::passes_test
