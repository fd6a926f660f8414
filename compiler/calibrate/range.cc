// SPDX-License-Identifier: Apache-2.0
#include "compiler/calibrate/range.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace tessera::calibrate {
namespace {

constexpr double kTail = 0.00005;  // the share of values that percentile drops at each end
// The share of values that entropy may drop. The divergence alone would drop half of the values
// when many are equal, like the background of a picture.
constexpr double kMostBeyond = 0.001;
constexpr float kLeastScale = 1e-15f;  // so that a product of two is a normal number

// Counts of magnitudes: bin k counts |v| in [k, k + 1) widths, up to the greatest value.
std::vector<double> Magnitudes(const ValueHistogram& histogram) {
  constexpr size_t kHalf = ValueHistogram::kBins / 2;
  std::vector<double> counts(kHalf, 0);
  for (size_t k = 0; k < kHalf; ++k)
    counts[k] = static_cast<double>(histogram.bins()[kHalf + k] + histogram.bins()[kHalf - 1 - k]);
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  return counts;
}

// KL(counts | counts at |levels| levels); only the first |cut| bins are divided into levels.
double Divergence(const std::vector<double>& counts, size_t cut, size_t levels, double beyond) {
  double divergence = 0, total = beyond, kept = 0;
  for (size_t k = 0; k < cut; ++k) kept += counts[k];
  total += kept;
  if (kept == 0) return INFINITY;
  for (size_t level = 0; level < levels; ++level) {
    const size_t from = level * cut / levels, to = (level + 1) * cut / levels;
    double sum = 0, used = 0;
    for (size_t k = from; k < to; ++k) {
      sum += counts[k];
      used += counts[k] > 0;
    }
    for (size_t k = from; k < to; ++k) {
      const double clipped = k + 1 == cut ? beyond : 0;
      const double p = (counts[k] + clipped) / total;
      const double q = counts[k] > 0 ? sum / used / kept : 0;
      if (p > 0) divergence += p * std::log(p / std::max(q, 1e-12));
    }
  }
  return divergence;
}

double EntropyMagnitude(const ValueHistogram& histogram) {
  const bool one_sided = histogram.least() >= 0 || histogram.most() <= 0;
  const size_t levels = one_sided ? 255 : 128;
  std::vector<double> counts = Magnitudes(histogram);
  if (counts.size() > 1) counts[0] = counts[1];
  double beyond = 0, least = INFINITY;
  const double most_beyond = kMostBeyond * std::accumulate(counts.begin(), counts.end(), 0.0);
  size_t best = counts.size();
  for (size_t cut = counts.size(); cut >= levels && beyond <= most_beyond; --cut) {
    const double divergence = Divergence(counts, cut, levels, beyond);
    if (divergence < least) {
      least = divergence;
      best = cut;
    }
    beyond += counts[cut - 1];
  }
  return static_cast<double>(best) * histogram.width();
}

}  // namespace

std::string_view Text(RangeMethod method) {
  switch (method) {
    case RangeMethod::kMinMax:
      return "minmax";
    case RangeMethod::kPercentile:
      return "percentile";
    case RangeMethod::kEntropy:
      return "entropy";
  }
  TESSERA_CHECK(false);
}

Result<RangeMethod> ParseRangeMethod(const std::string& text) {
  for (const RangeMethod method :
       {RangeMethod::kMinMax, RangeMethod::kPercentile, RangeMethod::kEntropy}) {
    if (Text(method) == text) return method;
  }
  return Fail(Code::kInvalidArgument, "--method {}: there are minmax, percentile and entropy",
              text);
}

ValueRange RangeOf(const ValueHistogram& histogram, RangeMethod method) {
  ValueRange range{histogram.least(), histogram.most()};
  if (method == RangeMethod::kMinMax || histogram.limit() == 0) return range;
  if (method == RangeMethod::kEntropy) {
    const double t = EntropyMagnitude(histogram);
    return {std::max(range.least, -t), std::min(range.most, t)};
  }
  const auto& bins = histogram.bins();
  const double tail = kTail * static_cast<double>(histogram.count());
  double below = 0, above = 0;
  size_t first = 0, last = bins.size();
  while (below + static_cast<double>(bins[first]) <= tail)
    below += static_cast<double>(bins[first++]);
  while (above + static_cast<double>(bins[last - 1]) <= tail)
    above += static_cast<double>(bins[--last]);
  const auto edge = [&](size_t bin) {
    return (static_cast<double>(bin) - ValueHistogram::kBins / 2) * histogram.width();
  };
  range.least = std::max(range.least, edge(first));
  range.most = std::min(range.most, edge(last));
  return range;
}

ActivationScale ScaleOf(const ValueRange& range, DType dtype) {
  TESSERA_CHECK(dtype == DType::kInt8 || dtype == DType::kUint8);
  const int32_t lowest = dtype == DType::kInt8 ? -128 : 0;
  const double least = std::min(range.least, 0.0), most = std::max(range.most, 0.0);
  if (least == most) return {1, dtype == DType::kInt8 ? 0 : 128};
  ActivationScale made;
  made.scale = std::max(static_cast<float>((most - least) / 255), kLeastScale);
  made.zero = lowest + static_cast<int32_t>(
                           std::clamp(std::nearbyint(-least / double{made.scale}), 0.0, 255.0));
  return made;
}

}  // namespace tessera::calibrate
