// SPDX-License-Identifier: Apache-2.0
//
// What may be given for a model's input, and the values it becomes. Space: equal types, pixels to
// float32 and to int8, with and without a channel axis, every refusal. Expected values are the
// formulas of inputs.h.
#include "runtime/executor/inputs.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tessera {
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
    FillInput(want, given, 2, {reinterpret_cast<uint8_t*>(out.data()), 24});
    for (size_t i = 0; i < 6; ++i)
      EXPECT_EQ(out[i], static_cast<float>((12 + i) * 37 % 256) / 255.0f);
  }
}

TEST(Inputs, PixelsBecomeSignedBytes) {
  const auto want = Info(DType::kInt8, {1, 1, 2, 3});
  const HostTensor given = Pixels({3, 2, 3});
  EXPECT_EQ(CountInferences(want, given).value(), 3);
  std::vector<uint8_t> out(6);
  FillInput(want, given, 1, out);
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
  FillInput(want, given, 1, out);
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
}  // namespace tessera
