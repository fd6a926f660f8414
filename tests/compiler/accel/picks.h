// SPDX-License-Identifier: Apache-2.0
//
// Other picks of a recorded schedule's decisions. Tests only.
#ifndef TESSERA_TESTS_COMPILER_ACCEL_PICKS_H_
#define TESSERA_TESTS_COMPILER_ACCEL_PICKS_H_

#include <functional>
#include <vector>

#include "base/rng.h"
#include "compiler/schedule/schedule.h"
#include "isa/config.h"

namespace tessera::test {

// Which of |values| decision |step| of a trace, by its index, has.
using Picker = std::function<schedule::Choice(size_t step, const std::vector<schedule::Choice>&)>;

// |trace| with what |pick| says, decision by decision: each domain is what the picks before leave
// of it. errors: those of a step that is refused, which is none of a domain's values' fault
Result<schedule::Trace> PickedBy(const te::Tensor& output, schedule::Trace trace,
                                 const isa::Config& config, const Picker& pick);

// Any value of each.
Picker AnyOf(Rng& rng);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_ACCEL_PICKS_H_
