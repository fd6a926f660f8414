// SPDX-License-Identifier: Apache-2.0
//
// Which range of a value's floats its integers stand for, and the scale and zero point of that.
// Depends on: histogram.h. Used by: insert.h, tools/quantize.cc.
#ifndef TESSERA_COMPILER_CALIBRATE_RANGE_H_
#define TESSERA_COMPILER_CALIBRATE_RANGE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/dtype.h"
#include "base/error.h"
#include "compiler/calibrate/histogram.h"

namespace tessera::calibrate {

enum class RangeMethod : uint8_t {
  kMinMax,      // from the least value to the greatest
  kPercentile,  // without the 0.005 % that are least and the 0.005 % that are greatest
  kEntropy,     // within the magnitude whose integers tell most about the values
};

std::string_view Text(RangeMethod method);  // "minmax"
// errors: kInvalidArgument  names what there is
Result<RangeMethod> ParseRangeMethod(const std::string& text);

struct ValueRange {
  double least = 0, most = 0;
};

// The range by |method|, within the values' own.
//
// kEntropy: for each magnitude t, the counts of |v| up to t are brought to the levels that an int8
// of [-t, t] (or [0, t] where no value is on the other side) has, and spread out again. The t for
// which what comes back is nearest to the counts, by the Kullback-Leibler divergence, is the one;
// values beyond t, at most 0.1 % of all, count as t. The first bin counts as its neighbour: zero
// itself is always exact.
ValueRange RangeOf(const ValueHistogram& histogram, RangeMethod method);

// real = scale * (q - zero)
struct ActivationScale {
  float scale = 1;
  int32_t zero = 0;
  bool operator==(const ActivationScale&) const = default;
};

// 255 steps from the least to the most of |range|, widened to hold 0, which an integer of |dtype|
// (kInt8, kUint8) stands for exactly. A range of nothing but 0 has scale 1.
ActivationScale ScaleOf(const ValueRange& range, DType dtype);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_RANGE_H_
