// SPDX-License-Identifier: Apache-2.0
//
// TFLite models of floats: a network against loops in double over the file's own layout (NHWC),
// float16 weights behind DEQUANTIZE, fused activations, constants that repeat, floats between
// integers; refusals. Not here: what operators compute (tests/compiler/region/float_test.cc).
#include <cmath>

#include "base/half.h"
#include "tests/compiler/graph_eval.h"
#include "tests/compiler/import/tflite_import.h"

namespace tessera::tflite_float_test {
namespace {

using Fused = tfl::ActivationFunctionType;

std::vector<float> Values(size_t n, float step) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = static_cast<float>(static_cast<int>(i * 5 % 23) - 11) * step;
  return values;
}

// x [1, 4, 6, 3] -> conv 3x3 SAME to 5 channels, RELU6 -> times a constant of 5 -> mean pool 2x2
// VALID -> rows -> fully connected to 4 -> softmax y. The conv's weights are float16.
struct Network {
  TfliteBuilder b;
  std::vector<float> x = Values(72, 0.25f), w = Values(5 * 9 * 3, 0.0625f), bias = Values(5, 0.5f),
                     scale = Values(5, 0.3f), v = Values(4 * 30, 0.02f), u = Values(4, 0.1f);

  Network() {
    const auto f32 = T::Type::FLOAT32;
    b.Tensor("x", {1, 4, 6, 3}, f32);
    std::vector<uint16_t> halves;
    for (const float value : w) halves.push_back(FloatToHalf(value));
    b.Constant("wh", {5, 3, 3, 3}, T::Type::FLOAT16, halves);
    b.Tensor("w", {5, 3, 3, 3}, f32);
    b.Constant("bias", {5}, f32, bias);
    b.Tensor("c", {1, 4, 6, 5}, f32);
    b.Constant("scale", {5}, f32, scale);
    b.Tensor("m", {1, 4, 6, 5}, f32);
    b.Tensor("p", {1, 2, 3, 5}, f32);
    b.Constant("to", {2}, T::Type::INT32, std::vector<int32_t>{1, 30});
    b.Tensor("r", {1, 30}, f32);
    b.Constant("v", {4, 30}, f32, v);
    b.Constant("u", {4}, f32, u);
    b.Tensor("d", {1, 4}, f32);
    b.Tensor("y", {1, 4}, f32);
    b.Op(T::Builtin::DEQUANTIZE, {"wh"}, {"w"});
    b.Op(T::Builtin::CONV_2D, {"x", "w", "bias"}, {"c"},
         ConvOptions(tfl::Padding::SAME, 1, 1, Fused::RELU6));
    b.Op(T::Builtin::MUL, {"c", "scale"}, {"m"}, tfl::MulOptionsT{});
    b.Op(T::Builtin::AVERAGE_POOL_2D, {"m"}, {"p"}, PoolOptions(tfl::Padding::VALID, 2, 2, 2));
    b.Op(T::Builtin::RESHAPE, {"p", "to"}, {"r"});
    b.Op(T::Builtin::FULLY_CONNECTED, {"r", "v", "u"}, {"d"}, tfl::FullyConnectedOptionsT{});
    tfl::SoftmaxOptionsT softmax;
    softmax.beta = 1;
    b.Op(T::Builtin::SOFTMAX, {"d"}, {"y"}, softmax);
    b.Input("x");
    b.Output("y");
  }
};

TEST(TfliteFloat, ANetworkGivesWhatLoopsInDoubleGive) {
  Network n;
  const auto g = ImportModel(n.b.Bytes(), "m.tflite");
  ASSERT_TRUE(g) << g.error().message;
  std::vector<float> nchw(72);
  for (size_t c = 0; c < 3; ++c)
    for (size_t p = 0; p < 24; ++p) nchw[c * 24 + p] = n.x[p * 3 + c];
  TensorBytes values{{g->inputs[0], Bytes(nchw)}};
  ASSERT_NO_FATAL_FAILURE(RunRegions(*g, values));

  const auto real = [](float v) { return static_cast<double>(v); };
  std::vector<double> conv(120), row(30), sums(4);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x)
      for (int o = 0; o < 5; ++o) {
        double sum = real(n.bias[static_cast<size_t>(o)]);
        for (int k = 0; k < 27; ++k) {
          const int iy = y + k / 9 - 1, ix = x + k / 3 % 3 - 1;
          if (iy < 0 || iy > 3 || ix < 0 || ix > 5) continue;
          sum += real(n.x[static_cast<size_t>((iy * 6 + ix) * 3 + k % 3)]) *
                 real(n.w[static_cast<size_t>(o * 27 + k)]);
        }
        conv[static_cast<size_t>((y * 6 + x) * 5 + o)] =
            std::clamp(sum, 0.0, 6.0) * real(n.scale[static_cast<size_t>(o)]);
      }
  for (size_t k = 0; k < 30; ++k) {
    const size_t y = k / 15 * 2, x = k / 5 % 3 * 2, c = k % 5;
    for (const size_t at : {y * 6 + x, y * 6 + x + 1, y * 6 + x + 6, y * 6 + x + 7})
      row[k] += conv[at * 5 + c] / 4;
  }
  double total = 0;
  for (size_t o = 0; o < 4; ++o) {
    sums[o] = real(n.u[o]);
    for (size_t k = 0; k < 30; ++k) sums[o] += row[k] * real(n.v[o * 30 + k]);
    total += std::exp(sums[o]);
  }
  const std::vector<float> y = As<float>(values.at(g->outputs[0]));
  for (size_t o = 0; o < 4; ++o) EXPECT_NEAR(real(y[o]), std::exp(sums[o]) / total, 2e-6);
}

