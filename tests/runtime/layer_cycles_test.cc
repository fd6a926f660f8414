// SPDX-License-Identifier: Apache-2.0
//
// Cycles of layers from a trace: the worked example of an overlap, layers without instructions,
// entries that belong to no layer. Expected values are computed by hand from the rule in
// layer_cycles.h.
#include "runtime/executor/layer_cycles.h"

#include <gtest/gtest.h>

namespace tessera::layer_cycles_test {
namespace {

TEST(LayerCycles, APieceIsChargedWhereItEnds) {
  isa::ProgramImage program;
  program.source = {{0, 2, 0, "a"}, {2, 4, 1, "b"}, {4, 6, 0, "a again"}};
  // Layer 1's first instruction (its weights) retires before layer 0's last.
  const std::vector<TraceEntry> trace = {
      {0, isa::Unit::kLoad, 0, 10}, {2, isa::Unit::kLoad, 0, 30},   {1, isa::Unit::kGemm, 0, 50},
      {3, isa::Unit::kGemm, 0, 90}, {5, isa::Unit::kStore, 0, 100}, {6, isa::Unit::kStore, 0, 999}};
  // Cut at 50, 90 and 100; the cycles after that count for the last layer.
  EXPECT_EQ(LayerCycles(program, trace, 3, 110), (std::vector<uint64_t>{50 + 10 + 10, 40, 0}));
  const std::vector<LayerSpan> spans = LayerSpans(program, trace, 3, 110);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[2].layer, 0u);
  EXPECT_EQ(spans[2].begin, 90u);
  EXPECT_EQ(spans[2].end, 110u);
}

TEST(LayerCycles, AddUpToTheTotal) {
  isa::ProgramImage program;
  program.source = {{0, 1, 0, "a"}, {1, 2, 7, "unknown layer"}, {2, 3, 1, "b"}};
  const std::vector<TraceEntry> trace = {
      {0, isa::Unit::kLoad, 0, 5}, {1, isa::Unit::kLoad, 0, 15}, {2, isa::Unit::kGemm, 0, 12}};
  EXPECT_EQ(LayerCycles(program, trace, 2, 20), (std::vector<uint64_t>{0, 20}));
}

// Two layers take turns: GEMM's busy cycles count for the layer that GEMM works on, though an
// instruction of the other layer retires among them (at 30); the other layer's drain counts for
// that layer.
TEST(LayerCycles, LayersThatTakeTurnsShareByTheWorkOfGemm) {
  isa::ProgramImage program;
  program.source = {{0, 1, 0, "a"}, {1, 2, 1, "b"}, {2, 3, 0, "a"},
                    {3, 4, 1, "b"}, {4, 5, 0, "a"}, {5, 6, 1, "b"}};
  const auto at = [](uint32_t insn, isa::Unit unit, uint64_t cycle, uint64_t gemm_busy) {
    TraceEntry entry{insn, unit, 0, cycle, {}};
    entry.units[static_cast<size_t>(isa::Unit::kGemm)].busy = gemm_busy;
    return entry;
  };
  const std::vector<TraceEntry> trace = {
      at(0, isa::Unit::kGemm, 10, 8),  at(1, isa::Unit::kVector, 14, 8),
      at(2, isa::Unit::kGemm, 24, 18), at(3, isa::Unit::kVector, 30, 24),
      at(4, isa::Unit::kGemm, 34, 28), at(5, isa::Unit::kStore, 40, 28)};
  EXPECT_EQ(LayerCycles(program, trace, 2, 45), (std::vector<uint64_t>{10 + 10 + 10, 4 + 6 + 5}));
  EXPECT_EQ(LayerSpans(program, trace, 2, 45).size(), 4u);
}

TEST(LayerCycles, AProgramThatOnlyLoadsIsItsLastLayers) {
  isa::ProgramImage program;
  program.source = {{0, 1, 0, "a"}, {1, 2, 1, "b"}};
  const std::vector<TraceEntry> trace = {{0, isa::Unit::kLoad, 0, 5}, {1, isa::Unit::kLoad, 0, 9}};
  EXPECT_EQ(LayerCycles(program, trace, 2, 12), (std::vector<uint64_t>{0, 12}));
}

// Layer 0 in instructions 0 and 1, layer 1 in 2; counters of LOAD and GEMM at each retirement,
// written down by hand.
TEST(LayerUnits, AreTheCountersOfTheSameCycles) {
  isa::ProgramImage program;
  program.source = {{0, 2, 0, "a"}, {2, 3, 1, "b"}};
  const auto at = [](uint32_t insn, uint64_t cycle, UnitCounters load, UnitCounters gemm) {
    TraceEntry entry{insn, insn == 0 ? isa::Unit::kLoad : isa::Unit::kGemm, 0, cycle, {}};
    entry.units[0] = load;
    entry.units[1] = gemm;
    return entry;
  };
  const std::vector<TraceEntry> trace = {at(0, 10, {6, 1, 2, 0, 1}, {0, 9, 0, 0, 1}),
                                         at(1, 30, {10, 5, 5, 0, 10}, {15, 10, 0, 3, 2}),
                                         at(2, 50, {12, 8, 10, 0, 20}, {30, 12, 0, 5, 3})};
  RunReport report;
  report.cycles = 60;
  report.units[0] = {14, 8, 12, 0, 26};
  report.units[1] = {31, 13, 0, 5, 11};
  const auto units = LayerUnits(program, trace, 2, report);
  const auto same = [](const UnitCounters& c, const UnitCounters& d) {
    return c.busy == d.busy && c.token_wait == d.token_wait && c.memory_wait == d.memory_wait &&
           c.hazard == d.hazard && c.idle == d.idle;
  };
  EXPECT_TRUE(same(units[0][0], {10, 5, 5, 0, 10}));
  EXPECT_TRUE(same(units[0][1], {15, 10, 0, 3, 2}));
  EXPECT_TRUE(same(units[1][0], {4, 3, 7, 0, 16}));
  EXPECT_TRUE(same(units[1][1], {16, 3, 0, 2, 9}));
  EXPECT_EQ(LayerCycles(program, trace, 2, 60), (std::vector<uint64_t>{30, 30}));
}

TEST(LayerCycles, WithoutSourceRangesNothingIsCharged) {
  EXPECT_EQ(LayerCycles({}, {}, 2, 20), (std::vector<uint64_t>{0, 0}));
}

}  // namespace
}  // namespace tessera::layer_cycles_test
