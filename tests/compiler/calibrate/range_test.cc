// SPDX-License-Identifier: Apache-2.0
//
// What is tested: histograms against values counted one by one; the ranges of the three methods
// against sorted values and against divergences of explicit distributions; scales by the values
// that they give back. Space: seeded values of several distributions. Not tested here: which values
// of a network are counted (tools_quantize_test).
#include "compiler/calibrate/range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace tessera::calibrate::range_test {
namespace {

using ::testing::HasSubstr;

std::vector<float> Normal(size_t count, uint32_t seed, float factor = 1) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> draw;
  std::vector<float> values(count);
  for (float& v : values) v = factor * draw(rng);
  return values;
}

TEST(ValueHistogram, CountsAreThoseOfTheValuesWhateverTheirOrder) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::vector<float> values = Normal(3000, seed, std::ldexp(1.0f, static_cast<int>(seed) - 4));
    std::ranges::sort(values, {}, [](float v) { return std::abs(v); });  // ever larger values
    values.insert(values.begin(), 5, 0.0f);
    ValueHistogram kept;
    for (size_t at = 0; at < values.size(); at += 7)
      ASSERT_TRUE(kept.Add(std::span(values).subspan(at, std::min<size_t>(7, values.size() - at))));
    std::vector<int64_t> want(ValueHistogram::kBins, 0);
    for (const float v : values)
      ++want[static_cast<size_t>((double{v} + kept.limit()) / (2 * kept.limit()) *
                                 ValueHistogram::kBins)];
    EXPECT_EQ(kept.bins(), want);
    EXPECT_EQ(kept.count(), std::ssize(values));
    EXPECT_EQ(kept.least(), double{*std::ranges::min_element(values)});
    EXPECT_EQ(kept.most(), double{*std::ranges::max_element(values)});
    EXPECT_LE(kept.limit(), 2 * std::max(-kept.least(), kept.most()));
  }
}

TEST(ValueHistogram, ValuesThatAreNotFiniteAreRefused) {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    const Status added = ValueHistogram().Add(std::vector<float>{1, bad});
    ASSERT_FALSE(added);
    EXPECT_THAT(added.error().message, HasSubstr("holds a value that is"));
  }
}

TEST(ValueStatistics, MeansAndChannels) {
  ValueStatistics kept;
  ASSERT_TRUE(kept.Add(std::vector<float>{1, -2, 3, 4}, std::vector<int64_t>{1, 2, 2}));
  ASSERT_TRUE(kept.Add(std::vector<float>{3, 0, -9, 0}, std::vector<int64_t>{1, 2, 2}));
  EXPECT_EQ(kept.items, 2);
  EXPECT_EQ(kept.sum, (std::vector<double>{4, -2, -6, 4}));
  EXPECT_EQ(kept.channel_most, (std::vector<float>{3, 9}));
}

ValueHistogram Of(const std::vector<float>& values) {
  ValueHistogram kept;
  EXPECT_TRUE(kept.Add(values));
  return kept;
}

TEST(RangeOf, MinMaxIsTheValuesOwn) {
  const ValueRange range = RangeOf(Of({-0.3f, 7, 2}), RangeMethod::kMinMax);
  EXPECT_EQ(range.least, double{-0.3f});
  EXPECT_EQ(range.most, 7);
}

// 0.005 % of the sorted values at each end are left out, to the precision of a bin.
TEST(RangeOf, PercentileLeavesOutTheTails) {
  for (uint32_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::vector<float> values = Normal(200000, seed);
    const ValueHistogram kept = Of(values);
    std::ranges::sort(values);
    const ValueRange range = RangeOf(kept, RangeMethod::kPercentile);
    EXPECT_NEAR(range.least, double{values[10]}, kept.width());
    EXPECT_NEAR(range.most, double{values[values.size() - 11]}, kept.width());
    EXPECT_GT(range.least, kept.least());
    EXPECT_LT(range.most, kept.most());
  }
}

