// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/host_func.h"

#include "compiler/lower/lower.h"
#include "compiler/schedule/host.h"

namespace tessera::compiler {

Result<HostFunc> MakeHostFunc(const te::RegionTe& region, const std::string& name) {
  HostFunc host;
  for (const te::Binding& binding : region.bindings) host.tensors.push_back(binding.placeholder);
  host.tensors.push_back(region.output);
  lower::LowerOptions options;
  for (const te::Tensor& tensor : host.tensors) options.params.push_back(tensor.name());

  Result<schedule::Schedule> schedule = schedule::HostSchedule({region.output});
  if (!schedule) return Within("layer " + region.name, schedule.error());
  Result<ir::Func> func = lower::Lower(*schedule, name, options);
  if (!func) return Within("layer " + region.name, func.error());
  for (const std::string& tensor : options.params)
    host.buffers.push_back(schedule::ParamBuffer(*schedule, tensor));
  host.func = std::move(*func);
  host.schedule = schedule::Print(schedule->trace());
  return host;
}

}  // namespace tessera::compiler
