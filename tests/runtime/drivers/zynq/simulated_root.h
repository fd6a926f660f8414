// SPDX-License-Identifier: Apache-2.0
//
// A folder with the files of /sys and /dev that drivers of boards read; each test makes one and
// removes it at its end. Used by: tests/runtime/drivers/zynq.
#ifndef TESSERA_TESTS_RUNTIME_DRIVERS_ZYNQ_SIMULATED_ROOT_H_
#define TESSERA_TESTS_RUNTIME_DRIVERS_ZYNQ_SIMULATED_ROOT_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/regs.h"

namespace tessera::zynq {

inline constexpr uint64_t kBusAddress = 0x1f000000;
inline constexpr uint64_t kBufferBytes = 1 << 20;

class SimulatedRoot {
 public:
  SimulatedRoot() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tessera-root-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  SimulatedRoot(const SimulatedRoot&) = delete;
  SimulatedRoot& operator=(const SimulatedRoot&) = delete;
  ~SimulatedRoot() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  std::string At(const std::string& file) const { return path_ + "/" + file; }

  void Put(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(At(file)).parent_path());
    std::ofstream(At(file), std::ios::binary) << text;
  }
  std::string Get(const std::string& file) const {
    std::ifstream in(At(file), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  uint32_t Word(const std::string& file, uint64_t offset) const {
    uint32_t word = 0;
    const std::string bytes = Get(file);
    if (offset + 4 <= bytes.size()) std::memcpy(&word, bytes.data() + offset, 4);
    return word;
  }

  // Adds the UIO device |node| called |name|; its registers show an idle machine of |config| that
  // has just ended a program without an error.
  void AddUio(const std::string& node, const std::string& name, const isa::Config& config,
              uint64_t bytes = 65536) const {
    Put("sys/class/uio/" + node + "/name", name + "\n");
    char size[32];
    std::snprintf(size, sizeof size, "0x%08llx\n", static_cast<unsigned long long>(bytes));
    Put("sys/class/uio/" + node + "/maps/map0/size", size);
    std::string registers(bytes, 0);
    const auto set = [&](uint32_t offset, uint32_t value) {
      if (offset + 4 <= registers.size()) std::memcpy(registers.data() + offset, &value, 4);
    };
    set(isa::reg::kId, isa::reg::kIdValue);
    set(isa::reg::kVersion, isa::reg::kVersionValue);
    set(isa::reg::kConfigHashLo, static_cast<uint32_t>(config.Hash()));
    set(isa::reg::kConfigHashHi, static_cast<uint32_t>(config.Hash() >> 32));
    set(isa::reg::kStatus, isa::reg::kStatusDone.Put(1));
    set(isa::reg::kCyclesLo, 1234);
    set(isa::reg::kRetired, 7);
    Put("dev/" + node, registers);
  }

  // Adds the u-dma-buf buffer |name|; writes to its files are appended.
  void AddUdmabuf(const std::string& name, bool coherent = false) const {
    const std::string folder = "sys/class/u-dma-buf/" + name + "/";
    Put(folder + "phys_addr", "0x1f000000\n");
    Put(folder + "size", std::to_string(kBufferBytes) + "\n");
    Put(folder + "dma_coherent", coherent ? "1\n" : "0\n");
    for (const char* file :
         {"sync_offset", "sync_size", "sync_direction", "sync_for_cpu", "sync_for_device"})
      Put(folder + file, "");
    Put("dev/" + name, std::string(kBufferBytes, 0));
  }

 private:
  std::string path_;
};

inline isa::Config Tiny() { return isa::LoadConfig("tiny").value(); }

}  // namespace tessera::zynq

#endif  // TESSERA_TESTS_RUNTIME_DRIVERS_ZYNQ_SIMULATED_ROOT_H_
