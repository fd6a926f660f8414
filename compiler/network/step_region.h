// SPDX-License-Identifier: Apache-2.0
//
// A region of an accelerator program whose schedule is given step by step (schedule/step.h), as
// opposed to the generator's decisions. Depends on: compiler/lower, target, lower/accel. Used by:
// network/program.h.
#ifndef TESSERA_COMPILER_NETWORK_STEP_REGION_H_
#define TESSERA_COMPILER_NETWORK_STEP_REGION_H_

#include <cstdint>
#include <map>
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

// How an activation stays in INP.
struct KeptActivation {
  schedule::accel::Halo halo;
  int64_t pad = 0;  // what the halo holds
};
// By the names of a region's tensors. Those that are not in it are in device memory.
using KeptActivations = std::map<std::string, KeptActivation>;

// The activations of |region| that |trace| has in INP: |own|, or as its layout says.
//   errors  kInvalidArgument  a layout that is none
Result<KeptActivations> KeptBySteps(const AccelRegion& region, const schedule::Trace& trace,
                                    const KeptActivations& own);

// |region| with the schedule |trace|. It reads and writes its activations in the layout that
// programs leave them in, in device memory or where they are kept; what it prepares of constants is
// a constant.
//   errors  kInvalidArgument  a step that is refused (its number and why); another layout for an
//                             activation, or another memory than |kept| has it in; an activation
//                             that is prepared
//           and those of lower::Lower
Result<StepRegion> ScheduleBySteps(const AccelRegion& region, const schedule::Trace& trace,
                                   const KeptActivations& kept, const isa::Config& config);

// The result of |region|, which stays in INP, to device memory: a copy by way of OUT.
Result<StepRegion> StoreKept(const AccelRegion& region, const KeptActivations& kept,
                             const isa::Config& config);

// |steps|, a schedule of |region|, and double_buffer for what they compute on chip inside loops, in
// the order of the stages, as long as two copies of each fit.
//   errors  those of the steps
Result<std::string> WithDoubleBuffers(const AccelRegion& region, const std::string& steps,
                                      const KeptActivations& kept, const isa::Config& config);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_STEP_REGION_H_
