// SPDX-License-Identifier: Apache-2.0
//
// How two runs of a program agree in time: when each instruction retired and what every unit had
// done by then. Depends on: runtime/observer.h. Used by: tests of the cycle model.
#ifndef TESSERA_TESTS_SIM_CYCLE_AGREEMENT_H_
#define TESSERA_TESTS_SIM_CYCLE_AGREEMENT_H_

#include <string>
#include <vector>

#include "runtime/device.h"

namespace tessera::sim {

// The first retirement, in time, in which |got| differs from |want|: another instruction, cycle or
// counter; "" if none does. Retirements of one cycle may be told in any order.
std::string TimeDifference(std::vector<TraceEntry> want, std::vector<TraceEntry> got);

// The same of two reports: cycles, instructions, units, bytes.
std::string ReportDifference(const RunReport& want, const RunReport& got);

}  // namespace tessera::sim

#endif  // TESSERA_TESTS_SIM_CYCLE_AGREEMENT_H_
