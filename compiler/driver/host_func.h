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
  std::vector<te::Tensor> tensors;  // one a parameter: the region's output or a placeholder; activations
                                    // and the output are row-major, constants in the parameter's layout
  std::string schedule;             // the trace, for --dump schedule
};

Result<HostFunc> MakeHostFunc(const te::RegionTe& region, const std::string& name);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_HOST_FUNC_H_
