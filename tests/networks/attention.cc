// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/attention.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

namespace tessera::networks {
namespace {

using graph::GraphTensor;
using graph::Op;
using graph::Shape;
using graph::TensorId;

class AttentionMaker {
 public:
  AttentionMaker(graph::Graph& graph, std::string name, Rng& rng)
      : graph_(graph), name_(std::move(name)), rng_(rng) {}

  TensorId Run(TensorId x, const AttentionSizes& sizes) {
    const Shape image = ShapeOf(x);
    const int64_t images = image[0], tokens = image[2] * image[3], width = sizes.heads * sizes.deep;
    x = Turn(Same(Op::kReshape, x, {images, image[1], tokens}), {0, 2, 1});
    x = Same(Op::kReshape, x, {images * tokens, image[1]});
    const auto heads = [&](std::vector<int> perm) {
      const TensorId all = Dense(x, width);
      return Turn(Same(Op::kReshape, all, {images, tokens, sizes.heads, sizes.deep}),
                  std::move(perm));
    };
    const TensorId queries = heads({0, 2, 1, 3}), keys = heads({0, 2, 3, 1}),
                   values = heads({0, 2, 1, 3});
    TensorId shares = Product(queries, keys);
    shares = Add(Op::kSoftmax, {shares}, ShapeOf(shares), 1.0 / 256, -128);
    x = Turn(Product(shares, values), {0, 1, 3, 2});
    return Same(Op::kReshape, x, {images, width, image[2], image[3]});
  }

 private:
  const Shape& ShapeOf(TensorId id) const { return graph_.tensor(id).shape; }
  double ScaleOf(TensorId id) const { return graph_.tensor(id).quant->scale[0]; }

  TensorId Add(Op op, std::vector<TensorId> inputs, Shape shape, double scale, int64_t zero,
               graph::Attributes attributes = {}) {
    GraphTensor made{
        .name = fmt::format("{}.{}", name_, graph_.nodes.size()),
        .shape = std::move(shape),
        .quant = graph::Quant{
            {static_cast<double>(static_cast<float>(scale))}, {static_cast<int32_t>(zero)}, -1}};
    graph_.nodes.push_back({.op = op,
                            .name = made.name,
                            .inputs = std::move(inputs),
                            .attributes = std::move(attributes),
                            .round = isa::Round::kTflite});
    graph_.nodes.back().output = graph_.AddTensor(std::move(made));
    return graph_.nodes.back().output;
  }
  TensorId Same(Op op, TensorId x, Shape shape, graph::Attributes attributes = {}) {
    const graph::Quant quant = *graph_.tensor(x).quant;
    const TensorId made = Add(op, {x}, std::move(shape), 1, 0, std::move(attributes));
    graph_.tensor(made).quant = quant;
    return made;
  }
  TensorId Turn(TensorId x, std::vector<int> perm) {
    Shape shape;
    for (const int d : perm) shape.push_back(ShapeOf(x)[static_cast<size_t>(d)]);
    return Same(Op::kTranspose, x, std::move(shape), graph::TransposeAttributes{std::move(perm)});
  }
  // Results spread over a third of their range.
  double ScaleFor(double of_a_product, int64_t terms) const {
    return of_a_product * 100 * std::sqrt(static_cast<double>(terms));
  }
  TensorId Dense(TensorId x, int64_t outs) {
    GraphTensor weights{.name = fmt::format("{}.w{}", name_, graph_.nodes.size()),
                        .shape = {outs, ShapeOf(x)[1]},
                        .quant = graph::Quant{{0.0078125}, {0}, -1}};
    weights.data.emplace();
    for (int64_t k = 0; k < weights.count(); ++k)
      weights.data->push_back(static_cast<uint8_t>(rng_.Range(-127, 127)));
    const Shape shape{ShapeOf(x)[0], outs};
    const double scale = ScaleFor(ScaleOf(x) * 0.0078125, ShapeOf(x)[1]);
    return Add(Op::kDense, {x, graph_.AddTensor(std::move(weights))}, shape, scale,
               rng_.Range(-30, 30));
  }
  TensorId Product(TensorId a, TensorId b) {
    Shape shape = ShapeOf(a);
    const double scale = ScaleFor(ScaleOf(a) * ScaleOf(b), shape.back());
    shape.back() = ShapeOf(b).back();
    return Add(Op::kMatMul, {a, b}, shape, scale, rng_.Range(-30, 30));
  }

  graph::Graph& graph_;
  const std::string name_;
  Rng& rng_;
};

}  // namespace

TensorId Attended(graph::Graph& graph, TensorId x, const AttentionSizes& sizes,
                  const std::string& name, Rng& rng) {
  return AttentionMaker(graph, name, rng).Run(x, sizes);
}

}  // namespace tessera::networks
