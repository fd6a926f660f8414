// SPDX-License-Identifier: Apache-2.0
#include "explore/gaussian.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace tessera::explore {
namespace {

// In units of the features' deviations; of the values' variance.
constexpr double kLengths[] = {1, 2, 4, 8}, kNoises[] = {1e-4, 1e-2, 0.1};

}  // namespace

GaussianProcess::GaussianProcess(const std::vector<std::vector<double>>& features,
                                 const std::vector<double>& values) {
  TESSERA_CHECK(!values.empty() && features.size() == values.size());
  const size_t width = features[0].size();
  const auto n = static_cast<double>(values.size());
  middle_.assign(width, 0), spread_.assign(width, 0);
  for (const auto& row : features) {
    for (size_t k = 0; k < width; ++k) middle_[k] += row[k] / n;
  }
  for (const auto& row : features) {
    for (size_t k = 0; k < width; ++k) spread_[k] += std::pow(row[k] - middle_[k], 2) / n;
  }
  // A feature of one value only: another value is one doubling away.
  for (double& s : spread_) s = s > 0 ? std::sqrt(s) : 1;
  for (const auto& row : features) rows_.push_back(Scaled(row));
  for (const double value : values) mean_ += value / n;
  for (const double value : values) values_.push_back(value - mean_);
  bool first = true;
  for (const double length : kLengths) {
    for (const double noise : kNoises) {
      Fitted fitted = FitWith(length, noise);
      if (!first && fitted.likelihood <= fitted_.likelihood) continue;
      fitted_ = std::move(fitted);
      first = false;
    }
  }
}

std::vector<double> GaussianProcess::Scaled(const std::vector<double>& features) const {
  std::vector<double> scaled(features.size());
  for (size_t k = 0; k < features.size(); ++k) scaled[k] = (features[k] - middle_[k]) / spread_[k];
  return scaled;
}

double GaussianProcess::Kernel(const std::vector<double>& a, const std::vector<double>& b,
                               double length) const {
  double far = 0;
  for (size_t k = 0; k < a.size(); ++k) far += (a[k] - b[k]) * (a[k] - b[k]);
  return std::exp(-0.5 * far / (length * length));
}

GaussianProcess::Fitted GaussianProcess::FitWith(double length, double noise) const {
  const size_t n = rows_.size();
  Fitted f{.length = length, .noise = noise, .factor = {}, .weights = {}};
  f.factor.assign(n * n, 0);
  double log_determinant = 0;
  for (size_t r = 0; r < n; ++r) {
    for (size_t c = 0; c <= r; ++c) {
      double sum = Kernel(rows_[r], rows_[c], length) + (r == c ? noise : 0);
      for (size_t k = 0; k < c; ++k) sum -= f.factor[r * n + k] * f.factor[c * n + k];
      f.factor[r * n + c] = r == c ? std::sqrt(std::max(sum, 1e-12)) : sum / f.factor[c * n + c];
    }
    log_determinant += 2 * std::log(f.factor[r * n + r]);
  }
  f.weights = values_;
  for (size_t r = 0; r < n; ++r) {
    for (size_t k = 0; k < r; ++k) f.weights[r] -= f.factor[r * n + k] * f.weights[k];
    f.weights[r] /= f.factor[r * n + r];
  }
  double square = 0;
  for (const double w : f.weights) square += w * w;
  for (size_t r = n; r-- > 0;) {
    for (size_t k = r + 1; k < n; ++k) f.weights[r] -= f.factor[k * n + r] * f.weights[k];
    f.weights[r] /= f.factor[r * n + r];
  }
  f.scale = std::max(square / static_cast<double>(n), 1e-12);
  f.likelihood = -0.5 * (static_cast<double>(n) * std::log(f.scale) + log_determinant);
  return f;
}

Guess GaussianProcess::At(const std::vector<double>& features) const {
  const std::vector<double> row = Scaled(features);
  const size_t n = rows_.size();
  std::vector<double> kernel(n);
  double mean = mean_, variance = 1 + fitted_.noise;
  for (size_t k = 0; k < n; ++k) {
    kernel[k] = Kernel(row, rows_[k], fitted_.length);
    mean += kernel[k] * fitted_.weights[k];
  }
  for (size_t r = 0; r < n; ++r) {
    for (size_t k = 0; k < r; ++k) kernel[r] -= fitted_.factor[r * n + k] * kernel[k];
    kernel[r] /= fitted_.factor[r * n + r];
    variance -= kernel[r] * kernel[r];
  }
  return {mean, std::sqrt(fitted_.scale * std::max(variance, 0.0))};
}

}  // namespace tessera::explore
