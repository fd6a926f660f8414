// SPDX-License-Identifier: Apache-2.0
//
// The cycles of a program without its data. This is a run of the cycle model in which instructions
// move no data and compute no results, except that micro-ops are loaded: the time of a program
// depends on no other data. It uses no SystemC, so any number of threads may count at once. Depends
// on: machine.h. Used by: compiler/driver, bench, tests.
#ifndef TESSERA_SIM_CYCLE_COUNT_H_
#define TESSERA_SIM_CYCLE_COUNT_H_

#include <cstdint>

#include "base/error.h"
#include "isa/config.h"
#include "isa/image.h"
#include "runtime/device.h"

namespace tessera::sim {

// Runs |image| alone on a machine of |config| with the memory model of |config|. The report is that
// of device `cycle`: cycles, counters of the units, traffic. The caller has checked |image|
// (isa/check/check.h).
//   errors  kUnsupported  |config| cannot express the profile of |image|
//           kTimeout      the run takes more than |budget| cycles
//           CodeOf's      the machine stops at an instruction, which the message names
Result<RunReport> CountCycles(const isa::ProgramImage& image, const isa::Config& config,
                              uint64_t budget = 1'000'000'000);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_CYCLE_COUNT_H_
