// SPDX-License-Identifier: Apache-2.0
//
// What is tested: networks with attention keep their values, by the definitions, when sequences
// become images; which of their products then read operands as they lie; that transpositions are
// gone. Space: seeded encoders of 1 to 3 images, of tokens, channels and heads that fill blocks of
// 16 and of others, from a sequence or from an image, with and without a normalisation in floats;
// attention in windows. Not tested here: what the accelerator makes of them (tests/networks).
#include "compiler/network/sequences.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::network::sequences_test {
namespace {

using graph::Graph;
using graph::Op;
using graph::Shape;
using graph::TensorId;

class Encoder {
 public:
  explicit Encoder(uint64_t seed) : rng_(seed) {}

  Rng& rng() { return rng_; }
  Graph& graph() { return g_; }
  const Shape& ShapeOf(TensorId id) const { return g_.tensor(id).shape; }

  TensorId Input(Shape shape) {
    g_.inputs.push_back(Tensor(std::move(shape), 0.05));
    return g_.inputs.back();
  }
  TensorId Add(Op op, std::vector<TensorId> inputs, Shape shape, double scale,
               graph::Attributes attributes = {}) {
    const TensorId out = Tensor(std::move(shape), scale);
    g_.nodes.push_back({.op = op,
                        .name = fmt::format("node{}", g_.nodes.size()),
                        .inputs = std::move(inputs),
                        .output = out,
                        .attributes = std::move(attributes)});
    return out;
  }
  TensorId Same(Op op, TensorId x, Shape shape, graph::Attributes attributes = {}) {
    const TensorId made = Add(op, {x}, std::move(shape), 1, std::move(attributes));
    g_.tensor(made).quant = g_.tensor(x).quant;
    return made;
  }
  TensorId Transpose(TensorId x, std::vector<int> perm) {
    Shape shape;
    for (const int d : perm) shape.push_back(ShapeOf(x)[static_cast<size_t>(d)]);
    return Same(Op::kTranspose, x, shape, graph::TransposeAttributes{std::move(perm)});
  }
  TensorId Constant(Shape shape, double scale, bool zero) {
    graph::GraphTensor made{.name = fmt::format("c{}", g_.tensors.size()), .shape = shape};
    made.quant = graph::Quant{{scale}, {zero ? static_cast<int32_t>(rng_.Range(-9, 9)) : 0}, -1};
    made.data.emplace();
    for (int64_t k = 0; k < made.count(); ++k)
      made.data->push_back(static_cast<uint8_t>(rng_.Range(-127, 127)));
    return g_.AddTensor(std::move(made));
  }
  // Of the last axis, as importers write it.
  TensorId Linear(TensorId x, int64_t outs) {
    Shape shape = ShapeOf(x);
    const int64_t ins = shape.back(), rows = g_.tensor(x).count() / ins;
    if (shape.size() > 2) x = Same(Op::kReshape, x, {rows, ins});
    TensorId made = Add(Op::kDense, {x, Constant({outs, ins}, 0.01, false)}, {rows, outs}, 0.25);
    shape.back() = outs;
    if (shape.size() > 2) made = Same(Op::kReshape, made, shape);
    return Add(Op::kAdd, {made, Constant(shape, 0.1, true)}, shape, 0.3);
  }
  TensorId Product(TensorId a, TensorId b) {
    Shape shape = ShapeOf(a);
    const double scale = g_.tensor(a).quant->scale[0] * g_.tensor(b).quant->scale[0] * 128 *
                         std::sqrt(static_cast<double>(shape.back()));
    shape.back() = ShapeOf(b).back();
    return Add(Op::kMatMul, {a, b}, shape, scale);
  }
  TensorId Softmax(TensorId x) {
    const TensorId made = Add(Op::kSoftmax, {x}, ShapeOf(x), 1.0 / 256);
    g_.tensor(made).quant->zero = {-128};
    return made;
  }
  // Elements less the mean of their row, in floats.
  TensorId Centred(TensorId x) {
    const Shape shape = ShapeOf(x);
    Shape row = shape;
    row.back() = 1;
    const auto real = [&](Op op, std::vector<TensorId> inputs, Shape of,
                          graph::Attributes attributes = {}) {
      const TensorId made = Add(op, std::move(inputs), std::move(of), 1, std::move(attributes));
      g_.tensor(made).quant.reset();
      g_.tensor(made).dtype = DType::kFloat32;
      return made;
    };
    const TensorId wide = real(Op::kDequantize, {x}, shape);
    const int last = static_cast<int>(shape.size()) - 1;
    const TensorId mean = real(Op::kReduceMean, {wide}, row, graph::AxesAttributes{{last}});
    return Add(Op::kQuantize, {real(Op::kSub, {wide, mean}, shape)}, shape, 0.05);
  }
  // |joint|: one linear layer makes queries, keys and values.
  TensorId Attention(TensorId x, int64_t heads, int64_t deep, bool joint) {
    const Shape shape = ShapeOf(x);
    const int64_t width = heads * deep;
    const TensorId all = joint ? Linear(x, 3 * width) : -1;
    const auto part = [&](int64_t k, std::vector<int> perm) {
      Shape own = shape;
      own.back() = width;
      TensorId made = all;
      if (joint) {
        graph::SliceAttributes cut;
        for (const int64_t extent : own) cut.axes.push_back({0, 1, extent});
        cut.axes.back() = {k * width, 1, width};
        made = Same(Op::kSlice, all, own, cut);
      } else {
        made = Linear(x, width);
      }
      made = Same(Op::kReshape, made, {shape[0], shape[1], heads, deep});
      return Transpose(made, std::move(perm));
    };
    const TensorId q = part(0, {0, 2, 1, 3}), k = part(1, {0, 2, 3, 1}), v = part(2, {0, 2, 1, 3});
    TensorId scores = Product(q, k);
    if (rng_.OneIn(2)) scores = Add(Op::kRescale, {scores}, ShapeOf(scores), 0.2);
    const TensorId mixed = Transpose(Product(Softmax(scores), v), {0, 2, 1, 3});
    return Linear(Same(Op::kReshape, mixed, {shape[0], shape[1], width}), shape.back());
  }

