// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/executor.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "base/copy.h"
#include "runtime/artifact/tap.h"

namespace tessera {
namespace {

using artifact::KernelStep;
using artifact::PlanBuffer;
using artifact::PlanStep;
using artifact::ProgramStep;
using artifact::TransferStep;

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

std::span<uint8_t> Executor::HostBytes(uint32_t id, const Slot& slot) const {
  const PlanBuffer& buffer = plan_->buffers[id];
  const Mapping& home = buffer.home == artifact::BufferHome::kArena ? slot.arena : constants_;
  return {home.data() + buffer.offset, static_cast<size_t>(buffer.bytes)};  // inside a mapping
}

Result<std::vector<uint8_t>> Executor::BytesOf(uint32_t id, const Slot& slot) const {
  const PlanBuffer& buffer = plan_->buffers[id];
  std::vector<uint8_t> bytes(buffer.bytes);
  if (buffer.device == artifact::kHostDevice) {
    CopyBytes(HostBytes(id, slot), bytes.data());
  } else {
    TESSERA_TRY(Read(slot, buffer.device, buffer.offset, bytes));
  }
  return bytes;
}

Status Executor::Write(const Slot& slot, uint32_t device, uint64_t offset,
                       std::span<const uint8_t> bytes) {
  const Opened& opened = devices_[device];
  const uint64_t arena = slot.arenas[device];
  if (opened.kernels != nullptr) return opened.kernels->Write({arena, offset}, bytes);
  return opened.device->Write(arena + offset, bytes);
}

Status Executor::Read(const Slot& slot, uint32_t device, uint64_t offset,
                      std::span<uint8_t> bytes) const {
  const Opened& opened = devices_[device];
  const uint64_t arena = slot.arenas[device];
  if (opened.kernels != nullptr) return opened.kernels->Read({arena, offset}, bytes);
  return opened.device->Read(arena + offset, bytes);
}

Launch Executor::LaunchOf(uint32_t program, const Slot& slot) const {
  Launch launch = *launches_[program];
  for (const isa::Segment segment : isa::kArenaSegments) {
    SegmentBinding& binding = launch.segments[static_cast<size_t>(segment)];
    if (binding.size != 0) binding.base = slot.arenas[artifact_->programs[program].device];
  }
  return launch;
}

// The budget is what the longest way to this program has left of it.
Status Executor::RunProgram(uint32_t task, Slot& slot, ExecutionReport* report) {
  const uint32_t program = std::get<ProgramStep>(plan_->steps[tasks_[task].step]).program;
  Device& device = *devices_[tasks_[task].device].device;
  TaskState& state = slot.tasks[task];
  if (state.spent >= options_.budget) {
    return Fail(Code::kTimeout, "the budget of {} cycles was spent before program {} started",
                options_.budget, program);
  }
  Launch launch = LaunchOf(program, slot);
  launch.budget = options_.budget - state.spent;
  state.run.program = program;
  RetiredList retired(&state.run.trace);
  ObserverList observers;
  if (report != nullptr && report->traced) observers.Add(&retired);
  if (report != nullptr && report->listener) observers.Add(report->listener->Begin(program));
  if (observers.any() != nullptr) TESSERA_TRY(device.SetObserver(observers.any()));
  const Result<RunReport> ran = device.Run(launch);
  if (observers.any() != nullptr) TESSERA_TRY(device.SetObserver(nullptr));
  if (!ran) {
    state.budget = launch.budget;
    return std::unexpected(ran.error());
  }
  state.spent += device.has_clock() ? ran->cycles : ran->instructions;
  state.run.report = *ran;
  if (report != nullptr && report->listener) report->listener->End(state.run);
  return {};
}

Status Executor::RunKernel(const PlanTask& task, Slot& slot, const ExecutionReport* report) {
  if (const artifact::SourceKernel* kernel = sources_[task.step]) {
    KernelDevice& device = *devices_[task.device].kernels;
    const auto launch = [&] {
      return device.Launch(kernel->name, kernel->groups, kernel->threads, slot.places[task.step]);
    };
    if (report == nullptr || !report->each_kernel) return launch();
    TESSERA_TRY(device.Timed(launch));
    return {};
  }
  const UseThreads pool(pool_.get());
  functions_[task.step](slot.buffers[task.step].data());
  return {};
}

Status Executor::Transfer(const PlanTask& task, Slot& slot) {
  const auto& step = std::get<TransferStep>(plan_->steps[task.step]);
  const PlanBuffer &from = plan_->buffers[step.from], &to = plan_->buffers[step.to];
  std::vector<uint8_t>& between = slot.between[task.step];
  if (task.kind == PlanTask::Kind::kSend) {
    const bool host = from.device == artifact::kHostDevice;
    return Write(slot, to.device, to.offset, host ? HostBytes(step.from, slot) : between);
  }
  if (to.device == artifact::kHostDevice)
    return Read(slot, from.device, from.offset, HostBytes(step.to, slot));
  between.resize(from.bytes);
  return Read(slot, from.device, from.offset, between);
}

Status Executor::Perform(Call& call, FlowPlace at, Slot& slot) {
  const PlanTask& task = tasks_[at.task];
  switch (task.kind) {
    case PlanTask::Kind::kInputs:
      for (size_t i = 0; i < call.inputs.size(); ++i)
        FillInput(artifact_->inputs[i], call.inputs[i], at.item, options_.pixels,
                  HostBytes(plan_->inputs[i], slot));
      break;
    case PlanTask::Kind::kStates:
      FillStates(slot);
      break;
    case PlanTask::Kind::kKernel:
      return RunKernel(task, slot, call.report);
    case PlanTask::Kind::kProgram:
      return RunProgram(at.task, slot, call.report);
    case PlanTask::Kind::kReceive:
    case PlanTask::Kind::kSend:
      return Transfer(task, slot);
    case PlanTask::Kind::kKeepStates:
      KeepStates(slot);
      break;
    case PlanTask::Kind::kFinish:
      break;  // in Do
  }
  return {};
}

// A program's own failure says what it did. For others, and for a device that is gone, the step.
std::unexpected<Error> Executor::Named(const PlanTask& task, const Error& error) const {
  const PlanStep& step = plan_->steps[task.step];
  const std::string& device = artifact_->devices[task.device].name;
  std::string what;
  if (const auto* transfer = std::get_if<TransferStep>(&step)) {
    const bool sends = task.kind == PlanTask::Kind::kSend;
    what = fmt::format("transfer of {} {} {}", plan_->buffers[transfer->from].name,
                       sends ? "to" : "from", device);
  } else if (const auto* run = std::get_if<ProgramStep>(&step)) {
    if (error.code != Code::kUnavailable) return std::unexpected(error);
    what = fmt::format("program {} on {}", run->program, device);
  } else {
    what = fmt::format("kernel {} on {}", std::get<KernelStep>(step).symbol, device);
  }
  return Within(fmt::format("step {} of plan {}, {}", task.step, plan_->name, what), error);
}

Result<bool> Executor::Do(Call& call, FlowPlace at, size_t number) {
  const PlanTask& task = tasks_[at.task];
  Slot& slot = slots_[number];
  TaskState& state = slot.tasks[at.task];
  state.run.trace.clear();
  state.budget = state.spent = 0;
  for (const uint32_t t : flow_.tasks()[at.task].after)
    state.spent = std::max(state.spent, slot.tasks[t].spent);
  if (options_.poison_dead && task.HasStep()) TESSERA_TRY(Poison(task.step));
  const auto start = std::chrono::steady_clock::now();
  if (const Status done = Perform(call, at, slot); !done) return Named(task, done.error());
  const bool finish = task.kind == PlanTask::Kind::kFinish;
  const bool more = !finish || Finish(call, at.item, number);
  state.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (finish && call.report != nullptr)
    call.report->device_seconds[artifact::kHostDevice] += state.seconds;
  return more;
}

void Executor::Account(Slot& slot, uint32_t end, ExecutionReport* report) {
  if (report == nullptr) return;
  for (uint32_t t = 0; t < end; ++t) {
    const PlanTask& task = tasks_[t];
    TaskState& state = slot.tasks[t];
    report->device_seconds[task.device] += state.seconds;
    if (task.kind == PlanTask::Kind::kProgram) {
      report->runs.push_back(std::move(state.run));
    } else if (task.HasStep()) {
      report->step_seconds[task.step] += state.seconds;
    }
  }
}

// Runs on the caller's thread, one inference after another.
bool Executor::Finish(Call& call, int64_t inference, size_t number) {
  Slot& slot = slots_[number];
  last_slot_ = number;
  before_ = slot.before;
  states_ = slot.after;
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const std::span<const uint8_t> bytes = HostBytes(plan_->outputs[i], slot);
    CopyBytes(bytes, call.outputs[i].bytes.data() + static_cast<size_t>(inference) * bytes.size());
  }
  Account(slot, static_cast<uint32_t>(tasks_.size()) - 1, call.report);
  const int64_t done = inference + 1;
  if (call.report == nullptr || !call.report->done || call.report->done(done) || done == call.count)
    return true;
  call.report->inferences = done;
  for (HostTensor& output : call.outputs) output = output.Slice(0, done);
  return false;
}

Result<std::vector<HostTensor>> Executor::Run(std::span<const HostTensor> inputs,
                                              ExecutionReport* report) {
  Call call{.inputs = inputs, .report = report, .outputs = {}};
  TESSERA_ASSIGN(call.count, CountTogether(artifact_->inputs, inputs, options_.pixels));
  if (report != nullptr) {
    report->inferences = call.count;
    report->runs.clear();
    report->step_seconds.assign(plan_->steps.size(), 0);
    report->device_seconds.assign(devices_.size(), 0);
  }
  failure_.reset();
  next_ = states_;
  for (const artifact::TensorInfo& output : artifact_->outputs) {
    std::vector<int64_t> shape = ItemShape(output.shape);
    shape.insert(shape.begin(), call.count);
    call.outputs.push_back(HostTensor::Zeros(output.dtype, std::move(shape)));
  }
  const Flow::Do task = [&](FlowPlace at, size_t slot) { return Do(call, at, slot); };
  const bool in_order = options_.poison_dead ||
                        (report != nullptr && (report->listener != nullptr || report->each_kernel));
  const std::optional<FlowFailure> failed =
      in_order ? flow_.RunInOrder(call.count, task) : flow_.Run(call.count, slots_.size(), task);
  if (!failed) return std::move(call.outputs);
  // Task 0 does not fail: the system gave no threads, and no inference began.
  if (failed->place.task == 0) return std::unexpected(failed->error);
  Slot& slot = slots_[failed->slot];
  last_slot_ = failed->slot;
  before_ = states_ = slot.before;
  Account(slot, failed->place.task, report);
  if (const uint64_t budget = slot.tasks[failed->place.task].budget; budget != 0) {
    failure_ = {.budget = budget, .step = tasks_[failed->place.task].step, .inputs = {}};
    for (const HostTensor& input : inputs)
      failure_->inputs.push_back(input.Slice(failed->place.item, 1));
  }
  return std::unexpected(failed->error);
}

Result<HostTensor> Executor::CaptureLayer(uint32_t layer) const {
  const artifact::Tap* tap = plan_->TapOf(layer);
  if (tap == nullptr) {
    return Fail(Code::kNotFound, "plan '{}' does not keep the result of layer {} of {}",
                plan_->name, layer, artifact_->layers.size());
  }
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, BytesOf(tap->buffer, slots_[last_slot_]));
  return artifact::UnpackTap(artifact_->layers[layer].output, tap->layout, bytes);
}

}  // namespace tessera
