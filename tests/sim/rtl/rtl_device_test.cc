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
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "isa/encoding.h"
#include "runtime/device.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

isa::Config Named(std::string_view name) {
  for (const isa::Config& config : isa::NamedConfigs()) {
    if (config.name == name) return config;
  }
  ADD_FAILURE() << name;
  return {};
}

// Not prebuilt: `tiny` with fewer parameter records.
isa::Config Unusual() {
  isa::Config config = Named("tiny");
  config.name = "unusual";
  config.prm_depth = 32;
  return config;
}

// A folder that goes away with the test.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/tessera_rtl_XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }
  size_t Count(std::string_view extension) const {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(path_))
      count += entry.path().extension() == extension;
    return count;
  }

 private:
  std::string path_;
};

// Copies 16 OUT tiles with |device|; the cycles it took, 0 after a failure.
uint64_t Copy(Device& device) {
  const int64_t tile = device.config().out_tile_bytes();
  const isa::Insn program[] = {isa::Load{.push = 8,
                                         .memory = static_cast<int64_t>(isa::Memory::kOut),
                                         .x_bytes = tile,
                                         .x_size = 16,
                                         .y_size = 1,
                                         .x_step = tile,
                                         .z_size = 1},
                               isa::Store{.pop = 1,
                                          .x_bytes = tile,
                                          .dram_base = 4096,
                                          .x_size = 16,
                                          .y_size = 1,
                                          .x_step = tile,
                                          .z_size = 1},
                               isa::Finish{}};
  std::vector<uint8_t> code;
  for (const isa::Insn& insn : program) {
    const isa::InsnWord word = isa::Encode(insn).value();
    const auto* bytes = reinterpret_cast<const uint8_t*>(word.data());
    code.insert(code.end(), bytes, bytes + sizeof(word));
  }
  std::vector<uint8_t> data(static_cast<size_t>(16 * tile)), back(data.size());
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(3 * i + 1);
  EXPECT_TRUE(device.Write(0x10000, code));
  EXPECT_TRUE(device.Write(0x20000, data));
  Launch launch{.insn_addr = 0x10000, .insn_count = 3, .segments = {}, .budget = 100'000};
  launch.segments[0] = {0x20000, 0x2000};
  auto report = device.Run(launch);
  EXPECT_TRUE(report) << report.error().message;
  EXPECT_TRUE(device.Read(0x21000, back));
  EXPECT_EQ(back, data);
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
    return Open(Unusual(), {.waveform = folder.path() + "/" + file,
                            .waveform_begin = begin,
                            .waveform_end = end,
                            .cache_dir = cache.path()});
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
  auto device = Open(Named("tiny"), {.waveform = "run.png"});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kInvalidArgument);
  EXPECT_NE(device.error().message.find(".vcd or .fst"), std::string::npos)
      << device.error().message;
}

TEST(RtlDevice, MemoryModelAndStallsChangeCyclesOnly) {
  isa::Config config = Named("tiny");
  auto tsim = Open(config, {});
  auto stalled = Open(config, {.stall_seed = 5});
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
  auto device = Open(Unusual(), {.cache_dir = cache.path()});
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
  auto device = Open(Unusual(), {.cache_dir = cache.path()});
  unsetenv("CXX");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kUnsupported);
  EXPECT_NE(device.error().message.find(".log"), std::string::npos) << device.error().message;
  EXPECT_EQ(cache.Count(".log"), 1u);
  EXPECT_EQ(cache.Count(".so"), 0u);
}

TEST(RtlDevice, CacheThatCannotBeMadeIsAnError) {
  auto device = Open(Unusual(), {.cache_dir = "/proc/tessera"});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::kUnavailable);
  EXPECT_NE(device.error().message.find("XDG_CACHE_HOME"), std::string::npos)
      << device.error().message;
}

}  // namespace
}  // namespace tessera
