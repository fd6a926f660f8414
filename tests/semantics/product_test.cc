// SPDX-License-Identifier: Apache-2.0
//
// What is tested: GEMM of both profiles and DEPTHWISE against sums over the whole iteration space,
// accumulated in 64 bits and reduced modulo 2^32 at the end. Space: random loops with hazards
// (equal destinations), every window 1x1 to 3x3, all named array shapes; bounds of each operand.
// Not tested here: the vector kernels (tests/sim/func).
#include <gtest/gtest.h>

#include <cstring>

#include "helpers.h"

namespace tessera::isa::product_test {
namespace {

constexpr const char* kShapes[] = {"default", "tiny", "batch4", "wide"};

// Accumulators in 64 bits; the model wraps them once, at the end.
std::vector<int64_t> Widen(const std::vector<int32_t>& acc) { return {acc.begin(), acc.end()}; }
std::vector<int32_t> Wrap(const std::vector<int64_t>& acc) {
  std::vector<int32_t> result;
  for (int64_t value : acc) result.push_back(static_cast<int32_t>(static_cast<uint64_t>(value)));
  return result;
}

void AddTile(const Machine& m, std::vector<int64_t>& acc, int64_t dst, int64_t src, int64_t wgt) {
  const Config& c = m.state.config;
  for (int64_t n = 0; n < c.batch * c.block_out * c.block_in; ++n) {
    const int64_t i = n % c.block_in, o = n / c.block_in % c.block_out,
                  b = n / c.block_in / c.block_out;
    acc[dst * c.batch * c.block_out + b * c.block_out + o] +=
        int64_t{m.state.inp[src * c.batch * c.block_in + b * c.block_in + i]} *
        m.state.wgt[wgt * c.block_out * c.block_in + o * c.block_in + i];
  }
}

TEST(Gemm, EqualsWideSums) {
  for (const char* name : kShapes) {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(Named(name), rng);
      Gemm gemm{.uop_begin = rng.Range(0, 20),
                .uop_count = rng.Range(0, 5),
                .iter_out = rng.Range(0, 3),
                .iter_in = rng.Range(0, 4),
                .dst_out = rng.Range(0, 9),
                .dst_in = rng.Range(0, 9),
                .src_out = rng.Range(0, 9),
                .src_in = rng.Range(0, 9),
                .wgt_out = rng.Range(0, 9),
                .wgt_in = rng.Range(0, 9),
                .dst_base = rng.Range(0, 100),
                .src_base = rng.Range(0, 100),
                .wgt_base = rng.Range(0, 100)};
      std::vector<Uop> uops;
      for (int64_t u = 0; u < gemm.uop_count; ++u) {
        uops.push_back({rng.Range(0, 9), rng.Range(0, 9), rng.Range(0, 9), rng.Range(0, 1)});
        const uint64_t word = static_cast<uint64_t>(uops[u].dst | uops[u].src << 20 |
                                                    uops[u].wgt << 40 | uops[u].init << 60);
        std::memcpy(&m.state.uop[8 * (gemm.uop_begin + u)], &word, 8);
      }
      std::vector<int64_t> acc = Widen(m.state.acc);
      for (int64_t o = 0; o < gemm.iter_out; ++o) {
        for (int64_t i = 0; i < gemm.iter_in; ++i) {
          for (const Uop& u : uops) {
            const int64_t dst = gemm.dst_base + u.dst + o * gemm.dst_out + i * gemm.dst_in;
            const int64_t lanes = m.state.config.lanes();
            if (u.init) std::fill_n(acc.begin() + dst * lanes, lanes, 0);
            AddTile(m, acc, dst, gemm.src_base + u.src + o * gemm.src_out + i * gemm.src_in,
                    gemm.wgt_base + u.wgt + o * gemm.wgt_out + i * gemm.wgt_in);
          }
        }
      }
      Machine want = m;
      want.state.acc = Wrap(acc);
      ASSERT_FALSE(m.Run(gemm));
      ExpectSame(m, want);
    }
  }
}

TEST(Gemm, StopsAtAnIndexPastEachMemory) {
  Rng rng(2);
  const Config config = Named("tiny");
  Machine m(config, rng);
  const auto with_uop = [&](const Uop& u, uint64_t extra = 0) {
    const uint64_t word = static_cast<uint64_t>(u.dst | u.src << 20 | u.wgt << 40) | extra;
    std::memcpy(&m.state.uop[0], &word, 8);
    return m.Run(
        Gemm{.uop_count = 1, .iter_out = 1, .iter_in = 2, .dst_in = 1, .src_in = 1, .wgt_in = 1});
  };
  const int64_t acc = config.Depth(Memory::kAcc), inp = config.Depth(Memory::kInp),
                wgt = config.Depth(Memory::kWgt);
  EXPECT_FALSE(with_uop({acc - 2, inp - 2, wgt - 2}));
  EXPECT_EQ(with_uop({acc - 1, 0, 0}).detail,
            fmt::format("acc tile {}, the scratchpad holds {} tiles", acc, acc));
  EXPECT_EQ(with_uop({0, inp - 1, 0}).detail,
            fmt::format("inp tile {}, the scratchpad holds {} tiles", inp, inp));
  EXPECT_EQ(with_uop({0, 0, wgt - 1}).detail,
            fmt::format("wgt tile {}, the scratchpad holds {} tiles", wgt, wgt));
  EXPECT_EQ(with_uop({0, 0, 0}, uint64_t{1} << 63).error, MachineError::kIllegalField);
  const int64_t uop = config.Depth(Memory::kUop);
  EXPECT_EQ(m.Run(Gemm{.uop_begin = uop, .uop_count = 1, .iter_out = 1, .iter_in = 1}).error,
            MachineError::kSramRange);
  EXPECT_FALSE(m.Run(Gemm{.uop_begin = uop, .uop_count = 1, .iter_out = 0, .iter_in = 1}))
      << "does nothing";
}

TEST(Depthwise, EqualsWideSums) {
  for (const char* name : kShapes) {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(Named(name), rng);
      const Config& c = m.state.config;
      Depthwise d{.kh = 1 + static_cast<int64_t>(seed) % 3,
                  .kw = 1 + static_cast<int64_t>(seed) / 3 % 3,
                  .init = rng.Range(0, 1),
                  .iter_z = rng.Range(0, 2),
                  .iter_out = rng.Range(0, 3),
                  .iter_in = rng.Range(0, 3),
                  .dst_base = rng.Range(0, 60),
                  .src_base = rng.Range(0, 60),
                  .wgt_base = rng.Range(0, 60),
                  .wgt_z = rng.Range(0, 3),
                  .dst_out = rng.Range(0, 9),
                  .dst_in = rng.Range(0, 9),
                  .src_out = rng.Range(0, 9),
                  .src_in = rng.Range(0, 9),
                  .win_y = rng.Range(0, 9),
                  .win_x = rng.Range(0, 3),
                  .dst_z = rng.Range(0, 30),
                  .src_z = rng.Range(0, 30)};
      std::vector<int64_t> acc = Widen(m.state.acc);
      for (int64_t step = 0; step < d.iter_z * d.iter_out * d.iter_in; ++step) {
        const int64_t i = step % d.iter_in, o = step / d.iter_in % d.iter_out,
                      z = step / d.iter_in / d.iter_out;
        for (int64_t lane = 0; lane < c.lanes(); ++lane) {
          const int64_t b = lane / c.block_out, channel = lane % c.block_out;
          int64_t& sum =
              acc[(d.dst_base + z * d.dst_z + o * d.dst_out + i * d.dst_in) * c.lanes() + lane];
          if (d.init) sum = 0;
          for (int64_t tap = 0; tap < d.kh * d.kw; ++tap) {
            const int64_t tile = d.src_base + z * d.src_z + o * d.src_out + i * d.src_in +
                                 tap / d.kw * d.win_y + tap % d.kw * d.win_x;
            const int64_t wgt = d.wgt_base + z * d.wgt_z + tap / c.block_in;
            sum += int64_t{m.state.inp[tile * c.lanes() + b * c.block_in + channel]} *
                   m.state.wgt[wgt * c.wgt_tile_bytes() + channel * c.block_in + tap % c.block_in];
          }
        }
      }
      Machine want = m;
      want.state.acc = Wrap(acc);
      ASSERT_FALSE(m.Run(d));
      ExpectSame(m, want);
    }
  }
}

