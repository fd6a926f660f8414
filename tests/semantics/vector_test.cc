// SPDX-License-Identifier: Apache-2.0
//
// What is tested: REQUANT, ADD and ALU over tiles: the lane, record and tile of each result, clear,
// zero points, the left shift of int8 sources, clamps, reductions; ALU operations at the ends of
// their range. Space: random fields over all pairs of memories and named shapes. Not tested here:
// Rescale (rescale_test), the vector kernels (tests/sim/func).
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "helpers.h"

namespace tessera::isa::vector_test {
namespace {

constexpr const char* kShapes[] = {"default", "tiny", "batch4", "wide"};
constexpr int32_t kMin = std::numeric_limits<int32_t>::min(),
                  kMax = std::numeric_limits<int32_t>::max();

int64_t Element(const Machine& m, int64_t memory, int64_t index) {
  return memory == 0 ? m.state.acc[index] : memory == 1 ? m.state.out[index] : m.state.inp[index];
}
void SetElement(Machine& m, int64_t memory, int64_t index, int64_t value) {
  if (memory == 0) m.state.acc[index] = static_cast<int32_t>(value);
  if (memory == 1) m.state.out[index] = static_cast<int8_t>(value);
  if (memory == 2) m.state.inp[index] = static_cast<int8_t>(value);
}
int32_t Low32(int64_t value) { return static_cast<int32_t>(static_cast<uint64_t>(value)); }

// Stores result |y| as Requant and Add do.
template <typename T>
void Result(Machine& m, const T& insn, int64_t index, int64_t y) {
  if (insn.dst_mem != 0) y = std::min(std::max(y + insn.out_zero, insn.lo), insn.hi);
  SetElement(m, insn.dst_mem, index, y);
}

TEST(Requant, EqualsALaneByLaneModel) {
  for (const char* name : kShapes) {
    for (uint64_t seed = 0; seed < 90; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(Named(name), rng);
      const Config& c = m.state.config;
      Requant r{.src_mem = static_cast<int64_t>(seed % 3),
                .dst_mem = static_cast<int64_t>(seed / 3 % 3),
                .round = rng.Range(0, 2),
                .clear = rng.Range(0, 1),
                .per_tensor = rng.Range(0, 1),
                .src_zero = rng.Range(-128, 127),
                .out_zero = rng.Range(-128, 127),
                .lo = rng.Range(-128, 0),
                .hi = rng.Range(0, 127),
                .prm_base = rng.Range(0, 9),
                .dst_base = rng.Range(0, 50),
                .src_base = rng.Range(60, 90),
                .iter_out = rng.Range(0, 3),
                .iter_in = rng.Range(0, 3),
                .dst_out = rng.Range(0, 5),
                .dst_in = rng.Range(0, 5),
                .src_out = rng.Range(0, 9),
                .src_in = rng.Range(0, 9),
                .multiplier = rng.Range(0, 0x7fffffff),
                .shift = rng.Range(-31, 31),
                .src_shift = rng.Range(0, 31),
                .prm_out = rng.Range(0, 5),
                .prm_in = rng.Range(0, 5)};
      // Records in the form in which LOAD leaves them.
      for (int64_t i = 0; i < c.prm_depth * c.block_out; ++i) {
        uint8_t* record = &m.state.prm[i / c.block_out * c.prm_tile_bytes()];
        record[4 * c.block_out + 4 * (i % c.block_out) + 3] &= 0x7f;
        record[8 * c.block_out + i % c.block_out] = static_cast<uint8_t>(rng.Range(-31, 31));
      }
      Machine want = m;
      for (int64_t step = 0; step < r.iter_out * r.iter_in; ++step) {
        const int64_t o = step / r.iter_in, i = step % r.iter_in;
        for (int64_t lane = 0; lane < c.lanes(); ++lane) {
          const int64_t src = (r.src_base + o * r.src_out + i * r.src_in) * c.lanes() + lane;
          const int64_t dst = (r.dst_base + o * r.dst_out + i * r.dst_in) * c.lanes() + lane;
          int64_t bias = 0, multiplier = r.multiplier, shift = r.shift;
          if (!r.per_tensor) {
            const uint8_t* record =
                &m.state.prm[(r.prm_base + o * r.prm_out + i * r.prm_in) * c.prm_tile_bytes()];
            const int64_t channel = lane % c.block_out;
            int32_t word;
            std::memcpy(&word, record + 4 * channel, 4);
            bias = word;
            std::memcpy(&word, record + 4 * (c.block_out + channel), 4);
            multiplier = word;
            shift = static_cast<int8_t>(record[8 * c.block_out + channel]);
          }
          int64_t a = Element(want, r.src_mem, src);
          if (r.src_mem != 0) a = (a - r.src_zero) * (int64_t{1} << r.src_shift);
          const int32_t y = Rescale(Low32(a + bias), static_cast<int32_t>(multiplier),
                                    static_cast<int>(shift), static_cast<Round>(r.round));
          if (r.clear && r.src_mem == 0) want.state.acc[src] = 0;
          Result(want, r, dst, y);
        }
      }
      ASSERT_FALSE(m.Run(r));
      ExpectSame(m, want);
    }
  }
}

TEST(Add, EqualsALaneByLaneModel) {
  for (const char* name : kShapes) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(Named(name), rng);
      const int64_t lanes = m.state.config.lanes();
      Add a{.src_mem = 1 + static_cast<int64_t>(seed % 2),
            .dst_mem = static_cast<int64_t>(seed / 2 % 3),
            .round = rng.Range(0, 2),
            .clear = rng.Range(0, 1),
            .src_zero = rng.Range(-128, 127),
            .out_zero = rng.Range(-128, 127),
            .lo = rng.Range(-128, 0),
            .hi = rng.Range(0, 127),
            .dst_base = rng.Range(0, 50),
            .src_base = rng.Range(0, 50),
            .iter_out = rng.Range(0, 3),
            .iter_in = rng.Range(0, 3),
            .dst_out = rng.Range(0, 5),
            .dst_in = rng.Range(0, 5),
            .src_out = rng.Range(0, 9),
            .src_in = rng.Range(0, 9),
            .multiplier = rng.Range(0, 0x7fffffff),
            .shift = rng.Range(-31, 31),
            .src_shift = rng.Range(0, 31),
            .acc_base = rng.Range(60, 90)};
      Machine want = m;
      for (int64_t step = 0; step < a.iter_out * a.iter_in; ++step) {
        const int64_t o = step / a.iter_in, i = step % a.iter_in;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          const int64_t dst_step = o * a.dst_out + i * a.dst_in;
          const int64_t q =
              Element(want, a.src_mem, (a.src_base + o * a.src_out + i * a.src_in) * lanes + lane);
          int32_t& acc = want.state.acc[(a.acc_base + dst_step) * lanes + lane];
          const int64_t x = (q - a.src_zero) * (int64_t{1} << a.src_shift);
          const int32_t y = Rescale(Low32(x + acc), static_cast<int32_t>(a.multiplier),
                                    static_cast<int>(a.shift), static_cast<Round>(a.round));
          if (a.clear) acc = 0;
          Result(want, a, (a.dst_base + dst_step) * lanes + lane, y);
        }
      }
      ASSERT_FALSE(m.Run(a));
      ExpectSame(m, want);
    }
  }
}

