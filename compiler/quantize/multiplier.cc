// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/multiplier.h"

#include <cmath>

namespace tessera::quantize {

Result<Multiplier> MultiplierOf(double real) {
  if (!std::isfinite(real) || real <= 0) {
    return Fail(Code::kInvalidArgument, "requantisation factor {} is not a finite number above 0",
                real);
  }
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);  // in [0.5, 1)
  int64_t mantissa = std::llround(std::ldexp(fraction, 31));
  if (mantissa == int64_t{1} << 31) {
    mantissa >>= 1;
    ++exponent;
  }
  if (exponent > 31) {
    return Fail(Code::kOutOfRange,
                "requantisation factor {} needs a left shift of {}, at most 31 fit", real,
                exponent);
  }
  if (exponent < -31) return Multiplier{0, 0};
  return Multiplier{static_cast<int32_t>(mantissa), static_cast<int8_t>(exponent)};
}

}  // namespace tessera::quantize
