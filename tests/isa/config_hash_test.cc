// SPDX-License-Identifier: Apache-2.0
//
// What is tested: what a configuration's hash depends on. Space: the named configurations, each
// figure of the machine by itself, and the two kinds of passes together.
#include <gtest/gtest.h>

#include <set>

#include "isa/config.h"

namespace tessera::isa::config_hash_test {
namespace {

TEST(Config, HashFollowsTheMachineAndNotTheBoard) {
  const auto hash = [](const char* name) { return LoadConfig(name)->Hash(); };
  Config board;
  board.name = "board";
  board.dram = DramModel::kZynq;
  board.clock_mhz = 142;
  board.cpu = *FindCpu("cortex-a53");
  EXPECT_EQ(hash("default"), board.Hash());
  std::set<uint64_t> different = {hash("default"), hash("pynq"),   hash("ultra96"),
                                  hash("tiny"),    hash("batch4"), hash("wide")};
  EXPECT_EQ(different.size(), 6u);
  int64_t Config::*const kMachine[] = {
      &Config::batch,         &Config::block_in,    &Config::block_out,   &Config::uop_bytes,
      &Config::inp_bytes,     &Config::wgt_bytes,   &Config::acc_bytes,   &Config::out_bytes,
      &Config::prm_depth,     &Config::bus_bits,    &Config::queue_depth, &Config::token_depth,
      &Config::vector_passes, &Config::array_passes};
  for (const auto field : kMachine) {
    Config c;
    c.*field *= 2;
    EXPECT_NE(c.Hash(), Config().Hash());
  }
  std::set<uint64_t> passes;
  for (const int64_t vector : {1, 2}) {
    for (const int64_t array : {1, 2}) {
      for (const int64_t depthwise : {0, 1}) {
        Config c;
        c.vector_passes = vector, c.array_passes = array, c.depthwise = depthwise;
        passes.insert(c.Hash());
      }
    }
  }
  EXPECT_EQ(passes.size(), 8u);
}

}  // namespace
}  // namespace tessera::isa::config_hash_test
