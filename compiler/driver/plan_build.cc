// SPDX-License-Identifier: Apache-2.0
//
// PlanBuild: buffers and steps of one plan, and the memory plan at its end.
#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/layout.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/driver/build.h"
#include "compiler/driver/user_order.h"
#include "compiler/ir/layout.h"
#include "compiler/schedule/accel/region.h"

namespace tessera::compiler {
namespace {

// Moments of time in each step of a plan: more than a program has regions.
constexpr int64_t kMoments = int64_t{1} << 24;

}  // namespace

PlanBuild::PlanBuild(Build& the_build, std::string name) : build(the_build) {
  plan.name = std::move(name);
  plan.arenas.resize(build.net.devices.size());
  plan.layers.resize(build.network.regions.size());
}

uint32_t PlanBuild::ArenaBuffer(const std::string& name, int64_t bytes, uint32_t device) {
  plan.buffers.push_back(
      {name, device, artifact::BufferHome::kArena, 0, static_cast<uint64_t>(bytes)});
  return static_cast<uint32_t>(plan.buffers.size() - 1);
}

uint32_t PlanBuild::PartBuffer(const std::string& name, uint32_t whole, int64_t offset,
                               int64_t bytes) {
  TESSERA_CHECK(
      !parts_.contains(whole) && offset + bytes <= static_cast<int64_t>(plan.buffers[whole].bytes),
      "{}", name);
  const uint32_t part = ArenaBuffer(name, bytes, plan.buffers[whole].device);
  parts_[part] = {whole, offset};
  return part;
}

uint32_t PlanBuild::ConstantBuffer(const std::string& name, const std::vector<uint8_t>& bytes,
                                   uint32_t device) {
  const uint64_t offset = build.ConstantOffset(bytes);
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    const artifact::PlanBuffer& known = plan.buffers[b];
    if (known.home == artifact::BufferHome::kConstants && known.offset == offset &&
        known.device == device)
      return static_cast<uint32_t>(b);
  }
  plan.buffers.push_back({name, device, artifact::BufferHome::kConstants, offset, bytes.size()});
  return static_cast<uint32_t>(plan.buffers.size() - 1);
}

uint32_t PlanBuild::TensorBuffer(graph::TensorId id) {
  const FusedNetwork& n = build.network;
  for (const graph::Region& region : n.regions) {
    if (region.output != id) continue;
    if (const std::optional<graph::TensorId> viewed = network::ViewedBy(n.graph, region))
      return TensorBuffer(*viewed);
  }
  if (const auto made = tensors_.find(id); made != tensors_.end()) return made->second;
  const graph::GraphTensor& t = n.graph.tensor(id);
  const auto laid = laid_.find(id);
  return tensors_[id] = laid == laid_.end()
                            ? ArenaBuffer(t.name, BytesOf(t))
                            : PartBuffer(t.name, TensorBuffer(laid->second.whole), 0,
                                         SizeInElements(t.shape, laid->second.layout));
}

void PlanBuild::LayShared() {
  const FusedNetwork& n = build.network;
  const std::map<graph::TensorId, network::HostPlace> places = network::SharedPlaces(n.graph);
  const std::vector<bool> in_place = network::InSharedPlace(n.graph, build.options.config);
  for (size_t r = 0; r < n.regions.size(); ++r) {
    const size_t node = n.regions[r].nodes[0];
    if (n.devices[r] != network::kHost || !in_place[node]) continue;
    in_place_.insert(r);
    const graph::Node& moves = n.graph.nodes[node];
    const bool cuts = places.contains(moves.output);
    for (const graph::TensorId id : cuts ? std::vector{moves.output} : moves.inputs) {
      laid_[id] = places.at(id);
      layouts[id] = laid_[id].layout;
    }
  }
}

Layout PlanBuild::LayoutOf(graph::TensorId id) const {
  const auto it = layouts.find(id);
  return it == layouts.end() ? Layout{} : it->second;
}

Layout PlanBuild::ImageLayoutOf(graph::TensorId id) const {
  Layout layout = LayoutOf(id);
  const size_t rank = build.network.graph.tensor(id).shape.size();
  for (LayoutDim& d : layout.dims)
    d.dim = static_cast<int>(schedule::accel::PositionOf(rank, static_cast<size_t>(d.dim)));
  return layout;
}

uint32_t PlanBuild::UserBuffer(graph::TensorId id) {
  const graph::GraphTensor& t = build.network.graph.tensor(id);
  if (t.order.empty()) return TensorBuffer(id);
  const auto [it, fresh] = user_.try_emplace(id, 0);
  if (fresh) it->second = ArenaBuffer(t.name + ".user", BytesOf(t));
  return it->second;
}

void PlanBuild::AddOrderStep(graph::TensorId id, bool to_user) {
  const graph::GraphTensor& t = build.network.graph.tensor(id);
  if (t.order.empty()) return;
  std::vector<uint32_t> buffers{UserBuffer(id), TensorBuffer(id)};
  if (to_user) std::swap(buffers[0], buffers[1]);
  AddKernel(OrderFunc(t, to_user, fmt::format("order_{}{}", id, to_user ? "_out" : "")), -1,
            std::move(buffers));
}

