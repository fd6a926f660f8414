// SPDX-License-Identifier: Apache-2.0
//
// The order of loads: LOAD works in order, so a load that waits for room or for a result holds up
// those behind it, of which some could come at once. Depends on: isa, jit/tokens.h. Used by:
// jit/program_builder.
#ifndef TESSERA_JIT_LOAD_ORDER_H_
#define TESSERA_JIT_LOAD_ORDER_H_

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "isa/config.h"
#include "isa/insns.h"
#include "jit/tokens.h"

namespace tessera::jit {

// A program's instructions, what they touch, and which of the given ones each is (of a load, it may
// be a part of the box).
struct LoadOrder {
  std::vector<size_t> from;
  std::vector<isa::Insn> insns;
  std::vector<const TokenNode*> nodes;  // those that were given, or |parts|
  std::deque<TokenNode> parts;
};

// |insns|, which touch what |nodes| say, in an order in which running them one by one gives the
// same. Only loads move, and only forward: in front of a load that waits come those behind it, in
// pieces where a box can be cut, that depend on nothing that they pass and that end, by the cycles
// of instructions and what they wait for, before it could begin.
LoadOrder OrderLoads(std::span<const isa::Insn> insns, std::span<const TokenNode> nodes,
                     const isa::Config& config);

}  // namespace tessera::jit

#endif  // TESSERA_JIT_LOAD_ORDER_H_
