// SPDX-License-Identifier: Apache-2.0
//
// The forms in which a model's input may be given, and the values that it becomes. Space: equal
// types, pixels to float32 and to int8 by the default rule and by given ones, with and without a
// channel axis, both layouts, every refusal. Expected values are the formulas of inputs.h.
#include "runtime/executor/inputs.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tessera::inputs_test {
namespace {

artifact::TensorInfo Info(DType dtype, std::vector<int64_t> shape) {
  return {"image", dtype, std::move(shape), {}};
}

HostTensor Pixels(std::vector<int64_t> shape) {
  HostTensor t = HostTensor::Zeros(DType::kUint8, std::move(shape));
  for (size_t i = 0; i < t.bytes.size(); ++i) t.bytes[i] = static_cast<uint8_t>(i * 37);
  return t;
}

TEST(Inputs, PixelsBecomeFractionsOfOne) {
  const auto want = Info(DType::kFloat32, {1, 1, 2, 3});
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{4, 2, 3}, {4, 1, 2, 3}}) {
    const HostTensor given = Pixels(shape);
    EXPECT_EQ(CountInferences(want, given).value(), 4);
    std::vector<float> out(6);
    FillInput(want, given, 2, {}, {reinterpret_cast<uint8_t*>(out.data()), 24});
    for (size_t i = 0; i < 6; ++i)
      EXPECT_EQ(out[i], static_cast<float>((12 + i) * 37 % 256) / 255.0f);
  }
}

TEST(Inputs, PixelsBecomeSignedBytes) {
  const auto want = Info(DType::kInt8, {1, 1, 2, 3});
  const HostTensor given = Pixels({3, 2, 3});
  EXPECT_EQ(CountInferences(want, given).value(), 3);
  std::vector<uint8_t> out(6);
  FillInput(want, given, 1, {}, out);
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(static_cast<int8_t>(out[i]), static_cast<int>((6 + i) * 37 % 256) - 128);
}

TEST(Inputs, ColourImagesKeepTheirChannels) {
  const auto want = Info(DType::kFloat32, {1, 3, 2, 2});
  EXPECT_EQ(CountInferences(want, Pixels({5, 3, 2, 2})).value(), 5);
  EXPECT_FALSE(CountInferences(want, Pixels({5, 2, 2})));
}

