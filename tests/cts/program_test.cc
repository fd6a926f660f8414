// SPDX-License-Identifier: Apache-2.0
//
// What is tested: runs that end well: stores are visible after Wait, on-chip state and Reset,
// counters, traces, leftover tokens, two devices at once. Space: small programs of profile tessera
// and vta. Not tested here: what instructions compute (tests/isa, tests/vta, tests/cosim).
#include "isa/image.h"
#include "tests/cts/cts.h"

namespace tessera::cts {
namespace {

using isa::Unit;

TEST_P(ProgramTest, StoresAreVisibleAfterWait) { ExpectUsable(); }

TEST_P(ProgramTest, RunsAgainAndAgain) {
  for (int i = 0; i < 5; ++i) ExpectUsable();
}

TEST_P(ProgramTest, OnlyFinish) {
  auto report = Run({Word(isa::Finish{})});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->instructions, 1u);
  EXPECT_FALSE(report->leftover_tokens);
}

TEST_P(ProgramTest, ReportsWhatItDid) {
  auto report = Run(CopyProgram(8, 0, 0x1000));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->instructions, 3u);
  const uint64_t data = static_cast<uint64_t>(8 * config_.out_tile_bytes());
  if (report->bytes_read != 0 || report->bytes_written != 0) {  // a device may not count these
    EXPECT_GE(report->bytes_read, data + 3 * isa::kInsnBytes);
    EXPECT_EQ(report->bytes_written, data);
  }
  if (!device_->has_clock()) {
    EXPECT_EQ(report->cycles, 0u);
    return;
  }
  EXPECT_GT(report->cycles, 16u);
  for (const UnitCounters& unit : report->units) {
    EXPECT_EQ(unit.busy + unit.token_wait + unit.memory_wait + unit.hazard + unit.idle,
              report->cycles);
  }
  EXPECT_GT(report->units[static_cast<int>(Unit::kStore)].token_wait, 0u);
  EXPECT_EQ(report->units[static_cast<int>(Unit::kGemm)].busy, 0u);
}

TEST_P(ProgramTest, TheSameRunTakesTheSameCycles) {
  auto first = Run(CopyProgram(8, 0, 0x1000));
  auto second = Run(CopyProgram(8, 0, 0x1000));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->cycles, second->cycles);
}

TEST_P(ProgramTest, LeftoverTokensAreReportedAndGone) {
  auto report =
      Run({Word(isa::Sync{.push = Mask(Unit::kGemm), .unit = static_cast<int64_t>(Unit::kLoad)}),
           Word(isa::Finish{})});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->leftover_tokens);
  // The next run starts without the leftover tokens: its pop finds none.
  auto next =
      Run({Word(isa::Sync{.pop = Mask(Unit::kLoad), .unit = static_cast<int64_t>(Unit::kGemm)}),
           Word(isa::Finish{})});
  ExpectError(next, Code::kDeadlock, {"gemm"});
}

TEST_P(ProgramTest, TokensOfEveryPairOrderUnits) {
  // For each ordered pair of units: |from| pushes, |to| pops; every unit also waits for every
  // other.
  std::vector<isa::InsnWord> words;
  for (int from = 0; from < isa::kUnits; ++from) {
    for (int to = 0; to < isa::kUnits; ++to) {
      if (from == to) continue;
      words.push_back(Word(isa::Sync{.pop = 1 << from, .unit = to}));
      words.push_back(Word(isa::Sync{.push = 1 << to, .unit = from}));
    }
  }
  words.push_back(Word(isa::Finish{}));
  auto report = Run(words);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->leftover_tokens);
  EXPECT_EQ(report->instructions, words.size());
}

