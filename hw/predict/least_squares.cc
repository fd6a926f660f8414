// SPDX-License-Identifier: Apache-2.0
#include "hw/predict/least_squares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tessera::hw {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Solves a * x = b for a symmetric positive definite |a| by Cholesky's decomposition.
std::vector<double> SolveSymmetric(Matrix a, std::vector<double> b) {
  const size_t n = b.size();
  for (size_t j = 0; j < n; ++j) {
    for (size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = std::sqrt(a[j][j]);
    for (size_t i = j + 1; i < n; ++i) {
      for (size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

// The factors of the terms |kept|, in units in which each term has length 1.
std::vector<double> SolveKept(const Matrix& products, const std::vector<double>& values,
                              const std::vector<size_t>& kept, double ridge) {
  Matrix a(kept.size(), std::vector<double>(kept.size()));
  std::vector<double> b(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    for (size_t j = 0; j < kept.size(); ++j) a[i][j] = products[kept[i]][kept[j]];
    a[i][i] += ridge;
    b[i] = values[kept[i]];
  }
  return SolveSymmetric(std::move(a), std::move(b));
}

}  // namespace

std::vector<double> FitFactors(const std::vector<Equation>& equations, double ridge) {
  const size_t terms = equations.empty() ? 0 : equations.front().terms.size();
  Matrix products(terms, std::vector<double>(terms));
  std::vector<double> values(terms), length(terms);
  for (const Equation& e : equations) {
    const double square = e.weight * e.weight;
    for (size_t i = 0; i < terms; ++i) {
      values[i] += square * e.terms[i] * e.value;
      for (size_t j = 0; j < terms; ++j) products[i][j] += square * e.terms[i] * e.terms[j];
    }
  }
  std::vector<size_t> kept;
  for (size_t i = 0; i < terms; ++i) {
    length[i] = std::sqrt(products[i][i]);
    if (length[i] > 0) kept.push_back(i);
  }
  for (const size_t i : kept) {
    values[i] /= length[i];
    for (const size_t j : kept) products[i][j] /= length[i] * length[j];
  }
  std::vector<double> factors(terms);
  while (!kept.empty()) {
    const std::vector<double> x = SolveKept(products, values, kept, ridge);
    const auto lowest = std::ranges::min_element(x);
    if (*lowest < 0) {
      kept.erase(kept.begin() + (lowest - x.begin()));
      continue;
    }
    for (size_t i = 0; i < kept.size(); ++i) factors[kept[i]] = x[i] / length[kept[i]];
    break;
  }
  return factors;
}

}  // namespace tessera::hw
