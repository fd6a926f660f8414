// SPDX-License-Identifier: Apache-2.0
#include "tools/quantize_passes.h"

#include <algorithm>
#include <cmath>

#include "compiler/calibrate/shift.h"
#include "tools/classes.h"
#include "tools/observed_network.h"

namespace tessera::tools {
namespace {

using onnx_model::OnnxModel;

double Decibels(double error, double value) {
  return error == 0 ? INFINITY : 10 * std::log10(value / error);
}

// For each channel, sums of squares of a value and of its error.
struct Squares {
  std::vector<double> value, error;

  void Add(const HostTensor& floats, const HostTensor& other) {
    const bool has = floats.shape.size() > 1;
    const size_t channels = has ? static_cast<size_t>(floats.shape[1]) : 1;
    size_t inner = 1;
    for (size_t d = 2; d < floats.shape.size(); ++d) inner *= static_cast<size_t>(floats.shape[d]);
    value.resize(std::max(value.size(), channels));
    error.resize(value.size());
    const std::span<const float> a = floats.as<float>(), b = other.as<float>();
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
      const double v = double{a[i]}, e = v - double{b[i]};
      value[i / inner % channels] += v * v;
      error[i / inner % channels] += e * e;
    }
  }

  Fidelity::Snr Get() const {
    double values = 0, errors = 0, ratios = 0, live = 0;
    for (size_t c = 0; c < value.size(); ++c) {
      values += value[c];
      errors += error[c];
      if (value[c] == 0) continue;
      ratios += std::min(error[c] / value[c], 1.0);
      ++live;
    }
    return {Decibels(errors, values), Decibels(ratios, live)};
  }
};

// Statistics of the values with scales of their own, and of the values that weights multiply.
Result<std::map<std::string, calibrate::ValueStatistics>> WatchValues(
    ObservedNetwork& floats, const calibrate::IntegerPlan& plan, const QuantizeJob& job) {
  std::map<std::string, calibrate::ValueStatistics> statistics;
  for (const auto& [value, of] : plan.scale_of) statistics[of];
  for (const calibrate::IntegerLayer& layer : plan.layers) {
    if (layer.weight_axis >= 0) statistics[layer.operands[0]];
  }
  // Inputs first, so that a value that is not finite is reported where it comes from.
  std::vector<std::string> names;
  for (const artifact::TensorInfo& input : floats.artifact().inputs) {
    if (statistics.contains(input.name)) names.push_back(input.name);
  }
  for (const auto& [name, kept] : statistics) {
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }
  for (int64_t i = 0; i < job.data->count; ++i) {
    TESSERA_TRY(floats.Run(job.data->Item(i)));
    for (const std::string& name : names) {
      TESSERA_ASSIGN(const std::optional<HostTensor> value, floats.Floats(name));
      if (!value) {
        return Fail(Code::kUnsupported,
                    "{}: value '{}' cannot be read back; name its layer with --float", job.path,
                    name);
      }
      if (const Status added = statistics[name].Add(value->as<float>(), value->shape); !added)
        return Within(fmt::format("{}: item {}: value '{}'", job.path, i, name), added.error());
    }
    job.inference();
  }
  return statistics;
}

// |model| with biases that compensate the rounding of weights.
Result<OnnxModel> WithShiftedBiases(const OnnxModel& model, const calibrate::IntegerPlan& plan,
                                    const calibrate::ActivationScales& scales,
                                    const std::map<std::string, calibrate::ValueStatistics>& of,
                                    const graph::Graph& graph, const QuantizeJob& job) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const graph::GraphTensor& tensor : graph.tensors) {
    if (!tensor.constant()) shapes[tensor.name] = tensor.shape;
  }
  const calibrate::ErrorModel errors = calibrate::ErrorsOf(model, plan, scales, shapes);
  OnnxModel shifted = model;
  if (errors.layers.empty()) return shifted;
  std::vector<HostTensor> means;
  for (const std::string& operand : errors.operands) {
    const calibrate::ValueStatistics& kept = of.at(operand);
    HostTensor mean = HostTensor::Zeros(DType::kFloat32, shapes.at(operand));
    for (size_t i = 0; i < kept.sum.size(); ++i)
      mean.as<float>()[i] = static_cast<float>(kept.sum[i] / static_cast<double>(kept.items));
    if (mean.shape[0] != 1) mean.shape.insert(mean.shape.begin(), 1);
    means.push_back(std::move(mean));
  }
  TESSERA_ASSIGN(ObservedNetwork network,
                 ObservedNetwork::Open(errors.model, job.path, job.executor));
  TESSERA_ASSIGN(const std::vector<HostTensor> results, network.Run(std::move(means)));
  for (size_t k = 0; k < results.size(); ++k)
    calibrate::TakeOff(shifted, plan, errors, k, results[k]);
  return shifted;
}

