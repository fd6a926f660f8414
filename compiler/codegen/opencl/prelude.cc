// SPDX-License-Identifier: Apache-2.0
//
// Functions that kernels call. The definitions match ir/lane.cc, ir/scalar_math.cc and base/half.h.
#include "compiler/codegen/opencl/emitter.h"

namespace tessera::codegen {

const char* const kOpenClPrelude = R"(#pragma OPENCL FP_CONTRACT OFF

long ts_div(long a, long b) { long q = a / b, r = a - q * b; return q - (r != 0 && (r ^ b) < 0); }
long ts_mod(long a, long b) { long r = a % b; return r + (r != 0 && (r ^ b) < 0 ? b : 0); }
long ts_shl(long a, long b) { return b < 0 || b > 63 ? 0 : (long)((ulong)a << b); }
long ts_shr(long a, long b) { return a >> (b < 0 || b > 63 ? 63 : b); }
float ts_min(float a, float b) { return a < b ? a : b; }
float ts_max(float a, float b) { return a > b ? a : b; }

// a * multiplier * 2^(shift - 31) in two steps: to nearest, ties up; to nearest, ties away from 0.
int ts_requant_tflite(int a, int multiplier, int shift) {
  int left = max(shift, 0), right = max(-shift, 0);
  long product = (long)(int)((uint)a << left) * multiplier;
  long first = (product + (1L << 30)) >> 31;
  if (right == 0) return (int)first;
  long size = ((first < 0 ? -first : first) + (1L << (right - 1))) >> right;
  return (int)(first < 0 ? -size : size);
}
// In one step; a tie goes up, or to even.
int ts_requant_once(int a, int multiplier, int shift, int even) {
  int left = max(shift, 0), right = max(-shift, 0);
  long product = (long)(int)((uint)a << left) * multiplier;
  int bits = 31 + right;
  long quotient = product >> bits, rest = (long)((ulong)product - ((ulong)quotient << bits));
  ulong half_ = 1UL << (bits - 1);
  int up = (ulong)rest > half_ || ((ulong)rest == half_ && (!even || (quotient & 1)));
  return (int)(quotient + up);
}
int ts_clamp_add(int y, int zero, int lo, int hi) { return (int)clamp((long)y + zero, (long)lo, (long)hi); }

// Truncated and saturated; NaN gives 0.
long ts_trunc(float x, float lo, float hi, long least, long most) {
  return x != x ? 0 : x <= lo ? least : x >= hi ? most : (long)x;
}

float ts_from_half(ushort h) {
  uint sign = (uint)(h & 0x8000) << 16, exponent = (h >> 10) & 0x1f, fraction = h & 0x3ff;
  if (exponent == 0x1f) return as_float(sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0u));
  if (exponent == 0) return as_float(sign | as_uint((float)fraction * 0x1p-24f));
  return as_float(sign | (exponent + 112) << 23 | fraction << 13);
}
ushort ts_to_half(float value) {
  uint bits = as_uint(value), sign = (bits >> 16) & 0x8000, size = bits & 0x7fffffff, h = 0;
  if (size > 0x7f800000) {
    h = 0x7e00 | ((size >> 13) & 0x3ff);
  } else if (size >= 0x477ff000) {
    h = 0x7c00;
  } else if (size >= 0x38800000) {
    h = (size - (112u << 23) + 0xfff + ((size >> 13) & 1)) >> 13;
  } else if (size > 0x33000000) {
    uint fraction = (size & 0x7fffff) | 0x800000, shift = 126 - (size >> 23);
    uint rest = fraction & ((1u << shift) - 1), tie = 1u << (shift - 1);
    h = fraction >> shift;
    h += rest > tie || (rest == tie && (h & 1)) ? 1 : 0;
  }
  return (ushort)(sign | h);
}
)";

}  // namespace tessera::codegen