TEST(Depthwise, StopsAtAnIndexPastEachMemory) {
  Rng rng(2);
  const Config config = Named("tiny");  // 9 taps take 3 WGT tiles
  Machine m(config, rng);
  const int64_t acc = config.Depth(Memory::kAcc), inp = config.Depth(Memory::kInp),
                wgt = config.Depth(Memory::kWgt);
  const Depthwise d{.kh = 3,
                    .kw = 3,
                    .iter_z = 1,
                    .iter_out = 1,
                    .iter_in = 1,
                    .dst_base = acc - 1,
                    .src_base = inp - 23,
                    .wgt_base = wgt - 3,
                    .win_y = 10,
                    .win_x = 1};
  EXPECT_FALSE(m.Run(d));
  Depthwise bad = d;
  ++bad.dst_base;
  EXPECT_EQ(m.Run(bad).detail, fmt::format("acc tile {}, the scratchpad holds {} tiles", acc, acc));
  bad = d;
  ++bad.src_base;
  EXPECT_EQ(m.Run(bad).detail, fmt::format("inp tile {}, the scratchpad holds {} tiles", inp, inp));
  bad = d;
  ++bad.wgt_base;
  EXPECT_EQ(m.Run(bad).detail, fmt::format("wgt tile {}, the scratchpad holds {} tiles", wgt, wgt));
}

