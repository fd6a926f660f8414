// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/winograd.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "compiler/ir/intrin.h"

namespace tessera::schedule {
namespace {

using ir::Expr;
using Polynomial = std::vector<double>;  // coefficients of 1, x, x^2 and so on

struct ScaledTerm {
  double factor = 0;
  Expr value;
};

// A term without a product goes first, if there is one: then every other one of floats is an fma.
Expr SumOf(std::vector<ScaledTerm> terms) {
  std::erase_if(terms, [](const ScaledTerm& t) { return t.factor == 0; });
  const auto first = std::ranges::find(terms, 1.0, &ScaledTerm::factor);
  if (first != terms.end()) std::rotate(terms.begin(), first, first + 1);
  Expr sum;
  for (const ScaledTerm& t : terms) {
    const DType type = t.value.dtype();
    const Expr factor = IsFloat(type) ? ir::ImmF32(static_cast<float>(t.factor))
                                      : ir::Imm(type, static_cast<int64_t>(t.factor));
    if (!sum) {
      sum = t.factor == 1 ? t.value : factor * t.value;
    } else if (t.factor == 1) {
      sum = sum + t.value;
    } else if (t.factor == -1) {
      sum = sum - t.value;
    } else {
      sum = IsFloat(type) ? ir::Fma(factor, t.value, sum) : sum + factor * t.value;
    }
  }
  return sum;
}

double SumOfSizes(const Polynomial& factors) {
  double sum = 0;
  for (const double f : factors) sum += std::abs(f);
  return sum;
}

double ValueAt(double p, const Polynomial& factors) {
  double value = 0;
  for (size_t i = factors.size(); i-- > 0;) value = value * p + factors[i];
  return value;
}

Expr ValueOf(const Polynomial& factors, const Winograd::Line& line) {
  std::vector<ScaledTerm> terms;
  for (size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] != 0) terms.push_back({factors[i], line(static_cast<int64_t>(i))});
  }
  return SumOf(std::move(terms));
}

// x^|power| times the product of (x^2 - q^2) over all q of |pairs| but |without|.
Polynomial ProductOver(const std::vector<double>& pairs, double without, size_t power) {
  Polynomial made(power, 0);
  made.push_back(1);
  for (const double q : pairs) {
    if (q == without) continue;
    Polynomial next(made.size() + 2, 0);
    for (size_t i = 0; i < made.size(); ++i) {
      next[i] -= q * q * made[i];
      next[i + 2] += made[i];
    }
    made = std::move(next);
  }
  return made;
}

Polynomial Times(Polynomial p, double factor) {
  for (double& c : p) c *= factor;
  return p;
}

// Row |index| of |rows|.
Expr RowAt(const Expr& index, const std::vector<Expr>& rows) {
  Expr chosen = rows.back();
  for (size_t k = rows.size() - 1; k-- > 0;)
    chosen = ir::Select(ir::Eq(index, Expr(static_cast<int64_t>(k))), rows[k], chosen);
  return chosen;
}

// The products of point 0 and of infinity are the first and the last, those of pair k and its
// opposite 1 + 2 k and 2 + 2 k.
void AddPair(const Expr& even, const Expr& odd, std::vector<Expr>* rows) {
  rows->push_back(even + odd);
  rows->push_back(even - odd);
}

}  // namespace

Winograd::Winograd(int64_t results, bool integers) : results_(results), integers_(integers) {
  TESSERA_CHECK(Takes(results) && (!integers || results < 6), "{}", results);
  const double kPairs[] = {1, 2, 0.5};
  pairs_.assign(kPairs, kPairs + results / 2);
  if (!integers) return;
  divisor_ = std::abs(static_cast<int64_t>(Whole(0)));
  for (const double p : pairs_)
    divisor_ = std::lcm(divisor_, std::abs(static_cast<int64_t>(Whole(p))));
}

double Winograd::Whole(double point) const {
  if (point == 0) return ValueAt(0, ProductOver(pairs_, 0, 0));
  return 2 * ValueAt(point, ProductOver(pairs_, point, 2));
}

int64_t Winograd::GreatestInput() const {
  double most =
      std::max(SumOfSizes(ProductOver(pairs_, 0, 0)), SumOfSizes(ProductOver(pairs_, 0, 1)));
  for (const double p : pairs_) {
    most = std::max(most, SumOfSizes(ProductOver(pairs_, p, 2)) +
                              SumOfSizes(Times(ProductOver(pairs_, p, 1), p)));
  }
  return static_cast<int64_t>(most);
}

int64_t Winograd::GreatestWeight() const {
  double most = 1;
  for (const double p : pairs_) most = std::max(most, 1 + p + p * p);
  return static_cast<int64_t>(most);
}

double Winograd::error() const { return results_ == 2 ? 1e-6 : results_ == 4 ? 1e-5 : 5e-5; }

// The point's polynomial is the product of (x - q) over all other points q.
Expr Winograd::Input(const Expr& product, const Line& inputs) const {
  std::vector<Expr> rows{ValueOf(ProductOver(pairs_, 0, 0), inputs)};
  for (const double p : pairs_) {  // of p: (x + p) x times the other pairs
    AddPair(ValueOf(ProductOver(pairs_, p, 2), inputs),
            ValueOf(Times(ProductOver(pairs_, p, 1), p), inputs), &rows);
  }
  rows.push_back(ValueOf(ProductOver(pairs_, 0, 1), inputs));
  return RowAt(product, rows);
}

// The value of the weights' polynomial at the point, of floats divided by the value of the input's.
Expr Winograd::Weight(const Expr& product, const Line& weights) const {
  const auto scale = [&](double point) { return integers_ ? 1 : Whole(point); };
  std::vector<Expr> rows{ValueOf({1 / scale(0)}, weights)};
  for (const double p : pairs_) {
    AddPair(ValueOf({1 / scale(p), 0, p * p / scale(p)}, weights),
            ValueOf({0, p / scale(p)}, weights), &rows);
  }
  rows.push_back(weights(kTaps - 1));
  return RowAt(product, rows);
}

Expr Winograd::Result(const Expr& result, const Line& products) const {
  const auto d = static_cast<double>(divisor_);
  const auto scale = [&](double point) { return integers_ ? d / Whole(point) : 1; };
  std::vector<Expr> rows;
  for (int64_t i = 0; i < results_; ++i) {
    std::vector<ScaledTerm> terms;
    if (i == 0) terms.push_back({scale(0), products(0)});
    for (size_t k = 0; k < pairs_.size(); ++k) {
      const auto first = static_cast<int64_t>(1 + 2 * k);
      const Expr here = products(first), opposite = products(first + 1);
      terms.push_back({scale(pairs_[k]) * std::pow(pairs_[k], static_cast<double>(i)),
                       i % 2 == 0 ? here + opposite : here - opposite});
    }
    if (i == results_ - 1) terms.push_back({d, products(this->products() - 1)});
    rows.push_back(SumOf(std::move(terms)));
  }
  return RowAt(result, rows);
}

}  // namespace tessera::schedule