TEST(Alu, OperationsAtTheEndsOfTheirRange) {
  EXPECT_EQ(AluResult(AluOp::kMin, kMin, kMax), kMin);
  EXPECT_EQ(AluResult(AluOp::kMax, kMin, kMax), kMax);
  EXPECT_EQ(AluResult(AluOp::kAdd, kMax, 1), kMin);
  EXPECT_EQ(AluResult(AluOp::kAdd, kMin, -1), kMax);
  EXPECT_EQ(AluResult(AluOp::kMul, kMin, -1), kMin);
  EXPECT_EQ(AluResult(AluOp::kMul, 65536, 65536), 0);
  EXPECT_EQ(AluResult(AluOp::kMul, 0x12345, 0x10001),
            0x23462345);  // 1234500012345 + ... modulo 2^32
  EXPECT_EQ(AluResult(AluOp::kMov, 1, kMin), kMin);
  struct ShiftCase {
    int32_t a, b, want;
  };
  const ShiftCase cases[] = {{-5, 0, -5},    {-5, 1, -3},      {-5, 31, -1},    {-5, 32, -1},
                             {-5, 1000, -1}, {5, 31, 0},       {5, 32, 0},      {kMin, 31, -1},
                             {kMin, 30, -2}, {kMax, 30, 1},    {kMax, kMax, 0}, {-1, kMax, -1},
                             {5, -1, 10},    {5, -31, kMin},   {4, -31, 0},     {-1, -31, kMin},
                             {-1, -32, 0},   {5, -32, 0},      {kMax, -1, -2},  {kMin, -1, 0},
                             {-1, kMin, 0},  {1, -30, 1 << 30}};
  for (const ShiftCase& c : cases) {
    EXPECT_EQ(AluResult(AluOp::kShr, c.a, c.b), c.want) << c.a << " by " << c.b;
  }
}

