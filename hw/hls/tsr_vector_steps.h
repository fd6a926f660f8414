// SPDX-License-Identifier: Apache-2.0
//
// What the VECTOR unit computes, one tile per step. Indices only grow, so it is enough to check the
// last of each operand before the first step. Used by vector.
#ifndef TSR_VECTOR_STEPS_H_
#define TSR_VECTOR_STEPS_H_

#include "tsr_alu.h"
#include "tsr_scratchpads.h"

TSR_HLS_OPEN

// Functions that take this struct are inlined, so that a tool sees the memory behind each pointer.
struct vector_ports {
  inp_tile* inp;
  acc_tile* acc;
  out_tile* out;
  const prm_bias* bias;
  const prm_multiplier* multiplier;
  const prm_shift* shift;
  const tab_tile* tab;
};

inline unsigned operand_depth(unsigned memory) {
  return memory == kVectorMemoryAcc   ? kAccDepth
         : memory == kVectorMemoryOut ? kOutDepth
                                      : kInpDepth;
}

// An accumulator unchanged, or an int8 less its zero point, shifted left modulo 2^32.
inline int32_t read_lane(const vector_ports& at, unsigned memory, uint64_t tile, int lane, int zero,
                         unsigned left) {
#pragma HLS INLINE
  if (memory == kVectorMemoryAcc) return at.acc[tile][lane];
  const int q = memory == kVectorMemoryOut ? at.out[tile][lane] : at.inp[tile][lane];
  return wrapped_shift(q - zero, left);
}

// What becomes of an int8 result: its limits, and TAB or not. Every lane has a copy of TAB, so that
// all look up in the same cycle.
struct int8_results {
  int zero, lo, hi;
  bool table_on;
  int8_t table[kLanes][kTabDepth > 0 ? kTabDepth : 1][kTabTileBytes];  // 0: a machine without TAB
};

// Copies TAB for an instruction that looks up in it.
inline void copy_table(const vector_ports& at, int8_results& to) {
#pragma HLS INLINE
  if (!to.table_on) return;
table_tiles:
  for (int tile = 0; tile < kTabDepth; ++tile) {
#pragma HLS PIPELINE II = 1
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
      for (int i = 0; i < kTabTileBytes; ++i) {
#pragma HLS UNROLL
        to.table[lane][tile][i] = at.tab[tile][i];
      }
    }
  }
}

inline int8_t int8_result(const int8_results& as, int lane, int32_t y) {
#pragma HLS INLINE
  const int8_t t = clamped(y, as.zero, as.lo, as.hi);
  const unsigned index = (unsigned)(t + 128);
  return as.table_on ? as.table[lane][index / kTabTileBytes][index % kTabTileBytes] : t;
}

inline void write_lane(const vector_ports& at, unsigned memory, uint64_t tile, int lane, int32_t y,
                       const int8_results& as) {
#pragma HLS INLINE
  if (memory == kVectorMemoryAcc) {
    put_acc(at.acc, tile, lane, y);
  } else if (memory == kVectorMemoryOut) {
    put_byte<kSpaceOut>(at.out, tile, lane, int8_result(as, lane, y));
  } else {
    put_byte<kSpaceInp>(at.inp, tile, lane, int8_result(as, lane, y));
  }
}

// The last index of two nested strides.
inline uint64_t last_index(uint64_t base, unsigned outer, unsigned out, unsigned inner,
                           unsigned in) {
  return base + (uint64_t)(outer - 1) * out + (uint64_t)(inner - 1) * in;
}

