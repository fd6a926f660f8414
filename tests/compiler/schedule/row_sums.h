// SPDX-License-Identifier: Apache-2.0
//
// The expressions that most tests of steps are about. Tests only.
#ifndef TESSERA_TESTS_COMPILER_SCHEDULE_ROW_SUMS_H_
#define TESSERA_TESTS_COMPILER_SCHEDULE_ROW_SUMS_H_

#include <vector>

#include "compiler/te/te.h"

namespace tessera::test {

// x: i32[4, 6] -> a (elementwise) -> s (row sums) -> y (elementwise); z is a second reader of a.
struct RowSums {
  te::Tensor x, a, s, y, z;
};

inline RowSums MakeRowSums() {
  using Index = std::vector<ir::Expr>;
  RowSums t;
  t.x = te::Placeholder("x", DType::kInt32, {4, 6});
  t.a = te::Compute("a", {4, 6}, {"i", "j"}, [&](const Index& i) { return t.x(i) + 1; });
  const te::Axis k = te::ReduceAxis("k", 6);
  t.s =
      te::Compute("s", {4}, {"i"}, [&](const Index& i) { return te::Sum(t.a(i[0], k.var), {k}); });
  t.y = te::Compute("y", {4}, {"i"}, [&](const Index& i) { return t.s(i[0]) * 2; });
  t.z = te::Compute("z", {4, 6}, {"i", "j"}, [&](const Index& i) { return t.a(i) * 3; });
  return t;
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_SCHEDULE_ROW_SUMS_H_
