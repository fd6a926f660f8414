// SPDX-License-Identifier: Apache-2.0
//
// Random tensor expressions, for tests of lowering and code generation under random schedules
// (random_schedule.h) and those of generators.
#ifndef TESSERA_TESTS_COMPILER_LOWER_RANDOM_TE_H_
#define TESSERA_TESTS_COMPILER_LOWER_RANDOM_TE_H_

#include <string>
#include <vector>

#include "base/rng.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/schedule.h"
#include "compiler/te/te.h"

namespace tessera::test {

constexpr int64_t kMostExtent = 20;  // of an axis

// What an expression is drawn from. The draws are those of the same seed in any size, as far as
// the smaller extents let them.
struct ExpressionSize {
  int64_t most_extent = kMostExtent;
  bool epilogue = true;  // else the reduction, or what stands for it, is the output

  int64_t Extent(int64_t least, int64_t most, Rng& rng) const;
};

// A padded, strided, dilated or grouped window reduction (or a matrix product, or elementwise
// stages with regrouped indices) with an epilogue of several stages. Small enough to interpret.
te::Tensor RandomExpression(Rng& rng, const ExpressionSize& size = {});

// Random contents for the placeholders that |output| needs.
te::Values RandomInputs(const te::Tensor& output, Rng& rng);

// The form of |output| with dot products for the host and, in |values|, the correction that goes
// with the weights there; |output| itself where it has no such form.
te::Tensor ProductOutput(const te::Tensor& output, te::Values* values,
                         DType factor = DType::kUint8);

// The arrays of |func|'s parameters, in their layouts: inputs from |values|, the others poisoned.
std::vector<ir::Array> Arguments(const ir::Func& func, const schedule::Schedule& schedule,
                                 const te::Values& values);

// The logical contents of parameter |p|.
std::vector<uint8_t> Logical(const ir::Func& func, const schedule::Schedule& schedule, size_t p,
                             const std::vector<ir::Array>& arguments);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_LOWER_RANDOM_TE_H_