inline unsigned run_requant(const insn_word& insn, const vector_ports& at) {
#pragma HLS INLINE
  const unsigned from = requant_src_mem(insn), to = requant_dst_mem(insn);
  const unsigned round = requant_round(insn), src_shift = requant_src_shift(insn);
  const unsigned iter_out = requant_iter_out(insn), iter_in = requant_iter_in(insn);
  const bool per_tensor = requant_per_tensor(insn) != 0;
  const bool clear = requant_clear(insn) != 0 && from == kVectorMemoryAcc;
  const int src_zero = (int)requant_src_zero(insn);
  int8_results as;
#pragma HLS ARRAY_PARTITION variable = as.table complete dim = 1
#pragma HLS ARRAY_RESHAPE variable = as.table complete dim = 3
  as.zero = (int)requant_out_zero(insn);
  as.lo = (int)requant_lo(insn);
  as.hi = (int)requant_hi(insn);
  as.table_on = requant_table(insn) != 0;
  const unsigned dst_out = requant_dst_out(insn), dst_in = requant_dst_in(insn);
  const unsigned src_out = requant_src_out(insn), src_in = requant_src_in(insn);
  const unsigned prm_out = requant_prm_out(insn), prm_in = requant_prm_in(insn);
  if (iter_out == 0 || iter_in == 0) return kMachineErrorNone;
  uint64_t dst_o = requant_dst_base(insn), src_o = requant_src_base(insn);
  uint64_t prm_o = requant_prm_base(insn);
  if (last_index(dst_o, iter_out, dst_out, iter_in, dst_in) >= operand_depth(to) ||
      last_index(src_o, iter_out, src_out, iter_in, src_in) >= operand_depth(from) ||
      (!per_tensor && last_index(prm_o, iter_out, prm_out, iter_in, prm_in) >= kPrmDepth)) {
    return kMachineErrorSramRange;
  }
  copy_table(at, as);
  for (unsigned o = 0; o < iter_out; ++o) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 64
    uint64_t dst = dst_o, src = src_o, prm = prm_o;
  requant_steps:
    for (unsigned i = 0; i < iter_in; ++i) {
#pragma HLS PIPELINE
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 64
      for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
        const int c = lane % kBlockOut;
        const int32_t bias = per_tensor ? 0 : at.bias[prm][c];
        const int32_t multiplier =
            per_tensor ? (int32_t)requant_multiplier(insn) : at.multiplier[prm][c];
        const int shift = per_tensor ? (int)requant_shift(insn) : (int)at.shift[prm][c];
        const int32_t a = read_lane(at, from, src, lane, src_zero, src_shift);
        const int32_t y = rescaled(wrapped_sum(a, bias), multiplier, shift, round);
        if (clear) put_acc(at.acc, src, lane, 0);
        write_lane(at, to, dst, lane, y, as);
      }
      dst += dst_in;
      src += src_in;
      prm += prm_in;
    }
    dst_o += dst_out;
    src_o += src_out;
    prm_o += prm_out;
  }
  return kMachineErrorNone;
}

inline unsigned run_add(const insn_word& insn, const vector_ports& at) {
#pragma HLS INLINE
  const unsigned from = add_src_mem(insn), to = add_dst_mem(insn);
  const unsigned round = add_round(insn), src_shift = add_src_shift(insn);
  const unsigned iter_out = add_iter_out(insn), iter_in = add_iter_in(insn);
  const bool clear = add_clear(insn) != 0;
  const int src_zero = (int)add_src_zero(insn);
  int8_results as;
#pragma HLS ARRAY_PARTITION variable = as.table complete dim = 1
#pragma HLS ARRAY_RESHAPE variable = as.table complete dim = 3
  as.zero = (int)add_out_zero(insn);
  as.lo = (int)add_lo(insn);
  as.hi = (int)add_hi(insn);
  as.table_on = add_table(insn) != 0;
  const int32_t multiplier = (int32_t)add_multiplier(insn);
  const int shift = (int)add_shift(insn);
  const unsigned dst_out = add_dst_out(insn), dst_in = add_dst_in(insn);
  const unsigned src_out = add_src_out(insn), src_in = add_src_in(insn);
  if (iter_out == 0 || iter_in == 0) return kMachineErrorNone;
  uint64_t dst_o = add_dst_base(insn), src_o = add_src_base(insn), acc_o = add_acc_base(insn);
  if (last_index(dst_o, iter_out, dst_out, iter_in, dst_in) >= operand_depth(to) ||
      last_index(src_o, iter_out, src_out, iter_in, src_in) >= operand_depth(from) ||
      last_index(acc_o, iter_out, dst_out, iter_in, dst_in) >= kAccDepth) {
    return kMachineErrorSramRange;
  }
  copy_table(at, as);
  for (unsigned o = 0; o < iter_out; ++o) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 64
    uint64_t dst = dst_o, src = src_o, acc = acc_o;
  add_steps:
    for (unsigned i = 0; i < iter_in; ++i) {
#pragma HLS PIPELINE
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 64
      for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
        const int32_t a = read_lane(at, from, src, lane, src_zero, src_shift);
        const int32_t y = rescaled(wrapped_sum(a, at.acc[acc][lane]), multiplier, shift, round);
        if (clear) put_acc(at.acc, acc, lane, 0);
        write_lane(at, to, dst, lane, y, as);
      }
      dst += dst_in;
      src += src_in;
      acc += dst_in;
    }
    dst_o += dst_out;
    src_o += src_out;
    acc_o += dst_out;
  }
  return kMachineErrorNone;
}

