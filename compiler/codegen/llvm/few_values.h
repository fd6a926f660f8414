// SPDX-License-Identifier: Apache-2.0
//
// Requantisation of sums with few values, such as sums of two activations: the compiler can try all
// of them. Depends on: compiler/ir. Used by: emitter.h.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_FEW_VALUES_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_FEW_VALUES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace tessera::codegen {

inline constexpr float kBeside = 0x1.8p23F;  // its neighbours are 1 apart

// The result is terms[0] * factors[0] + start, plus the second term if there is one, rounded with
// ties to even. Fused products add each term; all in float32, of magnitude below 2^21.
struct FewValues {
  struct ScaledUnits {
    ir::Expr units;  // int32, exact as float32
    float factor = 0;
  };
  std::vector<ScaledUnits> terms;  // one or two; a single term is rounded once, with its product
  float start = 0;                 // for two terms
};

// Finds the values of a function's calls of requant. Unrolled copies of a call differ only in what
// they read; each distinct call is tried once.
class FewValuesFinder {
 public:
  FewValuesFinder();
  ~FewValuesFinder();

  // A form of |call|, which has a constant multiplier and shift, that is right for all values of
  // its variables: found by trying all of at most 1024 sums, or all pairs of two bytes. Empty if
  // there are more values, or if a rounding differs.
  std::optional<FewValues> Of(const ir::Expr& call);

 private:
  struct Known;  // keyed by everything that a result depends on
  std::unique_ptr<Known> known_;
};

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_FEW_VALUES_H_
