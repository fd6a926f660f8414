// SPDX-License-Identifier: Apache-2.0
//
// The executor on the sample artifact: both plans, threads of kernels, the choice among levels, the
// uploads and their time, captures, several programs on several devices, every refusal. The device
// is one written here that records calls and whose program negates bytes. Real devices pass
// tests/cts, and the tests of whole models and random networks use them with the executor.
#include "runtime/executor/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "base/file.h"
#include "runtime/host/cpu_level.h"
#include "runtime/host/threads.h"
#include "tests/runtime/sample_code.h"

namespace tessera::executor_test {
namespace {

using artifact::Artifact;

// Memory and a "program", which writes -arena[64 + i] to arena[128 + i] for i < 4, and once more
// with the gap that the sample's tap expects.
class NegatingDevice : public Device {
 public:
  std::string_view name() const override { return "negating"; }
  const isa::Config& config() const override { return config_; }
  bool has_clock() const override { return true; }
  Result<uint64_t> Allocate(uint64_t bytes, uint64_t) override {
    if (next_ + bytes > memory.size()) return Fail(Code::kOutOfRange, "{} bytes wanted", bytes);
    const uint64_t at = next_;
    next_ += (bytes + 63) / 64 * 64;
    ++live;
    return at;
  }
  Status Free(uint64_t) override {
    --live;
    return {};
  }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    written += bytes.size();
    std::copy(bytes.begin(), bytes.end(), memory.begin() + static_cast<int64_t>(address));
    return {};
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    std::copy_n(memory.begin() + static_cast<int64_t>(address), bytes.size(), bytes.begin());
    return {};
  }
  Status Submit(const Launch& l) override {
    launch = l;
    return {};
  }
  Result<RunReport> Wait() override {
    ++runs;
    if (fails_at == runs) return Fail(Code::kTimeout, "budget spent");
    uint8_t* arena = &memory[launch.segments[2].base];
    for (size_t i = 0; i < 4; ++i) {
      const auto value = static_cast<uint8_t>(-arena[64 + i]);
      arena[128 + i] = value;
      arena[192 + i / 2 * 16 + i % 2] = value;
    }
    return RunReport{.cycles = 100 + static_cast<uint64_t>(runs)};
  }
  Status Reset() override { return {}; }
  Status SetObserver(RunObserver*) override { return Fail(Code::kUnsupported, "no trace"); }

  std::vector<uint8_t> memory = std::vector<uint8_t>(4096);
  Launch launch;
  int runs = 0, fails_at = -1, live = 0;
  uint64_t written = 0;

 private:
  isa::Config config_;
  uint64_t next_ = 0;
};

std::vector<int> Ints(const HostTensor& t) {
  std::vector<int> values;
  for (const int8_t v : t.as<int8_t>()) values.push_back(v);
  return values;
}

TEST(Executor, RunsTheCpuPlan) {
  const auto executor = Executor::Open(Sample(), "cpu", nullptr);
  ASSERT_TRUE(executor) << executor.error().message;
  EXPECT_EQ((*executor)->cpu_level(), "x86-64");
  ExecutionReport report;
  const auto out = (*executor)->Run({{Floats({2, 4}, {1, 2, 3, 4, -1, -2, -3, -4})}}, &report);
  ASSERT_TRUE(out) << out.error().message;
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ((*out)[0].shape, (std::vector<int64_t>{2, 4}));
  // (10 x + bias) / 10 with bias 1, 2, 3, -4.
  const float want[] = {1.1f, 2.2f, 3.3f, 3.6f, -0.9f, -1.8f, -2.7f, -4.4f};
  for (size_t i = 0; i < 8; ++i) EXPECT_FLOAT_EQ((*out)[0].as<float>()[i], want[i]) << i;
  EXPECT_EQ(report.inferences, 2);
  EXPECT_TRUE(report.runs.empty());
}

TEST(Executor, CapturesLayersOfTheLastInference) {
  const auto executor = Executor::Open(Sample(), "cpu", nullptr);
  ASSERT_TRUE(executor) << executor.error().message;
  ASSERT_TRUE((*executor)->Run({{Floats({2, 4}, {9, 9, 9, 9, 1, 2, 3, 4})}}));
  EXPECT_EQ(Ints((*executor)->CaptureLayer(0).value()), (std::vector<int>{10, 20, 30, 40}));
  EXPECT_EQ(Ints((*executor)->CaptureLayer(1).value()), (std::vector<int>{11, 22, 33, 36}));
  EXPECT_EQ((*executor)->CaptureLayer(2).error().code, Code::kNotFound);
}

TEST(Executor, RunsTheDevicePlanAndUploadsOnce) {
  NegatingDevice device;
  const auto artifact = Sample();
  {
    const auto executor = Executor::Open(artifact, "device", &device);
    ASSERT_TRUE(executor) << executor.error().message;
    EXPECT_EQ(device.live, 3);  // the code, the constants, the arena
    EXPECT_EQ(device.written, artifact->programs[0].image.code.size() + 3);
    // Opening has uploaded the constants already, so a run does not.
    device.written = 0;
    ExecutionReport report;
    const auto out = (*executor)->Run({{Floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})}}, &report);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(device.written, 8u) << "two inferences write their inputs and nothing else";
    for (int i = 0; i < 8; ++i)
      EXPECT_FLOAT_EQ((*out)[0].as<float>()[static_cast<size_t>(i)], static_cast<float>(-i - 1));
    EXPECT_EQ(device.memory[device.launch.segments[1].base], 9);
    EXPECT_EQ(device.launch.insn_count, 2u);
    EXPECT_EQ(device.launch.segments[1].size, 64u);
    EXPECT_EQ(device.launch.segments[2].size, 256u);
    ASSERT_EQ(report.runs.size(), 2u);
    EXPECT_EQ(report.runs[0].report.cycles, 101u);
    EXPECT_EQ(report.runs[1].report.cycles, 102u);
    EXPECT_EQ(report.Cycles(), (std::vector<uint64_t>{101, 102}));
    EXPECT_EQ(Ints((*executor)->CaptureLayer(1).value()), (std::vector<int>{-50, -60, -70, -80}));
    EXPECT_EQ((*executor)->CaptureLayer(0).error().code, Code::kNotFound)
        << "this plan keeps layer 1 only";
  }
  EXPECT_EQ(device.live, 0);
}

