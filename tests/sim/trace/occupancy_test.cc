// SPDX-License-Identifier: Apache-2.0
//
// What is tested: from which instruction to which a tile counts as in use. Expected values by hand,
// from small programs. Space: reads, rewriting, accumulation, tiles that no instruction reads, a
// refused program. Not tested here: the occupancy of compiled networks (tests/tools/trace_test.cc).
#include "sim/trace/occupancy.h"

#include <gtest/gtest.h>

#include "isa/asm/asm.h"

namespace tessera::sim::occupancy_test {
namespace {

using isa::Memory;

class OccupancyTest : public ::testing::Test {
 protected:
  // LOADs and STOREs of OUT tiles of `tiny` (4 bytes); |code| without FINISH.
  Result<Occupancy> Find(const std::string& code) {
    const isa::Config config = isa::LoadConfig("tiny").value();
    const auto image = isa::Assemble(
        fmt::format(".profile tessera\n.config tiny\n.segment constants 64\n.zero 64\n"
                    ".segment output 64\n.code\n{}finish\n",
                    code));
    EXPECT_TRUE(image) << image.error().message;
    return image ? FindOccupancy(*image, config) : std::unexpected(image.error());
  }
  static std::string Load(int first, int tiles, const std::string& tokens = "") {
    return fmt::format(
        "load memory=out segment=constants sram_base={} x_bytes=4 x_size={} y_size=1 x_step=4 "
        "z_size=1 {}\n",
        first, tiles, tokens);
  }
  static std::string Store(int first, int tiles, const std::string& tokens = "") {
    return fmt::format(
        "store segment=output sram_base={} x_bytes=4 x_size={} y_size=1 x_step=4 z_size=1 {}\n",
        first, tiles, tokens);
  }
  // For each instruction, how many tiles of OUT it takes and how many it frees.
  static std::vector<std::pair<int, int>> Out(const Result<Occupancy>& found) {
    std::vector<std::pair<int, int>> out;
    for (size_t n = 0; found && n < found->taken.size(); ++n) {
      out.emplace_back(found->taken[n][static_cast<size_t>(Memory::kOut)],
                       found->retired[n][static_cast<size_t>(Memory::kOut)]);
    }
    return out;
  }
  using Pairs = std::vector<std::pair<int, int>>;
};

TEST_F(OccupancyTest, FromItsWriterToItsLastReader) {
  const auto found = Find(Load(0, 3, "push=store") + Store(0, 3, "pop=load") + Store(1, 1));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(Out(found), (Pairs{{3, 0}, {0, 2}, {0, 1}, {0, 0}}));
}

TEST_F(OccupancyTest, WhatNobodyReadsIsNotInUse) {
  const auto found = Find(Load(0, 3, "push=store") + Store(0, 2, "pop=load"));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(Out(found), (Pairs{{2, 0}, {0, 2}, {0, 0}}));
}

TEST_F(OccupancyTest, AWriteBeginsAnew) {
  const auto found = Find(Load(0, 2, "push=store") + Store(0, 2, "pop=load push=load") +
                          Load(1, 1, "pop=store push=store") + Store(0, 2, "pop=load"));
  ASSERT_TRUE(found) << found.error().message;
  // Both STOREs read tile 0; tile 1 is written again between them.
  EXPECT_EQ(Out(found), (Pairs{{2, 0}, {0, 1}, {1, 0}, {0, 2}, {0, 0}}));
}

TEST_F(OccupancyTest, ARefusedProgramHasNone) {
  const auto found = Find(Store(0, 1, "pop=load"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::kInvalidArgument);
  EXPECT_NE(found.error().message.find("deadlock"), std::string::npos) << found.error().message;
}

// An instruction that reads what it changes keeps the tile in use.
TEST_F(OccupancyTest, AnAccumulationGoesOn) {
  const isa::Config config = isa::LoadConfig("tiny").value();
  const auto image = isa::Assemble(
      ".profile tessera\n.config tiny\n.segment constants 64\n.zero 64\n.code\n"
      "load memory=acc segment=constants x_bytes=16 x_size=1 y_size=1 x_step=16 z_size=1 "
      "push=vector\n"
      "alu alu_op=add src_mem=imm imm=1 iter_out=1 iter_in=1 red_out=1 red_in=1 pop=load\n"
      "alu alu_op=add src_mem=imm imm=1 iter_out=1 iter_in=1 red_out=1 red_in=1\nfinish\n");
  ASSERT_TRUE(image) << image.error().message;
  const auto found = FindOccupancy(*image, config);
  ASSERT_TRUE(found) << found.error().message;
  constexpr auto kAcc = static_cast<size_t>(Memory::kAcc);
  EXPECT_EQ(found->taken[0][kAcc], 1);
  EXPECT_EQ(found->retired[1][kAcc], 0);
  EXPECT_EQ(found->taken[1][kAcc], 0);
  EXPECT_EQ(found->retired[2][kAcc], 1);
}

}  // namespace
}  // namespace tessera::sim::occupancy_test
