// SPDX-License-Identifier: Apache-2.0
//
// RemoveDead, DenseToConv, FoldFactors, MergeBatches, SplitImages, MACs and window arithmetic.
// Tests with imported models (tests/compiler/import, tests/models) and networks of products
// (tests/networks) check that a rewritten product computes the same.
#include "compiler/graph/passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "compiler/graph/node_check.h"
#include "tests/compiler/graph/chain.h"

namespace tessera::graph::passes_test {
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

// x [1, 1, 2, 2] -> convolution 1x1 to two channels -> times a constant -> y.
struct ScaledSums {
  Graph g;
  TensorId x, w, sum, by, y;

  explicit ScaledSums(const Shape& shape, DType dtype = DType::kFloat32) {
    const auto size = static_cast<size_t>(SizeOf(dtype));
    const auto floats = [&](size_t count, float value) {
      std::vector<uint8_t> bytes(count * size);
      for (size_t k = 0; k < count && size == 4; ++k)
        std::memcpy(bytes.data() + 4 * k, &value, sizeof(value));
      return bytes;
    };
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    x = g.AddTensor({"x", dtype, {1, 1, 2, 2}, {}, {}});
    w = g.AddTensor({"w", dtype, {2, 1, 1, 1}, {}, floats(2, 3.0f)});
    sum = g.AddTensor({"sum", dtype, {1, 2, 2, 2}, {}, {}});
    by = g.AddTensor({"by", dtype, shape, {}, floats(count, 0.5f)});
    y = g.AddTensor({"y", dtype, {1, 2, 2, 2}, {}, {}});
    g.inputs = {x};
    g.outputs = {y};
    g.nodes = {{.op = Op::kConv, .name = "conv", .inputs = {x, w}, .output = sum},
               {.op = Op::kMul, .name = "mul", .inputs = {sum, by}, .output = y}};
  }
  size_t Nodes() {
    EXPECT_TRUE(Verify(g)) << Verify(g).error().message;
    Simplify(g);
    EXPECT_TRUE(Verify(g)) << Verify(g).error().message;
    return g.nodes.size();
  }
};

TEST(FoldFactors, AConstantAChannelGoesIntoTheWeights) {
  for (const Shape& shape : {Shape{2, 1, 1}, {1, 2, 1, 1}, {}, {1}}) {
    ScaledSums s(shape);
    s.g.nodes[1].least = 0;
    ASSERT_EQ(s.Nodes(), 1u) << shape.size();
    const Node& conv = s.g.nodes[0];
    EXPECT_EQ(conv.op, Op::kConv);
    EXPECT_EQ(conv.least, 0);
    EXPECT_EQ(s.g.tensor(conv.output).name, "y");
    float value = 0;
    std::memcpy(&value, s.g.tensor(conv.inputs[1]).data->data() + 4, sizeof(value));
    EXPECT_EQ(value, 1.5f);
  }
}

TEST(FoldFactors, WhatIsAnotherNumberStays) {
  EXPECT_EQ(ScaledSums({2, 2, 2}).Nodes(), 2u);                   // one factor for each element
  EXPECT_EQ(ScaledSums({2, 1, 1}, DType::kFloat16).Nodes(), 2u);  // rounded to fewer digits
  ScaledSums bounded({2, 1, 1});
  bounded.g.nodes[0].least = 0;
  EXPECT_EQ(bounded.Nodes(), 2u);
  ScaledSums read({2, 1, 1});
  read.g.outputs.push_back(read.sum);
  EXPECT_EQ(read.Nodes(), 2u);
  ScaledSums twice({2, 1, 1});
  twice.g.nodes[1].inputs[1] = twice.sum;
  EXPECT_EQ(twice.Nodes(), 2u);
  ScaledSums under({2, 1, 1});  // a constant divided by the sum
  under.g.nodes[1].op = Op::kDiv;
  std::swap(under.g.nodes[1].inputs[0], under.g.nodes[1].inputs[1]);
  EXPECT_EQ(under.Nodes(), 2u);
  ScaledSums huge({2, 1, 1});
  const float far = 3e38f;
  for (const TensorId id : {huge.w, huge.by})
    std::memcpy(huge.g.tensor(id).data->data(), &far, sizeof(far));
  EXPECT_EQ(huge.Nodes(), 2u);
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

// matmul of int8 tensors of these shapes, both inputs.
Graph ProductOf(const Shape& a, const Shape& b, const Shape& result) {
  Graph g;
  const Quant quant{{0.5}, {1}, -1};
  const auto add = [&](const char* name, const Shape& shape) {
    return g.AddTensor({name, DType::kInt8, shape, quant, {}});
  };
  const TensorId x = add("x", a), y = add("y", b), z = add("z", result);
  g.inputs = {x, y};
  g.outputs = {z};
  g.nodes = {{.op = Op::kMatMul, .name = "product", .inputs = {x, y}, .output = z}};
  return g;
}

struct BatchCase {
  Shape a, b, result;
  Shape first, second;  // shapes of the product's operands; empty: the pass leaves it alone
};

TEST(MergeBatches, ProductsHaveOneLeadingAxisOrNone) {
  const BatchCase cases[] = {
      {{3, 4}, {4, 5}, {3, 5}, {}, {}},
      {{2, 3, 4}, {2, 4, 5}, {2, 3, 5}, {}, {}},
      {{1, 3, 4}, {2, 4, 5}, {2, 3, 5}, {}, {}},
      {{2, 3, 4}, {4, 5}, {2, 3, 5}, {6, 4}, {4, 5}},
      {{2, 3, 4}, {1, 4, 5}, {2, 3, 5}, {6, 4}, {4, 5}},
      {{6, 2, 3, 4}, {6, 2, 4, 5}, {6, 2, 3, 5}, {12, 3, 4}, {12, 4, 5}},
      {{1, 6, 3, 4}, {6, 4, 5}, {1, 6, 3, 5}, {6, 3, 4}, {6, 4, 5}},
      {{3, 4}, {7, 2, 4, 5}, {7, 2, 3, 5}, {1, 3, 4}, {14, 4, 5}},
      {{1, 1, 3, 4}, {1, 1, 4, 5}, {1, 1, 3, 5}, {1, 3, 4}, {1, 4, 5}},
      {{6, 1, 3, 4}, {6, 2, 4, 5}, {6, 2, 3, 5}, {}, {}},
      {{6, 2, 3, 4}, {2, 4, 5}, {6, 2, 3, 5}, {}, {}},
  };
  for (const BatchCase& c : cases) {
    SCOPED_TRACE(ShapeText(c.a) + " by " + ShapeText(c.b));
    Graph g = ProductOf(c.a, c.b, c.result);
    ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
    const int64_t macs = Macs(g, g.nodes[0]);
    MergeBatches(g);
    ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
    const auto product = std::ranges::find(g.nodes, Op::kMatMul, &Node::op);
    ASSERT_NE(product, g.nodes.end());
    const bool alone = c.first.empty();
    EXPECT_EQ(g.nodes.size() == 1, alone);
    EXPECT_EQ(g.tensor(product->inputs[0]).shape, alone ? c.a : c.first);
    EXPECT_EQ(g.tensor(product->inputs[1]).shape, alone ? c.b : c.second);
    EXPECT_EQ(Macs(g, *product), macs);
    EXPECT_EQ(g.tensor(g.outputs[0]).name, "z");
    EXPECT_EQ(g.tensor(g.outputs[0]).shape, c.result);
  }
}

TEST(MergeBatches, AConstantHasItsOtherShape) {
  Graph g = ProductOf({1, 2, 3, 4}, {2, 4, 5}, {1, 2, 3, 5});
  g.tensor(g.inputs[1]).data.emplace(40, 7);
  g.inputs.pop_back();
  MergeBatches(g);
  ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
  EXPECT_EQ(g.tensor(g.inputs[0]).shape, (Shape{1, 2, 3, 4}));
  EXPECT_EQ(g.nodes.size(), 3u);
  Graph floats = ProductOf({1, 2, 3, 4}, {1, 2, 4, 5}, {1, 2, 3, 5});
  for (GraphTensor& t : floats.tensors) t.dtype = DType::kFloat32, t.quant.reset();
  MergeBatches(floats);
  EXPECT_EQ(floats.nodes.size(), 1u);
}

// Behind and in front of a product of rows: a residual, columns that a slice cuts out, and a
// sigmoid. A pool behind them keeps its shape.
TEST(MergeBatches, WhatWorksByRowHasTheShapeOfTheProduct) {
  Graph g = ProductOf({1, 3, 4}, {4, 6}, {1, 3, 6});
  g.tensor(g.inputs[0]).shape = {2, 3, 4};
  g.tensor(g.outputs[0]).shape = {2, 3, 6};
  const auto add = [&](Op op, std::vector<TensorId> inputs, Shape shape) {
    GraphTensor made = g.tensor(inputs[0]);
    made.name = "t" + std::to_string(g.tensors.size());
    made.shape = std::move(shape);
    const TensorId out = g.AddTensor(std::move(made));
    g.nodes.push_back(
        {.op = op, .name = "n" + std::to_string(out), .inputs = std::move(inputs), .output = out});
    return out;
  };
  const TensorId z = g.outputs[0];
  const TensorId sum = add(Op::kAdd, {z, z}, {2, 3, 6});
  const TensorId cut = add(Op::kSlice, {sum}, {2, 3, 2});
  g.nodes.back().attributes =
      SliceAttributes{{{.count = 2}, {.count = 3}, {.begin = 4, .count = 2}}};
  const TensorId other = add(Op::kSlice, {sum}, {2, 1, 6});
  g.nodes.back().attributes =
      SliceAttributes{{{.count = 2}, {.begin = 1, .count = 1}, {.count = 6}}};
  const TensorId last = add(Op::kAbs, {cut}, {2, 3, 2});
  g.outputs = {last, other};
  ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
  MergeBatches(g);
  ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
  std::vector<std::string> shapes;
  for (const Node& node : g.nodes) {
    if (node.op != Op::kReshape)
      shapes.push_back(std::string(Text(node.op)) + " " + ShapeText(g.tensor(node.output).shape));
  }
  EXPECT_EQ(shapes, (std::vector<std::string>{"matmul [6, 6]", "add [6, 6]", "slice [6, 2]",
                                              "slice [2, 1, 6]", "abs [6, 2]"}));
  EXPECT_EQ(g.tensor(g.outputs[0]).shape, (Shape{2, 3, 2}));
}

struct ImageCase {
  Shape a, b, result;
  size_t slices;  // slices of operands, over all images; 0: the pass leaves the product alone
};

TEST(SplitImages, EachImageHasItsProduct) {
  const ImageCase cases[] = {{{3, 4, 5}, {3, 5, 6}, {3, 4, 6}, 6},
                             {{1, 4, 5}, {3, 5, 6}, {3, 4, 6}, 3},
                             {{1, 4, 5}, {1, 5, 6}, {1, 4, 6}, 0},
                             {{4, 5}, {5, 6}, {4, 6}, 0}};
  for (const ImageCase& c : cases) {
    SCOPED_TRACE(ShapeText(c.a) + " by " + ShapeText(c.b));
    Graph g = ProductOf(c.a, c.b, c.result);
    const int64_t macs = Macs(g, g.nodes[0]);
    SplitImages(g);
    ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
    size_t slices = 0, products = 0;
    int64_t after = 0;
    for (const Node& node : g.nodes) {
      slices += node.op == Op::kSlice;
      products += node.op == Op::kMatMul;
      after += Macs(g, node);
    }
    EXPECT_EQ(slices, c.slices);
    EXPECT_EQ(products, c.slices == 0 ? 1u : static_cast<size_t>(c.result[0]));
    EXPECT_EQ(after, macs);
    EXPECT_EQ(g.tensor(g.outputs[0]).name, "z");
  }
  Graph floats = ProductOf({3, 4, 5}, {3, 5, 6}, {3, 4, 6});
  for (GraphTensor& t : floats.tensors) t.dtype = DType::kFloat32, t.quant.reset();
  SplitImages(floats);
  EXPECT_EQ(floats.nodes.size(), 1u);
}

}  // namespace
}  // namespace tessera::graph::passes_test
