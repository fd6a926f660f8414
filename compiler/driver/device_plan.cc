// SPDX-License-Identifier: Apache-2.0
//
// Plan "device": the accelerator's regions as programs, one for each of its turns. The host and a
// GPU run the other regions between the turns, with the necessary transfers and changes of layout.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "compiler/codegen/accel/accel.h"
#include "compiler/driver/build.h"
#include "compiler/driver/device_tensors.h"
#include "compiler/driver/gpu_regions.h"
#include "compiler/lower/accel/host_pack.h"
#include "compiler/schedule/accel/plan.h"
#include "compiler/validate/validate.h"
#include "isa/check/check.h"

namespace tessera::compiler {
namespace {

using graph::TensorId;
using network::Activation;
using network::MemoryNeed;
namespace sched = schedule::accel;

// One turn of the accelerator.
struct AcceleratorTurn {
  std::vector<lower::accel::AccelRegion> regions;
  std::vector<Activation> activations;
  network::ProgramPlan plan;
  std::vector<uint32_t> buffers;  // one for each need
};

// The buffer of a tensor in a packing.
struct DeviceBuffer {
  TensorId tensor = -1;
  sched::Packing packing;
  uint32_t buffer = 0;
};

// By region: the tensors that the host packs for the accelerator.
std::vector<std::vector<TensorId>> PackedOf(const Build& build) {
  const FusedNetwork& n = build.network;
  std::vector<std::vector<TensorId>> packed(n.regions.size());
  for (size_t r = 0; r < n.regions.size(); ++r) {
    if (n.devices[r] == network::kAccelerator)
      packed[r] =
          n.layers->PackedByHost(n.regions[r], build.TraceOf(r, schedule::kAcceleratorTrace));
  }
  return packed;
}

class DevicePlanBuild {
 public:
  explicit DevicePlanBuild(Build& build)
      : build_(build), n_(build.network), p_(build, "device"), tensors_(build, PackedOf(build)) {
    const auto gpu = std::ranges::find_if(n_.devices, network::IsGpu);
    if (gpu != n_.devices.end()) gpu_.emplace(p_, KindOf(*gpu), false);
    if (!gpu_) p_.LayShared();
  }

  Status Run();

 private:
  bool OnDevice(size_t region) const { return tensors_.OnDevice(region); }
  TensorId Root(TensorId id) const { return tensors_.Root(id); }
  // The device's buffer of |id| in |packing|.
  uint32_t BufferOf(TensorId id, const sched::Packing& packing);
  Status PlanPrograms();
  Status AddProgram(int turn);
  // Brings a tensor that a program reads to the device, unless it is there.
  void BringInput(const MemoryNeed& need, uint32_t buffer);
  // By region of |turn|: whether the program of that turn needs it. The host runs its other regions
  // behind the start of the program, so both devices work at once.
  std::vector<bool> BeforeProgram(int turn) const;
  void FetchResult(TensorId id);
  Status Emit();
  // Handles |error| of region |index| of |program|, if of any: sets the limits for another attempt.
  Status Refuse(const AcceleratorTurn& program, network::RefusedIndex index, const Error& error);
  // Whether |region| alone, with its tensors in device memory, has a program.
  bool FitsAlone(const AcceleratorTurn& program, const lower::accel::AccelRegion& region) const;
  void AddTaps();
  // Gives |region| the layout of |root|, its tensor |name|, if |root| lies in another with gaps.
  void AddLayout(const std::string& name, TensorId root, lower::accel::AccelRegion* region) const;
  // The layout of |root|, which the machine makes.
  sched::Packing PackingOf(TensorId root) const;
  // The device's buffer that programs write |root| to; null: it stays on chip.
  const DeviceBuffer* MadeIn(TensorId root) const;

