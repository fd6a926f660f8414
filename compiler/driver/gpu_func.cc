// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/gpu_func.h"

#include "compiler/schedule/gpu.h"

namespace tessera::compiler {

const char* GpuName(artifact::DeviceKind kind) {
  return kind == artifact::DeviceKind::kCuda ? "cuda" : "opencl";
}

Result<GpuFunc> MakeGpuFunc(const te::RegionTe& region, const std::string& name) {
  std::vector<std::string> params;
  for (const te::Binding& binding : region.bindings) params.push_back(binding.placeholder.name());
  params.push_back(region.output.name());
  Result<schedule::Schedule> schedule = schedule::GpuSchedule({region.output});
  if (!schedule) return Within("layer " + region.name, schedule.error());
  Result<lower::KernelFunc> func = lower::LowerKernels(*schedule, name, params);
  if (!func) return Within("layer " + region.name, func.error());
  return GpuFunc{std::move(*func), schedule::Print(schedule->trace())};
}

}  // namespace tessera::compiler
