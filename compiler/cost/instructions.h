// SPDX-License-Identifier: Apache-2.0
//
// Counts the instructions of a nest's body on a processor. Depends on: operands.h. Used by:
// processor.cc.
#ifndef TESSERA_COMPILER_COST_INSTRUCTIONS_H_
#define TESSERA_COMPILER_COST_INSTRUCTIONS_H_

#include "compiler/cost/operands.h"
#include "compiler/cost/processor.h"
#include "compiler/target/target.h"

namespace tessera::cost {

// What the processors of a target execute for all iterations of a body.
struct Work {
  Instructions instructions;
  double arithmetic_cycles = 0;  // of instructions that need no memory, one after another
  double call_cycles = 0;        // of the intrinsic's calls
  double spills = 0;             // loads, and as many stores, of sums without a register
  // Times that the loops that are unrolled or a vector run, and the cycles that each waits for the
  // sums of the one before; 0: it waits for none.
  double blocks = 1, wait = 0;
};

Work WorkOf(const Body& body, const target::Target& target);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_INSTRUCTIONS_H_
