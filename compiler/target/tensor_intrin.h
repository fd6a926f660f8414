// SPDX-License-Identifier: Apache-2.0
//
// Tensor intrinsics: a small tensor expression that says what an instruction does, and the tile
// intrinsic (ir/intrin.h) that stands for it. The lowering matches the nest of a stage against the
// expression; nothing else knows the instruction. Depends on te. Used by target.h, lower.
#ifndef TESSERA_COMPILER_TARGET_TENSOR_INTRIN_H_
#define TESSERA_COMPILER_TARGET_TENSOR_INTRIN_H_

#include <string>
#include <vector>

#include "compiler/te/te.h"

namespace tessera::target {

// How the first step of a reduction starts from the identity.
enum class InitStyle : uint8_t {
  kSeparate,  // plain stores of the identity before the reduction's loops
  kFlag,      // an operand behind the tiles: 1 in the first step (overwrite), 0 later (accumulate)
};

// The call's operands: the output tile, the tiles that the behaviour reads in order of first
// appearance, the flag for kFlag, then |trailing|. Tiles are row-major without gaps, as the
// behaviour's tensors are. Variables of the behaviour that are no axes are parameters: the nest has
// a constant there, which stands in |trailing| where the variable does.
struct TensorIntrin {
  std::string name;      // in schedules
  std::string call;      // the registered tile intrinsic
  te::Tensor behaviour;  // one compute stage over placeholders
  InitStyle init = InitStyle::kSeparate;
  std::vector<ir::Expr> trailing = {};  // i64 constants, and parameters
};

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TENSOR_INTRIN_H_