TEST(Executor, KernelsUseAsManyThreadsAsAreAskedFor) {
  const auto a = Sample();
  std::get<artifact::KernelStep>(a->plans[0].steps[1]).symbol = "meet4";
  for (int threads = 1; threads <= std::min(2, AllowedProcessors()); ++threads) {
    const auto executor = Executor::Open(a, "cpu", nullptr, {.threads = threads});
    ASSERT_TRUE(executor) << executor.error().message;
    const float wanted = static_cast<float>(threads) / 10;
    for (int inference = 0; inference < 2; ++inference) {
      const auto out = (*executor)->Run({{Floats({1, 4}, std::vector<float>(4, wanted))}});
      ASSERT_TRUE(out) << out.error().message;
      for (const float seen : (*out)[0].as<float>()) EXPECT_FLOAT_EQ(seen, wanted);
    }
  }
}

TEST(Executor, TakesTheBestLevelThatTheMachineRuns) {
  const auto a = Sample();
  if (a->objects[0].level != CpuLevels().back()) GTEST_SKIP() << "a machine of another kind";
  const std::vector<uint8_t> elf = a->objects[0].elf;
  const std::string best = CpuLevels().size() > 1 ? "x86-64-v2" : "x86-64";
  for (const std::vector<std::string>& levels : {std::vector<std::string>{"x86-64-v2", "x86-64"},
                                                 {"x86-64", "x86-64-v2"},
                                                 {"aarch64", "x86-64", "x86-64-v2"}}) {
    a->objects.clear();
    for (const std::string& level : levels) a->objects.push_back({level, elf});
    EXPECT_EQ((*Executor::Open(a, "cpu", nullptr))->cpu_level(), best);
    EXPECT_EQ((*Executor::Open(a, "cpu", nullptr, {.cpu_level = "x86-64"}))->cpu_level(), "x86-64");
  }
}

TEST(Executor, ManyModelsShareADevice) {
  NegatingDevice device;
  const auto first = Executor::Open(Sample(), "device", &device),
             second = Executor::Open(Sample(), "device", &device);
  ASSERT_TRUE(first && second);
  for (const auto& [executor, x] : {std::pair{&*first, 1.0f}, {&*second, 2.0f}, {&*first, 3.0f}}) {
    const auto out = (*executor)->Run({{Floats({1, 4}, {x, x, x, x})}});
    ASSERT_TRUE(out);
    EXPECT_FLOAT_EQ((*out)[0].as<float>()[3], -x);
  }
}

