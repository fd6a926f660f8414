// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the events that devices with a clock report of a run (runtime/observer.h): they
// are in order and without gaps, and agree with the program's fields and with the run's report:
// instructions, tokens, how the cycles were spent, beats; two runs of one device; a run whose
// budget ends in the middle. Space: random programs of both profiles on `tiny`, with and without
// memory stalls. Not tested here: digests (tests/cosim), uses of the events (timeline tests).
#include <gtest/gtest.h>

#include <string>

#include "runtime/device/registry.h"
#include "sim/rig/rig.h"
#include "sim/rig/run_image.h"
#include "tests/sim/trace/run_contract.h"

namespace tessera::observer_test {
namespace {

class RunObserverTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Device> Open(uint64_t stall_seed) {
    config_ = isa::LoadConfig("tiny").value();
    auto device = OpenDevice(
        GetParam(), config_,
        {.memory_bytes = 8 << 20, .values = {{"stall-seed", std::to_string(stall_seed)}}});
    EXPECT_TRUE(device) << device.error().message;
    return device ? std::move(*device) : nullptr;
  }
  isa::Config config_;
};

TEST_P(RunObserverTest, TellsARunAsTheProgramAndTheReportHaveIt) {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    const bool vta = seed % 4 == 0;
    const uint64_t stalls = seed % 3 == 0 ? seed : 0;
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << (vta ? " vta" : "") << " stalls " << stalls);
    const std::unique_ptr<Device> device = Open(stalls);
    ASSERT_NE(device, nullptr);
    const isa::ProgramImage image =
        rig::MakeProgram({.config = config_,
                          .profile = vta ? isa::Profile::kVta : isa::Profile::kTessera,
                          .seed = seed,
                          .instructions = 60});
    for (int run = 0; run < 2; ++run) {
      test::RunContract contract(image, config_);
      ASSERT_TRUE(device->SetObserver(&contract));
      const auto outcome = rig::RunImage(*device, image, /*trace=*/false);
      ASSERT_TRUE(device->SetObserver(nullptr));
      ASSERT_TRUE(outcome) << outcome.error().message;
      contract.Expect(outcome->report, static_cast<uint64_t>(config_.bus_bytes()));
      EXPECT_GT(contract.beats[0], 0u);
      if (HasFailure()) return;
    }
  }
}

// A run that is cut off is reported up to that point.
TEST_P(RunObserverTest, ARunThatIsCutOffIsToldUntilThen) {
  const std::unique_ptr<Device> device = Open(0);
  ASSERT_NE(device, nullptr);
  const isa::ProgramImage image =
      rig::MakeProgram({.config = config_, .seed = 5, .instructions = 60});
  class Count : public RunObserver {
   public:
    void OnSpan(const UnitSpan& span) override {
      cycles[static_cast<size_t>(span.unit)] += span.end - span.begin;
    }
    std::array<uint64_t, isa::kUnits> cycles{};
  };
  constexpr uint64_t kBudget = 300;
  Count count;
  ASSERT_TRUE(device->SetObserver(&count));
  const auto outcome = rig::RunImage(*device, image, /*trace=*/false, kBudget);
  ASSERT_TRUE(device->SetObserver(nullptr));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kTimeout);
  for (const uint64_t cycles : count.cycles) {
    EXPECT_EQ(cycles, count.cycles[0]);
    EXPECT_GE(cycles, kBudget);
    EXPECT_LT(cycles, kBudget + 200);
  }
}

std::vector<std::string> Clocked() {
  std::vector<std::string> names;
  for (const Driver& driver : Drivers()) {
    if (driver.name == "rtl" || driver.name == "cycle") names.emplace_back(driver.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Devices, RunObserverTest, ::testing::ValuesIn(Clocked()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace tessera::observer_test
