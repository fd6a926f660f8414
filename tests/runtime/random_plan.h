// SPDX-License-Identifier: Apache-2.0
//
// Random plans over the host, two accelerators and a device that runs kernels, with a memory plan
// in which buffers share bytes, and what they compute, by a second derivation without memory.
#ifndef TESSERA_TESTS_RUNTIME_RANDOM_PLAN_H_
#define TESSERA_TESTS_RUNTIME_RANDOM_PLAN_H_

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tests/runtime/fake_devices.h"
#include "tests/runtime/sample_code.h"

namespace tessera {

inline constexpr uint32_t kFirstAccelerator = 1, kSecondAccelerator = 2, kKernels = 3;

class RandomPlan {
 public:
  // |states|: the model has one state.
  RandomPlan(uint32_t seed, bool states) : rng_(seed), artifact_(Sample()) {
    artifact::Artifact& a = *artifact_;
    a.layers.clear(), a.plans.clear(), a.coverage = {};
    program_ = a.programs[0].image, a.programs.clear();
    a.inputs = {{"x", DType::kInt8, {1, 4}, {}}}, a.outputs = {{"y", DType::kInt8, {1, 4}, {}}};
    if (states) a.states = {{{"s", DType::kInt8, {1, 4}, {}}, {1, 2, 3, 4}}};
    a.devices.push_back(a.devices[1]);
    a.devices.push_back({artifact::DeviceKind::kOpenCl, "opencl", 0});
    a.sources = {{kKernels, "source", {}}};
    plan_.name = "mixed";
    plan_.inputs.push_back(Value(artifact::kHostDevice));
    if (states) plan_.inputs.push_back(Value(artifact::kHostDevice));
    const size_t steps = 4 + rng_() % 24;
    while (plan_.steps.size() < steps) AddStep();
    for (size_t k = 0; k < plan_.inputs.size(); ++k) plan_.outputs.push_back(LastOnHost());
    if (states && plan_.outputs[0] == plan_.outputs[1]) plan_.outputs[1] = plan_.inputs[1];
    PlaceBuffers();
    a.plans = {plan_};
  }

  std::shared_ptr<artifact::Artifact> artifact() const { return artifact_; }
  // What the accelerators must know of the programs.
  std::map<uint8_t, FakeProgram> Programs() const {
    std::map<uint8_t, FakeProgram> programs;
    for (const artifact::PlanStep& step : plan_.steps) {
      const auto* run = std::get_if<artifact::ProgramStep>(&step);
      if (run == nullptr) continue;
      FakeProgram& program = programs[static_cast<uint8_t>(run->program)];
      for (const uint32_t b : run->reads) program.reads.push_back(plan_.buffers[b].offset);
      for (const uint32_t b : run->writes) program.writes.push_back(plan_.buffers[b].offset);
      for (const uint32_t b : hidden_.at(run->program))
        program.hidden.push_back(plan_.buffers[b].offset);
    }
    return programs;
  }
  // Output of one inference; |state| goes in and out.
  Four Evaluate(Four input, Four& state) const {
    std::map<uint32_t, Four> values{{plan_.inputs[0], input}};
    if (plan_.inputs.size() > 1) values[plan_.inputs[1]] = state;
    const auto all = [&](const std::vector<uint32_t>& ids) {
      std::vector<Four> some;
      for (const uint32_t id : ids) some.push_back(values.at(id));
      return some;
    };
    for (const artifact::PlanStep& step : plan_.steps) {
      if (const auto* transfer = std::get_if<artifact::TransferStep>(&step)) {
        values[transfer->to] = values.at(transfer->from);
      } else if (const auto* run = std::get_if<artifact::ProgramStep>(&step)) {
        for (size_t k = 0; k < run->writes.size(); ++k)
          values[run->writes[k]] = Mixed(run->program + static_cast<uint32_t>(k), all(run->reads));
      } else {
        const auto& call = std::get<artifact::KernelStep>(step);
        const std::vector<Four> in = all(artifact::BuffersRead(step));
        Four& out = values[call.buffers.back()];
        if (call.device == kKernels) {
          out = Mixed(static_cast<uint32_t>(std::stoul(call.symbol.substr(1))), in);
        } else {
          for (size_t k = 0; k < 4; ++k) out[k] = static_cast<uint8_t>(in[0][k] + in[1][k]);
        }
      }
    }
    if (plan_.outputs.size() > 1) state = values.at(plan_.outputs[1]);
    return values.at(plan_.outputs[0]);
  }

