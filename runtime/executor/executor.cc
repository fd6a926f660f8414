// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/executor.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <ranges>
#include <utility>

#include "base/check.h"
#include "runtime/artifact/tap.h"
#include "runtime/host/cpu_level.h"

namespace tessera {
namespace {

using artifact::Artifact;
using artifact::HostObject;
using artifact::KernelStep;
using artifact::PlanBuffer;
using artifact::PlanStep;
using artifact::ProgramStep;
using artifact::TransferStep;

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

double ExecutionReport::HostSeconds() const {
  return std::accumulate(step_seconds.begin(), step_seconds.end(), 0.0);
}

std::vector<uint64_t> ExecutionReport::Cycles() const {
  std::vector<uint64_t> cycles(static_cast<size_t>(inferences));
  for (size_t k = 0; k < runs.size(); ++k)
    cycles[k / (runs.size() / cycles.size())] += runs[k].report.cycles;
  return cycles;
}

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
  TESSERA_TRY(executor->PrepareHost());
  TESSERA_TRY(executor->PrepareDevices(devices));
  for (const artifact::ModelState& state : a.states) executor->states_.push_back(state.first);
  return executor;
}

Executor::~Executor() {
  for (const Opened& opened : devices_) {
    for (const uint64_t address : opened.allocations) {
      const Status status = opened.device->Free(address);
      TESSERA_CHECK(status.has_value(), "{}", status.error().message);
    }
  }
}

std::span<uint8_t> Executor::HostBytes(uint32_t id) const {
  const PlanBuffer& buffer = plan_->buffers[id];
  const Mapping& home = buffer.home == artifact::BufferHome::kArena ? arena_ : constants_;
  return {home.data() + buffer.offset, static_cast<size_t>(buffer.bytes)};  // inside a mapping
}

Result<std::vector<uint8_t>> Executor::BytesOf(uint32_t id) const {
  const PlanBuffer& buffer = plan_->buffers[id];
  std::vector<uint8_t> bytes(buffer.bytes);
  if (buffer.device == artifact::kHostDevice) {
    std::ranges::copy(HostBytes(id), bytes.begin());
  } else {
    TESSERA_TRY(Read(buffer.device, buffer.offset, bytes));
  }
  return bytes;
}

Status Executor::PrepareHost() {
  TESSERA_ASSIGN(arena_, Mapping::Make(plan_->arenas[artifact::kHostDevice].bytes));
  TESSERA_ASSIGN(constants_, Mapping::Make(artifact_->constants.size()));
  if (!artifact_->constants.empty()) {
    std::memcpy(constants_.data(), artifact_->constants.data(), artifact_->constants.size());
    TESSERA_TRY(constants_.Protect(0, constants_.size(), Mapping::Protection::kRead));
  }
  const auto is_kernel = [](const PlanStep& s) {
    const auto* call = std::get_if<KernelStep>(&s);
    return call != nullptr && call->device == artifact::kHostDevice;
  };
  if (std::ranges::none_of(plan_->steps, is_kernel)) return {};
  TESSERA_ASSIGN(const HostObject* object, ChooseObject(*artifact_, options_.cpu_level));
  cpu_level_ = object->level;
  TESSERA_ASSIGN(code_, HostCode::Load(object->elf));
  TESSERA_ASSIGN(pool_, HostThreads::Make(options_.threads));
  for (const PlanStep& step : plan_->steps) {
    if (!is_kernel(step)) continue;
    const auto* call = std::get_if<KernelStep>(&step);
    BoundKernel kernel;
    TESSERA_ASSIGN(kernel.function, code_->Find(call->symbol));
    for (const uint32_t id : call->buffers) kernel.buffers.push_back(HostBytes(id).data());
    kernels_.push_back(std::move(kernel));
  }
  return {};
}

// Uploads code and the programs' own segments first, then allocates the arena.
Status Executor::PrepareDevices(std::span<Device* const> devices) {
  devices_.resize(artifact_->devices.size());
  launches_.resize(artifact_->programs.size());
  for (const PlanStep& step : plan_->steps) {
    const auto* call = std::get_if<KernelStep>(&step);
    if (call == nullptr || call->device == artifact::kHostDevice) continue;
    if (devices_[call->device].kernels == nullptr) TESSERA_TRY(PrepareKernels(call->device));
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
    const uint64_t bytes = plan_->arenas[id].bytes;
    if (bytes == 0) continue;
    TESSERA_ASSIGN(opened.arena, opened.device->Allocate(bytes));
    opened.allocations.push_back(opened.arena);
    for (size_t p = 0; p < launches_.size(); ++p) {
      const artifact::DeviceProgram& program = artifact_->programs[p];
      if (!launches_[p] || program.device != id) continue;
      for (const isa::Segment segment : isa::kArenaSegments) {
        const auto s = static_cast<size_t>(segment);
        const uint64_t size = program.image.segments[s].size;
        if (size != 0) launches_[p]->segments[s] = {opened.arena, size};
      }
    }
  }
  return {};
}

// Builds the source, and puts the arena and the constants into the device's memory.
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
  TESSERA_ASSIGN(opened.arena, opened.kernels->Allocate(plan_->arenas[device].bytes));
  std::vector<KernelDevice::MemoryPlace> places;
  for (const PlanBuffer& buffer : plan_->buffers) {
    places.push_back({opened.arena, buffer.offset});
    if (buffer.device != device || buffer.home != artifact::BufferHome::kConstants) continue;
    TESSERA_ASSIGN(const uint64_t memory, opened.kernels->Allocate(buffer.bytes));
    places.back() = {memory, 0};
    const std::span<const uint8_t> all(artifact_->constants);
    TESSERA_TRY(opened.kernels->Write(places.back(), all.subspan(buffer.offset, buffer.bytes)));
  }
  for (const PlanStep& step : plan_->steps) {
    const auto* call = std::get_if<KernelStep>(&step);
    if (call == nullptr || call->device != device) continue;
    BoundLaunch launch{.kernel = artifact_->FindKernel(device, call->symbol), .buffers = {}};
    for (const uint32_t id : call->buffers) launch.buffers.push_back(places[id]);
    kernel_launches_.push_back(std::move(launch));
  }
  return {};
}

