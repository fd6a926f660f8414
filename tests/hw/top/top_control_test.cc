// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the machine's registers; how it handles streams in error, and that it runs the
// next program right; starts that it refuses; the interrupt. Not tested here: errors of single
// units (their own tests), programs that are right (top_test.cc), resets (top_reset_test.cc).
#include <gtest/gtest.h>

#include "tests/hw/top/small_net.h"
#include "tests/hw/top/top_bench.h"

namespace tessera::hw {
namespace {

using isa::MachineError;

TEST(TopRegisters, SayWhoTheMachineIs) {
  TopBench top;
  EXPECT_EQ(top.Read(isa::reg::kId), 0x31525354u);
  EXPECT_EQ(top.Read(isa::reg::kVersion), 0x00020002u);
  const uint64_t hash = top.config.Hash();
  EXPECT_EQ(top.Read(isa::reg::kConfigHashLo), static_cast<uint32_t>(hash));
  EXPECT_EQ(top.Read(isa::reg::kConfigHashHi), static_cast<uint32_t>(hash >> 32));
  EXPECT_EQ(top.Status(), 0u);
  for (uint32_t reserved : {0x000u, 0x038u, 0x0a0u, 0x0d0u, 0x180u, 0x7fcu, 0xffcu})
    EXPECT_EQ(top.Read(reserved), 0u) << reserved;
}

TEST(TopRegisters, KeepWhatIsWritten) {
  TopBench top;
  for (uint32_t s = 0; s < 8; ++s) {
    for (const isa::RegArray& a : {isa::reg::kSegmentBaseLo, isa::reg::kSegmentBaseHi,
                                   isa::reg::kSegmentSizeLo, isa::reg::kSegmentSizeHi}) {
      top.Write(a[s], a[s] * 0x01010101u);
    }
  }
  for (uint32_t s = 0; s < 8; ++s) {
    for (const isa::RegArray& a : {isa::reg::kSegmentBaseLo, isa::reg::kSegmentBaseHi,
                                   isa::reg::kSegmentSizeLo, isa::reg::kSegmentSizeHi}) {
      EXPECT_EQ(top.Read(a[s]), a[s] * 0x01010101u);
    }
  }
  top.bench->s_axil_wstrb_i = 2;  // one byte
  top.Write(isa::reg::kInsnCount, 0xaabbccdd);
  EXPECT_EQ(top.Read(isa::reg::kInsnCount), 0xcc00u);
}

struct BadStream {
  const char* what;
  std::vector<isa::InsnWord> program;
  MachineError code;
  uint32_t num;
  uint32_t unit = 4;  // fetch
};

std::vector<BadStream> BadStreams() {
  const isa::InsnWord sync = Word(isa::Sync{});
  const isa::InsnWord finish = Word(isa::Finish{});
  isa::InsnWord stray = sync;
  stray[3] = uint64_t{1} << 63;
  isa::Load load;
  load.memory = static_cast<int64_t>(isa::Memory::kAcc8);  // of profile vta
  isa::Store store;
  isa::InsnWord unknown = {15, 0, 0, 0}, zero = {0, 0, 0, 0};
  return {
      {"opcode 15", {sync, unknown, finish}, MachineError::kIllegalOpcode, 1},
      {"opcode 0", {zero, finish}, MachineError::kIllegalOpcode, 0},
      {"a bit without a name", {sync, sync, stray, finish}, MachineError::kIllegalField, 2},
      {"a token to itself", {Word(isa::Sync{.push = 1}), finish}, MachineError::kIllegalField, 0},
      {"finish with a token", {sync, Word(isa::Finish{.pop = 1})}, MachineError::kIllegalField, 1},
      {"no finish", {sync, sync, sync}, MachineError::kNoFinish, 2},
      {"no instruction", {}, MachineError::kNoFinish, 0},
      {"a unit's error: load", {sync, Word(load), finish}, MachineError::kIllegalField, 1, 0},
      {"a unit's error: store", {Word(store), finish}, MachineError::kIllegalField, 0, 3},
  };
}

TEST(TopErrors, AreReportedAndTheMachineGoesOn) {
  TopBench top;
  Rng rng(5);
  const SmallNet net(top.config, 3, 2, rng, &top.memory.data);
  for (const BadStream& bad : BadStreams()) {
    SCOPED_TRACE(bad.what);
    top.Load(bad.program);
    top.Start();
    ASSERT_TRUE(top.Wait());
    EXPECT_TRUE(top.Done());
    EXPECT_TRUE(top.Error());
    EXPECT_EQ(top.Read(isa::reg::kError), static_cast<uint32_t>(bad.code) | bad.unit << 8);
    EXPECT_EQ(top.Read(isa::reg::kErrorInsn), bad.num);
    std::fill(top.memory.data.begin() + SmallNet::kOut,
              top.memory.data.begin() + SmallNet::kOut + 1024, 0);
    top.Load(net.Program(top.config));
    top.Start();
    ASSERT_TRUE(top.Wait());
    EXPECT_FALSE(top.Error());
    EXPECT_TRUE(net.Matches(top.memory.data));
  }
}

TEST(TopErrors, BusErrorsOfFetchLoadAndStore) {
  struct Place {
    uint64_t address;
    uint32_t unit, num;
  };
  for (const Place place :
       {Place{TopBench::kCode, 4, 0}, Place{SmallNet::kWgt, 0, 2}, Place{SmallNet::kOut, 3, 6}}) {
    SCOPED_TRACE(::testing::Message() << "address " << place.address);
    TopBench top;
    Rng rng(6);
    const SmallNet net(top.config, 3, 2, rng, &top.memory.data);
    top.Load(net.Program(top.config));
    top.memory.error_begin = place.address;
    top.memory.error_end = place.address + 8;
    top.Start();
    ASSERT_TRUE(top.Wait());
    EXPECT_TRUE(top.Error());
    EXPECT_EQ(top.Read(isa::reg::kError),
              static_cast<uint32_t>(MachineError::kBus) | place.unit << 8);
    EXPECT_EQ(top.Read(isa::reg::kErrorInsn), place.num);
    EXPECT_TRUE(top.memory.idle());
    top.memory.error_end = 0;
    top.Start();
    ASSERT_TRUE(top.Wait());
    EXPECT_FALSE(top.Error());
    EXPECT_TRUE(net.Matches(top.memory.data));
  }
}

TEST(TopStart, IsRefusedWhileAProgramRunsAndSaysSo) {
  TopBench top;
  Rng rng(8);
  const SmallNet net(top.config, 6, 3, rng, &top.memory.data);
  top.Load(net.Program(top.config));
  top.Start();
  for (int i = 0; i < 20; ++i) top.Cycle();
  EXPECT_EQ(isa::reg::kStatusRefused.Get(top.Status()), 0u);
  top.Write(isa::reg::kInsnCount, 1);  // ignored
  // The refused start asks for profile vta, which must not reach the run.
  top.Write(isa::reg::kControl, isa::reg::kControlStart.Put(1));
  EXPECT_EQ(isa::reg::kStatusRefused.Get(top.Status()), 1u);
  EXPECT_EQ(isa::reg::kIrqStatusRefused.Get(top.Read(isa::reg::kIrqStatus)), 1u);
  ASSERT_TRUE(top.Wait());
  EXPECT_EQ(top.Read(isa::reg::kRetired), 8u);
  EXPECT_TRUE(net.Matches(top.memory.data));
  EXPECT_EQ(top.Read(isa::reg::kInsnCount), 8u);
  EXPECT_EQ(isa::reg::kStatusRefused.Get(top.Status()), 1u) << "until the next start";
  top.Start();
  ASSERT_TRUE(top.Wait());
  EXPECT_EQ(isa::reg::kStatusRefused.Get(top.Status()), 0u);
  EXPECT_FALSE(top.Error());
}

TEST(TopInterrupt, IsALevelFromTheEndOfARunUntilItIsCleared) {
  namespace reg = isa::reg;
  TopBench top;
  Rng rng(5);
  const SmallNet net(top.config, 3, 2, rng, &top.memory.data);
  // A good run, then one in error, then one that a soft reset ends; each with every set of enables.
  for (uint32_t enable = 0; enable < 8; ++enable) {
    for (const bool global : {false, true}) {
      for (const uint32_t want : {1u, 3u, 0u}) {
        SCOPED_TRACE(::testing::Message()
                     << "enable " << enable << " global " << global << " want " << want);
        top.Write(reg::kIrqStatus, 7);
        top.Write(reg::kIrqEnable, enable);
        top.Write(reg::kIrqGlobal, global);
        if (want == 3) {
          top.Load({isa::InsnWord{15, 0, 0, 0}});
        } else {
          top.Load(net.Program(top.config));
        }
        top.Start();
        if (want == 0) top.Write(reg::kControl, reg::kControlSoftReset.Put(1));
        while (top.bench->busy_o) {
          EXPECT_FALSE(top.bench->irq_o);
          top.Cycle();
        }
        top.Cycle();
        top.Cycle();
        const bool raised = global && (enable & want) != 0;
        EXPECT_EQ(top.bench->irq_o, raised);
        EXPECT_EQ(top.Read(reg::kIrqStatus), want);
        EXPECT_EQ(top.Read(reg::kIrqEnable), enable);
        EXPECT_EQ(top.Read(reg::kIrqGlobal), uint32_t{global});
        top.Write(reg::kIrqStatus, 2);  // one bit, and no other
        EXPECT_EQ(top.Read(reg::kIrqStatus), want & 1);
        EXPECT_EQ(top.bench->irq_o, global && (enable & want & 1) != 0);
        top.Write(reg::kIrqStatus, 1);
        top.Cycle();
        EXPECT_FALSE(top.bench->irq_o);
      }
    }
  }
}

TEST(TopInterrupt, StaysOverSoftResetsAndStartsAndGoesWithTheHardReset) {
  namespace reg = isa::reg;
  TopBench top;
  Rng rng(5);
  const SmallNet net(top.config, 3, 2, rng, &top.memory.data);
  top.Write(reg::kIrqGlobal, 1);
  top.Write(reg::kIrqEnable, 5);
  top.Load(net.Program(top.config));
  top.Start();
  ASSERT_TRUE(top.Wait());
  EXPECT_EQ(top.Read(reg::kIrqStatus), 1u);
  top.Write(reg::kControl, reg::kControlSoftReset.Put(1));
  ASSERT_TRUE(top.Wait());
  EXPECT_EQ(top.Read(reg::kIrqStatus), 1u);
  top.Start();
  EXPECT_EQ(top.Read(reg::kIrqStatus), 1u);
  EXPECT_TRUE(top.bench->irq_o);
  top.HardReset(1);
  EXPECT_FALSE(top.bench->irq_o);
  EXPECT_EQ(top.Read(reg::kIrqStatus), 0u);
  EXPECT_EQ(top.Read(reg::kIrqEnable), 0u);
  EXPECT_EQ(top.Read(reg::kIrqGlobal), 0u);
  EXPECT_TRUE(top.Wait());
}

}  // namespace
}  // namespace tessera::hw