  // The results of the graph, by its definition.
  std::vector<std::vector<uint8_t>> Values(const Graph& g, const TensorBytes& inputs) {
    TensorBytes values = inputs;
    RunRegions(g, values);
    std::vector<std::vector<uint8_t>> results;
    for (const TensorId id : g.outputs) results.push_back(values.at(id));
    return results;
  }
  TensorBytes RandomInputs() {
    TensorBytes values;
    for (const TensorId id : g_.inputs) {
      for (int64_t k = 0; k < g_.tensor(id).count(); ++k)
        values[id].push_back(static_cast<uint8_t>(rng_.Next()));
    }
    return values;
  }

 private:
  TensorId Tensor(Shape shape, double scale) {
    graph::GraphTensor made{.name = fmt::format("t{}", g_.tensors.size()),
                            .shape = std::move(shape)};
    made.quant = graph::Quant{{scale}, {static_cast<int32_t>(rng_.Range(-40, 40))}, -1};
    return g_.AddTensor(std::move(made));
  }

  Rng rng_;
  Graph g_;
};

// The inputs of |g| under the numbers of |given|'s, by name.
TensorBytes Renamed(const Graph& given, const Graph& g, const TensorBytes& values) {
  TensorBytes renamed;
  for (size_t k = 0; k < g.inputs.size(); ++k) renamed[g.inputs[k]] = values.at(given.inputs[k]);
  return renamed;
}

struct Counts {
  int64_t products = 0, transposed = 0, turns = 0;
};
Counts CountsOf(const Graph& g) {
  Counts counts;
  for (const graph::Node& node : g.nodes) {
    counts.transposed += node.op == Op::kTranspose ? 1 : 0;
    if (node.op != Op::kMatMul) continue;
    const auto& attributes = node.As<graph::ProductAttributes>();
    (attributes.moves ? counts.turns : counts.products) += 1;
  }
  return counts;
}

void ExpectSame(Encoder& encoder, const std::optional<Graph>& made) {
  const Status sound = graph::Verify(*made);
  ASSERT_TRUE(sound) << sound.error().message << graph::Print(*made);
  const TensorBytes inputs = encoder.RandomInputs();
  EXPECT_EQ(encoder.Values(encoder.graph(), inputs),
            encoder.Values(*made, Renamed(encoder.graph(), *made, inputs)))
      << graph::Print(*made);
}

TEST(Sequences, KeepTheValuesOfEncoders) {
  const isa::Config config = test::NamedConfig("default");
  int lying = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Encoder e(seed);
    Rng& rng = e.rng();
    const bool blocks = !rng.OneIn(4), image = rng.OneIn(2);
    const int64_t images = rng.OneIn(3) ? rng.Range(2, 3) : 1, heads = rng.Range(1, 3),
                  deep = blocks ? 16 : rng.Range(3, 20), width = rng.Range(3, 20);
    const int64_t rows = blocks ? 4 : rng.Range(2, 4), columns = blocks ? 4 * rng.Range(1, 2) : 3;
    TensorId x = -1;
    if (image) {
      x = e.Input({images, width, rows, columns});
      x = e.Add(Op::kRescale, {x}, e.ShapeOf(x), 0.07);
      x = e.Transpose(e.Same(Op::kReshape, x, {images, width, rows * columns}), {0, 2, 1});
    } else {
      x = e.Input({images, rows * columns, width});
      x = e.Add(Op::kRescale, {x}, e.ShapeOf(x), 0.07);
    }
    const TensorId normal = rng.OneIn(2) ? e.Centred(x) : x;
    const TensorId y = e.Attention(normal, heads, deep, rng.OneIn(2));
    e.graph().outputs = {e.Add(Op::kAdd, {x, y}, e.ShapeOf(x), 0.4)};
    ASSERT_TRUE(quantize::AttachRequant(e.graph()));
    const Status given = graph::Verify(e.graph());
    ASSERT_TRUE(given) << given.error().message;
    const std::optional<Graph> made = SequencesAsImages(e.graph(), config);
    const bool lies = deep % 16 == 0 && rows * columns % 16 == 0;
    ASSERT_TRUE(made);
    lying += lies ? 1 : 0;
    ExpectSame(e, made);
    const Counts counts = CountsOf(*made);
    EXPECT_EQ(counts.products, !lies ? 2 : heads + (images == 1 ? 1 : heads));
    EXPECT_EQ(counts.turns, lies ? heads : 0);  // of values
    // A sequence from outside is turned once, and the result is turned back. Products that are made
    // as they are read queries and values that are turned, and their result is turned.
    EXPECT_EQ(counts.transposed, (image ? 1 : 2) + (lies ? 0 : 3)) << graph::Print(*made);
  }
  EXPECT_GT(lying, 30);
}