Status Executor::Write(uint32_t device, uint64_t offset, std::span<const uint8_t> bytes) {
  const Opened& opened = devices_[device];
  if (opened.kernels != nullptr) return opened.kernels->Write({opened.arena, offset}, bytes);
  return opened.device->Write(opened.arena + offset, bytes);
}

Status Executor::Read(uint32_t device, uint64_t offset, std::span<uint8_t> bytes) const {
  const Opened& opened = devices_[device];
  if (opened.kernels != nullptr) return opened.kernels->Read({opened.arena, offset}, bytes);
  return opened.device->Read(opened.arena + offset, bytes);
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
    if (segment.size == 0 || arena) continue;
    TESSERA_ASSIGN(const uint64_t address, place(segment.size, segment.data));
    launch.segments[s] = {address, segment.size};
  }
  launches_[index] = launch;
  return {};
}

Status Executor::RunProgram(uint32_t program, uint64_t& budget, ExecutionReport* report) {
  Device& device = *devices_[artifact_->programs[program].device].device;
  Launch launch = *launches_[program];
  if (budget == 0) {
    return Fail(Code::kTimeout, "the budget of {} cycles was spent before program {} started",
                options_.budget, program);
  }
  launch.budget = budget;
  ProgramRun run{.program = program, .report = {}, .trace = {}};
  RetiredList retired(&run.trace);
  ObserverList observers;
  if (report != nullptr && report->traced) observers.Add(&retired);
  if (report != nullptr && report->listener) observers.Add(report->listener->Begin(program));
  if (observers.any() != nullptr) TESSERA_TRY(device.SetObserver(observers.any()));
  const Result<RunReport> ran = device.Run(launch);
  if (observers.any() != nullptr) TESSERA_TRY(device.SetObserver(nullptr));
  if (!ran) {
    failure_ = Failure{.budget = launch.budget, .inputs = {}};
    return std::unexpected(ran.error());
  }
  budget -= std::min(budget, device.has_clock() ? ran->cycles : ran->instructions);
  run.report = *ran;
  if (report != nullptr && report->listener) report->listener->End(run);
  if (report != nullptr) report->runs.push_back(std::move(run));
  return {};
}

