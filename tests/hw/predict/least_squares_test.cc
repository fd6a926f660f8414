// SPDX-License-Identifier: Apache-2.0
//
// What is tested: FitFactors. Space: sums whose factors this file chose, at random, which the fit
// must find; noisy sums, where no small step with factors of 0 or more may lower the error by much;
// weights; terms that are always 0 or always equal.
#include "hw/predict/least_squares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tessera::hw::least_squares_test {
namespace {

double ErrorOf(const std::vector<Equation>& equations, const std::vector<double>& factors) {
  double sum = 0;
  for (const Equation& e : equations) {
    double error = -e.value;
    for (size_t t = 0; t < factors.size(); ++t) error += factors[t] * e.terms[t];
    sum += std::pow(e.weight * error, 2);
  }
  return sum;
}

std::vector<Equation> RandomTerms(std::mt19937& rng, size_t equations, size_t terms) {
  std::uniform_real_distribution<double> number(0.5, 20);
  std::vector<Equation> all(equations);
  for (Equation& e : all) {
    for (size_t t = 0; t < terms; ++t) e.terms.push_back(t == 0 ? 1 : number(rng));
    e.weight = number(rng);
  }
  return all;
}

TEST(LeastSquares, FindsTheFactorsOfASum) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    std::vector<Equation> equations = RandomTerms(rng, 12, 4);
    const std::vector<double> factors = {100, 3, 0.5, seed % 2 == 0 ? 0.0 : 7.0};
    for (Equation& e : equations) {
      for (size_t t = 0; t < 4; ++t) e.value += factors[t] * e.terms[t];
    }
    const std::vector<double> found = FitFactors(equations, 1e-10);
    for (size_t t = 0; t < 4; ++t) EXPECT_NEAR(found[t], factors[t], 1e-4) << t;
  }
}

TEST(LeastSquares, IsTheLeastOfFactorsNotBelowZero) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    std::vector<Equation> equations = RandomTerms(rng, 20, 3);
    std::uniform_real_distribution<double> value(-10, 200);
    for (Equation& e : equations) e.value = value(rng);
    const std::vector<double> found = FitFactors(equations, 1e-10);
    EXPECT_GE(*std::ranges::min_element(found), 0);
    // The error is convex, so where no small step lowers it nothing does.
    const double least = ErrorOf(equations, found);
    for (size_t t = 0; t < found.size(); ++t) {
      for (const double step : {-0.01, 0.01}) {
        std::vector<double> other = found;
        other[t] = std::max(0.0, other[t] + step);
        EXPECT_GE(ErrorOf(equations, other), least * (1 - 1e-6)) << t << " " << step;
      }
    }
  }
}

TEST(LeastSquares, AnEquationCountsByItsWeight) {
  // One factor: the mean of 10 and 20, the second with weight 3, whose square counts.
  const std::vector<Equation> equations = {{{1}, 10, 1}, {{1}, 20, 3}};
  EXPECT_NEAR(FitFactors(equations, 0)[0], (10 + 9 * 20) / 10.0, 1e-9);
}

TEST(LeastSquares, TermsThatCannotBeToldApartShare) {
  const std::vector<Equation> equations = {{{2, 2, 0}, 8}, {{3, 3, 0}, 12}};
  const std::vector<double> found = FitFactors(equations, 1e-6);
  EXPECT_NEAR(found[0] + found[1], 4, 1e-4);
  EXPECT_NEAR(found[0], found[1], 1e-4);
  EXPECT_EQ(found[2], 0) << "a term that is 0 everywhere";
  EXPECT_TRUE(FitFactors({}, 1e-6).empty());
}

}  // namespace
}  // namespace tessera::hw::least_squares_test
