// SPDX-License-Identifier: Apache-2.0
//
// A region as kernels: scheduled and lowered. Internal to compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_GPU_FUNC_H_
#define TESSERA_COMPILER_DRIVER_GPU_FUNC_H_

#include <string>

#include "base/error.h"
#include "compiler/lower/gpu/kernels.h"
#include "compiler/te/ops/region.h"
#include "runtime/artifact/artifact.h"

namespace tessera::compiler {

// Parameters are the region's placeholders in the order of its bindings, then its output, all
// row-major.
struct GpuFunc {
  lower::KernelFunc func;
  std::string schedule;  // the trace, for --dump schedule
};

// The name of a kind of device, and of the plan for it: "opencl", "cuda".
const char* GpuName(artifact::DeviceKind kind);

Result<GpuFunc> MakeGpuFunc(const te::RegionTe& region, const std::string& name);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_GPU_FUNC_H_
