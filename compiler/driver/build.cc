// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/build.h"

#include <algorithm>

#include "base/bits.h"
#include "base/check.h"
#include "base/hash.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/driver/host_func.h"
#include "compiler/driver/user_order.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "runtime/host/cpu_level.h"

namespace tessera::compiler {
namespace {

constexpr uint32_t kScratch =
    ~uint32_t{0};  // stands for the scratch buffer until its size is known

}  // namespace

int64_t BytesOf(const graph::GraphTensor& tensor) { return tensor.count() * SizeOf(tensor.dtype); }

artifact::Tap HostTap(uint32_t layer, uint32_t buffer, const graph::GraphTensor& tensor) {
  artifact::Tap tap;
  tap.layer = layer;
  tap.buffer = buffer;
  tap.layout.dtype = tensor.dtype;
  tap.layout.shape = tensor.shape;
  return tap;
}

uint32_t Build::ArenaBuffer(const std::string& name, int64_t bytes) {
  net.buffers.push_back(
      {name, artifact::BufferHome::kArena, net.arena_bytes, static_cast<uint64_t>(bytes)});
  net.arena_bytes += static_cast<uint64_t>(RoundUp(bytes, 64));
  return static_cast<uint32_t>(net.buffers.size() - 1);
}

uint32_t Build::ConstantBuffer(const std::string& name, const std::vector<uint8_t>& bytes) {
  const uint64_t hash = Crc64(bytes);
  for (auto [it, end] = constants_.equal_range(hash); it != end; ++it) {
    const artifact::HostBuffer& b = net.buffers[it->second];
    if (b.bytes == bytes.size() &&
        std::equal(bytes.begin(), bytes.end(),
                   net.constants.begin() + static_cast<int64_t>(b.offset))) {
      return it->second;
    }
  }
  net.buffers.push_back(
      {name, artifact::BufferHome::kConstants, net.constants.size(), bytes.size()});
  net.constants.insert(net.constants.end(), bytes.begin(), bytes.end());
  net.constants.resize(
      static_cast<size_t>(RoundUp(static_cast<int64_t>(net.constants.size()), 64)));
  const uint32_t id = static_cast<uint32_t>(net.buffers.size() - 1);
  constants_.emplace(hash, id);
  return id;
}

uint32_t Build::TensorBuffer(const std::string& plan, graph::TensorId id) {
  for (size_t r = 0; r < network.regions.size(); ++r) {
    if (network.regions[r].output != id) continue;
    if (const std::optional<graph::TensorId> viewed = Viewed(r)) return TensorBuffer(plan, *viewed);
  }
  const auto [it, fresh] = tensors_.try_emplace({plan, id}, 0);
  if (fresh) {
    const graph::GraphTensor& t = network.graph.tensor(id);
    it->second = ArenaBuffer(plan + "." + t.name, BytesOf(t));
  }
  return it->second;
}

uint32_t Build::UserBuffer(const std::string& plan, graph::TensorId id) {
  const graph::GraphTensor& t = network.graph.tensor(id);
  if (t.order.empty()) return TensorBuffer(plan, id);
  const auto [it, fresh] = user_.try_emplace({plan, id}, 0);
  if (fresh) it->second = ArenaBuffer(plan + "." + t.name + ".user", BytesOf(t));
  return it->second;
}

void Build::AddOrderStep(artifact::ExecutionPlan& plan, graph::TensorId id, bool to_user) {
  const graph::GraphTensor& t = network.graph.tensor(id);
  if (t.order.empty()) return;
  std::vector<uint32_t> buffers{UserBuffer(plan.name, id), TensorBuffer(plan.name, id)};
  if (to_user) std::swap(buffers[0], buffers[1]);
  plan.steps.push_back(
      Kernel(OrderFunc(t, to_user, fmt::format("order_{}{}", id, to_user ? "_out" : "")), -1,
             std::move(buffers)));
}

std::optional<graph::TensorId> Build::Viewed(size_t index) const {
  const graph::Region& region = network.regions[index];
  const graph::Node& node = network.graph.nodes[region.nodes[0]];
  if (region.nodes.size() != 1 || node.op != graph::Op::kReshape) return std::nullopt;
  // What the user gives or gets in another order is not what the graph has.
  for (const graph::TensorId id : {node.inputs[0], node.output}) {
    if (!network.graph.tensor(id).order.empty()) return std::nullopt;
  }
  return node.inputs[0];
}

Status Build::AddHostRegion(artifact::ExecutionPlan& plan, size_t index) {
  if (!Viewed(index)) {
    TESSERA_ASSIGN(artifact::KernelStep step, HostRegion(plan.name, index));
    plan.steps.push_back(std::move(step));
  }
  const graph::TensorId out = network.regions[index].output;
  plan.taps.push_back(HostTap(static_cast<uint32_t>(index), TensorBuffer(plan.name, out),
                              network.graph.tensor(out)));
  return {};
}

artifact::KernelStep Build::Kernel(ir::Func func, int32_t layer, std::vector<uint32_t> buffers) {
  artifact::KernelStep step;
  step.symbol = func.name;
  step.layer = layer;
  step.buffers = std::move(buffers);
  const int64_t scratch = codegen::ScratchBytes(func);
  if (scratch > 0) step.buffers.push_back(kScratch);
  scratch_bytes_ = std::max(scratch_bytes_, scratch);
  const bool known =
      std::ranges::any_of(funcs_, [&](const ir::Func& f) { return f.name == func.name; });
  if (!known) funcs_.push_back(std::move(func));
  return step;
}

Result<artifact::KernelStep> Build::HostRegion(const std::string& plan, size_t index) {
  const te::RegionTe& region = network.te[index];
  auto it = host_funcs_.find(index);
  if (it == host_funcs_.end()) {
    TESSERA_ASSIGN(HostFunc host, MakeHostFunc(region, fmt::format("layer_{}", index)));
    schedule_dump += options.dumps.contains("schedule")
                         ? fmt::format("host {}:\n{}\n", region.name, host.schedule)
                         : "";
    ir_dump += options.dumps.contains("ir")
                   ? fmt::format("// host {}\n{}\n", region.name, ir::Print(host.func))
                   : "";
    it = host_funcs_.emplace(index, std::move(host)).first;
  }
  const HostFunc& host = it->second;
  std::vector<uint32_t> buffers;
  for (size_t p = 0; p < host.func.params.size(); ++p) {
    const te::Tensor& tensor = host.tensors[p];
    if (tensor == region.output) {
      buffers.push_back(TensorBuffer(plan, region.output_id));
      continue;
    }
    const auto binding = std::ranges::find_if(
        region.bindings, [&](const te::Binding& b) { return b.placeholder == tensor; });
    TESSERA_CHECK(binding != region.bindings.end(), "{}: parameter {} is no placeholder",
                  region.name, tensor.name());
    buffers.push_back(
        binding->activation >= 0
            ? TensorBuffer(plan, binding->activation)
            : ConstantBuffer(tensor.name(), ir::PackLayout(*host.buffers[p], binding->constant)));
  }
  return Kernel(host.func, static_cast<int32_t>(index), std::move(buffers));
}

Status Build::FinishHostCode() {
  if (scratch_bytes_ > 0) {
    const uint32_t scratch = ArenaBuffer("scratch", scratch_bytes_);
    for (artifact::ExecutionPlan& plan : net.plans) {
      for (artifact::PlanStep& step : plan.steps) {
        if (auto* kernel = std::get_if<artifact::KernelStep>(&step))
          std::ranges::replace(kernel->buffers, kScratch, scratch);
      }
    }
  }
  std::vector<std::string> levels = options.cpu_levels;
  if (levels.empty()) levels = {CpuLevels().front()};
  for (const std::string& level : levels) {
    TESSERA_ASSIGN(std::vector<uint8_t> object, codegen::CompileObject(funcs_, level));
    net.objects.push_back({level, std::move(object)});
  }
  return {};
}

}  // namespace tessera::compiler
