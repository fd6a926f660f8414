// SPDX-License-Identifier: Apache-2.0
//
// ALU: min, max, add, shift, multiply or move into accumulators; reduction steps make it a pool.
#ifndef TESSERA_ISA_SEMANTICS_ALU_H_
#define TESSERA_ISA_SEMANTICS_ALU_H_

#include "isa/insns.h"
#include "isa/semantics/vector.h"

namespace tessera::isa {

// op(a, b) on int32 modulo 2^32. kShr shifts right by b (arithmetic), or left by -b if b < 0; a
// shift by 32 or more leaves only the sign (right) or 0 (left).
constexpr int32_t AluResult(AluOp op, int32_t a, int32_t b) {
  switch (op) {
    case AluOp::kMin:
      return a < b ? a : b;
    case AluOp::kMax:
      return a > b ? a : b;
    case AluOp::kAdd:
      return WrapAdd(a, b);
    case AluOp::kShr:
      if (b >= 0) return a >> (b > 31 ? 31 : b);
      return b < -31 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(a) << -b);
    case AluOp::kMul:
      return WrapMul(a, b);
    case AluOp::kMov:
      return b;
  }
  return b;  // unreachable: CheckFields rejects other values
}

template <typename Writes>
Stop Execute(const Alu& insn, MachineState& m, Writes& writes) {
  const VectorMemory from = static_cast<VectorMemory>(insn.src_mem);
  for (int64_t o = 0; o < insn.iter_out; ++o) {
    for (int64_t i = 0; i < insn.iter_in; ++i) {
      for (int64_t ro = 0; ro < insn.red_out; ++ro) {
        for (int64_t ri = 0; ri < insn.red_in; ++ri) {
          const int64_t dst = insn.dst_base + o * insn.dst_out + i * insn.dst_in;
          const int64_t src = insn.src_base + o * insn.src_out + i * insn.src_in +
                              ro * insn.red_out_step + ri * insn.red_in_step;
          if (Stop stop = CheckSram(m, Memory::kAcc, dst)) return stop;
          if (from != VectorMemory::kImm) {
            if (Stop stop = CheckSram(m, MemoryOf(from), src)) return stop;
          }
          const bool move = insn.init && ro == 0 && ri == 0;
          const AluOp op = move ? AluOp::kMov : static_cast<AluOp>(insn.alu_op);
          for (int64_t lane = 0; lane < m.config.lanes(); ++lane) {
            const int64_t index = dst * m.config.lanes() + lane;
            const int32_t b = from == VectorMemory::kImm
                                  ? static_cast<int32_t>(insn.imm)
                                  : VectorRead(m, from, src, lane, insn.src_zero, 0);
            Put(ByteSpace::kAcc, m.acc, index, AluResult(op, m.acc[index], b), writes);
          }
        }
      }
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_ALU_H_
