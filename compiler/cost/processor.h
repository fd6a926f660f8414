// SPDX-License-Identifier: Apache-2.0
//
// Estimates the cost of a schedule of a host or a GPU from its stages and the figures of its
// target (target::Target). Makes no loop IR and no code. Depends on: compiler/lower,
// compiler/target. Used by: compiler/tune, bench, tests.
#ifndef TESSERA_COMPILER_COST_PROCESSOR_H_
#define TESSERA_COMPILER_COST_PROCESSOR_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/schedule.h"

namespace tessera::cost {

// Instructions by kind. On a host an instruction works on a register, scalar or vector; on a GPU on
// a value of one thread.
struct Instructions {
  double arithmetic = 0;  // also conversions, comparisons and selections
  double intrinsics = 0;  // calls of the target's intrinsics
  double loads = 0, stores = 0;
  double loops = 0;  // iterations of loops that are not unrolled

  Instructions& operator+=(const Instructions& other);
};

// Bytes that pass between two memories.
struct Traffic {
  double read = 0, written = 0;
};

struct ProcessorCost {
  double cycles = 0;      // of one run, estimated
  double iterations = 0;  // evaluations of the bodies of all stages
  Instructions instructions;
  // By cache of the target: what it exchanges with the memory behind it.
  std::vector<Traffic> traffic;
};

// Where a schedule runs.
struct ProcessorUse {
  int64_t threads = 1;  // processors of the target (a GPU: all, whatever this is)
  // What else passes through the shared caches between two runs. They keep data from one run to the
  // next if they have room for both.
  double bytes_between = 0;
};

// The cost of one run of |schedule|, a schedule for a host or a GPU that lowers.
//   errors  kInvalidArgument  the target has no figures (target::Target::caches);
//           lower::InferBounds's errors
Result<ProcessorCost> CostOnProcessor(const schedule::Schedule& schedule,
                                      const ProcessorUse& use = {});

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_PROCESSOR_H_
