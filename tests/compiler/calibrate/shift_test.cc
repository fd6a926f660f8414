// SPDX-License-Identifier: Apache-2.0
//
// What is tested: bias correction: with the corrected biases, each layer's mean result over the
// items equals the float layer's, for the same operand. Space: a convolution with pads and a Gemm
// without a bias, seeded; the test runs the items one by one for the mean. Not tested here:
// consecutive layers (tools_quantize_test).
#include "compiler/calibrate/shift.h"

#include <cmath>

#include "compiler/calibrate/weights.h"
#include "tests/compiler/calibrate/float_model.h"

namespace tessera::calibrate::shift_test {
namespace {

using test::Evaluated;
using test::FloatModel;
using test::Imported;
using test::RandomFloats;

// Means of the channels (axis 1, |inner| elements each) of the result over |items|.
std::vector<double> Means(const onnx_model::OnnxModel& model,
                          const std::vector<std::vector<float>>& items, size_t channels) {
  std::vector<double> sum(channels, 0);
  size_t each = 0;
  for (const std::vector<float>& item : items) {
    const std::vector<float> result = Evaluated(model, item);
    each = result.size() / channels;
    for (size_t i = 0; i < result.size(); ++i) sum[i / each] += double{result[i]};
  }
  for (double& s : sum) s /= static_cast<double>(each * items.size());
  return sum;
}

void ExpectCorrected(FloatModel m, const std::vector<int64_t>& shape, size_t channels) {
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  std::vector<std::vector<float>> items;
  std::vector<float> mean(count, 0);
  for (uint32_t k = 0; k < 6; ++k) {
    items.push_back(RandomFloats(count, 50 + k));
    for (size_t i = 0; i < count; ++i) {
      items[k][i] += 0.7f;  // at a mean of 0 the errors of weights cancel
      mean[i] += items[k][i] / 6;
    }
  }
  const auto plan = PlanIntegers(m.model, Imported(m.model), {}, {});
  ASSERT_TRUE(plan);
  ActivationScales scales;
  for (const auto& [value, of] : plan->scale_of) scales[of] = {0.02f, 0};
  const ErrorModel errors = ErrorsOf(m.model, *plan, scales, {{"x", shape}});
  ASSERT_EQ(errors.layers.size(), 1u);
  EXPECT_EQ(errors.operands, FloatModel::Names{"x"});
  const std::vector<float> error = Evaluated(errors.model, mean);
  HostTensor held = HostTensor::Zeros(
      DType::kFloat32,
      {1, static_cast<int64_t>(channels), std::ssize(error) / static_cast<int64_t>(channels)});
  std::ranges::copy(error, held.as<float>().begin());
  onnx_model::OnnxModel shifted = m.model;
  TakeOff(shifted, *plan, errors, 0, held);

  // The same models with the float values of their integer weights.
  const int axis = plan->layers[0].weight_axis;
  const auto rounded = [&](onnx_model::OnnxModel model) {
    HostTensor& w = model.initializers.at(model.nodes[0].inputs[1]);
    w = Dequantized(QuantizeWeights(w, axis, nullptr, 0.02f), axis);
    return model;
  };
  const std::vector<double> want = Means(m.model, items, channels),
                            plain = Means(rounded(m.model), items, channels),
                            have = Means(rounded(shifted), items, channels);
  double wrong = 0;
  for (size_t c = 0; c < channels; ++c) {
    EXPECT_NEAR(have[c], want[c], 2e-6) << "channel " << c;
    wrong = std::max(wrong, std::abs(plain[c] - want[c]));
  }
  EXPECT_GT(wrong, 1e-4) << "there was nothing to correct";
}

TEST(BiasCorrection, TheMeanOfAConvolutionIsRight) {
  FloatModel m(51);
  m.Input("x", {1, 4, 5, 5});
  m.Conv("x", 4, 6, true, "y");
  m.Output("y");
  ExpectCorrected(m, {1, 4, 5, 5}, 6);
}

TEST(BiasCorrection, ALayerWithoutABiasGetsOne) {
  FloatModel m(52);
  m.Input("x", {1, 12});
  m.Node("Gemm", {"x", m.Random("w", {12, 5})}, "y");
  m.Output("y");
  ExpectCorrected(m, {1, 12}, 5);
}

}  // namespace
}  // namespace tessera::calibrate::shift_test
