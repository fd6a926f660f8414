// SPDX-License-Identifier: Apache-2.0
//
// Requantisation of few values, as a sum of two activations has them: so few that each is tried at
// compile time. Depends on: compiler/ir. Used by: emitter.h.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_FEW_VALUES_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_FEW_VALUES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace tessera::codegen {

inline constexpr float kBeside = 0x1.8p23F;  // its neighbours are 1 apart

// The result is terms[0] * factors[0] + start rounded, ties to even, where fused products add each
// term to what is there: float32, below 2^21 in size.
struct FewValues {
  struct ScaledUnits {
    ir::Expr units;  // int32, exact as float32
    float factor = 0;
  };
  std::vector<ScaledUnits> terms;  // one or two; one is rounded once, with its product
  float start = 0;                 // of two
};

// Finds the values of a function's calls of requant. Unrolled copies of a call differ in what they
// read alone, and are tried once.
class FewValuesFinder {
 public:
  FewValuesFinder();
  ~FewValuesFinder();

  // What |call|, by a constant multiplier and shift, is, whatever its variables are: found by
  // trying all of at most 1024 sums, or all pairs of two bytes. Empty: there are more, or a
  // rounding differs.
  std::optional<FewValues> Of(const ir::Expr& call);

 private:
  struct Known;  // by all that an answer depends on
  std::unique_ptr<Known> known_;
};

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_FEW_VALUES_H_
