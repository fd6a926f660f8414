// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every intrinsic of the accelerator has the cycles that the text of isa/units.def
// says for its instruction, copies those of their beats; memories have a tile a cycle, device
// memory a beat; the host says what its generator asks. Space: two machines. Not tested here: that
// the machine takes so long (tests of hw/rtl), estimates made of it (tests/compiler/accel).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "compiler/target/accelerator.h"
#include "compiler/target/target.h"

namespace tessera::target {
namespace {

// Instruction -> cycles of a step, as the table is written.
std::map<std::string, int64_t> StepsOfTheTable() {
  std::ifstream in("isa/units.def");  // tests run at the root of the source
  EXPECT_TRUE(in.good());
  const std::regex line(R"(^STEP_COST\((\w+), (\d+),)");
  std::map<std::string, int64_t> steps;
  std::smatch found;
  for (std::string text; std::getline(in, text);) {
    if (std::regex_search(text, found, line)) steps[found[1]] = std::stoll(found[2]);
  }
  return steps;
}

isa::Config Narrow() {
  isa::Config config;
  config.bus_bits = 64;
  config.dram = isa::DramModel::kZynq;
  return config;
}

TEST(Costs, IntrinsicsCostWhatTheirInstructionsDo) {
  const std::map<std::string, int64_t> steps = StepsOfTheTable();
  ASSERT_EQ(steps.size(), 5u);
  for (const isa::Config& config : {isa::Config(), Narrow()}) {
    const auto target = Accelerator(config);
    const int64_t bus = config.bus_bits / 8;
    const int64_t tile = config.batch * config.block_out;
    const auto beats = [&](int64_t bytes) { return (bytes + bus - 1) / bus; };
    const std::map<std::string, int64_t> copies{
        {"tile.load_inp", beats(tile)},
        {"tile.load_out", beats(tile)},
        {"tile.store", beats(tile)},
        {"tile.fill_inp", 1},
        {"tile.load_wgt", beats(int64_t{config.block_out} * config.block_in)},
        {"tile.load_prm", beats(int64_t{3} * 4 * config.block_out)}};
    size_t seen = 0;
    for (const TensorIntrin& intrin : target->intrinsics) {
      SCOPED_TRACE(intrin.name);
      const auto starts = [&](const char* prefix) { return intrin.name.starts_with(prefix); };
      if (const auto copy = copies.find(intrin.name); copy != copies.end()) {
        EXPECT_EQ(intrin.cycles, copy->second);
      } else if (starts("tile.gemm")) {
        EXPECT_EQ(intrin.cycles, steps.at("Gemm"));
      } else if (starts("tile.window")) {
        EXPECT_EQ(intrin.cycles % steps.at("Depthwise"), 0);
        EXPECT_GE(intrin.cycles, steps.at("Depthwise"));
      } else if (starts("tile.add")) {
        EXPECT_EQ(intrin.cycles, steps.at("Add"));
      } else if (starts("tile.alu") || starts("tile.reduce")) {
        // Two reads of ACC: by another accumulator, not by int8 nor by a number.
        const bool both = starts("tile.alu") && intrin.name.find('.', 6) == std::string::npos;
        EXPECT_EQ(intrin.cycles, steps.at("Alu") * (both ? 2 : 1));
      } else {
        EXPECT_TRUE(starts("tile.requant") || starts("tile.narrow") || starts("tile.widen") ||
                    starts("tile.copy"));
        EXPECT_EQ(intrin.cycles, steps.at("Requant"));
      }
      ++seen;
    }
    EXPECT_GE(seen, 30u);
  }
}

TEST(Costs, MemoriesMoveATileOrABeatACycle) {
  const isa::Config config = Narrow();
  const auto target = Accelerator(config);
  const auto rate = [&](ir::Scope scope) { return target->FindMemory(scope)->bytes_a_cycle; };
  EXPECT_EQ(rate(ir::Scope::kGlobal), 8);
  EXPECT_EQ(rate(ir::Scope::kInp), static_cast<double>(config.batch * config.block_in));
  EXPECT_EQ(rate(ir::Scope::kWgt), static_cast<double>(config.block_out * config.block_in));
  EXPECT_EQ(rate(ir::Scope::kAcc), static_cast<double>(4 * config.batch * config.block_out));
  EXPECT_EQ(rate(ir::Scope::kOut), static_cast<double>(config.batch * config.block_out));
  EXPECT_EQ(target->FindMemory(ir::Scope::kGlobal)->shared, 0.85);
  EXPECT_EQ(DeviceMemory(isa::Config()).shared, 0);
  EXPECT_LT(DeviceMemory(isa::Config()).start_cycles, DeviceMemory(config).start_cycles);
}

TEST(Costs, TheHostSaysWhatItsGeneratorAsks) {
  EXPECT_EQ(Host()->vector_registers, 32);
  EXPECT_EQ(Host()->least_shared_work, int64_t{1} << 17);
  EXPECT_EQ(Host()->line_bytes, 64);
  EXPECT_EQ(Gpu()->line_bytes, 0);
}

}  // namespace
}  // namespace tessera::target
