// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/factors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "compiler/quantize/multiplier.h"

namespace tessera::quantize {
namespace {

// Element |k| of int8 or int16 weights.
int64_t WeightAt(const graph::GraphTensor& w, size_t k) {
  const uint8_t* bytes = w.data->data();
  if (w.dtype == DType::kInt8) return static_cast<int8_t>(bytes[k]);
  int16_t wide = 0;
  std::memcpy(&wide, bytes + 2 * k, 2);
  return wide;
}

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Requant;

// Sets requant.bias of a node whose sums are int32 (SetSums).
Status FoldBias(const Graph& graph, const Node& node, Requant& requant) {
  const GraphTensor& w = graph.tensor(node.inputs[1]);
  const int32_t zero_in = graph.tensor(node.inputs[0]).quant->zero[0];
  const IntegerLimits x = LimitsOf(graph.tensor(node.inputs[0]).dtype);
  const size_t channels = static_cast<size_t>(w.shape[0]);
  const size_t taps = static_cast<size_t>(w.count()) / channels;
  const int32_t* bias =
      node.inputs.size() > 2
          ? reinterpret_cast<const int32_t*>(graph.tensor(node.inputs[2]).data->data())
          : nullptr;
  requant.bias.resize(channels);
  for (size_t c = 0; c < channels; ++c) {
    int64_t sum = 0, below = 0, above = 0;  // of weights; least and greatest sum of products
    for (size_t t = 0; t < taps; ++t) {
      const int64_t w_t = WeightAt(w, c * taps + t);
      sum += w_t;
      below += std::min(x.lo * w_t, x.hi * w_t);
      above += std::max(x.lo * w_t, x.hi * w_t);
    }
    const int64_t folded = (bias ? bias[c] : 0) - zero_in * sum;
    const int64_t least = folded + below, most = folded + above;
    if (node.round == isa::Round::kEven && (least < INT32_MIN || most > INT32_MAX)) {
      return Fail(Code::kOutOfRange,
                  "node {} channel {}: with a bias of {} its sum can reach {}, int32 ends at {}; "
                  "quantise the channel's weights with a larger scale",
                  node.name, c, bias ? bias[c] : 0, most > INT32_MAX ? most : least,
                  most > INT32_MAX ? INT32_MAX : INT32_MIN);
    }
    requant.bias[c] = static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(folded)));
  }
  return {};
}

// For each channel a bound on the magnitude of its sum: |furthest| times the sum of its weights'
// magnitudes, plus the folded bias's magnitude.
std::vector<int64_t> LargestSums(const GraphTensor& w, int64_t furthest,
                                 const std::vector<int32_t>& bias) {
  const size_t taps = static_cast<size_t>(w.count()) / bias.size();
  std::vector<int64_t> largest;
  for (size_t c = 0; c < bias.size(); ++c) {
    int64_t sum = 0;
    for (size_t t = 0; t < taps; ++t) sum += std::abs(WeightAt(w, c * taps + t));
    largest.push_back(furthest * sum + std::abs(int64_t{bias[c]}));
  }
  return largest;
}

}  // namespace

double ScaleOf(const Graph& graph, const Node& node, size_t i) {
  return graph.tensor(node.inputs[i]).quant->scale[0];
}
double ResultScale(const Graph& graph, const Node& node) {
  return graph.tensor(node.output).quant->scale[0];
}
int32_t ZeroOf(const Graph& graph, const Node& node, size_t i) {
  return graph.tensor(node.inputs[i]).quant->zero[0];
}

int64_t FurthestOf(const Graph& graph, const Node& node, size_t i) {
  const GraphTensor& x = graph.tensor(node.inputs[i]);
  const auto [lo, hi] = LimitsOf(x.dtype);
  return x.dtype == DType::kInt16 ? -int64_t{lo} : int64_t{hi} - lo;  // int16 has zero point 0
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

Status SetSums(const Graph& graph, const Node& node, const std::vector<double>& factors,
               Requant& requant) {
  const GraphTensor &x = graph.tensor(node.inputs[0]), &w = graph.tensor(node.inputs[1]);
  if (graph::SumType(graph, node) == DType::kInt32) {
    TESSERA_TRY(FoldBias(graph, node, requant));
    const int64_t furthest = -int64_t{LimitsOf(x.dtype).lo};
    return SetFactors(node, factors, LargestSums(w, furthest, requant.bias), requant);
  }
  constexpr int kMostShift = 7;  // TFLite's limit
  TESSERA_TRY(SetFactors(node, factors, std::vector<int64_t>(factors.size()), requant));
  for (size_t c = 0; c < factors.size(); ++c) {
    if (requant.shift[c] <= kMostShift) continue;
    return Fail(Code::kOutOfRange,
                "node {} channel {}: a factor of {}, sums of int64 take less than {}; the result's "
                "scale is too small for its operands",
                node.name, c, factors[c], 1 << kMostShift);
  }
  return {};
}

}  // namespace tessera::quantize
