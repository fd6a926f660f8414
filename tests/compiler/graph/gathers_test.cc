// SPDX-License-Identifier: Apache-2.0
//
// SliceGathers and FoldTransposes: what becomes of gathers by constants and of transpositions in a
// row. Random networks (tests/networks) check that they compute the same.
#include "compiler/graph/gathers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include "compiler/graph/passes.h"

namespace tessera::graph::gathers_test {
namespace {

// A gather by |at|, of |shape|, along an axis of [2, 6, 3].
Graph Gathered(int axis, const std::vector<int64_t>& at, const Shape& shape, const Shape& out) {
  Graph g;
  const Quant quant{{0.5}, {1}, -1};
  const TensorId x = g.AddTensor({"x", DType::kInt8, {2, 6, 3}, quant, {}});
  std::vector<uint8_t> bytes(at.size() * sizeof(int64_t));
  std::memcpy(bytes.data(), at.data(), bytes.size());
  const TensorId indices = g.AddTensor({"at", DType::kInt64, shape, {}, bytes});
  const TensorId y = g.AddTensor({"y", DType::kInt8, out, quant, {}});
  g.inputs = {x};
  g.outputs = {y};
  g.nodes = {{.op = Op::kGather,
              .name = "gather",
              .inputs = {x, indices},
              .output = y,
              .attributes = GatherAttributes{GatherAttributes::Form::kSlices, axis}}};
  EXPECT_TRUE(Verify(g)) << Verify(g).error().message;
  Simplify(g);
  EXPECT_TRUE(Verify(g)) << Verify(g).error().message;
  return g;
}

AxisCut CutBy(const Graph& g, size_t axis) {
  return g.nodes[0].op == Op::kSlice ? g.nodes[0].As<SliceAttributes>().axes[axis] : AxisCut{};
}

TEST(SliceGathers, EqualStepsBecomeASlice) {
  const Graph down = Gathered(1, {-1, 3, 1}, {3}, {2, 3, 3});
  EXPECT_EQ(down.nodes.size(), 1u);
  const AxisCut cut = CutBy(down, 1);
  EXPECT_EQ(std::tie(cut.begin, cut.step, cut.count), std::tuple(5, -2, 3));
  EXPECT_EQ(CutBy(down, 0).count, 2);
  EXPECT_EQ(CutBy(Gathered(2, {1}, {1}, {2, 6, 1}), 2).begin, 1);
  // Outside of the axis the nearest element is read.
  EXPECT_EQ(CutBy(Gathered(2, {9}, {1}, {2, 6, 1}), 2).begin, 2);
}

TEST(SliceGathers, AReshapeGivesTheShapeOfTheIndices) {
  const Graph one = Gathered(1, {4}, {}, {2, 3});
  ASSERT_EQ(one.nodes.size(), 2u);
  EXPECT_EQ(one.nodes[1].op, Op::kReshape);
  EXPECT_EQ(one.tensor(one.nodes[0].output).shape, (Shape{2, 1, 3}));
  EXPECT_EQ(Gathered(1, {0, 1, 2, 3}, {2, 2}, {2, 2, 2, 3}).nodes.size(), 2u);
}

TEST(SliceGathers, OtherIndicesStay) {
  for (const std::vector<int64_t>& at : {std::vector<int64_t>{0, 1, 3}, {2, 2, 2}, {0, 1, 0}})
    EXPECT_EQ(Gathered(1, at, {3}, {2, 3, 3}).nodes[0].op, Op::kGather);
}

// Transposes [1, 2, 3, 4] by |perms|, one after another; a sum with itself behind.
Graph Turned(const std::vector<std::vector<int>>& perms) {
  Graph g;
  const Quant quant{{0.5}, {1}, -1};
  TensorId x = g.AddTensor({"x", DType::kInt8, {1, 2, 3, 4}, quant, {}});
  g.inputs = {x};
  for (const std::vector<int>& perm : perms) {
    Shape shape;
    for (const int axis : perm) shape.push_back(g.tensor(x).shape[static_cast<size_t>(axis)]);
    const std::string name = fmt::format("t{}", g.nodes.size());
    g.nodes.push_back({.op = Op::kTranspose,
                       .name = name,
                       .inputs = {x},
                       .output = g.AddTensor({name, DType::kInt8, shape, quant, {}}),
                       .attributes = TransposeAttributes{perm}});
    x = g.nodes.back().output;
  }
  const TensorId y = g.AddTensor({"y", DType::kInt8, g.tensor(x).shape, quant, {}});
  g.nodes.push_back({.op = Op::kAdd, .name = "add", .inputs = {x, x}, .output = y});
  g.outputs = {y};
  EXPECT_TRUE(Verify(g)) << Verify(g).error().message;
  Simplify(g);
  EXPECT_TRUE(Verify(g)) << Verify(g).error().message;
  return g;
}

TEST(FoldTransposes, TwoBecomeOneOrNone) {
  // Axis k of the result is axis first[second[k]].
  const Graph one = Turned({{0, 2, 3, 1}, {0, 2, 1, 3}});
  ASSERT_EQ(one.nodes.size(), 2u);
  EXPECT_EQ(one.nodes[0].As<TransposeAttributes>().perm, (std::vector<int>{0, 3, 2, 1}));
  EXPECT_EQ(one.nodes[0].inputs, one.inputs);
  const Graph none = Turned({{0, 2, 3, 1}, {0, 3, 1, 2}});
  ASSERT_EQ(none.nodes.size(), 1u);
  EXPECT_EQ(none.nodes[0].inputs[0], none.inputs[0]);
  EXPECT_EQ(Turned({{0, 2, 3, 1}, {0, 2, 3, 1}, {0, 2, 3, 1}}).nodes.size(), 1u);
  EXPECT_EQ(Turned({{0, 2, 3, 1}}).nodes.size(), 2u);
}

TEST(FoldTransposes, TheUsersTensorStays) {
  Graph g = Turned({{0, 2, 3, 1}, {0, 2, 1, 3}});
  g.nodes[0].Edit<TransposeAttributes>().perm = {0, 2, 3, 1};
  g.tensor(g.nodes[0].output).shape = {1, 3, 4, 2};
  g.nodes[1] = {.op = Op::kTranspose,
                .name = "back",
                .inputs = {g.nodes[0].output},
                .output = g.outputs[0],
                .attributes = TransposeAttributes{{0, 3, 1, 2}}};
  g.tensor(g.outputs[0]).shape = {1, 2, 3, 4};
  ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
  Simplify(g);
  ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
  ASSERT_EQ(g.nodes.size(), 1u);
  EXPECT_EQ(g.nodes[0].inputs, g.inputs);
  EXPECT_EQ(g.nodes[0].output, g.outputs[0]);
}

}  // namespace
}  // namespace tessera::graph::gathers_test
