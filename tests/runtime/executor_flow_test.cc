// SPDX-License-Identifier: Apache-2.0
//
// Plans over several devices in the executor: the same bytes whatever runs at the same time, with
// one inference in flight and with more; failures, ends, states, memory. Devices are those of
// fake_devices.h. Real ones: tests/networks. Not here: the order of tasks (flow_test.cc).
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/executor/executor.h"
#include "tests/runtime/fake_devices.h"
#include "tests/runtime/random_plan.h"

namespace tessera::executor_flow_test {
namespace {

// A random plan with its devices and inputs.
struct Bench {
  explicit Bench(uint32_t seed, bool states = false, int64_t count = 9) : plan(seed, states) {
    first.programs = second.programs = plan.Programs();
    std::mt19937 rng(seed);
    input = HostTensor::Zeros(DType::kInt8, {count, 4});
    for (uint8_t& byte : input.bytes) byte = static_cast<uint8_t>(rng());
  }
  Result<std::unique_ptr<Executor>> Open(int in_flight, ExecutorOptions options = {}) {
    Device* const devices[] = {nullptr, &first, &second};
    options.in_flight = in_flight;
    options.kernel_device = &kernels;
    return Executor::Open(plan.artifact(), "mixed", devices, options);
  }
  // The outputs of the first |items| inferences.
  std::vector<uint8_t> Want(int64_t items, Four state = {1, 2, 3, 4}) const {
    std::vector<uint8_t> want;
    for (int64_t n = 0; n < items; ++n) {
      Four value;
      std::copy_n(input.bytes.begin() + 4 * n, 4, value.begin());
      const Four out = plan.Evaluate(value, state);
      want.insert(want.end(), out.begin(), out.end());
    }
    return want;
  }

  RandomPlan plan;
  FakeAccelerator first, second;
  FakeKernels kernels;
  HostTensor input;
};

TEST(ExecutorFlow, RandomPlansGiveTheSameBytes) {
  size_t overlapping = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    for (int in_flight = 1; in_flight <= 3; ++in_flight) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << in_flight << " in flight");
      Bench bench(seed, seed % 3 == 0);
      const auto executor = bench.Open(in_flight);
      ASSERT_TRUE(executor) << executor.error().message;
      overlapping += (*executor)->in_flight() > 1;
      ExecutionReport report;
      std::vector<int64_t> done;
      report.done = [&](int64_t n) {
        done.push_back(n);
        return true;
      };
      const auto out = (*executor)->Run({{bench.input}}, &report);
      ASSERT_TRUE(out) << out.error().message;
      ASSERT_EQ((*out)[0].bytes, bench.Want(9));
      EXPECT_EQ(done, (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
      // The runs are in the order of the inferences and of the plan.
      size_t at = 0;
      const size_t programs = (*executor)->artifact().programs.size();
      ASSERT_EQ(report.runs.size(), 9 * programs);
      for (const ProgramRun& run : report.runs) {
        ASSERT_EQ(run.program, at++ % programs);
        EXPECT_EQ(run.report.cycles, 100 + run.program);
      }
    }
  }
  EXPECT_GT(overlapping, 90u);
}

TEST(ExecutorFlow, PoisonedDeadStorageChangesNoRandomPlan) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Bench bench(seed);
    const auto executor = bench.Open(2, {.poison_dead = true});
    ASSERT_TRUE(executor) << executor.error().message;
    const auto out = (*executor)->Run({{bench.input}});
    ASSERT_TRUE(out) << out.error().message;
    ASSERT_EQ((*out)[0].bytes, bench.Want(9));
  }
}

