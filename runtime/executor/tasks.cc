// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/tasks.h"

#include <algorithm>
#include <variant>

namespace tessera {
namespace {

using Kind = PlanTask::Kind;

// Collects the ranges of one task.
class AccessBuild {
 public:
  AccessBuild(const artifact::Artifact& artifact, const artifact::ExecutionPlan& plan)
      : artifact_(artifact),
        plan_(plan),
        model_inputs_(artifact.inputs.size()),
        model_outputs_(artifact.outputs.size()) {}

  Access Of(const PlanTask& task) {
    access_ = {};
    const std::span<const uint32_t> inputs(plan_.inputs), outputs(plan_.outputs);
    switch (task.kind) {
      case Kind::kInputs:
        Write(inputs.first(model_inputs_));
        break;
      case Kind::kStates:
        Write(inputs.subspan(model_inputs_));
        break;
      case Kind::kKeepStates:
        Read(outputs.subspan(model_outputs_));
        break;
      case Kind::kFinish:
        Read(outputs.first(model_outputs_));
        break;
      case Kind::kReceive:
      case Kind::kSend:
        Transfer(task);
        break;
      case Kind::kProgram:
        Arena(std::get<artifact::ProgramStep>(plan_.steps[task.step]));
        break;
      case Kind::kKernel:
        Read(artifact::BuffersRead(plan_.steps[task.step]));
        Write(artifact::BuffersWritten(plan_.steps[task.step]));
    }
    return std::move(access_);
  }

 private:
  void Add(uint32_t buffer, std::vector<ByteRange>& ranges) const {
    const artifact::PlanBuffer& b = plan_.buffers[buffer];
    if (b.home == artifact::BufferHome::kArena)
      ranges.push_back({b.device, b.offset, b.offset + b.bytes});
  }
  void Read(std::span<const uint32_t> buffers) {
    for (const uint32_t buffer : buffers) Add(buffer, access_.reads);
  }
  void Write(std::span<const uint32_t> buffers) {
    for (const uint32_t buffer : buffers) Add(buffer, access_.writes);
  }

  void Transfer(const PlanTask& task) {
    const auto& step = std::get<artifact::TransferStep>(plan_.steps[task.step]);
    const artifact::PlanBuffer& from = plan_.buffers[step.from];
    const ByteRange between{static_cast<uint32_t>(artifact_.devices.size()) + task.step, 0,
                            from.bytes};
    const bool receives = task.kind == Kind::kReceive;
    if (receives || from.device == artifact::kHostDevice) {
      Add(step.from, access_.reads);
    } else {
      access_.reads.push_back(between);
    }
    if (!receives || plan_.buffers[step.to].device == artifact::kHostDevice) {
      Add(step.to, access_.writes);
    } else {
      access_.writes.push_back(between);
    }
  }

  void Arena(const artifact::ProgramStep& step) {
    const artifact::DeviceProgram& program = artifact_.programs[step.program];
    for (const isa::Segment segment : isa::kArenaSegments) {
      const uint64_t bytes = program.image.segments[static_cast<size_t>(segment)].size;
      access_.writes.push_back({program.device, 0, bytes});
    }
  }

  const artifact::Artifact& artifact_;
  const artifact::ExecutionPlan& plan_;
  const size_t model_inputs_, model_outputs_;  // states are behind them
  Access access_;
};

}  // namespace

std::vector<PlanTask> TasksOf(const artifact::Artifact& artifact,
                              const artifact::ExecutionPlan& plan) {
  std::vector<PlanTask> tasks{{.kind = Kind::kInputs}};
  if (!artifact.states.empty()) tasks.push_back({.kind = Kind::kStates});
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    if (const auto* call = std::get_if<artifact::KernelStep>(&plan.steps[s])) {
      tasks.push_back({Kind::kKernel, call->device, s});
    } else if (const auto* run = std::get_if<artifact::ProgramStep>(&plan.steps[s])) {
      tasks.push_back({Kind::kProgram, artifact.programs[run->program].device, s});
    } else {
      const auto& transfer = std::get<artifact::TransferStep>(plan.steps[s]);
      const uint32_t from = plan.buffers[transfer.from].device,
                     to = plan.buffers[transfer.to].device;
      if (from != artifact::kHostDevice) tasks.push_back({Kind::kReceive, from, s});
      if (to != artifact::kHostDevice) tasks.push_back({Kind::kSend, to, s});
    }
  }
  if (!artifact.states.empty()) tasks.push_back({.kind = Kind::kKeepStates});
  tasks.push_back({.kind = Kind::kFinish});
  return tasks;
}

std::vector<Access> AccessesOf(const artifact::Artifact& artifact,
                               const artifact::ExecutionPlan& plan,
                               std::span<const PlanTask> tasks) {
  AccessBuild build(artifact, plan);
  std::vector<Access> accesses;
  for (const PlanTask& task : tasks) accesses.push_back(build.Of(task));
  return accesses;
}

Flow FlowOf(const artifact::Artifact& artifact, const artifact::ExecutionPlan& plan,
            std::span<const PlanTask> tasks, std::span<const uint32_t> queues, bool carry_states) {
  std::vector<std::vector<uint32_t>> after = Dependences(AccessesOf(artifact, plan, tasks));
  std::vector<bool> waited_for(tasks.size());
  for (const std::vector<uint32_t>& some : after) {
    for (const uint32_t t : some) waited_for[t] = true;
  }
  std::vector<FlowTask> flow(tasks.size());
  for (uint32_t t = 0; t < tasks.size(); ++t) {
    flow[t].queue = queues[tasks[t].device];
    flow[t].after = std::move(after[t]);
    flow[t].work = tasks[t].kind == Kind::kKernel || tasks[t].kind == Kind::kProgram;
  }
  // An inference is finished when all its tasks have ended, and after the one before it.
  const auto finish = static_cast<uint32_t>(tasks.size()) - 1;
  for (uint32_t t = 0; t < finish; ++t) {
    if (!waited_for[t]) flow[finish].after.push_back(t);
  }
  flow[finish].after_last = finish;
  if (carry_states && !artifact.states.empty()) flow[1].after_last = finish - 1;
  return Flow(std::move(flow), static_cast<uint32_t>(artifact.devices.size()));
}

}  // namespace tessera