void PlanBuild::AddKernel(const ir::Func& func, int32_t layer, std::vector<uint32_t> buffers) {
  artifact::KernelStep step;
  step.symbol = build.AddFunc(func);
  step.layer = layer;
  step.result = static_cast<uint32_t>(buffers.size() - 1);
  step.buffers = std::move(buffers);
  const int64_t scratch = codegen::ScratchBytes(func);
  if (scratch > 0) step.buffers.push_back(ArenaBuffer("scratch", scratch));
  plan.steps.push_back(std::move(step));
}

Status PlanBuild::AddHostRegion(size_t index) {
  const FusedNetwork& n = build.network;
  if (network::ViewedBy(n.graph, n.regions[index]) || in_place_.contains(index)) return {};
  TESSERA_ASSIGN(const HostFunc* host, build.HostFuncOf(index, layouts));
  std::vector<uint32_t> buffers;
  for (size_t p = 0; p < host->func.params.size(); ++p) {
    const te::Binding& binding = host->bindings[p];
    const bool known = binding.activation < 0;
    buffers.push_back(known ? ConstantBuffer(binding.placeholder.name(),
                                             ir::PackLayout(*host->buffers[p], binding.constant))
                            : TensorBuffer(binding.activation));
  }
  AddKernel(host->func, static_cast<int32_t>(index), std::move(buffers));
  return {};
}

void PlanBuild::AddProgram(uint32_t program, const network::ProgramPlan& needs, size_t regions,
                           const std::vector<uint32_t>& buffers) {
  artifact::ProgramStep step;
  step.program = program;
  const auto count = static_cast<int64_t>(regions);
  for (size_t k = 0; k < buffers.size(); ++k) {
    const network::MemoryNeed& need = needs.needs[k];
    if (need.first < 0) step.reads.push_back(buffers[k]);
    if (need.made && (need.last == count || build.options.keep_tensors))
      step.writes.push_back(buffers[k]);
    // A tensor that the program makes must not take the place of the program's inputs, or of
    // tensors that earlier regions read while its maker runs: those that take turns with the maker,
    // and the one before these, which may overlap with them (codegen/accel/order).
    const auto maker = static_cast<size_t>(std::max<int64_t>(need.first, 0));
    const auto begin =
        static_cast<int64_t>(network::ChainOf(maker, needs.residency.residents).first);
    program_uses_.push_back({plan.steps.size(), buffers[k], std::max<int64_t>(begin - 1, 0),
                             need.first < 0 ? count - 1 : std::min(need.last, count - 1)});
  }
  plan.steps.push_back(std::move(step));
}

std::vector<network::Lifetime> PlanBuild::Lifetimes() const {
  const auto end = static_cast<int64_t>(plan.steps.size()) * kMoments;
  std::vector<network::Lifetime> lives;
  for (const artifact::PlanBuffer& b : plan.buffers)
    lives.push_back({static_cast<int64_t>(b.bytes), std::numeric_limits<int64_t>::max(), -1});
  const auto use = [&](uint32_t id, int64_t first, int64_t last) {
    lives[id].first = std::min(lives[id].first, first);
    lives[id].last = std::max(lives[id].last, last);
  };
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    if (std::holds_alternative<artifact::ProgramStep>(plan.steps[s])) continue;
    const int64_t at = static_cast<int64_t>(s) * kMoments;
    for (const uint32_t id : artifact::BuffersRead(plan.steps[s])) use(id, at, at);
    for (const uint32_t id : artifact::BuffersWritten(plan.steps[s])) use(id, at, at);
  }
  for (const ProgramUse& u : program_uses_) {
    const int64_t at = static_cast<int64_t>(u.step) * kMoments;
    use(u.buffer, at + u.first, at + u.last);
  }
  for (const uint32_t id : plan.inputs) use(id, -1, -1);
  for (const uint32_t id : plan.outputs) use(id, end, end);
  for (const auto& [id, part] : parts_) {
    if (lives[id].first <= lives[id].last) use(part.whole, lives[id].first, lives[id].last);
  }
  for (network::Lifetime& life : lives) {
    if (build.options.keep_tensors || life.first > life.last) life.first = -1, life.last = end;
  }
  return lives;
}

void PlanBuild::PlaceBuffers() {
  const std::vector<network::Lifetime> lives = Lifetimes();
  for (uint32_t device = 0; device < plan.arenas.size(); ++device) {
    std::vector<size_t> here;
    std::vector<network::Lifetime> wanted;
    for (size_t b = 0; b < plan.buffers.size(); ++b) {
      if (plan.buffers[b].device != device || plan.buffers[b].home != artifact::BufferHome::kArena)
        continue;
      if (parts_.contains(static_cast<uint32_t>(b))) continue;
      here.push_back(b);
      wanted.push_back(lives[b]);
    }
    const network::MemoryPlan placed = network::PlanMemory(wanted);
    for (size_t k = 0; k < here.size(); ++k)
      plan.buffers[here[k]].offset = static_cast<uint64_t>(placed.offsets[k]);
    plan.arenas[device] = {static_cast<uint64_t>(placed.bytes),
                           static_cast<uint64_t>(placed.unshared)};
  }
  for (const auto& [id, part] : parts_) {
    plan.buffers[id].offset = plan.buffers[part.whole].offset + static_cast<uint64_t>(part.offset);
  }
}

}  // namespace tessera::compiler
