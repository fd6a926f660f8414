// SPDX-License-Identifier: Apache-2.0
//
// Roots, exponentials, logarithms, powers, remainders and the error function of float32. Roots and
// remainders are exact or correctly rounded, the others are within two units in the last place
// (tests/compiler/ir/functions_test.cc). A NaN argument is returned unchanged; an undefined result
// is kNan, the same on every processor.
// Constants named Cephes: S. Moshier's expf and logf. Depends on: real.h.
#ifndef TESSERA_COMPILER_IR_EXPONENTIAL_H_
#define TESSERA_COMPILER_IR_EXPONENTIAL_H_

#include "compiler/ir/real.h"

namespace tessera::ir::real {

inline constexpr float kLog2E = 1.44269504f;                                // 1 / ln 2
inline constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;  // ln 2 in two parts
inline constexpr float kExpTerms[] = {1.9875691500e-4f, 1.3981999507e-3f,   // Cephes: from r^7
                                      8.3334519073e-3f, 4.1665795894e-2f,   // down to r^2
                                      1.6666665459e-1f, 5.0000001201e-1f};
inline constexpr float kLogTerms[] = {7.0376836292e-2f,  -1.1514610310e-1f,  // Cephes: from f^11
                                      1.1676998740e-1f,  -1.2420140846e-1f,  // down to f^3
                                      1.4249322787e-1f,  -1.6668057665e-1f, 2.0000714765e-1f,
                                      -2.4999993993e-1f, 3.3333331174e-1f};

// 2^e, -127 < e < 128; 0 for -127.
template <typename I>
auto TwoTo(const I& e) {
  return OfBits((e + 127) << 23);
}

// e^r - 1, |r| <= ln 2 / 2.
template <typename F>
F ExpLessOne(const F& r) {
  return Polynomial(kExpTerms, r) * (r * r) + r;
}

// x - n ln 2.
template <typename F>
F WithoutPowers(const F& x, const F& n) {
  return (x - n * kLn2High) - n * kLn2Low;
}

// y * 2^n with two factors, since n exceeds the exponent range of floats near both ends.
template <typename F>
F TimesTwoTo(const F& y, const F& n) {
  const auto whole = Whole(n), half = whole >> 1;
  return y * TwoTo(half) * TwoTo(whole - half);
}

// e^x; infinity above 88.7, 0 below -103.9.
template <typename F>
F Exp(const F& x) {
  const F c = Least<F>(Greatest<F>(x, -104.0f), 89.0f);
  const F n = RoundNearest(c * kLog2E);
  const F power = ExpLessOne<F>(WithoutPowers<F>(c, n)) + 1.0f;
  return Select(IsNan(x), x, TimesTwoTo<F>(power, n));
}

// e^x - 1, accurate to the last places also near 0.
template <typename F>
F ExpMinusOne(const F& x) {
  const F c = Least<F>(Greatest<F>(x, -30.0f), 89.0f);  // 1 - e^-30 is 1 in float32
  const F n = RoundNearest(c * kLog2E);
  const F one = TwoTo(0 - Whole(Least<F>(n, 127.0f)));  // 2^-n
  const F sum = ExpLessOne<F>(WithoutPowers<F>(c, n)) + (1.0f - one);
  return Select(Or(IsNan(x), Absolute(x) < 0x1p-25f), x, TimesTwoTo<F>(sum, n));
}

// The square root, rounded to nearest as in IEEE 754; kNan for negative x. Root gets |x|: for a
// negative operand a processor returns a NaN of its own, and compilers do not distinguish NaNs.
template <typename F>
F SquareRoot(const F& x) {
  const F root = Root(Absolute(x));
  return Select(Or(IsNan(x), x == 0.0f), x, Select(x < 0.0f, F(kNan), root));
}

// Splits a positive float into m 2^e, with m between sqrt(1/2) and sqrt(2).
template <typename F>
struct RadixParts {
  F m, e;
};
template <typename F>
RadixParts<F> PartsOf(const F& x) {
  const auto tiny = x < 0x1p-126f;
  const auto bits = Bits(Select(tiny, x * 0x1p23f, x));
  const auto e = (bits - 0x3f3504f3) >> 23;  // the bits of sqrt(1/2)
  return {OfBits(bits - (e << 23)), OfWhole(e) - Select(tiny, F(23.0f), F(0.0f))};
}

// ln x; -infinity for 0, kNan for negative x.
template <typename F>
F Log(const F& x) {
  const RadixParts<F> parts = PartsOf<F>(Absolute(x));
  const F f = parts.m - 1.0f, z = f * f;
  F y = Polynomial(kLogTerms, f) * f * z;
  y = (y + parts.e * kLn2Low) - 0.5f * z;
  const F log = (f + y) + parts.e * kLn2High;
  const F ends = Select(x == 0.0f, F(-kInfinity), F(kNan));
  return Select(Or(IsNan(x), x == kInfinity), x, Select(0.0f < x, log, ends));
}

// ln (1 + x): the logarithm of the rounded sum, plus the rounding error times the slope there.
template <typename F>
F LogOnePlus(const F& x) {
  const F sum = x + 1.0f;
  const F log = Log(sum);
  const F slope = log + (x - (sum - 1.0f)) / sum;
  return Select(Or(IsNan(x), sum == 1.0f), x, Select(And(0.0f < sum, sum < kInfinity), slope, log));
}

// A number as the sum of two floats; |high| is that sum rounded.
template <typename F>
struct TwoFloats {
  F high, low;
};
// a + b as two floats, for |a| >= |b| or a = 0.
template <typename F>
TwoFloats<F> SumOf(const F& a, const F& b) {
  const F sum = a + b;
  return {sum, b - (sum - a)};
}
// a * b as two floats: products of halves of 12 bits are exact.
template <typename F>
TwoFloats<F> ProductOf(const F& a, const F& b) {
  const F product = a * b;
  const F a1 = OfBits(Bits(a) & ~0xfff), b1 = OfBits(Bits(b) & ~0xfff);
  const F a2 = a - a1, b2 = b - b1;
  return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}
template <typename F>
TwoFloats<F> ProductOf(const TwoFloats<F>& a, const TwoFloats<F>& b) {
  const TwoFloats<F> p = ProductOf<F>(a.high, b.high);
  return {p.high, p.low + (a.high * b.low + a.low * b.high)};
}

// x - q y, exact, where q is x / y truncated, like fmod in C: the sign is that of x; kNan if x is
// infinite or y is 0. Computes the quotient in pieces of 23 bits.
template <typename F>
F Remainder(const F& x, const F& y) {
  const F divisor = Absolute(y);
  F rest = Absolute(x);
  for (int piece = 12; piece >= 0; --piece) {
    const int bits = 23 * piece, third = bits / 3;  // 2^276 exceeds the range of a float
    const F step = divisor * std::ldexp(1.0f, bits - 2 * third) * std::ldexp(1.0f, third) *
                   std::ldexp(1.0f, third);
    // Scale both by 1/4, which is exact, so that no product overflows.
    const F part = Select(0x1p100f < rest, F(0.25f), F(1.0f));
    const F a = rest * part, b = step * part;
    const F quotient = RoundDown(a / b);
    const TwoFloats<F> product = ProductOf<F>(quotient, b);
    const F left = (a - product.high) - product.low;  // negative if the quotient is one too high
    const F found = Select(left < 0.0f, left + b, left) / part;
    rest = Select(rest < step, rest, found);
  }
  const auto undefined = Or(divisor == 0.0f, Absolute(x) == kInfinity);
  const F result = Select(divisor == kInfinity, x, WithSign<F>(rest, x));
  return Select(IsNan(x), x, Select(IsNan(y), y, Select(undefined, F(kNan), result)));
}

// ln x of a positive float, to 33 bits: with s = (m - 1) / (m + 1), ln m is the sum of 2 s^k / k
// over odd k.
template <typename F>
TwoFloats<F> LongLog(const F& x) {
  constexpr float kTerms[] = {2 / 13.0f, 2 / 11.0f, 2 / 9.0f, 2 / 7.0f, 2 / 5.0f};
  constexpr float kThird = 2 / 3.0f, kThirdLow = static_cast<float>(2 / 3.0 - 2 / 3.0f);
  const RadixParts<F> parts = PartsOf<F>(x);
  const F f = parts.m - 1.0f, sum = parts.m + 1.0f, sum_low = parts.m - (sum - 1.0f);
  const F quotient = f / sum;
  const TwoFloats<F> back = ProductOf<F>(quotient, sum);
  const TwoFloats<F> s{quotient, (((f - back.high) - back.low) - quotient * sum_low) / sum};
  const TwoFloats<F> z = ProductOf<F>(s, s);
  TwoFloats<F> u = SumOf<F>(kThird, z.high * Polynomial(kTerms, z.high));
  u.low = u.low + kThirdLow;
  const TwoFloats<F> v = ProductOf<F>(ProductOf<F>(u, z), s);
  const TwoFloats<F> log = SumOf<F>(2.0f * s.high, v.high);
  const TwoFloats<F> all = SumOf<F>(parts.e * kLn2High, log.high);
  const F low = all.low + (log.low + (v.low + 2.0f * s.low) + parts.e * kLn2Low);
  return SumOf<F>(all.high, low);
}

// |x|^y for finite |x| > 0.
template <typename F>
F PowerOfSize(const F& x, const F& y) {
  const F c = Least<F>(Greatest<F>(y, -0x1p33f), 0x1p33f);  // a greater |y| has no other results
  const TwoFloats<F> log = LongLog<F>(x);
  const TwoFloats<F> product = ProductOf<F>(TwoFloats<F>{c, 0.0f}, log);
  const auto inside = And(-104.0f < product.high, product.high < 89.0f);
  const F t = Least<F>(Greatest<F>(product.high, -104.0f), 89.0f);
  const F n = RoundNearest(t * kLog2E);
  const F r = WithoutPowers<F>(t, n) + Select(inside, product.low, F(0.0f));
  return TimesTwoTo<F>(ExpLessOne<F>(r) + 1.0f, n);
}

// x^y with the special cases of C: 1 if y is 0 or x is 1, even with a NaN. For negative x: |x|^y
// with a sign if y is whole, else kNan.
template <typename F>
F Pow(const F& x, const F& y) {
  const F size = Absolute(x), zero = 0.0f;
  const auto less = y < 0.0f;
  const F of_zero = Select(less, F(kInfinity), zero),
          of_infinity = Select(less, zero, F(kInfinity));
  const F power = Select(size == 0.0f, of_zero,
                         Select(size == kInfinity, of_infinity, PowerOfSize<F>(size, y)));
  const F half = 0.5f * y;
  const auto whole = RoundDown(y) == y, even = RoundDown(half) == half;
  const auto negative = Not(Bits(x) == (Bits(x) & INT32_MAX));
  F signed_power = Select(And(negative, And(whole, Not(even))), -power, power);
  const auto undefined = And(And(x < 0.0f, Not(whole)), size < kInfinity);
  signed_power = Select(undefined, F(kNan), signed_power);
  signed_power = Select(IsNan(x), x, Select(IsNan(y), y, signed_power));
  return Select(Or(y == 0.0f, x == 1.0f), F(1.0f), signed_power);
}

// 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. For |x| < 1: x + x p(x^2), else 1 -
// e^q(|x|). Fits with least maximal relative error, 1e-9, on [0, 1] and [0.9, 4].
template <typename F>
F Erf(const F& x) {
  constexpr float kNear[] = {7.889119297e-5f, -8.020841051e-4f, 5.189535208e-3f, -2.685444430e-2f,
                             1.128360033e-1f, -3.761262596e-1f, 1.283791661e-1f};
  constexpr float kFar[] = {1.982206703e-4f,  -3.065499943e-3f, 2.231524885e-2f, -1.041137427e-1f,
                            -6.369760036e-1f, -1.127797245f,    -1.664390729e-4f};
  const F near = x + x * Polynomial(kNear, F(x * x));
  const F size = Least<F>(Absolute(x), 4.0f);
  const F far = 1.0f - Exp<F>(Polynomial(kFar, size));
  return Select(IsNan(x), x, Select(size < 1.0f, near, WithSign<F>(far, x)));
}

}  // namespace tessera::ir::real

#endif  // TESSERA_COMPILER_IR_EXPONENTIAL_H_
