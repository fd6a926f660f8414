// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the record of a launch: the program with the bytes it reads, once, under the
// test's name; a program that is not legal by itself is not recorded; a folder that cannot be
// written. Space: copies of profile tessera and vta. Not tested here: running the records
// (tests/tools).
#include "runtime/device/record.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "isa/asm/asm.h"
#include "isa/encoding.h"
#include "runtime/device/device_base.h"
#include "tests/runtime/device/fake_machine.h"

namespace tessera::record_test {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kCode = 0x40, kData = 0x400;

// Runs nothing; DeviceBase records the launch before the run.
class StillDevice : public DeviceBase {
 public:
  StillDevice() : DeviceBase(Tiny(), std::make_unique<ShiftedMemory>(kFakeMemory, 0)) {}
  std::string_view name() const override { return "still"; }
  bool has_clock() const override { return false; }
  Status SetObserver(RunObserver*) override { return {}; }
  Result<RunReport> Finish(const Launch&, const isa::Fetcher&) override { return RunReport(); }
  Status Forget() override { return {}; }
};

class Records : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "tessera_records";
    fs::remove_all(folder_);
    setenv("TESSERA_RECORD", folder_.c_str(), 1);
    setenv("TESSERA_RECORD_NAME", "copy", 1);
  }
  void TearDown() override {
    unsetenv("TESSERA_RECORD");
    unsetenv("TESSERA_RECORD_NAME");
    fs::remove_all(folder_);
  }

  Status Run(const std::vector<isa::Insn>& insns, uint64_t segment_bytes = 0x200) {
    std::vector<uint8_t> code;
    for (const isa::Insn& insn : insns) {
      const isa::InsnWord word = isa::Encode(insn).value();
      const uint8_t* bytes = reinterpret_cast<const uint8_t*>(word.data());
      code.insert(code.end(), bytes, bytes + sizeof word);
    }
    TESSERA_TRY(device_.Write(kCode, code));
    Launch launch{.insn_addr = kCode, .insn_count = static_cast<uint32_t>(insns.size())};
    for (SegmentBinding& segment : launch.segments) segment = {kData, segment_bytes};
    TESSERA_TRY(device_.Run(launch));
    return {};
  }
  // LOAD four OUT tiles from byte 8, STORE them to byte 64.
  static isa::Insn Load() {
    return isa::Load{.push = 1 << static_cast<int>(isa::Unit::kStore),
                     .memory = static_cast<int64_t>(isa::Memory::kOut),
                     .x_bytes = 4,
                     .dram_base = 8,
                     .x_size = 4,
                     .y_size = 1,
                     .x_step = 4,
                     .z_size = 1};
  }
  static isa::Insn Store(bool pop) {
    return isa::Store{.pop = pop ? 1 << static_cast<int>(isa::Unit::kLoad) : 0,
                      .x_bytes = 4,
                      .dram_base = 64,
                      .x_size = 4,
                      .y_size = 1,
                      .x_step = 4,
                      .z_size = 1};
  }
  std::vector<fs::path> Files() const {
    std::error_code ec;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_, ec)) files.push_back(entry.path());
    return files;
  }

  StillDevice device_;
  fs::path folder_;
};

TEST_F(Records, AProgramIsKeptOnceWithWhatItReads) {
  std::vector<uint8_t> memory(0x200);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<uint8_t>(i + 1);
  ASSERT_TRUE(device_.Write(kData, memory));
  for (int run = 0; run < 3; ++run) ASSERT_TRUE(Run({Load(), Store(true), isa::Finish{}}));
  const std::vector<fs::path> files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_TRUE(files[0].filename().string().starts_with("copy_")) << files[0];
  const std::vector<uint8_t> bytes = ReadFile(files[0]).value();
  const Result<isa::ProgramImage> image = isa::Assemble(std::string(bytes.begin(), bytes.end()));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->insn_count(), 3);
  std::vector<uint8_t> read(24);
  for (size_t i = 8; i < 24; ++i) read[i] = static_cast<uint8_t>(i + 1);
  EXPECT_EQ(image->segments[0].data, read);
  EXPECT_EQ(image->segments[0].size, 64u + 16u);
  EXPECT_EQ(image->segments[1].size, 0u);
  memory[9] = 0;
  ASSERT_TRUE(device_.Write(kData, memory));
  ASSERT_TRUE(Run({Load(), Store(true), isa::Finish{}}));
  EXPECT_EQ(Files().size(), 2u) << "other data make another program";
}

TEST_F(Records, WhatIsNotLegalByItselfIsNot) {
  EXPECT_TRUE(Run({Store(false), isa::Finish{}}));             // stores tiles of an earlier run
  EXPECT_TRUE(Run({Load(), Store(false), isa::Finish{}}));     // a race
  EXPECT_TRUE(Run({Load(), Store(true), isa::Finish{}}, 70));  // leaves its segment
  EXPECT_TRUE(Run({Load(), Store(true)}));                     // no FINISH
  EXPECT_EQ(Files().size(), 0u);
  unsetenv("TESSERA_RECORD");
  EXPECT_TRUE(Run({Load(), Store(true), isa::Finish{}}));
  EXPECT_EQ(Files().size(), 0u);
}

TEST_F(Records, AFolderThatCannotBeWrittenIsAnError) {
  setenv("TESSERA_RECORD", "/proc/nothing", 1);
  const Status ran = Run({Load(), Store(true), isa::Finish{}});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, Code::kUnavailable);
  EXPECT_NE(ran.error().message.find("/proc/nothing/copy_"), std::string::npos);
}

}  // namespace
}  // namespace tessera::record_test
