// SPDX-License-Identifier: Apache-2.0
//
// Functions of int16 activations ("16x8") with the integers of TFLite's kernels: linear
// interpolation in a table. Results are Q0.15. Source: TFLite's integer_ops/logistic.h, tanh.h and
// common.h (LUTPopulate, LUTLookup). Depends on: nothing. Used by: compiler/ops.
#ifndef TESSERA_COMPILER_QUANTIZE_LINES16_H_
#define TESSERA_COMPILER_QUANTIZE_LINES16_H_

#include <array>
#include <cstdint>
#include <functional>

namespace tessera::quantize {

// 1 / (1 + exp(-r)) and tanh(r) of r = q * scale, interpolated in 256 values of the first.
int16_t LogisticByLines(int16_t q, float scale);
int16_t TanhByLines(int16_t q, float scale);

// A function over [least, most], the ends of int16's range, as 512 lines.
class Lines512 {
 public:
  Lines512(double least, double most, const std::function<double(double)>& f);
  int16_t operator()(int16_t q) const;

 private:
  std::array<int16_t, 513> ends_;
};

}  // namespace tessera::quantize

#endif  // TESSERA_COMPILER_QUANTIZE_LINES16_H_
