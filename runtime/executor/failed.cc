// SPDX-License-Identifier: Apache-2.0
//
// A run of a program in a form that can be repeated: Executor::Failed and Executor::Beginning.
#include <optional>
#include <utility>

#include "runtime/executor/executor.h"

namespace tessera {

// A program's own segments begin with the image's data; ImageNow reads the others from the device.
Result<isa::ProgramImage> Executor::ImageNow(uint32_t program, const Slot& slot) {
  isa::ProgramImage image = artifact_->programs[program].image;
  const Opened& opened = devices_[artifact_->programs[program].device];
  const Launch launch = LaunchOf(program, slot);
  for (const isa::Segment segment : isa::kArenaSegments) {
    const auto s = static_cast<size_t>(segment);
    image.segments[s].data.resize(image.segments[s].size);
    TESSERA_TRY(opened.device->Read(launch.segments[s].base, image.segments[s].data));
  }
  return image;
}

std::optional<FailedRun> Executor::Failed() {
  if (!failure_) return std::nullopt;
  return Again(*std::exchange(failure_, std::nullopt));
}

std::optional<FailedRun> Executor::Beginning(std::span<const HostTensor> inputs, size_t run) {
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    if (!std::holds_alternative<artifact::ProgramStep>(plan_->steps[s]) || run-- != 0) continue;
    return Again({.budget = options_.budget, .step = s, .inputs = {inputs.begin(), inputs.end()}});
  }
  return std::nullopt;
}

std::optional<FailedRun> Executor::Again(const Failure& failure) {
  // The tasks before the program, in slot 0 and with the states of the last inference.
  next_ = before_;
  Call call{.inputs = failure.inputs, .report = nullptr, .outputs = {}};
  last_slot_ = 0;
  for (FlowPlace at; !tasks_[at.task].HasStep() || tasks_[at.task].step != failure.step;
       ++at.task) {
    if (!Do(call, at, 0)) return std::nullopt;
  }
  const auto& step = std::get<artifact::ProgramStep>(plan_->steps[failure.step]);
  Result<isa::ProgramImage> image = ImageNow(step.program, slots_[0]);
  if (!image) return std::nullopt;
  FailedRun failed{std::move(*image), failure.budget, artifact_->provenance.model_file, {}};
  for (const artifact::Layer& layer : artifact_->layers) failed.layers.push_back(layer.name);
  return failed;
}

}  // namespace tessera
