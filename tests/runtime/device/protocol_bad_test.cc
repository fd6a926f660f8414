// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every way in which a machine behind registers can fail, with the exact message:
// at opening, on every single register access of a run, by never being done, by each error code of
// each unit, by a reset that fails. After each failure the device runs the next program. Space: a
// machine made of a table. Not tested here: which program makes a machine report which error
// (tests/cts).
#include "tests/runtime/device/fake_machine.h"

namespace tessera::protocol_bad_test {
namespace {

namespace reg = isa::reg;

const char* const kPop = "instruction 0 (sync pop=gemm)";
const char* const kPush = "instruction 1 (sync push=vector unit=store)";
const char* const kBusError =
    "bus: the memory answered with an error; usual cause: an address outside the memory: a "
    "segment's base or size, or the instruction's own address";

class BadProtocol : public ::testing::Test {
 protected:
  void SetUp() override {
    auto device = OpenFake(machine_);
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    launch_ = PutProgram(*device_);
  }

  Result<RunReport> Run() { return device_->Run(launch_); }

  // After an error: one reset, and the next run succeeds.
  void ExpectUsable() {
    EXPECT_EQ(machine_.resets, 1);
    machine_.resets = 0;
    machine_.looks = 3;
    machine_.end_status = kDone;
    machine_.cycles_a_look = 100;
    machine_.on_look = nullptr;
    machine_.outcome.reset();
    for (uint32_t u = 0; u < isa::kUnits; ++u) machine_.registers[reg::kUnitState[u]] = 0;
    const Result<RunReport> report = Run();
    EXPECT_TRUE(report) << report.error().message;
  }

  void SetUnit(isa::Unit unit, uint32_t state, uint32_t insn) {
    machine_.registers[reg::kUnitState[static_cast<uint32_t>(unit)]] = state;
    machine_.registers[reg::kUnitInsn[static_cast<uint32_t>(unit)]] = insn;
  }

