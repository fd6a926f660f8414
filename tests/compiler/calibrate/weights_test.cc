// SPDX-License-Identifier: Apache-2.0
//
// What is tested: weights and biases as integers, by the real values that they stand for. Space:
// seeded weights along each axis; a channel of zeros; a bias that int32 could not hold. Not tested
// here: the importer's view of them (insert_test).
#include "compiler/calibrate/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/calibrate/model_index.h"

namespace tessera::calibrate::weights_test {
namespace {

HostTensor RandomWeights(const std::vector<int64_t>& shape, uint32_t seed) {
  std::mt19937 rng(seed);
  HostTensor made = HostTensor::Zeros(DType::kFloat32, shape);
  for (float& v : made.as<float>()) v = std::uniform_real_distribution<float>(-3, 3)(rng);
  return made;
}

TEST(QuantizeWeights, EveryChannelFillsItsRange) {
  for (const int axis : {0, 1}) {
    SCOPED_TRACE(axis);
    HostTensor w = RandomWeights({4, 5, 3, 3}, 7);
    const AxisIndex channel(w.shape, axis);
    for (size_t i = 0; i < w.as<float>().size(); ++i)
      if (channel(i) == 2) w.as<float>()[i] = 0;
    const IntegerWeights q = QuantizeWeights(w, axis, nullptr, 1);
    const HostTensor back = Dequantized(q, axis);
    std::vector<int> most(channel.extent, 0);
    for (size_t i = 0; i < w.as<float>().size(); ++i) {
      EXPECT_LE(std::abs(back.as<float>()[i] - w.as<float>()[i]), 0.5001f * q.scale[channel(i)]);
      most[channel(i)] = std::max(most[channel(i)], std::abs(int{q.values.as<int8_t>()[i]}));
    }
    for (size_t c = 0; c < channel.extent; ++c) EXPECT_EQ(most[c], c == 2 ? 0 : 127) << c;
    EXPECT_TRUE(q.bias_scale.empty());
  }
}

TEST(QuantizeWeights, BiasesAreStepsOfBothScales) {
  const HostTensor w = RandomWeights({3, 4}, 8);
  HostTensor bias = HostTensor::Zeros(DType::kFloat32, {3});
  bias.as<float>()[0] = 0.7f;
  bias.as<float>()[1] = -2;
  bias.as<float>()[2] = 3e9f;  // too large for int32 in steps of 0.02 * w
  const IntegerWeights q = QuantizeWeights(w, 0, &bias, 0.02f);
  ASSERT_EQ(q.bias.count(), 3);
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(q.bias_scale[c], 0.02f * q.scale[c]);
    const double back = q.bias.as<int32_t>()[c] * double{q.bias_scale[c]};
    EXPECT_NEAR(back, double{bias.as<float>()[c]}, 0.51 * double{q.bias_scale[c]}) << c;
  }
  EXPECT_NEAR(q.bias.as<int32_t>()[2], 1 << 30, 1 << 8);
  EXPECT_GT(q.scale[2], q.scale[0]);
}

}  // namespace
}  // namespace tessera::calibrate::weights_test
