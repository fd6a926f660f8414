// SPDX-License-Identifier: Apache-2.0
//
// The schedule generator of GPUs: from axis roles to grids of thread groups. Depends on:
// sketch.h, te/roles.h. Used by: compiler/driver; tuning edits its decisions.
#ifndef TESSERA_COMPILER_SCHEDULE_GPU_H_
#define TESSERA_COMPILER_SCHEDULE_GPU_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/sketch.h"

namespace tessera::schedule {

// Every stage that is not part of another one is a kernel. Sums over input channels are tiled: a
// group of threads computes a block of output channels and points, and brings chunks of both
// operands to shared memory; by matrix fragments where |target| has them for the types. For other
// reductions and elementwise stages, one thread computes one element.
//   constants  inputs known at compile time: they may be reordered before the function runs
Result<Schedule> GpuSchedule(const std::vector<te::Tensor>& outputs,
                             std::shared_ptr<const target::Target> target = target::Gpu(),
                             const std::set<std::string>& constants = {});

// The sketches of |output|, as far as they fit: "fragments", "tiles" in shared memory, "elements",
// one a thread, "partial_sums", an element a group, for few elements of many summands, which are
// no floats. The first is what GpuSchedule makes.
//   errors  those of GpuSchedule
Result<std::vector<Sketch>> GpuSketches(const te::Tensor& output,
                                        const std::shared_ptr<const target::Target>& target,
                                        const std::set<std::string>& constants);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_GPU_H_