  FakeMachine machine_{Tiny()};
  std::unique_ptr<Device> device_;
  Launch launch_;
};

TEST(BadMachine, IsRefusedWhenItIsOpened) {
  FakeMachine machine(Tiny());
  machine.registers[reg::kId] = 0xffffffff;
  ExpectFails(
      OpenFake(machine), Code::kNotFound,
      "fake: register ID reads 0xffffffff, a machine of this project says 0x31525354; is it "
      "configured, and is the address right?");
  machine.registers[reg::kId] = reg::kIdValue;
  machine.registers[reg::kVersion] = 0x00090003;
  ExpectFails(OpenFake(machine), Code::kUnsupported,
              fmt::format("fake: the machine has version 9.3 of registers and instructions, this "
                          "program {}.{}; use a machine and a program of one version",
                          reg::kVersionValue >> 16, reg::kVersionValue & 0xffff));
  machine.registers[reg::kVersion] = reg::kVersionValue;
  machine.registers[reg::kConfigHashLo] = 2;
  machine.registers[reg::kConfigHashHi] = 1;
  ExpectFails(OpenFake(machine), Code::kInvalidArgument,
              fmt::format("fake: the machine was made for the configuration with hash "
                          "0000000100000002, tiny has {:016x}; open it with the configuration it "
                          "was made for",
                          Tiny().Hash()));
}

TEST(BadMachine, ThatDoesNotAnswerIsRefusedWhenItIsOpened) {
  for (int access = 0; access < 5; ++access) {
    FakeMachine machine(Tiny());
    machine.fail_access = access;
    const uint32_t offsets[] = {reg::kId, reg::kVersion, reg::kConfigHashLo, reg::kConfigHashHi,
                                reg::kStatus};
    ExpectFails(OpenFake(machine), Code::kDataLoss,
                fmt::format("no answer at {:#05x}", offsets[access]));
  }
}

TEST(BadMachine, ThatStaysBusyIsRefusedWhenItIsOpened) {
  FakeMachine machine(Tiny());
  machine.registers[reg::kStatus] = kBusy;
  machine.soft_reset_works = false;
  machine.looks = 1 << 30;
  ExpectFails(OpenFake(machine), Code::kTimeout,
              "the machine is busy 1000 looks after a soft reset: reset it from outside");
}

// The bus leaves each access of a run unanswered in turn: the error names the access, and the next
// run succeeds.
TEST_F(BadProtocol, ABusThatDoesNotAnswer) {
  const int opening = machine_.accesses;
  ASSERT_TRUE(Run());
  const int run = machine_.accesses - opening;
  EXPECT_GT(run, 60);
  for (int access = 0; access < run; ++access) {
    SCOPED_TRACE(::testing::Message() << "access " << access << " of a run");
    machine_.fail_access = machine_.accesses + access;
    const Result<RunReport> report = Run();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Code::kDataLoss);
    EXPECT_TRUE(report.error().message.starts_with("no answer at 0x")) << report.error().message;
    ExpectUsable();
  }
}

TEST_F(BadProtocol, ABusThatDoesNotAnswerTheExplanation) {
  machine_.end_status = kDone | kError;
  ASSERT_FALSE(Run());
  machine_.resets = 0;
  // After STATUS the device reads ERROR and ERROR_INSN; each read fails in turn.
  const int before = machine_.accesses;
  ASSERT_FALSE(Run());
  const int run = machine_.accesses - before;
  for (int access = run - 4; access < run - 2; ++access) {  // ERROR, ERROR_INSN; then the reset
    machine_.resets = 0;
    machine_.end_status = kDone | kError;
    machine_.fail_access = machine_.accesses + access;
    ExpectFails(
        Run(), Code::kDataLoss,
        fmt::format("no answer at {:#05x}", access == run - 4 ? reg::kError : reg::kErrorInsn));
    ExpectUsable();
  }
}

TEST_F(BadProtocol, NeverDone) {
  machine_.looks = 1 << 30;
  launch_.budget = 5000;
  SetUnit(isa::Unit::kLoad, 1, 0);
  ExpectFails(
      Run(), Code::kTimeout,
      fmt::format("not done after the budget of 5000 cycles (give more): load executes {}; "
                  "gemm has nothing to do; vector has nothing to do; store has nothing to do",
                  kPop));
  launch_.budget = 1'000'000;
  ExpectUsable();
}

// LOAD waits for memory in every cycle from the budget's end on. The message does not blame memory
// for a unit that works now and then.
TEST_F(BadProtocol, MemoryThatNeverAnswers) {
  machine_.looks = 1 << 30;
  launch_.budget = 5000;
  SetUnit(isa::Unit::kLoad, 1, 0);
  machine_.on_look = [&] { machine_.registers[reg::kMemoryWait[0]] += 100; };
  ExpectFails(
      Run(), Code::kTimeout,
      fmt::format(
          "not done after the budget of 5000 cycles: bus never answers: load's instruction "
          "0 waits for device memory, and it has done nothing for 2000 cycles; usual cause: "
          "an address at which no memory is, an interconnect held in reset, or a memory "
          "clock that stands; load waits for device memory at {}; gemm has nothing to do; "
          "vector has nothing to do; store has nothing to do",
          kPop));
  launch_.budget = 1'000'000;
  ExpectUsable();
  machine_.looks = 1 << 30;
  launch_.budget = 5000;
  SetUnit(isa::Unit::kLoad, 1, 0);
  machine_.on_look = [&] {
    machine_.registers[reg::kMemoryWait[0]] += 99;
    machine_.registers[reg::kBusy[0]] += 1;
  };
  const Result<RunReport> slow = Run();
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().message.find("bus never answers"), std::string::npos);
  launch_.budget = 1'000'000;
  ExpectUsable();
}

TEST_F(BadProtocol, NoClock) {
  machine_.looks = 1 << 30;
  machine_.cycles_a_look = 0;
  ExpectFails(Run(), Code::kTimeout,
              "not done, and the cycle counter stands at 0 over 1000 looks: the machine has no "
              "clock, or is held in reset");
  ExpectUsable();
}

TEST_F(BadProtocol, Deadlock) {
  machine_.end_status = kDone | kError;
  machine_.registers[reg::kError] =
      static_cast<uint32_t>(isa::MachineError::kDeadlock) | reg::kErrorUnitFetch << 8;
  machine_.registers[reg::kErrorInsn] = 2;
  SetUnit(isa::Unit::kLoad, 1 | 2 << 4, 0);
  SetUnit(isa::Unit::kStore, 1 | 5 << 8, 1);
  ExpectFails(
      Run(), Code::kDeadlock,
      fmt::format("deadlock: lost token: load's instruction 0 waits for its 1st token from gemm, "
                  "whose instructions push 0 to it; no instruction of gemm stands before it that "
                  "could push one more; usual cause: a pop without its push: set the push flag on "
                  "the instruction that makes ready what this one needs, or drop the pop; load "
                  "waits for a token from gemm at {}; gemm has nothing to do; "
                  "vector has nothing to do; store waits to push to load, vector (its counter is "
                  "full) at {}; fetch has passed all 3 instructions",
                  kPop, kPush));
  ExpectUsable();
}

