// SPDX-License-Identifier: Apache-2.0
//
// What is tested: both memory models against timelines computed by hand from their definition:
// latencies, order, limits on outstanding requests, the split of long bursts, the shared data path;
// random stalls lose nothing; the bytes owed when memory stops. Space: single bursts, trains of
// bursts, both directions. Not tested here: data (the caller's), the machine behind the bus
// (tests/cosim).
#include "sim/dram/dram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

namespace tessera::sim::dram_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// The cycles from |first| on, |count| of them, that carry a beat on the shared path of `zynq`.
std::vector<uint64_t> SharedCycles(uint64_t first, size_t count) {
  std::vector<uint64_t> cycles;
  for (uint64_t c = first; cycles.size() < count; ++c) {
    if (c % 20 != 6 && c % 20 != 13 && c % 20 != 19) cycles.push_back(c);
  }
  return cycles;
}

std::vector<uint64_t> Consecutive(uint64_t first, size_t count) {
  std::vector<uint64_t> cycles(count);
  for (size_t i = 0; i < count; ++i) cycles[i] = first + i;
  return cycles;
}

// A master that requests bursts from given cycles on and takes and gives every beat at once.
struct Bench {
  explicit Bench(isa::DramModel model, uint64_t seed = 0, uint64_t stops = Dram::kNever)
      : dram(model, 8, seed, stops) {
    dram.Reset();
  }

  void Read(uint64_t cycle, uint64_t address, uint32_t beats, uint32_t id = 0) {
    reads.push_back({cycle, {address, beats, id}});
  }
  void Write(uint64_t cycle, uint64_t address, uint32_t beats, uint32_t id = 0) {
    writes.push_back({cycle, {address, beats, id}});
    beats_to_write += beats;
  }

  void RunTo(uint64_t end) {
    while (dram.cycle() < end) {
      const uint64_t now = dram.cycle();
      dram.BeginCycle(beats_to_write != 0 && now >= write_data_from);
      if (dram.beat_valid() && now >= take_from) {
        read_cycles.push_back(now);
        read_beats.push_back(dram.read_beat());
        dram.TakeReadBeat();
      }
      if (dram.beat_ready()) {
        write_cycles.push_back(now);
        write_beats.push_back(dram.write_beat());
        --beats_to_write;
        dram.PutWriteBeat();
      }
      if (dram.response_valid()) {
        response_cycles.push_back(now);
        response_ids.push_back(dram.response_id());
        dram.TakeResponse();
      }
      if (!reads.empty() && now >= reads.front().first && dram.read_ready()) {
        read_accepts.push_back(now);
        dram.AcceptRead(reads.front().second);
        reads.pop_front();
      }
      if (!writes.empty() && now >= writes.front().first && dram.write_ready()) {
        write_accepts.push_back(now);
        dram.AcceptWrite(writes.front().second);
        writes.pop_front();
      }
      dram.EndCycle();
    }
  }

  Dram dram;
  std::deque<std::pair<uint64_t, DramRequest>> reads, writes;
  uint64_t beats_to_write = 0;
  uint64_t take_from = 0;        // the master takes no read beat before this cycle
  uint64_t write_data_from = 0;  // the master offers no write beat before this cycle
  std::vector<uint64_t> read_accepts, read_cycles, write_accepts, write_cycles, response_cycles;
  std::vector<DramBeat> read_beats, write_beats;
  std::vector<uint32_t> response_ids;
};

TEST(TsimReads, FirstBeatComesSixteenCyclesAfterTheRequestThenOneACycle) {
  Bench bench(isa::DramModel::kTsim);
  bench.Read(3, 0x100, 4, 7);
  bench.RunTo(40);
  EXPECT_THAT(bench.read_cycles, ElementsAre(19, 20, 21, 22));
  for (uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(bench.read_beats[i].address, 0x100 + 8 * i);
    EXPECT_EQ(bench.read_beats[i].id, 7u);
    EXPECT_EQ(bench.read_beats[i].last, i == 3);
  }
  EXPECT_TRUE(bench.dram.idle());
}

TEST(TsimReads, BurstThatWaitsBehindAnotherFollowsItDirectly) {
  Bench bench(isa::DramModel::kTsim);
  bench.Read(0, 0, 4, 1);      // beats 16..19
  bench.Read(5, 0x40, 3, 2);   // behind it: 20..22
  bench.Read(22, 0x80, 2, 3);  // requested while the last beat moves, still behind: 23, 24
  bench.Read(25, 0xc0, 1, 4);  // from idle: 41
  bench.RunTo(60);
  EXPECT_THAT(bench.read_cycles, ElementsAre(16, 17, 18, 19, 20, 21, 22, 23, 24, 41));
  EXPECT_EQ(bench.read_beats[4].id, 2u);
  EXPECT_EQ(bench.read_beats[7].address, 0x80u);
  EXPECT_TRUE(bench.read_beats[9].last);
}

