// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tile products of the GEMM unit in both profiles against a second derivation: all
// six factors, bases, init, reset, empty loops, the same accumulator at any distance, digests,
// retirement order, rates in cycles, and every error with its instruction number. Space: random
// programs of up to 14 instructions with gaps between commands, extreme operands. Not tested here:
// Depthwise (depthwise_test), conflicts with VECTOR (tests/hw/mem), tokens (tests/hw/top).
#include <gtest/gtest.h>

#include "isa/costs.h"
#include "tests/hw/gemm/gemm_bench.h"
#include "tests/hw/gemm/gemm_golden.h"

namespace tessera::hw::gemm_test {
namespace {

const isa::Config& TheConfig() {
  static const isa::Config config = *isa::LoadConfig(TESSERA_HW_CONFIG);
  return config;
}

void FillState(Rng& rng, GemmState& s, bool extreme) {
  const auto byte = [&] {
    return static_cast<int8_t>(extreme ? (rng.OneIn(2) ? -128 : 127) : rng.Range(-128, 127));
  };
  for (int8_t& v : s.wgt) v = byte();
  for (int8_t& v : s.inp) v = byte();
  for (int32_t& v : s.acc) v = static_cast<int32_t>(rng.Next());
}

isa::InsnWord Bits(const isa::Insn& insn) { return *isa::Encode(insn); }

// A program in profile tessera and the state it starts from.
struct Program {
  std::vector<isa::Gemm> insns;
};

isa::Gemm RandomGemm(Rng& rng, const isa::Config& c, GemmState& s) {
  isa::Gemm g;
  g.uop_count = rng.OneIn(8) ? 0 : rng.Range(1, 7);
  g.uop_begin = rng.Range(0, c.Depth(isa::Memory::kUop) - 8);
  g.iter_out = rng.OneIn(10) ? 0 : rng.Range(1, 5);
  g.iter_in = rng.OneIn(10) ? 0 : rng.Range(1, 6);
  // Few accumulators, so that the same one comes at every small distance.
  const int64_t spread = rng.Range(0, 3);
  g.dst_out = rng.Range(0, spread);
  g.dst_in = rng.Range(0, spread);
  g.src_out = rng.Range(0, 9);
  g.src_in = rng.Range(0, 9);
  g.wgt_out = rng.Range(0, 5);
  g.wgt_in = rng.Range(0, 5);
  g.dst_base = rng.Range(0, c.Depth(isa::Memory::kAcc) - 40);
  g.src_base = rng.Range(0, c.Depth(isa::Memory::kInp) - 120);
  g.wgt_base = rng.Range(0, c.Depth(isa::Memory::kWgt) - 70);
  for (int64_t u = 0; u < g.uop_count; ++u) {
    const isa::Uop uop{.dst = rng.Range(0, spread),
                       .src = rng.Range(0, 9),
                       .wgt = rng.Range(0, 9),
                       .init = rng.OneIn(4)};
    s.uop[g.uop_begin + u] = *isa::EncodeUop(uop);
  }
  return g;
}

void ExpectSame(const GemmState& got, const GemmState& want, int64_t lanes) {
  for (size_t i = 0; i < want.acc.size(); ++i) {
    ASSERT_EQ(got.acc[i], want.acc[i]) << "acc tile " << i / lanes << " lane " << i % lanes;
  }
}

class GemmRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(GemmRandom, TesseraProgramsMatchWideSums) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  const isa::Config& c = TheConfig();
  GemmBench bench(c, false);
  FillState(rng, bench.state, GetParam() % 4 == 0);
  std::vector<isa::Gemm> insns;
  // Each instruction has its own micro-ops: those of later ones must not replace those of earlier
  // ones.
  const int64_t count = rng.Range(1, 14);
  for (int64_t n = 0; n < count; ++n) {
    isa::Gemm g = RandomGemm(rng, c, bench.state);
    const std::vector<uint64_t> uops(bench.state.uop.begin() + g.uop_begin,
                                     bench.state.uop.begin() + g.uop_begin + g.uop_count);
    g.uop_begin = n * 8;
    std::copy(uops.begin(), uops.end(), bench.state.uop.begin() + g.uop_begin);
    insns.push_back(g);
  }
  GemmState want = bench.state;
  GemmGolden golden(c, want);
  std::vector<Command> commands;
  std::vector<uint64_t> digests;
  int64_t steps = 0;
  const bool gaps = rng.OneIn(2);
  for (const isa::Gemm& g : insns) {
    golden.Run(g);
    digests.push_back(golden.TakeDigest());
    steps += g.iter_out * g.iter_in * g.uop_count;
    commands.push_back({Bits(g), static_cast<uint32_t>(100 + commands.size()),
                        static_cast<int>(gaps ? rng.Range(0, 9) : 0)});
  }
  bench.Run(commands, 1000 + c.array_passes * steps);
  EXPECT_FALSE(bench.error);
  ASSERT_EQ(bench.digests, digests);
  EXPECT_EQ(bench.busy, c.array_passes * steps);
  ExpectSame(bench.state, want, c.lanes());
}

TEST_P(GemmRandom, VtaProgramsMatchWideSums) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  if (!isa::ValidateVtaProfile(TheConfig()))
    GTEST_SKIP() << "VTA has no encoding of this configuration";
  Rng rng(GetParam() + 5000);
  const isa::Config& c = TheConfig();
  const isa::VtaCodec codec = *isa::VtaCodec::Make(c);
  GemmBench bench(c, true);
  FillState(rng, bench.state, GetParam() % 4 == 0);
  std::vector<isa::VtaUop> uops(c.Depth(isa::Memory::kUop, isa::Profile::kVta));
  for (size_t n = 0; n < uops.size(); ++n) {
    uops[n] = {
        .dst_idx = rng.Range(0, 3), .src_idx = rng.Range(0, 30), .wgt_idx = rng.Range(0, 30)};
    bench.state.uop[n / 2] |= uint64_t{*codec.EncodeUop(uops[n])} << (32 * (n % 2));
  }
  GemmState want = bench.state;
  GemmGolden golden(c, want);
  std::vector<Command> commands;
  std::vector<uint64_t> digests;
  for (int64_t n = rng.Range(1, 10); n > 0; --n) {
    isa::VtaGemm g;
    g.reset_reg = rng.OneIn(4);
    g.uop_bgn = rng.Range(0, static_cast<int64_t>(uops.size()) - 8);
    g.uop_end = rng.OneIn(8) ? g.uop_bgn : g.uop_bgn + rng.Range(1, 8);
    if (rng.OneIn(12) && g.uop_bgn > 0) g.uop_end = g.uop_bgn - 1;  // an empty loop
    g.iter_out = rng.OneIn(12) ? 0 : rng.Range(1, 5);
    g.iter_in = rng.OneIn(12) ? 0 : rng.Range(1, 5);
    g.dst_factor_out = rng.Range(0, 4);
    g.dst_factor_in = rng.Range(0, 4);
    g.src_factor_out = rng.Range(0, 9);
    g.src_factor_in = rng.Range(0, 9);
    g.wgt_factor_out = rng.Range(0, 9);
    g.wgt_factor_in = rng.Range(0, 9);
    golden.Run(g, uops);
    digests.push_back(golden.TakeDigest());
    Command command{{}, static_cast<uint32_t>(n), static_cast<int>(rng.Range(0, 3))};
    const isa::VtaInsnWord word = *codec.Encode(g);
    command.insn = {word[0], word[1], rng.Next(), rng.Next()};  // the high half is ignored
    commands.push_back(command);
  }
  bench.Run(commands, 10000);
  EXPECT_FALSE(bench.error);
  ASSERT_EQ(bench.digests, digests);
  ExpectSame(bench.state, want, c.lanes());
}
INSTANTIATE_TEST_SUITE_P(Seeds, GemmRandom, ::testing::Range(uint64_t{0}, uint64_t{40}));