TEST(VtaGemm, EqualsWideSumsAndResets) {
  for (const char* name : {"default", "tiny", "batch4"}) {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(Named(name), rng);
      m.state.profile = Profile::kVta;
      m.state.vta = VtaCodec::Make(m.state.config).value();
      VtaGemm gemm{.reset_reg = rng.OneIn(4) ? 1 : 0,
                   .uop_bgn = rng.Range(0, 9),
                   .iter_out = rng.Range(0, 3),
                   .iter_in = rng.Range(0, 3),
                   .dst_factor_out = rng.Range(0, 9),
                   .dst_factor_in = rng.Range(0, 9),
                   .src_factor_out = rng.Range(0, 9),
                   .src_factor_in = rng.Range(0, 9),
                   .wgt_factor_out = rng.Range(0, 9),
                   .wgt_factor_in = rng.Range(0, 9)};
      gemm.uop_end = gemm.uop_bgn + rng.Range(0, 4);
      std::vector<int64_t> acc = Widen(m.state.acc);
      std::vector<VtaUop> uops(gemm.uop_end);
      for (int64_t u = gemm.uop_bgn; u < gemm.uop_end; ++u) {
        uops[u] = {rng.Range(0, 99), rng.Range(0, 99), rng.Range(0, 99)};
        const uint32_t word = m.state.vta->EncodeUop(uops[u]).value();
        std::memcpy(&m.state.uop[4 * u], &word, 4);
      }
      for (int64_t o = 0; o < gemm.iter_out; ++o) {
        for (int64_t i = 0; i < gemm.iter_in; ++i) {
          for (int64_t u = gemm.uop_bgn; u < gemm.uop_end; ++u) {
            const int64_t dst = uops[u].dst_idx + o * gemm.dst_factor_out + i * gemm.dst_factor_in;
            const int64_t lanes = m.state.config.lanes();
            if (gemm.reset_reg) {
              std::fill_n(acc.begin() + dst * lanes, lanes, 0);
            } else {
              AddTile(m, acc, dst,
                      uops[u].src_idx + o * gemm.src_factor_out + i * gemm.src_factor_in,
                      uops[u].wgt_idx + o * gemm.wgt_factor_out + i * gemm.wgt_factor_in);
            }
          }
        }
      }
      Machine want = m;
      want.state.acc = Wrap(acc);
      ASSERT_FALSE(m.Run(gemm));
      ExpectSame(m, want);
    }
  }
}

}  // namespace
}  // namespace tessera::isa::product_test
