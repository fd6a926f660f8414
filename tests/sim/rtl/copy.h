// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the tests of the verilated device: a program that copies, a folder for the files that
// it writes.
#ifndef TESSERA_TESTS_SIM_RTL_COPY_H_
#define TESSERA_TESTS_SIM_RTL_COPY_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "isa/encoding.h"
#include "runtime/device.h"

namespace tessera {

inline isa::Config Named(std::string_view name) {
  for (const isa::Config& config : isa::NamedConfigs()) {
    if (config.name == name) return config;
  }
  ADD_FAILURE() << name;
  return {};
}

// A folder that is removed with the test.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/tessera_rtl_XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  size_t Count(std::string_view extension) const {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      count += entry.path().extension() == extension;
    return count;
  }

 private:
  std::string path_;
};

// Copies 16 OUT tiles with |device| and compares them.
inline Result<RunReport> CopyTiles(Device& device) {
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
  TESSERA_ASSIGN(const RunReport report, device.Run(launch));
  EXPECT_TRUE(device.Read(0x21000, back));
  EXPECT_EQ(back, data);
  return report;
}

}  // namespace tessera

#endif  // TESSERA_TESTS_SIM_RTL_COPY_H_
