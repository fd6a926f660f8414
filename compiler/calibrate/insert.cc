// SPDX-License-Identifier: Apache-2.0
#include "compiler/calibrate/insert.h"

#include <algorithm>
#include <set>

#include "compiler/calibrate/model_index.h"
#include "compiler/calibrate/weights.h"

namespace tessera::calibrate {
namespace {

HostTensor FloatsOf(const std::vector<float>& values, std::vector<int64_t> shape) {
  HostTensor made = HostTensor::Zeros(DType::kFloat32, std::move(shape));
  std::ranges::copy(values, made.as<float>().begin());
  return made;
}

class Inserter {
 public:
  Inserter(const OnnxModel& model, const IntegerPlan& plan, const ActivationScales& scales,
           DType dtype)
      : from_(model), plan_(plan), scales_(scales), dtype_(dtype), index_(model) {
    made_.model = model;
    made_.model.nodes.clear();
    for (const IntegerLayer& layer : plan.layers) {
      layers_[layer.node] = &layer;
      results_.insert(layer.result);
    }
  }

  QdqModel Insert() {
    for (const auto& input : from_.inputs) AddPair(input.name);
    for (size_t n = 0; n < from_.nodes.size(); ++n) {
      OnnxNode node = from_.nodes[n];
      const auto layer = layers_.find(n);
      const bool whole = layer != layers_.end();
      for (std::string& input : node.inputs) {
        const auto it = dequantised_.find(input);
        if (it != dequantised_.end() && (whole || results_.contains(input))) input = it->second;
      }
      if (whole && layer->second->weight_axis >= 0) SetWeights(*layer->second, node);
      for (std::string& output : node.outputs) {
        if (results_.contains(output) && index_.IsOutput(output))
          output = raw_[output] = index_.Fresh(output + ".float");
      }
      made_.model.nodes.push_back(std::move(node));
      for (const std::string& output : from_.nodes[n].outputs) AddPair(output);
    }
    int index = 0;
    for (OnnxNode& node : made_.model.nodes) node.index = index++;
    DropUnread(made_.model);
    return std::move(made_);
  }

 private:
  void Add(const char* type, const std::string& from, const std::string& scale,
           const std::string& zero, const std::string& to, int axis = -1) {
    OnnxNode node{.op_type = type, .name = to, .inputs = {from, scale}, .outputs = {to}};
    if (!zero.empty()) node.inputs.push_back(zero);
    if (axis >= 0) node.attributes["axis"].i = axis;
    made_.model.nodes.push_back(std::move(node));
  }

  // Adds a QuantizeLinear and a DequantizeLinear for |value| if it has integers.
  void AddPair(const std::string& value) {
    const auto of = plan_.scale_of.find(value);
    if (of == plan_.scale_of.end()) return;
    const ActivationScale& scale = scales_.at(of->second);
    const std::string q = index_.Fresh(value + ".q"), scale_name = index_.Fresh(value + ".scale"),
                      zero_name = index_.Fresh(value + ".zero");
    made_.model.initializers[scale_name] = FloatsOf({scale.scale}, {});
    HostTensor zero = HostTensor::Zeros(dtype_, {});
    zero.bytes[0] = static_cast<uint8_t>(scale.zero);
    made_.model.initializers[zero_name] = std::move(zero);
    const auto raw = raw_.find(value);
    const bool is_output = raw != raw_.end();
    const std::string dq = is_output ? value : index_.Fresh(value + ".dq");
    Add("QuantizeLinear", is_output ? raw->second : value, scale_name, zero_name, q);
    Add("DequantizeLinear", q, scale_name, zero_name, dq);
    dequantised_[value] = dq;
    made_.integers[value] = q;
  }

  void SetWeights(const IntegerLayer& layer, OnnxNode& node) {
    const OnnxNode& from = from_.nodes[layer.node];
    const bool has_bias = from.inputs.size() > 2 && !from.inputs[2].empty();
    const HostTensor* bias = has_bias ? FloatConstant(from_, from.inputs[2]) : nullptr;
    const float s_in = scales_.at(plan_.scale_of.at(layer.operands[0])).scale;
    IntegerWeights w =
        QuantizeWeights(from_.initializers.at(from.inputs[1]), layer.weight_axis, bias, s_in);
    const auto constant = [&](const std::string& stem, const char* type, HostTensor values,
                              const std::vector<float>& scale, int axis) {
      const std::string integers = index_.Fresh(stem + type),
                        scale_name = index_.Fresh(stem + ".scale"), dq = index_.Fresh(stem + ".dq");
      made_.model.initializers[integers] = std::move(values);
      made_.model.initializers[scale_name] = FloatsOf(scale, {std::ssize(scale)});
      Add("DequantizeLinear", integers, scale_name, "", dq, axis);
      return dq;
    };
    node.inputs[1] =
        constant(from.inputs[1], ".int8", std::move(w.values), w.scale, layer.weight_axis);
    if (bias)
      node.inputs[2] = constant(from.inputs[2], ".int32", std::move(w.bias), w.bias_scale, 0);
  }

  const OnnxModel& from_;
  const IntegerPlan& plan_;
  const ActivationScales& scales_;
  const DType dtype_;
  ModelIndex index_;
  std::map<size_t, const IntegerLayer*> layers_;
  std::set<std::string> results_;                   // results of layers
  std::map<std::string, std::string> dequantised_;  // by float value
  std::map<std::string, std::string> raw_;          // output of the model -> its floats
  QdqModel made_;
};

}  // namespace

QdqModel InsertQdq(const OnnxModel& model, const IntegerPlan& plan, const ActivationScales& scales,
                   DType dtype) {
  return Inserter(model, plan, scales, dtype).Insert();
}

}  // namespace tessera::calibrate
