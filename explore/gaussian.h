// SPDX-License-Identifier: Apache-2.0
//
// A Gaussian process: from some values of a function it says what the function is elsewhere, and
// how sure that is. For the few hundred machines that a search runs. Depends on: nothing of ours.
// Used by: strategies.
#ifndef TESSERA_EXPLORE_GAUSSIAN_H_
#define TESSERA_EXPLORE_GAUSSIAN_H_

#include <vector>

namespace tessera::explore {

struct Guess {
  double mean = 0, deviation = 0;
};

class GaussianProcess {
 public:
  // Learns |values| at |features|, rows of equal length. The length of the kernel and the noise are
  // those of a small grid that explain the values best. At least one value.
  GaussianProcess(const std::vector<std::vector<double>>& features,
                  const std::vector<double>& values);

  Guess At(const std::vector<double>& features) const;

 private:
  struct Fitted {
    double length = 1, noise = 1, scale = 1;  // |scale|: the variance of the values
    double likelihood = 0;
    std::vector<double> factor;   // the lower triangle of the kernel's Cholesky factor, by rows
    std::vector<double> weights;  // kernel^-1 times the values
  };
  Fitted FitWith(double length, double noise) const;
  double Kernel(const std::vector<double>& a, const std::vector<double>& b, double length) const;
  std::vector<double> Scaled(const std::vector<double>& features) const;

  std::vector<double> middle_, spread_;  // of the features
  std::vector<std::vector<double>> rows_;
  std::vector<double> values_;  // without their mean
  double mean_ = 0;
  Fitted fitted_;
};

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_GAUSSIAN_H_
