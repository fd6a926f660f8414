// SPDX-License-Identifier: Apache-2.0
#include "compiler/calibrate/weights.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "compiler/calibrate/model_index.h"

namespace tessera::calibrate {

IntegerWeights QuantizeWeights(const HostTensor& weights, int axis, const HostTensor* bias,
                               float operand_scale) {
  constexpr float kLeastScale = 1e-15f;
  constexpr double kMostBias = 1 << 30;
  const std::span<const float> values = weights.as<float>();
  const AxisIndex channel(weights.shape, axis);
  TESSERA_CHECK(!bias || bias->count() == static_cast<int64_t>(channel.extent));
  IntegerWeights made;
  made.scale.assign(channel.extent, 0);
  for (size_t i = 0; i < values.size(); ++i)
    made.scale[channel(i)] = std::max(made.scale[channel(i)], std::abs(values[i]));
  for (size_t c = 0; c < channel.extent; ++c) {
    made.scale[c] = std::max(made.scale[c] / 127, kLeastScale);
    if (bias) {
      const double least = std::abs(double{bias->as<float>()[c]}) / kMostBias / operand_scale;
      made.scale[c] = std::max(made.scale[c], static_cast<float>(least));
    }
  }
  made.values = HostTensor::Zeros(DType::kInt8, weights.shape);
  for (size_t i = 0; i < values.size(); ++i) {
    const float q = std::nearbyint(values[i] / made.scale[channel(i)]);
    made.values.as<int8_t>()[i] = static_cast<int8_t>(std::clamp(q, -127.0f, 127.0f));
  }
  if (!bias) return made;
  made.bias = HostTensor::Zeros(DType::kInt32, {static_cast<int64_t>(channel.extent)});
  for (size_t c = 0; c < channel.extent; ++c) {
    made.bias_scale.push_back(operand_scale * made.scale[c]);
    made.bias.as<int32_t>()[c] = static_cast<int32_t>(
        std::nearbyint(double{bias->as<float>()[c]} / double{made.bias_scale[c]}));
  }
  return made;
}

HostTensor Dequantized(const IntegerWeights& weights, int axis) {
  const AxisIndex channel(weights.values.shape, axis);
  HostTensor made = HostTensor::Zeros(DType::kFloat32, weights.values.shape);
  for (size_t i = 0; i < made.as<float>().size(); ++i)
    made.as<float>()[i] =
        static_cast<float>(weights.values.as<int8_t>()[i]) * weights.scale[channel(i)];
  return made;
}

}  // namespace tessera::calibrate
