// SPDX-License-Identifier: Apache-2.0
//
// A region's plan as the steps of a schedule (schedule/step.h), for the accelerator as a target: to
// be read, changed and given back. Depends on: accel/plan.h. Used by: compiler/network, tests.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_STEPS_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_STEPS_H_

#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/step.h"

namespace tessera::schedule::accel {

// |plan| is of |region|, as AnalyzeRegion gives it, and of
// |on_chip|; tile sizes are decisions, tiles, orders and what stays are as it says. What stays in
// INP from region to region is an input or the output in that memory, whose layout the caller
// gives; a result that stays is not stored.
Trace StepsOf(const AnalyzedRegion& region, const TilePlan& plan, const isa::Config& config,
              const OnChip& on_chip = {});

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_STEPS_H_
