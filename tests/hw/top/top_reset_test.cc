// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a soft reset, a reset of the machine alone and one of machine, interconnect and
// memory, in every cycle of a program. After the first two, memory still answers the requests from
// before, at once or long after: the next run starts by itself when the bus is quiet, has all its
// results, and leaves no transaction open. Space: one program of every unit; memory with stalls,
// and memory that uses every freedom of AXI; a seed determines when memory answers again. Also: a
// start in every cycle of a run and its end is refused, or runs. Configuration tiny alone, for
// time. Not tested here: what resets do to registers (top_control_test.cc).
#include <gtest/gtest.h>

#include "tests/hw/top/small_net.h"
#include "tests/hw/top/top_bench.h"

namespace tessera::hw {
namespace {

enum class Kind { kSoft, kSoftAndStart, kHard, kHardWithBus };

template <typename Top>
class Resets {
 public:
  explicit Resets(uint64_t seed)
      : rng_(seed),
        top_(isa::DramModel::kZynq, seed, seed),
        net_(top_.config, 4, 2, rng_, &top_.memory.data) {
    top_.Load(net_.Program(top_.config));
  }

  // Cycles of a run.
  int Length() {
    top_.Start();
    EXPECT_TRUE(top_.Wait());
    return static_cast<int>(top_.Read(isa::reg::kCyclesLo));
  }

  void At(int when, Kind kind) {
    SCOPED_TRACE(::testing::Message()
                 << "kind " << static_cast<int>(kind) << " after " << when << " cycles");
    top_.Start();
    for (int i = 0; i < when; ++i) top_.Cycle();
    // Memory stops at the reset, for no cycle or for longer than the host takes to start again.
    const int pause = rng_.OneIn(3) ? 0 : static_cast<int>(rng_.Range(1, 400));
    top_.memory.frozen = pause != 0;
    const uint64_t begin = top_.bench.cycle();
    switch (kind) {
      case Kind::kSoft:
        top_.Write(isa::reg::kControl, isa::reg::kControlSoftReset.Put(1));
        Clear();
        top_.Start();
        break;
      case Kind::kSoftAndStart:
        Clear();
        top_.Write(isa::reg::kControl, isa::reg::kControlSoftReset.Put(1) |
                                           isa::reg::kControlStart.Put(1) |
                                           isa::reg::kControlProfile.Put(1));
        break;
      case Kind::kHard:
        top_.HardReset(static_cast<int>(rng_.Range(1, 3)));
        Clear();
        top_.Configure();
        top_.Announce(8);
        top_.Start();
        break;
      case Kind::kHardWithBus:
        top_.HardResetWithBus(static_cast<int>(rng_.Range(2, 4)));
        Clear();
        top_.Configure();
        top_.Announce(8);
        top_.Start();
        break;
    }
    EXPECT_EQ(isa::reg::kStatusRefused.Get(top_.Status()), 0u);
    while (top_.bench.cycle() < begin + static_cast<uint64_t>(pause)) {
      ASSERT_TRUE(top_.bench->busy_o);
      top_.Cycle();
    }
    top_.memory.frozen = false;
    ASSERT_TRUE(top_.Wait(20'000));
    EXPECT_TRUE(top_.Done());
    EXPECT_FALSE(top_.Error()) << std::hex << top_.Read(isa::reg::kError);
    EXPECT_EQ(top_.Read(isa::reg::kRetired), 8u);
    EXPECT_TRUE(top_.memory.idle());
    EXPECT_TRUE(net_.Matches(top_.memory.data));
  }

  Top& top() { return top_; }

 private:
  void Clear() {
    std::fill(top_.memory.data.begin() + SmallNet::kOut,
              top_.memory.data.begin() + SmallNet::kOut + 1024, 0);
  }

  Rng rng_;
  Top top_;
  SmallNet net_;
};

template <typename Top>
void Sweep(Kind kind, uint64_t seed) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Resets<Top> resets(seed);
  const int length = resets.Length() + 8;
  for (int when = 0; when < length; ++when) {
    resets.At(when, kind);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(TopReset, SoftInEveryCycle) {
  Sweep<TopBench>(Kind::kSoft, 11);
  for (uint64_t seed : {1, 2, 3}) Sweep<RoughTop>(Kind::kSoft, 110 + seed);
}
TEST(TopReset, SoftWithAStartInEveryCycle) {
  Sweep<TopBench>(Kind::kSoftAndStart, 12);
  for (uint64_t seed : {1, 2, 3}) Sweep<RoughTop>(Kind::kSoftAndStart, 120 + seed);
}
TEST(TopReset, OfTheMachineAloneInEveryCycle) {
  Sweep<TopBench>(Kind::kHard, 13);
  for (uint64_t seed : {1, 2, 3}) Sweep<RoughTop>(Kind::kHard, 130 + seed);
}

TEST(TopReset, OfMachineAndBusInEveryCycle) {
  Sweep<TopBench>(Kind::kHardWithBus, 14);
  for (uint64_t seed : {1, 2}) Sweep<RoughTop>(Kind::kHardWithBus, 140 + seed);
}

TEST(TopReset, ForgetsStatusAndLeavesTheBusQuiet) {
  Resets<TopBench> resets(9);
  TopBench& top = resets.top();
  for (int when = 0; when < 400; when += 3) {
    SCOPED_TRACE(::testing::Message() << "after " << when << " cycles");
    top.Start();
    for (int i = 0; i < when; ++i) top.Cycle();
    top.Write(isa::reg::kControl, isa::reg::kControlSoftReset.Put(1));
    ASSERT_TRUE(top.Wait(5000));
    EXPECT_TRUE(top.memory.idle());
    EXPECT_EQ(top.Status(), 0u);
    EXPECT_EQ(top.Read(isa::reg::kCyclesLo), 0u);
  }
}

// In every cycle of a run, in its drain and after it, the machine refuses a start or runs it.
TEST(TopStart, IsRefusedOrHonouredInEveryCycle) {
  TopBench top(isa::DramModel::kZynq, 4);
  Rng rng(8);
  const SmallNet net(top.config, 2, 2, rng, &top.memory.data);
  top.Load(net.Program(top.config));
  bool refused = true;
  for (int when = 0; refused; ++when) {
    SCOPED_TRACE(::testing::Message() << "after " << when << " cycles");
    ASSERT_LT(when, 3000);
    top.Start();
    for (int i = 0; i < when; ++i) top.Cycle();
    const bool ended = !top.bench->busy_o;
    const uint64_t read_before = top.memory.read_beats;
    top.Write(isa::reg::kControl,
              isa::reg::kControlStart.Put(1) | isa::reg::kControlProfile.Put(1));
    refused = isa::reg::kStatusRefused.Get(top.Status()) == 1;
    EXPECT_FALSE(ended && refused);
    ASSERT_TRUE(top.Wait());
    EXPECT_TRUE(top.Done());
    EXPECT_TRUE(refused || top.memory.read_beats > read_before) << "it did not run";
  }
}

}  // namespace
}  // namespace tessera::hw