Status Executor::Transfer(const TransferStep& step) {
  const PlanBuffer &from = plan_->buffers[step.from], &to = plan_->buffers[step.to];
  if (from.device == artifact::kHostDevice)
    return Write(to.device, to.offset, HostBytes(step.from));
  if (to.device == artifact::kHostDevice) return Read(from.device, from.offset, HostBytes(step.to));
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, BytesOf(step.from));
  return Write(to.device, to.offset, bytes);
}

namespace {

// Adds its own lifetime to the host time of a step; null: to nothing.
class HostTime {
 public:
  explicit HostTime(double* seconds) : seconds_(seconds) {}
  ~HostTime() {
    if (seconds_ == nullptr) return;
    *seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  HostTime(const HostTime&) = delete;
  HostTime& operator=(const HostTime&) = delete;

 private:
  double* seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Status Executor::Once(ExecutionReport* report, size_t end) {
  const UseThreads pool(pool_.get());
  size_t next = 0, next_launch = 0;
  uint64_t budget = options_.budget;
  for (size_t s = 0; s < end; ++s) {
    if (options_.poison_dead) TESSERA_TRY(Poison(s));
    const PlanStep& step = plan_->steps[s];
    const bool timed = report != nullptr && !std::holds_alternative<ProgramStep>(step);
    const HostTime time(timed ? &report->step_seconds[s] : nullptr);
    if (const auto* run = std::get_if<ProgramStep>(&step)) {
      if (const Status ran = RunProgram(run->program, budget, report); !ran) {
        if (failure_) failure_->step = s;
        return ran;
      }
    } else if (const auto* transfer = std::get_if<TransferStep>(&step)) {
      TESSERA_TRY(Transfer(*transfer));
    } else if (std::get<KernelStep>(step).device != artifact::kHostDevice) {
      const BoundLaunch& launch = kernel_launches_[next_launch++];
      KernelDevice& device = *devices_[std::get<KernelStep>(step).device].kernels;
      TESSERA_TRY(device.Launch(launch.kernel->name, launch.kernel->groups, launch.kernel->threads,
                                launch.buffers));
    } else {
      BoundKernel& kernel = kernels_[next++];
      kernel.function(kernel.buffers.data());
    }
  }
  return {};
}

Result<std::vector<HostTensor>> Executor::Run(std::span<const HostTensor> inputs,
                                              ExecutionReport* report) {
  TESSERA_ASSIGN(const int64_t count, CountTogether(artifact_->inputs, inputs, options_.pixels));
  if (report != nullptr) {
    report->inferences = count;
    report->runs.clear();
    report->step_seconds.assign(plan_->steps.size(), 0);
  }
  failure_.reset();
  std::vector<HostTensor> outputs;
  for (const artifact::TensorInfo& output : artifact_->outputs) {
    std::vector<int64_t> shape = ItemShape(output.shape);
    shape.insert(shape.begin(), count);
    outputs.push_back(HostTensor::Zeros(output.dtype, std::move(shape)));
  }
  for (int64_t n = 0; n < count; ++n) {
    FillInputs(inputs, n);
    if (const Status done = Once(report, plan_->steps.size()); !done) {
      if (failure_) {
        for (const HostTensor& input : inputs) failure_->inputs.push_back(input.Slice(n, 1));
      }
      return std::unexpected(done.error());
    }
    KeepStates();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::span<const uint8_t> bytes = HostBytes(plan_->outputs[i]);
      std::ranges::copy(bytes, outputs[i].bytes.begin() + n * static_cast<int64_t>(bytes.size()));
    }
    if (report == nullptr || !report->done || report->done(n + 1) || n + 1 == count) continue;
    report->inferences = n + 1;
    for (HostTensor& output : outputs) output = output.Slice(0, n + 1);
    break;
  }
  return outputs;
}

Result<HostTensor> Executor::CaptureLayer(uint32_t layer) const {
  const artifact::Tap* tap = plan_->TapOf(layer);
  if (tap == nullptr) {
    return Fail(Code::kNotFound, "plan '{}' does not keep the result of layer {} of {}",
                plan_->name, layer, artifact_->layers.size());
  }
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, BytesOf(tap->buffer));
  return artifact::UnpackTap(artifact_->layers[layer].output, tap->layout, bytes);
}

}  // namespace tessera
