// SPDX-License-Identifier: Apache-2.0
//
// What is tested: runs that end in an error, one test for each reason: each returns its code and a
// line that names unit and instruction, and leaves a device that executes the next program. Space:
// small programs.
#include "tests/cts/cts.h"

namespace tessera::cts {
namespace {

using isa::Memory;
using isa::Unit;

class ErrorTest : public ProgramTest {
 protected:
  isa::InsnWord Idle(Unit unit) { return Word(isa::Sync{.unit = static_cast<int64_t>(unit)}); }
  isa::InsnWord End() { return Word(isa::Finish{}); }
  // A LOAD of |tiles| OUT tiles from byte |from| to tile |to|.
  isa::Load LoadOut(int64_t tiles, int64_t to, int64_t from) {
    const int64_t bytes = config_.out_tile_bytes();
    return isa::Load{.memory = static_cast<int64_t>(Memory::kOut),
                     .x_bytes = bytes,
                     .sram_base = to,
                     .dram_base = from,
                     .x_size = tiles,
                     .y_size = 1,
                     .x_step = bytes,
                     .z_size = 1};
  }
};

TEST_P(ErrorTest, BudgetEndsARun) {
  std::vector<isa::InsnWord> words(20, Idle(Unit::kLoad));
  words.push_back(End());
  Launch launch = Prepare(*device_, words);
  launch.budget = 5;
  ExpectError(device_->Run(launch), Code::kTimeout, {"5"});
  ExpectUsable();
}

TEST_P(ErrorTest, PopThatNobodyPushesIsADeadlock) {
  ExpectError(
      Run({Idle(Unit::kStore), Word(isa::Sync{.pop = Mask(Unit::kGemm), .unit = 0}), End()}),
      Code::kDeadlock, {"load", "gemm", "instruction 1", "sync"});
  ExpectUsable();
}

TEST_P(ErrorTest, CycleOfPopsIsADeadlock) {
  const int64_t vector = static_cast<int64_t>(Unit::kVector),
                store = static_cast<int64_t>(Unit::kStore);
  ExpectError(
      Run({Word(isa::Sync{.pop = Mask(Unit::kStore), .push = Mask(Unit::kStore), .unit = vector}),
           Word(isa::Sync{.pop = Mask(Unit::kVector), .push = Mask(Unit::kVector), .unit = store}),
           End()}),
      Code::kDeadlock, {"vector", "store", "instruction 0", "instruction 1"});
  ExpectUsable();
}

TEST_P(ErrorTest, FullTokenCounterStallsThePusher) {
  std::vector<isa::InsnWord> words;
  for (int64_t i = 0; i < config_.token_depth; ++i) {
    words.push_back(Word(isa::Sync{.push = Mask(Unit::kGemm), .unit = 0}));
  }
  words.push_back(End());
  auto report = Run(words);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->leftover_tokens);
  words.insert(words.begin(), Word(isa::Sync{.push = Mask(Unit::kGemm), .unit = 0}));
  ExpectError(Run(words), Code::kDeadlock, {"load", "gemm", "instruction 255"});
  ExpectUsable();
}

TEST_P(ErrorTest, FullQueueStallsFetch) {
  // As many pops as the queue takes, then one more, stand in front of their pushes.
  for (const int64_t count : {config_.queue_depth, config_.queue_depth + 1}) {
    std::vector<isa::InsnWord> words;
    for (int64_t i = 0; i < count; ++i)
      words.push_back(Word(isa::Sync{.pop = Mask(Unit::kVector), .unit = 3}));
    for (int64_t i = 0; i < count; ++i)
      words.push_back(Word(isa::Sync{.push = Mask(Unit::kStore), .unit = 2}));
    words.push_back(End());
    auto report = Run(words);
    if (count == config_.queue_depth) {
      EXPECT_TRUE(report) << report.error().message;
    } else {
      ExpectError(report, Code::kDeadlock,
                  {"store waits for a token from vector at instruction 0", "vector has nothing",
                   "fetch waits", "instruction 32"});
      ExpectUsable();
    }
  }
}

TEST_P(ErrorTest, StoreIsNotVisibleInADeadlockThatPrecedesIt) {
  const int64_t tile = config_.out_tile_bytes();
  ASSERT_TRUE(device_->Write(kData, Pattern(64, 1)));
  ExpectError(
      Run({Word(isa::Store{
               .pop = Mask(Unit::kLoad), .x_bytes = tile, .x_size = 1, .y_size = 1, .z_size = 1}),
           End()}),
      Code::kDeadlock, {"store", "load", "instruction 0"});
  EXPECT_EQ(ReadBack(*device_, kData, 64), Pattern(64, 1));
}

TEST_P(ErrorTest, UnknownOpcode) {
  isa::InsnWord word{};
  word[0] = 15;
  ExpectError(Run({Idle(Unit::kLoad), word, End()}), Code::kInvalidArgument,
              {"instruction 1", "illegal_opcode"});
  ExpectUsable();
}

TEST_P(ErrorTest, BitWithoutAName) {
  isa::InsnWord word = Idle(Unit::kLoad);
  word[3] |= uint64_t{1} << 63;
  ExpectError(Run({word, End()}), Code::kInvalidArgument, {"instruction 0", "illegal_field"});
  ExpectUsable();
}

TEST_P(ErrorTest, FieldWithoutAMeaning) {
  isa::Load load = LoadOut(1, 0, 0);
  load.memory = static_cast<int64_t>(isa::Memory::kAcc8);
  ExpectError(Run({Word(load), End()}), Code::kInvalidArgument, {"instruction 0", "illegal_field"});
  ExpectUsable();
}

// Only int8 results are looked up in TAB.
TEST_P(ErrorTest, TableOfAnAccumulator) {
  const isa::Requant requant{.per_tensor = 1, .table = 1, .iter_out = 1, .iter_in = 1};
  ExpectError(Run({Word(requant), End()}), Code::kInvalidArgument,
              {"instruction 0", "illegal_field"});
  const isa::Add add{.src_mem = static_cast<int64_t>(isa::VectorMemory::kOut), .table = 1};
  ExpectError(Run({Word(add), End()}), Code::kInvalidArgument, {"instruction 0", "illegal_field"});
  ExpectUsable();
}

TEST_P(ErrorTest, TokenToItself) {
  ExpectError(
      Run({Word(isa::Sync{.push = Mask(Unit::kStore), .unit = static_cast<int64_t>(Unit::kStore)}),
           End()}),
      Code::kInvalidArgument, {"instruction 0", "illegal_field"});
  ExpectUsable();
}

TEST_P(ErrorTest, TilePastAScratchpad) {
  const int64_t depth = config_.Depth(Memory::kOut);
  auto good = Run({Word(LoadOut(2, depth - 2, 0)), End()});
  EXPECT_TRUE(good) << good.error().message;
  ExpectError(Run({Word(LoadOut(2, depth - 1, 0)), End()}), Code::kOutOfRange,
              {"instruction 0", "sram_range", "load"});
  ExpectUsable();
}

TEST_P(ErrorTest, GemmIndexPastAScratchpad) {
  // One micro-op (zero after Reset); the bases point at the end of memory.
  ASSERT_TRUE(device_->Reset());
  isa::Gemm gemm{.uop_count = 1,
                 .iter_out = 1,
                 .iter_in = 2,
                 .src_in = 1,
                 .src_base = config_.Depth(Memory::kInp) - 1};
  ExpectError(Run({Word(gemm), End()}), Code::kOutOfRange, {"instruction 0", "sram_range", "gemm"});
  ExpectUsable();
}

TEST_P(ErrorTest, AccessPastASegment) {
  const int64_t tile = config_.out_tile_bytes();
  Launch launch = Prepare(*device_, {Word(LoadOut(2, 0, 0x100 - 2 * tile)), End()});
  launch.segments[0].size = 0x100;
  auto good = device_->Run(launch);
  EXPECT_TRUE(good) << good.error().message;
  launch.segments[0].size = 0xff;
  ExpectError(device_->Run(launch), Code::kOutOfRange, {"instruction 0", "dram_range", "load"});
  ExpectUsable();
}

TEST_P(ErrorTest, StorePastASegmentWritesNothingPastIt) {
  const int64_t tile = config_.out_tile_bytes();
  ASSERT_TRUE(device_->Write(kData, Pattern(0x200, 4)));
  Launch launch = Prepare(*device_, {Word(isa::Store{.x_bytes = tile,
                                                     .dram_base = 0x100 - tile,
                                                     .x_size = 2,
                                                     .y_size = 1,
                                                     .x_step = tile,
                                                     .z_size = 1}),
                                     End()});
  launch.segments[0].size = 0x100;
  ExpectError(device_->Run(launch), Code::kOutOfRange, {"instruction 0", "dram_range", "store"});
  const std::vector<uint8_t> back = ReadBack(*device_, kData, 0x200);
  const std::vector<uint8_t> want = Pattern(0x200, 4);
  EXPECT_TRUE(std::equal(back.begin() + 0x100, back.end(), want.begin() + 0x100));
  ExpectUsable();
}

TEST_P(ErrorTest, SegmentOutsideDeviceMemory) {
  Launch launch = Prepare(*device_, {Word(LoadOut(1, 0, 0)), End()});
  launch.segments[0] = {kMemoryBytes, 0x1000};
  ExpectError(device_->Run(launch), Code::kDataLoss, {"instruction 0", "bus", "load"});
  ExpectUsable();
}

TEST_P(ErrorTest, StreamWithoutFinish) {
  ExpectError(Run({Idle(Unit::kLoad), Idle(Unit::kStore)}), Code::kInvalidArgument, {"no_finish"});
  ExpectUsable();
}

TEST_P(ErrorTest, BadLaunches) {
  const Launch good = Prepare(*device_, {End()});
  Launch launch = good;
  launch.insn_addr += 32;
  ExpectError(device_->Submit(launch), Code::kInvalidArgument, {"64"});
  launch = good;
  launch.insn_count = 0;
  ExpectError(device_->Submit(launch), Code::kInvalidArgument, {});
  launch = good;
  launch.budget = 0;
  ExpectError(device_->Submit(launch), Code::kInvalidArgument, {"budget"});
  launch = good;
  launch.insn_addr = kMemoryBytes;
  ExpectError(device_->Submit(launch), Code::kInvalidArgument, {});
  launch = good;
  launch.segments[2].base = 32;
  ExpectError(device_->Submit(launch), Code::kInvalidArgument, {"segment 2", "64"});
  auto report = device_->Run(good);
  EXPECT_TRUE(report) << report.error().message;
}

TEST_P(ErrorTest, OneRunAtATime) {
  const Launch launch = Prepare(*device_, {End()});
  ASSERT_TRUE(device_->Submit(launch));
  ExpectError(device_->Submit(launch), Code::kInvalidArgument, {});
  ASSERT_TRUE(device_->Wait());
  ExpectError(device_->Wait(), Code::kInvalidArgument, {});
}

TEST_P(ErrorTest, ResetEndsWhatRuns) {
  ASSERT_TRUE(device_->Submit(Prepare(*device_, {End()})));
  ASSERT_TRUE(device_->Reset());
  ExpectError(device_->Wait(), Code::kInvalidArgument, {});
  ExpectUsable();
}

INSTANTIATE_TEST_SUITE_P(Cts, ErrorTest, ::testing::ValuesIn(Executing()), TestName);

}  // namespace
}  // namespace tessera::cts
