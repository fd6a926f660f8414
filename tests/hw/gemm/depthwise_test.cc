// SPDX-License-Identifier: Apache-2.0
//
// What is tested: Depthwise of the GEMM unit against a second derivation: all window sizes,
// strides, dilations, overlaps of windows, bank conflicts, init or add, channel blocks, mixed with
// tile products; rates in cycles; errors. Space: random programs of up to 8 instructions, extreme
// operands. Not tested here: tile products alone (gemm_test).
#include <gtest/gtest.h>

#include "isa/costs.h"
#include "tests/hw/gemm/gemm_bench.h"
#include "tests/hw/gemm/gemm_golden.h"

namespace tessera::hw::depthwise_test {
namespace {

const isa::Config& TheConfig() {
  static const isa::Config config = *isa::LoadConfig(TESSERA_HW_CONFIG);
  return config;
}

isa::Depthwise RandomDepthwise(Rng& rng, const isa::Config& c) {
  isa::Depthwise d;
  d.kh = rng.Range(1, 3);
  d.kw = rng.Range(1, 3);
  d.init = rng.OneIn(2);
  d.iter_z = rng.OneIn(12) ? 0 : rng.Range(1, 2);
  d.iter_out = rng.OneIn(12) ? 0 : rng.Range(1, 3);
  d.iter_in = rng.OneIn(12) ? 0 : rng.Range(1, 6);
  d.win_x = rng.Range(0, 3);
  d.win_y = rng.Range(0, 12);
  const int64_t overlap = rng.Range(0, 3);
  d.src_in = overlap < 3 ? overlap * d.win_x : rng.Range(0, 6);
  d.src_out = rng.Range(0, 12);
  d.src_z = rng.Range(0, 40);
  d.dst_in = rng.Range(0, 2);
  d.dst_out = rng.Range(0, 6);
  d.dst_z = rng.Range(0, 12);
  d.wgt_z = rng.Range(0, 3);
  d.dst_base = rng.Range(0, c.Depth(isa::Memory::kAcc) - 35);
  d.src_base = rng.Range(0, c.Depth(isa::Memory::kInp) - 125);
  d.wgt_base = rng.Range(0, c.Depth(isa::Memory::kWgt) - 10);
  return d;
}

void FillState(Rng& rng, GemmState& s, bool extreme) {
  const auto byte = [&] {
    return static_cast<int8_t>(extreme ? (rng.OneIn(2) ? -128 : 127) : rng.Range(-128, 127));
  };
  for (int8_t& v : s.wgt) v = byte();
  for (int8_t& v : s.inp) v = byte();
  for (int32_t& v : s.acc) v = static_cast<int32_t>(rng.Next());
}

class DepthwiseRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(DepthwiseRandom, ProgramsMatchWideSums) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  const isa::Config& c = TheConfig();
  GemmBench bench(c, false);
  FillState(rng, bench.state, GetParam() % 5 == 0);
  bench.state.uop[0] = *isa::EncodeUop({.dst = 1, .src = 2, .wgt = 3, .init = 0});
  bench.state.uop[1] = *isa::EncodeUop({.dst = 0, .src = 0, .wgt = 1, .init = 1});
  GemmState want = bench.state;
  GemmGolden golden(c, want);
  std::vector<Command> commands;
  std::vector<uint64_t> digests;
  for (int64_t n = rng.Range(1, 8); n > 0; --n) {
    Command command{
        {}, static_cast<uint32_t>(n), static_cast<int>(rng.OneIn(3) ? rng.Range(0, 20) : 0)};
    if (rng.OneIn(4)) {
      isa::Gemm g;
      g.uop_count = rng.Range(0, 2);
      g.iter_out = 1;
      g.iter_in = rng.Range(1, 3);
      g.dst_base = rng.Range(0, 3);
      golden.Run(g);
      command.insn = *isa::Encode(g);
    } else {
      const isa::Depthwise d = RandomDepthwise(rng, c);
      golden.Run(d);
      command.insn = *isa::Encode(d);
    }
    digests.push_back(golden.TakeDigest());
    commands.push_back(command);
  }
  bench.Run(commands, 20000);
  EXPECT_FALSE(bench.error) << bench.error_code << " at " << bench.error_num;
  EXPECT_EQ(bench.bank_clashes, 0);
  ASSERT_EQ(bench.digests, digests);
  ASSERT_EQ(bench.state.acc, want.acc);
}
INSTANTIATE_TEST_SUITE_P(Seeds, DepthwiseRandom, ::testing::Range(uint64_t{0}, uint64_t{150}));

// Every window size, with every overlap, one after the other in one program.
TEST(Depthwise, EveryWindowSize) {
  const isa::Config& c = TheConfig();
  Rng rng(9);
  GemmBench bench(c, false);
  FillState(rng, bench.state, false);
  GemmState want = bench.state;
  GemmGolden golden(c, want);
  std::vector<Command> commands;
  for (int kh = 1; kh <= 3; ++kh) {
    for (int kw = 1; kw <= 3; ++kw) {
      for (int stride = 1; stride <= 3; ++stride) {
        isa::Depthwise d;
        d.kh = kh, d.kw = kw, d.win_x = 1, d.win_y = 17, d.src_in = stride;
        d.iter_z = d.iter_out = 1;
        d.iter_in = 5;
        d.dst_in = 1;
        d.dst_base = 5 * ((3 * kh + kw) % 7);
        d.src_base = rng.Range(0, 60);
        golden.Run(d);
        commands.push_back({*isa::Encode(d), 0, 0});
      }
    }
  }
  bench.Run(commands, 5000);
  EXPECT_EQ(bench.retired.size(), commands.size());
  ASSERT_EQ(bench.state.acc, want.acc);
}

// Cycles from taking the command to its retirement, for one row of |tiles| windows.
int64_t RowCycles(int64_t tiles, int64_t stride, int64_t win_y) {
  GemmBench bench(TheConfig(), false);
  isa::Depthwise d;
  d.kh = d.kw = 3, d.win_x = 1, d.win_y = win_y, d.src_in = stride;
  d.iter_z = d.iter_out = 1;
  d.iter_in = tiles;
  d.dst_in = 1;
  bench.Run({{*isa::Encode(d), 0, 0}}, 2000);
  return bench.retired.at(0) - bench.taken.at(0);
}

TEST(DepthwiseRate, WindowsOfThreeByThree) {
  const int64_t steps = isa::StepCycles<isa::Depthwise>(TheConfig(), 9);
  // A cycle multiplies a quarter of the channels with half the columns, else half of them, and as
  // many taps as the array has rows.
  EXPECT_EQ(steps, (TheConfig().array_passes == 2 ? 4 : 2) * CeilDiv(9, TheConfig().block_in));
  for (int64_t win_y : {7, 9, 18}) {
    const int64_t two = std::max<int64_t>(2, steps), three = std::max<int64_t>(3, steps);
    EXPECT_EQ(RowCycles(60, 1, win_y) - RowCycles(10, 1, win_y), 50 * two)
        << "stride 1, rows " << win_y << " apart";
    EXPECT_EQ(RowCycles(40, 2, win_y) - RowCycles(10, 2, win_y), 30 * three)
        << "stride 2, rows " << win_y << " apart";
  }
  // Rows in one bank cost a cycle more: the three tiles are read one at a time.
  EXPECT_EQ(RowCycles(60, 1, 8) - RowCycles(10, 1, 8), 50 * std::max<int64_t>(3, steps));
  // The 21 cycles are two that decide the first slots' reads, a row's first window, the row, and
  // the pipeline.
  EXPECT_LE(RowCycles(60, 1, 9), 60 * std::max<int64_t>(2, steps) + 21);
}

TEST(DepthwiseErrors, StopTheUnitInOrder) {
  const isa::Config& c = TheConfig();
  struct Case {
    const char* name;
    void (*change)(isa::Depthwise&, const isa::Config&);
    isa::MachineError error;
  };
  const Case cases[] = {
      {"kh", [](isa::Depthwise& d, const isa::Config&) { d.kh = 0; },
       isa::MachineError::kIllegalField},
      {"kw, nothing to do", [](isa::Depthwise& d, const isa::Config&) { d.kw = 0, d.iter_z = 0; },
       isa::MachineError::kIllegalField},
      {"dst",
       [](isa::Depthwise& d, const isa::Config& k) { d.dst_base = k.Depth(isa::Memory::kAcc) - 3; },
       isa::MachineError::kSramRange},
      {"window's last tile",
       [](isa::Depthwise& d, const isa::Config& k) {
         d.src_base = k.Depth(isa::Memory::kInp) - 4 - 2 * d.win_y - 1;
       },
       isa::MachineError::kSramRange},
      {"weights",
       [](isa::Depthwise& d, const isa::Config& k) { d.wgt_base = k.Depth(isa::Memory::kWgt); },
       isa::MachineError::kSramRange},
      {"far away",
       [](isa::Depthwise& d, const isa::Config&) { d.win_y = 65535, d.src_base = 0xfffff; },
       isa::MachineError::kSramRange}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    GemmBench bench(c, false);
    for (int8_t& v : bench.state.wgt) v = 1;
    for (int8_t& v : bench.state.inp) v = 1;
    isa::Depthwise good;
    good.kh = good.kw = 3, good.win_x = 1, good.win_y = 9, good.src_in = 1, good.dst_in = 1;
    good.iter_z = good.iter_out = 1;
    good.iter_in = 4;
    good.dst_base = 8;
    isa::Depthwise bad = good;
    bad.dst_base = 14;  // its first windows may be in range
    one.change(bad, c);
    isa::Depthwise after = good;
    after.dst_base = 20;
    bench.Run({{*isa::Encode(good), 1, 0}, {*isa::Encode(bad), 2, 0}, {*isa::Encode(after), 3, 0}},
              300);
    bench.Idle(60);
    EXPECT_TRUE(bench.error);
    EXPECT_EQ(bench.error_code, static_cast<int>(one.error));
    EXPECT_EQ(bench.error_num, 2u);
    EXPECT_EQ(bench.retired.size(), 1u);
    EXPECT_EQ(bench.state.acc[8 * c.lanes()], 9) << "the command in front of the error";
    EXPECT_EQ(bench.state.acc[11 * c.lanes()], 9) << "the command in front of the error";
    EXPECT_EQ(bench.state.acc[20 * c.lanes()], 0) << "the command behind the error ran";
  }
  // The last window that fits.
  GemmBench bench(c, false);
  isa::Depthwise d;
  d.kh = d.kw = 3, d.win_x = 1, d.win_y = 9, d.src_in = 1;
  d.iter_z = d.iter_out = 1;
  d.iter_in = 4;
  d.src_base = c.Depth(isa::Memory::kInp) - 3 - 2 - 18 - 1;
  bench.Run({{*isa::Encode(d), 2, 0}}, 300);
  EXPECT_FALSE(bench.error);
  EXPECT_EQ(bench.retired.size(), 1u);
}

}  // namespace
}  // namespace tessera::hw::depthwise_test
