// SPDX-License-Identifier: Apache-2.0
//
// Executor::Open: everything that an inference needs, before the first one.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <ranges>
#include <utility>

#include "base/check.h"
#include "runtime/executor/executor.h"
#include "runtime/host/cpu_level.h"

namespace tessera {
namespace {

using artifact::Artifact;
using artifact::HostObject;
using artifact::KernelStep;
using artifact::PlanBuffer;
using artifact::PlanStep;
using artifact::ProgramStep;

constexpr int kMostInFlight = 64;
// The machine ends its bursts at addresses that are multiples of a part of this. Arenas that lie
// alike in such blocks take the same cycles.
constexpr uint64_t kBurstBlock = 4096;

Result<const HostObject*> ChooseObject(const Artifact& artifact, const std::string& wanted) {
  const std::vector<std::string> levels = CpuLevels();
  for (const std::string& level : levels) {
    if (!wanted.empty() && level != wanted) continue;
    const auto object = std::ranges::find(artifact.objects, level, &HostObject::level);
    if (object != artifact.objects.end()) return &*object;
  }
  return Fail(Code::kUnsupported,
              "the artifact has host code for [{}], this machine runs [{}]{}; compile the model "
              "for one of these",
              fmt::join(std::views::transform(artifact.objects, &HostObject::level), ", "),
              fmt::join(levels, ", "), wanted.empty() ? "" : ", asked for is " + wanted);
}

}  // namespace

Result<std::unique_ptr<Executor>> Executor::Open(std::shared_ptr<const Artifact> artifact,
                                                 const std::string& plan, Device* accelerator,
                                                 const ExecutorOptions& options) {
  Device* const devices[] = {nullptr, accelerator};
  return Open(std::move(artifact), plan, devices, options);
}

Result<std::unique_ptr<Executor>> Executor::Open(std::shared_ptr<const Artifact> artifact,
                                                 const std::string& plan,
                                                 std::span<Device* const> devices,
                                                 const ExecutorOptions& options) {
  // An artifact from memory has not been through Parse.
  TESSERA_TRY(artifact::CheckArtifact(*artifact));
  std::unique_ptr<Executor> executor(new Executor);
  executor->artifact_ = std::move(artifact);
  executor->options_ = options;
  const Artifact& a = *executor->artifact_;
  executor->plan_ = a.PlanNamed(plan);
  if (executor->plan_ == nullptr) {
    std::vector<std::string_view> names;
    for (const artifact::ExecutionPlan& p : a.plans) names.push_back(p.name);
    return Fail(Code::kNotFound, "the artifact has no plan '{}'; it has [{}]", plan,
                fmt::join(names, ", "));
  }
  if (options.in_flight < 1 || options.in_flight > kMostInFlight) {
    return Fail(Code::kOutOfRange, "{} inferences in flight; an executor holds 1 to {}",
                options.in_flight, kMostInFlight);
  }
  TESSERA_TRY(executor->PrepareHost());
  TESSERA_TRY(executor->PrepareDevices(devices));
  TESSERA_TRY(executor->PrepareSlots());
  for (const artifact::ModelState& state : a.states) executor->states_.push_back(state.first);
  return executor;
}

Executor::~Executor() {
  for (const Opened& opened : devices_) {
    for (const uint64_t address : opened.allocations) {
      const Status status = opened.device->Free(address);
      // A device that is gone has nothing left to free.
      TESSERA_CHECK(status.has_value() || status.error().code == Code::kUnavailable, "{}",
                    status.error().message);
    }
  }
}

Status Executor::PrepareHost() {
  TESSERA_ASSIGN(constants_, Mapping::Make(artifact_->constants.size()));
  if (!artifact_->constants.empty()) {
    std::memcpy(constants_.data(), artifact_->constants.data(), artifact_->constants.size());
    TESSERA_TRY(constants_.Protect(0, constants_.size(), Mapping::Protection::kRead));
  }
  const auto is_kernel = [](const PlanStep& s) {
    const auto* call = std::get_if<KernelStep>(&s);
    return call != nullptr && call->device == artifact::kHostDevice;
  };
  functions_.resize(plan_->steps.size());
  sources_.resize(plan_->steps.size());
  if (std::ranges::none_of(plan_->steps, is_kernel)) return {};
  TESSERA_ASSIGN(const HostObject* object, ChooseObject(*artifact_, options_.cpu_level));
  cpu_level_ = object->level;
  TESSERA_ASSIGN(code_, HostCode::Load(object->elf));
  TESSERA_ASSIGN(pool_, HostThreads::Make(options_.threads));
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    if (!is_kernel(plan_->steps[s])) continue;
    TESSERA_ASSIGN(functions_[s], code_->Find(std::get<KernelStep>(plan_->steps[s]).symbol));
  }
  return {};
}

