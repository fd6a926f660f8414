// SPDX-License-Identifier: Apache-2.0
//
// Winograd's sums over a window of three along a line: M results from M + 2 products, instead of 3
// M. Each of three transforms is a constant matrix: the inputs' and the weights' lead to the
// factors of the products, the results' leads from the products to the sums. They follow Cook and
// Toom: the factors are values of polynomials at the points 0, 1, -1, 2, -2, 1/2, -1/2, as many as
// M asks for, and at infinity. Integers are exact: what the weights are divided by for floats comes
// into the results' transform, which gives divisor() times the sums. Depends on: ir. Used by:
// steps/winograd.cc, host_winograd.cc.
#ifndef TESSERA_COMPILER_SCHEDULE_WINOGRAD_H_
#define TESSERA_COMPILER_SCHEDULE_WINOGRAD_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/ir/ir.h"

namespace tessera::schedule {

// Rows of the transforms, of the type of what they transform. Terms of 0 are left out, factors of 1
// are no products, other products of floats are added by fma. Rows of opposite points share their
// subexpressions, so that a compiler that finds equal ones computes them once.
class Winograd {
 public:
  static constexpr int64_t kTaps = 3;
  // The value |i| of a line.
  using Line = std::function<ir::Expr(int64_t i)>;

  // |results| is 2, 4 or 6; of |integers| 2 or 4.
  explicit Winograd(int64_t results, bool integers = false);
  static bool Takes(int64_t results) { return results == 2 || results == 4 || results == 6; }

  int64_t results() const { return results_; }
  int64_t products() const { return results_ + kTaps - 1; }
  // How far a sum over squares of results may be from the exact one, as a share of the greatest
  // sum: for inputs and weights from -1 to 1, float32 (docs/rationale/floats.md).
  double error() const;
  // Of integers: what a line of results has been multiplied by.
  int64_t divisor() const { return divisor_; }
  // The greatest factor of a product on a line of values up to 1, as Input and Weight make them of
  // integers.
  int64_t GreatestInput() const;
  int64_t GreatestWeight() const;

  // The factor number |product|, an index of [0, products()), from a line of products() inputs.
  ir::Expr Input(const ir::Expr& product, const Line& inputs) const;
  // The same from a line of kTaps weights.
  ir::Expr Weight(const ir::Expr& product, const Line& weights) const;
  // The sum number |result|, an index of [0, results()), from a line of products() products.
  ir::Expr Result(const ir::Expr& result, const Line& products) const;

 private:
  // The value of the input's polynomial at |point|, twice it for a point with an opposite: what
  // floats divide the weights' by.
  double Whole(double point) const;

  int64_t results_;
  bool integers_;
  int64_t divisor_ = 1;
  std::vector<double> pairs_;  // each stands for a point and its opposite
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_WINOGRAD_H_