// Units that wait are no deadlock, however long, until the machine reports one.
TEST_F(BadProtocol, WaitingIsNoDeadlock) {
  machine_.looks = 2000;
  SetUnit(isa::Unit::kLoad, 1 | 2 << 4, 0);
  EXPECT_TRUE(Run());
}

TEST_F(BadProtocol, EveryErrorOfEveryUnit) {
  struct ErrorRow {
    uint32_t code;
    const char* text;
    Code as;
  };
  const ErrorRow rows[] = {
      {1, "illegal_opcode: no such opcode, or not in this profile", Code::kInvalidArgument},
      {2, "illegal_field: a field's value has no meaning, or an unnamed bit is set",
       Code::kInvalidArgument},
      {3, "sram_range: a tile index is past the end of its scratchpad", Code::kOutOfRange},
      {4, "dram_range: an access is past the segment's limit", Code::kOutOfRange},
      {5, kBusError, Code::kDataLoss},
      {6, "no_finish: the instruction stream ended without FINISH", Code::kInvalidArgument},
      {200, "?: not an error of this version", Code::kInvalidArgument},
  };
  const char* const units[] = {"load", "gemm", "vector", "store", "fetch"};
  for (const ErrorRow& row : rows) {
    for (uint32_t unit = 0; unit < 5; ++unit) {
      machine_.end_status = kDone | kError;
      machine_.registers[reg::kError] = row.code | unit << 8;
      machine_.registers[reg::kErrorInsn] = 1;
      ExpectFails(Run(), row.as, fmt::format("{}: {}: {}", units[unit], kPush, row.text));
      ExpectUsable();
    }
  }
  machine_.end_status = kDone | kError;
  machine_.registers[reg::kError] = 5 | 9 << 8;
  machine_.registers[reg::kErrorInsn] = 77;  // past the stream
  ExpectFails(Run(), Code::kDataLoss,
              fmt::format("unit 9, which this version lacks: instruction 77: {}", kBusError));
  ExpectUsable();
}

TEST_F(BadProtocol, StoppedWithoutBeingDone) {
  machine_.end_status = 0;
  ExpectFails(Run(), Code::kDataLoss,
              "the machine stopped without being done (STATUS is 0x0): something else reset it");
  ExpectUsable();
}

TEST_F(BadProtocol, WhatASimulatorSees) {
  machine_.outcome = WaitOutcome{.end = WaitEnd::kAssertion, .assertion = "tsr_fifo.sv:31 u_q"};
  ExpectFails(
      Run(), Code::kDataLoss,
      "an assertion of the RTL failed, which is a bug of the machine and not of the program: "
      "tsr_fifo.sv:31 u_q");
  ExpectUsable();
  machine_.outcome = WaitOutcome{.end = WaitEnd::kBudget};
  machine_.end_status = kBusy;
  EXPECT_EQ(Run().error().code, Code::kTimeout);
  ExpectUsable();
}

TEST_F(BadProtocol, AResetThatFailsIsSaidToo) {
  machine_.end_status = kDone | kError;
  machine_.registers[reg::kError] = 5;
  machine_.registers[reg::kErrorInsn] = 0;
  const int before = machine_.accesses;
  ASSERT_FALSE(Run());
  const int run = machine_.accesses - before;
  machine_.fail_access = machine_.accesses + run - 2;  // the write of CONTROL; then STATUS
  ExpectFails(Run(), Code::kDataLoss,
              fmt::format("load: {}: {}; and the reset after it "
                          "failed: no answer at 0x010",
                          kPop, kBusError));
}

TEST_F(BadProtocol, AStartThatIsRefused) {
  machine_.refuses = true;
  ExpectFails(Run(), Code::kUnavailable,
              "fake: the machine refused to start: it runs a program of somebody else, which the "
              "reset after this ends; let one process use it at a time");
  machine_.refuses = false;
  ExpectUsable();
}

TEST_F(BadProtocol, ATraceNeedsMoreThanRegisters) {
  std::vector<TraceEntry> trace;
  ExpectFails(device_->SetTrace(&trace), Code::kUnsupported,
              "this machine shows registers only, which do not tell when instructions retire; "
              "devices rtl and cycle do");
  EXPECT_TRUE(device_->SetTrace(nullptr));
}

}  // namespace
}  // namespace tessera::protocol_bad_test
