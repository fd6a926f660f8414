// SPDX-License-Identifier: Apache-2.0
//
// What is tested: how every device treats a launch before a machine sees it: each refusal with its
// text, one run at a time; a reset follows a failed start or run. Space: a device that counts
// calls. Not tested here: the same through each driver (tests/cts).
#include <gtest/gtest.h>

#include "runtime/device/device_base.h"
#include "tests/runtime/device/fake_machine.h"

namespace tessera::launch_test {
namespace {

class CountingDevice : public DeviceBase {
 public:
  CountingDevice() : DeviceBase(Tiny(), std::make_unique<ShiftedMemory>(kFakeMemory, 0)) {}
  std::string_view name() const override { return "counting"; }
  bool has_clock() const override { return false; }
  Status SetObserver(RunObserver*) override { return {}; }

  Status Start(const Launch&, const isa::Fetcher& fetcher) override {
    profile = fetcher.profile();
    ++starts;
    return start;
  }
  Result<RunReport> Finish(const Launch&, const isa::Fetcher&) override {
    ++finishes;
    return finish;
  }
  Status Forget() override {
    ++resets;
    return {};
  }

  Status start;
  Result<RunReport> finish;
  isa::Profile profile = isa::Profile::kVta;
  int starts = 0, finishes = 0, resets = 0;
};

Launch Good() {
  Launch launch;
  launch.insn_addr = 64;
  launch.insn_count = 2;
  return launch;
}

TEST(Launches, ThatCannotBeRunAreRefused) {
  CountingDevice device;
  Launch launch = Good();
  launch.insn_count = 0;
  ExpectFails(device.Submit(launch), Code::kInvalidArgument,
              "the stream has no instruction; FINISH is the least");
  launch = Good();
  launch.budget = 0;
  ExpectFails(device.Submit(launch), Code::kInvalidArgument, "the budget is 0, must be at least 1");
  launch = Good();
  launch.insn_addr = 96;
  ExpectFails(device.Submit(launch), Code::kInvalidArgument,
              "code address 96, must be a multiple of 64");
  launch = Good();
  launch.segments[3].base = 8;
  ExpectFails(device.Submit(launch), Code::kInvalidArgument,
              "segment 3 at address 8, must be a multiple of 64");
  EXPECT_EQ(device.starts, 0);
  EXPECT_EQ(device.resets, 0);
}

TEST(Launches, MustLieInMemory) {
  CountingDevice device;
  Launch launch = Good();
  launch.insn_addr = kFakeMemory - 64;
  EXPECT_TRUE(device.Run(launch));  // two instructions of 32 bytes end at the end of memory
  launch.insn_count = 3;
  ExpectFails(device.Submit(launch), Code::kInvalidArgument,
              "3 instructions at address 4032: device memory has 4096 bytes");
  launch.profile = isa::Profile::kVta;
  launch.insn_count = 4;  // instructions of 16 bytes
  EXPECT_TRUE(device.Run(launch));
  EXPECT_EQ(device.profile, isa::Profile::kVta);
  launch.insn_addr = kFakeMemory + 64;
  ExpectFails(device.Submit(launch), Code::kInvalidArgument,
              "4 instructions at address 4160: device memory has 4096 bytes");
  launch.insn_addr = ~uint64_t{0} - 63;
  launch.insn_count = ~uint32_t{0};
  EXPECT_EQ(device.Submit(launch).error().code, Code::kInvalidArgument);
}

TEST(Launches, RunOneAtATime) {
  CountingDevice device;
  ExpectFails(device.Wait(), Code::kInvalidArgument, "nothing was submitted");
  ASSERT_TRUE(device.Submit(Good()));
  ExpectFails(device.Submit(Good()), Code::kInvalidArgument,
              "a run is in progress; call Wait first");
  EXPECT_EQ(device.starts, 1);
  EXPECT_TRUE(device.Wait());
  ExpectFails(device.Wait(), Code::kInvalidArgument, "nothing was submitted");
  ASSERT_TRUE(device.Submit(Good()));
  ASSERT_TRUE(device.Reset());
  ExpectFails(device.Wait(), Code::kInvalidArgument, "nothing was submitted");
  EXPECT_EQ(device.finishes, 1);
}

TEST(Launches, ThatFailResetTheDevice) {
  CountingDevice device;
  device.start = Fail(Code::kUnsupported, "not this one");
  ExpectFails(device.Submit(Good()), Code::kUnsupported, "not this one");
  EXPECT_EQ(device.resets, 1);
  ExpectFails(device.Wait(), Code::kInvalidArgument, "nothing was submitted");
  device.start = {};
  device.finish = Fail(Code::kTimeout, "too long");
  ExpectFails(device.Run(Good()), Code::kTimeout, "too long");
  EXPECT_EQ(device.resets, 2);
  device.finish = RunReport{};
  EXPECT_TRUE(device.Run(Good()));
}

TEST(Launches, OfAProfileThatTheConfigurationLacksAreRefused) {
  const isa::Config wide = isa::LoadConfig("wide").value();
  class WideDevice : public DeviceBase {
   public:
    explicit WideDevice(const isa::Config& config)
        : DeviceBase(config, std::make_unique<ShiftedMemory>(kFakeMemory, 0)) {}
    std::string_view name() const override { return "wide"; }
    bool has_clock() const override { return false; }
    Status SetObserver(RunObserver*) override { return {}; }
    Result<RunReport> Finish(const Launch&, const isa::Fetcher&) override { return RunReport{}; }
    Status Forget() override { return {}; }
  };
  WideDevice device(wide);
  EXPECT_TRUE(device.Run(Good()));
  Launch launch = Good();
  launch.profile = isa::Profile::kVta;
  EXPECT_EQ(device.Submit(launch).error().code, Code::kUnsupported);
}

}  // namespace
}  // namespace tessera::launch_test
