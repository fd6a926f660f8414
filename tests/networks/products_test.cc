// SPDX-License-Identifier: Apache-2.0
//
// What is tested: products of two activations give the integers of their definition on the host and
// on the accelerator: operands from the host, from the previous program, from another product;
// single matrices, one matrix for each image, one for all images; any zero points; and which
// products the accelerator runs. Space: seeded extents and zero points on four configurations. Not
// tested here: plans of one region (tests/compiler/accel), the graph pass (tests/compiler/graph).
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "isa/config.h"
#include "tests/networks/agree.h"

namespace tessera::networks::products_test {
namespace {

using graph::Op;
using graph::Shape;
using graph::TensorId;

class ProductNet {
 public:
  explicit ProductNet(uint64_t seed) : rng_(seed) { graph_.name = "products"; }

  Rng& rng() { return rng_; }
  const Shape& ShapeOf(TensorId id) const { return graph_.tensor(id).shape; }

  TensorId Input(Shape shape) {
    const TensorId id = Tensor("input", std::move(shape), 0.05);
    graph_.inputs.push_back(id);
    std::vector<uint8_t>& bytes = values_[id];
    bytes.resize(static_cast<size_t>(graph_.tensor(id).count()));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng_.Next());
    return id;
  }
  TensorId Dense(TensorId x, int64_t outs) {
    const TensorId weights = Weights({outs, ShapeOf(x).back()});
    return Node(Op::kDense, {x, weights}, {ShapeOf(x)[0], outs}, 0.25);
  }
  // A 1x1 convolution.
  TensorId Conv(TensorId x, int64_t outs) {
    const Shape in = ShapeOf(x);
    const TensorId weights = Weights({outs, in[1], 1, 1});
    return Node(Op::kConv, {x, weights}, {in[0], outs, in[2], in[3]}, 0.25);
  }
  TensorId Product(TensorId a, TensorId b) {
    Shape shape = ShapeOf(ShapeOf(a).size() < ShapeOf(b).size() ? b : a);
    shape[shape.size() - 2] = ShapeOf(a)[ShapeOf(a).size() - 2];
    shape.back() = ShapeOf(b).back();
    // The values spread over a third of the range, whatever their size.
    const double scale = graph_.tensor(a).quant->scale[0] * graph_.tensor(b).quant->scale[0] * 128 *
                         std::sqrt(static_cast<double>(ShapeOf(a).back()));
    return Node(Op::kMatMul, {a, b}, std::move(shape), scale);
  }
  TensorId Transpose(TensorId x, std::vector<int> perm) {
    Shape shape;
    for (const int d : perm) shape.push_back(ShapeOf(x)[static_cast<size_t>(d)]);
    return Same(Op::kTranspose, x, std::move(shape), graph::TransposeAttributes{std::move(perm)});
  }
  TensorId Reshape(TensorId x, Shape shape) { return Same(Op::kReshape, x, std::move(shape), {}); }
  TensorId Softmax(TensorId x) {
    const TensorId y = Node(Op::kSoftmax, {x}, ShapeOf(x), 1.0 / 256);
    graph_.tensor(y).quant->zero = {-128};
    return y;
  }

  Outcome Run(TensorId output, const std::string& config) {
    graph_.outputs = {output};
    Way way{.config = config, .devices = {"cpu", "func", "cycle"}, .observe = {true, false}};
    // Host code does not depend on the configuration: LLVM optimises that of the first one.
    if (config != "default") way.host_effort = codegen::HostEffort::kLeast;
    return RunGraph(graph_, values_, way);
  }

 private:
  TensorId Tensor(const std::string& name, Shape shape, double scale) {
    const int64_t zero = rng_.OneIn(4) ? 0 : rng_.OneIn(4) ? -128 : rng_.Range(-127, 127);
    graph::GraphTensor t{.name = name + std::to_string(graph_.tensors.size()),
                         .shape = std::move(shape)};
    t.quant = graph::Quant{{scale}, {static_cast<int32_t>(zero)}, -1};
    return graph_.AddTensor(std::move(t));
  }
  TensorId Weights(Shape shape) {
    graph::GraphTensor w{.name = "weights" + std::to_string(graph_.tensors.size()),
                         .shape = std::move(shape)};
    w.quant = graph::Quant{{0.01}, {0}, -1};
    w.data.emplace();
    for (int64_t k = 0; k < w.count(); ++k)
      w.data->push_back(static_cast<uint8_t>(rng_.Range(-127, 127)));
    return graph_.AddTensor(std::move(w));
  }
  TensorId Node(Op op, std::vector<TensorId> inputs, Shape shape, double scale) {
    const TensorId out = Tensor(std::string(graph::Text(op)), std::move(shape), scale);
    graph_.nodes.push_back({.op = op,
                            .name = fmt::format("node{}", graph_.nodes.size()),
                            .inputs = std::move(inputs),
                            .output = out,
                            .round = isa::Round::kTflite});
    return out;
  }
  TensorId Same(Op op, TensorId x, Shape shape, graph::Attributes attributes) {
    const TensorId y = Node(op, {x}, std::move(shape), 1);
    graph_.tensor(y).quant = graph_.tensor(x).quant;
    graph_.nodes.back().attributes = std::move(attributes);
    return y;
  }

