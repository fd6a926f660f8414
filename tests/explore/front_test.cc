// SPDX-License-Identifier: Apache-2.0
//
// What is tested: fronts, ranks and hypervolumes against their definitions, computed by comparing
// all pairs and by counting cells of a grid; the greedy choice by hypervolume. Space: random points
// of small whole numbers, with equal ones, in 1 to 4 objectives. Not tested here: what the points
// are.
#include "explore/front.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "explore/gaussian.h"
#include "explore/strategy.h"

namespace tessera::explore::front_test {
namespace {

constexpr int64_t kSide = 5;  // of the box that the points lie in

std::vector<Values> RandomPoints(Rng& rng, size_t goals) {
  std::vector<Values> points(static_cast<size_t>(rng.Range(1, 9)), Values(goals));
  for (Values& point : points) {
    for (double& value : point) value = static_cast<double>(rng.Range(0, kSide));
  }
  return points;
}

// By definition.
bool Better(const Values& a, const Values& b) {
  size_t no_worse = 0, better = 0;
  for (size_t k = 0; k < a.size(); ++k) no_worse += a[k] <= b[k], better += a[k] < b[k];
  return no_worse == a.size() && better > 0;
}

// The cells of a grid of unit cubes that a point dominates.
double CountCells(const std::vector<Values>& points, size_t goals) {
  int64_t cells = 1, inside = 0;
  for (size_t k = 0; k < goals; ++k) cells *= kSide;
  for (int64_t cell = 0; cell < cells; ++cell) {
    Values low;
    for (int64_t rest = cell; low.size() < goals; rest /= kSide)
      low.push_back(static_cast<double>(rest % kSide));
    inside += std::ranges::any_of(points, [&](const Values& p) {
      for (size_t k = 0; k < goals; ++k) {
        if (p[k] > low[k]) return false;
      }
      return true;
    });
  }
  return static_cast<double>(inside);
}

TEST(Front, AgreesWithAllPairs) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    const size_t goals = 1 + seed % 4;
    const std::vector<Values> points = RandomPoints(rng, goals);
    std::vector<size_t> front;
    for (size_t p = 0; p < points.size(); ++p) {
      bool on = true;
      for (size_t q = 0; q < points.size(); ++q)
        on = on && !Better(points[q], points[p]) && !(q < p && points[q] == points[p]);
      if (on) front.push_back(p);
    }
    EXPECT_EQ(FrontOf(points), front);
    const std::vector<size_t> ranks = RanksOf(points);
    for (size_t p = 0; p < points.size(); ++p) {
      // The length of the longest chain of points each better than the next, before |p|.
      size_t chain = 0;
      for (size_t q = 0; q < points.size(); ++q) {
        if (Better(points[q], points[p])) chain = std::max(chain, ranks[q] + 1);
      }
      EXPECT_EQ(ranks[p], chain);
    }
  }
}

TEST(Front, VolumeIsThatOfTheCells) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    const size_t goals = 1 + seed % 4;
    const std::vector<Values> points = RandomPoints(rng, goals);
    EXPECT_DOUBLE_EQ(Hypervolume(points, Values(goals, kSide)), CountCells(points, goals));
  }
  EXPECT_EQ(Hypervolume({}, {1, 1}), 0);
}

TEST(Front, EndsAreTheLeastCrowded) {
  const std::vector<Values> points{{0, 10}, {1, 8}, {2, 2}, {10, 0}, {11, 11}};
  const std::vector<double> crowding = CrowdingOf(points, RanksOf(points));
  EXPECT_TRUE(std::isinf(crowding[0]) && std::isinf(crowding[3]) && std::isinf(crowding[4]));
  EXPECT_NEAR(crowding[1], 0.2 + 0.8, 1e-12);
  EXPECT_NEAR(crowding[2], 0.9 + 0.8, 1e-12);
}

TEST(Front, TheGreatestGainComesFirst) {
  const std::vector<Values> values{{4, 4}, {1, 3}, {3, 1}, {2, 2}, {5, 0}};
  // Cells up to (5, 5): (2, 2) has 9, (1, 3) and (3, 1) 8.
  EXPECT_EQ(MostGain({}, values, {5, 5}, 3), (std::vector<size_t>{3, 1, 2}));
  // Nothing gains beside (1, 1) but points that are better in one goal; ranks decide then.
  EXPECT_EQ(MostGain({{0, 0}}, values, {5, 5}, 2).size(), 2u);
  EXPECT_EQ(MostGain({}, values, {5, 5}, 9).size(), values.size());
}

TEST(Gaussian, LearnsASmoothFunctionAndKnowsWhereItDoesNot) {
  std::vector<std::vector<double>> at;
  std::vector<double> values;
  const auto function = [](double x, double y) { return std::sin(x) + 0.5 * y; };
  for (int x = 0; x < 6; ++x) {
    for (int y = 0; y < 4; ++y) {
      at.push_back({static_cast<double>(x), static_cast<double>(y), 7});  // the third never varies
      values.push_back(function(x, y));
    }
  }
  const GaussianProcess process(at, values);
  for (double x = 0.5; x < 5; x += 1) {
    const Guess guess = process.At({x, 1.5, 7});
    EXPECT_NEAR(guess.mean, function(x, 1.5), 0.1) << x;
  }
  EXPECT_LT(process.At({2, 2, 7}).deviation, 0.1);
  EXPECT_GT(process.At({40, 2, 7}).deviation, 10 * process.At({2, 2, 7}).deviation);
  const GaussianProcess one({{1.0, 2.0}}, {3.0});
  EXPECT_NEAR(one.At({1.0, 2.0}).mean, 3, 1e-9);
}

}  // namespace
}  // namespace tessera::explore::front_test
