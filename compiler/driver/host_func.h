// SPDX-License-Identifier: Apache-2.0
//
// A region as a host function: scheduled and lowered. Internal to compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_HOST_FUNC_H_
#define TESSERA_COMPILER_DRIVER_HOST_FUNC_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "compiler/te/ops/region.h"

namespace tessera::compiler {

struct HostFunc {
  ir::Func func;
  // One a parameter: the region's output or a placeholder, and its buffer. Activations and the
  // output are row-major; constants are packed into their buffer's layout.
  std::vector<te::Tensor> tensors;
  std::vector<ir::Buffer> buffers;
  std::string schedule;  // the trace, for --dump schedule
};

Result<HostFunc> MakeHostFunc(const te::RegionTe& region, const std::string& name);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_HOST_FUNC_H_