  Build& build_;
  const FusedNetwork& n_;
  PlanBuild p_;
  const DeviceTensors tensors_;
  std::vector<AcceleratorTurn>
      programs_;  // by turn; without regions if the accelerator does nothing in it
  std::vector<DeviceBuffer> device_buffers_;
  std::vector<uint32_t> brought_;  // device buffers with tensors that the host made
  std::optional<GpuRegions> gpu_;  // if a GPU has some of the layers
};

sched::Packing DevicePlanBuild::PackingOf(TensorId root) const {
  return tensors_.places().PackingOf(root);
}

void DevicePlanBuild::AddLayout(const std::string& name, TensorId root,
                                lower::accel::AccelRegion* region) const {
  const Layout layout = PackingOf(root).layout;
  if (!layout.strides.empty()) region->layouts[name] = layout;
}

const DeviceBuffer* DevicePlanBuild::MadeIn(TensorId root) const {
  const auto made = std::ranges::find_if(device_buffers_, [&](const DeviceBuffer& known) {
    return known.tensor == root && known.packing == PackingOf(root);
  });
  return made == device_buffers_.end() ? nullptr : &*made;
}

uint32_t DevicePlanBuild::BufferOf(TensorId id, const sched::Packing& packing) {
  const auto known = std::ranges::find_if(device_buffers_, [&](const DeviceBuffer& entry) {
    return entry.tensor == id && entry.packing == packing;
  });
  if (known != device_buffers_.end()) return known->buffer;
  const std::string& name = n_.graph.tensor(id).name;
  const TensorId whole = tensors_.places().Of(id).in;
  const uint32_t buffer = whole == id
                              ? p_.ArenaBuffer(name, packing.bytes(), network::kAccelerator)
                              : p_.PartBuffer(name, BufferOf(whole, PackingOf(whole)),
                                              tensors_.places().OffsetOf(id), packing.bytes());
  device_buffers_.push_back({id, packing, buffer});
  return buffer;
}

Status DevicePlanBuild::PlanPrograms() {
  network::ProgramOptions options;
  options.store_all = build_.options.keep_tensors;
  options.in_memory = build_.limits.in_memory;
  const int last = *std::ranges::max_element(tensors_.turns());
  programs_.resize(static_cast<size_t>(last) + 1);
  for (int turn = 0; turn <= last; ++turn) {
    AcceleratorTurn& program = programs_[static_cast<size_t>(turn)];
    for (size_t t = 0; t < n_.graph.tensors.size(); ++t)
      program.activations.push_back(tensors_.ActivationOf(static_cast<TensorId>(t), turn));
    for (size_t r = 0; r < n_.regions.size(); ++r) {
      if (!tensors_.Computes(r) || tensors_.turns()[r] != turn) continue;
      lower::accel::AccelRegion region = n_.layers->Bound(n_.regions[r]);
      region.layer = static_cast<uint32_t>(r);
      if (const schedule::Trace* trace = build_.TraceOf(r, schedule::kAcceleratorTrace))
        region.schedule = *trace;
      if (const schedule::Trace* trace = build_.TraceOf(r, schedule::kStoreTrace))
        region.store_schedule = *trace;
      if (const schedule::NetworkTrace* trace = build_.NetworkTraceOf(r, schedule::kNetworkTrace))
        region.network = *trace;
      for (auto& [placeholder, activation] : region.activations) {
        activation = Root(activation);
        AddLayout(placeholder->name, activation, &region);
      }
      AddLayout(region.output.name(), region.result, &region);
      program.regions.push_back(std::move(region));
    }
    if (program.regions.empty()) continue;
    network::RefusedIndex refused;
    auto plan = network::PlanProgram(program.activations, program.regions, build_.options.config,
                                     options, &refused);
    if (!plan) return Refuse(program, refused, plan.error());
    program.plan = std::move(*plan);
    for (const MemoryNeed& need : program.plan.needs)
      program.buffers.push_back(BufferOf(need.activation, need.packing));
  }
  for (size_t r = 0; r < n_.regions.size(); ++r) {
    if (!OnDevice(r)) continue;
    const TensorId root = Root(n_.regions[r].output);
    // A slice or a concatenation is in memory, whether a program names it or not.
    if (!tensors_.Computes(r) && root == n_.regions[r].output) BufferOf(root, PackingOf(root));
    p_.plan.layers[r] = {network::kAccelerator, MadeIn(root) == nullptr};
  }
  return {};
}

void DevicePlanBuild::BringInput(const MemoryNeed& need, uint32_t buffer) {
  if (std::ranges::count(brought_, buffer) > 0) return;
  brought_.push_back(buffer);
  const TensorId id = need.activation;
  const graph::GraphTensor& tensor = n_.graph.tensor(id);
  // The packing of a user's tensor also converts the user's order to the graph's.
  const bool from_user = std::ranges::count(n_.graph.inputs, id) > 0 && !tensor.order.empty();
  const std::vector<int> order = from_user ? tensor.order : std::vector<int>{};
  uint32_t from = from_user ? p_.UserBuffer(id) : p_.TensorBuffer(id);
  if (from_user || !need.packing.identity() || p_.IsLaid(id)) {
    const uint32_t packed = p_.ArenaBuffer(tensor.name + ".packed", need.packing.bytes());
    p_.AddKernel(lower::accel::PackFunc(need.packing, fmt::format("pack_{}", brought_.size() - 1),
                                        order, p_.ImageLayoutOf(id)),
                 -1, {from, packed});
    from = packed;
  }
  p_.plan.steps.push_back(artifact::TransferStep{from, buffer});
}

std::vector<bool> DevicePlanBuild::BeforeProgram(int turn) const {
  std::vector<bool> before(n_.regions.size()), read(n_.graph.tensors.size());
  for (size_t r = n_.regions.size(); r-- > 0;) {
    if (tensors_.turns()[r] != turn) continue;
    before[r] = OnDevice(r) || read[static_cast<size_t>(n_.regions[r].output)];
    if (!before[r]) continue;
    for (const TensorId id : n_.regions[r].inputs) read[static_cast<size_t>(id)] = true;
  }
  return before;
}

void DevicePlanBuild::FetchResult(TensorId id) {
  const sched::Packing packing = PackingOf(id);
  const uint32_t buffer = BufferOf(id, packing);
  if (packing.identity() && !p_.IsLaid(id)) {
    p_.plan.steps.push_back(artifact::TransferStep{buffer, p_.TensorBuffer(id)});
    return;
  }
  const uint32_t packed = p_.ArenaBuffer(n_.graph.tensor(id).name + ".packed", packing.bytes());
  p_.plan.steps.push_back(artifact::TransferStep{buffer, packed});
  p_.AddKernel(
      lower::accel::UnpackFunc(packing, fmt::format("unpack_{}", id), p_.ImageLayoutOf(id)), -1,
      {packed, p_.TensorBuffer(id)});
}

Status DevicePlanBuild::AddProgram(int turn) {
  AcceleratorTurn& program = programs_[static_cast<size_t>(turn)];
  if (program.regions.empty()) return {};
  const std::vector<MemoryNeed>& needs = program.plan.needs;
  for (size_t k = 0; k < needs.size(); ++k) {
    const Activation::Kind kind =
        program.activations[static_cast<size_t>(needs[k].activation)].kind;
    if (kind == Activation::Kind::kInput || needs[k].packing.prepared)
      BringInput(needs[k], program.buffers[k]);
  }
  p_.AddProgram(static_cast<uint32_t>(build_.net.programs.size()), program.plan,
                program.regions.size(), program.buffers);
  build_.net.programs.push_back({network::kAccelerator, {}});
  return {};
}

// Emits the programs' instructions; all places are known by now.
Status DevicePlanBuild::Emit() {
  const isa::Config& config = build_.options.config;
  const bool dump =
      build_.options.dumps.contains("schedule") || build_.options.dumps.contains("ir");
  const auto arena = static_cast<int64_t>(p_.plan.arenas[network::kAccelerator].bytes);
  size_t next = 0;
  for (AcceleratorTurn& program : programs_) {
    if (program.regions.empty()) continue;
    std::vector<int64_t> offsets;
    for (const uint32_t id : program.buffers)
      offsets.push_back(static_cast<int64_t>(p_.plan.buffers[id].offset));
    std::optional<PhaseClock::Phase> phase(std::in_place, build_.options.clock,
                                           "accelerator: loops and instructions");
    TESSERA_TRY(network::PackConstants(program.regions, &program.plan));
    network::RefusedIndex refused;
    auto made = codegen::accel::EmitProgram(program.plan, program.activations, program.regions,
                                            config, offsets, arena, dump, &refused);
    if (!made) return Refuse(program, refused, made.error());
    codegen::accel::AccelProgram& emitted = *made;
    phase.emplace(build_.options.clock, "accelerator: check of the program");
    TESSERA_TRY(isa::RequireChecked(emitted.image, config));
    phase.emplace(build_.options.clock, "accelerator: translation check");
    const auto translation = validate::CheckTranslation(
        program.plan, program.regions, config, offsets, arena, emitted.image,
        {.all = build_.options.keep_tensors, .both_orders = build_.options.verify});
    if (!translation) {
      return Within("the program made is not what its layers say, please report this model",
                    translation.error());
    }
    build_.translations.push_back(*translation);
    for (size_t i = 0; i < emitted.irs.size(); ++i) {
      build_.ir_dump +=
          fmt::format("// accelerator {}\n{}\n", program.regions[i].op, emitted.irs[i]);
    }
    for (size_t i = 0; i < program.regions.size(); ++i) {
      build_.AddNetworkTrace(program.regions[i].layer, schedule::kNetworkTrace,
                             program.plan.network[i]);
      build_.AddSchedule(program.regions[i].layer, schedule::kAcceleratorTrace,
                         program.plan.traces[i], dump ? emitted.notes[i] : std::string());
      if (const auto& store = program.plan.regions[i].store)
        build_.AddSchedule(program.regions[i].layer, schedule::kStoreTrace,
                           store->schedule.trace());
    }
    build_.net.programs[next++].image = std::move(emitted.image);
    PlannedProgram& planned = build_.programs.emplace_back();
    planned.activations = std::move(program.activations);
    planned.regions = std::move(program.regions);
    TakePlan(std::move(program.plan), &planned);
  }
  return {};
}

bool DevicePlanBuild::FitsAlone(const AcceleratorTurn& program,
                                const lower::accel::AccelRegion& region) const {
  const isa::Config& config = build_.options.config;
  const auto plan =
      network::PlanProgram(program.activations, {region}, config,
                           {.store_all = build_.options.keep_tensors, .residency = false});
  if (!plan) return false;
  const network::MemoryPlan memory = plan->PlaceNeeds();
  return codegen::accel::EmitProgram(*plan, program.activations, {region}, config, memory.offsets,
                                     memory.bytes)
      .has_value();
}

// If the region alone has a program, its tensors leave the chip, where any stay there, to make
// room. Otherwise the region is cut into its nodes, or goes to the host if it is one node. Every
// attempt takes something from the accelerator, so the attempts end. The user is told the former
// (Compiled::off_chip), and sees the latter in the coverage.
Status DevicePlanBuild::Refuse(const AcceleratorTurn& program, network::RefusedIndex index,
                               const Error& error) {
  const Status refused = std::unexpected(error);
  if (!index) return refused;
  const lower::accel::AccelRegion& region = program.regions[*index];
  if (region.schedule || region.store_schedule || region.network) {
    // The user chose it.
    if (error.code != Code::kOutOfRange) return refused;
    return Fail(error.code, "{}; choose smaller tiles of work", error.message);
  }
  AcceleratorLimits more = build_.limits;
  std::set<TensorId> in_memory = more.in_memory;
  std::optional<OffChip> off =
      LeaveChip(program.activations, program.regions, *index, error.message, &in_memory);
  if (off && FitsAlone(program, region)) {
    more.in_memory = std::move(in_memory);
    more.off_chip.push_back(std::move(*off));
  } else {
    const std::string name = Legible(region.op) + ": ";
    more.refused.push_back(
        {n_.regions[region.layer].nodes,
         error.message.substr(error.message.starts_with(name) ? name.size() : 0)});
  }
  build_.more_limits = std::move(more);
  return refused;
}

void DevicePlanBuild::AddTaps() {
  for (size_t r = 0; r < n_.regions.size(); ++r) {
    const TensorId out = n_.regions[r].output, root = Root(out);
    const std::vector<int64_t>& shape = n_.graph.tensor(out).shape;
    artifact::Tap tap{static_cast<uint32_t>(r), 0, {}};
    if (OnDevice(r)) {
      const DeviceBuffer* made = MadeIn(root);
      if (made == nullptr) continue;
      tap.buffer = made->buffer;
      tap.layout = lower::accel::LayoutForRank(made->packing.layout, shape.size());
    } else if (network::IsGpu(n_.devices[r])) {
      tap.buffer = gpu_->Held(out);
    } else {
      tap.buffer = p_.TensorBuffer(out);
      tap.layout = p_.LayoutOf(out);
    }
    p_.plan.taps.push_back(std::move(tap));
  }
}

Status DevicePlanBuild::Run() {
  {
    const PhaseClock::Phase phase(build_.options.clock, "accelerator: schedules");
    TESSERA_TRY(PlanPrograms());
  }
  for (const TensorId id : n_.graph.inputs) {
    p_.plan.inputs.push_back(p_.UserBuffer(id));
    // The packing converts the order too; other readers need a tensor in the graph's order.
    bool by_host = false;
    for (size_t r = 0; r < n_.regions.size(); ++r)
      by_host |= !OnDevice(r) && std::ranges::count(n_.regions[r].inputs, id) > 0;
    if (by_host) p_.AddOrderStep(id, false);
  }
  for (int turn = 0; turn < static_cast<int>(programs_.size()); ++turn) {
    const std::vector<bool> first = BeforeProgram(turn);
    const auto add = [&](bool before) -> Status {
      for (size_t r = 0; r < n_.regions.size(); ++r) {
        if (OnDevice(r) || tensors_.turns()[r] != turn || first[r] != before) continue;
        TESSERA_TRY(network::IsGpu(n_.devices[r]) ? gpu_->AddRegion(r) : p_.AddHostRegion(r));
      }
      return {};
    };
    TESSERA_TRY(add(true));
    TESSERA_TRY(AddProgram(turn));
    TESSERA_TRY(add(false));
    for (const TensorId id : tensors_.FetchedAfter(turn)) FetchResult(id);
  }
  for (const TensorId id : n_.graph.outputs) {
    p_.plan.outputs.push_back(p_.UserBuffer(id));
    p_.AddOrderStep(id, true);
  }
  if (build_.options.keep_tensors) AddTaps();
  p_.PlaceBuffers();
  TESSERA_TRY(Emit());
  build_.net.plans.push_back(std::move(p_.plan));
  return {};
}

}  // namespace

Status AddDevicePlan(Build& build) { return DevicePlanBuild(build).Run(); }

}  // namespace tessera::compiler
