// SPDX-License-Identifier: Apache-2.0
//
// What the GEMM unit computes: tile products, depthwise windows, and COMPUTE's ALU of profile vta.
// Loops over steps are flat, with running sums instead of products. Used by gemm.
#ifndef TSR_GEMM_STEPS_H_
#define TSR_GEMM_STEPS_H_

#include "tsr_alu.h"
#include "tsr_window.h"

TSR_HLS_OPEN

// A tile index before it is checked: two bases of 20 bits and two products of 32.
typedef ap_uint<40> index_sum;
typedef ap_uint<48> step_count;

// The index of step (o, i) from a base and two strides, without a multiplier.
struct strided {
  index_sum outer, inner;
};
inline strided start_at(ap_uint<20> base) {
  strided s;
  s.outer = base;
  s.inner = base;
  return s;
}
inline void step_inner(strided* s, ap_uint<16> in) { s->inner = s->inner + in; }
inline void step_outer(strided* s, ap_uint<16> out) {
  s->outer = s->outer + out;
  s->inner = s->outer;
}

// A GEMM of either profile.
struct gemm_loops {
  ap_uint<17> uop_begin, uop_end;
  ap_uint<16> iter_out, iter_in;
  ap_uint<20> dst_base, src_base, wgt_base;
  ap_uint<16> dst_out, dst_in, src_out, src_in, wgt_out, wgt_in;
  bool vta;
  bool reset;  // profile vta: writes zeros, reads nothing
};

inline gemm_loops loops_of_gemm(const insn_word& insn) {
  gemm_loops g;
  g.uop_begin = gemm_uop_begin(insn);
  g.uop_end = gemm_uop_begin(insn) + gemm_uop_count(insn);
  g.iter_out = gemm_iter_out(insn);
  g.iter_in = gemm_iter_in(insn);
  g.dst_base = gemm_dst_base(insn);
  g.src_base = gemm_src_base(insn);
  g.wgt_base = gemm_wgt_base(insn);
  g.dst_out = gemm_dst_out(insn);
  g.dst_in = gemm_dst_in(insn);
  g.src_out = gemm_src_out(insn);
  g.src_in = gemm_src_in(insn);
  g.wgt_out = gemm_wgt_out(insn);
  g.wgt_in = gemm_wgt_in(insn);
  g.vta = false;
  g.reset = false;
  return g;
}

inline gemm_loops loops_of_vta_gemm(const insn_word& insn) {
  gemm_loops g;
  g.uop_begin = vta_gemm_uop_bgn(insn);
  g.uop_end = vta_gemm_uop_end(insn);
  g.iter_out = vta_gemm_iter_out(insn);
  g.iter_in = vta_gemm_iter_in(insn);
  g.dst_base = 0;
  g.src_base = 0;
  g.wgt_base = 0;
  g.dst_out = vta_gemm_dst_factor_out(insn);
  g.dst_in = vta_gemm_dst_factor_in(insn);
  g.src_out = vta_gemm_src_factor_out(insn);
  g.src_in = vta_gemm_src_factor_in(insn);
  g.wgt_out = vta_gemm_wgt_factor_out(insn);
  g.wgt_in = vta_gemm_wgt_factor_in(insn);
  g.vta = true;
  g.reset = vta_gemm_reset_reg(insn) != 0;
  return g;
}

// One micro-op of either profile.
struct micro_op {
  ap_uint<20> dst, src, wgt;
  bool init;
  bool named;  // no bit is set outside the named fields
};
inline micro_op read_uop(const uop_word* uop, ap_uint<17> index, bool vta) {
#pragma HLS INLINE
  micro_op m;
  const ap_uint<17> address = vta ? (ap_uint<17>)(index / 2) : index;
  const uop_word whole = uop[address];  // one read, whatever the profile
  if (vta) {
    const vta_uop_word word = index % 2 == 0 ? whole.range(31, 0) : whole.range(63, 32);
    m.dst = vta_uop_dst_idx(word);
    m.src = vta_uop_src_idx(word);
    m.wgt = vta_uop_wgt_idx(word);
    m.init = false;
    m.named = true;
  } else {
    m.dst = uop_dst(whole);
    m.src = uop_src(whole);
    m.wgt = uop_wgt(whole);
    m.init = uop_init(whole) != 0;
    m.named = uop_named(whole);
  }
  return m;
}

// sum[b][o] = row b of an INP tile times row o of a WGT tile.
inline void tile_product(const int8_t* inputs, const int8_t* weights, int32_t* sum) {
#pragma HLS INLINE
  for (int b = 0; b < kBatch; ++b) {
#pragma HLS UNROLL
    for (int o = 0; o < kBlockOut; ++o) {
#pragma HLS UNROLL
      int32_t s = 0;
      for (int i = 0; i < kBlockIn; ++i) {
#pragma HLS UNROLL
        s += (int32_t)inputs[b * kBlockIn + i] * (int32_t)weights[o * kBlockIn + i];
      }
      sum[b * kBlockOut + o] = s;
    }
  }
}