  Rng rng_;
  graph::Graph graph_;
  std::map<TensorId, std::vector<uint8_t>> values_;
};

class Products : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr uint64_t kSeeds = 12;
  // Whether GEMM takes rows of several images: then each image's product is a layer of its own.
  bool InRows() const { return GetParam() == "batch4"; }
  void ExpectExact(ProductNet& net, TensorId output, int64_t on_accelerator) {
    const Outcome outcome = net.Run(output, GetParam());
    EXPECT_EQ(outcome.broken + outcome.refused + outcome.difference, "");
    EXPECT_EQ(outcome.compared, outcome.layers);
    // Two programs ran, each observed.
    EXPECT_EQ(outcome.on_accelerator, 2 * on_accelerator);
  }
};

// Products of few numbers and of many.
TEST_P(Products, OfWhatTheHostHasAreExact) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ProductNet net(seed);
    const auto axes = static_cast<int>(seed % 3);  // leading axes
    const int64_t rows = net.rng().Range(1, 40), depth = net.rng().Range(2, 70),
                  columns = net.rng().Range(1, 40);
    Shape a, b;
    for (int d = 0; d < axes; ++d) a.push_back(net.rng().Range(2, 3));
    if (!net.rng().OneIn(4)) b = a;
    a.insert(a.end(), {rows, depth});
    b.insert(b.end(), {depth, columns});
    int64_t images = 1;
    for (size_t d = 0; d + 2 < b.size(); ++d) images *= b[d];
    const TensorId x = net.Input(a), y = net.Input(b);
    ExpectExact(net, net.Product(x, y), InRows() ? images : 1);
  }
}

// A program makes both operands, and the second goes through the host.
TEST_P(Products, OfWhatTheAcceleratorMadeAreExact) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ProductNet net(seed);
    const int64_t rows = net.rng().Range(8, 30), depth = net.rng().Range(8, 40),
                  columns = net.rng().Range(8, 30);
    const TensorId a = net.Dense(net.Input({rows, 20}), depth);
    const TensorId b = net.Dense(net.Input({depth, 20}), columns);
    const TensorId product = net.Product(a, b);
    ExpectExact(net, net.Dense(product, 12), 4);
  }
}

// Attention as in transformers: queries by keys, softmax, times values, for some heads.
TEST_P(Products, OfAttentionAreExact) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ProductNet net(seed);
    const int64_t tokens = net.rng().Range(10, 24), heads = net.rng().Range(2, 3),
                  width = net.rng().Range(8, 20);
    const TensorId x = net.Input({tokens, 24});
    const auto head = [&](std::vector<int> perm) {
      const TensorId all = net.Dense(x, heads * width);
      return net.Transpose(net.Reshape(all, {1, tokens, heads, width}), std::move(perm));
    };
    const TensorId q = head({0, 2, 1, 3}), k = head({0, 2, 3, 1}), v = head({0, 2, 1, 3});
    const TensorId weights = net.Softmax(net.Product(q, k));
    const TensorId mixed = net.Transpose(net.Product(weights, v), {0, 2, 1, 3});
    ExpectExact(net, net.Dense(net.Reshape(mixed, {tokens, heads * width}), 16),
                InRows() ? 4 + 2 * heads : 6);
  }
}

// Heads and tokens that fill blocks of channels, of one image or of two: where that is faster, both
// operands of a product are read as they lie, and no operand goes through the host but those of
// softmax.
TEST_P(Products, OfAttentionInBlocksAreExact) {
  const int64_t block = isa::LoadConfig(GetParam())->block_out;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ProductNet net(seed);
    const int64_t images = seed == 3 ? 2 : 1, tokens = block * net.rng().Range(1, 2),
                  heads = net.rng().Range(1, 3), deep = block * net.rng().Range(1, 2),
                  width = heads * deep;
    // From an image, so that no transposition is in front.
    TensorId x =
        net.Reshape(net.Conv(net.Input({images, 20, 4, tokens / 4}), 24), {images, 24, tokens});
    x = net.Reshape(net.Transpose(x, {0, 2, 1}), {images * tokens, 24});
    const auto head = [&](std::vector<int> perm) {
      const TensorId all = net.Reshape(net.Dense(x, width), {images, tokens, heads, deep});
      return net.Transpose(all, std::move(perm));
    };
    const TensorId q = head({0, 2, 1, 3}), k = head({0, 2, 3, 1}), v = head({0, 2, 1, 3});
    const TensorId weights = net.Softmax(net.Product(q, k));
    const TensorId mixed = net.Transpose(net.Product(weights, v), {0, 2, 1, 3});
    const Outcome outcome =
        net.Run(net.Dense(net.Reshape(mixed, {images * tokens, width}), 16), GetParam());
    EXPECT_EQ(outcome.broken + outcome.refused + outcome.difference, "");
    if (GetParam() == "default") {
      EXPECT_EQ(outcome.programs, 2);  // in front of softmax and behind it
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configurations, Products,
                         ::testing::Values("default", "tiny", "batch4", "wide", "ultra96"));

}  // namespace
}  // namespace tessera::networks::products_test