TEST(Executor, ADeviceErrorEndsTheRunAndTheNextOneWorks) {
  NegatingDevice device;
  const auto executor = Executor::Open(Sample(), "device", &device,
                                       {.cpu_level = "", .budget = 77, .poison_dead = false});
  ASSERT_TRUE(executor);
  device.fails_at = 2;
  const HostTensor input = Floats({3, 4}, std::vector<float>(12, 1.0f));
  EXPECT_EQ((*executor)->Run({{input}}).error().code, Code::kTimeout);
  EXPECT_EQ(device.launch.budget, 77u);
  EXPECT_EQ(device.runs, 2);
  EXPECT_TRUE((*executor)->Run({{input}}));
}

// A second device runs the program again, on the result of the first: -(-q) = q.
std::shared_ptr<Artifact> TwoDevices() {
  const auto a = Sample();
  a->devices.push_back(a->devices[1]);
  a->devices[2].name = "other";
  a->programs.push_back({2, a->programs[0].image});
  for (artifact::ExecutionPlan& p : a->plans) p.arenas.push_back({256, 256});
  artifact::ExecutionPlan& plan = a->plans[1];
  plan.buffers.push_back({"q", 2, artifact::BufferHome::kArena, 64, 4});
  plan.buffers.push_back({"z", 2, artifact::BufferHome::kArena, 128, 4});
  plan.steps[3] = artifact::TransferStep{5, 7};  // from device to device
  plan.steps.insert(plan.steps.begin() + 4, artifact::ProgramStep{1, {7}, {8}});
  plan.steps.insert(plan.steps.begin() + 5, artifact::TransferStep{8, 2});
  return a;
}

TEST(Executor, RunsSeveralProgramsOnSeveralDevices) {
  NegatingDevice first, second;
  Device* const devices[] = {nullptr, &first, &second};
  const auto executor = Executor::Open(TwoDevices(), "device", devices);
  ASSERT_TRUE(executor) << executor.error().message;
  ExecutionReport report;
  report.traced = false;
  const auto out = (*executor)->Run({{Floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})}}, &report);
  ASSERT_TRUE(out) << out.error().message;
  for (int i = 0; i < 8; ++i)
    EXPECT_FLOAT_EQ((*out)[0].as<float>()[static_cast<size_t>(i)], static_cast<float>(i + 1));
  ASSERT_EQ(report.runs.size(), 4u);
  EXPECT_EQ(report.runs[1].program, 1u);
  EXPECT_EQ(report.Cycles(), (std::vector<uint64_t>{202, 204}));
  // The error names the missing device.
  const auto missing = Executor::Open(TwoDevices(), "device", &first);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("needs a device for other"), std::string::npos)
      << missing.error().message;
}

TEST(Executor, TheBudgetIsOfAllProgramsTogether) {
  NegatingDevice first, second;
  Device* const devices[] = {nullptr, &first, &second};
  const HostTensor input = Floats({1, 4}, {1, 2, 3, 4});
  const auto executor = Executor::Open(TwoDevices(), "device", devices,
                                       {.cpu_level = "", .budget = 150, .poison_dead = false});
  ASSERT_TRUE(executor);
  ASSERT_TRUE((*executor)->Run({{input}}));
  EXPECT_EQ(second.launch.budget, 150u - 101u);
  const auto small = Executor::Open(TwoDevices(), "device", devices,
                                    {.cpu_level = "", .budget = 50, .poison_dead = false});
  ASSERT_TRUE(small);
  const Error error = (*small)->Run({{input}}).error();
  EXPECT_EQ(error.code, Code::kTimeout);
  EXPECT_EQ(error.message, "the budget of 50 cycles was spent before program 1 started");
}

// In the sample's device plan the user's output takes the place of the input. Poisoned dead storage
// changes no result; with two overlapping live buffers it would.
TEST(Executor, PoisonedDeadStorageChangesNothing) {
  NegatingDevice device;
  const auto good =
      Executor::Open(Sample(), "device", &device, {.cpu_level = "", .poison_dead = true});
  ASSERT_TRUE(good) << good.error().message;
  const auto out = (*good)->Run({{Floats({1, 4}, {1, 2, 3, 4})}});
  ASSERT_TRUE(out) << out.error().message;
  for (int i = 0; i < 4; ++i)
    EXPECT_FLOAT_EQ((*out)[0].as<float>()[static_cast<size_t>(i)], static_cast<float>(-i - 1));
  EXPECT_EQ(Ints((*good)->CaptureLayer(1).value()), (std::vector<int>{-10, -20, -30, -40}));
}

TEST(Executor, NoInferencesGiveNoOutputs) {
  const auto executor = Executor::Open(Sample(), "cpu", nullptr);
  ASSERT_TRUE(executor);
  const auto out = (*executor)->Run({{Floats({0, 4}, {})}});
  ASSERT_TRUE(out);
  EXPECT_EQ((*out)[0].shape, (std::vector<int64_t>{0, 4}));
}

