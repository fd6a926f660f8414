// SPDX-License-Identifier: Apache-2.0
//
// Device conformance: one suite runs unchanged on every driver of the build and on the example that
// docs/adding/driver.md walks through. A driver adds nothing here.
#ifndef TESSERA_TESTS_CTS_CTS_H_
#define TESSERA_TESTS_CTS_CTS_H_

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/encoding.h"
#include "runtime/device/registry.h"

namespace tessera::cts {

struct Backend {
  const Driver* driver;
  std::string config;  // a named configuration
};

inline void PrintTo(const Backend& backend, std::ostream* os) {
  *os << backend.driver->name << " " << backend.config;
}

// Drivers() and the example.
std::span<const Driver> TestedDrivers();

// Every driver with every configuration whose machine is prebuilt; Executing() has the drivers that
// execute, the other all.
std::vector<Backend> Executing();
std::vector<Backend> All();

// "rtl_tiny"
inline std::string TestName(const ::testing::TestParamInfo<Backend>& info) {
  return std::string(info.param.driver->name) + "_" + info.param.config;
}

inline constexpr uint64_t kMemoryBytes = 1 << 20;

// The configuration named |name|; the test stops if there is none.
inline isa::Config ConfigNamed(const std::string& name) {
  for (const isa::Config& config : isa::NamedConfigs()) {
    if (config.name == name) return config;
  }
  ADD_FAILURE() << "no configuration " << name;
  return {};
}

// A device of one backend with 1 MiB of memory.
class DeviceTest : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    config_ = ConfigNamed(GetParam().config);
    device_ = Open();
    ASSERT_NE(device_, nullptr);
  }

  std::unique_ptr<Device> Open() {
    auto device = OpenDevice(TestedDrivers(), GetParam().driver->name, config_,
                             {.memory_bytes = kMemoryBytes});
    EXPECT_TRUE(device) << device.error().message;
    return device ? std::move(*device) : nullptr;
  }

  isa::Config config_;
  std::unique_ptr<Device> device_;
};

// The same, for tests that execute programs.
class ProgramTest : public DeviceTest {
 protected:
  // One run: |insns| are at kCode, segment 0 is all memory from kData on.
  static constexpr uint64_t kCode = 0x10000;
  static constexpr uint64_t kData = 0x20000;
  static constexpr uint64_t kDataBytes = 0x10000;
  static constexpr uint64_t kBudget = 200'000;

  // Writes |words| to device memory and returns their launch.
  Launch Prepare(Device& device, const std::vector<isa::InsnWord>& words) {
    std::vector<uint8_t> bytes(words.size() * isa::kInsnBytes);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    EXPECT_TRUE(device.Write(kCode, bytes));
    Launch launch;
    launch.insn_addr = kCode;
    launch.insn_count = static_cast<uint32_t>(words.size());
    for (SegmentBinding& segment : launch.segments) segment = {kData, kDataBytes};
    launch.budget = kBudget;
    return launch;
  }
  Result<RunReport> Run(const std::vector<isa::InsnWord>& words) {
    return device_->Run(Prepare(*device_, words));
  }

  static isa::InsnWord Word(const isa::Insn& insn) {
    auto word = isa::Encode(insn);
    EXPECT_TRUE(word) << word.error().message;
    return word.value_or(isa::InsnWord{});
  }

  static constexpr int64_t Mask(isa::Unit unit) { return 1 << static_cast<int>(unit); }

  // LOAD |tiles| OUT tiles from byte |from| and, behind a token, STORE them to byte |to|.
  std::vector<isa::InsnWord> CopyProgram(int64_t tiles, int64_t from, int64_t to) const {
    const int64_t bytes = config_.out_tile_bytes();
    return {Word(isa::Load{.push = Mask(isa::Unit::kStore),
                           .memory = static_cast<int64_t>(isa::Memory::kOut),
                           .x_bytes = bytes,
                           .dram_base = from,
                           .x_size = tiles,
                           .y_size = 1,
                           .x_step = bytes,
                           .z_size = 1}),
            Word(isa::Store{.pop = Mask(isa::Unit::kLoad),
                            .x_bytes = bytes,
                            .dram_base = to,
                            .x_size = tiles,
                            .y_size = 1,
                            .x_step = bytes,
                            .z_size = 1}),
            Word(isa::Finish{})};
  }

  std::vector<uint8_t> Pattern(size_t bytes, uint8_t salt) const {
    std::vector<uint8_t> data(bytes);
    for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<uint8_t>(7 * i + salt);
    return data;
  }

  std::vector<uint8_t> ReadBack(Device& device, uint64_t address, size_t bytes) {
    std::vector<uint8_t> data(bytes, 0xee);
    EXPECT_TRUE(device.Read(address, data));
    return data;
  }

  // After any failure: the device takes a program and executes it.
  void ExpectUsable() {
    const size_t bytes = static_cast<size_t>(8 * config_.out_tile_bytes());
    const std::vector<uint8_t> data = Pattern(bytes, 3);
    ASSERT_TRUE(device_->Write(kData, data));
    auto report = Run(CopyProgram(8, 0, 0x1000));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(ReadBack(*device_, kData + 0x1000, bytes), data);
  }
};

// Expects that |result| failed with |code| and that its message has every one of |words|.
template <typename T>
void ExpectError(const Result<T>& result, Code code, const std::vector<std::string>& words) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, code) << result.error().message;
  for (const std::string& word : words) {
    EXPECT_NE(result.error().message.find(word), std::string::npos)
        << "'" << word << "' is not in: " << result.error().message;
  }
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos) << result.error().message;
}

}  // namespace tessera::cts

#endif  // TESSERA_TESTS_CTS_CTS_H_
