// SPDX-License-Identifier: Apache-2.0
//
// RemoveDead, DenseToConv, MACs and window arithmetic. That a rewritten product computes the same
// is tested with imported models (tests/compiler/import).
#include "compiler/graph/passes.h"

#include <gtest/gtest.h>

#include "tests/compiler/graph/chain.h"

namespace tessera::graph {
namespace {

TEST(RemoveDead, KeepsWhatOutputsNeedAndTheInputs) {
  Chain c;
  const TensorId x = c.Input(), unused = c.Input(), a = c.Conv(x, "a");
  c.Conv(c.Conv(a, "dead"), "dead too");
  const TensorId b = c.Conv(a, "b");
  c.g.outputs = {b};
  RemoveDead(c.g);
  ASSERT_TRUE(Verify(c.g)) << Verify(c.g).error().message;
  ASSERT_EQ(c.g.nodes.size(), 2u);
  EXPECT_EQ(c.g.nodes[0].name, "a");
  EXPECT_EQ(c.g.nodes[1].name, "b");
  EXPECT_EQ(c.g.inputs.size(), 2u);
  EXPECT_EQ(c.g.tensor(c.g.inputs[1]).name, fmt::format("t{}", unused));
  EXPECT_EQ(c.g.tensors.size(), 6u);  // two inputs, two results, two weights
}

// x -> reshape -> dense
Graph FlatProduct(const std::vector<int64_t>& image, const std::vector<int64_t>& flat) {
  Graph g;
  const Quant quant{{0.5}, {1}, -1};
  const TensorId x = g.AddTensor({"x", DType::kInt8, image, quant, {}}),
                 f = g.AddTensor({"f", DType::kInt8, flat, quant, {}});
  const TensorId w = g.AddTensor({"w",
                                  DType::kInt8,
                                  {3, flat[1]},
                                  quant,
                                  std::vector<uint8_t>(static_cast<size_t>(3 * flat[1]), 7)});
  g.tensor(w).quant->zero = {0};
  const TensorId y = g.AddTensor({"y", DType::kInt8, {flat[0], 3}, quant, {}});
  g.inputs = {x};
  g.outputs = {y};
  g.nodes = {{.op = Op::kReshape, .name = "reshape", .inputs = {x}, .output = f},
             {.op = Op::kDense, .name = "dense", .inputs = {f, w}, .output = y}};
  return g;
}

TEST(DenseToConv, AFlattenedImageBecomesAWindow) {
  Graph g = FlatProduct({1, 2, 3, 4}, {1, 24});
  const int64_t macs = Macs(g, g.nodes[1]);
  EXPECT_EQ(macs, 72);
  Simplify(g);
  ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
  ASSERT_EQ(g.nodes.size(), 2u);
  EXPECT_EQ(g.nodes[0].op, Op::kConv);
  EXPECT_EQ(g.nodes[0].name, "dense");
  EXPECT_EQ(g.tensor(g.nodes[0].inputs[1]).shape, (std::vector<int64_t>{3, 2, 3, 4}));
  EXPECT_EQ(g.tensor(g.nodes[0].output).shape, (std::vector<int64_t>{1, 3, 1, 1}));
  EXPECT_EQ(g.nodes[1].op, Op::kReshape);
  EXPECT_EQ(g.tensor(g.outputs[0]).name, "y");
  EXPECT_EQ(Macs(g, g.nodes[0]), macs);
  EXPECT_EQ(Macs(g, g.nodes[1]), 0);
}

TEST(DenseToConv, RowsOfAnImageStayAProduct) {
  Graph g = FlatProduct({1, 2, 3, 4}, {2, 12});
  Simplify(g);
  ASSERT_TRUE(Verify(g));
  EXPECT_EQ(g.nodes[1].op, Op::kDense);
}

TEST(DenseToConv, OtherShapesStayAProduct) {
  for (const std::vector<int64_t>& image : {std::vector<int64_t>{1, 24}, {2, 3, 4}, {2, 1, 3, 4}}) {
    Graph g = FlatProduct(image, {1, 24});
    Simplify(g);
    ASSERT_TRUE(Verify(g));
    EXPECT_EQ(g.nodes[1].op, Op::kDense);
  }
}

TEST(Window, OutExtent) {
  EXPECT_EQ((Window{.kernel = {3, 3}}).OutExtent(0, 3), 1);
  EXPECT_EQ((Window{.kernel = {3, 3}}).OutExtent(0, 2), 0);
  EXPECT_EQ((Window{.kernel = {3, 5}, .stride = {2, 3}, .pad_before = {1, 2}, .pad_after = {1, 1}})
                .OutExtent(0, 8),
            4);
  EXPECT_EQ((Window{.kernel = {3, 5}, .stride = {2, 3}, .pad_before = {1, 2}, .pad_after = {1, 1}})
                .OutExtent(1, 8),
            3);
  EXPECT_EQ((Window{.kernel = {3, 3}, .dilation = {2, 2}}).OutExtent(1, 7), 3);
}

}  // namespace
}  // namespace tessera::graph
