// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/params.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/bits.h"
#include "compiler/quantize/multiplier.h"

namespace tessera::quantize {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::Requant;

// bias - zero_in * sum of the channel's weights, modulo 2^32. Padded taps hold zero_in, so they
// count.
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

// For each channel, the largest magnitude that 128 times its weights' magnitudes and the folded
// bias can reach.
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

// |largest|: no sum (bias included) of channel c is further from zero than largest[c]. A left shift
// drops what leaves 32 bits, so a factor that could make that happen is refused.
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

Status SetAddInputs(const Graph& graph, Node& node, double& factor) {
  const double s0 = graph.tensor(node.inputs[0]).quant->scale[0];
  const double s1 = graph.tensor(node.inputs[1]).quant->scale[0];
  const double twice_max = 2 * std::max(s0, s1);
  for (size_t i = 0; i < 2; ++i) {
    const graph::Quant& quant = *graph.tensor(node.inputs[i]).quant;
    const Result<Multiplier> m = MultiplierOf(quant.scale[0] / twice_max);
    if (!m) return Within(fmt::format("node {} operand {}", node.name, i), m.error());
    node.add_inputs[i] = {quant.zero[0], 20, m->multiplier, m->shift};
  }
  factor = twice_max / (std::ldexp(1.0, 20) * graph.tensor(node.output).quant->scale[0]);
  return {};
}

// Scales that were float32 in a file; whole expressions of them round after each step.
float Float(double scale) { return static_cast<float>(scale); }

// The window's sum over its count, half away from zero: one multiplication that is exact for every
// sum. A multiplier just above 2^31 / count pushes the halves away from zero; how far it may be
// above is tried on all sums.
Status SetMeanOfElements(const Node& node, Requant& requant) {
  const int64_t n = node.window.kernel[0] * node.window.kernel[1];
  constexpr int64_t kLargest = 1 << 16;
  if (n > kLargest)
    return Fail(Code::kUnsupported, "node {}: an average of {} elements, at most {}", node.name, n,
                kLargest);
  const auto exact = [&](int64_t multiplier, int left) {
    for (int64_t sum = -128 * n; sum <= 127 * n; ++sum) {
      const int64_t rounded = (sum + (sum >= 0 ? n / 2 : -(n / 2))) / n;
      if (((sum << left) * multiplier + (int64_t{1} << 30)) >> 31 != rounded) return false;
    }
    return true;
  };
  for (int left = 0; left <= 31 && 128 * n << left <= INT32_MAX; ++left) {
    for (int64_t more = 0; more <= 2; ++more) {
      const int64_t multiplier = (int64_t{1} << 31) / (n << left) + more;
      if (multiplier > INT32_MAX || !exact(multiplier, left)) continue;
      requant.multiplier = {static_cast<int32_t>(multiplier)};
      requant.shift = {static_cast<int8_t>(left)};
      requant.bias = {0};
      requant.out_zero = 0;
      return {};
    }
  }
  return Fail(Code::kUnsupported,
              "node {}: no 31-bit multiplier divides sums of {} elements exactly", node.name, n);
}

// The factor of the scales, divided by the count in fixed point as TFLite's MEAN does: some bits
// more, then whole.
Status SetMean(const Graph& graph, const Node& node, Requant& requant) {
  const GraphTensor& x = graph.tensor(node.inputs[0]);
  const int64_t n = x.shape[2] * x.shape[3];
  const Result<Multiplier> m =
      MultiplierOf(x.quant->scale[0] / graph.tensor(node.output).quant->scale[0]);
  if (!m) return Within("node " + node.name, m.error());
  const int bits =
      std::min({static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) - 1, 32, 31 + m->shift});
  if (m->shift - bits < -31 || 255 * n > INT32_MAX >> std::max(m->shift - bits, 0)) {
    return Fail(Code::kOutOfRange, "node {}: a mean over {} elements with factor {} leaves 32 bits",
                node.name, n, x.quant->scale[0] / graph.tensor(node.output).quant->scale[0]);
  }
  requant.multiplier = {static_cast<int32_t>((int64_t{m->multiplier} << bits) / n)};
  requant.shift = {static_cast<int8_t>(m->shift - bits)};
  requant.bias = {static_cast<int32_t>(-x.quant->zero[0] * n)};
  return {};
}

