// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the register protocol without errors: the writes of a run and their order, how a
// run's counters are read, 64-bit counters of a machine that goes on counting, memory at another
// address on the bus, a machine that its last user left busy. Space: a machine made of a table. Not
// tested here: errors (protocol_bad_test.cc), a real machine (tests/cts).
#include "tests/runtime/device/fake_machine.h"

namespace tessera::protocol_test {
namespace {

namespace reg = isa::reg;

TEST(Protocol, ProgramsTheMachineAndStartsItLast) {
  FakeMachine machine(Tiny());
  constexpr uint64_t kBus = 0x3'8000'0000;
  auto device = OpenFake(machine, kBus);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_TRUE(machine.writes.empty()) << "opening an idle machine writes nothing";
  EXPECT_EQ((*device)->name(), "fake");
  EXPECT_TRUE((*device)->has_clock());
  Launch launch = PutProgram(**device);
  for (uint32_t s = 0; s < isa::kSegments; ++s) {
    launch.segments[s] = {64 * s, (uint64_t{5} << 32) + s};
  }
  ASSERT_TRUE((*device)->Submit(launch));
  // Address, count and four words a segment, then CONTROL.
  ASSERT_EQ(machine.writes.size(), 3u + 4 * isa::kSegments + 1);
  EXPECT_EQ(machine.writes.back(), std::make_pair(reg::kControl, 1u | 1u << 8));
  EXPECT_EQ(machine.registers[0x020], 0x8000'0400u);
  EXPECT_EQ(machine.registers[0x024], 3u);
  EXPECT_EQ(machine.registers[0x028], 3u);
  for (uint32_t s = 0; s < isa::kSegments; ++s) {
    EXPECT_EQ(machine.registers[0x100 + 16 * s], 0x8000'0000u + 64 * s);
    EXPECT_EQ(machine.registers[0x104 + 16 * s], 3u);
    EXPECT_EQ(machine.registers[0x108 + 16 * s], s);
    EXPECT_EQ(machine.registers[0x10c + 16 * s], 5u);
  }
  ASSERT_TRUE((*device)->Wait());
}

TEST(Protocol, ProfileVtaIsInControl) {
  FakeMachine machine(Tiny());
  auto device = OpenFake(machine);
  ASSERT_TRUE(device);
  Launch launch = PutProgram(**device);
  launch.profile = isa::Profile::kVta;
  ASSERT_TRUE((*device)->Run(launch));
  EXPECT_EQ(machine.writes.back(), std::make_pair(reg::kControl, 1u));
}

TEST(Protocol, ReportsTheCounters) {
  FakeMachine machine(Tiny());
  auto device = OpenFake(machine);
  ASSERT_TRUE(device);
  machine.end_status = kDone | kLeftover;
  machine.on_look = [&] {
    machine.registers[reg::kRetired] = 3;
    for (uint32_t u = 0; u < isa::kUnits; ++u) {
      for (uint32_t word = 0; word < 4; ++word) {
        machine.registers[0x040 + 16 * u + 4 * word] = 10 * u + word + 1;
      }
    }
  };
  const Result<RunReport> report = (*device)->Run(PutProgram(**device));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->cycles, 300u);  // three looks of 100
  EXPECT_EQ(report->instructions, 3u);
  EXPECT_TRUE(report->leftover_tokens);
  EXPECT_EQ(report->bytes_read, 0u);
  for (uint32_t u = 0; u < isa::kUnits; ++u) {
    const UnitCounters& unit = report->units[u];
    EXPECT_EQ(unit.busy, 10 * u + 1);
    EXPECT_EQ(unit.token_wait, 10 * u + 2);
    EXPECT_EQ(unit.memory_wait, 10 * u + 3);
    EXPECT_EQ(unit.hazard, 10 * u + 4);
    EXPECT_EQ(unit.idle, 300 - (40 * u + 10));
  }
  machine.end_status = kDone;
  EXPECT_FALSE((*device)->Run(PutProgram(**device))->leftover_tokens);
}

TEST(Protocol, AWaitOfItsOwnBringsTheTraffic) {
  FakeMachine machine(Tiny());
  auto device = OpenFake(machine);
  ASSERT_TRUE(device);
  machine.outcome = WaitOutcome{.bytes_read = 96, .bytes_written = 64};
  const Result<RunReport> report = (*device)->Run(PutProgram(**device));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->bytes_read, 96u);
  EXPECT_EQ(report->bytes_written, 64u);
}

// A counter passes 2^32 between the two reads of its halves, at any point, in a machine that
// latches the high half when the low one is read.
TEST(Protocol, CountersOfARunningMachineDoNotTear) {
  class Counting : public RegisterPort {
   public:
    Counting(uint64_t value, uint64_t step) : value_(value), step_(step) {}
    Result<uint32_t> Read(uint32_t offset) override {
      value_ += step_;
      if (offset == reg::kCyclesHi) return high_;
      high_ = static_cast<uint32_t>(value_ >> 32);
      return static_cast<uint32_t>(value_);
    }
    Status Write(uint32_t, uint32_t) override { return {}; }
    uint64_t value() const { return value_; }

   private:
    uint64_t value_, step_;
    uint32_t high_ = 0;
  };
  for (const uint64_t step : {uint64_t{1}, uint64_t{1000}, uint64_t{1} << 30}) {
    for (uint64_t before = 0; before < 6; ++before) {
      const uint64_t start = (uint64_t{7} << 32) - before * step;
      Counting port(start, step);
      const Result<uint64_t> read = ReadCounter(port, reg::kCyclesLo, reg::kCyclesHi);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_GT(*read, start) << "step " << step;
      EXPECT_LE(*read, port.value()) << "step " << step;
    }
  }
}

TEST(Protocol, AMachineThatIsBusyWhenItIsOpenedIsReset) {
  FakeMachine machine(Tiny());
  machine.registers[reg::kStatus] = kBusy;
  auto device = OpenFake(machine);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ(machine.resets, 1);
  EXPECT_TRUE((*device)->Run(PutProgram(**device)));
}

TEST(Protocol, ARunMayTakeAllOfItsBudget) {
  FakeMachine machine(Tiny());
  auto device = OpenFake(machine);
  ASSERT_TRUE(device);
  Launch launch = PutProgram(**device);
  launch.budget = 300;  // three looks of 100
  EXPECT_TRUE((*device)->Run(launch));
  launch.budget = 299;
  EXPECT_EQ((*device)->Run(launch).error().code, Code::kTimeout);
}

}  // namespace
}  // namespace tessera::protocol_test