Result<Fidelity> Measure(ObservedNetwork& floats, const calibrate::QdqModel& made,
                         const OnnxModel& model, const QuantizeJob& job) {
  TESSERA_ASSIGN(ObservedNetwork integers,
                 ObservedNetwork::Open(made.model, job.path, job.executor));
  // The names of each value in the quantised network: of its integers, also under the name that an
  // operator that keeps a scale gives them, and of its floats.
  std::map<std::string, std::vector<std::string>> values;
  for (const onnx_model::OnnxNode& node : model.nodes) values[node.outputs[0]] = {node.outputs[0]};
  for (const auto& [value, q] : made.integers) values[value] = {q, value + ".int8"};
  const std::optional<size_t> classes = ClassOutput(floats.artifact().outputs);
  std::map<std::string, Squares> squares;
  Squares outputs;
  Fidelity fidelity;
  for (int64_t i = 0; i < job.data->count; ++i) {
    TESSERA_ASSIGN(const std::vector<HostTensor> want, floats.Run(job.data->Item(i)));
    TESSERA_ASSIGN(const std::vector<HostTensor> have, integers.Run(job.data->Item(i)));
    for (const auto& [value, names] : values) {
      TESSERA_ASSIGN(const std::optional<HostTensor> a, floats.Floats(value));
      for (size_t k = 0; a && k < names.size(); ++k) {
        TESSERA_ASSIGN(const std::optional<HostTensor> b, integers.Floats(names[k]));
        if (!b || b->count() != a->count()) continue;
        squares[value].Add(*a, *b);
        break;
      }
    }
    for (size_t k = 0; k < want.size(); ++k) {
      if (want[k].dtype == DType::kFloat32) outputs.Add(want[k], have[k]);
    }
    if (classes && !job.data->labels.empty()) {
      const int64_t label = job.data->labels[static_cast<size_t>(i)];
      fidelity.float_hits += TopClasses(want[*classes], 1)[0] == label;
      fidelity.int8_hits += TopClasses(have[*classes], 1)[0] == label;
    }
    job.inference();
    job.inference();
  }
  for (const auto& [value, sums] : squares) fidelity.snr[value] = sums.Get();
  fidelity.output_snr = outputs.Get().all;
  return fidelity;
}

}  // namespace

Result<QuantizedNetwork> QuantizeNetwork(const OnnxModel& model, const std::set<size_t>& in_float,
                                         const QuantizeJob& job) {
  QuantizedNetwork network;
  TESSERA_ASSIGN(ObservedNetwork floats, ObservedNetwork::Open(model, job.path, job.executor));
  Result<calibrate::IntegerPlan> plan =
      calibrate::PlanIntegers(model, floats.graph(), job.computed, in_float);
  if (!plan) return Within(job.path, plan.error());
  network.plan = std::move(*plan);
  TESSERA_ASSIGN(network.statistics, WatchValues(floats, network.plan, job));
  for (const auto& [value, of] : network.plan.scale_of) {
    network.scales[of] = calibrate::ScaleOf(
        calibrate::RangeOf(network.statistics.at(of).histogram, job.method), job.activations);
  }
  TESSERA_ASSIGN(const OnnxModel shifted,
                 WithShiftedBiases(model, network.plan, network.scales, network.statistics,
                                   floats.graph(), job));
  network.made = calibrate::InsertQdq(shifted, network.plan, network.scales, job.activations);
  TESSERA_ASSIGN(network.fidelity, Measure(floats, network.made, model, job));
  return network;
}

}  // namespace tessera::tools
