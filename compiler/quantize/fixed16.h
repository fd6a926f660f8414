// SPDX-License-Identifier: Apache-2.0
//
// Functions of 16-bit fixed-point numbers with the integers of gemmlowp's fixedpoint.h, as TFLite's
// recurrent layers use them. A Qm number is an int16 with m integer bits besides its sign and 15 -
// m fraction bits: value = integer * 2^(m - 15). Depends on: nothing. Used by: compiler/ops.
#ifndef TESSERA_COMPILER_QUANTIZE_FIXED16_H_
#define TESSERA_COMPILER_QUANTIZE_FIXED16_H_

#include <cstdint>

namespace tessera::quantize {

// 1 / (1 + exp(-x)) of a Q3 number, as Q0.
int16_t Logistic16(int16_t x);

// tanh(x) of a Q|bits| number, as Q0; |bits| from 0 to 6.
int16_t Tanh16(int16_t x, int bits);

}  // namespace tessera::quantize

#endif  // TESSERA_COMPILER_QUANTIZE_FIXED16_H_
