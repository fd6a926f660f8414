// SPDX-License-Identifier: Apache-2.0
//
// What is tested: results depend neither on what a memory may do within AXI (RoughMemory) nor on
// the start values of flip-flops; cycles do not depend on those either. An error on any one beat or
// response of a program ends it with the unit and instruction, leaves no transaction open, and the
// next run is right. Space: 60 seeds of memory; every beat of one program. An AxiChecker watches
// the port. Configuration tiny alone, for time. Not tested here: scratchpads that begin with other
// bytes than 0 (the model's RAMs begin with 0); resets (top_reset_test.cc).
#include <gtest/gtest.h>

#include "tests/hw/top/small_net.h"
#include "tests/hw/top/top_bench.h"

namespace tessera::hw {
namespace {

namespace reg = isa::reg;

TEST(TopBus, ResultsDoNotDependOnWhatAMemoryMayDo) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    RoughTop top(isa::DramModel::kTsim, seed, seed);
    const SmallNet net(top.config, rng.Range(1, 12), rng.Range(1, 6), rng, &top.memory.data);
    top.Load(net.Program(top.config));
    top.Start();
    ASSERT_TRUE(top.Wait());
    EXPECT_TRUE(top.Done());
    EXPECT_FALSE(top.Error()) << std::hex << top.Read(reg::kError);
    EXPECT_EQ(top.Read(reg::kRetired), 8u);
    EXPECT_TRUE(net.Matches(top.memory.data));
    EXPECT_TRUE(top.memory.idle());
  }
}

TEST(TopBus, NeitherResultsNorCyclesDependOnWhatFlipFlopsBeginWith) {
  uint32_t cycles = 0;  // of the run in which all begin with 0
  for (uint64_t start = 0; start <= 24; ++start) {
    SCOPED_TRACE(::testing::Message() << "random start " << start);
    Rng rng(5);
    TopBench top(isa::DramModel::kTsim, 0, start);
    const SmallNet net(top.config, 6, 3, rng, &top.memory.data);
    EXPECT_EQ(top.Status(), 0u);
    EXPECT_EQ(top.Read(reg::kCyclesHi), 0u);
    EXPECT_EQ(top.Read(reg::kIrqStatus), 0u);
    EXPECT_FALSE(top.bench->irq_o);
    top.Load(net.Program(top.config));
    top.Start();
    ASSERT_TRUE(top.Wait());
    EXPECT_TRUE(top.Done());
    EXPECT_FALSE(top.Error());
    EXPECT_TRUE(net.Matches(top.memory.data));
    if (start == 0) cycles = top.Read(reg::kCyclesLo);
    EXPECT_EQ(top.Read(reg::kCyclesLo), cycles);
  }
}

// Unit and instruction that access |address| in SmallNet's program.
uint32_t UnitOf(uint64_t address) { return address >= TopBench::kCode ? reg::kErrorUnitFetch : 0; }
uint32_t InsnOf(uint64_t address) {
  if (address >= TopBench::kCode) return static_cast<uint32_t>((address - TopBench::kCode) / 32);
  return address >= SmallNet::kPrm    ? 3
         : address >= SmallNet::kUops ? 0
         : address >= SmallNet::kWgt  ? 2
                                      : 1;
}

class Errors {
 public:
  explicit Errors(uint64_t seed)
      : rng_(seed),
        top_(isa::DramModel::kTsim, seed, seed),
        net_(top_.config, 4, 2, rng_, &top_.memory.data) {
    top_.Load(net_.Program(top_.config));
  }

  // A run without errors.
  void Good() {
    std::fill(top_.memory.data.begin() + SmallNet::kOut,
              top_.memory.data.begin() + SmallNet::kOut + 1024, 0);
    top_.Start();
    ASSERT_TRUE(top_.Wait());
    EXPECT_TRUE(top_.Done());
    EXPECT_FALSE(top_.Error()) << std::hex << top_.Read(reg::kError);
    EXPECT_TRUE(net_.Matches(top_.memory.data));
  }

  // A run that a bus error ends.
  void Bad() {
    top_.Start();
    ASSERT_TRUE(top_.Wait());
    EXPECT_TRUE(top_.Done());
    EXPECT_TRUE(top_.memory.idle());
    EXPECT_EQ(reg::kErrorCode.Get(top_.Read(reg::kError)),
              static_cast<uint32_t>(isa::MachineError::kBus));
    EXPECT_EQ(top_.Read(reg::kIrqStatus), 3u);
    top_.Write(reg::kIrqStatus, 3);
  }

  void ExpectAt(uint32_t unit, uint32_t insn) {
    EXPECT_EQ(reg::kErrorUnit.Get(top_.Read(reg::kError)), unit);
    EXPECT_EQ(top_.Read(reg::kErrorInsn), insn);
  }

  RoughTop& top() { return top_; }
  RoughMemory& memory() { return top_.memory; }

 private:
  Rng rng_;
  RoughTop top_;
  SmallNet net_;
};

TEST(TopBus, AnErrorOnAnyBeatNamesUnitAndInstruction) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Errors errors(seed);
    errors.Good();
    const uint64_t beats = errors.memory().read_beats, bursts = errors.memory().write_bursts;
    EXPECT_GT(beats, 40u);
    for (uint64_t beat = 0; beat < beats; ++beat) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " beat " << beat);
      errors.top().Write(reg::kIrqStatus, 7);
      errors.memory().error_beat = static_cast<int64_t>(errors.memory().read_beats + beat);
      errors.Bad();
      const uint64_t address = errors.memory().error.address;
      EXPECT_EQ(errors.memory().error.id, UnitOf(address) == 0 ? 1u : 0u);
      errors.ExpectAt(UnitOf(address), InsnOf(address));
      errors.memory().error_beat = -1;
      errors.Good();
      if (::testing::Test::HasFailure()) return;
    }
    for (uint64_t burst = 0; burst < bursts; ++burst) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " write " << burst);
      errors.top().Write(reg::kIrqStatus, 7);
      errors.memory().error_write = static_cast<int64_t>(errors.memory().write_bursts + burst);
      errors.Bad();
      errors.ExpectAt(3, 6);
      errors.memory().error_write = -1;
      errors.Good();
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tessera::hw
