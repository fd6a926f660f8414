// SPDX-License-Identifier: Apache-2.0
//
// Profile vta, GEMM: tile products, or zeros with reset_reg, over two loops and a range of
// micro-ops.
#ifndef TESSERA_ISA_SEMANTICS_VTA_GEMM_H_
#define TESSERA_ISA_SEMANTICS_VTA_GEMM_H_

#include "isa/semantics/gemm.h"

namespace tessera::isa {

// Micro-op |index| of profile vta.
inline Stop ReadVtaUop(const MachineState& m, int64_t index, VtaUop* uop) {
  if (Stop stop = CheckSram(m, Memory::kUop, index)) return stop;
  uint32_t word;
  std::memcpy(&word, &m.uop[index * 4], 4);
  *uop = m.vta->DecodeUop(word);
  return {};
}

template <typename Writes>
Stop Execute(const VtaGemm& gemm, MachineState& m, Writes& writes) {
  for (int64_t o = 0; o < gemm.iter_out; ++o) {
    for (int64_t i = 0; i < gemm.iter_in; ++i) {
      for (int64_t u = gemm.uop_bgn; u < gemm.uop_end; ++u) {
        VtaUop uop;
        if (Stop stop = ReadVtaUop(m, u, &uop)) return stop;
        const int64_t dst = uop.dst_idx + o * gemm.dst_factor_out + i * gemm.dst_factor_in;
        const int64_t src = uop.src_idx + o * gemm.src_factor_out + i * gemm.src_factor_in;
        const int64_t wgt = uop.wgt_idx + o * gemm.wgt_factor_out + i * gemm.wgt_factor_in;
        if (Stop stop = CheckSram(m, Memory::kAcc, dst)) return stop;
        if (gemm.reset_reg) {  // reads nothing, so INP and WGT indices do not matter
          for (int64_t lane = 0; lane < m.config.lanes(); ++lane) {
            Put(ByteSpace::kAcc, m.acc, dst * m.config.lanes() + lane, 0, writes);
          }
          continue;
        }
        if (Stop stop = CheckSram(m, Memory::kInp, src)) return stop;
        if (Stop stop = CheckSram(m, Memory::kWgt, wgt)) return stop;
        GemmTile(m, dst, src, wgt, false, writes);
      }
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_VTA_GEMM_H_
