// SPDX-License-Identifier: Apache-2.0
//
// Shared code of the emissions of VECTOR's instructions. Private to compiler/target.
#ifndef TESSERA_COMPILER_TARGET_TILE_VECTOR_H_
#define TESSERA_COMPILER_TARGET_TILE_VECTOR_H_

#include <array>
#include <span>
#include <vector>

#include "base/check.h"
#include "compiler/target/tile_emission.h"

namespace tessera::target {

// The multiplier and shift without effect: value * (2^31 - 1) * 2^-31, rounded, is the value from
// -2^30 + 1 to 2^30, and 1 closer to 0 beyond, where int8 results are clamped in any case. A shift
// to the left would wrap there.
inline constexpr int64_t kSameMultiplier = (int64_t{1} << 31) - 1, kSameShift = 0;
inline constexpr int64_t kSameRound = static_cast<int64_t>(isa::Round::kTflite);

inline int64_t VectorMemoryOf(const LeafOperand& operand) {
  switch (operand.buffer->scope) {
    case ir::Scope::kAcc:
      return static_cast<int64_t>(isa::VectorMemory::kAcc);
    case ir::Scope::kOut:
      return static_cast<int64_t>(isa::VectorMemory::kOut);
    case ir::Scope::kInp:
      return static_cast<int64_t>(isa::VectorMemory::kInp);
    default:
      TESSERA_CHECK(false, "{} is no operand of VECTOR", operand.buffer->name);
  }
}

// An instruction looks up in all of TAB; |table| is what it looks up in.
inline Status StartsTab(const LeafOperand& table) {
  if (table.base == 0) return {};
  return Fail(Code::kUnsupported, "{} lies behind another table in TAB, which holds one",
              table.buffer->name);
}

// The two loops of an instruction, outer first; an absent loop has one iteration.
inline std::array<LeafDim, 2> TwoLoops(std::span<const LeafDim> loops) {
  const LeafDim one;
  if (loops.empty()) return {one, one};
  if (loops.size() == 1) return {one, loops[0]};
  return {loops[0], loops[1]};
}

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TILE_VECTOR_H_
