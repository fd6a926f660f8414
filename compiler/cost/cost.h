// SPDX-License-Identifier: Apache-2.0
//
// Estimates the cost of a schedule of the accelerator, the generator's or a user's, from its stages
// and the figures of its target. Makes no loop IR and no program. Depends on: compiler/lower,
// compiler/target, jit/unit_clock. Used by: compiler/network, bench, tests.
#ifndef TESSERA_COMPILER_COST_COST_H_
#define TESSERA_COMPILER_COST_COST_H_

#include <array>
#include <cstdint>

#include "base/error.h"
#include "compiler/schedule/schedule.h"
#include "isa/config.h"
#include "isa/insns.h"

namespace tessera::cost {

struct Cost {
  // From the start of a program of this function alone to the end of its last transfer, estimated.
  double cycles = 0;
  std::array<double, isa::kUnits> busy{};    // cycles that each unit works
  double bus = 0;                            // cycles that the bus works
  double read_bytes = 0, written_bytes = 0;  // of device memory, without the instructions

  double Busy(isa::Unit unit) const { return busy[static_cast<size_t>(unit)]; }
};

struct CostOptions {
  // Another function runs before this one. Meanwhile LOAD brings the constants that stay on chip
  // for all of this one.
  bool follows = false;
  // Every buffer in a loop gets a second copy, as by double_buffer, if there is room for it.
  bool double_buffers = false;
  int64_t inp_tiles = -1;  // of INP, for the function's own buffers; -1: all
};

// The cost of one run of |schedule|, a schedule for Accelerator(|config|) that lowers.
//   errors  kInvalidArgument  a stage without an instruction; lower::InferBounds's errors
Result<Cost> AccelCost(const schedule::Schedule& schedule, const isa::Config& config,
                       const CostOptions& options = {});

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_COST_H_