TEST_P(ProgramTest, ResetZeroesScratchpads) {
  const size_t bytes = static_cast<size_t>(8 * config_.out_tile_bytes());
  ASSERT_TRUE(device_->Write(kData, Pattern(bytes, 9)));
  ASSERT_TRUE(Run(CopyProgram(8, 0, 0x1000)));
  ASSERT_TRUE(device_->Reset());
  const int64_t tile = config_.out_tile_bytes();
  auto report = Run({Word(isa::Store{.x_bytes = tile,
                                     .dram_base = 0x1000,
                                     .x_size = 8,
                                     .y_size = 1,
                                     .x_step = tile,
                                     .z_size = 1}),
                     Word(isa::Finish{})});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(ReadBack(*device_, kData + 0x1000, bytes), std::vector<uint8_t>(bytes, 0));
}

TEST_P(ProgramTest, ScratchpadsKeepTheirContentsBetweenRuns) {
  const size_t bytes = static_cast<size_t>(8 * config_.out_tile_bytes());
  ASSERT_TRUE(device_->Write(kData, Pattern(bytes, 11)));
  ASSERT_TRUE(Run(CopyProgram(8, 0, 0x1000)));
  const int64_t tile = config_.out_tile_bytes();
  ASSERT_TRUE(Run({Word(isa::Store{.x_bytes = tile,
                                   .dram_base = 0x2000,
                                   .x_size = 8,
                                   .y_size = 1,
                                   .x_step = tile,
                                   .z_size = 1}),
                   Word(isa::Finish{})}));
  EXPECT_EQ(ReadBack(*device_, kData + 0x2000, bytes), Pattern(bytes, 11));
}

// All 256 values, and results in every second tile of memory: a view whose gaps stay as they were.
TEST_P(ProgramTest, LooksResultsUpInATableAndStoresAView) {
  const int64_t bytes = config_.out_tile_bytes(), tiles = 256 / bytes;
  const std::vector<uint8_t> values = Pattern(256, 5), table = Pattern(256, 91);
  const std::vector<uint8_t> before = Pattern(512, 17);
  ASSERT_TRUE(device_->Write(kData, values));
  ASSERT_TRUE(device_->Write(kData + 0x1000, table));
  ASSERT_TRUE(device_->Write(kData + 0x2000, before));
  const auto out = static_cast<int64_t>(isa::VectorMemory::kOut);
  auto report = Run({Word(isa::Load{.memory = static_cast<int64_t>(isa::Memory::kOut),
                                    .x_bytes = bytes,
                                    .x_size = tiles,
                                    .y_size = 1,
                                    .x_step = bytes,
                                    .z_size = 1}),
                     Word(isa::Load{.push = Mask(Unit::kVector),
                                    .memory = static_cast<int64_t>(isa::Memory::kTab),
                                    .x_bytes = 4,
                                    .dram_base = 0x1000,
                                    .x_size = 64,
                                    .y_size = 1,
                                    .x_step = 4,
                                    .z_size = 1}),
                     Word(isa::Requant{.pop = Mask(Unit::kLoad),
                                       .push = Mask(Unit::kStore),
                                       .src_mem = out,
                                       .dst_mem = out,
                                       .per_tensor = 1,
                                       .lo = -128,
                                       .hi = 127,
                                       .table = 1,
                                       .dst_base = tiles,
                                       .iter_out = 1,
                                       .iter_in = tiles,
                                       .dst_in = 1,
                                       .src_in = 1,
                                       .multiplier = 1 << 30,
                                       .shift = 1}),
                     Word(isa::Store{.pop = Mask(Unit::kVector),
                                     .x_bytes = bytes,
                                     .sram_base = tiles,
                                     .dram_base = 0x2000,
                                     .x_size = tiles,
                                     .y_size = 1,
                                     .x_step = 2 * bytes,
                                     .z_size = 1}),
                     Word(isa::Finish{})});
  ASSERT_TRUE(report) << report.error().message;
  std::vector<uint8_t> want = before;
  const auto tile = static_cast<size_t>(bytes);
  for (size_t i = 0; i < values.size(); ++i)
    want[i / tile * 2 * tile + i % tile] = table[static_cast<size_t>(values[i] ^ 128)];
  EXPECT_EQ(ReadBack(*device_, kData + 0x2000, want.size()), want);
}