// Differences to the greatest value become Q5.26 numbers; those too small for it count as nothing.
Status SetSoftmax(const Graph& graph, const Node& node, Requant& requant) {
  const double real =
      std::min(node.beta * graph.tensor(node.inputs[0]).quant->scale[0] * (1 << 26), 2147483647.0);
  const Result<Multiplier> m = MultiplierOf(real);
  if (!m) return Within("node " + node.name, m.error());
  if (m->shift < 1) {
    return Fail(Code::kOutOfRange, "node {}: beta {} times scale {} is too small for softmax",
                node.name, node.beta, graph.tensor(node.inputs[0]).quant->scale[0]);
  }
  requant.multiplier = {m->multiplier};
  requant.shift = {m->shift};
  requant.bias = {-static_cast<int32_t>(std::floor(std::ldexp(31.0, 26 - m->shift)))};
  return {};
}

Status Attach(const Graph& graph, Node& node) {
  const auto scale = [&](size_t i) { return graph.tensor(node.inputs[i]).quant->scale[0]; };
  const GraphTensor& out = graph.tensor(node.output);
  if (!out.quant || !graph.tensor(node.inputs[0]).quant)
    return {};  // an edge of the quantised part
  Requant requant;
  requant.round = node.round;
  requant.out_zero = out.quant->zero[0];
  requant.lo = node.lo;
  requant.hi = node.hi;
  const double s_out = out.quant->scale[0];
  std::vector<double> factors;
  std::vector<int64_t> largest;  // of a sum, for each factor
  switch (node.op) {
    case Op::kConv:
    case Op::kDense: {
      const GraphTensor& w = graph.tensor(node.inputs[1]);
      for (int64_t c = 0; c < w.shape[0]; ++c) {
        const double s_w = w.quant->scale[w.quant->scale.size() == 1 ? 0 : static_cast<size_t>(c)];
        // TFLite's fully connected layers with one scale multiply it in float32.
        const bool narrow = node.op == Op::kDense && node.round == isa::Round::kTflite &&
                            w.quant->scale.size() == 1;
        factors.push_back((narrow ? double{Float(scale(0)) * Float(s_w)} : scale(0) * s_w) / s_out);
      }
      FoldBias(graph, node, requant);
      largest = LargestSums(w, requant.bias);
      break;
    }
    case Op::kAdd:
    case Op::kSub: {
      double factor = 0;
      TESSERA_TRY(SetAddInputs(graph, node, factor));
      factors = {factor};
      requant.bias = {0};
      largest = {2 * int64_t{255} << 19};
      break;
    }
    case Op::kMul:
      factors = {node.float_factor ? double{Float(scale(0)) * Float(scale(1)) / Float(s_out)}
                                   : scale(0) * scale(1) / s_out};
      requant.bias = {0};
      largest = {255 * 255};
      break;
    case Op::kAvgPool: {
      if (node.round == isa::Round::kTflite && *graph.tensor(node.inputs[0]).quant == *out.quant) {
        TESSERA_TRY(SetMeanOfElements(node, requant));
        node.requant = std::move(requant);
        return {};
      }
      const int64_t n = node.window.kernel[0] * node.window.kernel[1];
      factors = {scale(0) / (s_out * static_cast<double>(n))};
      requant.bias = {static_cast<int32_t>(-graph.tensor(node.inputs[0]).quant->zero[0] * n)};
      largest = {255 * n};
      break;
    }
    case Op::kMean:
      TESSERA_TRY(SetMean(graph, node, requant));
      node.requant = std::move(requant);
      return {};
    case Op::kSoftmax:
      TESSERA_TRY(SetSoftmax(graph, node, requant));
      node.requant = std::move(requant);
      return {};
    case Op::kRescale:
      factors = {node.float_factor ? double{Float(scale(0)) / Float(s_out)} : scale(0) / s_out};
      requant.bias = {-graph.tensor(node.inputs[0]).quant->zero[0]};
      largest = {255};
      break;
    default:
      return {};  // nothing to requantise
  }
  TESSERA_TRY(SetFactors(node, factors, largest, requant));
  node.requant = std::move(requant);
  return {};
}

}  // namespace

Status AttachRequant(Graph& graph) {
  for (Node& node : graph.nodes) TESSERA_TRY(Attach(graph, node));
  return {};
}

}  // namespace tessera::quantize
