// SPDX-License-Identifier: Apache-2.0
//
// LOGISTIC and TANH of int16 activations: every argument against the real functions, and against
// TFLite's kernels, of whose results (little-endian int16, from -32768 on) the checksums are. The
// lines of softmax against the real functions; against the kernel in tests/models/tflite_ops_test.
#include "compiler/quantize/lines16.h"

#include <cmath>

#include "tests/compiler/quantize/every_int16.h"

namespace tessera::quantize::lines16_test {
namespace {

struct Sums {
  float scale;
  uint64_t logistic, tanh;
};

TEST(Lines16, EveryResultIsTheKernels) {
  const Sums cases[] = {
      {0x1p-12f, 0xb0ed7129d668b3c6, 0x00093c91bcbda45b},
      {0x1p-11f, 0x4ea97caf606ac078, 0xfd61ed6ffa93be3d},
      {0x1p-10f, 0xf1d986bc4b4fb2d4, 0x27a4d44ee16fda6f},
      {1e-5f, 0x85a02aa8702c7b68, 0xfbf15e69862b3069},
      {7.7e-4f, 0x55bb21206eacf2c6, 0x7da66fe089e5324d},
      {0.02f, 0xc51571eb3a10b4e2, 0xb0c118354621b6fd},
  };
  const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto tanh = [](double x) { return std::tanh(x); };
  for (const Sums& c : cases) {
    const auto by_logistic = [&](int16_t q) { return LogisticByLines(q, c.scale); };
    const auto by_tanh = [&](int16_t q) { return TanhByLines(q, c.scale); };
    const auto step = static_cast<double>(c.scale);
    EXPECT_EQ(ChecksumOfEvery(by_logistic, step, logistic, 1e-4), c.logistic) << c.scale;
    EXPECT_EQ(ChecksumOfEvery(by_tanh, step, tanh, 2e-4), c.tanh) << c.scale;
  }
}

TEST(Lines16, LinesFollowTheirFunction) {
  const Lines512 power(-10, 0, [](double r) { return std::exp(r); });
  const Lines512 share(0, 1, [](double r) { return 1 / (1 + r); });
  for (int32_t q = -32768; q < 32768; ++q) {
    const double at = (q + 32768) / 65535.0;
    EXPECT_NEAR(power(static_cast<int16_t>(q)) / 32768.0, std::exp(10 * (at - 1)), 2e-4) << q;
    EXPECT_NEAR(share(static_cast<int16_t>(q)) / 32768.0, 1 / (1 + at), 1e-4) << q;
  }
}

}  // namespace
}  // namespace tessera::quantize::lines16_test
