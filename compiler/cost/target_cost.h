// SPDX-License-Identifier: Apache-2.0
//
// Estimates the cost of a schedule for any target. Depends on: cost.h, processor.h. Used by:
// compiler/tune, bench, tests.
#ifndef TESSERA_COMPILER_COST_TARGET_COST_H_
#define TESSERA_COMPILER_COST_TARGET_COST_H_

#include <variant>

#include "base/error.h"
#include "compiler/cost/cost.h"
#include "compiler/cost/processor.h"
#include "compiler/schedule/schedule.h"
#include "compiler/target/target.h"
#include "isa/config.h"

namespace tessera::cost {

// Whether |target| is a host or a GPU, and not the accelerator.
bool IsProcessor(const target::Target& target);

// By target: of the accelerator, or of a processor.
using TargetCost = std::variant<Cost, ProcessorCost>;

// The cost of one run of |schedule|, with one thread on a host. |config| and |follows|
// (CostOptions) are for schedules of the accelerator alone.
//   errors  those of AccelCost and CostOnProcessor
Result<TargetCost> CostOnTarget(const schedule::Schedule& schedule, const isa::Config& config,
                                bool follows = false);

// The cycles of |cost|.
double CyclesOf(const TargetCost& cost);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_TARGET_COST_H_