// Uploads code and the programs' own segments; the arenas come after them, with the slots.
Status Executor::PrepareDevices(std::span<Device* const> devices) {
  devices_.resize(artifact_->devices.size());
  launches_.resize(artifact_->programs.size());
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const auto* call = std::get_if<KernelStep>(&plan_->steps[s]);
    if (call == nullptr || call->device == artifact::kHostDevice) continue;
    if (devices_[call->device].kernels == nullptr) TESSERA_TRY(PrepareKernels(call->device));
    sources_[s] = artifact_->FindKernel(call->device, call->symbol);
  }
  for (const uint32_t id : plan_->DevicesUsed(artifact_->programs)) {
    Opened& opened = devices_[id];
    opened.device = id < devices.size() ? devices[id] : nullptr;
    if (opened.device == nullptr) {
      return Fail(Code::kInvalidArgument, "plan '{}' needs a device for {}", plan_->name,
                  artifact_->devices[id].name);
    }
    for (const PlanStep& step : plan_->steps) {
      const auto* run = std::get_if<ProgramStep>(&step);
      if (run == nullptr || artifact_->programs[run->program].device != id) continue;
      if (!launches_[run->program]) TESSERA_TRY(PrepareProgram(run->program));
    }
  }
  return {};
}

// Builds the source and puts the constants into the device's memory.
Status Executor::PrepareKernels(uint32_t device) {
  Opened& opened = devices_[device];
  opened.kernels = options_.kernel_device;
  if (opened.kernels == nullptr) {
    return Fail(Code::kInvalidArgument, "plan '{}' needs a device for {}", plan_->name,
                artifact_->devices[device].name);
  }
  const auto source =
      std::ranges::find(artifact_->sources, device, &artifact::KernelSource::device);
  TESSERA_TRY(opened.kernels->Build(source->text));
  opened.constants.resize(plan_->buffers.size());
  for (size_t id = 0; id < plan_->buffers.size(); ++id) {
    const PlanBuffer& buffer = plan_->buffers[id];
    if (buffer.device != device || buffer.home != artifact::BufferHome::kConstants) continue;
    TESSERA_ASSIGN(opened.constants[id], opened.kernels->Allocate(buffer.bytes));
    const std::span<const uint8_t> all(artifact_->constants);
    TESSERA_TRY(
        opened.kernels->Write({opened.constants[id], 0}, all.subspan(buffer.offset, buffer.bytes)));
  }
  return {};
}

