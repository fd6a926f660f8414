// SPDX-License-Identifier: Apache-2.0
//
// Cycles of layers from a trace: the worked example of an overlap, layers without instructions,
// entries that belong to no layer. Expected values are added up by hand from the rule in
// layer_cycles.h.
#include "runtime/executor/layer_cycles.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(LayerCycles, OverlapGoesToTheEarlierLayer) {
  isa::ProgramImage program;
  program.source = {{0, 2, 0, "a"}, {2, 4, 1, "b"}, {4, 6, 0, "a again"}};
  // Layer 1's first instruction (its weights) retires before layer 0's last.
  const std::vector<TraceEntry> trace = {
      {0, isa::Unit::kLoad, 0, 10}, {2, isa::Unit::kLoad, 0, 30},   {1, isa::Unit::kGemm, 0, 50},
      {3, isa::Unit::kGemm, 0, 90}, {5, isa::Unit::kStore, 0, 100}, {6, isa::Unit::kStore, 0, 999}};
  EXPECT_EQ(LayerCycles(program, trace, 3, 110), (std::vector<uint64_t>{50 + 10 + 10, 40, 0}));
}

TEST(LayerCycles, AddUpToTheTotal) {
  isa::ProgramImage program;
  program.source = {{0, 1, 0, "a"}, {1, 2, 7, "unknown layer"}, {2, 3, 1, "b"}};
  const std::vector<TraceEntry> trace = {
      {0, isa::Unit::kLoad, 0, 5}, {1, isa::Unit::kLoad, 0, 15}, {2, isa::Unit::kGemm, 0, 12}};
  EXPECT_EQ(LayerCycles(program, trace, 2, 20), (std::vector<uint64_t>{5, 15}));
}

TEST(LayerCycles, WithoutSourceRangesNothingIsCharged) {
  EXPECT_EQ(LayerCycles({}, {}, 2, 20), (std::vector<uint64_t>{0, 0}));
}

}  // namespace
}  // namespace tessera
