// SPDX-License-Identifier: Apache-2.0
//
// Random networks whose channels are cut, joined, shuffled, gathered and padded. Used by:
// move_channels_test.cc.
#ifndef TESSERA_TESTS_COMPILER_NETWORK_CHANNEL_NETWORKS_H_
#define TESSERA_TESTS_COMPILER_NETWORK_CHANNEL_NETWORKS_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "compiler/graph/graph.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::network::move_channels_test {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

class ChannelNetworks {
 public:
  // |rows|: tensors [N, C] and dense layers in the place of images and convolutions.
  explicit ChannelNetworks(uint64_t seed, bool rows = false) : rng_(seed), rows_(rows) {}

  TensorId Input(Shape shape) {
    const TensorId x = Tensor(std::move(shape), Scale(), Zero());
    g.inputs.push_back(x);
    return x;
  }
  TensorId Conv(TensorId x, int64_t outs, int64_t kernel, bool depthwise = false) {
    const Shape in = g.tensor(x).shape;
    const int64_t ins = depthwise ? 1 : in[1];
    graph::GraphTensor w{.name = Next(), .shape = {outs, ins}};
    if (!rows_) w.shape.insert(w.shape.end(), 2, kernel);
    w.quant = graph::Quant{{}, {}, rng_.OneIn(3) ? -1 : 0};
    for (int64_t o = 0; o < (w.quant->axis < 0 ? 1 : outs); ++o) {
      w.quant->scale.push_back(0.002 * static_cast<double>(rng_.Range(1, 5)));
      w.quant->zero.push_back(0);
    }
    w.data.emplace();
    for (int64_t k = 0; k < w.count(); ++k)
      w.data->push_back(static_cast<uint8_t>(rng_.Range(-127, 127)));
    graph::ConvAttributes conv{.groups = depthwise ? outs : 1};
    conv.window = {.kernel = {kernel, kernel},
                   .pad_before = {kernel / 2, kernel / 2},
                   .pad_after = {kernel / 2, kernel / 2}};
    std::vector<TensorId> inputs{x, g.AddTensor(std::move(w))};
    if (rng_.OneIn(2)) {
      std::vector<int32_t> bias;
      for (int64_t o = 0; o < outs; ++o)
        bias.push_back(static_cast<int32_t>(rng_.Range(-3000, 3000)));
      inputs.push_back(g.AddTensor(
          {.name = Next(), .dtype = DType::kInt32, .shape = {outs}, .data = Bytes(bias)}));
    }
    if (rows_) return Apply(Op::kDense, std::move(inputs), {in[0], outs}, {}, true);
    return Apply(Op::kConv, std::move(inputs), {in[0], outs, in[2], in[3]}, conv, true);
  }
  TensorId Slice(TensorId x, int64_t first, int64_t step, int64_t count) {
    Shape shape = g.tensor(x).shape;
    graph::SliceAttributes cut;
    for (const int64_t extent : shape) cut.axes.push_back({0, 1, extent});
    cut.axes[1] = {first, step, count};
    shape[1] = count;
    return Apply(Op::kSlice, {x}, shape, cut, false);
  }
  TensorId Gather(TensorId x, int64_t count) {
    Shape shape = g.tensor(x).shape;
    std::vector<int64_t> at;
    for (int64_t k = 0; k < count; ++k) at.push_back(rng_.Range(-shape[1], shape[1] - 1));
    shape[1] = count;
    const TensorId indices =
        g.AddTensor({.name = Next(), .dtype = DType::kInt64, .shape = {count}, .data = Bytes(at)});
    using graph::GatherAttributes;
    return Apply(Op::kGather, {x, indices}, shape,
                 GatherAttributes{GatherAttributes::Form::kSlices, 1}, false);
  }
  TensorId Pad(TensorId x, int64_t before, int64_t after) {
    Shape shape = g.tensor(x).shape;
    graph::PadAttributes pad{std::vector<std::array<int64_t, 2>>(shape.size()), g.tensor(x).zero()};
    pad.pads[1] = {before, after};
    shape[1] += before + after;
    return Apply(Op::kPad, {x}, shape, pad, false);
  }
  TensorId Shuffle(TensorId x, int64_t groups) {
    const Shape in = g.tensor(x).shape;
    const int64_t each = in[1] / groups;
    x = Apply(Op::kReshape, {x}, {in[0], groups, each, in[2], in[3]}, {}, false);
    x = Apply(Op::kTranspose, {x}, {in[0], each, groups, in[2], in[3]},
              graph::TransposeAttributes{{0, 2, 1, 3, 4}}, false);
    return Apply(Op::kReshape, {x}, in, {}, false);
  }
  TensorId Concat(const std::vector<TensorId>& parts) {
    Shape shape = g.tensor(parts[0]).shape;
    shape[1] = 0;
    for (const TensorId id : parts) shape[1] += g.tensor(id).shape[1];
    return Apply(Op::kConcat, parts, shape, graph::ConcatAttributes{1}, rng_.OneIn(2));
  }
  TensorId Relu(TensorId x) {
    return Apply(Op::kRescale, {x}, g.tensor(x).shape, graph::FactorAttributes{}, true);
  }
  TensorId Pool(TensorId x) {
    const graph::Window three{.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}};
    return Apply(Op::kMaxPool, {x}, g.tensor(x).shape, graph::PoolAttributes{three}, false);
  }
  TensorId Sum(TensorId a, TensorId b) {
    return Apply(Op::kAdd, {a, b}, g.tensor(a).shape, {}, true);
  }

  // A random layer behind one of the images so far, which have one extent.
  void Layer() {
    const TensorId x = Pick();
    const int64_t channels = g.tensor(x).shape[1];
    int64_t layer = rng_.Range(0, 11);
    if (rows_ && (layer == 2 || layer == 4 || layer == 6)) layer = 5;
    switch (layer) {
      case 0:
      case 1:
        return Keep(Conv(x, rng_.Range(1, 40), rng_.OneIn(3) ? 3 : 1));
      case 2:
        return Keep(Conv(x, channels, 3, true));
      case 3: {
        const int64_t first = rng_.Range(0, channels - 1), step = rng_.OneIn(4) ? 2 : 1;
        return Keep(Slice(x, first, step, rng_.Range(1, (channels - 1 - first) / step + 1)));
      }
      case 4: {
        int64_t groups = rng_.Range(1, channels);
        while (channels % groups != 0) --groups;
        return Keep(Shuffle(x, groups));
      }
      case 5:
        return Keep(Relu(x));
      case 6:
        return Keep(Pool(x));
      case 7:
        return Keep(Sum(x, rng_.OneIn(2) ? x : Conv(x, channels, 1)));
      case 8:
        return Keep(Gather(x, rng_.Range(1, 20)));
      case 9:
        if (channels < 60) Keep(Pad(x, rng_.OneIn(2) ? 0 : rng_.Range(0, 9), rng_.Range(0, 20)));
        return;
      default:
        std::vector<TensorId> parts{x, Pick()};
        if (rng_.OneIn(3)) parts.push_back(Pick());
        if (rng_.OneIn(2)) parts[1] = Conv(parts[1], rng_.Range(1, 40), 1);
        int64_t sum = 0;
        for (const TensorId id : parts) sum += g.tensor(id).shape[1];
        if (sum < 100) Keep(Concat(parts));
    }
  }
  void Keep(TensorId id) { images_.push_back(id); }
  void Outputs() {
    g.outputs = {images_.back()};
    for (const TensorId id : images_) {
      if (id != images_.back() && id != g.inputs[0] && rng_.OneIn(8)) g.outputs.push_back(id);
    }
  }
  std::vector<uint8_t> Values(TensorId id) {
    std::vector<uint8_t> values;
    for (int64_t k = 0; k < g.tensor(id).count(); ++k)
      values.push_back(static_cast<uint8_t>(rng_.Range(0, 255)));
    return values;
  }

  Graph g;

 private:
  std::string Next() { return fmt::format("t{}", g.tensors.size()); }
  double Scale() { return 0.02 * static_cast<double>(rng_.Range(2, 5)); }
  int32_t Zero() { return static_cast<int32_t>(rng_.Range(-30, 30)); }
  TensorId Tensor(Shape shape, double scale, int32_t zero) {
    return g.AddTensor(
        {.name = Next(), .shape = std::move(shape), .quant = graph::Quant{{scale}, {zero}, -1}});
  }
  TensorId Pick() {
    const int64_t most = std::ssize(images_) - 1;
    return images_[static_cast<size_t>(rng_.Range(std::max<int64_t>(most - 3, 0), most))];
  }
  // |scaled|: the result has a scale of its own, and perhaps bounds.
  TensorId Apply(Op op, std::vector<TensorId> inputs, Shape shape, graph::Attributes attributes,
                 bool scaled) {
    const graph::Quant like = *g.tensor(inputs[0]).quant;
    const TensorId out = scaled ? Tensor(std::move(shape), Scale(), Zero())
                                : Tensor(std::move(shape), like.scale[0], like.zero[0]);
    Node node{.op = op,
              .name = fmt::format("n{}", g.nodes.size()),
              .inputs = std::move(inputs),
              .output = out,
              .attributes = std::move(attributes)};
    if (scaled && rng_.OneIn(3)) node.lo = -60, node.hi = 70;
    g.nodes.push_back(std::move(node));
    return out;
  }

  Rng rng_;
  const bool rows_;
  std::vector<TensorId> images_;
};

}  // namespace tessera::network::move_channels_test

#endif  // TESSERA_TESTS_COMPILER_NETWORK_CHANNEL_NETWORKS_H_
