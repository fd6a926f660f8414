// SPDX-License-Identifier: Apache-2.0
//
// Graphs of int8 tensors that lie in one another. Used by: tensor_places_test.cc,
// interleave_places_test.cc.
#ifndef TESSERA_TESTS_COMPILER_NETWORK_PARTS_H_
#define TESSERA_TESTS_COMPILER_NETWORK_PARTS_H_

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "compiler/graph/graph.h"
#include "compiler/schedule/accel/packing.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::network::tensor_places_test {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

// A graph of int8 tensors.
class Parts {
 public:
  explicit Parts(uint64_t seed = 1) : rng(seed) {}
  Rng rng;
  Graph graph;

  TensorId Tensor(Shape shape, double scale = 0.5) {
    const std::string name = "t" + std::to_string(graph.tensors.size());
    return graph.AddTensor(
        {.name = name, .shape = std::move(shape), .quant = graph::Quant{{scale}, {3}, -1}});
  }
  TensorId Input(Shape shape) {
    graph.inputs.push_back(Tensor(std::move(shape)));
    return graph.inputs.back();
  }
  TensorId Apply(Op op, std::vector<TensorId> inputs, graph::Attributes attributes, Shape shape,
                 double scale = 0.5) {
    const TensorId out = Tensor(std::move(shape), scale);
    graph.nodes.push_back({.op = op,
                           .name = "n" + std::to_string(graph.nodes.size()),
                           .inputs = std::move(inputs),
                           .output = out,
                           .attributes = std::move(attributes)});
    return out;
  }
  TensorId Rescale(TensorId in, double scale = 0.5) {
    return Apply(Op::kRescale, {in}, graph::FactorAttributes{}, graph.tensor(in).shape, scale);
  }
  TensorId Slice(TensorId in, size_t axis, int64_t begin, int64_t count) {
    Shape shape = graph.tensor(in).shape;
    graph::SliceAttributes cuts;
    for (const int64_t extent : shape) cuts.axes.push_back({0, 1, extent});
    cuts.axes[axis] = {begin, 1, count};
    shape[axis] = count;
    return Apply(Op::kSlice, {in}, cuts, shape);
  }
  TensorId Concat(const std::vector<TensorId>& parts, int axis = 1, double scale = 0.5) {
    Shape shape = graph.tensor(parts[0]).shape;
    for (size_t k = 1; k < parts.size(); ++k)
      shape[static_cast<size_t>(axis)] += graph.tensor(parts[k]).shape[static_cast<size_t>(axis)];
    return Apply(Op::kConcat, parts, graph::ConcatAttributes{axis}, shape, scale);
  }
};

// The byte of each element in |packing|.
inline std::vector<int64_t> PlacesOf(const schedule::accel::Packing& packing) {
  std::vector<int32_t> numbers(static_cast<size_t>(packing.elements()));
  std::iota(numbers.begin(), numbers.end(), 1);  // padding has 0
  const auto packed = As<int32_t>(PackLayout(packing.shape, packing.layout, 4, Bytes(numbers)));
  std::vector<int64_t> places(numbers.size());
  for (size_t at = 0; at < packed.size(); ++at) {
    if (packed[at] > 0) places[static_cast<size_t>(packed[at] - 1)] = static_cast<int64_t>(at);
  }
  return places;
}

}  // namespace tessera::network::tensor_places_test

#endif  // TESSERA_TESTS_COMPILER_NETWORK_PARTS_H_