// Each accelerator fails in an inference of its own, whatever comes first in time.
TEST(ExecutorFlow, TheFirstFailureByInferenceIsReportedAndTheNextCallWorks) {
  int failures = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Error errors[2] = {{Code::kNotFound, ""}, {Code::kNotFound, ""}};
    int64_t done[2] = {};
    for (const int in_flight : {1, 3}) {
      Bench bench(seed, seed % 2 == 0);
      const auto executor = bench.Open(in_flight);
      ASSERT_TRUE(executor) << executor.error().message;
      const int at = static_cast<int>(seed % 7);
      const auto fail_at = [](std::string name, int run) {
        return [=](int n) -> Status {
          if (n != run) return {};
          return Fail(Code::kDeadlock, "{} run {}", name, n);
        };
      };
      bench.first.hook = fail_at("first", at);
      bench.second.hook = fail_at("second", at + 1);
      ExecutionReport report;
      report.done = [&](int64_t n) { return done[in_flight / 2] = n, true; };
      const auto out = (*executor)->Run({{bench.input}}, &report);
      if (out) continue;
      errors[in_flight / 2] = out.error();
      bench.first.hook = bench.second.hook = nullptr;
      const std::optional<FailedRun> failed = (*executor)->Failed();
      ASSERT_TRUE(failed);
      EXPECT_EQ(failed->model, "sample.onnx");
      if (seed % 2 == 0) (*executor)->SetStates({{1, 2, 3, 4}});
      const auto again = (*executor)->Run({{bench.input}});
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ((*again)[0].bytes, bench.Want(9));
      ++failures;
    }
    EXPECT_EQ(errors[0].message, errors[1].message);
    EXPECT_EQ(done[0], done[1]);
  }
  EXPECT_GT(failures, 60);
}

TEST(ExecutorFlow, AnEndKeepsTheInferencesBeforeIt) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Bench bench(seed, seed % 2 == 0);
    const auto executor = bench.Open(3);
    ASSERT_TRUE(executor) << executor.error().message;
    ExecutionReport report;
    report.done = [](int64_t n) { return n < 4; };
    const auto out = (*executor)->Run({{bench.input}}, &report);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(report.inferences, 4);
    EXPECT_EQ((*out)[0].shape, (std::vector<int64_t>{4, 4}));
    EXPECT_EQ((*out)[0].bytes, bench.Want(4));
    EXPECT_EQ(report.Cycles().size(), 4u);
    // States go on behind the fourth inference.
    report.done = nullptr;
    const auto rest = (*executor)->Run({{bench.input.Slice(4, 5)}}, &report);
    ASSERT_TRUE(rest) << rest.error().message;
    const std::vector<uint8_t> want = bench.Want(9);
    EXPECT_EQ((*rest)[0].bytes, std::vector<uint8_t>(want.begin() + 16, want.end()));
  }
}

TEST(ExecutorFlow, FreshStatesLetInferencesOverlap) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Bench bench(seed, true);
    const auto executor = bench.Open(2, {.fresh_states = true});
    ASSERT_TRUE(executor) << executor.error().message;
    const auto out = (*executor)->Run({{bench.input}});
    ASSERT_TRUE(out) << out.error().message;
    for (int64_t n = 0; n < 9; ++n) {
      Four value, state{1, 2, 3, 4};
      std::copy_n(bench.input.bytes.begin() + 4 * n, 4, value.begin());
      const Four want = bench.plan.Evaluate(value, state);
      EXPECT_TRUE(std::equal(want.begin(), want.end(), (*out)[0].bytes.begin() + 4 * n)) << n;
    }
  }
}