// Memory gives four words of fetch in cycles 16 to 19 and three of LOAD's eight in 20 to 22, then
// stops.
TEST(Stops, AnswersNothingAndSaysWhatItOwes) {
  Bench bench(isa::DramModel::kTsim, 0, 23);
  bench.Read(0, 0x100, 4, 0);
  bench.Read(5, 0x200, 8, 1);
  bench.Write(30, 0x400, 2);
  bench.RunTo(100);
  EXPECT_THAT(bench.read_cycles, ElementsAre(16, 17, 18, 19, 20, 21, 22));
  EXPECT_TRUE(bench.write_cycles.empty());
  const std::vector<isa::MemoryWait> waits = bench.dram.Waits(100);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].unit, static_cast<uint32_t>(isa::Unit::kLoad));
  EXPECT_FALSE(waits[0].write);
  EXPECT_EQ(waits[0].address, 0x218u);  // three words of 8 bytes came
  EXPECT_EQ(waits[0].bytes, 40u);
  EXPECT_EQ(waits[0].silent, 70u);  // memory took the write's request in cycle 30
  EXPECT_EQ(waits[1].unit, static_cast<uint32_t>(isa::Unit::kStore));
  EXPECT_TRUE(waits[1].write);
  EXPECT_EQ(waits[1].address, 0x400u);
  EXPECT_EQ(waits[1].bytes, 16u);
  EXPECT_EQ(bench.dram.NextOffer(), Dram::kNever);
}

// The words are written and never answered: memory owes the last word.
TEST(Stops, OwesAResponse) {
  Bench bench(isa::DramModel::kZynq, 0, 20);
  bench.Write(0, 0x400, 2);
  bench.RunTo(100);
  EXPECT_EQ(bench.write_cycles.size(), 2u);
  EXPECT_TRUE(bench.response_cycles.empty());
  const std::vector<isa::MemoryWait> waits = bench.dram.Waits(100);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].address, 0x408u);
  EXPECT_EQ(waits[0].bytes, 8u);
}

TEST(TsimReads, HoldsABeatThatIsNotTaken) {
  Bench bench(isa::DramModel::kTsim);
  bench.take_from = 30;
  bench.Read(0, 0, 3);
  bench.RunTo(50);
  EXPECT_THAT(bench.read_cycles, ElementsAre(30, 31, 32));
}

TEST(TsimReads, KeepsTwoHundredFiftySixBurstsOutstanding) {
  Bench bench(isa::DramModel::kTsim);
  bench.take_from = 1000;
  for (int i = 0; i < 258; ++i) bench.Read(0, 8 * static_cast<uint64_t>(i), 1);
  bench.RunTo(1100);
  // One request a cycle until 256 wait; the first leaves in cycle 1000, so one more enters in 1001.
  std::vector<uint64_t> accepts = Consecutive(0, 256);
  accepts.push_back(1001);
  accepts.push_back(1002);
  EXPECT_THAT(bench.read_accepts, ElementsAreArray(accepts));
  EXPECT_EQ(bench.read_cycles.size(), 100u);
}

TEST(TsimReads, LongestBurstIsNotSplit) {
  Bench bench(isa::DramModel::kTsim);
  bench.Read(0, 0, 256);
  bench.Read(1, 0x1000, 256);
  bench.RunTo(600);
  EXPECT_THAT(bench.read_cycles, ElementsAreArray(Consecutive(16, 512)));
}

TEST(TsimWrites, ResponseComesOneCycleAfterTheLastBeat) {
  Bench bench(isa::DramModel::kTsim);
  bench.Write(2, 0x200, 3, 5);
  bench.RunTo(20);
  EXPECT_THAT(bench.write_accepts, ElementsAre(2));
  EXPECT_THAT(bench.write_cycles, ElementsAre(3, 4, 5));
  EXPECT_THAT(bench.response_cycles, ElementsAre(6));
  EXPECT_THAT(bench.response_ids, ElementsAre(5));
  EXPECT_EQ(bench.write_beats[2].address, 0x210u);
  EXPECT_TRUE(bench.write_beats[2].last);
}

