// SPDX-License-Identifier: Apache-2.0
//
// What is tested: programs of Requant, Add and Alu, and of profile vta's ALU, against a second
// derivation: loops, operands in every memory, TAB, tiles used again at every distance, clearing,
// reductions that read what they write, digests, retirement order. Space: random programs of up to
// 10 instructions; memories that refuse no request, one in four, one in two. Not tested here: every
// value of the arithmetic (requant_test), rates and errors (vector_rate_test).
#include <gtest/gtest.h>

#include "tests/hw/vector/vector_bench.h"
#include "tests/hw/vector/vector_golden.h"

namespace tessera::hw::vector_test {
namespace {

const isa::Config& TheConfig() {
  static const isa::Config config = *isa::LoadConfig(TESSERA_HW_CONFIG);
  return config;
}

int32_t Interesting(Rng& rng) {
  switch (rng.Range(0, 4)) {
    case 0:
      return rng.OneIn(2) ? INT32_MIN : INT32_MAX;
    case 1:
      return static_cast<int32_t>(rng.Range(-40, 40));
    case 2:
      return static_cast<int32_t>(rng.Range(-40000, 40000));
    default:
      return static_cast<int32_t>(rng.Next());
  }
}

void FillState(Rng& rng, const isa::Config& c, VectorState& s) {
  for (int32_t& v : s.acc) v = Interesting(rng);
  for (int8_t& v : s.out) v = static_cast<int8_t>(rng.Next());
  for (int8_t& v : s.inp) v = static_cast<int8_t>(rng.Next());
  for (int8_t& v : s.tab) v = static_cast<int8_t>(rng.Next());
  for (int64_t record = 0; record < c.prm_depth; ++record) {
    uint8_t* bytes = &s.prm[record * 9 * c.block_out];
    for (int64_t ch = 0; ch < c.block_out; ++ch) {
      const int32_t bias = Interesting(rng);
      const uint32_t multiplier = static_cast<uint32_t>(rng.Next()) >> 1;
      std::memcpy(bytes + 4 * ch, &bias, 4);
      std::memcpy(bytes + 4 * (c.block_out + ch), &multiplier, 4);
      bytes[8 * c.block_out + ch] = static_cast<uint8_t>(rng.Range(-31, 31));
    }
  }
}

// Few tiles at a few places, so that instructions often use each other's tiles.
int64_t Base(Rng& rng) { return rng.OneIn(3) ? 200 : rng.Range(0, 6); }

template <typename T>
void RandomRescale(Rng& rng, T& r) {
  r.round = rng.Range(0, 2);
  r.clear = rng.OneIn(2);
  r.src_zero = rng.Range(-128, 127);
  r.src_shift = rng.Range(0, 31);
  r.out_zero = rng.Range(-128, 127);
  r.lo = rng.Range(-128, 0);
  r.hi = rng.Range(0, 127);
  r.dst_mem = rng.Range(0, 2);
  r.table = r.dst_mem != 0 && rng.OneIn(2) && TheConfig().tab_bytes != 0;
  r.multiplier = static_cast<int64_t>(rng.Next() >> 33);
  r.shift = rng.OneIn(2) ? rng.Range(-31, 31) : rng.Range(-9, 0);
  r.src_base = Base(rng), r.dst_base = Base(rng);
  r.src_out = rng.Range(0, 4), r.src_in = rng.Range(0, 2);
  r.dst_out = rng.Range(0, 4), r.dst_in = rng.Range(0, 2);
}

isa::Insn RandomInsn(Rng& rng) {
  const int64_t out = rng.OneIn(10) ? 0 : rng.Range(1, 4), in = rng.OneIn(10) ? 0 : rng.Range(1, 6);
  switch (rng.Range(0, 3)) {
    case 0: {
      isa::Requant r;
      RandomRescale(rng, r);
      r.src_mem = rng.Range(0, 2);
      r.per_tensor = rng.OneIn(2);
      r.prm_base = rng.Range(0, 9), r.prm_out = rng.Range(0, 9), r.prm_in = rng.Range(0, 4);
      r.iter_out = out, r.iter_in = in;
      return r;
    }
    case 1: {
      isa::Add r;
      RandomRescale(rng, r);
      r.src_mem = rng.Range(1, 2);
      r.acc_base = Base(rng);
      r.iter_out = out, r.iter_in = in;
      return r;
    }
    default: {
      isa::Alu r;
      r.alu_op = rng.Range(0, isa::EnumCount("AluOp") - 1);
      r.src_mem = rng.Range(0, 3);
      r.init = rng.OneIn(2);
      r.src_zero = rng.Range(-128, 127);
      r.iter_out = out, r.iter_in = in;
      r.red_out = rng.Range(1, 3), r.red_in = rng.Range(1, 3);
      r.src_base = Base(rng), r.dst_base = Base(rng);
      r.src_out = rng.Range(0, 4), r.src_in = rng.Range(0, 2);
      r.dst_out = rng.Range(0, 4), r.dst_in = rng.Range(0, 2);
      r.red_out_step = rng.Range(0, 3), r.red_in_step = rng.Range(0, 2);
      r.imm = Interesting(rng);
      return r;
    }
  }
}

class VectorRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(VectorRandom, TesseraProgramsMatchExactArithmetic) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  const isa::Config& c = TheConfig();
  constexpr int kRefuse[] = {0, 4, 2};
  VectorBench bench(c, false, kRefuse[GetParam() % 3], GetParam());
  FillState(rng, c, bench.state);
  VectorState want = bench.state;
  VectorGolden golden(c, want);
  std::vector<Command> commands;
  std::vector<uint64_t> digests;
  for (int64_t n = rng.Range(1, 10); n > 0; --n) {
    const isa::Insn insn = RandomInsn(rng);
    if (const auto* r = std::get_if<isa::Requant>(&insn)) golden.Run(*r);
    if (const auto* r = std::get_if<isa::Add>(&insn)) golden.Run(*r);
    if (const auto* r = std::get_if<isa::Alu>(&insn)) golden.Run(*r);
    digests.push_back(golden.TakeDigest());
    commands.push_back({*isa::Encode(insn), static_cast<uint32_t>(n),
                        static_cast<int>(rng.OneIn(3) ? rng.Range(0, 20) : 0)});
  }
  bench.Run(commands, 100000);
  EXPECT_FALSE(bench.error) << bench.error_code << " at " << bench.error_num;
  ASSERT_EQ(bench.digests, digests);
  ASSERT_EQ(bench.state, want);
}

TEST_P(VectorRandom, VtaProgramsMatchExactArithmetic) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  if (!isa::ValidateVtaProfile(TheConfig()))
    GTEST_SKIP() << "VTA has no encoding of this configuration";
  Rng rng(GetParam() + 9000);
  const isa::Config& c = TheConfig();
  const isa::VtaCodec codec = *isa::VtaCodec::Make(c);
  constexpr int kRefuse[] = {0, 4, 2};
  VectorBench bench(c, true, kRefuse[GetParam() % 3], GetParam());
  FillState(rng, c, bench.state);
  std::vector<isa::VtaUop> uops(c.Depth(isa::Memory::kUop, isa::Profile::kVta));
  for (size_t n = 0; n < uops.size(); ++n) {
    uops[n] = {.dst_idx = rng.Range(0, 9), .src_idx = rng.Range(0, 9), .wgt_idx = 0};
    bench.state.uop[n / 2] |= uint64_t{*codec.EncodeUop(uops[n])} << (32 * (n % 2));
  }
  VectorState want = bench.state;
  VectorGolden golden(c, want);
  std::vector<Command> commands;
  std::vector<uint64_t> digests;
  for (int64_t n = rng.Range(1, 8); n > 0; --n) {
    isa::VtaAlu r;
    r.reset_reg = rng.OneIn(2);  // must be ignored
    r.uop_bgn = rng.Range(0, static_cast<int64_t>(uops.size()) - 8);
    r.uop_end = rng.OneIn(8) ? r.uop_bgn : r.uop_bgn + rng.Range(1, 8);
    r.iter_out = rng.OneIn(12) ? 0 : rng.Range(1, 4);
    r.iter_in = rng.OneIn(12) ? 0 : rng.Range(1, 4);
    r.dst_factor_out = rng.Range(0, 9), r.dst_factor_in = rng.Range(0, 4);
    r.src_factor_out = rng.Range(0, 9), r.src_factor_in = rng.Range(0, 4);
    r.alu_opcode = rng.Range(0, 4);
    r.use_imm = rng.OneIn(2);
    r.imm = rng.OneIn(2) ? rng.Range(-40, 40) : rng.Range(-32768, 32767);
    golden.Run(r, uops);
    digests.push_back(golden.TakeDigest());
    Command command{{}, static_cast<uint32_t>(n), static_cast<int>(rng.Range(0, 3))};
    const isa::VtaInsnWord word = *codec.Encode(r);
    command.insn = {word[0], word[1], rng.Next(), rng.Next()};  // the high half is ignored
    commands.push_back(command);
  }
  bench.Run(commands, 100000);
  EXPECT_FALSE(bench.error) << bench.error_code << " at " << bench.error_num;
  ASSERT_EQ(bench.digests, digests);
  ASSERT_EQ(bench.state, want);
}
INSTANTIATE_TEST_SUITE_P(Seeds, VectorRandom, ::testing::Range(uint64_t{0}, uint64_t{240}));

}  // namespace
}  // namespace tessera::hw::vector_test
