// SPDX-License-Identifier: Apache-2.0
//
// A machine made of a table of registers, for tests of the protocol: it runs for a number of looks
// and then ends as the test says. Used by: tests/runtime/device.
#ifndef TESSERA_TESTS_RUNTIME_DEVICE_FAKE_MACHINE_H_
#define TESSERA_TESTS_RUNTIME_DEVICE_FAKE_MACHINE_H_

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/encoding.h"
#include "isa/regs.h"
#include "runtime/device/register_device.h"

namespace tessera {

inline constexpr uint32_t kBusy = 1, kDone = 2, kError = 4, kLeftover = 8,
                          kRefused = 16;  // bits of STATUS

// The configuration `tiny`.
inline isa::Config Tiny() { return isa::LoadConfig("tiny").value(); }

// The machine's registers and behaviour; it outlives the device.
struct FakeMachine {
  explicit FakeMachine(const isa::Config& config) {
    registers[isa::reg::kId] = isa::reg::kIdValue;
    registers[isa::reg::kVersion] = isa::reg::kVersionValue;
    registers[isa::reg::kConfigHashLo] = static_cast<uint32_t>(config.Hash());
    registers[isa::reg::kConfigHashHi] = static_cast<uint32_t>(config.Hash() >> 32);
  }

  std::map<uint32_t, uint32_t> registers;             // a register without an entry reads as 0
  std::vector<std::pair<uint32_t, uint32_t>> writes;  // in order

  int looks = 3;                       // Pauses until a started machine ends
  uint32_t end_status = kDone;         // STATUS at the end
  uint64_t cycles_a_look = 100;        // 0: no clock
  std::function<void()> on_look;       // called in each Pause
  std::optional<WaitOutcome> outcome;  // if set, Wait returns this instead of polling

  int accesses = 0;      // register accesses so far
  int fail_access = -1;  // the number of the access that the bus does not answer
  bool soft_reset_works = true;
  bool refuses = false;  // refuses starts

  int resets = 0;
  uint64_t cycles() const {
    return registers.contains(isa::reg::kCyclesHi)
               ? uint64_t{registers.at(isa::reg::kCyclesHi)} << 32 |
                     registers.at(isa::reg::kCyclesLo)
               : 0;
  }
  void SetCycles(uint64_t value) {
    registers[isa::reg::kCyclesLo] = static_cast<uint32_t>(value);
    registers[isa::reg::kCyclesHi] = static_cast<uint32_t>(value >> 32);
  }
};

class FakePort : public RegisterPort {
 public:
  explicit FakePort(FakeMachine& machine) : machine_(machine) {}

  Result<uint32_t> Read(uint32_t offset) override {
    if (Fails()) return Fail(Code::kDataLoss, "no answer at {:#05x}", offset);
    const auto at = machine_.registers.find(offset);
    return at == machine_.registers.end() ? 0 : at->second;
  }

  Status Write(uint32_t offset, uint32_t value) override {
    if (Fails()) return Fail(Code::kDataLoss, "no answer at {:#05x}", offset);
    machine_.writes.emplace_back(offset, value);
    if (offset != isa::reg::kControl) {
      machine_.registers[offset] = value;
    } else if (isa::reg::kControlSoftReset.Get(value)) {
      ++machine_.resets;
      if (machine_.soft_reset_works) machine_.registers[isa::reg::kStatus] = 0;
    } else if (isa::reg::kControlStart.Get(value)) {
      machine_.registers[isa::reg::kStatus] = machine_.refuses ? kBusy | kRefused : kBusy;
      machine_.SetCycles(0);
      left_ = machine_.looks;
    }
    return {};
  }

  Result<WaitOutcome> Wait(uint64_t budget) override {
    if (!machine_.outcome) return RegisterPort::Wait(budget);
    machine_.registers[isa::reg::kStatus] = machine_.end_status;
    return *machine_.outcome;
  }

  void Pause() override {
    if (machine_.on_look) machine_.on_look();
    if (machine_.registers[isa::reg::kStatus] != kBusy) return;
    machine_.SetCycles(machine_.cycles() + machine_.cycles_a_look);
    if (--left_ == 0) machine_.registers[isa::reg::kStatus] = machine_.end_status;
  }

 private:
  bool Fails() { return machine_.accesses++ == machine_.fail_access; }

  FakeMachine& machine_;
  int left_ = 0;
};

// Memory whose address 0 is another address on the bus.
class ShiftedMemory : public MemoryPort {
 public:
  ShiftedMemory(uint64_t bytes, uint64_t bus) : bytes_(bytes), bus_(bus) {}
  uint64_t size() const override { return bytes_.size(); }
  uint64_t bus_address() const override { return bus_; }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    std::memcpy(&bytes_[address], bytes.data(), bytes.size());
    return {};
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    std::memcpy(bytes.data(), &bytes_[address], bytes.size());
    return {};
  }

 private:
  std::vector<uint8_t> bytes_;
  uint64_t bus_;
};

inline constexpr uint64_t kFakeMemory = 4096;
inline constexpr uint64_t kFakeCode = 1024;

inline Result<std::unique_ptr<Device>> OpenFake(FakeMachine& machine, uint64_t bus = 0) {
  return OpenRegisterDevice("fake", Tiny(), std::make_unique<FakePort>(machine),
                            std::make_unique<ShiftedMemory>(kFakeMemory, bus));
}

// Writes SYNC of LOAD popping from GEMM, SYNC of STORE pushing to VECTOR, FINISH to |device| at
// kFakeCode.
inline Launch PutProgram(Device& device) {
  const isa::Insn program[] = {isa::Sync{.pop = 1 << static_cast<int>(isa::Unit::kGemm),
                                         .unit = static_cast<int64_t>(isa::Unit::kLoad)},
                               isa::Sync{.push = 1 << static_cast<int>(isa::Unit::kVector),
                                         .unit = static_cast<int64_t>(isa::Unit::kStore)},
                               isa::Finish{}};
  std::vector<uint8_t> code;
  for (const isa::Insn& insn : program) {
    const isa::InsnWord word = isa::Encode(insn).value();
    const auto* bytes = reinterpret_cast<const uint8_t*>(word.data());
    code.insert(code.end(), bytes, bytes + sizeof(word));
  }
  EXPECT_TRUE(device.Write(kFakeCode, code));
  Launch launch;
  launch.insn_addr = kFakeCode;
  launch.insn_count = 3;
  launch.budget = 1'000'000;
  return launch;
}

// Expects that |result| failed with |code| and exactly |message|.
template <typename T>
void ExpectFails(const Result<T>& result, Code code, const std::string& message) {
  ASSERT_FALSE(result);
  EXPECT_EQ(CodeName(result.error().code), std::string(CodeName(code)));
  EXPECT_EQ(result.error().message, message);
}

}  // namespace tessera

#endif  // TESSERA_TESTS_RUNTIME_DEVICE_FAKE_MACHINE_H_