// op on 64-bit integers, for the amounts that the model needs.
int64_t WideOp(int64_t op, int64_t a, int64_t b) {
  switch (op) {
    case 0:
      return std::min(a, b);
    case 1:
      return std::max(a, b);
    case 2:
      return a + b;
    case 3: {
      if (b > 0)
        return b > 40 ? (a < 0 ? -1 : 0)
                      : (a - (a % (int64_t{1} << b) + (int64_t{1} << b)) % (int64_t{1} << b)) /
                            (int64_t{1} << b);
      return b < -31 ? 0 : a * (int64_t{1} << -b);
    }
    case 4:
      return a * b;
    default:
      return b;
  }
}

TEST(Alu, EqualsALaneByLaneModel) {
  for (const char* name : kShapes) {
    for (uint64_t seed = 0; seed < 96; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(Named(name), rng);
      const int64_t lanes = m.state.config.lanes();
      if (rng.OneIn(2)) {
        for (int32_t& value : m.state.acc)
          value = static_cast<int32_t>(rng.Range(-40, 40));  // shift amounts
      }
      Alu a{.alu_op = static_cast<int64_t>(seed % 6),
            .src_mem = static_cast<int64_t>(seed / 6 % 4),
            .init = rng.Range(0, 1),
            .src_zero = rng.Range(-128, 127),
            .iter_out = rng.Range(0, 2),
            .iter_in = rng.Range(0, 3),
            .dst_base = rng.Range(0, 40),
            .src_base = rng.Range(0, 40),
            .red_out = rng.Range(1, 3),
            .red_in = rng.Range(1, 3),
            .dst_out = rng.Range(0, 5),
            .dst_in = rng.Range(0, 5),
            .src_out = rng.Range(0, 9),
            .src_in = rng.Range(0, 9),
            .red_out_step = rng.Range(0, 9),
            .red_in_step = rng.Range(0, 9),
            .imm = rng.Range(kMin, kMax)};
      Machine want = m;
      for (int64_t o = 0; o < a.iter_out; ++o) {
        for (int64_t i = 0; i < a.iter_in; ++i) {
          for (int64_t r = 0; r < a.red_out * a.red_in; ++r) {
            const int64_t src = a.src_base + o * a.src_out + i * a.src_in +
                                r / a.red_in * a.red_out_step + r % a.red_in * a.red_in_step;
            for (int64_t lane = 0; lane < lanes; ++lane) {
              int64_t b = a.imm;
              if (a.src_mem != 3) b = Element(want, a.src_mem, src * lanes + lane);
              if (a.src_mem == 1 || a.src_mem == 2) b -= a.src_zero;
              int32_t& acc =
                  want.state.acc[(a.dst_base + o * a.dst_out + i * a.dst_in) * lanes + lane];
              acc = Low32(WideOp(a.init && r == 0 ? 5 : a.alu_op, acc, b));
            }
          }
        }
      }
      ASSERT_FALSE(m.Run(a));
      ExpectSame(m, want);
    }
  }
}

