// SPDX-License-Identifier: Apache-2.0
//
// Tokens from intervals: orders instructions of different units that touch the same tiles or bytes,
// by what they read and write and not by where they stand. Depends on: isa/access.h. Used by:
// jit/program_builder, tests.
#ifndef TESSERA_JIT_TOKENS_H_
#define TESSERA_JIT_TOKENS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "isa/access.h"

namespace tessera::jit {

// One instruction as token insertion sees it.
struct TokenNode {
  isa::Unit unit = isa::Unit::kLoad;
  std::vector<isa::Access> accesses;
};

// Masks over enum Unit, as the instruction's fields.
struct TokenMasks {
  uint8_t pop = 0;
  uint8_t push = 0;
  bool operator==(const TokenMasks&) const = default;
};

// The pop and push masks of each of |nodes|, so that running the units' streams concurrently gives
// what running |nodes| in order gives.
//
// Two instructions of different units conflict when one writes what the other reads or writes. A
// later one must start after an earlier conflicting one is complete. Instructions of one unit see
// each other's writes by themselves. A vector clock per unit says what is known to be complete when
// an instruction starts; where a conflict is not covered, one token goes from the latest
// conflicting instruction of the other unit to this one. So
// - every conflict is ordered, and no token is implied by the others;
// - both ends of the tokens of one pair of units increase, so that counted tokens meet their
// receivers;
// - every pop waits for an earlier instruction: running in order is always possible, no deadlock.
//
//   token_depth  tokens that a counter of the machine holds
//   errors       kOutOfRange  more than |token_depth| tokens of one pair of units would be under
//   way
//                             at a point of the program (running in order would stall there)
Result<std::vector<TokenMasks>> InsertTokens(std::span<const TokenNode* const> nodes,
                                             int64_t token_depth);
Result<std::vector<TokenMasks>> InsertTokens(std::span<const TokenNode> nodes, int64_t token_depth);

}  // namespace tessera::jit

#endif  // TESSERA_JIT_TOKENS_H_
