// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/gpu_regions.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/codegen/llvm/ptx.h"
#include "compiler/codegen/opencl/opencl.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"

namespace tessera::compiler {
namespace {

using graph::TensorId;

uint32_t IndexOf(const Build& build, artifact::DeviceKind kind) {
  const auto& devices = build.net.devices;
  const auto at = std::ranges::find(devices, kind, &artifact::DeviceEntry::kind);
  TESSERA_CHECK(at != devices.end());
  return static_cast<uint32_t>(at - devices.begin());
}

}  // namespace

GpuRegions::GpuRegions(PlanBuild& plan, artifact::DeviceKind kind, bool all)
    : p_(plan),
      n_(plan.build.network),
      kind_(kind),
      all_(all),
      device_(IndexOf(plan.build, kind)) {}

TensorId GpuRegions::Root(TensorId id) const {
  for (const graph::Region& region : n_.regions) {
    if (region.output != id) continue;
    if (const auto viewed = network::ViewedBy(n_.graph, region)) return Root(*viewed);
  }
  return id;
}

bool GpuRegions::Runs(size_t region) const { return all_ || n_.devices[region] == PlaceOf(kind_); }

bool GpuRegions::IsReadElsewhere(TensorId root) const {
  const auto is_it = [&](TensorId id) { return Root(id) == root; };
  if (std::ranges::any_of(n_.graph.outputs, is_it)) return true;
  for (size_t r = 0; r < n_.regions.size(); ++r) {
    if (Runs(r) || network::ViewedBy(n_.graph, n_.regions[r])) continue;
    if (std::ranges::any_of(n_.regions[r].inputs, is_it)) return true;
  }
  return false;
}

uint32_t GpuRegions::Buffer(TensorId id) {
  const TensorId root = Root(id);
  const auto [it, fresh] = buffers_.try_emplace(root, 0);
  if (fresh) {
    const graph::GraphTensor& t = n_.graph.tensor(root);
    it->second = p_.ArenaBuffer(t.name, BytesOf(t), device_);
  }
  return it->second;
}

uint32_t GpuRegions::Held(TensorId id) {
  return there_.contains(Root(id)) ? Buffer(id) : p_.TensorBuffer(id);
}

Status GpuRegions::AddRegion(size_t index) {
  if (network::ViewedBy(n_.graph, n_.regions[index])) return {};
  p_.plan.layers[index].device = device_;
  TESSERA_ASSIGN(const GpuFunc* made, p_.build.GpuFuncOf(index, kind_));
  std::map<const ir::BufferNode*, uint32_t> buffers;
  const std::vector<ir::Buffer>& params = made->func.loops.params;
  for (size_t b = 0; b < params.size(); ++b) {
    const te::Binding& binding = made->bindings[b];
    if (binding.activation < 0) {
      buffers[params[b].get()] =
          p_.ConstantBuffer(binding.placeholder.name(), binding.constant, device_);
      continue;
    }
    const TensorId root = Root(binding.activation);
    buffers[params[b].get()] = Buffer(root);
    if (there_.insert(root).second && b + 1 < params.size())
      p_.plan.steps.emplace_back(artifact::TransferStep{p_.TensorBuffer(root), Buffer(root)});
  }
  for (const ir::Buffer& b : made->func.temporaries)
    buffers[b.get()] = p_.ArenaBuffer(b->name, ir::SizeInBytes(*b), device_);
  for (const lower::GpuKernel& k : made->func.kernels) {
    artifact::KernelStep step{
        .device = device_, .symbol = p_.build.AddKernel(k, kind_), .buffers = {}};
    step.layer = static_cast<int32_t>(index);
    for (const ir::Buffer& b : k.params) step.buffers.push_back(buffers.at(b.get()));
    step.result = static_cast<uint32_t>(k.written);
    p_.plan.steps.emplace_back(std::move(step));
  }
  const TensorId out = n_.regions[index].output;
  if (IsReadElsewhere(out))
    p_.plan.steps.emplace_back(artifact::TransferStep{Buffer(out), p_.TensorBuffer(out)});
  return {};
}

Result<const GpuFunc*> Build::GpuFuncOf(size_t index, artifact::DeviceKind kind) {
  const auto key = std::pair(index, kind);
  auto it = gpu_funcs_.find(key);
  if (it == gpu_funcs_.end()) {
    const PhaseClock::Phase phase(options.clock,
                                  std::string(GpuName(kind)) + ": schedules and loops");
    const te::RegionTe& region = network.Te(index);
    const schedule::Trace* const trace = TraceOf(index, GpuName(kind));
    TESSERA_ASSIGN(GpuFunc made, MakeGpuFunc(region, fmt::format("layer_{}", index), kind, trace));
    AddSchedule(index, GpuName(kind), made.schedule);
    if (options.layers_only) {
      PlannedGpuLayer planned{{.region = region, .kind = kind}, made.schedule};
      if (trace == nullptr) {
        TESSERA_ASSIGN(planned.sketches, GpuSketchesOf(region, kind));
      }
      gpu_layers.push_back(std::move(planned));
    }
    if (options.dumps.contains("ir"))
      ir_dump +=
          fmt::format("// {} {}\n{}\n", GpuName(kind), region.name, ir::Print(made.func.loops));
    it = gpu_funcs_.emplace(key, std::move(made)).first;
  }
  return &it->second;
}

std::string Build::AddKernel(const lower::GpuKernel& kernel, artifact::DeviceKind kind) {
  GpuCode& code = gpu_code_[kind];
  const size_t at = code.funcs.Add(lower::AsFunc(kernel));
  if (at == code.kernels.size()) code.kernels.push_back(kernel);
  return code.kernels[at].name;
}

Status Build::FinishGpuCode() {
  for (const auto& [kind, code] : gpu_code_) {
    const PhaseClock::Phase phase(options.clock, std::string(GpuName(kind)) + ": kernels");
    artifact::KernelSource source{.device = IndexOf(*this, kind), .text = {}, .kernels = {}};
    if (kind == artifact::DeviceKind::kCuda) {
      TESSERA_ASSIGN(source.text, codegen::PtxSource(code.kernels));
    } else {
      source.text = codegen::OpenClSource(code.kernels);
    }
    for (const lower::GpuKernel& k : code.kernels) {
      artifact::SourceKernel& made = source.kernels.emplace_back();
      made.name = k.name;
      std::ranges::copy(k.groups, made.groups.begin());
      std::ranges::copy(k.threads, made.threads.begin());
    }
    net.sources.push_back(std::move(source));
  }
  return {};
}

}  // namespace tessera::compiler
