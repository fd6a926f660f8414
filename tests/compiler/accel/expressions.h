// SPDX-License-Identifier: Apache-2.0
//
// Tensor expressions for tests of the accelerator's analysis, and regions of them.
#ifndef TESSERA_TESTS_COMPILER_ACCEL_EXPRESSIONS_H_
#define TESSERA_TESTS_COMPILER_ACCEL_EXPRESSIONS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/intrin.h"
#include "compiler/network/program.h"
#include "compiler/te/te.h"

namespace tessera::test {

using ExprList = std::vector<ir::Expr>;

inline ir::Expr I32(int64_t v) { return ir::Imm(DType::kInt32, v); }
inline ir::Expr Wide(ir::Expr e) { return ir::Cast(DType::kInt32, e); }
inline ir::Expr Narrow(ir::Expr sum) {
  const ir::Expr y = ir::Requant(sum, I32(1 << 30), I32(-3), isa::Round::kEven);
  return ir::Cast(DType::kInt8, ir::ClampAdd(y, I32(0), I32(-128), I32(127)));
}

// A region of |output|: placeholders named w... are constants, the others activations.
inline lower::accel::AccelRegion RegionOf(const te::Tensor& output) {
  lower::accel::AccelRegion region;
  region.op = "case";
  region.output = output;
  for (const te::Tensor& t : te::TopologicalOrder({output})) {
    if (!t->placeholder) continue;
    if (t.name()[0] == 'w') {
      int64_t bytes = SizeOf(t.dtype());
      for (int64_t extent : t.shape()) bytes *= extent;
      region.constants[t.get()].resize(static_cast<size_t>(bytes));
    } else {
      region.activations[t.get()] = 0;
    }
  }
  return region;
}

// SumOf: the sum of |value| over an axis of |extent|. Finish: requantises it.
inline te::Tensor SumOf(const std::function<ir::Expr(const ExprList&, const te::Axis&)>& value,
                        std::vector<int64_t> shape, int64_t extent) {
  const te::Axis k = te::ReduceAxis("k", extent);
  return te::Compute("sum", std::move(shape), {},
                     [&](const ExprList& i) { return te::Sum(value(i, k), {k}); });
}
inline te::Tensor Finish(const te::Tensor& sum) {
  return te::Compute("y", sum.shape(), {}, [&](const ExprList& i) { return Narrow(sum(i)); });
}
// Entry x + 128 of a constant table of |entries| int8, for each x of an activation.
inline te::Tensor LookedUp(int64_t entries) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {1, 8, 6, 6});
  const te::Tensor table = te::Placeholder("w", DType::kInt8, {entries});
  return te::Compute("y", x.shape(), {}, [&](const ExprList& i) {
    return table(ir::Cast(DType::kInt64, x(i)) + ir::Expr(128));
  });
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_ACCEL_EXPRESSIONS_H_
