// SPDX-License-Identifier: Apache-2.0
//
// The order of loads. LOAD works in order, so a load that waits for room or for a result delays the
// loads after it, although some of them could run at once. Depends on: isa, jit/tokens.h. Used by:
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

// A program's instructions, their accesses, and the index of the given instruction that each comes
// from (a load may be a part of the given load's box).
struct LoadOrder {
  std::vector<size_t> from;
  std::vector<isa::Insn> insns;
  std::vector<const TokenNode*> nodes;  // given nodes, or elements of |parts|
  std::deque<TokenNode> parts;
};

// |insns|, whose accesses are |nodes|, in another order with the same result when run one by one.
// Only loads move. A load of padding alone comes behind later loads that delay more instructions:
// the halo of a result behind the first weights. Other loads move forward: they pass a load that
// waits, depend on nothing that they pass, and end before it could begin, by the estimated cycles.
// They do the same where LOAD would be idle, because instructions of other units come before the
// next load. A box may be cut into pieces for it.
LoadOrder OrderLoads(std::span<const isa::Insn> insns, std::span<const TokenNode> nodes,
                     const isa::Config& config);

}  // namespace tessera::jit

#endif  // TESSERA_JIT_LOAD_ORDER_H_