// Reduces into one ACC tile. |value| holds the tile in registers meanwhile, so a source that is the
// tile itself reads the running result.
inline void reduce_tile(const insn_word& insn, const vector_ports& at, uint64_t dst, uint64_t src) {
#pragma HLS INLINE
  const unsigned from = alu_src_mem(insn), op = alu_alu_op(insn);
  const unsigned red_out = alu_red_out(insn), red_in = alu_red_in(insn);
  const int32_t imm = (int32_t)alu_imm(insn);
  const int src_zero = (int)alu_src_zero(insn);
  int32_t value[kLanes];
#pragma HLS ARRAY_PARTITION variable = value complete
  for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
    value[lane] = at.acc[dst][lane];
  }
  bool move = alu_init(insn) != 0;
  for (unsigned ro = 0; ro < red_out; ++ro) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 8
    uint64_t s = src;
  reduce_steps:
    for (unsigned ri = 0; ri < red_in; ++ri) {
#pragma HLS PIPELINE II = 1
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 8
      const bool itself = from == kVectorMemoryAcc && s == dst;
      for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
        const int32_t b = from == kVectorMemoryImm ? imm
                          : itself                 ? value[lane]
                                                   : read_lane(at, from, s, lane, src_zero, 0);
        value[lane] = move ? b : alu_result(op, value[lane], b);
      }
      move = false;
      s += (unsigned)alu_red_in_step(insn);
    }
    src += (unsigned)alu_red_out_step(insn);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
    put_acc(at.acc, dst, lane, value[lane]);
  }
}

inline unsigned run_alu(const insn_word& insn, const vector_ports& at) {
#pragma HLS INLINE
  const unsigned from = alu_src_mem(insn);
  const unsigned iter_out = alu_iter_out(insn), iter_in = alu_iter_in(insn);
  const unsigned dst_out = alu_dst_out(insn), dst_in = alu_dst_in(insn);
  const unsigned src_out = alu_src_out(insn), src_in = alu_src_in(insn);
  if (iter_out == 0 || iter_in == 0) return kMachineErrorNone;
  uint64_t dst_o = alu_dst_base(insn), src_o = alu_src_base(insn);
  const uint64_t last_dst = last_index(dst_o, iter_out, dst_out, iter_in, dst_in);
  const uint64_t last_src =
      last_index(last_index(src_o, iter_out, src_out, iter_in, src_in), alu_red_out(insn),
                 alu_red_out_step(insn), alu_red_in(insn), alu_red_in_step(insn));
  if (last_dst >= kAccDepth) return kMachineErrorSramRange;
  if (from != kVectorMemoryImm && last_src >= operand_depth(from)) return kMachineErrorSramRange;
  for (unsigned o = 0; o < iter_out; ++o) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 64
    uint64_t dst = dst_o, src = src_o;
  alu_steps:
    for (unsigned i = 0; i < iter_in; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 64
      reduce_tile(insn, at, dst, src);
      dst += dst_in;
      src += src_in;
    }
    dst_o += dst_out;
    src_o += src_out;
  }
  return kMachineErrorNone;
}

TSR_HLS_CLOSE

#endif  // TSR_VECTOR_STEPS_H_
