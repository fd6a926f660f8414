// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the whole machine runs programs of both profiles, from registers to bytes in
// device memory, under memory stalls; the order of retirement; tokens, SYNC, leftovers; counters.
// Not tested here: the exact meaning of every instruction (tests/cosim), errors and resets
// (top_control_test.cc).
#include <gtest/gtest.h>

#include "tests/hw/top/small_net.h"
#include "tests/hw/top/top_bench.h"

namespace tessera::hw {
namespace {

using isa::Unit;

TEST(Top, MatrixProductWithRequantiseUnderStalls) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed + 1);
    TopBench top(rng.OneIn(2) ? isa::DramModel::kTsim : isa::DramModel::kZynq, seed);
    const SmallNet net(top.config, rng.Range(1, 12), rng.Range(1, 6), rng, &top.memory.data);
    top.Load(net.Program(top.config));
    top.Start();
    ASSERT_TRUE(top.Wait());
    ASSERT_TRUE(top.Done());
    ASSERT_FALSE(top.Error()) << std::hex << top.Read(isa::reg::kError);
    EXPECT_TRUE(net.Matches(top.memory.data));
    EXPECT_EQ(top.Read(isa::reg::kRetired), 8u);
    EXPECT_EQ(top.retired.size(), 7u);  // FINISH has no trace entry
    EXPECT_EQ(isa::reg::kStatusLeftover.Get(top.Status()), 0u);
    EXPECT_TRUE(top.memory.idle());
  }
}

TEST(Top, CountersOfAUnitNeverPassTheCycles) {
  Rng rng(7);
  TopBench top(isa::DramModel::kZynq, 7);
  const SmallNet net(top.config, 12, 6, rng, &top.memory.data);
  top.Load(net.Program(top.config));
  top.Start();
  ASSERT_TRUE(top.Wait());
  const uint32_t cycles = top.Read(isa::reg::kCyclesLo);
  EXPECT_EQ(top.Read(isa::reg::kCyclesHi), 0u);
  for (uint32_t u = 0; u < 4; ++u) {
    const uint32_t busy = top.Read(isa::reg::kBusy[u]);
    const uint32_t token = top.Read(isa::reg::kTokenWait[u]);
    const uint32_t memory = top.Read(isa::reg::kMemoryWait[u]);
    const uint32_t hazard = top.Read(isa::reg::kHazard[u]);
    EXPECT_GT(busy, 0u) << "unit " << u;
    EXPECT_LE(busy + token + memory + hazard, cycles) << "unit " << u;
    EXPECT_EQ(token > 0, u != 0) << "unit " << u << ": all but LOAD wait for it";
  }
}

isa::InsnWord Sync(Unit unit, int64_t pop, int64_t push) {
  return Word(isa::Sync{.pop = pop, .push = push, .unit = static_cast<int64_t>(unit)});
}

TEST(Top, SyncMovesTokensBetweenEveryPairOfUnits) {
  TopBench top;
  std::vector<isa::InsnWord> program;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (from == to) continue;
      program.push_back(Sync(static_cast<Unit>(to), int64_t{1} << from, 0));  // waits for ...
      program.push_back(Sync(static_cast<Unit>(from), 0, int64_t{1} << to));  // ... this one
    }
  }
  const size_t syncs = program.size();
  program.push_back(Word(isa::Finish{}));
  top.Load(program);
  top.Start();
  ASSERT_TRUE(top.Wait());
  EXPECT_FALSE(top.Error());
  EXPECT_EQ(isa::reg::kStatusLeftover.Get(top.Status()), 0u);
  ASSERT_EQ(top.retired.size(), syncs);
  std::array<uint32_t, 4> last{};
  for (const auto& r : top.retired) {  // in order within a unit
    EXPECT_LE(last[r.unit], r.num);
    last[r.unit] = r.num;
  }
}

