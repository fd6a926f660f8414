// SPDX-License-Identifier: Apache-2.0
//
// Inserts tokens: orders instructions of different units that touch the same tiles or bytes. The
// accesses decide, not the positions in the program. Depends on: isa/access.h. Used by:
// jit/program_builder, jit/load_order, compiler/codegen/accel, tests.
#ifndef TESSERA_JIT_TOKENS_H_
#define TESSERA_JIT_TOKENS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "isa/access.h"

namespace tessera::jit {

// One instruction for token insertion.
struct TokenNode {
  isa::Unit unit = isa::Unit::kLoad;
  std::vector<isa::Access> accesses;
};

// Masks over enum Unit, as in the instruction's fields.
struct TokenMasks {
  uint8_t pop = 0;
  uint8_t push = 0;
  bool operator==(const TokenMasks&) const = default;
};

// The pop and push masks of each of |nodes|, so that the units' concurrent streams give the same
// result as |nodes| in order.
//
// Two instructions of different units conflict if one writes what the other reads or writes. The
// later one must start after the earlier one is complete. Instructions of one unit see each other's
// writes without tokens. A vector clock for each unit says which instructions are known to be
// complete when an instruction starts. If it does not cover a conflict, one token goes from the
// latest conflicting instruction of the other unit to this one. So
// - every conflict is ordered, and no token is implied by the others;
// - both ends of the tokens of one pair of units increase, so that counted tokens meet their
//   receivers;
// - every pop waits for an earlier instruction: running in order is always possible, no deadlock.
//
//   token_depth  tokens that a counter of the machine holds
//   errors       kOutOfRange  a run in order would have more than |token_depth| tokens of one pair
//                             of units under way, and would stall
Result<std::vector<TokenMasks>> InsertTokens(std::span<const TokenNode* const> nodes,
                                             int64_t token_depth);
Result<std::vector<TokenMasks>> InsertTokens(std::span<const TokenNode> nodes, int64_t token_depth);

}  // namespace tessera::jit

#endif  // TESSERA_JIT_TOKENS_H_
