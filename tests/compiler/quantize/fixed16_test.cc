// SPDX-License-Identifier: Apache-2.0
//
// 16-bit fixed-point sigmoid and tanh: every argument against the real functions, and against
// gemmlowp's fixedpoint.h, of whose results (little-endian int16, from -32768 on) the checksums
// are.
#include "compiler/quantize/fixed16.h"

#include <cmath>

#include "tests/compiler/quantize/every_int16.h"

namespace tessera::quantize::fixed16_test {
namespace {

TEST(Fixed16, EverySigmoidIsTheKernels) {
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_EQ(ChecksumOfEvery(Logistic16, std::ldexp(1, 3 - 15), sigmoid, 4e-4), 0x61ef86045e14a05fu);
}

TEST(Fixed16, EveryTanhIsTheKernels) {
  constexpr uint64_t kSums[] = {0xf6a556f7c15e3f62, 0x293eb742442870e4, 0x37400264fe4d5f79,
                                0xcb1a2609282f6b01, 0x019696d278544253, 0xc0b37db061b958b0,
                                0xdacc1326d1a0616d};
  for (int bits = 0; bits < 7; ++bits) {
    const auto f = [bits](int16_t x) { return Tanh16(x, bits); };
    const auto tanh = [](double x) { return std::tanh(x); };
    EXPECT_EQ(ChecksumOfEvery(f, std::ldexp(1, bits - 15), tanh, 8e-4), kSums[bits]) << bits;
  }
}

}  // namespace
}  // namespace tessera::quantize::fixed16_test