TEST(Top, TokensLeftOverAreReportedAndForgotten) {
  TopBench top;
  top.Load({Sync(Unit::kLoad, 0, Mask(Unit::kStore)), Word(isa::Finish{})});
  top.Start();
  ASSERT_TRUE(top.Wait());
  EXPECT_TRUE(top.Done());
  EXPECT_FALSE(top.Error());
  EXPECT_EQ(isa::reg::kStatusLeftover.Get(top.Status()), 1u);
  // The next run does not find the token.
  top.Load({Sync(Unit::kStore, Mask(Unit::kLoad), 0), Word(isa::Finish{})});
  top.Start();
  EXPECT_TRUE(top.Wait(3000));
  EXPECT_EQ(isa::reg::kErrorCode.Get(top.Read(isa::reg::kError)),
            static_cast<uint32_t>(isa::MachineError::kDeadlock));
  EXPECT_EQ(top.Read(isa::reg::kUnitState[3]), 1u | Mask(Unit::kLoad) << 4);
  EXPECT_EQ(top.Read(isa::reg::kUnitInsn[3]), 0u);
}

TEST(Top, AFullTokenQueueStallsThePusher) {
  TopBench top;
  const size_t depth = static_cast<size_t>(top.config.token_depth);
  std::vector<isa::InsnWord> program(depth + 10, Sync(Unit::kLoad, 0, Mask(Unit::kGemm)));
  program.push_back(Word(isa::Finish{}));
  top.Load(program);
  top.Start();
  EXPECT_TRUE(top.Wait(20'000));
  EXPECT_EQ(isa::reg::kErrorCode.Get(top.Read(isa::reg::kError)),
            static_cast<uint32_t>(isa::MachineError::kDeadlock));
  EXPECT_EQ(top.retired.size(), depth);
  EXPECT_EQ(top.Read(isa::reg::kUnitState[0]), 1u | Mask(Unit::kGemm) << 8);
  EXPECT_EQ(top.Read(isa::reg::kUnitInsn[0]), depth);
  // With GEMM's pops the program ends.
  program.pop_back();
  for (size_t i = 0; i < depth + 10; ++i)
    program.push_back(Sync(Unit::kGemm, Mask(Unit::kLoad), 0));
  program.push_back(Word(isa::Finish{}));
  top.Load(program);  // fetch still reaches the pops: the stalled pushes are in flight
  top.Start();
  EXPECT_TRUE(top.Wait(50'000));
}

// Each program is read to its end, though the instructions of the one before had another length.
TEST(Top, ProfilesFollowEachOther) {
  TopBench top;
  constexpr size_t kCount = 60;
  const isa::Profile profiles[] = {isa::Profile::kTessera, isa::Profile::kVta, isa::Profile::kVta,
                                   isa::Profile::kTessera, isa::Profile::kTessera};
  if (!isa::ValidateVtaProfile(top.config))
    GTEST_SKIP() << "VTA has no encoding of this configuration";
  isa::VtaLoad carrier;
  carrier.memory_type = static_cast<int64_t>(isa::Memory::kInp);
  for (const isa::Profile profile : profiles) {
    const isa::AnyInsn insn = profile == isa::Profile::kVta ? isa::AnyInsn(isa::VtaInsn(carrier))
                                                            : isa::AnyInsn(isa::Insn(isa::Sync{}));
    top.Load(profile, std::vector<isa::AnyInsn>(kCount, insn));
    top.Start(profile);
    ASSERT_TRUE(top.Wait(20'000)) << isa::Text(profile);
    EXPECT_FALSE(top.Error()) << isa::Text(profile);
    EXPECT_EQ(top.Read(isa::reg::kRetired), kCount + 1);
  }
}

TEST(Top, VtaProgramWithTokensAndEmptyCarriers) {
  TopBench top;
  const auto codec = isa::VtaCodec::Make(top.config);
  if (!codec) GTEST_SKIP() << "VTA has no encoding of this configuration";
  const isa::Config& c = top.config;
  Rng rng(3);
  auto word = [&](const isa::VtaInsn& insn) { return *codec->Encode(insn); };
  // acc[t] = bias[t] + inp[t] * wgt[0], t < 3; then + 5; stored as low bytes.
  constexpr uint64_t kInp = 0, kWgt = 0x1000, kAcc = 0x2000, kUop = 0x4000, kOut = 0x5000;
  for (uint64_t i = 0; i < 0x4000; ++i) top.memory.data[i] = static_cast<uint8_t>(rng.Next());
  const uint32_t uops[] = {*codec->EncodeUop({}), *codec->EncodeUop({})};
  std::memcpy(&top.memory.data[kUop], uops, sizeof uops);
  top.SetSegment(0, kUop, 0);
  top.SetSegment(1, kWgt, 0);
  top.SetSegment(2, kInp, 0);
  top.SetSegment(3, kAcc, 0);
  top.SetSegment(4, kOut, 0);
  auto load = [&](isa::Memory memory, int64_t count) {
    isa::VtaLoad v;
    v.memory_type = static_cast<int64_t>(memory);
    v.y_size = 1;
    v.x_size = v.x_stride = count;
    return v;
  };
  isa::VtaLoad inp = load(isa::Memory::kInp, 3);
  isa::VtaLoad wgt = load(isa::Memory::kWgt, 1);
  wgt.push_next = 1;
  isa::VtaGemm gemm;
  gemm.pop_prev = 1;
  gemm.uop_end = 1;
  gemm.iter_out = 3;
  gemm.iter_in = 1;
  gemm.dst_factor_out = 1;
  gemm.src_factor_out = 1;
  isa::VtaAlu alu;
  alu.push_next = 1;
  alu.uop_bgn = 1;
  alu.uop_end = 2;
  alu.iter_out = 3;
  alu.iter_in = 1;
  alu.dst_factor_out = 1;
  alu.alu_opcode = static_cast<int64_t>(isa::AluOp::kAdd);
  alu.use_imm = 1;
  alu.imm = 5;
  isa::VtaStore store;
  store.pop_prev = 1;
  store.push_prev = 1;
  store.memory_type = static_cast<int64_t>(isa::Memory::kOut);
  store.y_size = 1;
  store.x_size = store.x_stride = 3;
  isa::VtaLoad carrier;  // a COMPUTE instruction without work pops STORE's token
  carrier.memory_type = static_cast<int64_t>(isa::Memory::kUop);
  carrier.pop_next = 1;
  const std::vector<isa::VtaInsnWord> program = {word(load(isa::Memory::kUop, 2)),
                                                 word(load(isa::Memory::kAcc, 3)),
                                                 word(inp),
                                                 word(wgt),
                                                 word(gemm),
                                                 word(alu),
                                                 word(store),
                                                 word(carrier),
                                                 word(isa::VtaFinish{})};
  top.Load(program);
  top.Start(isa::Profile::kVta);
  ASSERT_TRUE(top.Wait());
  ASSERT_FALSE(top.Error()) << std::hex << top.Read(isa::reg::kError);
  EXPECT_EQ(isa::reg::kStatusLeftover.Get(top.Status()), 0u);
  EXPECT_EQ(top.Read(isa::reg::kRetired), program.size());
  for (int64_t t = 0; t < 3; ++t) {
    for (int64_t row = 0; row < c.batch; ++row) {
      for (int64_t o = 0; o < c.block_out; ++o) {
        int32_t sum;
        std::memcpy(&sum, &top.memory.data[kAcc + 4 * ((t * c.batch + row) * c.block_out + o)], 4);
        uint32_t total = static_cast<uint32_t>(sum) + 5;
        for (int64_t i = 0; i < c.block_in; ++i) {
          total += static_cast<uint32_t>(
              static_cast<int8_t>(
                  top.memory.data[kInp + t * c.inp_tile_bytes() + row * c.block_in + i]) *
              static_cast<int8_t>(top.memory.data[kWgt + o * c.block_in + i]));
        }
        EXPECT_EQ(top.memory.data[kOut + t * c.out_tile_bytes() + row * c.block_out + o],
                  static_cast<uint8_t>(total))
            << "tile " << t << " row " << row << " channel " << o;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::hw
