// SPDX-License-Identifier: Apache-2.0
//
// Profile vta, ALU: acc[dst] = op(acc[dst], immediate or acc[src]) over two loops and a range of
// micro-ops. reset_reg is ignored.
#ifndef TESSERA_ISA_SEMANTICS_VTA_ALU_H_
#define TESSERA_ISA_SEMANTICS_VTA_ALU_H_

#include "isa/semantics/alu.h"
#include "isa/semantics/vta_gemm.h"

namespace tessera::isa {

template <typename Writes>
Stop Execute(const VtaAlu& alu, MachineState& m, Writes& writes) {
  for (int64_t o = 0; o < alu.iter_out; ++o) {
    for (int64_t i = 0; i < alu.iter_in; ++i) {
      for (int64_t u = alu.uop_bgn; u < alu.uop_end; ++u) {
        VtaUop uop;
        if (Stop stop = ReadVtaUop(m, u, &uop)) return stop;
        const int64_t dst = uop.dst_idx + o * alu.dst_factor_out + i * alu.dst_factor_in;
        const int64_t src = uop.src_idx + o * alu.src_factor_out + i * alu.src_factor_in;
        if (Stop stop = CheckSram(m, Memory::kAcc, dst)) return stop;
        if (!alu.use_imm) {
          if (Stop stop = CheckSram(m, Memory::kAcc, src)) return stop;
        }
        for (int64_t lane = 0; lane < m.config.lanes(); ++lane) {
          const int64_t index = dst * m.config.lanes() + lane;
          const int32_t b =
              alu.use_imm ? static_cast<int32_t>(alu.imm) : m.acc[src * m.config.lanes() + lane];
          Put(ByteSpace::kAcc, m.acc, index,
              AluResult(static_cast<AluOp>(alu.alu_opcode), m.acc[index], b), writes);
        }
      }
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_VTA_ALU_H_
