// SPDX-License-Identifier: Apache-2.0
//
// Real factors as the 31-bit multiplier and shift of requantisation. Source: TensorFlow Lite's
// quantisation specification; design page on integer arithmetic. Depends on base.
#ifndef TESSERA_COMPILER_QUANTIZE_MULTIPLIER_H_
#define TESSERA_COMPILER_QUANTIZE_MULTIPLIER_H_

#include <cstdint>

#include "base/error.h"

namespace tessera::quantize {

// real is about multiplier * 2^(shift - 31), multiplier in [2^30, 2^31) or zero.
struct Multiplier {
  int32_t multiplier = 0;
  int8_t shift = 0;
};

// |real| > 0. Factors below 2^-32 become zero (every product rounds to 0).
//   errors  kInvalidArgument  |real| is not a finite number above 0
//           kOutOfRange       |real| needs a left shift of more than 31
Result<Multiplier> MultiplierOf(double real);

}  // namespace tessera::quantize

#endif  // TESSERA_COMPILER_QUANTIZE_MULTIPLIER_H_
