// SPDX-License-Identifier: Apache-2.0
//
// DEPTHWISE: a window of up to 3x3 taps, channel by channel, over three loops.
#ifndef TESSERA_ISA_SEMANTICS_DEPTHWISE_H_
#define TESSERA_ISA_SEMANTICS_DEPTHWISE_H_

#include "isa/insns.h"
#include "isa/semantics/state.h"

namespace tessera::isa {

// acc tile |dst| = (init ? 0 : acc tile) + sum over ky, kx of inp tile (src + ky*win_y + kx*win_x)
// times tap ky*kw + kx, modulo 2^32. Tap t of channel c is element [c][t mod block_in] of WGT tile
// wgt + t / block_in.
template <typename Writes>
void DepthwiseTile(const Depthwise& insn, MachineState& m, int64_t dst, int64_t src, int64_t wgt,
                   Writes& writes) {
  const Config& c = m.config;
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t channel = 0; channel < c.block_out; ++channel) {
      int32_t sum = 0;  // 9 * 2^14 fits
      for (int64_t ky = 0; ky < insn.kh; ++ky) {
        for (int64_t kx = 0; kx < insn.kw; ++kx) {
          const int64_t tap = ky * insn.kw + kx;
          const int64_t tile = src + ky * insn.win_y + kx * insn.win_x;
          const int64_t row = (wgt + tap / c.block_in) * c.block_out + channel;
          sum += m.inp[(tile * c.batch + b) * c.block_in + channel] *
                 m.wgt[row * c.block_in + tap % c.block_in];
        }
      }
      const int64_t lane = (dst * c.batch + b) * c.block_out + channel;
      Put(ByteSpace::kAcc, m.acc, lane, WrapAdd(insn.init ? 0 : m.acc[lane], sum), writes);
    }
  }
}

template <typename Writes>
Stop Execute(const Depthwise& insn, MachineState& m, Writes& writes) {
  const int64_t window =
      (insn.kh - 1) * insn.win_y + (insn.kw - 1) * insn.win_x;  // from first to last tile
  const int64_t wgt_tiles = CeilDiv(insn.kh * insn.kw, m.config.block_in);
  for (int64_t z = 0; z < insn.iter_z; ++z) {
    for (int64_t o = 0; o < insn.iter_out; ++o) {
      for (int64_t i = 0; i < insn.iter_in; ++i) {
        const int64_t dst = insn.dst_base + z * insn.dst_z + o * insn.dst_out + i * insn.dst_in;
        const int64_t src = insn.src_base + z * insn.src_z + o * insn.src_out + i * insn.src_in;
        const int64_t wgt = insn.wgt_base + z * insn.wgt_z;
        if (Stop stop = CheckSram(m, Memory::kAcc, dst)) return stop;
        if (Stop stop = CheckSram(m, Memory::kInp, src + window)) return stop;
        if (Stop stop = CheckSram(m, Memory::kWgt, wgt, wgt_tiles)) return stop;
        DepthwiseTile(insn, m, dst, src, wgt, writes);
      }
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_DEPTHWISE_H_
