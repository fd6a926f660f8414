// SPDX-License-Identifier: Apache-2.0
//
// A region of an accelerator program whose schedule is given step by step (schedule/step.h), as
// opposed to the generator's decisions. Depends on: compiler/lower, target, lower/accel. Used by:
// network/program.h.
#ifndef TESSERA_COMPILER_NETWORK_STEP_REGION_H_
#define TESSERA_COMPILER_NETWORK_STEP_REGION_H_

#include <cstdint>
#include <string>

#include "base/error.h"
#include "compiler/lower/accel/lower_region.h"
#include "compiler/schedule/schedule.h"
#include "isa/config.h"

namespace tessera::network {

struct AccelRegion;

struct StepRegion {
  schedule::Trace trace;  // as given, and the layouts of what it exchanges with other regions
  lower::accel::LoweredRegion lowered;
  int64_t inp_tiles = 0;  // the most of INP that its boxes have at one time
};

// |region|, which has a schedule. It reads and writes its activations in device memory, in the
// layout that programs leave them in; what it prepares of constants is a constant.
//   errors  kInvalidArgument  a step that is refused (its number and why); another layout for an
//                             activation; an activation that is prepared
//           and those of lower::Lower
Result<StepRegion> ScheduleBySteps(const AccelRegion& region, const isa::Config& config);

// |steps|, a schedule of |region|, and double_buffer for what they compute on chip inside loops, in
// the order of the stages, as long as two copies of each fit.
//   errors  those of the steps
Result<std::string> WithDoubleBuffers(const AccelRegion& region, const std::string& steps,
                                      const isa::Config& config);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_STEP_REGION_H_
