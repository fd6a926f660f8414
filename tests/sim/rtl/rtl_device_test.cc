// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the verilated device beyond tests/cts: a configuration that is not prebuilt is
// verilated on first use and kept, also when two processes want it at once; waveforms of a window
// of cycles; memory models and stalls change cycles and not results; what it says when a tool is
// missing. Space: a machine smaller than `tiny`. Not tested here: programs (tests/cts,
// tests/cosim).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "runtime/device/registry.h"
#include "tests/sim/rtl/copy.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Not prebuilt: `tiny` with fewer parameter records.
isa::Config Unusual() {
  isa::Config config = Named("tiny");
  config.name = "unusual";
  config.prm_depth = 32;
  return config;
}

// The cycles that the copy took, 0 after a failure.
uint64_t Copy(Device& device) {
  const Result<RunReport> report = CopyTiles(device);
  EXPECT_TRUE(report) << report.error().message;
  return report ? report->cycles : 0;
}

Result<std::unique_ptr<Device>> Open(const isa::Config& config, DeviceOptions options) {
  options.memory_bytes = 1 << 20;
  return OpenDevice("rtl", config, options);
}

// One test for both, so that one machine is verilated: its waveforms make it one that is never
// prebuilt.
TEST(RtlDevice, VerilatesOnFirstUseOnceForTwoProcessesAndWritesWaveforms) {
  const Folder cache, folder;
  const auto open = [&](const std::string& file, uint64_t begin, uint64_t end) {
    return Open(Unusual(), {.values = {{"wave", folder.path() + "/" + file},
                                       {"wave-begin", std::to_string(begin)},
                                       {"wave-end", std::to_string(end)},
                                       {"cache", cache.path()}}});
  };
  // Two processes at the same time, then this one: one machine is made.
  for (const char* file : {"a.vcd", "b.vcd"}) {
    if (fork() == 0) {
      auto device = open(file, 0, ~uint64_t{0});
      _exit(device.has_value() && Copy(**device) > 0 ? 0 : 1);
    }
  }
  for (int i = 0; i < 2; ++i) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(cache.Count(".so"), 1u);
  // Only the machine and the lock stay.
  for (const auto& entry : fs::directory_iterator(cache.path())) {
    EXPECT_TRUE(entry.path().extension() == ".so" || entry.path().extension() == ".lock")
        << entry.path();
  }

  size_t sizes[2];
  for (int i = 0; i < 2; ++i) {
    {
      ::testing::internal::CaptureStderr();
      auto device = i == 0 ? open("run.vcd", 0, ~uint64_t{0}) : open("run.vcd", 20, 25);
      EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "it is verilated again";
      ASSERT_TRUE(device) << device.error().message;
      EXPECT_EQ((*device)->config().name, "unusual");
      EXPECT_GT(Copy(**device), 0u);
    }
    auto text = ReadFile(folder.path() + "/run.vcd");
    ASSERT_TRUE(text) << text.error().message;
    const std::string vcd(text->begin(), text->end());
    EXPECT_NE(vcd.find("m_axi_arvalid_o"), std::string::npos);
    ASSERT_NE(vcd.find("$enddefinitions"), std::string::npos);
    sizes[i] = vcd.size() - vcd.find("$enddefinitions");
  }
  EXPECT_LT(sizes[1] * 2, sizes[0]) << "the window is not smaller";
}

TEST(RtlDevice, BadWaveformNamesAreErrors) {
  auto device = Open(Named("tiny"), {.values = {{"wave", "run.png"}}});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kInvalidArgument);
  EXPECT_NE(device.error().message.find(".vcd or .fst"), std::string::npos)
      << device.error().message;
}

TEST(RtlDevice, MemoryModelAndStallsChangeCyclesOnly) {
  isa::Config config = Named("tiny");
  auto tsim = Open(config, {});
  auto stalled = Open(config, {.values = {{"stall-seed", "5"}}});
  config.dram = isa::DramModel::kZynq;
  auto zynq = Open(config, {});
  ASSERT_TRUE(tsim && stalled && zynq);
  const uint64_t fast = Copy(**tsim), slow = Copy(**zynq);
  EXPECT_GT(Copy(**stalled), fast);
  // Three dependent round trips: the code, the LOAD, the STORE's answer, each at least 44 cycles
  // longer.
  EXPECT_GT(slow, fast + 2 * 44 + 29 - 1);
}

TEST(RtlDevice, MissingVerilatorIsAnErrorThatNamesAWayOut) {
  const Folder cache;
  setenv("VERILATOR", "/nowhere/verilator", 1);
  auto device = Open(Unusual(), {.values = {{"cache", cache.path()}}});
  unsetenv("VERILATOR");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kUnsupported);
  EXPECT_NE(device.error().message.find("/nowhere/verilator was not found"), std::string::npos)
      << device.error().message;
  EXPECT_NE(device.error().message.find("install verilator"), std::string::npos)
      << device.error().message;
}

TEST(RtlDevice, CompilerThatFailsIsAnErrorWithALog) {
  const Folder cache;
  setenv("CXX", "false", 1);
  auto device = Open(Unusual(), {.values = {{"cache", cache.path()}}});
  unsetenv("CXX");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kUnsupported);
  EXPECT_NE(device.error().message.find(".log"), std::string::npos) << device.error().message;
  EXPECT_EQ(cache.Count(".log"), 1u);
  EXPECT_EQ(cache.Count(".so"), 0u);
}

TEST(RtlDevice, CacheThatCannotBeMadeIsAnError) {
  auto device = Open(Unusual(), {.values = {{"cache", "/proc/tessera"}}});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kUnavailable);
  EXPECT_NE(device.error().message.find("XDG_CACHE_HOME"), std::string::npos)
      << device.error().message;
}

}  // namespace
}  // namespace tessera
