// SPDX-License-Identifier: Apache-2.0
//
// Taps: physical bytes to logical tensors. Space: dense, blocked (NCHW16c and others, with channels
// that do not fill a block), strided, several element sizes. Expected values: nested loops here
// fill each physical place with a number computed from the logical index. The layouts themselves:
// tests/base.
#include "runtime/artifact/tap.h"

#include <gtest/gtest.h>

namespace tessera::artifact::tap_test {
namespace {

TensorInfo Info(DType dtype, std::vector<int64_t> shape) {
  return {"t", dtype, std::move(shape), std::nullopt};
}

TEST(Tap, DenseIsACopy) {
  const TensorInfo info = Info(DType::kInt32, {2, 3});
  EXPECT_EQ(BytesInLayout(info, {}), 24u);
  std::vector<uint8_t> bytes(30);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  const HostTensor t = UnpackTap(info, {}, bytes);
  EXPECT_EQ(t.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(t.bytes, std::vector<uint8_t>(bytes.begin(), bytes.begin() + 24));
}

TEST(Tap, ChannelBlocksComeBackInOrder) {
  for (const int64_t block : {4, 16}) {
    for (const int64_t channels : {1, 3, 16, 20}) {
      const int64_t h = 3, w = 5, blocks = (channels + block - 1) / block;
      const TensorInfo info = Info(DType::kInt8, {1, channels, h, w});
      const Layout layout{{{0, 1, 0}, {1, block, 0}, {2, 1, 0}, {3, 1, 0}, {1, 1, block}}, 0, {}};
      ASSERT_EQ(BytesInLayout(info, layout), static_cast<uint64_t>(blocks * h * w * block));
      std::vector<uint8_t> bytes(static_cast<size_t>(blocks * h * w * block), 0xee);
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t y = 0; y < h; ++y) {
          for (int64_t x = 0; x < w; ++x) {
            bytes[static_cast<size_t>((((c / block) * h + y) * w + x) * block + c % block)] =
                static_cast<uint8_t>(c * 15 + y * 5 + x);
          }
        }
      }
      const HostTensor t = UnpackTap(info, layout, bytes);
      for (size_t i = 0; i < t.bytes.size(); ++i)
        EXPECT_EQ(t.bytes[i], static_cast<uint8_t>(i)) << block << " " << channels;
    }
  }
}

TEST(Tap, StridesSkipWhatLiesBetween) {
  const TensorInfo info = Info(DType::kInt32, {2, 2});
  const Layout layout{{{1, 1, 0}, {0, 1, 0}}, 0, {5, 2}};  // transposed, with gaps
  EXPECT_EQ(BytesInLayout(info, layout), 4u * 8u);
  std::vector<int32_t> memory(8, -1);
  memory[0] = 10, memory[5] = 11, memory[2] = 20, memory[7] = 21;
  const HostTensor t =
      UnpackTap(info, layout, {reinterpret_cast<const uint8_t*>(memory.data()), 32});
  const auto values = t.as<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(values.begin(), values.end()),
            (std::vector<int32_t>{10, 11, 20, 21}));
}

TEST(Tap, ScalarHasOneElement) {
  const TensorInfo info = Info(DType::kInt8, {});
  EXPECT_EQ(BytesInLayout(info, {}), 1u);
  EXPECT_EQ(UnpackTap(info, {}, std::vector<uint8_t>{42}).bytes, std::vector<uint8_t>{42});
}

}  // namespace
}  // namespace tessera::artifact::tap_test
