// SPDX-License-Identifier: Apache-2.0
#include "compiler/calibrate/equalize.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "compiler/calibrate/model_index.h"

namespace tessera::calibrate {
namespace {

// Whether |node| is a Conv whose weights and bias are constants that no other node reads.
bool IsOwner(const OnnxModel& model, const ModelIndex& index, const OnnxNode& node) {
  if (node.op_type != "Conv" || node.inputs.size() < 2 || node.IntOr("group", 1) < 1) return false;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const std::string& name = node.inputs[i];
    if (name.empty()) continue;
    if (!FloatConstant(model, name) || index.Readers(name).size() != 1 || index.IsOutput(name))
      return false;
  }
  return FloatConstant(model, node.inputs[1])->shape.size() >= 3;
}

// Calls |with|(weight, channel of the operand) for every weight of a convolution.
template <typename With>
void ForWeights(HostTensor& weights, int64_t groups, With with) {
  const auto outs = static_cast<size_t>(weights.shape[0]),
             ins = static_cast<size_t>(weights.shape[1]);
  const std::span<float> values = weights.as<float>();
  const size_t taps = values.size() / (outs * ins);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t o = i / (taps * ins), k = i / taps % ins;
    with(values[i], o / (outs / static_cast<size_t>(groups)) * ins + k);
  }
}

}  // namespace

std::vector<ConvPair> ConvPairs(const OnnxModel& model) {
  const ModelIndex index(model);
  std::vector<ConvPair> pairs;
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    if (!IsOwner(model, index, model.nodes[n])) continue;
    std::string value = model.nodes[n].outputs[0];
    const OnnxNode* reader = index.OnlyReader(value);
    if (reader != nullptr && reader->op_type == "Relu") {
      value = reader->outputs[0];
      reader = index.OnlyReader(value);
    }
    if (reader == nullptr || !IsOwner(model, index, *reader) || reader->inputs[0] != value)
      continue;
    const HostTensor &first = *FloatConstant(model, model.nodes[n].inputs[1]),
                     &second = *FloatConstant(model, reader->inputs[1]);
    const int64_t groups = reader->IntOr("group", 1);
    if (second.shape[0] % groups != 0 || second.shape[1] * groups != first.shape[0]) continue;
    pairs.push_back({n, static_cast<size_t>(reader - model.nodes.data()), value});
  }
  return pairs;
}

size_t Equalize(OnnxModel& model, const ConvPair& pair, std::span<const float> channel_most) {
  constexpr double kFurthest = 8;  // greatest distance of an exponent from the mean
  const OnnxNode &first = model.nodes[pair.first], &second = model.nodes[pair.second];
  HostTensor &w1 = model.initializers.at(first.inputs[1]),
             &w2 = model.initializers.at(second.inputs[1]);
  const int64_t groups = second.IntOr("group", 1);
  const size_t channels = channel_most.size();
  TESSERA_CHECK(static_cast<int64_t>(channels) == w1.shape[0]);
  std::vector<float> w_most(channels, 0);
  ForWeights(w2, groups, [&](float& w, size_t c) { w_most[c] = std::max(w_most[c], std::abs(w)); });
  const bool alone = w2.shape[1] == 1 && groups > 1;
  std::vector<double> exponent(channels, NAN);  // NaN: the channel carries no values
  double sum = 0, count = 0;
  for (size_t c = 0; c < channels; ++c) {
    if (channel_most[c] == 0 || w_most[c] == 0) continue;
    const double act = std::log2(double{channel_most[c]}), weight = std::log2(double{w_most[c]});
    exponent[c] = alone ? act : (act - weight) / 2;
    sum += exponent[c];
    ++count;
  }
  size_t changed = 0;
  std::vector<float> factor(channels, 1);
  for (size_t c = 0; c < channels; ++c) {
    if (std::isnan(exponent[c])) continue;
    const double e = std::clamp(std::nearbyint(exponent[c] - sum / count), -kFurthest, kFurthest);
    factor[c] = static_cast<float>(std::ldexp(1.0, static_cast<int>(e)));
    changed += e != 0;
  }
  const AxisIndex out(w1.shape, 0);
  for (size_t i = 0; i < w1.as<float>().size(); ++i) w1.as<float>()[i] /= factor[out(i)];
  if (first.inputs.size() > 2 && !first.inputs[2].empty()) {
    HostTensor& bias = model.initializers.at(first.inputs[2]);
    for (size_t c = 0; c < channels; ++c) bias.as<float>()[c] /= factor[c];
  }
  ForWeights(w2, groups, [&](float& w, size_t c) { w *= factor[c]; });
  return changed;
}

}  // namespace tessera::calibrate
