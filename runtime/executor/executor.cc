// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/executor.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "runtime/artifact/tap.h"
#include "runtime/executor/inputs.h"
#include "runtime/host/cpu_level.h"

namespace tessera {
namespace {

using artifact::Artifact;
using artifact::DeviceStep;
using artifact::HostBuffer;
using artifact::HostObject;
using artifact::KernelStep;

Result<const HostObject*> ChooseObject(const Artifact& artifact, const std::string& wanted) {
  const std::vector<std::string> levels = CpuLevels();
  for (const std::string& level : levels) {
    if (!wanted.empty() && level != wanted) continue;
    const auto object = std::ranges::find(artifact.objects, level, &HostObject::level);
    if (object != artifact.objects.end()) return &*object;
  }
  std::vector<std::string_view> given;
  for (const HostObject& object : artifact.objects) given.push_back(object.level);
  return Fail(Code::kUnsupported,
              "the artifact has host code for [{}], this machine runs [{}]{}; compile the model "
              "for one of these",
              fmt::join(given, ", "), fmt::join(levels, ", "),
              wanted.empty() ? "" : ", asked for is " + wanted);
}

}  // namespace

Result<std::unique_ptr<Executor>> Executor::Open(std::shared_ptr<const Artifact> artifact,
                                                 const std::string& plan, Device* device,
                                                 const ExecutorOptions& options) {
  // An artifact that was just made has not been through Parse.
  TESSERA_TRY(artifact::CheckArtifact(*artifact));
  std::unique_ptr<Executor> executor(new Executor);
  executor->artifact_ = std::move(artifact);
  const Artifact& a = *executor->artifact_;
  executor->plan_ = a.PlanNamed(plan);
  if (executor->plan_ == nullptr) {
    std::vector<std::string_view> names;
    for (const artifact::ExecutionPlan& p : a.plans) names.push_back(p.name);
    return Fail(Code::kNotFound, "the artifact has no plan '{}'; it has [{}]", plan,
                fmt::join(names, ", "));
  }
  if (executor->plan_->uses_device()) {
    if (device == nullptr) return Fail(Code::kInvalidArgument, "plan '{}' needs a device", plan);
    executor->device_ = device;
  }
  TESSERA_TRY(executor->PrepareHost(options));
  if (executor->device_ != nullptr) TESSERA_TRY(executor->PrepareDevice(options));
  return executor;
}

Executor::~Executor() {
  for (const uint64_t address : allocations_) {
    const Status status = device_->Free(address);
    TESSERA_CHECK(status.has_value(), "{}", status.error().message);
  }
}

std::span<uint8_t> Executor::BytesOf(uint32_t id) const {
  const HostBuffer& buffer = artifact_->buffers[id];
  const Mapping& place = buffer.place == artifact::BufferHome::kArena ? arena_ : constants_;
  return {place.data() + buffer.offset, buffer.bytes};
}

Status Executor::PrepareHost(const ExecutorOptions& options) {
  TESSERA_ASSIGN(arena_, Mapping::Make(artifact_->arena_bytes));
  TESSERA_ASSIGN(constants_, Mapping::Make(artifact_->constants.size()));
  if (!artifact_->constants.empty()) {
    std::memcpy(constants_.data(), artifact_->constants.data(), artifact_->constants.size());
    TESSERA_TRY(constants_.Protect(0, constants_.size(), Mapping::Protection::kRead));
  }
  const auto is_kernel = [](const artifact::PlanStep& s) {
    return std::holds_alternative<KernelStep>(s);
  };
  if (std::ranges::none_of(plan_->steps, is_kernel)) return {};
  TESSERA_ASSIGN(const HostObject* object, ChooseObject(*artifact_, options.cpu_level));
  cpu_level_ = object->level;
  TESSERA_ASSIGN(code_, HostCode::Load(object->elf));
  for (const artifact::PlanStep& step : plan_->steps) {
    const auto* call = std::get_if<KernelStep>(&step);
    if (call == nullptr) continue;
    BoundKernel kernel;
    TESSERA_ASSIGN(kernel.function, code_->Find(call->symbol));
    for (const uint32_t id : call->buffers) kernel.buffers.push_back(BytesOf(id).data());
    kernels_.push_back(std::move(kernel));
  }
  return {};
}

Status Executor::PrepareDevice(const ExecutorOptions& options) {
  const isa::ProgramImage& program = *artifact_->program;
  TESSERA_TRY(isa::CheckImageMatches(program, device_->config()));
  const auto place = [&](uint64_t bytes, std::span<const uint8_t> data) -> Result<uint64_t> {
    TESSERA_ASSIGN(const uint64_t address, device_->Allocate(bytes));
    allocations_.push_back(address);
    TESSERA_TRY(device_->Write(address, data));
    return address;
  };
  if (program.code.empty()) return Fail(Code::kInvalidArgument, "the accelerator program is empty");
  launch_.profile = program.profile;
  launch_.insn_count = static_cast<uint32_t>(program.insn_count());
  launch_.budget = options.budget;
  TESSERA_ASSIGN(launch_.insn_addr, place(program.code.size(), program.code));
  for (size_t s = 0; s < program.segments.size(); ++s) {
    const isa::SegmentData& segment = program.segments[s];
    if (segment.size == 0) continue;
    TESSERA_ASSIGN(const uint64_t address, place(segment.size, segment.data));
    launch_.segments[s] = {address, segment.size};
  }
  return {};
}

Status Executor::RunDevice(const DeviceStep& step, ExecutionReport* report) {
  const auto address = [&](const artifact::SegmentCopy& copy) {
    return launch_.segments[static_cast<size_t>(copy.segment)].base + copy.offset;
  };
  for (const artifact::SegmentCopy& copy : step.inputs) {
    TESSERA_TRY(device_->Write(address(copy), BytesOf(copy.buffer)));
  }
  TESSERA_ASSIGN(const RunReport run, device_->Run(launch_));
  if (report != nullptr) report->runs.push_back(run);
  for (const artifact::SegmentCopy& copy : step.outputs) {
    TESSERA_TRY(device_->Read(address(copy), BytesOf(copy.buffer)));
  }
  return {};
}

Status Executor::Once(ExecutionReport* report) {
  size_t next = 0;
  for (const artifact::PlanStep& step : plan_->steps) {
    if (const auto* run = std::get_if<DeviceStep>(&step)) {
      TESSERA_TRY(RunDevice(*run, report));
    } else {
      BoundKernel& kernel = kernels_[next++];
      kernel.function(kernel.buffers.data());
    }
  }
  return {};
}

Result<std::vector<HostTensor>> Executor::Run(std::span<const HostTensor> inputs,
                                              ExecutionReport* report) {
  if (inputs.size() != artifact_->inputs.size()) {
    return Fail(Code::kInvalidArgument, "the model takes {} inputs, {} are given",
                artifact_->inputs.size(), inputs.size());
  }
  std::optional<int64_t> count;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TESSERA_ASSIGN(const int64_t n, CountInferences(artifact_->inputs[i], inputs[i]));
    if (count && *count != n) {
      return Fail(Code::kInvalidArgument, "input '{}' holds {} inferences, the input before it {}",
                  artifact_->inputs[i].name, n, *count);
    }
    count = n;
  }
  count = count.value_or(1);
  if (report != nullptr) *report = {.inferences = *count, .runs = {}};
  std::vector<HostTensor> outputs;
  for (const artifact::TensorInfo& output : artifact_->outputs) {
    std::vector<int64_t> shape = ItemShape(output.shape);
    shape.insert(shape.begin(), *count);
    outputs.push_back(HostTensor::Zeros(output.dtype, std::move(shape)));
  }
  for (int64_t n = 0; n < *count; ++n) {
    for (size_t i = 0; i < inputs.size(); ++i)
      FillInput(artifact_->inputs[i], inputs[i], n, BytesOf(plan_->inputs[i]));
    TESSERA_TRY(Once(report));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::span<const uint8_t> bytes = BytesOf(plan_->outputs[i]);
      std::ranges::copy(bytes, outputs[i].bytes.begin() + n * static_cast<int64_t>(bytes.size()));
    }
  }
  return outputs;
}

Result<HostTensor> Executor::CaptureLayer(uint32_t layer) const {
  const artifact::Tap* tap = plan_->TapOf(layer);
  if (tap == nullptr) {
    return Fail(Code::kNotFound, "plan '{}' does not keep the result of layer {} of {}",
                plan_->name, layer, artifact_->layers.size());
  }
  TESSERA_ASSIGN(const uint64_t bytes, artifact::ExtentInBytes(tap->layout));
  if (!tap->on_device)
    return artifact::UnpackTap(tap->layout, BytesOf(tap->buffer).subspan(tap->offset));
  std::vector<uint8_t> memory(bytes);
  TESSERA_TRY(device_->Read(launch_.segments[static_cast<size_t>(tap->segment)].base + tap->offset,
                            memory));
  return artifact::UnpackTap(tap->layout, memory);
}

}  // namespace tessera
