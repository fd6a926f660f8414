// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the count of what programs exercise has one count for each instruction and each
// class of its fields, and lists what the tables allow and no program has. Space: programs of known
// instructions; 300 random ones. Not tested here: how the verb adds counts up (tests/tools).
#include "sim/rig/coverage.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "sim/rig/program.h"
#include "tests/rig/rig_helpers.h"

namespace tessera::rig::coverage_test {
namespace {

const InsnCoverage& Of(const std::vector<InsnCoverage>& all, const std::string& name) {
  return *std::ranges::find(all, name, &InsnCoverage::insn);
}

TEST(Coverage, OfOneInstruction) {
  const isa::Config config = Named("tiny");
  isa::ProgramImage image = MakeProgram({config, isa::Profile::kTessera, 1, 1});
  std::vector<isa::Fetched> program(2);
  program[0].insn = isa::Insn(isa::Load{.memory = static_cast<int64_t>(isa::Memory::kInp),
                                        .x_bytes = 4,
                                        .x_size = 1,
                                        .y_size = 5,
                                        .x_pad_1 = 2});
  program[0].unit = isa::Unit::kLoad;
  program[1].insn = isa::Insn(isa::Finish{});
  image = WithProgram(image, program, config);
  CellCounts counts;
  CountCells(image, config, counts);
  CountCells(image, config, counts);
  const auto all = SumCoverage(counts, config, {isa::Profile::kTessera});
  const InsnCoverage& load = Of(all, "load");
  EXPECT_EQ(load.run, 2u);
  EXPECT_EQ(Of(all, "finish").run, 2u);
  EXPECT_EQ(Of(all, "gemm").run, 0u);
  EXPECT_EQ(load.reached + load.missing.size(), load.cells);
  const auto missing = [&](const std::string& cell) {
    return std::ranges::count(load.missing, cell) > 0;
  };
  EXPECT_TRUE(missing("memory=inp x_size=0"));
  EXPECT_FALSE(missing("memory=inp x_size=1"));
  EXPECT_FALSE(missing("memory=inp y_size>1"));
  EXPECT_FALSE(missing("memory=inp x_pad_1>1"));
  EXPECT_TRUE(missing("memory=inp pad_value<0"));
  EXPECT_TRUE(missing("memory=wgt x_size=1"));
  EXPECT_FALSE(missing("memory=prm x_pad_0=1")) << "no program may have it";
}

TEST(Coverage, OfRandomPrograms) {
  const isa::Config config = Named("tiny");
  CellCounts counts;
  uint64_t instructions = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const isa::Profile profile = seed % 4 == 0 ? isa::Profile::kVta : isa::Profile::kTessera;
    const isa::ProgramImage image = MakeProgram({config, profile, seed, 40});
    instructions += static_cast<uint64_t>(image.insn_count());
    CountCells(image, config, counts);
  }
  uint64_t run = 0;
  for (const InsnCoverage& c :
       SumCoverage(counts, config, {isa::Profile::kTessera, isa::Profile::kVta})) {
    SCOPED_TRACE(c.insn);
    run += c.run;
    EXPECT_GT(c.run, 0u);
    EXPECT_EQ(c.reached + c.missing.size(), c.cells);
    EXPECT_GE(10 * c.reached, 7 * c.cells);
  }
  EXPECT_EQ(run, instructions);
}

}  // namespace
}  // namespace tessera::rig::coverage_test
