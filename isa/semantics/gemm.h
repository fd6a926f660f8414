// SPDX-License-Identifier: Apache-2.0
//
// GEMM: tile products over two loops and a range of micro-ops.
#ifndef TESSERA_ISA_SEMANTICS_GEMM_H_
#define TESSERA_ISA_SEMANTICS_GEMM_H_

#include "isa/insns.h"
#include "isa/semantics/state.h"

namespace tessera::isa {

// acc tile |dst| = (init ? 0 : acc tile) + inp tile |src| * transpose(wgt tile |wgt|), modulo 2^32.
template <typename Writes>
void GemmTile(MachineState& m, int64_t dst, int64_t src, int64_t wgt, bool init, Writes& writes) {
  const Config& c = m.config;
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t o = 0; o < c.block_out; ++o) {
      const int8_t* activation = &m.inp[(src * c.batch + b) * c.block_in];
      const int8_t* weight = &m.wgt[(wgt * c.block_out + o) * c.block_in];
      int32_t sum = 0;  // block_in * 2^14 fits
      for (int64_t i = 0; i < c.block_in; ++i) sum += activation[i] * weight[i];
      const int64_t lane = (dst * c.batch + b) * c.block_out + o;
      Put(ByteSpace::kAcc, m.acc, lane, WrapAdd(init ? 0 : m.acc[lane], sum), writes);
    }
  }
}

// Micro-op |index| of profile tessera; bits that no field names must be zero.
inline Stop ReadUop(const MachineState& m, int64_t index, Uop* uop) {
  if (Stop stop = CheckSram(m, Memory::kUop, index)) return stop;
  uint64_t word;
  std::memcpy(&word, &m.uop[index * 8], 8);
  uint64_t named = 0;
#define UOP_FIELD(name, lsb, width, meaning)                       \
  uop->name = static_cast<int64_t>((word >> (lsb)) & Mask(width)); \
  named |= Mask(width) << (lsb);
#include "isa/uops.def"
  if (word & ~named) {
    return StopWith(MachineError::kIllegalField,
                    "micro-op {} is {:#x}: a bit is set that no field names", index, word);
  }
  return {};
}

template <typename Writes>
Stop Execute(const Gemm& gemm, MachineState& m, Writes& writes) {
  for (int64_t o = 0; o < gemm.iter_out; ++o) {
    for (int64_t i = 0; i < gemm.iter_in; ++i) {
      for (int64_t u = 0; u < gemm.uop_count; ++u) {
        Uop uop;
        if (Stop stop = ReadUop(m, gemm.uop_begin + u, &uop)) return stop;
        const int64_t dst = gemm.dst_base + uop.dst + o * gemm.dst_out + i * gemm.dst_in;
        const int64_t src = gemm.src_base + uop.src + o * gemm.src_out + i * gemm.src_in;
        const int64_t wgt = gemm.wgt_base + uop.wgt + o * gemm.wgt_out + i * gemm.wgt_in;
        if (Stop stop = CheckSram(m, Memory::kAcc, dst)) return stop;
        if (Stop stop = CheckSram(m, Memory::kInp, src)) return stop;
        if (Stop stop = CheckSram(m, Memory::kWgt, wgt)) return stop;
        GemmTile(m, dst, src, wgt, uop.init != 0, writes);
      }
    }
  }
  return {};
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_GEMM_H_