// x -> k0 on the kernels' device -> program 0 -> y, or with |both| also program 1 of the second
// accelerator on k0's result.
std::shared_ptr<artifact::Artifact> Line(bool both) {
  const auto a = Sample();
  constexpr artifact::BufferHome kArena = artifact::BufferHome::kArena;
  a->layers.clear(), a->plans.clear(), a->coverage = {};
  a->inputs = {{"x", DType::kInt8, {1, 4}, {}}}, a->outputs = {{"y", DType::kInt8, {1, 4}, {}}};
  a->devices.push_back(a->devices[1]);
  a->devices.push_back({artifact::DeviceKind::kOpenCl, "opencl", 0});
  a->sources = {{kKernels, "source", {{"k0", {1, 1, 1}, {1, 1, 1}}}}};
  a->programs[0].image.segments[1].data[0] = 0;
  artifact::ExecutionPlan plan{
      "mixed",
      {{256, 256}, {256, 256}, {256, 256}, {256, 256}},
      {{"x", 0, kArena, 0, 4},
       {"x", 3, kArena, 0, 4},
       {"k", 3, kArena, 64, 4},
       {"k", 1, kArena, 0, 4},
       {"y", 1, kArena, 64, 4},
       {"y", 0, kArena, 64, 4}},
      {0},
      {5},
      {artifact::TransferStep{0, 1}, artifact::KernelStep{3, "k0", -1, {1, 2}, 1},
       artifact::TransferStep{2, 3}, artifact::ProgramStep{0, {3}, {4}},
       artifact::TransferStep{4, 5}},
      {},
      {}};
  if (both) {
    a->programs.push_back({2, a->programs[0].image});
    a->programs[1].image.segments[1].data[0] = 1;
    plan.buffers.push_back({"k", 2, kArena, 0, 4});
    plan.buffers.push_back({"z", 2, kArena, 64, 4});
    plan.steps.push_back(artifact::TransferStep{2, 6});
    plan.steps.push_back(artifact::ProgramStep{1, {6}, {7}});
  }
  a->plans = {plan};
  return a;
}

// A place where |number| threads meet; those that come later go on at once.
class Meeting {
 public:
  explicit Meeting(int number) : number_(number) {}
  Status Come() {
    std::unique_lock lock(mutex_);
    ++here_;
    changed_.notify_all();
    if (changed_.wait_for(lock, std::chrono::seconds(60), [&] { return here_ >= number_; }))
      return {};
    return Fail(Code::kTimeout, "nobody comes");
  }