TEST(VtaAlu, EqualsALaneByLaneModel) {
  for (const char* name : {"default", "tiny", "batch4"}) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(Named(name), rng);
      m.state.profile = Profile::kVta;
      m.state.vta = VtaCodec::Make(m.state.config).value();
      const int64_t lanes = m.state.config.lanes();
      for (int32_t& value : m.state.acc)
        value = static_cast<int32_t>(rng.Next()) >> rng.Range(0, 27);
      VtaAlu a{.reset_reg = rng.Range(0, 1),
               .uop_end = 3,
               .iter_out = rng.Range(0, 2),
               .iter_in = rng.Range(0, 3),
               .dst_factor_out = rng.Range(0, 5),
               .dst_factor_in = rng.Range(0, 5),
               .src_factor_out = rng.Range(0, 9),
               .src_factor_in = rng.Range(0, 9),
               .alu_opcode = static_cast<int64_t>(seed % 5),
               .use_imm = rng.Range(0, 1),
               .imm = rng.Range(-32768, 32767)};
      std::vector<VtaUop> uops(3);
      for (int64_t u = 0; u < 3; ++u) {
        uops[u] = {rng.Range(0, 99), rng.Range(0, 99), 0};
        const uint32_t word = m.state.vta->EncodeUop(uops[u]).value();
        std::memcpy(&m.state.uop[4 * u], &word, 4);
      }
      Machine want = m;
      for (int64_t step = 0; step < a.iter_out * a.iter_in * 3; ++step) {
        const int64_t u = step % 3, i = step / 3 % a.iter_in, o = step / 3 / a.iter_in;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          int32_t& acc =
              want.state
                  .acc[(uops[u].dst_idx + o * a.dst_factor_out + i * a.dst_factor_in) * lanes +
                       lane];
          const int64_t src = uops[u].src_idx + o * a.src_factor_out + i * a.src_factor_in;
          const int64_t b = a.use_imm ? a.imm : want.state.acc[src * lanes + lane];
          acc = Low32(WideOp(a.alu_opcode, acc, b));
        }
      }
      ASSERT_FALSE(m.Run(a));
      ExpectSame(m, want);
    }
  }
}

TEST(Vector, StopsAtAnIndexPastEachMemory) {
  Rng rng(2);
  const Config config = Named("tiny");
  Machine m(config, rng);
  const int64_t acc = config.Depth(Memory::kAcc), out = config.Depth(Memory::kOut),
                inp = config.Depth(Memory::kInp);
  const auto text = [](std::string_view memory, int64_t depth) {
    return fmt::format("{} tile {}, the scratchpad holds {} tiles", memory, depth, depth);
  };
  Requant r{.src_mem = 0,
            .dst_mem = 1,
            .hi = 127,
            .prm_base = config.prm_depth - 1,
            .dst_base = out - 1,
            .src_base = acc - 1,
            .iter_out = 1,
            .iter_in = 1};
  EXPECT_FALSE(m.Run(r));
  r.prm_base++;
  EXPECT_EQ(m.Run(r).detail, text("prm", config.prm_depth));
  r.per_tensor = 1;
  EXPECT_FALSE(m.Run(r)) << "reads no record";
  r.src_base++;
  EXPECT_EQ(m.Run(r).detail, text("acc", acc));
  r.src_base--, r.dst_base++;
  EXPECT_EQ(m.Run(r).detail, text("out", out));

  Add a{.src_mem = 2, .dst_mem = 1, .hi = 127, .src_base = inp, .iter_out = 1, .iter_in = 1};
  EXPECT_EQ(m.Run(a).detail, text("inp", inp));
  a.src_base--, a.acc_base = acc;
  EXPECT_EQ(m.Run(a).detail, text("acc", acc));
  a.acc_base--, a.dst_base = out;
  EXPECT_EQ(m.Run(a).detail, text("out", out));

  Alu alu{.src_mem = 3,
          .iter_out = 1,
          .iter_in = 1,
          .dst_base = acc,
          .src_base = 0xfffff,
          .red_out = 1,
          .red_in = 1};
  EXPECT_EQ(m.Run(alu).detail, text("acc", acc));
  alu.dst_base--;
  EXPECT_FALSE(m.Run(alu)) << "an immediate reads no tile";
  alu.src_mem = 2, alu.src_base = inp - 1, alu.red_in = 2, alu.red_in_step = 1;
  EXPECT_EQ(m.Run(alu).detail, text("inp", inp));
}

}  // namespace
}  // namespace tessera::isa::vector_test
