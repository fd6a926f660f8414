// SPDX-License-Identifier: Apache-2.0
//
// Writes a region's plan as the steps of a schedule (schedule/step.h) for the accelerator, to be
// read, changed and given back. Depends on: accel/plan.h. Used by: lower/accel, compiler/network,
// tests.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_STEPS_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_STEPS_H_

#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/step.h"

namespace tessera::schedule::accel {

// The steps of |plan|, made for |region| and |on_chip|. Tile sizes are decisions; orders and
// residencies are fixed. An activation that stays in INP is an input or the output in that memory,
// whose layout the caller gives; a result that stays is not stored.
Trace StepsOf(const AnalyzedRegion& region, const TilePlan& plan, const isa::Config& config,
              const OnChip& on_chip = {});

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_STEPS_H_
