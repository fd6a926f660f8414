// SPDX-License-Identifier: Apache-2.0
//
// The meaning of GEMM's instructions, derived for these tests from the tables and the rationale
// alone: every lane is one 64-bit sum, cut to 32 bits at the end. Indices must be in range.
#ifndef TESSERA_TESTS_HW_GEMM_GEMM_GOLDEN_H_
#define TESSERA_TESTS_HW_GEMM_GEMM_GOLDEN_H_

#include <cstdint>

#include "isa/insns.h"
#include "tests/hw/gemm/change_digest.h"
#include "tests/hw/gemm/gemm_state.h"

namespace tessera::hw {

class GemmGolden {
 public:
  GemmGolden(const isa::Config& config, GemmState& state) : c_(config), s_(state) {}

  void Product(int64_t dst, int64_t src, int64_t wgt, bool init, bool zero) {
    for (int64_t lane = 0; lane < c_.lanes(); ++lane) {
      const int64_t row = lane / c_.block_out, out = lane % c_.block_out;
      int64_t sum = init || zero ? 0 : s_.acc[dst * c_.lanes() + lane];
      for (int64_t k = 0; k < c_.block_in && !zero; ++k) {
        sum += int64_t{s_.inp[src * c_.inp_tile_bytes() + row * c_.block_in + k]} *
               s_.wgt[wgt * c_.wgt_tile_bytes() + out * c_.block_in + k];
      }
      Set(dst * c_.lanes() + lane, sum);
    }
  }

  void Run(const isa::Gemm& g) {
    for (int64_t step = 0; step < g.iter_out * g.iter_in * g.uop_count; ++step) {
      const int64_t u = step % g.uop_count, i = step / g.uop_count % g.iter_in,
                    o = step / g.uop_count / g.iter_in;
      const uint64_t w = s_.uop[g.uop_begin + u];
      const auto field = [w](int lsb) { return static_cast<int64_t>(w >> lsb & 0xfffff); };
      Product(g.dst_base + field(0) + o * g.dst_out + i * g.dst_in,
              g.src_base + field(20) + o * g.src_out + i * g.src_in,
              g.wgt_base + field(40) + o * g.wgt_out + i * g.wgt_in, w >> 60 & 1, false);
    }
  }

  // |uops|: the micro-ops of the program, by number.
  void Run(const isa::VtaGemm& g, const std::vector<isa::VtaUop>& uops) {
    for (int64_t o = 0; o < g.iter_out; ++o) {
      for (int64_t i = 0; i < g.iter_in; ++i) {
        for (int64_t n = g.uop_bgn; n < g.uop_end; ++n) {
          const isa::VtaUop& u = uops[n];
          Product(u.dst_idx + o * g.dst_factor_out + i * g.dst_factor_in,
                  u.src_idx + o * g.src_factor_out + i * g.src_factor_in,
                  u.wgt_idx + o * g.wgt_factor_out + i * g.wgt_factor_in, false, g.reset_reg != 0);
        }
      }
    }
  }

  void Run(const isa::Depthwise& d) {
    for (int64_t z = 0; z < d.iter_z; ++z) {
      for (int64_t o = 0; o < d.iter_out; ++o) {
        for (int64_t i = 0; i < d.iter_in; ++i) {
          const int64_t dst = d.dst_base + z * d.dst_z + o * d.dst_out + i * d.dst_in;
          const int64_t src = d.src_base + z * d.src_z + o * d.src_out + i * d.src_in;
          for (int64_t lane = 0; lane < c_.lanes(); ++lane) {
            int64_t sum = d.init ? 0 : s_.acc[dst * c_.lanes() + lane];
            const int64_t channel = lane % c_.block_out;
            for (int64_t t = 0; t < d.kh * d.kw; ++t) {
              const int64_t tile = src + t / d.kw * d.win_y + t % d.kw * d.win_x;
              const int64_t weights = d.wgt_base + z * d.wgt_z + t / c_.block_in;
              sum +=
                  int64_t{s_.inp[tile * c_.lanes() + lane]} *
                  s_.wgt[weights * c_.wgt_tile_bytes() + channel * c_.block_in + t % c_.block_in];
            }
            Set(dst * c_.lanes() + lane, sum);
          }
        }
      }
    }
  }

  // The digest of the changes since the last call.
  uint64_t TakeDigest() {
    const uint64_t digest = digest_;
    digest_ = 0;
    return digest;
  }

 private:
  void Set(int64_t index, int64_t value) {
    const int32_t after = static_cast<int32_t>(static_cast<uint64_t>(value));
    digest_ += ChangeOfWord(kAccSpace, index, s_.acc[index], after);
    s_.acc[index] = after;
  }
  const isa::Config c_;
  GemmState& s_;
  uint64_t digest_ = 0;
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_GEMM_GEMM_GOLDEN_H_
