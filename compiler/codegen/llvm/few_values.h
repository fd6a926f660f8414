// SPDX-License-Identifier: Apache-2.0
//
// Requantisation of few values, as a sum of two activations has them: so few that each is tried at
// compile time. Depends on: compiler/ir. Used by: emit_requant.cc.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_FEW_VALUES_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_FEW_VALUES_H_

#include <cstdint>
#include <optional>

#include "compiler/ir/ir.h"

namespace tessera::codegen {

// round(units * factor), ties to even, in one fused product of floats.
struct FewValues {
  ir::Expr units;    // int32, exact as float32
  float factor = 0;  // the result is below 2^21 in size
};

// What |call| of requant, by a constant multiplier and shift, is, whatever its variables are: found
// by trying all of at most 1024 values. Empty: there are more, or a rounding differs.
std::optional<FewValues> FewValuesOf(const ir::Expr& call);

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_FEW_VALUES_H_
