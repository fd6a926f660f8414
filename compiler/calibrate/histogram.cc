// SPDX-License-Identifier: Apache-2.0
#include "compiler/calibrate/histogram.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace tessera::calibrate {

void ValueHistogram::GrowTo(double magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
  const double wanted = std::ldexp(1.0, exponent);
  if (wanted <= limit_) return;
  if (limit_ > 0) {
    const int times = static_cast<int>(std::lround(std::log2(wanted / limit_)));
    std::vector<int64_t> wide(kBins, 0);
    for (int64_t i = 0; i < kBins; ++i)
      wide[static_cast<size_t>(kBins / 2 + ((i - kBins / 2) >> std::min(times, 62)))] +=
          bins_[static_cast<size_t>(i)];
    bins_ = std::move(wide);
  } else {
    bins_[kBins / 2] = count_;  // all values so far were 0
  }
  limit_ = wanted;
}

Status ValueHistogram::Add(std::span<const float> values) {
  if (values.empty()) return {};
  float least = values[0], most = values[0];
  for (const float v : values) {
    if (!std::isfinite(v)) return Fail(Code::kInvalidArgument, "holds a value that is {}", v);
    least = std::min(least, v);
    most = std::max(most, v);
  }
  const double magnitude = std::max(std::abs(double{least}), std::abs(double{most}));
  least_ = count_ == 0 ? double{least} : std::min(least_, double{least});
  most_ = count_ == 0 ? double{most} : std::max(most_, double{most});
  if (magnitude > 0) GrowTo(magnitude);
  count_ += std::ssize(values);
  if (limit_ == 0) return {};
  const double per_unit = 1 / width();  // a power of two, so that the edges of bins are exact
  for (const float v : values)
    ++bins_[static_cast<size_t>(std::floor(v * per_unit) + double{kBins / 2})];
  return {};
}

Status ValueStatistics::Add(std::span<const float> values, std::span<const int64_t> shape) {
  TESSERA_TRY(histogram.Add(values));
  sum.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) sum[i] += double{values[i]};
  const size_t channels = shape.size() > 1 ? static_cast<size_t>(shape[1]) : 1;
  size_t inner = 1;
  for (size_t d = 2; d < shape.size(); ++d) inner *= static_cast<size_t>(shape[d]);
  channel_most.resize(channels);
  for (size_t i = 0; i < values.size(); ++i) {
    float& most = channel_most[i / inner % channels];
    most = std::max(most, std::abs(values[i]));
  }
  ++items;
  return {};
}

}  // namespace tessera::calibrate
