// SPDX-License-Identifier: Apache-2.0
//
// A function of int16 over all its arguments.
#ifndef TESSERA_TESTS_COMPILER_QUANTIZE_EVERY_INT16_H_
#define TESSERA_TESTS_COMPILER_QUANTIZE_EVERY_INT16_H_

#include <gtest/gtest.h>

#include <vector>

#include "base/hash.h"

namespace tessera::quantize {

// The checksum of |f|'s results (little-endian, from -32768 on), which are Q0.15. An argument q is
// the number q * |step|; no result may be further than |most| from |real| of it.
template <typename F, typename Real>
uint64_t ChecksumOfEvery(F f, double step, Real real, double most) {
  std::vector<uint8_t> bytes;
  for (int32_t q = -32768; q < 32768; ++q) {
    const int16_t y = f(static_cast<int16_t>(q));
    EXPECT_NEAR(y / 32768.0, real(q * step), most) << q << " " << step;
    bytes.push_back(static_cast<uint8_t>(y & 0xff));
    bytes.push_back(static_cast<uint8_t>(y >> 8 & 0xff));
  }
  return Crc64(bytes);
}

}  // namespace tessera::quantize

#endif  // TESSERA_TESTS_COMPILER_QUANTIZE_EVERY_INT16_H_
