// SPDX-License-Identifier: Apache-2.0
//
// Chooses among the algorithms of a layer by the estimates of their costs. Depends on: processor.h,
// schedule/rounding.h. Used by: compiler/driver, tests.
#ifndef TESSERA_COMPILER_COST_CHOICE_H_
#define TESSERA_COMPILER_COST_CHOICE_H_

#include <memory>
#include <vector>

#include "base/error.h"
#include "compiler/cost/processor.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/sketch.h"
#include "compiler/target/target.h"

namespace tessera::cost {

// The schedule that is estimated to cost least on |target| of the first of |sketches|, which the
// generator prefers, and those by another algorithm (schedule::RoundingOf). The others of
// |sketches| compute what the first does, and the generator chose between them by other rules.
//   errors  those of Schedule::Replay and CostOnProcessor
Result<schedule::Schedule> CheapestAlgorithm(const std::vector<schedule::Sketch>& sketches,
                                             const std::shared_ptr<const target::Target>& target,
                                             const ProcessorUse& use);

}  // namespace tessera::cost

#endif  // TESSERA_COMPILER_COST_CHOICE_H_