constexpr int64_t kPipeline = isa::StartCycles(isa::Unit::kGemm);
// With half the columns every micro-op takes two cycles.
const int64_t kPasses = TheConfig().array_passes;

TEST(GemmRate, TheTablesSayTheSame) {
  EXPECT_EQ(isa::StepCycles<isa::Gemm>(TheConfig()), kPasses);
  EXPECT_EQ(TheConfig().macs_per_cycle() * kPasses,
            TheConfig().batch * TheConfig().block_in * TheConfig().block_in);
}

// N micro-op steps retire N + kPipeline cycles after the command was taken, all into one
// accumulator.
TEST(GemmRate, OneStepEveryCycleIntoOneAccumulator) {
  for (int64_t inner : {1, 2, 3, 17, 400}) {
    GemmBench bench(TheConfig(), false);
    isa::Gemm g;
    g.uop_count = 3;
    g.iter_out = 2;
    g.iter_in = inner;
    const int64_t steps = g.uop_count * g.iter_out * g.iter_in;
    for (int8_t& v : bench.state.wgt) v = -128;
    for (int8_t& v : bench.state.inp) v = -128;
    bench.Run({{Bits(g), 0, 0}}, kPasses * steps + 100);
    ASSERT_EQ(bench.retired.size(), 1u);
    EXPECT_EQ(bench.retired[0] - bench.taken[0], kPasses * steps + kPipeline) << steps << " steps";
    EXPECT_LE(bench.retired[0] - bench.taken[0], kPasses * steps + 16);
    EXPECT_EQ(bench.state.acc[0], steps * TheConfig().block_in * 16384);
  }
}

