// SPDX-License-Identifier: Apache-2.0
//
// Compares two runs of a program in time: when each instruction retired, and what every unit had
// done by then. Depends on: runtime/observer.h. Used by: lockstep, tests of the cycle model.
#ifndef TESSERA_SIM_RIG_TIMING_H_
#define TESSERA_SIM_RIG_TIMING_H_

#include <string>
#include <vector>

#include "runtime/device.h"

namespace tessera::rig {

// The first retirement, in order of cycles, in which |got| differs from |want|: another
// instruction, cycle or counter; "" if there is none. Retirements of one cycle may be in any order.
std::string TimeDifference(std::vector<TraceEntry> want, std::vector<TraceEntry> got);

// The first difference of two reports: cycles, instructions, units, bytes; "" if there is none.
std::string ReportDifference(const RunReport& want, const RunReport& got);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_TIMING_H_