TEST_P(ProgramTest, SegmentsMoveAProgramsData) {
  const size_t bytes = static_cast<size_t>(8 * config_.out_tile_bytes());
  Launch launch = Prepare(*device_, CopyProgram(8, 0, 0x1000));
  for (SegmentBinding& segment : launch.segments) segment = {0x80000, 0x2000};
  ASSERT_TRUE(device_->Write(0x80000, Pattern(bytes, 5)));
  auto report = device_->Run(launch);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(ReadBack(*device_, 0x81000, bytes), Pattern(bytes, 5));
}

TEST_P(ProgramTest, TwoDevicesAtOnceDoNotMeet) {
  std::unique_ptr<Device> other = Open();
  ASSERT_NE(other, nullptr);
  const size_t bytes = static_cast<size_t>(8 * config_.out_tile_bytes());
  ASSERT_TRUE(device_->Write(kData, Pattern(bytes, 1)));
  ASSERT_TRUE(other->Write(kData, Pattern(bytes, 2)));
  ASSERT_TRUE(device_->Submit(Prepare(*device_, CopyProgram(8, 0, 0x1000))));
  ASSERT_TRUE(other->Submit(Prepare(*other, CopyProgram(8, 0, 0x1000))));
  ASSERT_TRUE(device_->Wait());
  ASSERT_TRUE(other->Wait());
  EXPECT_EQ(ReadBack(*device_, kData + 0x1000, bytes), Pattern(bytes, 1));
  EXPECT_EQ(ReadBack(*other, kData + 0x1000, bytes), Pattern(bytes, 2));
}

TEST_P(ProgramTest, TraceHasOneEntryAnInstructionAndIsTheSameAfterReset) {
  std::vector<TraceEntry> first, second;
  for (std::vector<TraceEntry>* trace : {&first, &second}) {
    ASSERT_TRUE(device_->Reset());
    ASSERT_TRUE(device_->Write(kData, Pattern(0x1000, 77)));
    ASSERT_TRUE(device_->Write(kData + 0x2000, std::vector<uint8_t>(0x1000)));
    if (Status status = device_->SetTrace(trace); !status) {
      EXPECT_EQ(status.error().code, Code::kUnsupported) << status.error().message;
      EXPECT_TRUE(device_->SetTrace(nullptr));
      return;  // the device refuses; tests/cosim needs one with traces
    }
    ASSERT_TRUE(Run(CopyProgram(8, 0, 0x2000)));
    ASSERT_TRUE(device_->SetTrace(nullptr));
  }
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].insn, 0u);
  EXPECT_EQ(first[0].unit, Unit::kLoad);
  EXPECT_EQ(first[1].insn, 1u);
  EXPECT_EQ(first[1].unit, Unit::kStore);
  EXPECT_NE(first[0].digest, 0u);
  EXPECT_NE(first[1].digest, 0u);
  EXPECT_EQ(first, second);
  // Other data give another digest.
  std::vector<TraceEntry> third;
  ASSERT_TRUE(device_->Reset());
  ASSERT_TRUE(device_->Write(kData, Pattern(0x1000, 78)));
  ASSERT_TRUE(device_->SetTrace(&third));
  ASSERT_TRUE(Run(CopyProgram(8, 0, 0x2000)));
  ASSERT_EQ(third.size(), 2u);
  EXPECT_NE(third[0].digest, first[0].digest);
}

TEST_P(ProgramTest, RefusesAnImageOfAnotherConfiguration) {
  isa::ProgramImage image;
  image.config_hash = config_.Hash();
  image.config_name = config_.name;
  EXPECT_TRUE(isa::CheckImageMatches(image, device_->config()));
  image.config_hash ^= 1;
  image.config_name = "elsewhere";
  ExpectError(isa::CheckImageMatches(image, device_->config()), Code::kInvalidArgument,
              {"elsewhere", config_.name});
}

INSTANTIATE_TEST_SUITE_P(Cts, ProgramTest, ::testing::ValuesIn(Executing()), TestName);

}  // namespace
}  // namespace tessera::cts
