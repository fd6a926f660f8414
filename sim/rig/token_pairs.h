// SPDX-License-Identifier: Apache-2.0
//
// Tokens of a program as pairs: push number n of an edge goes to pop number n. Instructions leave a
// program and what they ordered stays ordered. Depends on: isa/semantics/fetch.h. Used by: shrink.
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
  size_t number = 0;     // of its edge, from 0
};

// All of |program|, edge by edge.
std::vector<TokenPair> PairsOf(const FetchedProgram& program);

// Takes push and pop out; the later ones of the edge count one less. What is not there is left out.
void TakePair(FetchedProgram& program, const TokenPair& pair);

// Where the tokens of an instruction go that leaves.
enum class TokenHeir : uint8_t {
  kBoth,  // pops to its unit's next instruction, pushes to the one before
  kNext,  // all to the next
  kPrev,  // all to the one before
};

// Takes instruction |n| out. Its tokens go to the nearest instructions of its unit, FINISH left
// out; those that have such a token already, or are not there, need none. With kBoth the rest stays
// in order, but for what came before a pop of |n| and what came after a push of it.
void Erase(FetchedProgram& program, size_t n, TokenHeir heir);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_TOKEN_PAIRS_H_