 private:
  const int number_;
  int here_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

struct LineBench {
  explicit LineBench(bool both) : artifact(Line(both)) {
    first.programs[0] = {{0}, {64}, {128}};
    second.programs[1] = {{0}, {64}, {128}};
  }
  Result<std::unique_ptr<Executor>> Open(ExecutorOptions options) {
    Device* const devices[] = {nullptr, &first, &second};
    options.kernel_device = &kernels;
    return Executor::Open(artifact, "mixed", devices, options);
  }
  std::shared_ptr<artifact::Artifact> artifact;
  FakeAccelerator first, second;
  FakeKernels kernels;
  const HostTensor input = HostTensor::Zeros(DType::kInt8, {3, 4});
};

TEST(ExecutorFlow, TwoAcceleratorsRunOneInferenceAtTheSameTime) {
  LineBench bench(true);
  const auto executor = bench.Open({.budget = 120});
  ASSERT_TRUE(executor) << executor.error().message;
  Meeting meeting(2);
  bench.first.hook = bench.second.hook = [&](int) { return meeting.Come(); };
  const auto out = (*executor)->Run({{bench.input}});
  ASSERT_TRUE(out) << out.error().message;
  // Neither program is on the other's way, so each has the whole budget.
  EXPECT_EQ(bench.first.budgets, (std::vector<uint64_t>{120, 120, 120}));
  EXPECT_EQ(bench.second.budgets, bench.first.budgets);
}

TEST(ExecutorFlow, OneDeviceForTwoHasOneQueue) {
  LineBench bench(true);
  bench.first.programs[1] = bench.second.programs[1];
  Device* const devices[] = {nullptr, &bench.first, &bench.first};
  const auto executor =
      Executor::Open(bench.artifact, "mixed", devices, {.kernel_device = &bench.kernels});
  ASSERT_TRUE(executor) << executor.error().message;
  EXPECT_TRUE((*executor)->Run({{bench.input}}));  // OneCall would fail
}

// The program of the first inference waits for the kernel of the second one.
TEST(ExecutorFlow, InferencesInFlightRunOnDifferentDevices) {
  LineBench bench(false);
  const auto executor = bench.Open({.in_flight = 2});
  ASSERT_TRUE(executor) << executor.error().message;
  Meeting meeting(2);
  bench.first.hook = [&](int run) { return run == 0 ? meeting.Come() : Status(); };
  bench.kernels.hook = [&](int run) { return run == 1 ? meeting.Come() : Status(); };
  ExecutionReport report;
  const auto out = (*executor)->Run({{bench.input}}, &report);
  ASSERT_TRUE(out) << out.error().message;
  ASSERT_EQ(report.device_seconds.size(), 4u);
  EXPECT_GT(report.device_seconds[1], 0);
  EXPECT_EQ(report.device_seconds[2], 0);
  EXPECT_GT(report.device_seconds[3], 0);
}

// A device that is gone in the second of three inferences.
TEST(ExecutorFlow, TheErrorOfAMissingDeviceNamesTheStep) {
  const Status gone = Fail(Code::kUnavailable, "the board does not answer");
  const auto message = [&](const std::function<void(LineBench&)>& lose) {
    LineBench bench(true);
    const auto executor = bench.Open({.in_flight = 2});
    EXPECT_TRUE(executor);
    lose(bench);
    const auto out = (*executor)->Run({{bench.input}});
    EXPECT_TRUE(bench.kernels.Read({0, 0}, {}));  // the others are usable
    return out ? "no error" : out.error().message;
  };
  const RunHook second = [&](int run) { return run == 1 ? gone : Status(); };
  EXPECT_EQ(message([&](LineBench& bench) { bench.first.hook = second; }),
            "step 3 of plan mixed, program 0 on default: the board does not answer");
  EXPECT_NE(message([&](LineBench& bench) { bench.first.hook = second, bench.first.lost = true; }),
            "no error");
  EXPECT_EQ(message([&](LineBench& bench) { bench.kernels.hook = second; }),
            "step 1 of plan mixed, kernel k0 on opencl: the board does not answer");
  const auto transfer = [&](int number) {
    return message([&](LineBench& bench) {
      bench.first.transfers = [=](int n) { return n == number ? gone : Status(); };
    });
  };
  EXPECT_EQ(transfer(2),
            "step 2 of plan mixed, transfer of k to default: the board does not answer");
  EXPECT_EQ(transfer(3),
            "step 4 of plan mixed, transfer of y from default: the board does not answer");
}

TEST(ExecutorFlow, AListenerHearsOneRunAfterAnother) {
  class Names : public ProgramListener {
   public:
    RunObserver* Begin(uint32_t program) override {
      text += fmt::format("begin {} ", program);
      return nullptr;
    }
    void End(const ProgramRun& run) override { text += fmt::format("end {} ", run.program); }
    std::string text;
  };
  LineBench bench(true);
  const auto executor = bench.Open({.in_flight = 2});
  ASSERT_TRUE(executor) << executor.error().message;
  Names names;
  ExecutionReport report;
  report.listener = &names;
  ASSERT_TRUE((*executor)->Run({{bench.input}}, &report));
  EXPECT_EQ(names.text,
            "begin 0 end 0 begin 1 end 1 begin 0 end 0 begin 1 end 1 "
            "begin 0 end 0 begin 1 end 1 ");
}

TEST(ExecutorFlow, RefusesMoreInFlightThanMemoryHolds) {
  LineBench bench(false);
  bench.first.~FakeAccelerator();
  new (&bench.first) FakeAccelerator(64 + 64 + 2 * 256 + 4096);  // code, constants, two arenas
  EXPECT_TRUE(bench.Open({.in_flight = 2}));
  EXPECT_EQ(bench.first.live, 0);
  new (&bench.first) FakeAccelerator(64 + 64 + 2 * 256 + 4096);
  const auto three = bench.Open({.in_flight = 3});
  ASSERT_FALSE(three);
  EXPECT_EQ(three.error().code, Code::kOutOfRange);
  EXPECT_EQ(three.error().message,
            "there is no memory for inference 3 of 3 in flight, which has arenas of its own: 4352 "
            "bytes wanted, 0 free; have fewer in flight");
  EXPECT_EQ(bench.first.live, 0);
  for (const int none : {0, -1, 65}) {
    const auto executor = bench.Open({.in_flight = none});
    ASSERT_FALSE(executor);
    EXPECT_EQ(executor.error().message,
              fmt::format("{} inferences in flight; an executor holds 1 to 64", none));
  }
}

}  // namespace
}  // namespace tessera::executor_flow_test