// The divergence for threshold bin |cut|, from explicit distributions.
double PlainDivergence(const std::vector<double>& counts, size_t cut, size_t levels) {
  std::vector<double> p(counts.begin(), counts.begin() + static_cast<int64_t>(cut)), q(cut, 0);
  for (size_t level = 0; level < levels; ++level) {
    std::vector<size_t> used;
    double sum = 0;
    for (size_t k = 0; k < cut; ++k) {
      if (k < level * cut / levels || k >= (level + 1) * cut / levels || counts[k] == 0) continue;
      used.push_back(k);
      sum += counts[k];
    }
    for (const size_t k : used) q[k] = sum / static_cast<double>(used.size());
  }
  p.back() += std::accumulate(counts.begin() + static_cast<int64_t>(cut), counts.end(), 0.0);
  const double all_p = std::accumulate(p.begin(), p.end(), 0.0),
               all_q = std::accumulate(q.begin(), q.end(), 0.0);
  double divergence = 0;
  for (size_t k = 0; k < cut; ++k) {
    if (p[k] > 0)
      divergence += p[k] / all_p * std::log(p[k] / all_p / std::max(q[k] / all_q, 1e-12));
  }
  return divergence;
}

TEST(RangeOf, EntropyTakesTheLeastDivergence) {
  for (const bool one_sided : {false, true}) {
    std::vector<float> values = Normal(6000, 3);
    for (float& v : values) v = one_sided ? std::abs(v) : v;
    values.push_back(9);  // far from the others
    const ValueHistogram kept = Of(values);
    constexpr size_t kHalf = ValueHistogram::kBins / 2;
    std::vector<double> counts(static_cast<size_t>(9 / kept.width()) + 1, 0);
    for (const float v : values) {
      // A negative value on an edge belongs to the bin that ends there.
      const double at = std::abs(double{v}) / kept.width();
      counts[static_cast<size_t>(v < 0 ? std::ceil(at) - 1 : at)] += 1;
    }
    ASSERT_LE(counts.size(), kHalf);
    counts[0] = counts[1];
    const size_t levels = one_sided ? 255 : 128;
    double beyond = 0, least = INFINITY;
    size_t best = 0;
    for (size_t cut = counts.size(); cut >= levels && beyond <= 6; --cut) {  // 0.1 % of 6001
      const double divergence = PlainDivergence(counts, cut, levels);
      if (divergence < least - 1e-12) {
        least = divergence;
        best = cut;
      }
      beyond += counts[cut - 1];
    }
    const ValueRange range = RangeOf(kept, RangeMethod::kEntropy);
    EXPECT_DOUBLE_EQ(range.most, std::min(9.0, static_cast<double>(best) * kept.width()));
    EXPECT_LT(range.most, 5) << "the lone value is left out";
  }
}

TEST(RangeOf, AMethodThatIsNoneIsToldInWords) {
  const auto method = ParseRangeMethod("max");
  ASSERT_FALSE(method);
  EXPECT_EQ(method.error().message, "--method max: there are minmax, percentile and entropy");
  for (const RangeMethod each :
       {RangeMethod::kMinMax, RangeMethod::kPercentile, RangeMethod::kEntropy})
    EXPECT_EQ(*ParseRangeMethod(std::string(Text(each))), each);
}

// Each value of the range comes back to within a step (half of one because the zero point is
// whole), and 0 exactly.
TEST(ScaleOf, BringsTheRangeBack) {
  std::mt19937 rng(5);
  for (int n = 0; n < 200; ++n) {
    std::uniform_real_distribution<double> draw(-10, 10);
    const double a = draw(rng), b = draw(rng);
    const ValueRange range{std::min(a, b), std::max(a, b)};
    for (const DType dtype : {DType::kInt8, DType::kUint8}) {
      SCOPED_TRACE(testing::Message() << range.least << " to " << range.most);
      const ActivationScale scale = ScaleOf(range, dtype);
      const int lowest = dtype == DType::kInt8 ? -128 : 0;
      EXPECT_GE(scale.zero, lowest);
      EXPECT_LE(scale.zero, lowest + 255);
      for (const double v : {range.least, range.most, (range.least + range.most) / 2}) {
        const double step = double{scale.scale};
        const double q =
            std::clamp(std::nearbyint(v / step) + scale.zero, lowest + 0.0, lowest + 255.0);
        EXPECT_LE(std::abs((q - scale.zero) * step - v), 1.0001 * step);
      }
    }
    EXPECT_EQ(ScaleOf(range, DType::kUint8).zero, ScaleOf(range, DType::kInt8).zero + 128);
  }
  EXPECT_EQ(ScaleOf({0, 0}, DType::kInt8), (ActivationScale{1, 0}));
  EXPECT_EQ(ScaleOf({0, 255}, DType::kInt8), (ActivationScale{1, -128}));
  EXPECT_EQ(ScaleOf({-128, 127}, DType::kInt8), (ActivationScale{1, 0}));
}

}  // namespace
}  // namespace tessera::calibrate::range_test
