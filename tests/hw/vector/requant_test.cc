// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the arithmetic of REQUANT, ADD and ALU in all three rounding modes against
// divisions of exact 128-bit numbers. Space: at least 150,000 values a rounding mode: random, ties
// and near ties, extremes of accumulator, bias, multiplier and shift; every int8 source with every
// zero point; every int8 result of every lane through TAB; ALU operands from a list of edges. Not
// tested here: loops and hazards (vector_test).
#include <gtest/gtest.h>

#include "tests/hw/vector/vector_bench.h"
#include "tests/hw/vector/vector_golden.h"

namespace tessera::hw::requant_test {
namespace {

const isa::Config& TheConfig() {
  static const isa::Config config = *isa::LoadConfig(TESSERA_HW_CONFIG);
  return config;
}

constexpr int32_t kEdges[] = {0,           1,          -1,        2,          -2,
                              31,          -31,        32,        -32,        33,
                              -33,         63,         64,        -64,        127,
                              -128,        65535,      65536,     0x3fffffff, 0x40000000,
                              -0x40000000, 0x7ffffffe, INT32_MAX, INT32_MIN,  INT32_MIN + 1};

int32_t Value(Rng& rng) {
  switch (rng.Range(0, 3)) {
    case 0:
      return kEdges[rng.Range(0, static_cast<int64_t>(std::size(kEdges)) - 1)];
    case 1:
      return static_cast<int32_t>(static_cast<uint32_t>(rng.Next()) >> rng.Range(0, 31)) *
             (rng.OneIn(2) ? 1 : -1);
    default:
      return static_cast<int32_t>(rng.Next());
  }
}

// Multipliers that make ties (powers of two and sums of a few of them), and any others.
uint32_t Multiplier(Rng& rng) {
  switch (rng.Range(0, 3)) {
    case 0:
      return uint32_t{1} << rng.Range(0, 30);
    case 1:
      return (uint32_t{1} << rng.Range(0, 30) | uint32_t{1} << rng.Range(0, 30));
    case 2:
      return rng.OneIn(2) ? 0x7fffffff : 0x40000000;
    default:
      return static_cast<uint32_t>(rng.Next()) >> 1;
  }
}

class RequantRound : public ::testing::TestWithParam<isa::Round> {};

TEST_P(RequantRound, ChannelParameters) {
  const isa::Config& c = TheConfig();
  const int64_t tiles = std::min<int64_t>(c.Depth(isa::Memory::kAcc), c.Depth(isa::Memory::kOut));
  int64_t values = 0;
  for (uint64_t seed = 0; values < 75000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    VectorBench bench(c, false);
    for (int32_t& v : bench.state.acc) v = Value(rng);
    for (int64_t record = 0; record < c.prm_depth; ++record) {
      for (int64_t ch = 0; ch < c.block_out; ++ch) {
        uint8_t* bytes = &bench.state.prm[record * 9 * c.block_out];
        const int32_t bias = rng.OneIn(2) ? 0 : Value(rng);
        const uint32_t multiplier = Multiplier(rng);
        std::memcpy(bytes + 4 * ch, &bias, 4);
        std::memcpy(bytes + 4 * (c.block_out + ch), &multiplier, 4);
        bytes[8 * c.block_out + ch] =
            static_cast<uint8_t>(rng.OneIn(3) ? rng.Range(-32, 31) : rng.Range(-12, 2));
      }
    }
    // Requantises to OUT with a clamp, then to ACC in place with all 32 bits.
    isa::Requant r;
    r.round = static_cast<int64_t>(GetParam());
    r.iter_out = tiles / 64;
    r.iter_in = 64;
    r.src_out = r.dst_out = 64;
    r.src_in = r.dst_in = r.prm_in = 1;
    r.dst_mem = 1;
    r.out_zero = rng.Range(-128, 127);
    r.lo = rng.OneIn(3) ? rng.Range(-128, 0) : -128;
    r.hi = rng.OneIn(3) ? rng.Range(0, 127) : 127;
    isa::Requant whole = r;
    whole.dst_mem = 0;
    VectorState want = bench.state;
    VectorGolden golden(c, want);
    golden.Run(r);
    golden.Run(whole);
    bench.Run({{*isa::Encode(r), 0, 0}, {*isa::Encode(whole), 1, 0}}, 5 * tiles + 1000);
    ASSERT_EQ(bench.retired.size(), 2u);
    ASSERT_EQ(bench.state.out, want.out);
    ASSERT_EQ(bench.state.acc, want.acc);
    values += tiles * c.lanes();
  }
}

// Exact ties at every right shift, both signs, odd and even quotients, and their neighbours.
TEST_P(RequantRound, Ties) {
  const isa::Config& c = TheConfig();
  std::vector<Command> commands;
  VectorBench bench(c, false);
  const int64_t lanes = c.lanes();
  Rng rng(4);
  for (int64_t l = 0; l < lanes * 8; ++l) bench.state.acc[l] = 0;
  VectorState want = bench.state;
  for (int right = 0; right <= 31; ++right) {
    // Multiplier 2^30 halves a, so that an odd a is a tie at shift 0; at shift -right, a is a tie
    // when a mod 2^(right + 1) is 2^right.
    for (int64_t l = 0; l < lanes * 8; ++l) {
      const int64_t quotient = rng.Range(-9, 9);
      const int64_t tie = (2 * quotient + 1) << right;
      bench.state.acc[l] = static_cast<int32_t>(tie + rng.Range(-1, 1));
    }
    want = bench.state;
    VectorGolden golden(c, want);
    isa::Requant r;
    r.per_tensor = 1;
    r.multiplier = 1 << 30;
    r.shift = -right;
    r.round = static_cast<int64_t>(GetParam());
    r.iter_out = 1;
    r.iter_in = 8;
    r.src_in = r.dst_in = 1;
    golden.Run(r);
    bench.Run({{*isa::Encode(r), 0, 0}}, 200);
    ASSERT_EQ(bench.state.acc, want.acc) << "shift -" << right;
  }
}

// int8 sources: every value with every zero point, and random source shifts.
TEST_P(RequantRound, Int8Sources) {
  const isa::Config& c = TheConfig();
  Rng rng(7);
  VectorBench bench(c, false);
  for (size_t i = 0; i < bench.state.inp.size(); ++i) bench.state.inp[i] = static_cast<int8_t>(i);
  for (size_t i = 0; i < bench.state.acc.size(); ++i) bench.state.acc[i] = Value(rng);
  const int64_t tiles = 256 / c.lanes() > 0 ? 256 / c.lanes() : 1;
  for (int zero = -128; zero <= 127; ++zero) {
    isa::Requant r;
    r.src_mem = 2, r.dst_mem = 1;
    r.per_tensor = 1;
    r.multiplier = Multiplier(rng);
    r.shift = rng.Range(-20, 3);
    r.src_zero = zero;
    r.src_shift = rng.Range(0, 31);
    r.round = static_cast<int64_t>(GetParam());
    r.out_zero = rng.Range(-128, 127);
    r.lo = -128, r.hi = 127;
    r.iter_out = 1, r.iter_in = tiles;
    r.src_in = r.dst_in = 1;
    isa::Add a;
    a.src_mem = 2, a.dst_mem = 0;
    a.multiplier = Multiplier(rng);
    a.shift = rng.Range(-20, 3);
    a.src_zero = zero;
    a.src_shift = rng.Range(0, 31);
    a.round = r.round;
    a.iter_out = 1, a.iter_in = tiles;
    a.src_in = a.dst_in = 1;
    VectorState want = bench.state;
    VectorGolden golden(c, want);
    golden.Run(r);
    golden.Run(a);
    bench.Run({{*isa::Encode(r), 0, 0}, {*isa::Encode(a), 0, 0}}, 1000);
    ASSERT_EQ(bench.state.out, want.out) << "zero point " << zero;
    ASSERT_EQ(bench.state.acc, want.acc) << "zero point " << zero;
  }
}
INSTANTIATE_TEST_SUITE_P(Rounds, RequantRound,
                         ::testing::Values(isa::Round::kTflite, isa::Round::kEven,
                                           isa::Round::kHalfUp));

// Every int8 result in every lane becomes the byte that TAB has for it, and none does without the
// flag; ACC gets the result itself.
TEST(RequantTable, EveryResultOfEveryLane) {
  const isa::Config& c = TheConfig();
  if (c.tab_bytes == 0) GTEST_SKIP() << "the machine has no TAB; vector_rate_test has its errors";
  Rng rng(17);
  VectorBench bench(c, false);
  for (int8_t& v : bench.state.tab) v = static_cast<int8_t>(rng.Next());
  std::vector<int> values;  // the result that each element of ACC gives
  for (int64_t i = 0; i < 256 * c.lanes(); ++i) {
    values.push_back(static_cast<int8_t>(i / c.lanes() + 37 * (i % c.lanes())));
    bench.state.acc[i] = values.back();
  }
  isa::Requant r;
  r.per_tensor = 1, r.multiplier = 1 << 30, r.shift = 1;  // the product is the accumulator
  r.lo = -128, r.hi = 127;
  r.iter_out = 4, r.iter_in = 64;
  r.src_out = r.dst_out = 64;
  r.src_in = r.dst_in = 1;
  isa::Add zero_plus;  // OUT and INP hold zeros before the results
  zero_plus.src_mem = 1, zero_plus.multiplier = 1 << 30, zero_plus.shift = 1;
  zero_plus.lo = -128, zero_plus.hi = 127;
  zero_plus.iter_out = 4, zero_plus.iter_in = 64;
  zero_plus.src_out = zero_plus.dst_out = 64;
  zero_plus.src_in = zero_plus.dst_in = 1;
  const auto expect = [&](const isa::Insn& insn, std::vector<int8_t>& memory, bool table) {
    std::ranges::fill(bench.state.out, 0);
    std::ranges::fill(bench.state.inp, 0);
    bench.Run({{*isa::Encode(insn), 0, 0}}, 1000);
    ASSERT_FALSE(bench.error);
    for (size_t i = 0; i < values.size(); ++i) {
      const int want = table ? bench.state.tab[static_cast<size_t>(values[i] + 128)] : values[i];
      ASSERT_EQ(memory[i], want) << "element " << i << ", result " << values[i];
    }
  };
  for (int64_t table : {1, 0}) {
    r.table = zero_plus.table = table;
    r.dst_mem = zero_plus.dst_mem = 1;
    expect(r, bench.state.out, table);
    expect(zero_plus, bench.state.out, table);
    r.dst_mem = zero_plus.dst_mem = 2;
    expect(r, bench.state.inp, table);
    expect(zero_plus, bench.state.inp, table);
  }
  r.dst_mem = 0;
  const std::vector<int32_t> acc = bench.state.acc;
  bench.Run({{*isa::Encode(r), 0, 0}}, 1000);
  EXPECT_EQ(bench.state.acc, acc);
}

// Every ALU operation on every pair of edges, and on random pairs.
TEST(AluValues, EdgesAndRandomPairs) {
  const isa::Config& c = TheConfig();
  Rng rng(11);
  for (int op = 0; op < isa::EnumCount("AluOp"); ++op) {
    for (int round = 0; round < 4; ++round) {
      VectorBench bench(c, false);
      const int64_t tiles = c.Depth(isa::Memory::kAcc) / 2;
      for (int64_t i = 0; i < tiles * c.lanes(); ++i) {
        const bool edges = i < static_cast<int64_t>(std::size(kEdges) * std::size(kEdges));
        bench.state.acc[i] = edges ? kEdges[i % std::size(kEdges)] : Value(rng);
        bench.state.acc[tiles * c.lanes() + i] = edges ? kEdges[i / std::size(kEdges)] : Value(rng);
      }
      isa::Alu r;
      r.alu_op = op;
      r.src_mem = round == 3 ? 3 : 0;
      r.imm = round == 3 ? Value(rng) : 0;
      r.iter_out = 1;
      r.iter_in = tiles;
      r.red_out = r.red_in = 1;
      r.dst_in = r.src_in = 1;
      r.src_base = tiles;
      VectorState want = bench.state;
      VectorGolden golden(c, want);
      golden.Run(r);
      bench.Run({{*isa::Encode(r), 0, 0}}, 3 * c.vector_passes * tiles + 100);
      ASSERT_EQ(bench.state.acc, want.acc) << "operation " << op << ", immediate " << r.imm;
    }
  }
}

}  // namespace
}  // namespace tessera::hw::requant_test
