// SPDX-License-Identifier: Apache-2.0
//
// Exact arithmetic of graphs on the host path. Written from the definition (scale, then round by a
// named rule), on values rather than bits, so that its agreement with the accelerator's semantics
// is evidence. Depends on: isa/enums.h, for the roundings.
#ifndef TESSERA_COMPILER_IR_SCALAR_MATH_H_
#define TESSERA_COMPILER_IR_SCALAR_MATH_H_

#include <cstdint>

#include "isa/enums.h"

namespace tessera::ir {

// a * multiplier * 2^(shift - 31), rounded.
//   multiplier  0 to 2^31 - 1
//   shift       -32 to 31; a positive one shifts |a| first, modulo 2^32
int32_t RequantValue(int32_t a, int32_t multiplier, int32_t shift, isa::Round rounding);

// clamp(y + zero, lo, hi) without overflow; lo <= hi.
int32_t ClampAddValue(int32_t y, int32_t zero, int32_t lo, int32_t hi);

// Rounds to the nearest integer, ties to even, independent of the floating-point environment.
float RoundEvenValue(float x);

// f32 to an integer in [lo, hi]: truncated, then saturated; NaN gives 0.
int64_t TruncateSaturate(float x, int64_t lo, int64_t hi);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_SCALAR_MATH_H_