TEST(TsimWrites, DoNotDelayReads) {
  Bench bench(isa::DramModel::kTsim);
  bench.Read(0, 0, 20);
  bench.Write(0, 0x1000, 40);
  bench.RunTo(80);
  EXPECT_THAT(bench.read_cycles, ElementsAreArray(Consecutive(16, 20)));
  EXPECT_THAT(bench.write_cycles, ElementsAreArray(Consecutive(1, 40)));
}

TEST(ZynqReads, SixtyCyclesThenSeventeenBeatsInTwenty) {
  Bench bench(isa::DramModel::kZynq);
  bench.Read(0, 0, 40, 9);  // parts of 16, 16 and 8 beats
  bench.RunTo(200);
  // 60..65, 67..72, 74..78 are the first 17; then 80..85, 87..92, 94..98; the last six 100..105.
  EXPECT_THAT(bench.read_cycles, ElementsAreArray(SharedCycles(60, 40)));
  EXPECT_EQ(bench.read_cycles.back(), 105u);
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(bench.read_beats[i].last, i == 39);
  EXPECT_EQ(bench.read_beats[39].address, 8u * 39);
}

TEST(ZynqReads, LatencyIsPipelined) {
  Bench bench(isa::DramModel::kZynq);
  bench.Read(0, 0, 1);
  bench.Read(10, 8, 1);
  bench.Read(40, 16, 1);
  bench.RunTo(150);
  EXPECT_THAT(bench.read_cycles, ElementsAre(60, 70, 100));
}

TEST(ZynqReads, SixteenBurstsOutstanding) {
  Bench bench(isa::DramModel::kZynq);
  for (int i = 0; i < 18; ++i) bench.Read(0, 8 * static_cast<uint64_t>(i), 1);
  bench.RunTo(200);
  // The first beats leave in 60 and 61, which makes room in 61 and 62.
  std::vector<uint64_t> accepts = Consecutive(0, 16);
  accepts.push_back(61);
  accepts.push_back(62);
  EXPECT_THAT(bench.read_accepts, ElementsAreArray(accepts));
  // 16 beats from 60 on the shared path (the last one in 77); the two late ones 60 after theirs.
  std::vector<uint64_t> beats = SharedCycles(60, 16);
  beats.push_back(121);
  beats.push_back(122);
  EXPECT_THAT(bench.read_cycles, ElementsAreArray(beats));
}

TEST(ZynqReads, PartsOfALongBurstTakePlacesOfTheSixteen) {
  Bench bench(isa::DramModel::kZynq);
  bench.Read(0, 0, 256);     // 16 parts, entering in cycles 0..15
  bench.Read(0, 0x800, 16);  // needs a place: the first part leaves with its 16th beat in 77
  bench.RunTo(500);
  EXPECT_EQ(SharedCycles(60, 16).back(), 77u);
  EXPECT_THAT(bench.read_accepts, ElementsAre(0, 78));
  EXPECT_THAT(bench.read_cycles, ElementsAreArray(SharedCycles(60, 272)));
}

