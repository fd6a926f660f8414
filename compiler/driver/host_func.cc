// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/host_func.h"

#include <algorithm>

#include "compiler/lower/lower.h"
#include "compiler/schedule/host.h"

namespace tessera::compiler {

Result<HostFunc> MakeHostFunc(const te::RegionTe& region, const std::string& name,
                              const schedule::Trace* trace) {
  HostFunc host;
  for (const te::Binding& binding : region.bindings) host.tensors.push_back(binding.placeholder);
  host.tensors.push_back(region.output);
  lower::LowerOptions options;
  for (const te::Tensor& tensor : host.tensors) options.params.push_back(tensor.name());

  Result<schedule::Schedule> schedule =
      trace == nullptr ? schedule::HostSchedule({region.output})
                       : schedule::Schedule::Replay({region.output}, *trace, target::Host());
  if (!schedule) return Within("layer " + region.name, schedule.error());
  for (const te::Tensor& tensor : host.tensors) {
    const bool constant = std::ranges::any_of(region.bindings, [&](const te::Binding& b) {
      return b.placeholder == tensor && b.activation < 0;
    });
    if (constant || schedule->Find(tensor.name())->layout.empty()) continue;
    return Fail(
        Code::kInvalidArgument,
        "layer {}: its schedule gives {} a layout, but between layers tensors are row-major; "
        "cache_read or cache_write makes a copy that may have one",
        region.name, tensor.name());
  }
  Result<ir::Func> func = lower::Lower(*schedule, name, options);
  if (!func) return Within("layer " + region.name, func.error());
  for (const std::string& tensor : options.params)
    host.buffers.push_back(schedule::ParamBuffer(*schedule, tensor));
  host.func = std::move(*func);
  host.schedule = schedule->trace();
  return host;
}

}  // namespace tessera::compiler
