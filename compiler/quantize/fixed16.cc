// SPDX-License-Identifier: Apache-2.0
//
// Sums wrap around like int16; products round and saturate; left shifts saturate.
#include "compiler/quantize/fixed16.h"

#include <algorithm>
#include <limits>

namespace tessera::quantize {
namespace {

constexpr int16_t kMost = std::numeric_limits<int16_t>::max();
constexpr int16_t kLeast = std::numeric_limits<int16_t>::min();
constexpr int16_t kOneInQ2 = 1 << 13;

int16_t Low(int32_t x) { return static_cast<int16_t>(x); }
int16_t Saturated(int32_t x) { return Low(std::clamp<int32_t>(x, kLeast, kMost)); }

// x / 2^n, halves away from zero.
int32_t Halved(int32_t x, int n) {
  const int32_t mask = (1 << n) - 1;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> n) + ((x & mask) > threshold ? 1 : 0);
}

// The upper half of a 32-bit constant.
constexpr int16_t Upper(int32_t x) {
  return static_cast<int16_t>((x >> 16) + ((x & 0xffff) > 0x7fff + (x < 0 ? 1 : 0) ? 1 : 0));
}

// Product of a Qm and a Qn number, as Qm+n.
int16_t Times(int16_t a, int16_t b) {
  if (a == kLeast && b == kLeast) return kMost;
  const int32_t product = int32_t{a} * b;
  return Low((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

// x * 2^n, saturated.
int16_t Doubled(int16_t x, int n) {
  const int32_t most = (1 << (15 - n)) - 1;
  if (n > 0 && x > most) return kMost;
  if (n > 0 && x < -most) return kLeast;
  return Saturated(int32_t{x} * (1 << n));
}

// exp(a) of a Q0 number a in [-1/4, 0): four terms of the series around -1/8.
int16_t ExpOfQuarter(int16_t a) {
  constexpr int16_t kExp = Upper(1895147668), kThird = Upper(715827883);  // exp(-1/8), 1/3
  const int16_t x = Low(a + (1 << 12));
  const int16_t x2 = Times(x, x), x3 = Times(x2, x), x4 = Times(x2, x2);
  const int16_t rest = Low(Times(Low(Halved(x4, 2) + x3), kThird) + x2);
  return Saturated(kExp + Times(kExp, Low(x + Halved(rest, 1))));
}

// exp(a) of a Q|bits| number a <= 0, as Q0: the series for the part below 1/4, and a factor for
// each higher binary digit.
int16_t Exp(int16_t a, int bits) {
  const int fraction = 15 - bits;
  const auto quarter = static_cast<int16_t>(1 << (fraction - 2));
  const int16_t below = Low((a & (quarter - 1)) - quarter);
  int16_t result = ExpOfQuarter(Doubled(below, bits));
  const int16_t above = Low(below - a);
  constexpr int32_t kPowers[] = {1672461947, 1302514674, 790015084, 290630308,
                                 39332535,   720401,     242};  // exp(-2^k), k from -2
  for (int k = -2; k < std::min(bits, 5); ++k) {
    if ((above & (1 << (fraction + k))) == 0) continue;
    result = Times(result, Upper(kPowers[k + 2]));
  }
  if (bits > 5 && a < -(1 << (20 - bits))) result = 0;  // below -32
  return a == 0 ? kMost : result;
}

// 2 / (1 + a) of a Q0 number a in [0, 1], as Q2: three steps of Newton's method on (1 + a) / 2.
int16_t TwiceReciprocal(int16_t a) {
  const int32_t sum = int32_t{a} + kMost;
  const int16_t half = Low((sum + (sum >= 0 ? 1 : -1)) / 2);
  int16_t x = Low(Upper(1515870810) + Times(half, Upper(-1010580540)));  // 48/17 - 32/17 half
  for (int round = 0; round < 3; ++round)
    x = Low(x + Doubled(Times(x, Low(kOneInQ2 - Times(half, x))), 2));
  return x;
}

}  // namespace

int16_t Logistic16(int16_t x) {
  if (x == 0) return 1 << 14;
  const int16_t minus = x > 0 ? Low(-x) : x;
  const int16_t above = Doubled(TwiceReciprocal(Exp(minus, 3)), 1);  // for -|x|
  return x > 0 ? above : Low(kMost - above);
}

int16_t Tanh16(int16_t x, int bits) {
  if (x == 0) return 0;
  const int16_t minus = x < 0 ? x : Low(-x);
  // (1 - e) / (1 + e) = 2 / (1 + e) - 1, e = exp(-2 |x|)
  const int16_t of = Doubled(Low(TwiceReciprocal(Exp(minus, bits + 1)) - kOneInQ2), 2);
  return x < 0 ? Low(-of) : of;
}

}  // namespace tessera::quantize
