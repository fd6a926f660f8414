// SPDX-License-Identifier: Apache-2.0
#include "compiler/calibrate/shift.h"

#include "base/check.h"
#include "compiler/calibrate/model_index.h"
#include "compiler/calibrate/weights.h"

namespace tessera::calibrate {
namespace {

const HostTensor* BiasOf(const OnnxModel& model, const OnnxNode& node) {
  const bool has = node.inputs.size() > 2 && !node.inputs[2].empty();
  return has ? FloatConstant(model, node.inputs[2]) : nullptr;
}

}  // namespace

ErrorModel ErrorsOf(const OnnxModel& model, const IntegerPlan& plan, const ActivationScales& scales,
                    const std::map<std::string, std::vector<int64_t>>& shapes) {
  ErrorModel errors;
  errors.model.ir = model.ir;
  errors.model.opset = model.opset;
  errors.model.name = "errors";
  for (size_t l = 0; l < plan.layers.size(); ++l) {
    const IntegerLayer& layer = plan.layers[l];
    OnnxNode node = model.nodes[layer.node];
    if (layer.weight_axis < 0 || node.op_type == "MatMul") continue;
    const std::string& operand = layer.operands[0];
    const HostTensor& weights = model.initializers.at(node.inputs[1]);
    const IntegerWeights rounded = QuantizeWeights(weights, layer.weight_axis, BiasOf(model, node),
                                                   scales.at(plan.scale_of.at(operand)).scale);
    HostTensor wrong = Dequantized(rounded, layer.weight_axis);
    for (size_t i = 0; i < wrong.as<float>().size(); ++i)
      wrong.as<float>()[i] -= weights.as<float>()[i];
    const std::string number = std::to_string(errors.layers.size());
    node.inputs = {"mean" + number, "weights" + number};
    node.outputs = {"error" + number};
    node.name = "layer" + number;
    node.index = static_cast<int>(errors.layers.size());
    errors.model.inputs.push_back({node.inputs[0], DType::kFloat32, shapes.at(operand)});
    errors.model.outputs.push_back({node.outputs[0], DType::kFloat32, std::nullopt});
    errors.model.initializers[node.inputs[1]] = std::move(wrong);
    errors.model.nodes.push_back(std::move(node));
    errors.layers.push_back(l);
    errors.operands.push_back(operand);
  }
  return errors;
}

void TakeOff(OnnxModel& model, const IntegerPlan& plan, const ErrorModel& errors, size_t k,
             const HostTensor& error) {
  const IntegerLayer& layer = plan.layers[errors.layers[k]];
  ModelIndex index(model);
  OnnxNode& node = model.nodes[layer.node];
  const size_t channels = static_cast<size_t>(
      model.initializers.at(node.inputs[1]).shape[static_cast<size_t>(layer.weight_axis)]);
  const AxisIndex channel(error.shape, 1);
  TESSERA_CHECK(error.shape.size() > 1 && channel.extent == channels);
  std::vector<double> sum(channels, 0);
  const std::span<const float> values = error.as<float>();
  for (size_t i = 0; i < values.size(); ++i) sum[channel(i)] += double{values[i]};
  HostTensor bias = HostTensor::Zeros(DType::kFloat32, {static_cast<int64_t>(channels)});
  const HostTensor* before = BiasOf(model, node);
  for (size_t c = 0; c < channels; ++c) {
    const double mean = sum[c] * static_cast<double>(channels) / static_cast<double>(values.size());
    bias.as<float>()[c] = static_cast<float>((before ? double{before->as<float>()[c]} : 0) - mean);
  }
  node.inputs.resize(3);
  node.inputs[2] = index.Fresh(node.outputs[0] + ".bias");
  model.initializers[node.inputs[2]] = std::move(bias);
}

}  // namespace tessera::calibrate
