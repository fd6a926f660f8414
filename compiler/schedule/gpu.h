// SPDX-License-Identifier: Apache-2.0
//
// The GPU's schedule generator: from axis roles to grids of thread groups. Depends on schedule.h,
// te/roles.h. Used by the compile driver; tuning edits its decisions.
#ifndef TESSERA_COMPILER_SCHEDULE_GPU_H_
#define TESSERA_COMPILER_SCHEDULE_GPU_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/schedule.h"

namespace tessera::schedule {

// Every stage that is not part of another is a kernel. Sums over input channels are tiled: a group
// computes a block of output channels and points, its threads bring both operands to shared memory
// chunk by chunk; by matrix fragments where |target| has them for the types. Other reductions and
// elementwise stages are one thread an element.
//   constants  inputs that are known when it is compiled: they may be put in another order before
Result<Schedule> GpuSchedule(const std::vector<te::Tensor>& outputs,
                             std::shared_ptr<const target::Target> target = target::Gpu(),
                             const std::set<std::string>& constants = {});

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_GPU_H_
