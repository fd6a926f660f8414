// SPDX-License-Identifier: Apache-2.0
//
// The cycles of a program without its data: the cycle model's run, in which instructions move and
// compute nothing but micro-ops. The time of a program depends on no other data. Without SystemC,
// so any number of threads count at once. Depends on: machine.h. Used by: bench, tests; whoever
// compares programs.
#ifndef TESSERA_SIM_CYCLE_COUNT_H_
#define TESSERA_SIM_CYCLE_COUNT_H_

#include <cstdint>

#include "base/error.h"
#include "isa/config.h"
#include "isa/image.h"
#include "runtime/device.h"

namespace tessera::sim {

// The run of |image| alone on a machine of |config| with its memory model, as device `cycle`
// reports it: cycles, counters of the units, traffic. |image| has passed the check of programs
// (isa/check/check.h).
//   errors  kUnsupported  a profile that |config| cannot express
//           kTimeout      more than |budget| cycles
//           CodeOf's      an instruction at which the machine stops: names it
Result<RunReport> CountCycles(const isa::ProgramImage& image, const isa::Config& config,
                              uint64_t budget = 1'000'000'000);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_CYCLE_COUNT_H_
