// SPDX-License-Identifier: Apache-2.0
//
// Fits sums of terms by least squares.
//
// Depends on: nothing. Used by: model.cc.
#ifndef TESSERA_HW_PREDICT_LEAST_SQUARES_H_
#define TESSERA_HW_PREDICT_LEAST_SQUARES_H_

#include <vector>

namespace tessera::hw {

// A measurement: the terms' values, what they should add up to, and how much an error counts.
struct Equation {
  std::vector<double> terms;
  double value = 0;
  double weight = 1;
};

// The factors of the terms, none below 0, with nearly the least sum of (weight * error)^2. Terms
// whose factors would be below 0 are left out, the lowest first. |ridge| keeps factors of terms
// small that the equations hardly tell apart: 1e-6 is a faint pull. Terms that are 0 in all
// equations get 0.
std::vector<double> FitFactors(const std::vector<Equation>& equations, double ridge);

}  // namespace tessera::hw

#endif  // TESSERA_HW_PREDICT_LEAST_SQUARES_H_
