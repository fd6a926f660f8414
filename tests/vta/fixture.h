// SPDX-License-Identifier: Apache-2.0
//
// A device in profile vta with absolute addresses (every base and size register zero), as VTA's
// drivers use it, and buffers at fixed places of its memory.
#ifndef TESSERA_TESTS_VTA_FIXTURE_H_
#define TESSERA_TESTS_VTA_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/rng.h"
#include "runtime/device/registry.h"
#include "tests/vta/stream.h"

namespace tessera::vta_test {

// The device that this test program tests: a name for OpenDevice.
const char* DeviceName();

class VtaTest : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr uint64_t kMemoryBytes = 4 << 20;
  static constexpr uint64_t kCode = 0x10000, kUops = 0x40000, kA = 0x80000, kB = 0x100000,
                            kC = 0x180000, kResult = 0x200000;

  void SetUp() override {
    for (const isa::Config& config : isa::NamedConfigs()) {
      if (config.name == GetParam()) config_ = config;
    }
    ASSERT_EQ(config_.name, GetParam());
    auto device = OpenDevice(DeviceName(), config_, {.memory_bytes = kMemoryBytes});
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    lanes_ = config_.batch * config_.block_out;
  }

  Stream NewStream() const { return Stream(config_); }

  // Elements of one tile.
  int64_t InpElements() const { return config_.batch * config_.block_in; }
  int64_t WgtElements() const { return config_.block_out * config_.block_in; }
  int64_t AccElements() const { return lanes_; }

  // A device address as the dram_base of |memory|.
  int64_t Index(int memory, uint64_t address) const {
    const int64_t bytes = memory == kUop   ? 4
                          : memory == kWgt ? WgtElements()
                          : memory == kInp ? InpElements()
                          : memory == kAcc ? 4 * lanes_
                                           : lanes_;
    EXPECT_EQ(address % static_cast<uint64_t>(bytes), 0u);
    return static_cast<int64_t>(address) / bytes;
  }

  template <typename T>
  void Put(uint64_t address, const std::vector<T>& values) {
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(values.data());
    ASSERT_TRUE(device_->Write(address, {bytes, values.size() * sizeof(T)}));
  }
  template <typename T>
  std::vector<T> Get(uint64_t address, int64_t count) {
    std::vector<T> values(static_cast<size_t>(count));
    uint8_t* bytes = reinterpret_cast<uint8_t*>(values.data());
    EXPECT_TRUE(device_->Read(address, {bytes, values.size() * sizeof(T)}));
    return values;
  }

  // Writes micro-ops to device memory at kUops.
  void PutUops(const std::vector<MicroOp>& ops) {
    std::vector<uint32_t> words;
    for (const MicroOp& op : ops) words.push_back(NewStream().Encode(op));
    Put(kUops, words);
  }
  // A LOAD of |count| micro-ops to UOP, from place |to| on.
  void LoadUops(Stream& stream, int64_t count, int64_t to = 0, const Deps& deps = {}) {
    stream.Load(kUop, Index(kUop, kUops), {.sram = to, .x = count, .stride = count}, deps);
  }

  Result<RunReport> Run(const Stream& stream, uint64_t budget = 2'000'000) {
    std::vector<uint8_t> bytes(stream.words().size() * sizeof(Word));
    std::memcpy(bytes.data(), stream.words().data(), bytes.size());
    EXPECT_TRUE(device_->Write(kCode, bytes));
    Launch launch;
    launch.profile = isa::Profile::kVta;
    launch.insn_addr = kCode;
    launch.insn_count = static_cast<uint32_t>(stream.words().size());
    launch.budget = budget;
    return device_->Run(launch);
  }
  void ExpectRuns(const Stream& stream) {
    auto report = Run(stream);
    EXPECT_TRUE(report) << report.error().message;
  }
  void ExpectFails(const Stream& stream, Code code, const std::vector<std::string>& words) {
    auto report = Run(stream);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, code) << report.error().message;
    for (const std::string& word : words) {
      EXPECT_NE(report.error().message.find(word), std::string::npos)
          << "'" << word << "' is not in: " << report.error().message;
    }
  }

  // Appends instructions that write all 32 bits of ACC tiles [0, |tiles|) to memory: four STOREs of
  // the low bytes with shifts by 8 between them. Micro-op |uop| is {0, 0}. Then FINISH.
  void StoreAcc(Stream& stream, int64_t tiles, int64_t uop) {
    const Loops all{.uop_bgn = uop, .uop_end = uop + 1, .iter_in = tiles, .dst_in = 1, .src_in = 1};
    for (int64_t byte = 0; byte < 4; ++byte) {
      // COMPUTE pushes; STORE pops and pushes; COMPUTE pops before it changes ACC again.
      stream.ComputeNop({.push_next = true});
      stream.Store(Index(kOut, kResult) + byte * tiles, {.x = tiles, .stride = tiles},
                   {.pop_prev = true, .push_prev = true});
      if (byte < 3) stream.AluImm(kShr, 8, all, {.pop_next = true});
    }
    stream.Finish({.pop_next = true});
  }
  std::vector<int32_t> StoredAcc(int64_t tiles) {
    const int64_t count = tiles * lanes_;
    const std::vector<uint8_t> bytes = Get<uint8_t>(kResult, 4 * count);
    std::vector<int32_t> values(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      uint32_t value = 0;
      for (int64_t byte = 0; byte < 4; ++byte) {
        value |= uint32_t{bytes[static_cast<size_t>(byte * count + i)]} << (8 * byte);
      }
      values[static_cast<size_t>(i)] = static_cast<int32_t>(value);
    }
    return values;
  }

  template <typename T>
  std::vector<T> Random(int64_t count, uint64_t seed) {
    Rng rng(seed);
    std::vector<T> values(static_cast<size_t>(count));
    for (T& value : values) value = static_cast<T>(rng.Next());
    return values;
  }

  isa::Config config_;
  std::unique_ptr<Device> device_;
  int64_t lanes_ = 0;
};

inline std::string ConfigName(const ::testing::TestParamInfo<const char*>& info) {
  return info.param;
}

#define TESSERA_VTA_CONFIGS(suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(Configs, suite, ::testing::Values("default", "tiny", "batch4"), \
                           ConfigName)

}  // namespace tessera::vta_test

#endif  // TESSERA_TESTS_VTA_FIXTURE_H_
