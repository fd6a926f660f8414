// SPDX-License-Identifier: Apache-2.0
//
// Sine, cosine and arc tangent of float32, within three units in the last place; within four for
// angles beyond 1e4 (tests/compiler/ir/functions_test.cc). A NaN argument is returned unchanged;
// sine and cosine of infinity are kNan.
// Constants named Cephes: S. Moshier's sinf, cosf and atanf. Depends on: real.h.
#ifndef TESSERA_COMPILER_IR_TRIGONOMETRIC_H_
#define TESSERA_COMPILER_IR_TRIGONOMETRIC_H_

#include "compiler/ir/real.h"

namespace tessera::ir::real {

// pi / 2 in parts of 12 bits, whose products with integers of 12 bits are exact; the last part is
// the remainder.
inline constexpr float kQuarterParts[] = {0x1.92p+0f,  0x1.fb4p-12f, 0x1.444p-24f,
                                          0x1.68p-39f, 0x1.846p-48f, 0x1.313198p-61f};
inline constexpr float kTwoByPi = 0.636619772f;
// Beyond this, neighbouring floats are more than 1 apart: greater angles are limited to this one.
inline constexpr float kFarthestAngle = 0x1p23f;

// |x| as quarter turns and a rest of magnitude at most pi / 4.
template <typename F, typename I>
struct QuarterTurns {
  F rest;
  I turns;  // modulo 4
};
template <typename F>
auto TurnsOf(const F& x) {
  const F c = Least<F>(Greatest<F>(x, -kFarthestAngle), kFarthestAngle);
  // Turns in two parts of 12 bits. Differences stay exact until they are small.
  const F many = RoundNearest(c * (kTwoByPi / 4096)) * 4096.0f;
  F rest = (c - many * kQuarterParts[0]) - many * kQuarterParts[1];
  const F few = RoundNearest((rest - many * kQuarterParts[2]) * kTwoByPi);
  rest = (rest - few * kQuarterParts[0]) - few * kQuarterParts[1];
  for (int k = 2; k < 6; ++k) rest = (rest - many * kQuarterParts[k]) - few * kQuarterParts[k];
  const auto turns = Whole(few) & 3;
  return QuarterTurns<F, std::remove_const_t<decltype(turns)>>{rest, turns};
}

// The sine of |angle| plus |first| quarter turns.
template <typename F>
F SineOf(const F& angle, int32_t first) {
  constexpr float kSine[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};  // Cephes
  constexpr float kCosine[] = {2.443315711809948e-5f, -1.388731625493765e-3f,
                               4.166664568298827e-2f};
  const auto angles = TurnsOf<F>(angle);
  const F r = angles.rest, z = r * r;
  const F sine = Polynomial(kSine, z) * z * r + r;
  const F cosine = (Polynomial(kCosine, z) * z * z - 0.5f * z) + 1.0f;
  const auto turns = angles.turns + first;
  const F size = Select((turns & 1) == 0, sine, cosine);
  const F wave = Select((turns & 2) == 0, size, -size);
  return Select(Absolute(angle) < kInfinity, wave, Select(IsNan(angle), angle, F(kNan)));
}

template <typename F>
F Sin(const F& x) {
  return Select(Absolute(x) < 0x1p-13f, x, SineOf<F>(x, 0));
}
template <typename F>
F Cos(const F& x) {
  return SineOf<F>(x, 1);
}

// The arc tangent, from -pi / 2 to pi / 2.
template <typename F>
F Atan(const F& x) {
  constexpr float kTerms[] = {8.05374449538e-2f, -1.38776856032e-1f, 1.99777106478e-1f,  // Cephes
                              -3.33329491539e-1f};
  constexpr float kHalfPi = 1.57079633f, kQuarterPi = 0.785398163f;
  const F size = Absolute(x);
  const auto steep = 2.41421356f < size, middle = 0.414213562f < size;  // tan 3 pi/8, tan pi/8
  const F turned = Select(middle, (size - 1.0f) / (size + 1.0f), size);
  const F t = Select(steep, -1.0f / size, turned);
  const F base = Select(steep, F(kHalfPi), Select(middle, F(kQuarterPi), F(0.0f)));
  const F z = t * t;
  return Select(IsNan(x), x, WithSign<F>(base + (Polynomial(kTerms, z) * z * t + t), x));
}

}  // namespace tessera::ir::real

#endif  // TESSERA_COMPILER_IR_TRIGONOMETRIC_H_
