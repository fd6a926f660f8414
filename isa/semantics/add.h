// SPDX-License-Identifier: Apache-2.0
//
// ADD, the second pass of a residual add: an int8 tile plus an accumulator tile, rescaled.
#ifndef TESSERA_ISA_SEMANTICS_ADD_H_
#define TESSERA_ISA_SEMANTICS_ADD_H_

#include "isa/insns.h"
#include "isa/semantics/vector.h"

namespace tessera::isa {

// One tile, lane by lane. `clear` zeroes the accumulator before the result is written.
template <typename Writes>
void AddTile(const Add& insn, MachineState& m, int64_t dst, int64_t src, int64_t acc,
             Writes& writes) {
  for (int64_t lane = 0; lane < m.config.lanes(); ++lane) {
    const int32_t a = VectorRead(m, static_cast<VectorMemory>(insn.src_mem), src, lane,
                                 insn.src_zero, insn.src_shift);
    const int32_t b = m.acc[acc * m.config.lanes() + lane];
    const int32_t y = Rescale(WrapAdd(a, b), static_cast<int32_t>(insn.multiplier),
                              static_cast<int>(insn.shift), static_cast<Round>(insn.round));
    if (insn.clear) Put(ByteSpace::kAcc, m.acc, acc * m.config.lanes() + lane, 0, writes);
    VectorWrite(insn, m, dst, lane, y, writes);
  }
}

template <typename Writes>
Stop Execute(const Add& insn, MachineState& m, Writes& writes) {
  for (int64_t o = 0; o < insn.iter_out; ++o) {
    for (int64_t i = 0; i < insn.iter_in; ++i) {
      const int64_t dst = insn.dst_base + o * insn.dst_out + i * insn.dst_in;
      const int64_t src = insn.src_base + o * insn.src_out + i * insn.src_in;
      const int64_t acc = insn.acc_base + o * insn.dst_out + i * insn.dst_in;
      if (Stop stop = CheckSram(m, MemoryOf(static_cast<VectorMemory>(insn.src_mem)), src))
        return stop;
      if (Stop stop = CheckSram(m, Memory::kAcc, acc)) return stop;
      if (Stop stop = CheckSram(m, MemoryOf(static_cast<VectorMemory>(insn.dst_mem)), dst))
        return stop;
      AddTile(insn, m, dst, src, acc, writes);
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_ADD_H_
