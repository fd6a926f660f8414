// SPDX-License-Identifier: Apache-2.0
//
// The tokens of a program as pairs: push number n of an edge goes to pop number n. With these,
// instructions can be removed from a program without losing the order that their tokens made.
// Depends on: isa/semantics/fetch.h. Used by: shrink.
#ifndef TESSERA_SIM_RIG_TOKEN_PAIRS_H_
#define TESSERA_SIM_RIG_TOKEN_PAIRS_H_

#include <cstddef>
#include <vector>

#include "isa/semantics/fetch.h"

namespace tessera::rig {

using FetchedProgram = std::vector<isa::Fetched>;

// A push and its pop.
struct TokenPair {
  int from = 0, to = 0;  // units
  size_t number = 0;     // of the pushes and pops of its edge, from 0
};

// All pairs of |program|, edge by edge. A push without a pop, or the reverse, counts as a pair.
std::vector<TokenPair> PairsOf(const FetchedProgram& program);

// Removes the push and the pop of |pair|, if they exist. The numbers of later pairs of the edge go
// down by one.
void TakePair(FetchedProgram& program, const TokenPair& pair);

// Which instructions receive the tokens of a removed instruction.
enum class TokenHeir : uint8_t {
  kBoth,  // pops to the next instruction of its unit, pushes to the one before
  kNext,  // all to the next
  kPrev,  // all to the one before
};

// Removes instruction |n|. Its tokens go to the nearest instructions of its unit except FINISH. If
// there is no such instruction, or it has such a token already, the token is dropped. With kBoth
// the other instructions stay in order, except for those before a pop of |n| and those after a
// push.
void Erase(FetchedProgram& program, size_t n, TokenHeir heir);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_TOKEN_PAIRS_H_
