// SPDX-License-Identifier: Apache-2.0
//
// REQUANT: bias, multiplier, rounding shift, zero point and clamp in one pass over tiles.
#ifndef TESSERA_ISA_SEMANTICS_REQUANT_H_
#define TESSERA_ISA_SEMANTICS_REQUANT_H_

#include "isa/insns.h"
#include "isa/semantics/vector.h"

namespace tessera::isa {

// One tile, lane by lane. `clear` zeroes the source before the result is written.
template <typename Writes>
void RequantTile(const Requant& insn, MachineState& m, int64_t dst, int64_t src, int64_t prm,
                 Writes& writes) {
  const VectorMemory from = static_cast<VectorMemory>(insn.src_mem);
  for (int64_t lane = 0; lane < m.config.lanes(); ++lane) {
    PrmChannel p{0, static_cast<int32_t>(insn.multiplier), static_cast<int>(insn.shift)};
    if (!insn.per_tensor) p = ReadPrm(m, prm, lane % m.config.block_out);
    const int32_t a = VectorRead(m, from, src, lane, insn.src_zero, insn.src_shift);
    const int32_t y =
        Rescale(WrapAdd(a, p.bias), p.multiplier, p.shift, static_cast<Round>(insn.round));
    if (insn.clear && from == VectorMemory::kAcc) {
      Put(ByteSpace::kAcc, m.acc, src * m.config.lanes() + lane, 0, writes);
    }
    VectorWrite(insn, m, dst, lane, y, writes);
  }
}

template <typename Writes>
Stop Execute(const Requant& insn, MachineState& m, Writes& writes) {
  for (int64_t o = 0; o < insn.iter_out; ++o) {
    for (int64_t i = 0; i < insn.iter_in; ++i) {
      const int64_t dst = insn.dst_base + o * insn.dst_out + i * insn.dst_in;
      const int64_t src = insn.src_base + o * insn.src_out + i * insn.src_in;
      const int64_t prm = insn.prm_base + o * insn.prm_out + i * insn.prm_in;
      if (Stop stop = CheckSram(m, MemoryOf(static_cast<VectorMemory>(insn.src_mem)), src))
        return stop;
      if (Stop stop = CheckSram(m, MemoryOf(static_cast<VectorMemory>(insn.dst_mem)), dst))
        return stop;
      if (!insn.per_tensor) {
        if (Stop stop = CheckSram(m, Memory::kPrm, prm)) return stop;
      }
      RequantTile(insn, m, dst, src, prm, writes);
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_REQUANT_H_
