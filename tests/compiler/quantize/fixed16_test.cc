// SPDX-License-Identifier: Apache-2.0
//
// 16-bit fixed-point sigmoid and tanh: every argument against the real functions, and against
// gemmlowp's fixedpoint.h, of whose results (little-endian int16, from -32768 on) the checksums
// are.
#include "compiler/quantize/fixed16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/hash.h"

namespace tessera::quantize {
namespace {

// The checksum of |f| of every int16; |most|: how far from |real| of the number it may be.
template <typename F, typename Real>
uint64_t Checked(F f, int bits, Real real, double most) {
  std::vector<uint8_t> bytes;
  for (int32_t q = -32768; q < 32768; ++q) {
    const int16_t y = f(static_cast<int16_t>(q));
    EXPECT_NEAR(y / 32768.0, real(std::ldexp(q, bits - 15)), most) << q;
    bytes.push_back(static_cast<uint8_t>(y & 0xff));
    bytes.push_back(static_cast<uint8_t>(y >> 8 & 0xff));
  }
  return Crc64(bytes);
}

TEST(Fixed16, EverySigmoidIsTheKernels) {
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_EQ(Checked(Logistic16, 3, sigmoid, 4e-4), 0x61ef86045e14a05fu);
}

TEST(Fixed16, EveryTanhIsTheKernels) {
  constexpr uint64_t kSums[] = {0xf6a556f7c15e3f62, 0x293eb742442870e4, 0x37400264fe4d5f79,
                                0xcb1a2609282f6b01, 0x019696d278544253, 0xc0b37db061b958b0,
                                0xdacc1326d1a0616d};
  for (int bits = 0; bits < 7; ++bits) {
    const auto f = [bits](int16_t x) { return Tanh16(x, bits); };
    EXPECT_EQ(Checked(
                  f, bits, [](double x) { return std::tanh(x); }, 8e-4),
              kSums[bits])
        << bits;
  }
}

}  // namespace
}  // namespace tessera::quantize