// The error of opening a changed sample.
Error OpenError(const std::function<void(Artifact&)>& change, const std::string& plan,
                Device* device, const ExecutorOptions& options = {}) {
  const auto a = Sample();
  change(*a);
  const auto executor = Executor::Open(a, plan, device, options);
  return executor ? Error{Code::kInvalidArgument, "accepted"} : executor.error();
}

TEST(Executor, RefusesWhatItCannotOpen) {
  NegatingDevice device;
  const auto same = [](Artifact&) {};
  Error error = OpenError(same, "gpu", nullptr);
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_NE(error.message.find("no plan 'gpu'; it has [cpu, device]"), std::string::npos)
      << error.message;
  EXPECT_NE(OpenError(same, "device", nullptr).message.find("needs a device"), std::string::npos);
  error = OpenError([](Artifact& a) { a.objects[0].level = "vax"; }, "cpu", nullptr);
  EXPECT_EQ(error.code, Code::kUnsupported);
  EXPECT_NE(error.message.find("host code for [vax], this machine runs ["), std::string::npos)
      << error.message;
  error = OpenError(same, "cpu", nullptr, {.cpu_level = "x86-64-v2"});
  EXPECT_NE(error.message.find("asked for is x86-64-v2"), std::string::npos) << error.message;
  error = OpenError(same, "cpu", nullptr, {.threads = 100000});
  EXPECT_EQ(error.code, Code::kOutOfRange);
  EXPECT_NE(error.message.find("100000 threads for host code: this process may use"),
            std::string::npos)
      << error.message;
  error = OpenError(
      [](Artifact& a) { std::get<artifact::KernelStep>(a.plans[0].steps[0]).symbol = "nothing"; },
      "cpu", nullptr);
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_NE(error.message.find("'nothing'"), std::string::npos);
  error = OpenError([](Artifact& a) { a.objects[0].elf.resize(100); }, "cpu", nullptr);
  EXPECT_EQ(error.code, Code::kDataLoss) << error.message;
  error = OpenError(
      [](Artifact& a) { a.devices[1].config_hash = a.programs[0].image.config_hash ^= 1; },
      "device", &device);
  EXPECT_NE(error.message.find("was made for configuration"), std::string::npos) << error.message;
  error = OpenError([](Artifact& a) { a.programs[0].image.segments[5].size = 1 << 20; }, "device",
                    &device);
  EXPECT_EQ(error.code, Code::kOutOfRange) << error.message;
  error = OpenError(
      [](Artifact& a) { a.programs[0].image.code.clear(), a.programs[0].image.source.clear(); },
      "device", &device);
  EXPECT_NE(error.message.find("program 0 is empty"), std::string::npos) << error.message;
  error = OpenError([](Artifact& a) { a.plans[0].arenas[0].bytes = 0; }, "cpu", nullptr);
  EXPECT_NE(error.message.find("artifact:"), std::string::npos) << error.message;
  EXPECT_EQ(device.live, 0);
}

TEST(Executor, RefusesOtherInputsThanTheModels) {
  const auto executor = Executor::Open(Sample(), "cpu", nullptr);
  ASSERT_TRUE(executor);
  const HostTensor good = Floats({1, 4}, {1, 2, 3, 4});
  EXPECT_NE((*executor)->Run({}).error().message.find("takes 1 inputs, 0 are given"),
            std::string::npos);
  EXPECT_NE((*executor)->Run({{good, good}}).error().message.find("2 are given"),
            std::string::npos);
  const Error error = (*executor)->Run({{Floats({1, 5}, {1, 2, 3, 4, 5})}}).error();
  EXPECT_EQ(error.code, Code::kInvalidArgument);
  EXPECT_EQ(error.message, "input 'x' takes float32 [N, 4]; given is float32 [1, 5]");
}

TEST(Executor, InputsHoldTheSameNumberOfInferences) {
  const auto a = Sample();
  a->inputs.push_back(a->inputs[0]);
  a->inputs[1].name = "z";
  for (artifact::ExecutionPlan& plan : a->plans) plan.inputs.push_back(0);
  const auto executor = Executor::Open(a, "cpu", nullptr);
  ASSERT_TRUE(executor) << executor.error().message;
  const Error error =
      (*executor)
          ->Run({{Floats({1, 4}, {1, 2, 3, 4}), Floats({2, 4}, std::vector<float>(8))}})
          .error();
  EXPECT_EQ(error.message, "input 'z' holds 2 inferences, the input before it 1");
}

}  // namespace
}  // namespace tessera::executor_test
