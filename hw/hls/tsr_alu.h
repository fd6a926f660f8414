// SPDX-License-Identifier: Apache-2.0
//
// Integer arithmetic of a lane: ALU operations, the rescaling step, the clamp. It follows the
// definitions by quotient and remainder, not isa/semantics. Used by gemm (profile vta), vector.
#ifndef TSR_ALU_H_
#define TSR_ALU_H_

#include "tsr_hls.h"

TSR_HLS_OPEN

// a + b and a * b modulo 2^32.
inline int32_t wrapped_sum(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
inline int32_t wrapped_product(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a * (uint32_t)b);
}
// a * 2^n modulo 2^32, n < 32.
inline int32_t wrapped_shift(int32_t a, unsigned n) { return (int32_t)((uint32_t)a << n); }

inline int32_t alu_result(unsigned op, int32_t a, int32_t b) {
#pragma HLS INLINE
  const bool a_less = a < b;
  const bool to_left = b < 0;
  const uint32_t amount = to_left ? 0u - (uint32_t)b : (uint32_t)b;
  const int32_t shifted_left = amount > 31 ? 0 : wrapped_shift(a, amount & 31);
  const int32_t shifted_right = amount > 31 ? (a < 0 ? -1 : 0) : a >> (amount & 31);
  switch (op) {
    case kAluOpMin:
      return a_less ? a : b;
    case kAluOpMax:
      return a_less ? b : a;
    case kAluOpAdd:
      return wrapped_sum(a, b);
    case kAluOpShr:
      return to_left ? shifted_left : shifted_right;
    case kAluOpMul:
      return wrapped_product(a, b);
    default:  // MOV
      return b;
  }
}

// |dividend| / 2^n by floor, with the remainder; n < 63.
struct quotient {
  int64_t floor;
  uint64_t rest;
};
inline quotient divide(int64_t dividend, unsigned n) {
  quotient q;
  q.floor = dividend >> n;
  q.rest = (uint64_t)dividend & (((uint64_t)1 << n) - 1);
  return q;
}

// a * multiplier * 2^(shift - 31), rounded as |round| says. shift is -31 .. 31; a left shift acts
// before the product, modulo 2^32.
inline int32_t rescaled(int32_t a, int32_t multiplier, int shift, unsigned round) {
#pragma HLS INLINE
  const unsigned left = shift > 0 ? (unsigned)shift : 0, right = shift > 0 ? 0 : (unsigned)-shift;
  const int64_t product = (int64_t)wrapped_shift(a, left) * multiplier;
  if (round == kRoundTflite) {
    // Divides by 2^31, halves up; then the magnitude by 2^right, halves up: away from zero.
    const quotient once = divide(product, 31);
    const int64_t t = once.floor + (once.rest >= (uint64_t)1 << 30 ? 1 : 0);
    if (right == 0) return (int32_t)t;
    const quotient twice = divide(t < 0 ? -t : t, right);
    const int64_t magnitude = twice.floor + (twice.rest >= (uint64_t)1 << (right - 1) ? 1 : 0);
    return (int32_t)(t < 0 ? -magnitude : magnitude);
  }
  const quotient q = divide(product, 31 + right);
  const uint64_t half = (uint64_t)1 << (30 + right);
  const bool odd = (q.floor & 1) != 0;
  const bool up = q.rest > half || (q.rest == half && (round == kRoundHalfUp || odd));
  return (int32_t)(q.floor + (up ? 1 : 0));
}

// Adds the zero point and clamps to lo .. hi.
inline int8_t clamped(int32_t y, int out_zero, int lo, int hi) {
#pragma HLS INLINE
  const int64_t q = (int64_t)y + out_zero;
  if (q < lo) return (int8_t)lo;
  if (q > hi) return (int8_t)hi;
  return (int8_t)q;
}

TSR_HLS_CLOSE

#endif  // TSR_ALU_H_