// Commands of two cycles follow each other without an idle one. Commands of one cycle follow every
// second: the unit holds a command for a cycle in front of the loops, and takes the next one when
// it has gone. A command with nothing to do has one cycle.
TEST(GemmRate, ShortCommandsFollowWithoutAGap) {
  GemmBench bench(TheConfig(), false);
  std::vector<Command> commands;
  for (int n = 0; n < 30; ++n) {
    isa::Gemm g;
    g.uop_count = n % 5 == 4 ? 0 : 1;
    g.iter_out = 1;
    g.iter_in = n < 15 ? 1 : 2;
    commands.push_back({Bits(g), static_cast<uint32_t>(n), 0});
  }
  bench.Run(commands, 200);
  ASSERT_EQ(bench.retired.size(), 30u);
  int64_t start = bench.taken[0] + 1;
  for (int n = 0; n < 30; ++n) {
    const int64_t cycles = n % 5 == 4 ? 1 : (n < 15 ? 1 : 2) * kPasses;
    EXPECT_EQ(bench.retired[n], start - 1 + cycles + kPipeline);
    if (n + 1 < 30) {
      EXPECT_EQ(bench.taken[n + 1], start + 1);
    }
    start += std::max<int64_t>(2, cycles);
  }
}

// Consecutive steps into one tile read it once and write it once, which leaves its bank to other
// clients. A tile that returns within three cycles is still in the pipeline and is not read again.
// With half the columns a micro-op reads and writes once all the same, but two of other tiles in
// between are four cycles.
TEST(GemmRate, ARunOfStepsIsOneReadAndOneWriteOfAcc) {
  constexpr int64_t kSteps = 36, kRuns = 20;
  struct Case {
    int64_t tiles, reads, writes;  // of a run: kSteps micro-ops that take |tiles| tiles in turn
    bool init;
  };
  for (const Case& k : {Case{1, 1, 1, false},
                        {1, 0, 1, true},
                        {2, 2, kSteps, false},
                        {3, kPasses == 1 ? 3 : kSteps, kSteps, false},
                        {4, kSteps, kSteps, false}}) {
    SCOPED_TRACE(::testing::Message() << k.tiles << " tiles in turn, init " << k.init);
    GemmBench bench(TheConfig(), false);
    isa::Gemm g;
    g.uop_count = kSteps;
    g.iter_out = 2, g.iter_in = kRuns / 2;
    g.dst_out = kRuns / 2, g.dst_in = 1;
    for (int64_t u = 0; u < kSteps; ++u) {
      bench.state.uop[u] = *isa::EncodeUop(
          {.dst = u % k.tiles * kRuns, .src = 0, .wgt = 0, .init = k.init && u == 0});
    }
    bench.Run({{Bits(g), 0, 0}}, kPasses * kRuns * kSteps + 100);
    ASSERT_EQ(bench.retired.size(), 1u);
    EXPECT_EQ(bench.acc_reads, kRuns * k.reads);
    EXPECT_EQ(bench.acc_writes, kRuns * k.writes);
  }
}

struct Bad {
  const char* name;
  isa::Gemm insn;
  uint64_t uop;
  isa::MachineError error;
};

