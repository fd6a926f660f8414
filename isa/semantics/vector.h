// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes tiles of VECTOR's operands, for REQUANT, ADD and ALU. INP tiles are read and
// written as OUT tiles, because every configuration has block_in == block_out.
#ifndef TESSERA_ISA_SEMANTICS_VECTOR_H_
#define TESSERA_ISA_SEMANTICS_VECTOR_H_

#include "isa/semantics/rescale.h"
#include "isa/semantics/state.h"

namespace tessera::isa {

constexpr Memory MemoryOf(VectorMemory memory) {
  return memory == VectorMemory::kOut   ? Memory::kOut
         : memory == VectorMemory::kInp ? Memory::kInp
                                        : Memory::kAcc;
}

// Lane |lane| of tile |tile|: an accumulator unchanged; an int8 less its zero point, then shifted
// left, modulo 2^32.
inline int32_t VectorRead(const MachineState& m, VectorMemory memory, int64_t tile, int64_t lane,
                          int64_t zero, int64_t left_shift) {
  const int64_t index = tile * m.config.lanes() + lane;
  if (memory == VectorMemory::kAcc) return m.acc[index];
  const int32_t q = memory == VectorMemory::kOut ? m.out[index] : m.inp[index];
  return static_cast<int32_t>(static_cast<uint32_t>(q - static_cast<int32_t>(zero)) << left_shift);
}

// Replaces the int8 results |t| by TAB's bytes if |insn| says so. |insn|: a Requant or an Add.
inline void LookUp(const auto& insn, const MachineState& m, std::span<int8_t> t) {
  if (insn.table == 0) return;
  const std::span<const uint8_t> table = m.BytesOf(Memory::kTab);
  for (int8_t& value : t) value = static_cast<int8_t>(table[static_cast<size_t>(value + 128)]);
}

// Sets lane |lane| of tile |tile| to |y|: an accumulator unchanged; an int8 with its zero point
// added, clamped to [lo, hi], and what LookUp makes of it. |insn|: a Requant or an Add.
template <typename Writes>
void VectorWrite(const auto& insn, MachineState& m, int64_t tile, int64_t lane, int32_t y,
                 Writes& writes) {
  const int64_t index = tile * m.config.lanes() + lane;
  const VectorMemory memory = static_cast<VectorMemory>(insn.dst_mem);
  if (memory == VectorMemory::kAcc) {
    Put(ByteSpace::kAcc, m.acc, index, y, writes);
    return;
  }
  int8_t t = ClampToInt8(y, insn.out_zero, insn.lo, insn.hi);
  LookUp(insn, m, {&t, 1});
  const bool out = memory == VectorMemory::kOut;
  Put(out ? ByteSpace::kOut : ByteSpace::kInp, out ? m.out : m.inp, index, t, writes);
}

// The requantise parameters of one channel, as PRM holds them.
struct PrmChannel {
  int32_t bias = 0;
  int32_t multiplier = 0;
  int shift = 0;
};
inline PrmChannel ReadPrm(const MachineState& m, int64_t record, int64_t channel) {
  const int64_t channels = m.config.block_out;
  const uint8_t* bytes = &m.prm[record * m.config.prm_tile_bytes()];
  PrmChannel p;
  std::memcpy(&p.bias, bytes + 4 * channel, 4);
  std::memcpy(&p.multiplier, bytes + 4 * (channels + channel), 4);
  p.shift = static_cast<int8_t>(bytes[8 * channels + channel]);
  return p;
}

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_VECTOR_H_