TEST(Inputs, TheSameTypeIsCopied) {
  const auto want = Info(DType::kInt8, {1, 5});
  HostTensor given = HostTensor::Zeros(DType::kInt8, {2, 5});
  for (size_t i = 0; i < 10; ++i) given.bytes[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(CountInferences(want, given).value(), 2);
  std::vector<uint8_t> out(5);
  FillInput(want, given, 1, {}, out);
  EXPECT_EQ(out, (std::vector<uint8_t>{5, 6, 7, 8, 9}));
}

TEST(Inputs, AModelWithoutALeadingOneTakesAStack) {
  EXPECT_EQ(ItemShape(std::vector<int64_t>{3, 4}), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(ItemShape(std::vector<int64_t>{1, 4}), (std::vector<int64_t>{4}));
  EXPECT_EQ(ItemShape(std::vector<int64_t>{}), (std::vector<int64_t>{}));
  EXPECT_EQ(
      CountInferences(Info(DType::kInt32, {3, 4}), HostTensor::Zeros(DType::kInt32, {7, 3, 4}))
          .value(),
      7);
}

// A mean and a std for each channel, with the channels in the second and in the last extent.
TEST(Inputs, AMeanAndAStdOfEachChannel) {
  const PixelRule rule{
      .scale = 1.0 / 255, .mean = {0.5, 0.25, 0}, .std = {0.5, 1, 2}, .given = true};
  for (const bool planes : {true, false}) {
    const auto want = Info(DType::kFloat32, planes ? std::vector<int64_t>{1, 3, 2, 2}
                                                   : std::vector<int64_t>{1, 2, 2, 3});
    const HostTensor given =
        Pixels(planes ? std::vector<int64_t>{2, 3, 2, 2} : std::vector<int64_t>{2, 2, 2, 3});
    ASSERT_TRUE(CheckPixelRule(want, rule));
    std::vector<float> out(12);
    FillInput(want, given, 1, rule, {reinterpret_cast<uint8_t*>(out.data()), 48});
    for (size_t i = 0; i < 12; ++i) {
      const size_t c = planes ? i / 4 : i % 3;
      const double pixel = static_cast<double>((12 + i) * 37 % 256);
      EXPECT_FLOAT_EQ(out[i], static_cast<float>((pixel / 255 - rule.mean[c]) / rule.std[c])) << i;
    }
  }
}

TEST(Inputs, AScaleOfOneKeepsThePixels) {
  const auto want = Info(DType::kFloat32, {1, 1, 2, 3});
  const PixelRule rule{.scale = 1, .mean = {0}, .std = {1}, .given = true};
  std::vector<float> out(6);
  FillInput(want, Pixels({1, 2, 3}), 0, rule, {reinterpret_cast<uint8_t*>(out.data()), 24});
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(out[i], static_cast<float>(i * 37 % 256));
  EXPECT_EQ(PixelText(want, rule), "(p * 1 - 0) / 1");
  EXPECT_EQ(PixelText(want, {}), "p / 255");
}

// By hand: 0 -> -1 -> -64 - 10 = -74; 255 -> 1 -> 54; 37 -> -0.7098 -> -45.4 -> -55.
TEST(Inputs, AnInt8InputTakesTheRealNumberQuantised) {
  auto want = Info(DType::kInt8, {1, 1, 1, 3});
  const PixelRule rule{.scale = 1.0 / 255, .mean = {0.5}, .std = {0.5}, .given = true};
  EXPECT_EQ(CheckPixelRule(want, rule).error().message,
            "--mean, --std, --scale: input 'image' is int8 without a scale, so that no real number "
            "can be put there; give a .npy file of int8");
  want.quant = artifact::Affine{1.0 / 64, -10};
  ASSERT_TRUE(CheckPixelRule(want, rule));
  HostTensor given = Pixels({1, 1, 3});
  given.bytes = {0, 255, 37};
  std::vector<uint8_t> out(3);
  FillInput(want, given, 0, rule, out);
  EXPECT_EQ(out, (std::vector<uint8_t>{256 - 74, 54, 256 - 55}));
  want.quant->scale = 1.0 / 1000;  // clamped to int8 on both sides
  FillInput(want, given, 0, rule, out);
  EXPECT_EQ(out, (std::vector<uint8_t>{128, 127, 128}));
}

TEST(Inputs, RulesThatDoNotFitAreRefused) {
  const auto message = [](const artifact::TensorInfo& want, const PixelRule& rule) {
    const Status fits = CheckPixelRule(want, rule);
    return fits ? "accepted" : fits.error().message;
  };
  const auto image = Info(DType::kFloat32, {1, 3, 8, 8});
  EXPECT_EQ(message(image, {.mean = {1, 2}, .given = true}),
            "--mean [1, 2]: 2 numbers, input 'image' has 3 channels; give one for each or one for "
            "all");
  EXPECT_EQ(
      message(Info(DType::kFloat32, {1, 3, 8, 3}), {.std = {1, 2, 3}, .given = true}),
      "--std [1, 2, 3]: which axis of input 'image', [1, 3, 8, 3], has the channels cannot be "
      "told; give one number for all");
  EXPECT_EQ(message(image, {.std = {0}, .given = true}), "--std 0: each must be greater than 0");
  EXPECT_EQ(message(image, {.mean = {1, 2, 3}, .std = {4}, .given = true}), "accepted");
}

TEST(Inputs, ChannelsAreFoundWhereOneAxisCanHaveThem) {
  EXPECT_EQ(ChannelAxis(std::vector<int64_t>{1, 3, 8, 8}), 1u);
  EXPECT_EQ(ChannelAxis(std::vector<int64_t>{1, 8, 8, 1}), 3u);
  EXPECT_EQ(ChannelAxis(std::vector<int64_t>{1, 3, 8, 1}), std::nullopt);
  EXPECT_EQ(ChannelAxis(std::vector<int64_t>{1, 4, 8, 8}), std::nullopt);
  EXPECT_EQ(ChannelAxis(std::vector<int64_t>{1, 3, 8}), std::nullopt);
  EXPECT_EQ(CountInferences(Info(DType::kInt8, {1, 4, 5, 1}), Pixels({6, 4, 5})).value(), 6);
}

// A static batch: exactly its shape is one item.
TEST(Inputs, AWholeBatchIsOneItem) {
  const auto want = Info(DType::kInt8, {4, 3});
  HostTensor given = HostTensor::Zeros(DType::kInt8, {4, 3});
  AddItemAxis(want, given);
  EXPECT_EQ(given.shape, (std::vector<int64_t>{1, 4, 3}));
  EXPECT_EQ(CountInferences(want, given).value(), 1);
  AddItemAxis(want, given);
  EXPECT_EQ(given.shape, (std::vector<int64_t>{1, 4, 3}));
  HostTensor one = HostTensor::Zeros(DType::kInt8, {1, 3});
  AddItemAxis(Info(DType::kInt8, {1, 3}), one);
  EXPECT_EQ(one.shape, (std::vector<int64_t>{1, 3}));
}

TEST(Inputs, AllInputsHoldAsManyInferences) {
  const std::vector<artifact::TensorInfo> wants{Info(DType::kInt8, {1, 3}),
                                                Info(DType::kInt8, {1, 2})};
  const HostTensor a = HostTensor::Zeros(DType::kInt8, {5, 3}),
                   b = HostTensor::Zeros(DType::kInt8, {5, 2}),
                   c = HostTensor::Zeros(DType::kInt8, {4, 2});
  EXPECT_EQ(CountTogether(wants, std::vector{a, b}, {}).value(), 5);
  EXPECT_EQ(CountTogether({}, {}, {}).value(), 1);
  EXPECT_EQ(CountTogether(wants, std::vector{a, c}, {}).error().message,
            "input 'image' holds 4 inferences, the input before it 5");
  EXPECT_EQ(CountTogether(wants, std::vector{a}, {}).error().message,
            "the model takes 2 inputs, 1 are given");
}

TEST(Inputs, RefusalsNameBothTypesAndShapes) {
  const auto message = [](const artifact::TensorInfo& want, const HostTensor& given) {
    const auto count = CountInferences(want, given);
    return count ? "accepted" : count.error().message;
  };
  const auto image = Info(DType::kFloat32, {1, 1, 28, 28});
  EXPECT_EQ(message(image, HostTensor::Zeros(DType::kUint8, {2, 32, 32})),
            "input 'image' takes float32 [N, 1, 28, 28] or uint8 images [N, 28, 28]; given is "
            "uint8 [2, 32, 32]");
  EXPECT_EQ(message(image, HostTensor::Zeros(DType::kInt64, {2, 1, 28, 28})),
            "input 'image' takes float32 [N, 1, 28, 28] or uint8 images [N, 28, 28]; given is "
            "int64 [2, 1, 28, 28]");
  EXPECT_EQ(message(image, HostTensor::Zeros(DType::kFloat32, {28, 28})),
            "input 'image' takes float32 [N, 1, 28, 28] or uint8 images [N, 28, 28]; given is "
            "float32 [28, 28]");
  EXPECT_EQ(
      message(image, HostTensor::Zeros(DType::kUint8, {})),
      "input 'image' takes float32 [N, 1, 28, 28] or uint8 images [N, 28, 28]; given is uint8 []");
  EXPECT_EQ(message(Info(DType::kFloat32, {1, 10}), HostTensor::Zeros(DType::kUint8, {2, 10})),
            "input 'image' takes float32 [N, 10]; given is uint8 [2, 10]");
}

}  // namespace
}  // namespace tessera::inputs_test