std::vector<Bad> BadCommands() {
  const isa::Config& c = TheConfig();
  const int64_t acc = c.Depth(isa::Memory::kAcc), inp = c.Depth(isa::Memory::kInp),
                wgt = c.Depth(isa::Memory::kWgt), uop = c.Depth(isa::Memory::kUop);
  isa::Gemm one;
  one.uop_count = one.iter_out = 1;
  one.iter_in = 3;
  std::vector<Bad> bad;
  const auto add = [&](const char* name, auto change, uint64_t word, isa::MachineError error) {
    bad.push_back({name, one, word, error});
    change(bad.back().insn);
  };
  using enum isa::MachineError;
  add(
      "dst by base", [&](isa::Gemm& g) { g.dst_base = acc; }, 0, kSramRange);
  add(
      "dst by its last step", [&](isa::Gemm& g) { g.dst_base = acc - 4, g.dst_in = 2; }, 0,
      kSramRange);
  add(
      "src by micro-op", [&](isa::Gemm&) {}, static_cast<uint64_t>(inp) << 20, kSramRange);
  add(
      "wgt by sum", [&](isa::Gemm& g) { g.wgt_base = wgt - 1; }, uint64_t{1} << 40, kSramRange);
  add(
      "past 2^20", [&](isa::Gemm& g) { g.dst_base = 0xfffff; }, 0xfffff, kSramRange);
  add(
      "far past 2^20",
      [&](isa::Gemm& g) { g.iter_in = 40, g.src_in = 65535, g.src_base = inp - 1; }, 0, kSramRange);
  add(
      "micro-op", [&](isa::Gemm& g) { g.uop_begin = uop; }, 0, kSramRange);
  add(
      "micro-op's last", [&](isa::Gemm& g) { g.uop_begin = uop - 1, g.uop_count = 2; }, 0,
      kSramRange);
  add(
      "micro-op's bits", [&](isa::Gemm&) {}, uint64_t{1} << 61, kIllegalField);
  return bad;
}

TEST(GemmErrors, StopTheUnitInOrder) {
  for (const Bad& bad : BadCommands()) {
    SCOPED_TRACE(bad.name);
    GemmBench bench(TheConfig(), false);
    for (int8_t& v : bench.state.wgt) v = 1;
    for (int8_t& v : bench.state.inp) v = 1;
    isa::Gemm good;
    good.uop_begin = 1;
    good.uop_count = good.iter_out = 1;
    good.iter_in = 2;
    good.dst_in = 1;
    bench.state.uop[0] = bad.uop;
    bench.state.uop.back() = bad.uop;
    isa::Gemm after = good;
    after.dst_base = 2;
    bench.Run({{Bits(good), 7, 0}, {Bits(bad.insn), 8, 0}, {Bits(after), 9, 0}}, 300);
    bench.Idle(50);
    EXPECT_TRUE(bench.error);
    EXPECT_EQ(bench.error_code, static_cast<int>(bad.error));
    EXPECT_EQ(bench.error_num, 8u);
    EXPECT_EQ(bench.retired.size(), 1u);
    EXPECT_EQ(bench.state.acc[2 * TheConfig().lanes()], 0) << "the command behind the error ran";
  }
}

TEST(GemmErrors, VtaMicroOpPastTheEnd) {
  if (!isa::ValidateVtaProfile(TheConfig()))
    GTEST_SKIP() << "VTA has no encoding of this configuration";
  const isa::Config& c = TheConfig();
  const isa::VtaCodec codec = *isa::VtaCodec::Make(c);
  GemmBench bench(c, true);
  isa::VtaGemm g;
  g.uop_bgn = c.Depth(isa::Memory::kUop, isa::Profile::kVta) - 1;
  g.uop_end = g.uop_bgn + 2;
  g.iter_out = g.iter_in = 1;
  const isa::VtaInsnWord word = *codec.Encode(g);
  bench.Run({{{word[0], word[1], 0, 0}, 3, 0}}, 100);
  EXPECT_TRUE(bench.error);
  EXPECT_EQ(bench.error_code, static_cast<int>(isa::MachineError::kSramRange));
  EXPECT_EQ(bench.error_num, 3u);
}

// A reset reads neither INP nor WGT, so their indices do not matter.
TEST(GemmErrors, VtaResetIgnoresWhatItDoesNotRead) {
  if (!isa::ValidateVtaProfile(TheConfig()))
    GTEST_SKIP() << "VTA has no encoding of this configuration";
  const isa::Config& c = TheConfig();
  const isa::VtaCodec codec = *isa::VtaCodec::Make(c);
  GemmBench bench(c, true);
  isa::VtaGemm g;
  g.reset_reg = 1;
  g.uop_end = 1;
  g.iter_out = 1;
  g.iter_in = 9;
  g.src_factor_in = c.Depth(isa::Memory::kInp) - 1;
  g.wgt_factor_in = c.Depth(isa::Memory::kWgt) - 1;
  g.dst_factor_in = 1;
  std::fill(bench.state.acc.begin(), bench.state.acc.end(), 5);
  const isa::VtaInsnWord word = *codec.Encode(g);
  bench.Run({{{word[0], word[1], 0, 0}, 3, 0}}, 100);
  EXPECT_FALSE(bench.error);
  EXPECT_EQ(bench.state.acc[9 * c.lanes() - 1], 0);
  EXPECT_EQ(bench.state.acc[9 * c.lanes()], 5);
}

}  // namespace
}  // namespace tessera::hw::gemm_test
