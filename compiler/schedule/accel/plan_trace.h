// SPDX-License-Identifier: Apache-2.0
//
// A plan as a recorded trace of decisions, and back: what the generator chose can be printed, kept,
// changed and replayed, as the host's schedules can. Depends on: accel/plan.h, schedule.h. Used by:
// codegen/accel, tests.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_TRACE_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_TRACE_H_

#include "base/error.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/schedule/schedule.h"

namespace tessera::schedule::accel {

// The decisions of |plan|, in an order in which each domain follows from the ones before: "decide
// NAME {domain} index". The first is the form of |region| that network/program.h chose for a packed
// input (Anchor::im2col). |resident|: whether the result stays in INP (network/residency.h).
Trace RecordPlan(const AnalyzedRegion& region, const isa::Config& config, const TilePlan& plan,
                 bool resident);

// Whether |trace| is one of decisions as RecordPlan makes it, or a mistaken one; else its steps say
// all of the schedule (network/step_region.h).
bool IsPlan(const Trace& trace);

// The axes along which the taps were moved of the region that |trace| was recorded from.
//   errors  kInvalidArgument  no such decision
Result<int> Im2colAxesOf(const Trace& trace);
// Whether its result stays in INP. errors: kInvalidArgument no such decision
Result<bool> IsResident(const Trace& trace);

// The plan that |trace| describes, for |region| in the form that Im2colAxesOf says, which sees
// |on_chip|.
//   errors  kInvalidArgument  a step that is missing, out of order or not in its domain:
//                             number, name, what fits
//           kOutOfRange       decisions that do not fit the scratchpads, or each other
Result<TilePlan> ReplayPlan(const Trace& trace, const AnalyzedRegion& region,
                            const isa::Config& config, const OnChip& on_chip = {});

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_PLAN_TRACE_H_
