// SPDX-License-Identifier: Apache-2.0
#include "tests/provider/onnxruntime/mixed_network.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace tessera::ort {
namespace {

using onnx_model::OnnxModel;
using onnx_model::OnnxNode;

const std::vector<int64_t> kShape{1, 16, 8, 8};

class Builder {
 public:
  OnnxModel model{.name = "mixed", .ir = 8, .opset = 13};

  OnnxNode& Node(const std::string& type, std::vector<std::string> inputs,
                 const std::string& output) {
    model.nodes.push_back({static_cast<int>(model.nodes.size()),
                           type,
                           output + "/" + type,
                           std::move(inputs),
                           {output},
                           {}});
    return model.nodes.back();
  }

  // The names of a scale of 2^|power| and of a zero point of 0.
  std::vector<std::string> Scale(int power) {
    const std::string name = "scale" + std::to_string(power);
    HostTensor scale = HostTensor::Zeros(DType::kFloat32, {});
    scale.as<float>()[0] = std::ldexp(1.0f, power);
    model.initializers.emplace(name, std::move(scale));
    model.initializers.emplace("zero", HostTensor::Zeros(DType::kInt8, {}));
    return {name, "zero"};
  }

  void Quantize(const std::string& from, const std::string& to, int power) {
    const auto scale = Scale(power);
    Node("QuantizeLinear", {from, scale[0], scale[1]}, to);
  }
  void Dequantize(const std::string& from, const std::string& to, int power) {
    const auto scale = Scale(power);
    Node("DequantizeLinear", {from, scale[0], scale[1]}, to);
  }

  // From integers |from| to a float called |to|, by way of integers |to|_q.
  void Convolution(const std::string& from, const std::string& to, Rng& rng) {
    HostTensor weights = HostTensor::Zeros(DType::kInt8, {16, 16, 3, 3});
    for (int8_t& w : weights.as<int8_t>()) w = static_cast<int8_t>(rng.Range(-127, 127));
    model.initializers.emplace(to + "_w", std::move(weights));
    Dequantize(from, from + "_real", -4);
    Dequantize(to + "_w", to + "_w_real", -7);
    OnnxNode& conv = Node("Conv", {from + "_real", to + "_w_real"}, to + "_sum");
    conv.attributes["pads"].ints = {1, 1, 1, 1};
    conv.attributes["kernel_shape"].ints = {3, 3};
    Quantize(to + "_sum", to + "_q", -2);
    Dequantize(to + "_q", to, -2);
  }
};

}  // namespace

OnnxModel MixedNetwork() {
  Rng rng(7);
  Builder made;
  made.model.inputs.push_back({"x", DType::kFloat32, kShape});
  made.model.outputs.push_back({"y", DType::kFloat32, kShape});
  made.Quantize("x", "x_q", -4);
  made.Convolution("x_q", "middle", rng);
  made.Node("Einsum", {"middle"}, "turned").attributes["equation"].s = "abcd->abdc";
  made.Quantize("turned", "turned_q", -4);
  made.Convolution("turned_q", "y", rng);
  return std::move(made.model);
}

ReadModel AsRead(OnnxModel model) {
  ReadModel read;
  for (const OnnxNode& node : model.nodes) {
    for (const std::string& name : node.outputs) {
      const bool integers = node.op_type == "QuantizeLinear";
      read.values[name] = {name, integers ? DType::kInt8 : DType::kFloat32, kShape};
    }
    read.unreadable.emplace_back();
    read.nodes.push_back(nullptr);
  }
  for (const onnx_model::Value& value : model.inputs) read.values[value.name] = value;
  read.model = std::move(model);
  return read;
}

}  // namespace tessera::ort
