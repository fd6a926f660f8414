// SPDX-License-Identifier: Apache-2.0
//
// What is tested: Rescale in all three modes. kEven and kHalfUp against exact rational arithmetic,
// kTflite against gemmlowp's two definitions, both written anew here. Space: 10^6 random cases a
// mode over all accumulators, multipliers and shifts, 3 * 10^5 near ties, and every combination of
// edge values. Also the residual add's two passes against TFLite's formula. Not tested here: the
// compiler's choice of multipliers (tests/compiler).
#include "isa/semantics/rescale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "helpers.h"

namespace tessera::isa::rescale_test {
namespace {

using Wide = __int128;

// a * 2^left, wrapped to 32 bits.
int64_t Shifted(int64_t a, int shift) {
  Wide value = static_cast<Wide>(a);
  for (int i = 0; i < shift; ++i) value *= 2;
  const Wide modulus = static_cast<Wide>(1) << 32;
  value %= modulus;
  if (value < 0) value += modulus;
  if (value >= modulus / 2) value -= modulus;
  return static_cast<int64_t>(value);
}

Wide FloorDiv(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// The exact quotient n / d rounded once.
int64_t RoundOnce(Wide n, Wide d, Round round) {
  const Wide floor = FloorDiv(n, d);
  const Wide twice_rest = 2 * (n - floor * d);
  if (twice_rest < d) return static_cast<int64_t>(floor);
  if (twice_rest > d || round == Round::kHalfUp) return static_cast<int64_t>(floor + 1);
  return static_cast<int64_t>(floor % 2 == 0 ? floor : floor + 1);
}

// gemmlowp: the high half of twice the product, rounded (never saturates for a multiplier >= 0).
int64_t DoublingHighMul(int64_t a, int64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  const Wide nudge = product >= 0 ? (static_cast<Wide>(1) << 30) : 1 - (static_cast<Wide>(1) << 30);
  return static_cast<int64_t>((product + nudge) / (static_cast<Wide>(1) << 31));  // truncates
}

// gemmlowp: x / 2^exponent, halves away from zero.
int64_t DivideByPowerOfTwo(int64_t x, int exponent) {
  const double quotient = std::ldexp(static_cast<double>(x), -exponent);  // exact: 53 bits hold x
  return static_cast<int64_t>(std::round(quotient));
}

int64_t Expected(int32_t a, int32_t multiplier, int shift, Round round) {
  const int64_t shifted = Shifted(a, shift > 0 ? shift : 0);
  const int right = shift < 0 ? -shift : 0;
  if (round == Round::kTflite)
    return DivideByPowerOfTwo(DoublingHighMul(shifted, multiplier), right);
  return RoundOnce(static_cast<Wide>(shifted) * multiplier, static_cast<Wide>(1) << (31 + right),
                   round);
}

constexpr Round kModes[] = {Round::kTflite, Round::kEven, Round::kHalfUp};

void Check(int32_t a, int32_t multiplier, int shift, Round round) {
  ASSERT_EQ(Rescale(a, multiplier, shift, round), Expected(a, multiplier, shift, round))
      << "a " << a << " multiplier " << multiplier << " shift " << shift << " round "
      << Text(round);
}

TEST(Rescale, EqualsTheDefinitionsOnRandomValues) {
  constexpr uint64_t kSeed = 20;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  for (Round round : kModes) {
    for (int i = 0; i < 1'000'000; ++i) {
      const int32_t a = static_cast<int32_t>(rng.Next()) >> rng.Range(0, 31);
      const int32_t multiplier = static_cast<int32_t>(rng.Next() & 0x7fffffff) >> rng.Range(0, 30);
      Check(a, multiplier, static_cast<int>(rng.Range(-31, 31)), round);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Rescale, EqualsTheDefinitionsNearTies) {
  constexpr uint64_t kSeed = 21;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  for (Round round : kModes) {
    for (int i = 0; i < 100'000; ++i) {
      // A multiplier that is a power of two makes exact halves frequent.
      const int32_t multiplier = int32_t{1} << rng.Range(20, 30);
      const int shift = static_cast<int>(rng.Range(-20, 0));
      const int64_t unit = int64_t{1}
                           << (31 - shift - Log2Floor(static_cast<uint64_t>(multiplier)));
      const int64_t a = rng.Range(-2000, 2000) * (unit / 2) + rng.Range(-1, 1);
      if (a != static_cast<int32_t>(a)) continue;
      Check(static_cast<int32_t>(a), multiplier, shift, round);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Rescale, EqualsTheDefinitionsAtEveryEdge) {
  std::vector<int32_t> values = {0,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 3,
                                 -3,
                                 std::numeric_limits<int32_t>::max(),
                                 std::numeric_limits<int32_t>::min()};
  for (int bit = 2; bit < 31; ++bit) {
    for (int32_t delta : {-1, 0, 1}) {
      values.push_back((int32_t{1} << bit) + delta);
      values.push_back(-(int32_t{1} << bit) + delta);
    }
  }
  std::vector<int32_t> multipliers = {
      0, 1, 2, 3, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, 0x7ffffffe, 0x7fffffff};
  for (Round round : kModes) {
    for (int32_t a : values) {
      for (int32_t multiplier : multipliers) {
        for (int shift = -31; shift <= 31; ++shift) {
          Check(a, multiplier, shift, round);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Rescale, ClampsIn33Bits) {
  EXPECT_EQ(ClampToInt8(std::numeric_limits<int32_t>::max(), 127, -128, 127), 127);
  EXPECT_EQ(ClampToInt8(std::numeric_limits<int32_t>::min(), -128, -128, 127), -128);
  EXPECT_EQ(ClampToInt8(5, -3, -128, 127), 2);
  EXPECT_EQ(ClampToInt8(5, 3, -10, 6), 6);
  EXPECT_EQ(ClampToInt8(-50, 3, -10, 6), -10);
}

// --- the residual add ---

struct Scale {
  int32_t multiplier;
  int shift;
};
Scale FromDouble(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  int64_t multiplier = std::llround(fraction * 2147483648.0);
  if (multiplier == int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  return {static_cast<int32_t>(multiplier), exponent};
}

// TFLite's reference kernel: both operands go through a multiplier after a left shift of 20.
int8_t TfliteAdd(int q1, int z1, Scale s1, int q2, int z2, Scale s2, Scale out, int z_out, int lo,
                 int hi) {
  const auto scaled = [](int64_t x, Scale s) {
    return DivideByPowerOfTwo(DoublingHighMul(x, s.multiplier), -s.shift);  // s.shift <= 0
  };
  const int64_t sum = scaled((q1 - z1) * (1 << 20), s1) + scaled((q2 - z2) * (1 << 20), s2);
  const int64_t left = Shifted(sum, out.shift > 0 ? out.shift : 0);
  int64_t y =
      DivideByPowerOfTwo(DoublingHighMul(left, out.multiplier), out.shift < 0 ? -out.shift : 0) +
      z_out;
  y = std::min<int64_t>(std::max<int64_t>(y, lo), hi);
  return static_cast<int8_t>(y);
}

TEST(ResidualAdd, EqualsTflite) {
  constexpr uint64_t kSeed = 22;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  Machine m(Named("tiny"), rng);
  const int64_t lanes = m.state.config.lanes();
  for (int i = 0; i < 50'000; ++i) {
    const double s1 = std::exp2(rng.Unit() * 12 - 10), s2 = std::exp2(rng.Unit() * 12 - 10);
    const double s_out = std::max(s1, s2) * std::exp2(rng.Unit() * 4 - 2);
    const double twice_max = 2 * std::max(s1, s2);
    const Scale m1 = FromDouble(s1 / twice_max), m2 = FromDouble(s2 / twice_max);
    const Scale out = FromDouble(twice_max / ((1 << 20) * s_out));
    const bool first_is_small = s1 < s2;
    const Scale small = first_is_small ? m1 : m2;
    ASSERT_EQ((first_is_small ? m2 : m1).multiplier, 1 << 30);
    ASSERT_EQ((first_is_small ? m2 : m1).shift, 0);
    const int64_t z1 = rng.Range(-128, 127), z2 = rng.Range(-128, 127),
                  z_out = rng.Range(-128, 127);
    const int64_t lo = rng.OneIn(2) ? -128 : z_out, hi = 127;

    std::vector<int8_t> q1(lanes), q2(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      q1[lane] = m.state.out[0 * lanes + lane];
      q2[lane] = m.state.out[1 * lanes + lane];
    }
    Requant small_pass{.src_mem = 1,
                       .dst_mem = 0,
                       .per_tensor = 1,
                       .src_zero = first_is_small ? z1 : z2,
                       .dst_base = 7,
                       .src_base = first_is_small ? 0 : 1,
                       .iter_out = 1,
                       .iter_in = 1,
                       .multiplier = small.multiplier,
                       .shift = small.shift,
                       .src_shift = 20};
    Add add{.src_mem = 1,
            .dst_mem = 1,
            .clear = 1,
            .src_zero = first_is_small ? z2 : z1,
            .out_zero = z_out,
            .lo = lo,
            .hi = hi,
            .dst_base = 2,
            .src_base = first_is_small ? 1 : 0,
            .iter_out = 1,
            .iter_in = 1,
            .multiplier = out.multiplier,
            .shift = out.shift,
            .src_shift = 19,
            .acc_base = 7};
    ASSERT_FALSE(m.Run(small_pass));
    ASSERT_FALSE(m.Run(add));
    for (int64_t lane = 0; lane < lanes; ++lane) {
      ASSERT_EQ(m.state.out[2 * lanes + lane],
                TfliteAdd(q1[lane], z1, m1, q2[lane], z2, m2, out, z_out, lo, hi))
          << "case " << i << " scales " << s1 << " " << s2 << " " << s_out;
      ASSERT_EQ(m.state.acc[7 * lanes + lane], 0) << "clear leaves zero";
      m.state.out[0 * lanes + lane] = static_cast<int8_t>(rng.Next());
      m.state.out[1 * lanes + lane] = static_cast<int8_t>(rng.Next());
    }
  }
}

}  // namespace
}  // namespace tessera::isa::rescale_test