 private:
  uint32_t Value(uint32_t device) {
    plan_.buffers.push_back(
        {fmt::format("b{}", plan_.buffers.size()), device, artifact::BufferHome::kArena, 0, 4});
    return static_cast<uint32_t>(plan_.buffers.size()) - 1;
  }
  // One of the last values on |device|; brings one there if there is none.
  uint32_t Some(uint32_t device) {
    std::vector<uint32_t> here, elsewhere;
    for (uint32_t b = 0; b < plan_.buffers.size(); ++b) {
      if (unusable_.contains(b)) continue;
      (plan_.buffers[b].device == device ? here : elsewhere).push_back(b);
    }
    const auto pick = [&](const std::vector<uint32_t>& from) {
      return from[from.size() - 1 - rng_() % std::min<size_t>(from.size(), 4)];
    };
    if (!here.empty() && rng_() % 4 > 0) return pick(here);
    if (elsewhere.empty()) return pick(here);
    const uint32_t from = pick(elsewhere), to = Value(device);
    plan_.steps.push_back(artifact::TransferStep{from, to});
    return to;
  }
  uint32_t LastOnHost() {
    for (uint32_t b = static_cast<uint32_t>(plan_.buffers.size()); b-- > 0;) {
      if (plan_.buffers[b].device == artifact::kHostDevice && !unusable_.contains(b) &&
          std::ranges::count(plan_.outputs, b) == 0)
        return b;
    }
    return plan_.inputs[0];
  }

  void AddStep() {
    const uint32_t device = rng_() % 4;
    std::vector<uint32_t> reads{Some(device), Some(device)};
    if (device == artifact::kHostDevice) {
      const uint32_t out = Value(device);
      plan_.steps.push_back(
          artifact::KernelStep{device, "add_bias4", -1, {reads[0], reads[1], out}, 2});
    } else if (device == kKernels) {
      artifact_->sources[0].kernels.push_back({fmt::format("k{}", plan_.steps.size()), {}, {}});
      artifact::SourceKernel& kernel = artifact_->sources[0].kernels.back();
      kernel.groups = kernel.threads = {1, 1, 1};
      const uint32_t out = Value(device);
      plan_.steps.push_back(
          artifact::KernelStep{device, kernel.name, -1, {reads[0], reads[1], out}, 2});
    } else {
      const auto number = static_cast<uint32_t>(artifact_->programs.size());
      artifact_->programs.push_back({device, program_});
      artifact_->programs.back().image.segments[1].data[0] = static_cast<uint8_t>(number);
      artifact::ProgramStep step{number, std::move(reads), {}};
      for (size_t k = 1 + rng_() % 2; k > 0; --k) step.writes.push_back(Value(device));
      hidden_[number] = {Value(device)};
      unusable_.insert(hidden_[number][0]);
      plan_.steps.push_back(std::move(step));
    }
  }

  // Each buffer gets the first place that no other buffer has in its life.
  void PlaceBuffers() {
    const auto end = static_cast<int64_t>(plan_.steps.size());
    std::vector<std::pair<int64_t, int64_t>> lives(plan_.buffers.size(), {end, -1});
    const auto use = [&](uint32_t id, int64_t step) {
      lives[id] = {std::min(lives[id].first, step), std::max(lives[id].second, step)};
    };
    for (int64_t s = 0; s < end; ++s) {
      const artifact::PlanStep& step = plan_.steps[static_cast<size_t>(s)];
      for (const uint32_t id : artifact::BuffersRead(step)) use(id, s);
      for (const uint32_t id : artifact::BuffersWritten(step)) use(id, s);
      if (const auto* run = std::get_if<artifact::ProgramStep>(&step)) {
        for (const uint32_t id : hidden_[run->program]) use(id, s);
      }
    }
    for (const uint32_t id : plan_.inputs) use(id, -1);
    for (const uint32_t id : plan_.outputs) use(id, end);
    plan_.arenas.assign(4, {});
    for (size_t b = 0; b < plan_.buffers.size(); ++b) {
      artifact::PlanBuffer& buffer = plan_.buffers[b];
      for (bool free = false; !free; buffer.offset += free ? 0 : 64) {
        free = true;
        for (size_t o = 0; o < b; ++o) {
          free &= plan_.buffers[o].device != buffer.device ||
                  plan_.buffers[o].offset != buffer.offset || lives[o].first > lives[b].second ||
                  lives[b].first > lives[o].second;
        }
      }
      artifact::ArenaSize& arena = plan_.arenas[buffer.device];
      arena.bytes = arena.unshared_bytes = std::max(arena.bytes, buffer.offset + 64);
    }
    for (artifact::DeviceProgram& program : artifact_->programs) {
      program.image.segments[static_cast<size_t>(isa::Segment::kArena)].size =
          plan_.arenas[program.device].bytes;
    }
  }

  std::mt19937 rng_;
  std::shared_ptr<artifact::Artifact> artifact_;
  isa::ProgramImage program_;
  artifact::ExecutionPlan plan_;
  std::map<uint32_t, std::vector<uint32_t>> hidden_;  // by program
  std::set<uint32_t> unusable_;
};

}  // namespace tessera

#endif  // TESSERA_TESTS_RUNTIME_RANDOM_PLAN_H_
