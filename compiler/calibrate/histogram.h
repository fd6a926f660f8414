// SPDX-License-Identifier: Apache-2.0
//
// Statistics of all values that a tensor had over the calibration items. Depends on: base. Used by:
// range.h, tools/quantize_run.cc.
#ifndef TESSERA_COMPILER_CALIBRATE_HISTOGRAM_H_
#define TESSERA_COMPILER_CALIBRATE_HISTOGRAM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"

namespace tessera::calibrate {

// Counts of values in equal bins over [-limit, limit). |limit| is a power of two that grows with
// the values; pairs of bins are then added, which is exact. So one pass over the items is enough,
// in any order.
class ValueHistogram {
 public:
  static constexpr int64_t kBins = 8192;

  // errors: kInvalidArgument  a value that is not finite
  Status Add(std::span<const float> values);

  int64_t count() const { return count_; }
  double least() const { return least_; }
  double most() const { return most_; }
  double limit() const { return limit_; }
  double width() const { return 2 * limit_ / kBins; }  // of a bin
  const std::vector<int64_t>& bins() const { return bins_; }

 private:
  void GrowTo(double magnitude);

  double limit_ = 0;  // 0: no bins yet, all values were 0
  double least_ = 0, most_ = 0;
  int64_t count_ = 0;
  std::vector<int64_t> bins_ = std::vector<int64_t>(kBins, 0);
};

// All statistics that calibration needs of one value of the network.
struct ValueStatistics {
  ValueHistogram histogram;
  int64_t items = 0;
  std::vector<double> sum;          // by element, over the items
  std::vector<float> channel_most;  // by index of axis 1: the greatest magnitude

  // |values|: one item, row-major of |shape|.
  //   errors  as ValueHistogram::Add
  Status Add(std::span<const float> values, std::span<const int64_t> shape);
};

}  // namespace tessera::calibrate

#endif  // TESSERA_COMPILER_CALIBRATE_HISTOGRAM_H_