// Windows of 4 x 4 or 7 x 7 tokens, each with its own attention. The windows' order moves nothing
// but queries, keys, values and what the products make of them.
TEST(Sequences, KeepTheValuesOfAttentionInWindows) {
  const isa::Config config = test::NamedConfig("default");
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Encoder e(seed);
    const int64_t width = 32, heads = 2, side = seed % 3 == 0 ? 4 : 7, all = 2 * side;
    TensorId x = e.Input({1, width, all, all});
    x = e.Add(Op::kRescale, {x}, e.ShapeOf(x), 0.07);
    TensorId y = e.Transpose(x, {0, 2, 3, 1});
    y = e.Transpose(e.Same(Op::kReshape, y, {2, side, 2, side, width}), {0, 2, 1, 3, 4});
    y = e.Attention(e.Same(Op::kReshape, y, {4, side * side, width}), heads, 16, seed % 2 == 0);
    y = e.Transpose(e.Same(Op::kReshape, y, {2, 2, side, side, width}), {0, 2, 1, 3, 4});
    y = e.Transpose(e.Same(Op::kReshape, y, {1, all, all, width}), {0, 3, 1, 2});
    e.graph().outputs = {e.Add(Op::kAdd, {x, y}, e.ShapeOf(x), 0.4)};
    ASSERT_TRUE(quantize::AttachRequant(e.graph()));
    const Status given = graph::Verify(e.graph());
    ASSERT_TRUE(given) << given.error().message;
    const std::optional<Graph> made = SequencesAsImages(e.graph(), config);
    ASSERT_TRUE(made);
    ExpectSame(e, made);
    EXPECT_EQ(CountsOf(*made).products, 2);
    EXPECT_EQ(CountsOf(*made).transposed, 4) << graph::Print(*made);
  }
}

}  // namespace
}  // namespace tessera::network::sequences_test
