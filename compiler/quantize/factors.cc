// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/factors.h"

#include <cstdlib>

#include "compiler/quantize/multiplier.h"

namespace tessera::quantize {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Requant;

double ScaleOf(const Graph& graph, const Node& node, size_t i) {
  return graph.tensor(node.inputs[i]).quant->scale[0];
}
double ResultScale(const Graph& graph, const Node& node) {
  return graph.tensor(node.output).quant->scale[0];
}
int32_t ZeroOf(const Graph& graph, const Node& node, size_t i) {
  return graph.tensor(node.inputs[i]).quant->zero[0];
}

Status SetFactors(const Node& node, const std::vector<double>& factors,
                  const std::vector<int64_t>& largest, Requant& requant) {
  for (size_t c = 0; c < factors.size(); ++c) {
    const Result<Multiplier> m = MultiplierOf(factors[c]);
    const std::string place = fmt::format("node {} channel {}", node.name, c);
    if (!m) return Within(place, m.error());
    if (m->shift > 0 && largest[c] > (int64_t{1} << 31 >> m->shift) - 1) {
      return Fail(Code::kOutOfRange,
                  "{}: sums up to {} times {} leave 32 bits; the result's scale is too small for "
                  "its operands",
                  place, largest[c], factors[c]);
    }
    requant.multiplier.push_back(m->multiplier);
    requant.shift.push_back(m->shift);
  }
  return {};
}

void FoldBias(const Graph& graph, const Node& node, Requant& requant) {
  const GraphTensor& w = graph.tensor(node.inputs[1]);
  const int32_t zero_in = graph.tensor(node.inputs[0]).quant->zero[0];
  const size_t channels = static_cast<size_t>(w.shape[0]);
  const size_t taps = static_cast<size_t>(w.count()) / channels;
  const int8_t* weights = reinterpret_cast<const int8_t*>(w.data->data());
  const int32_t* bias =
      node.inputs.size() > 2
          ? reinterpret_cast<const int32_t*>(graph.tensor(node.inputs[2]).data->data())
          : nullptr;
  requant.bias.resize(channels);
  for (size_t c = 0; c < channels; ++c) {
    int64_t sum = 0;
    for (size_t t = 0; t < taps; ++t) sum += weights[c * taps + t];
    const int64_t folded = (bias ? bias[c] : 0) - zero_in * sum;
    requant.bias[c] = static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(folded)));
  }
}

std::vector<int64_t> LargestSums(const GraphTensor& w, const std::vector<int32_t>& bias) {
  const size_t taps = w.data->size() / bias.size();
  std::vector<int64_t> largest;
  for (size_t c = 0; c < bias.size(); ++c) {
    int64_t sum = 0;
    for (size_t t = 0; t < taps; ++t)
      sum += std::abs(int64_t{static_cast<int8_t>((*w.data)[c * taps + t])});
    largest.push_back(128 * sum + std::abs(int64_t{bias[c]}));
  }
  return largest;
}

}  // namespace tessera::quantize