TEST(TfliteFloat, FunctionsOfOneValue) {
  using B = T::Builtin;
  for (const auto& [builtin, name] : {std::pair{B::SQRT, "sqrt"},
                                      {B::RSQRT, "rsqrt"},
                                      {B::LOG, "log"},
                                      {B::SIN, "sin"},
                                      {B::COS, "cos"},
                                      {B::ELU, "elu"}}) {
    TfliteBuilder b;
    b.Tensor("x", {1, 2, 2, 3}, T::Type::FLOAT32);
    b.Tensor("y", {1, 2, 2, 3}, T::Type::FLOAT32);
    b.Op(builtin, {"x"}, {"y"});
    b.Input("x");
    b.Output("y");
    const auto g = ImportModel(b.Bytes(), "m.tflite");
    ASSERT_TRUE(g) << g.error().message;
    EXPECT_EQ(Ops(*g), name);
  }
}

TEST(TfliteFloat, Float16TensorsAndFloatsBetweenIntegers) {
  TfliteBuilder b;
  b.Int8("x", {1, 2, 2, 3}, 0.5f, 3);
  b.Tensor("f", {1, 2, 2, 3}, T::Type::FLOAT16);
  b.Tensor("s", {1, 2, 2, 3}, T::Type::FLOAT16);
  b.Tensor("w", {1, 2, 2, 3}, T::Type::FLOAT32);
  b.Int8("y", {1, 2, 2, 3}, 0.0078125f, 0);
  b.Op(T::Builtin::DEQUANTIZE, {"x"}, {"f"});
  b.Op(T::Builtin::LOGISTIC, {"f"}, {"s"});
  b.Op(T::Builtin::DEQUANTIZE, {"s"}, {"w"});
  b.Op(T::Builtin::QUANTIZE, {"w"}, {"y"});
  b.Input("x");
  b.Output("y");
  const auto g = ImportModel(b.Bytes(), "m.tflite");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(Ops(*g), "dequantize sigmoid cast quantize");
  EXPECT_EQ(g->tensor(g->nodes[1].output).dtype, DType::kFloat16);
}

struct BadFloat {
  const char* name;
  std::function<void(Network&)> spoil;
  const char* message;
};
const BadFloat kBad[] = {
    {"Input", [](auto& n) { n.b.tensor("x").type = T::Type::INT32; },
     "input tensor 0 'x' is INT32; FLOAT32 is supported"},
    {"Weights", [](auto& n) { n.b.op(5).inputs[1] = n.b.Find("x"); },
     "weights tensor 0 'x' are not a constant"},
    {"WeightType", [](auto& n) { n.b.op(1).inputs[1] = n.b.Find("wh"); },
     "weights tensor 1 'wh' are FLOAT16; FLOAT32 is supported"},
    {"Bias", [](auto& n) { n.b.op(1).inputs[2] = n.b.Find("x"); },
     "bias tensor 0 'x' is FLOAT32 and not constant; a constant of floats is supported"},
    {"BiasCount", [](auto& n) { n.b.op(1).inputs[2] = n.b.Find("u"); },
     "bias tensor 11 'u' has 4 values for 5 channels"},
    {"Fused",
     [](auto& n) {
       n.b.op(1).builtin_options.AsConv2DOptions()->fused_activation_function = Fused::TANH;
     },
     "fused activation TANH is not supported"},
    {"ConstantToInteger", [](auto& n) { n.b.tensor("w").type = T::Type::INT32; },
     "its result tensor 2 'w' is INT32 of shape [5, 3, 3, 3]; floats of shape"},
};
class TfliteFloatBad : public ::testing::TestWithParam<BadFloat> {};
TEST_P(TfliteFloatBad, IsRefusedWithTheReason) {
  Network n;
  GetParam().spoil(n);
  const auto bad = ImportModel(n.b.Bytes(), "m.tflite");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(GetParam().message), std::string::npos) << bad.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, TfliteFloatBad, ::testing::ValuesIn(kBad),
                         [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace tessera::tflite_float_test