inline unsigned run_gemm(const gemm_loops& g, const uop_word* uop, const wgt_tile* wgt,
                         const inp_tile* inp, acc_tile* acc) {
#pragma HLS INLINE off
  if (g.uop_end <= g.uop_begin) return kMachineErrorNone;
  const step_count steps = (step_count)((uint64_t)g.iter_out * g.iter_in) *
                           (step_count)(uint64_t)(g.uop_end - g.uop_begin);
  const unsigned uop_depth = memory_depth(kMemoryUop, g.vta);
  static_assert(kWindowDepth == 4, "the pragma DEPENDENCE below names the window's depth");
  acc_window window;
#pragma HLS ARRAY_PARTITION variable = window.valid complete
#pragma HLS ARRAY_PARTITION variable = window.tile complete
#pragma HLS ARRAY_PARTITION variable = window.value complete dim = 0
  clear_window(&window);
  strided dst = start_at(g.dst_base), src = start_at(g.src_base), weight = start_at(g.wgt_base);
  ap_uint<17> u = g.uop_begin;
  ap_uint<16> i = 0;
gemm_steps:
  for (step_count n = 0; n < steps; n = n + 1) {
#pragma HLS PIPELINE II = 1
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 4096
#pragma HLS DEPENDENCE variable = acc type = inter direction = RAW distance = 4 dependent = true
    if (u >= uop_depth) return kMachineErrorSramRange;
    const micro_op m = read_uop(uop, u, g.vta);
    if (!m.named) return kMachineErrorIllegalField;
    const index_sum d = dst.inner + m.dst, s = src.inner + m.src, w = weight.inner + m.wgt;
    if (d >= (unsigned)kAccDepth) return kMachineErrorSramRange;
    if (!g.reset && (s >= (unsigned)kInpDepth || w >= (unsigned)kWgtDepth)) {
      return kMachineErrorSramRange;
    }
    int32_t before[kLanes], sum[kLanes];
#pragma HLS ARRAY_PARTITION variable = before complete
#pragma HLS ARRAY_PARTITION variable = sum complete
    look_up(window, (tile_index)d, acc[d], before);
    if (!g.reset) tile_product(inp[s], wgt[w], sum);
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
      sum[lane] = g.reset ? 0 : wrapped_sum(m.init ? 0 : before[lane], sum[lane]);
      put_acc(acc, (tile_index)d, lane, sum[lane]);
    }
    shift_in(&window, (tile_index)d, sum);
    if (u + 1 != g.uop_end) {
      u = u + 1;
      continue;
    }
    u = g.uop_begin;
    if (i + 1 != g.iter_in) {
      i = i + 1;
      step_inner(&dst, g.dst_in);
      step_inner(&src, g.src_in);
      step_inner(&weight, g.wgt_in);
    } else {
      i = 0;
      step_outer(&dst, g.dst_out);
      step_outer(&src, g.src_out);
      step_outer(&weight, g.wgt_out);
    }
  }
  return kMachineErrorNone;
}

// The greatest index of three nested strides. Every loop must run at least once.
inline uint64_t greatest_index(ap_uint<20> base, ap_uint<16> n2, ap_uint<16> s2, ap_uint<16> n1,
                               ap_uint<16> s1, ap_uint<16> n0, ap_uint<16> s0) {
  return (uint64_t)base + (uint64_t)(n2 - 1) * s2 + (uint64_t)(n1 - 1) * s1 +
         (uint64_t)(n0 - 1) * s0;
}

