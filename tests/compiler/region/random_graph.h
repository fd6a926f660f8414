// SPDX-License-Identifier: Apache-2.0
//
// Pieces of random graphs: tensors with random scales, constants with random values.
#ifndef TESSERA_TESTS_COMPILER_REGION_RANDOM_GRAPH_H_
#define TESSERA_TESTS_COMPILER_REGION_RANDOM_GRAPH_H_

#include <cmath>
#include <cstring>

#include "base/rng.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/exact.h"
#include "tests/compiler/graph_eval.h"

namespace tessera {

class RandomGraph {
 public:
  explicit RandomGraph(uint64_t seed) : rng(seed) {}

  Rng rng;
  graph::Graph g;
  TensorBytes values;

  double Scale(double least = 0.001, double most = 0.1) {
    return static_cast<float>(least * std::pow(most / least, rng.Unit()));
  }

  // An int8 value that a node makes, or, with |given|, an input with random contents.
  graph::TensorId Int8(const std::string& name, std::vector<int64_t> shape, bool given,
                       double scale = 0) {
    graph::GraphTensor t{name, DType::kInt8, std::move(shape), {}, {}};
    t.quant = graph::Quant{
        {scale > 0 ? scale : Scale()}, {static_cast<int32_t>(rng.Range(-128, 127))}, -1};
    const graph::TensorId id = g.AddTensor(t);
    if (given) {
      g.inputs.push_back(id);
      for (int64_t i = 0; i < t.count(); ++i)
        values[id].push_back(static_cast<uint8_t>(rng.Next()));
    }
    return id;
  }
  graph::TensorId Weights(std::vector<int64_t> shape) {
    graph::GraphTensor t{"w", DType::kInt8, std::move(shape), graph::Quant{},
                         std::vector<uint8_t>{}};
    const bool each = rng.OneIn(2);
    for (int64_t c = 0; c < (each ? t.shape[0] : 1); ++c) {
      t.quant->scale.push_back(Scale());
      t.quant->zero.push_back(0);
    }
    if (each && t.shape[0] > 1) t.quant->axis = 0;
    for (int64_t i = 0; i < t.count(); ++i)
      t.data->push_back(static_cast<uint8_t>(rng.Range(-128, 127)));
    return g.AddTensor(t);
  }
  graph::TensorId Bias(int64_t channels) {
    std::vector<int32_t> bias;
    for (int64_t c = 0; c < channels; ++c)
      bias.push_back(static_cast<int32_t>(rng.Range(-100000, 100000)));
    return g.AddTensor({"b", DType::kInt32, {channels}, {}, Bytes(bias)});
  }
  void Bounds(graph::Node& n) {
    n.lo = -128;
    n.hi = 127;
    if (rng.OneIn(2)) return;
    n.lo = static_cast<int32_t>(rng.Range(-128, 127));
    n.hi = static_cast<int32_t>(rng.Range(n.lo, 127));
  }
  isa::Round Round(graph::Node& n) {
    n.round = static_cast<isa::Round>(rng.Range(0, 2));
    return n.round;
  }

  // Derives the integers and runs the whole graph.
  void Run() {
    const Status verified = graph::Verify(g);
    ASSERT_TRUE(verified) << verified.error().message;
    const Status status = quantize::AttachRequant(g);
    ASSERT_TRUE(status) << status.error().message;
    RunRegions(g, values);
  }

  const graph::GraphTensor& T(graph::TensorId id) const { return g.tensor(id); }
  double S(graph::TensorId id) const { return T(id).quant->scale[0]; }
  int32_t Z(graph::TensorId id) const { return T(id).quant->zero[0]; }
  std::vector<int8_t> V(graph::TensorId id) const {
    return As<int8_t>(T(id).constant() ? *T(id).data : values.at(id));
  }
};

inline exact::Mode ModeOf(isa::Round round) {
  return round == isa::Round::kEven     ? exact::Mode::kEven
         : round == isa::Round::kTflite ? exact::Mode::kTflite
                                        : exact::Mode::kHalfUp;
}

}  // namespace tessera

#endif  // TESSERA_TESTS_COMPILER_REGION_RANDOM_GRAPH_H_
