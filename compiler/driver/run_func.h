// SPDX-License-Identifier: Apache-2.0
//
// Runs a scheduled function on a device of the accelerator: shows the results and the cost of
// schedules that a user writes by hand. Depends on: schedule, codegen/accel, runtime/device.h. Used
// by: tools/docs/schedules_doc, tests. Example: tests/compiler/accel/own_schedule_test.cc, which
// docs/schedules.md quotes.
#ifndef TESSERA_COMPILER_DRIVER_RUN_FUNC_H_
#define TESSERA_COMPILER_DRIVER_RUN_FUNC_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/schedule.h"
#include "runtime/device.h"

namespace tessera::compiler {

struct ScheduledRun {
  std::vector<uint8_t> output;  // row-major bytes of the schedule's one output
  RunReport report;
};

// Lowers |schedule|, makes and checks its program, and runs it. |schedule| has one output and is
// for an accelerator of the device's configuration. |inputs|: row-major bytes of the inputs in the
// order of te::TopologicalOrder.
//   errors  kInvalidArgument  inputs of another number or size
//           and those of lower::Lower, EmitFunc, the checker and the device
Result<ScheduledRun> RunScheduled(const schedule::Schedule& schedule, Device& device,
                                  const std::vector<std::vector<uint8_t>>& inputs);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_RUN_FUNC_H_
