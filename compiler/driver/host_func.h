// SPDX-License-Identifier: Apache-2.0
//
// A region as a host function: scheduled and lowered. Internal to compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_HOST_FUNC_H_
#define TESSERA_COMPILER_DRIVER_HOST_FUNC_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/step.h"
#include "compiler/te/ops/region.h"

namespace tessera::compiler {

struct HostFunc {
  ir::Func func;
  // One a parameter: the region's output or a placeholder, and its buffer. Activations and the
  // output are row-major; constants are packed into their buffer's layout.
  std::vector<te::Tensor> tensors;
  std::vector<ir::Buffer> buffers;
  schedule::Trace schedule;
};

// |trace|: the schedule; null: the generator makes one.
//   errors  kInvalidArgument  a trace that is not legal, or gives an activation a layout
Result<HostFunc> MakeHostFunc(const te::RegionTe& region, const std::string& name,
                              const schedule::Trace* trace = nullptr);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_HOST_FUNC_H_
