// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/gpu_func.h"

#include "compiler/driver/prepared.h"
#include "compiler/ir/layout.h"
#include "compiler/network/pins.h"
#include "compiler/schedule/gpu.h"
#include "compiler/schedule/params.h"
#include "compiler/schedule/trace_file.h"
#include "compiler/target/cuda.h"

namespace tessera::compiler {
namespace {

std::shared_ptr<const target::Target> TargetOf(artifact::DeviceKind kind) {
  return kind == artifact::DeviceKind::kCuda ? target::Cuda() : target::Gpu();
}

Result<schedule::Schedule> ScheduleOf(const te::RegionTe& region, artifact::DeviceKind kind,
                                      const schedule::Trace* trace) {
  if (trace != nullptr) return schedule::Schedule::Replay({region.output}, *trace, TargetOf(kind));
  return schedule::GpuSchedule({region.output}, TargetOf(kind), te::ConstantNames(region));
}

// Packs constants into the layouts of their parameters; activations have no layout.
Status PackConstants(const schedule::Schedule& made, GpuFunc* gpu) {
  for (te::Binding& binding : gpu->bindings) {
    const ir::Buffer buffer = schedule::ParamBuffer(made, binding.placeholder.name());
    if (buffer->layout.empty()) continue;
    if (binding.activation >= 0) {
      const auto refused =
          Fail(Code::kInvalidArgument,
               "its schedule gives {} a layout, but between layers tensors are row-major; "
               "cache_read or cache_write makes a copy that may have one",
               binding.placeholder.name());
      const auto gives = [&](const schedule::Step& step) {
        const auto* layout = std::get_if<schedule::LayoutStep>(&step);
        return layout != nullptr && layout->tensor == binding.placeholder.name();
      };
      return schedule::AtStep(made.trace(), gives, refused.error());
    }
    binding.constant = ir::PackLayout(*buffer, binding.constant);
  }
  return {};
}

Result<GpuFunc> Make(const te::RegionTe& region, const std::string& name, artifact::DeviceKind kind,
                     const schedule::Trace* trace) {
  TESSERA_ASSIGN(const schedule::Schedule made, ScheduleOf(region, kind, trace));
  GpuFunc gpu{.func = {}, .bindings = region.bindings, .schedule = made.trace()};
  gpu.bindings.push_back({region.output, region.output_id, {}});
  TESSERA_TRY(AddPrepared(made, &gpu.bindings));
  std::vector<std::string> params;
  for (const te::Binding& binding : gpu.bindings) params.push_back(binding.placeholder.name());
  TESSERA_ASSIGN(gpu.func, lower::LowerKernels(made, name, params));
  TESSERA_TRY(PackConstants(made, &gpu));
  return gpu;
}

}  // namespace

const char* GpuName(artifact::DeviceKind kind) {
  return kind == artifact::DeviceKind::kCuda ? schedule::kCudaTrace : schedule::kOpenClTrace;
}

static_assert(network::kOpenCl == static_cast<uint32_t>(artifact::DeviceKind::kOpenCl) &&
              network::kCuda == static_cast<uint32_t>(artifact::DeviceKind::kCuda));

uint32_t PlaceOf(artifact::DeviceKind kind) { return static_cast<uint32_t>(kind); }
artifact::DeviceKind KindOf(uint32_t place) { return static_cast<artifact::DeviceKind>(place); }

Result<GpuFunc> MakeGpuFunc(const te::RegionTe& region, const std::string& name,
                            artifact::DeviceKind kind, const schedule::Trace* trace) {
  Result<GpuFunc> made = Make(region, name, kind, trace);
  if (!made) return Within("layer " + region.name, made.error());
  return made;
}

Result<std::vector<schedule::Sketch>> GpuSketchesOf(const te::RegionTe& region,
                                                    artifact::DeviceKind kind) {
  auto made = schedule::GpuSketches(region.output, TargetOf(kind), te::ConstantNames(region));
  if (!made) return Within("layer " + region.name, made.error());
  return made;
}

}  // namespace tessera::compiler