inline unsigned run_depthwise(const insn_word& insn, const wgt_tile* wgt, const inp_tile* inp,
                              acc_tile* acc) {
#pragma HLS INLINE off
  const unsigned kh = depthwise_kh(insn), kw = depthwise_kw(insn);
  const ap_uint<16> iter_z = depthwise_iter_z(insn), iter_out = depthwise_iter_out(insn);
  const ap_uint<16> iter_in = depthwise_iter_in(insn);
  if (iter_z == 0 || iter_out == 0 || iter_in == 0) return kMachineErrorNone;
  const ap_uint<16> win_y = depthwise_win_y(insn), win_x = depthwise_win_x(insn);
  const ap_uint<16> wgt_z = depthwise_wgt_z(insn);
  const unsigned wgt_tiles = (kh * kw + kBlockIn - 1) / kBlockIn;
  // Indices only grow, so it is enough to check the last of each before the first step.
  const uint64_t last_dst =
      greatest_index(depthwise_dst_base(insn), iter_z, depthwise_dst_z(insn), iter_out,
                     depthwise_dst_out(insn), iter_in, depthwise_dst_in(insn));
  const uint64_t last_src =
      greatest_index(depthwise_src_base(insn), iter_z, depthwise_src_z(insn), iter_out,
                     depthwise_src_out(insn), iter_in, depthwise_src_in(insn)) +
      (uint64_t)(kh - 1) * win_y + (uint64_t)(kw - 1) * win_x;
  const uint64_t last_wgt =
      (uint64_t)depthwise_wgt_base(insn) + (uint64_t)(iter_z - 1) * wgt_z + wgt_tiles - 1;
  if (last_dst >= kAccDepth || last_src >= kInpDepth || last_wgt >= kWgtDepth) {
    return kMachineErrorSramRange;
  }
  const bool init = depthwise_init(insn) != 0;
  uint64_t dst_z = depthwise_dst_base(insn), src_z = depthwise_src_base(insn);
  uint64_t weight = depthwise_wgt_base(insn);
  for (unsigned z = 0; z < iter_z; ++z) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
    uint64_t dst_o = dst_z, src_o = src_z;
    for (unsigned o = 0; o < iter_out; ++o) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
      uint64_t dst = dst_o, src = src_o;
      for (unsigned i = 0; i < iter_in; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
        int32_t sum[kLanes];
#pragma HLS ARRAY_PARTITION variable = sum complete
        for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
          sum[lane] = init ? 0 : acc[dst][lane];
        }
        unsigned ky = 0, kx = 0;
      taps:
        for (unsigned tap = 0; tap < kh * kw; ++tap) {
#pragma HLS PIPELINE II = 1
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 9
          const uint64_t tile = src + (uint64_t)ky * win_y + (uint64_t)kx * win_x;
          for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
            const int channel = lane % kBlockOut;
            const int32_t product =
                (int32_t)inp[tile][lane] *
                (int32_t)wgt[weight + tap / kBlockIn][channel * kBlockIn + tap % kBlockIn];
            sum[lane] = wrapped_sum(sum[lane], product);
          }
          kx = kx + 1 == kw ? 0 : kx + 1;
          ky = kx == 0 ? ky + 1 : ky;
        }
        for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
          put_acc(acc, (tile_index)dst, lane, sum[lane]);
        }
        dst += depthwise_dst_in(insn);
        src += depthwise_src_in(insn);
      }
      dst_o += depthwise_dst_out(insn);
      src_o += depthwise_src_out(insn);
    }
    dst_z += depthwise_dst_z(insn);
    src_z += depthwise_src_z(insn);
    weight += wgt_z;
  }
  return kMachineErrorNone;
}

// Profile vta: acc[dst] = op(acc[dst], immediate or acc[src]), step by step.
inline unsigned run_vta_alu(const insn_word& insn, const uop_word* uop, acc_tile* acc) {
#pragma HLS INLINE off
  const ap_uint<17> begin = vta_alu_uop_bgn(insn), end = vta_alu_uop_end(insn);
  const unsigned op = vta_alu_alu_opcode(insn);
  const bool use_imm = vta_alu_use_imm(insn) != 0;
  const int32_t imm = (int32_t)vta_alu_imm(insn);
  const unsigned iter_out = vta_alu_iter_out(insn), iter_in = vta_alu_iter_in(insn);
  strided dst = start_at(0), src = start_at(0);
  for (unsigned o = 0; o < iter_out; ++o) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
    for (unsigned i = 0; i < iter_in; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
    vta_alu_steps:
      for (ap_uint<17> u = begin; u < end; u = u + 1) {
#pragma HLS PIPELINE
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
        if (u >= (unsigned)kVtaUopDepth) return kMachineErrorSramRange;
        const micro_op m = read_uop(uop, u, true);
        const index_sum d = dst.inner + m.dst, s = src.inner + m.src;
        if (d >= (unsigned)kAccDepth) return kMachineErrorSramRange;
        if (!use_imm && s >= (unsigned)kAccDepth) return kMachineErrorSramRange;
        int32_t operand[kLanes];
#pragma HLS ARRAY_PARTITION variable = operand complete
        for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
          operand[lane] = use_imm ? imm : acc[s][lane];
        }
        for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS UNROLL
          put_acc(acc, (tile_index)d, lane, alu_result(op, acc[d][lane], operand[lane]));
        }
      }
      step_inner(&dst, vta_alu_dst_factor_in(insn));
      step_inner(&src, vta_alu_src_factor_in(insn));
    }
    step_outer(&dst, vta_alu_dst_factor_out(insn));
    step_outer(&src, vta_alu_src_factor_out(insn));
  }
  return kMachineErrorNone;
}

TSR_HLS_CLOSE

#endif  // TSR_GEMM_STEPS_H_
