// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/factors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "compiler/quantize/multiplier.h"

namespace tessera::quantize {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Requant;

// Sums of the weights of a channel that are above 0, and of those below.
struct WeightSums {
  int64_t above = 0, below = 0;
};

// Of |count| weights of type T, at |bytes|.
template <typename T>
WeightSums SumsOfRow(const uint8_t* bytes, size_t count) {
  constexpr size_t kRun = 1 << 15;  // whose sums int32 holds
  WeightSums sums;
  for (size_t begin = 0; begin < count; begin += kRun) {
    int32_t above = 0, below = 0;
    for (size_t k = begin; k < std::min(begin + kRun, count); ++k) {
      T weight = 0;
      std::memcpy(&weight, bytes + k * sizeof(T), sizeof(T));
      above += std::max<int32_t>(weight, 0);
      below += std::min<int32_t>(weight, 0);
    }
    sums.above += above;
    sums.below += below;
  }
  return sums;
}

// By channel, of int8 or int16 weights.
std::vector<WeightSums> SumsOf(const GraphTensor& w) {
  const size_t channels = static_cast<size_t>(w.shape[0]);
  const size_t taps = static_cast<size_t>(w.count()) / channels;
  std::vector<WeightSums> sums;
  for (size_t c = 0; c < channels; ++c) {
    const uint8_t* bytes = w.data->data() + c * taps * static_cast<size_t>(SizeOf(w.dtype));
    sums.push_back(w.dtype == DType::kInt8 ? SumsOfRow<int8_t>(bytes, taps)
                                           : SumsOfRow<int16_t>(bytes, taps));
  }
  return sums;
}

// Sets requant.bias of a node whose sums are int32 (SetSums).
Status FoldBias(const Graph& graph, const Node& node, const std::vector<WeightSums>& sums,
                Requant& requant) {
  const int32_t zero_in = graph.tensor(node.inputs[0]).quant->zero[0];
  const IntegerLimits x = LimitsOf(graph.tensor(node.inputs[0]).dtype);
  const int32_t* bias =
      node.inputs.size() > 2
          ? reinterpret_cast<const int32_t*>(graph.tensor(node.inputs[2]).data->data())
          : nullptr;
  requant.bias.resize(sums.size());
  for (size_t c = 0; c < sums.size(); ++c) {
    const auto [above, below] = sums[c];
    const int64_t folded = (bias ? bias[c] : 0) - zero_in * (above + below);
    // Operands are from x.lo, at most 0, to x.hi, at least 0.
    const int64_t least = folded + x.lo * above + x.hi * below;
    const int64_t most = folded + x.hi * above + x.lo * below;
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

// The factor of each channel (SetSums).
std::vector<double> FactorsOf(const Graph& graph, const Node& node, bool single) {
  const GraphTensor& w = graph.tensor(node.inputs[1]);
  const double s_in = ScaleOf(graph, node, 0), s_out = ResultScale(graph, node);
  std::vector<double> factors;
  for (size_t c = 0; c < static_cast<size_t>(w.shape[0]); ++c) {
    const double s_w = w.quant->scale[w.quant->scale.size() == 1 ? 0 : c];
    factors.push_back((single ? double{Single(s_in) * Single(s_w)} : s_in * s_w) / s_out);
  }
  return factors;
}

// For each channel a bound on the magnitude of its sum: |furthest| times the sum of its weights'
// magnitudes, plus the folded bias's magnitude.
std::vector<int64_t> LargestSums(const std::vector<WeightSums>& sums, int64_t furthest,
                                 const std::vector<int32_t>& bias) {
  std::vector<int64_t> largest;
  for (size_t c = 0; c < bias.size(); ++c)
    largest.push_back(furthest * (sums[c].above - sums[c].below) + std::abs(int64_t{bias[c]}));
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

Status SetSums(const Graph& graph, const Node& node, bool single, Requant& requant) {
  const GraphTensor& x = graph.tensor(node.inputs[0]);
  const std::vector<double> factors = FactorsOf(graph, node, single);
  if (graph::SumType(graph, node) == DType::kInt32) {
    const std::vector<WeightSums> sums = SumsOf(graph.tensor(node.inputs[1]));
    TESSERA_TRY(FoldBias(graph, node, sums, requant));
    const int64_t furthest = -int64_t{LimitsOf(x.dtype).lo};
    return SetFactors(node, factors, LargestSums(sums, furthest, requant.bias), requant);
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
