// SPDX-License-Identifier: Apache-2.0
//
// Replaces the values of decisions in a recorded schedule. Depends on: schedule.h. Used by: bench,
// tests.
#ifndef TESSERA_COMPILER_SCHEDULE_PICKS_H_
#define TESSERA_COMPILER_SCHEDULE_PICKS_H_

#include <functional>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "compiler/schedule/schedule.h"

namespace tessera::schedule {

// Chooses one of |values| for the decision at index |step| of a trace.
using Picker = std::function<Choice(size_t step, const std::vector<Choice>& values)>;

// |trace| with the values that |pick| chooses, decision by decision. Earlier picks narrow the
// domains of later decisions.
//   errors  those of a step that is refused; no value of a domain causes one
Result<Trace> PickedBy(const te::Tensor& output, Trace trace,
                       std::shared_ptr<const target::Target> target, const Picker& pick);

// Chooses any value, for each decision.
Picker AnyOf(Rng& rng);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_PICKS_H_
