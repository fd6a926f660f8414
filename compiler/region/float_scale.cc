// SPDX-License-Identifier: Apache-2.0
#include "compiler/region/float_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/hash.h"
#include "compiler/ir/scalar_math.h"

namespace tessera::te {
namespace {

constexpr double kLeastFactor = 0x1p-18, kMostFactor = 0.5;
constexpr int64_t kExact = 1 << 24;  // smaller integers are exact floats
constexpr int kNear = 4;             // a step is at most this far from its place on the line
constexpr double kSlopeStep = 0x1p-27;

// A result and the least x (sum plus offset) that reaches it.
struct ResultStep {
  int64_t result = 0, x = 0;
};

std::optional<int64_t> LeastSum(const ClampedScale& scale, double factor, int64_t result) {
  const auto reaches = [&](int64_t a) {
    return ir::RequantValue(static_cast<int32_t>(a), scale.multiplier, scale.shift,
                            scale.rounding) +
               int64_t{scale.zero} >=
           result;
  };
  const double line = std::floor((static_cast<double>(result - scale.zero) - 0.5) / factor);
  if (std::abs(line) > static_cast<double>(kExact)) return {};
  const auto near = static_cast<int64_t>(line);
  int64_t a = near;
  while (a >= near - kNear && reaches(a)) --a;
  if (a == near) ++a;  // which was found not to reach |result|
  while (a <= near + kNear && !reaches(a)) ++a;
  return a >= near - kNear && a <= near + kNear ? std::optional(a) : std::nullopt;
}

std::vector<ResultStep> StepsOf(const ClampedScale& scale, double factor, int64_t offset) {
  std::vector<ResultStep> steps;
  steps.reserve(static_cast<size_t>(int64_t{scale.hi} - scale.lo));
  for (int64_t result = scale.lo + int64_t{1}; result <= scale.hi; ++result) {
    const std::optional<int64_t> a = LeastSum(scale, factor, result);
    if (!a || std::abs(*a + offset) >= kExact) return {};
    steps.push_back({result, *a + offset});
  }
  return steps;
}

// A sum of two floats: rounded, and what that lost.
struct RoundedSum {
  double sum = 0, lost = 0;
};

// x * high + (x * low + start).
RoundedSum SumByFloats(int64_t x, const FloatNumbers& by) {
  const auto value = static_cast<double>(x);
  const double inner = std::fma(static_cast<float>(x), by.low, by.start);
  const double product = value * static_cast<double>(by.high);  // 48 bits: exact
  // The error of |sum| (Knuth, TAOCP vol. 2, 4.2.2, theorem B).
  const double sum = product + inner, back = sum - product;
  return {sum, (product - (sum - back)) + (inner - back)};
}

// Whether FloorByFloats(x, by) is |result| or more.
bool Reaches(int64_t x, const FloatNumbers& by, int64_t result) {
  const auto [sum, lost] = SumByFloats(x, by);
  const auto least = static_cast<double>(result);
  return sum > least || (sum == least && lost >= 0);
}

bool TakesAll(const std::vector<ResultStep>& steps, const FloatNumbers& by) {
  return std::ranges::all_of(steps, [&](const ResultStep& step) {
    return Reaches(step.x, by, step.result) && !Reaches(step.x - 1, by, step.result);
  });
}

// Whether sums of at most |most| do, with |offset|.
bool StaysInInt32(double offset, int64_t most) {
  return std::abs(offset) + static_cast<double>(most) <=
         static_cast<double>(std::numeric_limits<int32_t>::max());
}

}  // namespace

int64_t FloorByFloats(int64_t x, const FloatNumbers& by) {
  const auto [sum, lost] = SumByFloats(x, by);
  const double floor = std::floor(sum);
  return static_cast<int64_t>(floor) - (floor == sum && lost < 0 ? 1 : 0);  // it was rounded up
}

std::optional<FloatNumbers> FindFloatNumbers(const ClampedScale& scale, int64_t most) {
  const double factor = std::ldexp(static_cast<double>(scale.multiplier), scale.shift - 31);
  if (factor < kLeastFactor || factor > kMostFactor || scale.lo >= scale.hi) return {};
  const double exact_offset = std::round(static_cast<double>(scale.zero) / factor);
  if (!StaysInInt32(exact_offset, most)) return {};
  const auto offset = static_cast<int32_t>(exact_offset);
  const std::vector<ResultStep> steps = StepsOf(scale, factor, offset);
  if (steps.empty()) return {};
  // A line with a start at or below |lower| steps too late somewhere, at or above |upper| too
  // early. Try starts near the middle first: rounded floats deviate from the line.
  for (const int slope_steps : {0, 1, -1, 2, -2, 3, -3, 4, -4, 6, -6, 8, -8}) {
    const double slope = factor * (1 + slope_steps * kSlopeStep);
    double lower = -std::numeric_limits<double>::infinity(), upper = -lower;
    for (const ResultStep& step : steps) {
      const auto result = static_cast<double>(step.result);
      lower = std::max(lower, result - slope * static_cast<double>(step.x));
      upper = std::min(upper, result - slope * static_cast<double>(step.x - 1));
    }
    if (lower >= upper) continue;
    FloatNumbers by{.offset = offset, .high = static_cast<float>(slope)};
    by.low = static_cast<float>(slope - static_cast<double>(by.high));
    for (const int sixteenth : {8, 4, 12, 2, 14, 6, 10}) {
      by.start = static_cast<float>(lower + (upper - lower) * sixteenth / 16);
      if (TakesAll(steps, by)) return by;
    }
  }
  return {};
}

size_t FloatScales::Hash::operator()(const ClampedScale& scale) const {
  const auto pair = [](int32_t a, int32_t b) {
    return uint64_t{static_cast<uint32_t>(a)} << 32 | static_cast<uint32_t>(b);
  };
  uint64_t hash = Mix64(pair(scale.multiplier, scale.shift));
  hash = Mix64(hash ^ pair(scale.zero, static_cast<int32_t>(scale.rounding)));
  return Mix64(hash ^ pair(scale.lo, scale.hi));
}

std::optional<FloatNumbers> FloatScales::Find(const ClampedScale& scale, int64_t most) {
  const auto [known, fresh] = known_.try_emplace(scale);
  if (fresh) known->second = FindFloatNumbers(scale, 0);
  return known->second && StaysInInt32(known->second->offset, most) ? known->second : std::nullopt;
}

}  // namespace tessera::te
