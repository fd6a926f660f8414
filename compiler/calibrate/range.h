// SPDX-License-Identifier: Apache-2.0
//
// Chooses the range of a value's floats that its integers represent, and its scale and zero point.
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
  kPercentile,  // without the 0.005 % least and the 0.005 % greatest values
  kEntropy,     // the magnitude that loses least information
};

std::string_view Text(RangeMethod method);  // "minmax"
// errors: kInvalidArgument  the message lists the valid names
Result<RangeMethod> ParseRangeMethod(const std::string& text);

struct ValueRange {
  double least = 0, most = 0;
};

// The range by |method|, never wider than the values.
//
// kEntropy: for each magnitude t, the counts of |v| up to t are merged into the levels that int8
// has on [-t, t] (or on [0, t] if no value has the other sign) and spread out again. The chosen t
// gives the counts nearest to the original ones, by the Kullback-Leibler divergence. Values beyond
// t, at most 0.1 % of all, count as t. The first bin gets the count of its neighbour: zero itself
// is always exact.
ValueRange RangeOf(const ValueHistogram& histogram, RangeMethod method);

// real = scale * (q - zero)
struct ActivationScale {
  float scale = 1;
  int32_t zero = 0;
  bool operator==(const ActivationScale&) const = default;
};

// Divides |range|, widened to contain 0, into 255 steps; an integer of |dtype| (kInt8, kUint8)
// represents 0 exactly. A range of only 0 has scale 1.
ActivationScale ScaleOf(const ValueRange& range, DType dtype);

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_RANGE_H_