TEST(ZynqWrites, EightOutstandingAndResponseThirtyCyclesAfterTheLastBeat) {
  Bench bench(isa::DramModel::kZynq);
  for (uint32_t i = 0; i < 9; ++i) bench.Write(0, 64 * i, 1, i);
  bench.RunTo(100);
  // Data follows its request by a cycle: 1..5, 7..9. Responses 30 later; the first, in 31, makes
  // room.
  EXPECT_THAT(bench.write_accepts, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 32));
  EXPECT_THAT(bench.write_cycles, ElementsAre(1, 2, 3, 4, 5, 7, 8, 9, 34));
  EXPECT_THAT(bench.response_cycles, ElementsAre(31, 32, 33, 34, 35, 37, 38, 39, 64));
  EXPECT_THAT(bench.response_ids, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(ZynqWrites, LongBurstIsAnsweredOnce) {
  Bench bench(isa::DramModel::kZynq);
  bench.Write(0, 0, 33, 3);
  bench.RunTo(120);
  EXPECT_THAT(bench.write_cycles, ElementsAreArray(SharedCycles(1, 33)));
  EXPECT_THAT(bench.response_cycles, ElementsAre(SharedCycles(1, 33).back() + 30));
  EXPECT_THAT(bench.response_ids, ElementsAre(3));
  EXPECT_TRUE(bench.dram.idle());
}

TEST(ZynqShare, ReadsAndWritesAlternate) {
  Bench bench(isa::DramModel::kZynq);
  bench.write_data_from = 60;
  bench.Read(0, 0, 6);
  bench.Write(0, 0x1000, 6);
  bench.RunTo(120);
  // No request was served before: the read goes first. Beats in 60..65, 67..72.
  EXPECT_THAT(bench.read_cycles, ElementsAre(60, 62, 64, 67, 69, 71));
  EXPECT_THAT(bench.write_cycles, ElementsAre(61, 63, 65, 68, 70, 72));
}

TEST(ZynqShare, AnyTwentyCyclesCarrySeventeenBeats) {
  Bench bench(isa::DramModel::kZynq);
  for (uint64_t i = 0; i < 60; ++i) bench.Read(0, 128 * i, 16);
  for (uint64_t i = 0; i < 60; ++i) bench.Write(0, 0x8000 + 128 * i, 16);
  bench.RunTo(1500);
  std::map<uint64_t, int> beats;
  for (uint64_t c : bench.read_cycles) ++beats[c];
  for (uint64_t c : bench.write_cycles) ++beats[c];
  int window = 0;
  for (uint64_t c = 100; c < 1100; ++c) {
    window += beats.contains(c) ? beats[c] : 0;
    if (c >= 120) window -= beats.contains(c - 20) ? beats[c - 20] : 0;
    if (c >= 119) {
      EXPECT_EQ(window, 17) << "twenty cycles up to " << c;
    }
  }
}

TEST(DramReset, ForgetsWhatWasOutstanding) {
  Bench bench(isa::DramModel::kTsim);
  bench.Read(0, 0, 100);
  bench.Write(0, 0, 100);
  bench.RunTo(30);
  EXPECT_FALSE(bench.dram.idle());
  bench.dram.Reset();
  EXPECT_TRUE(bench.dram.idle());
  EXPECT_EQ(bench.dram.cycle(), 0u);
  bench.read_cycles.clear();
  bench.beats_to_write = 0;
  bench.Read(0, 0, 1);
  bench.RunTo(20);
  EXPECT_THAT(bench.read_cycles, ElementsAre(16));
}

// Under random stalls everything arrives, in order, never earlier than without them.
class StallTest : public ::testing::TestWithParam<std::tuple<isa::DramModel, uint64_t>> {};

TEST_P(StallTest, LosesNothingAndKeepsOrder) {
  const auto [model, seed] = GetParam();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Bench quiet(model), stalled(model, seed);
  for (Bench* bench : {&quiet, &stalled}) {
    for (uint32_t i = 0; i < 50; ++i) {
      bench->Read(i, 4096 * uint64_t{i}, 1 + (i * 7) % 40, i);
      bench->Write(i, 4096 * uint64_t{i} + 2048, 1 + (i * 5) % 40, i);
    }
    bench->RunTo(40000);
    EXPECT_TRUE(bench->dram.idle());
  }
  ASSERT_EQ(stalled.read_beats.size(), quiet.read_beats.size());
  for (size_t i = 0; i < quiet.read_beats.size(); ++i) {
    EXPECT_EQ(stalled.read_beats[i].address, quiet.read_beats[i].address);
    EXPECT_EQ(stalled.read_beats[i].last, quiet.read_beats[i].last);
    EXPECT_GE(stalled.read_cycles[i], 16u);
  }
  ASSERT_EQ(stalled.write_beats.size(), quiet.write_beats.size());
  for (size_t i = 0; i < quiet.write_beats.size(); ++i) {
    EXPECT_EQ(stalled.write_beats[i].address, quiet.write_beats[i].address);
  }
  EXPECT_EQ(stalled.response_ids, quiet.response_ids);
  EXPECT_GT(stalled.read_cycles.back(), quiet.read_cycles.back());
}

INSTANTIATE_TEST_SUITE_P(Seeds, StallTest,
                         ::testing::Combine(::testing::Values(isa::DramModel::kTsim,
                                                              isa::DramModel::kZynq),
                                            ::testing::Range(uint64_t{1}, uint64_t{9})));

TEST(DramTiming, IsTheModelsDefinition) {
  const isa::DramTiming tsim = isa::TimingOf(isa::DramModel::kTsim);
  EXPECT_EQ(tsim.burst_beats, 256u);
  EXPECT_EQ(tsim.read_latency, 16u);
  const isa::DramTiming zynq = isa::TimingOf(isa::DramModel::kZynq);
  EXPECT_EQ(zynq.burst_beats, 16u);
  EXPECT_EQ(zynq.reads, 16u);
  EXPECT_EQ(zynq.writes, 8u);
}

}  // namespace
}  // namespace tessera::sim::dram_test
