// SPDX-License-Identifier: Apache-2.0
//
// A scheduled function on a device of the accelerator: for schedules that a user writes by hand, to
// see what they compute and what they cost. Depends on: schedule, codegen/accel, runtime/device.h.
// Used by: tools/docs/schedules_doc, tests. Example: tests/compiler/accel/own_schedule_test.cc,
// which docs/schedules.md quotes.
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

// Lowers |schedule|, which is for an accelerator of the device's configuration and has one output,
// makes a program of it, has it checked, and runs it. |inputs|: row-major bytes of the inputs in
// the order in which te::TopologicalOrder has them.
//   errors  kInvalidArgument  inputs of another number or size
//           and those of lower::Lower, EmitFunc, the checker and the device
Result<ScheduledRun> RunScheduled(const schedule::Schedule& schedule, Device& device,
                                  const std::vector<std::vector<uint8_t>>& inputs);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_RUN_FUNC_H_