Status Executor::PrepareProgram(uint32_t index) {
  const artifact::DeviceProgram& program = artifact_->programs[index];
  const isa::ProgramImage& image = program.image;
  Opened& opened = devices_[program.device];
  TESSERA_TRY(isa::CheckImageMatches(image, opened.device->config()));
  const auto place = [&](uint64_t bytes, std::span<const uint8_t> data) -> Result<uint64_t> {
    TESSERA_ASSIGN(const uint64_t address, opened.device->Allocate(bytes));
    opened.allocations.push_back(address);
    TESSERA_TRY(opened.device->Write(address, data));
    return address;
  };
  if (image.code.empty())
    return Fail(Code::kInvalidArgument, "accelerator program {} is empty", index);
  Launch launch;
  launch.profile = image.profile;
  launch.insn_count = static_cast<uint32_t>(image.insn_count());
  TESSERA_ASSIGN(launch.insn_addr, place(image.code.size(), image.code));
  for (size_t s = 0; s < image.segments.size(); ++s) {
    const isa::SegmentData& segment = image.segments[s];
    const bool arena = std::ranges::count(isa::kArenaSegments, static_cast<isa::Segment>(s)) > 0;
    launch.segments[s].size = segment.size;
    if (segment.size == 0 || arena) continue;
    TESSERA_ASSIGN(launch.segments[s].base, place(segment.size, segment.data));
  }
  launches_[index] = launch;
  return {};
}

// One slot, or one for each inference in flight if that lets devices work at the same time.
Status Executor::PrepareSlots() {
  tasks_ = TasksOf(*artifact_, *plan_);
  // Calls on one device do not overlap, so a device that stands for several has one queue.
  std::vector<uint32_t> queues(devices_.size());
  for (uint32_t d = 0; d < devices_.size(); ++d) {
    const Opened& opened = devices_[d];
    for (queues[d] = 0; queues[d] < d; ++queues[d]) {
      const Opened& other = devices_[queues[d]];
      if (opened.device == other.device && opened.kernels == other.kernels) break;
    }
  }
  flow_ = FlowOf(*artifact_, *plan_, tasks_, queues, !options_.fresh_states);
  TESSERA_TRY(AddSlot());
  while (flow_.working_queues() > 1 && std::ssize(slots_) < options_.in_flight) {
    const Status added = AddSlot();
    if (added) continue;
    return Fail(added.error().code,
                "there is no memory for inference {} of {} in flight, which has arenas of its own: "
                "{}; have fewer in flight",
                slots_.size() + 1, options_.in_flight, added.error().message);
  }
  return {};
}

Status Executor::AddSlot() {
  Slot slot;
  TESSERA_ASSIGN(slot.arena, Mapping::Make(plan_->arenas[artifact::kHostDevice].bytes));
  slot.arenas.resize(devices_.size());
  for (size_t d = 0; d < devices_.size(); ++d) {
    Opened& opened = devices_[d];
    const uint64_t bytes = plan_->arenas[d].bytes;
    if (opened.kernels != nullptr) {
      TESSERA_ASSIGN(slot.arenas[d], opened.kernels->Allocate(bytes));
    } else if (opened.device != nullptr && bytes != 0) {
      const uint64_t spare = slots_.empty() ? 0 : kBurstBlock;
      TESSERA_ASSIGN(const uint64_t address, opened.device->Allocate(bytes + spare));
      opened.allocations.push_back(address);
      slot.arenas[d] = address;
      if (!slots_.empty()) slot.arenas[d] += (slots_[0].arenas[d] - address) % kBurstBlock;
    }
  }
  slot.buffers.resize(plan_->steps.size());
  slot.places.resize(plan_->steps.size());
  slot.between.resize(plan_->steps.size());
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const auto* call = std::get_if<KernelStep>(&plan_->steps[s]);
    if (call == nullptr) continue;
    for (const uint32_t id : call->buffers) {
      const PlanBuffer& buffer = plan_->buffers[id];
      if (call->device == artifact::kHostDevice) {
        slot.buffers[s].push_back(HostBytes(id, slot).data());
      } else if (buffer.home == artifact::BufferHome::kArena) {
        slot.places[s].push_back({slot.arenas[call->device], buffer.offset});
      } else {
        slot.places[s].push_back({devices_[call->device].constants[id], 0});
      }
    }
  }
  slot.tasks.resize(tasks_.size());
  slots_.push_back(std::move(slot));
  return {};
}

}  // namespace tessera
