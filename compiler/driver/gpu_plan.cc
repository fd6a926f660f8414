// SPDX-License-Identifier: Apache-2.0
//
// Plans "opencl" and "cuda": every region as kernels. Tensors stay on the device between the
// network's inputs and outputs; constants are on the device from the start.
#include <algorithm>
#include <optional>

#include "base/check.h"
#include "compiler/codegen/llvm/ptx.h"
#include "compiler/codegen/opencl/opencl.h"
#include "compiler/driver/build.h"
#include "compiler/ir/func_set.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"

namespace tessera::compiler {
namespace {

using graph::TensorId;

class GpuPlanBuild {
 public:
  GpuPlanBuild(Build& build, artifact::DeviceKind kind)
      : build_(build),
        n_(build.network),
        kind_(kind),
        p_(build, GpuName(kind)),
        device_(DeviceOf(build, kind)) {}

  Status Run() {
    for (const TensorId id : n_.graph.inputs) {
      p_.plan.inputs.push_back(p_.UserBuffer(id));
      p_.AddOrderStep(id, false);
      p_.plan.steps.emplace_back(artifact::TransferStep{p_.TensorBuffer(id), DeviceBuffer(id)});
    }
    for (size_t r = 0; r < n_.regions.size(); ++r) {
      p_.plan.layers[r].device = device_;
      TESSERA_TRY(AddRegion(r));
    }
    for (const TensorId id : n_.graph.outputs) {
      p_.plan.outputs.push_back(p_.UserBuffer(id));
      p_.plan.steps.emplace_back(artifact::TransferStep{DeviceBuffer(id), p_.TensorBuffer(id)});
      p_.AddOrderStep(id, true);
    }
    for (size_t r = 0; r < n_.regions.size() && build_.options.keep_tensors; ++r)
      p_.plan.taps.push_back({static_cast<uint32_t>(r), DeviceBuffer(n_.regions[r].output), {}});
    p_.PlaceBuffers();
    build_.net.plans.push_back(std::move(p_.plan));

    const PhaseClock::Phase phase(build_.options.clock, std::string(GpuName(kind_)) + ": kernels");
    artifact::KernelSource source{.device = device_, .text = {}, .kernels = {}};
    if (kind_ == artifact::DeviceKind::kCuda) {
      TESSERA_ASSIGN(source.text, codegen::PtxSource(kernels_));
    } else {
      source.text = codegen::OpenClSource(kernels_);
    }
    for (const lower::GpuKernel& k : kernels_) {
      artifact::SourceKernel& made = source.kernels.emplace_back();
      made.name = k.name;
      std::ranges::copy(k.groups, made.groups.begin());
      std::ranges::copy(k.threads, made.threads.begin());
    }
    build_.net.sources.push_back(std::move(source));
    return {};
  }

 private:
  static uint32_t DeviceOf(Build& build, artifact::DeviceKind kind) {
    const auto& devices = build.net.devices;
    const auto at = std::ranges::find(devices, kind, &artifact::DeviceEntry::kind);
    TESSERA_CHECK(at != devices.end());
    return static_cast<uint32_t>(at - devices.begin());
  }

  // A view has the place of the tensor that it views.
  uint32_t DeviceBuffer(TensorId id) {
    for (const graph::Region& region : n_.regions) {
      if (region.output != id) continue;
      if (const std::optional<TensorId> viewed = network::ViewedBy(n_.graph, region))
        return DeviceBuffer(*viewed);
    }
    const auto [it, fresh] = tensors_.try_emplace(id, 0);
    if (fresh) {
      const graph::GraphTensor& t = n_.graph.tensor(id);
      it->second = p_.ArenaBuffer(t.name, BytesOf(t), device_);
    }
    return it->second;
  }

  Status AddRegion(size_t index) {
    if (network::ViewedBy(n_.graph, n_.regions[index])) return {};
    const te::RegionTe& region = n_.Te(index);
    const schedule::Trace* const trace = build_.TraceOf(index, GpuName(kind_));
    std::optional<PhaseClock::Phase> phase(std::in_place, build_.options.clock,
                                           std::string(GpuName(kind_)) + ": schedules and loops");
    TESSERA_ASSIGN(const GpuFunc made,
                   MakeGpuFunc(region, fmt::format("layer_{}", index), kind_, trace));
    phase.reset();
    build_.AddSchedule(index, GpuName(kind_), made.schedule);
    if (build_.options.layers_only) {
      PlannedGpuLayer planned{{.region = region, .kind = kind_}, made.schedule};
      if (trace == nullptr) {
        TESSERA_ASSIGN(planned.sketches, GpuSketchesOf(region, kind_));
      }
      build_.gpu_layers.push_back(std::move(planned));
    }
    if (build_.options.dumps.contains("ir"))
      build_.ir_dump +=
          fmt::format("// {} {}\n{}\n", GpuName(kind_), region.name, ir::Print(made.func.loops));
    std::map<const ir::BufferNode*, uint32_t> buffers;
    const std::vector<ir::Buffer>& params = made.func.loops.params;
    for (size_t b = 0; b < params.size(); ++b) {
      const te::Binding& binding = made.bindings[b];
      buffers[params[b].get()] =
          binding.activation >= 0
              ? DeviceBuffer(binding.activation)
              : p_.ConstantBuffer(binding.placeholder.name(), binding.constant, device_);
    }
    for (const ir::Buffer& b : made.func.temporaries)
      buffers[b.get()] = p_.ArenaBuffer(b->name, ir::SizeInBytes(*b), device_);
    for (const lower::GpuKernel& k : made.func.kernels) {
      const size_t at = funcs_.Add(lower::AsFunc(k));
      if (at == kernels_.size()) kernels_.push_back(k);
      artifact::KernelStep step{.device = device_, .symbol = kernels_[at].name, .buffers = {}};
      step.layer = static_cast<int32_t>(index);
      for (const ir::Buffer& b : k.params) step.buffers.push_back(buffers.at(b.get()));
      step.result = static_cast<uint32_t>(k.written);
      p_.plan.steps.emplace_back(std::move(step));
    }
    return {};
  }

  Build& build_;
  const FusedNetwork& n_;
  const artifact::DeviceKind kind_;
  PlanBuild p_;
  uint32_t device_;
  std::map<TensorId, uint32_t> tensors_;
  ir::FuncSet funcs_;  // the kernels as loops; kernels equal but for their names are one
  std::vector<lower::GpuKernel> kernels_;
};

}  // namespace

Status AddGpuPlan(Build& build, artifact::DeviceKind kind) {
  return GpuPlanBuild(build, kind).Run();
}

}  // namespace tessera::compiler
