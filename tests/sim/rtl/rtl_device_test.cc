// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the verilated device beyond tests/cts: a configuration that is not prebuilt is
// verilated on first use and kept, also when two processes want it at once; waveforms of a window
// of cycles; memory models and stalls change cycles and not results; the messages when a tool is
// missing. Space: a machine smaller than `tiny`. Not tested here: programs (tests/cts,
// tests/cosim).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "runtime/device/registry.h"
#include "sim/rtl/sources.h"
#include "tests/sim/rtl/copy.h"

namespace tessera::rtl_device_test {
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

// One test checks both, so that one machine is verilated: a machine with waveforms is never
// prebuilt.
TEST(RtlDevice, VerilatesOnFirstUseOnceForTwoProcessesAndWritesWaveforms) {
  const Folder cache, folder;
  const auto open = [&](const std::string& file, uint64_t begin, uint64_t end) {
    return Open(Unusual(), {.values = {{"wave", folder.path() + "/" + file},
                                       {"wave-begin", std::to_string(begin)},
                                       {"wave-end", std::to_string(end)},
                                       {"cache", cache.path()}}});
  };
  // Two processes at the same time, then this one: they make one machine.
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
  // Only the machine, its checksum and the lock stay.
  const auto expect_tidy = [&] {
    for (const auto& entry : fs::directory_iterator(cache.path())) {
      const std::string ending = entry.path().extension();
      EXPECT_TRUE(ending == ".so" || ending == ".sum" || ending == ".lock") << entry.path();
    }
  };
  expect_tidy();

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

  // A truncated machine is made again, and then the files of a process that has ended are removed.
  // This process has the old file open: a shorter one takes its place.
  for (const auto& entry : fs::directory_iterator(cache.path())) {
    if (entry.path().extension() != ".so") continue;
    const std::vector<uint8_t> part = FirstBytes(entry.path(), 5000);
    ASSERT_EQ(part.size(), 5000u);
    ASSERT_TRUE(WriteFile(entry.path(), part));
  }
  const std::string litter = cache.path() + "/rtl_0.work.2147483646";  // no process has this number
  fs::create_directories(litter + "/obj");
  ASSERT_TRUE(WriteFile(litter + ".sv", std::string_view("package")));
  ::testing::internal::CaptureStderr();
  auto device = open("run.vcd", 0, 5);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(".so: is damaged; it is made again\n"),
            std::string::npos);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_GT(Copy(**device), 0u);
  expect_tidy();
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
  // Three dependent round trips, for the code, the LOAD and the STORE's answer, are longer by 44,
  // 44 and 29 cycles.
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

// Ctrl-C while tools run ends the tools, removes their files, and then ends this process.
TEST(RtlDevice, AnInterruptedBuildLeavesNothing) {
  const Folder cache, folder;
  const std::string tool = folder.path() + "/verilator";
  ASSERT_TRUE(WriteFile(tool, std::string_view("#!/bin/sh\n[ \"$1\" = --version ] && echo v && "
                                               "exit\nkill -INT $$\nsleep 5\n")));
  fs::permissions(tool, fs::perms::owner_all);
  const pid_t child = fork();
  if (child == 0) {
    setenv("VERILATOR", tool.c_str(), 1);
    (void)Open(Unusual(), {.values = {{"cache", cache.path()}}});
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  for (const auto& entry : fs::directory_iterator(cache.path()))
    EXPECT_EQ(entry.path().extension(), ".lock") << entry.path();
}

// A prebuilt machine fits only unchanged sources: each source is compared.
TEST(RtlSources, TheFirstThatChangedIsNamed) {
  const Folder folder;
  const std::string a = folder.path() + "/a.sv", b = folder.path() + "/b.sv",
                    dependencies = folder.path() + "/machine.d",
                    list = folder.path() + "/machine.so.sources";
  for (const std::string& file : {a, b}) ASSERT_TRUE(WriteFile(file, std::string_view(file)));
  ASSERT_TRUE(WriteFile(dependencies, std::string_view("machine.so:" + a + " " + b + " \n")));
  const auto text = sim::ListSources(dependencies);
  ASSERT_TRUE(text) << text.error().message;
  ASSERT_TRUE(WriteFile(list, std::string_view(*text)));
  EXPECT_EQ(sim::ChangedSource(list), "");
  ASSERT_TRUE(WriteFile(b, std::string_view("other")));
  EXPECT_EQ(sim::ChangedSource(list), b);
  fs::remove(a);
  EXPECT_EQ(sim::ChangedSource(list), a);
  EXPECT_EQ(sim::ChangedSource(list + ".none"), "");
  EXPECT_EQ(sim::ListSources(dependencies).error().code, Code::kNotFound);
}

TEST(RtlDevice, CacheThatCannotBeMadeIsAnError) {
  auto device = Open(Unusual(), {.values = {{"cache", "/proc/tessera"}}});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kUnavailable);
  EXPECT_NE(device.error().message.find("XDG_CACHE_HOME"), std::string::npos)
      << device.error().message;
}

}  // namespace
}  // namespace tessera::rtl_device_test
