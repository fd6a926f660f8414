// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the functions of float32 against the same functions of double in the C library,
// in units of the last place of the result. Space: every 4001st bit pattern of both signs, so all
// exponents, subnormals, infinities; pow on pairs whose result is a float, and all pairs of edge
// values by C's rules; fmod bit for bit. Not tested here: the same bits in generated code
// (tests/compiler/llvm, tests/compiler/gpu).
#include "compiler/ir/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/rng.h"

namespace tessera::ir::functions_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float Value(ScalarIntrin id, float x, float y = 0) {
  const float operands[] = {x, y};
  return FunctionOf<float>(id, operands);
}

// How far |got| is from |want| in units of the last place of |want| as a float; what is no number
// or no float must be exactly so.
double UnitsOff(float got, double want) {
  constexpr double kWrong = 1e9;
  if (std::isnan(want)) return std::isnan(got) ? 0 : kWrong;
  if (!std::isfinite(static_cast<float>(want))) return got == static_cast<float>(want) ? 0 : kWrong;
  if (!std::isfinite(got)) return kWrong;
  const double unit = std::max(want == 0 ? 0 : std::ldexp(1.0, std::ilogb(want) - 23), 0x1p-149);
  return std::abs(static_cast<double>(got) - want) / unit;
}

struct OfOne {
  ScalarIntrin id;
  double (*want)(double);
  double units;
  float farthest = kInfinity;  // |x| is at most this
};

TEST(Functions, OfOneAreAsCloseAsPromised) {
  for (const OfOne& f : {OfOne{ScalarIntrin::kSqrt, std::sqrt, 0.5},
                         {ScalarIntrin::kExp, std::exp, 2},
                         {ScalarIntrin::kExpm1, std::expm1, 2},
                         {ScalarIntrin::kLog, std::log, 2},
                         {ScalarIntrin::kLog1p, std::log1p, 2},
                         {ScalarIntrin::kErf, std::erf, 2},
                         {ScalarIntrin::kSin, std::sin, 3, 1e4f},
                         {ScalarIntrin::kCos, std::cos, 3, 1e4f},
                         {ScalarIntrin::kSin, std::sin, 4, 0x1p23f},
                         {ScalarIntrin::kCos, std::cos, 4, 0x1p23f},
                         {ScalarIntrin::kAtan, std::atan, 3}}) {
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 4001) {
      const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
      if (std::isnan(x) || std::abs(x) > f.farthest) continue;
      ASSERT_LE(UnitsOff(Value(f.id, x), f.want(static_cast<double>(x))), f.units)
          << InfoOf(f.id).name << " of " << x;
    }
  }
}

// Near 0 and 1 a result is small, or all of it is what rounding left.
TEST(Functions, OfOneAreExactAtTheirEdges) {
  using enum ScalarIntrin;
  const float least = 0x1p-149f;
  for (const ScalarIntrin id : {kSqrt, kExpm1, kLog1p, kErf, kSin, kAtan}) {
    for (const float x : {0.0f, -0.0f}) {
      EXPECT_EQ(Value(id, x), 0.0f) << InfoOf(id).name;
      EXPECT_EQ(std::signbit(Value(id, x)), std::signbit(x)) << InfoOf(id).name;
    }
    if (id == kSqrt) continue;
    EXPECT_EQ(Value(id, least), least) << InfoOf(id).name;
  }
  EXPECT_EQ(Value(kExp, 0), 1.0f);
  EXPECT_EQ(Value(kCos, 0), 1.0f);
  EXPECT_EQ(Value(kLog, 1), 0.0f);
  EXPECT_EQ(Value(kExp, 89), kInfinity);
  EXPECT_EQ(Value(kExp, -104.5f), 0.0f);
  EXPECT_EQ(Value(kExpm1, -kInfinity), -1.0f);
  EXPECT_EQ(Value(kErf, 4), 1.0f);
  EXPECT_EQ(Value(kSin, 1e10f), Value(kSin, 0x1p23f)) << "the farthest angle";
  EXPECT_EQ(Value(kCos, -1e30f), Value(kCos, 0x1p23f));
}

// The NaN that is given, else one that does not depend on the processor.
TEST(Functions, GiveTheSameNan) {
  const float nan = std::bit_cast<float>(0xffc12345u);
  for (const ScalarIntrinInfo& f : ScalarIntrins()) {
    if (!f.function) continue;
    EXPECT_EQ(std::bit_cast<uint32_t>(Value(f.id, nan, 2)), 0xffc12345u) << f.name;
    if (f.operands < 2) continue;
    EXPECT_EQ(std::bit_cast<uint32_t>(Value(f.id, 2, nan)), 0xffc12345u) << f.name;
  }
  using enum ScalarIntrin;
  for (const float made :
       {Value(kSqrt, -1), Value(kLog, -1), Value(kLog1p, -2), Value(kPow, -2, 0.5f),
        Value(kSin, kInfinity), Value(kCos, -kInfinity), Value(kFmod, 1, 0)})
    EXPECT_EQ(std::bit_cast<uint32_t>(made), 0x7fc00000u);
}

TEST(Functions, PowersAreAsCloseAsPromised) {
  const uint64_t seed = 5;
  SCOPED_TRACE(seed);
  Rng rng(seed);
  for (int i = 0; i < 1000000; ++i) {
    float x = std::bit_cast<float>(static_cast<uint32_t>(rng.Range(1, 0x7f7fffff)));
    if (i % 2 == 0) x = 1 + static_cast<float>(rng.Unit() - 0.5) * (i % 4 == 0 ? 1.0f : 1e-3f);
    // A power between the least and the largest floats, and beyond.
    const auto y = static_cast<float>((rng.Unit() * 195 - 105) / std::log(static_cast<double>(x)));
    if (!std::isfinite(y)) continue;
    ASSERT_LE(UnitsOff(Value(ScalarIntrin::kPow, x, y), std::pow(static_cast<double>(x), y)), 2)
        << x << " ^ " << y;
  }
}

TEST(Functions, OfTwoHaveTheSpecialCasesOfC) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float edges[] = {0,    1,           2,          3,       0.5f,        1.5f,
                         2.5f, kInfinity,   nan,        1e38f,   0x1p-149f,   0x1p-126f,
                         3e9f, 0.99999994f, 1.0000001f, 0x1p24f, 16777215.0f, 8388607.5f,
                         5,    7.25f,       1e-30f};
  for (const float a : edges) {
    for (const float b : edges) {
      for (const auto& [x, y] : {std::pair(a, b), {-a, b}, {a, -b}, {-a, -b}}) {
        const float power = Value(ScalarIntrin::kPow, x, y);
        const double want = std::pow(static_cast<double>(x), static_cast<double>(y));
        EXPECT_LE(UnitsOff(power, want), 2) << x << " ^ " << y;
        EXPECT_TRUE(std::isnan(want) || std::signbit(power) == std::signbit(want))
            << x << " ^ " << y;
        const float rest = Value(ScalarIntrin::kFmod, x, y), rest_of_c = std::fmod(x, y);
        EXPECT_EQ(std::isnan(rest), std::isnan(rest_of_c)) << x << " % " << y;
        if (std::isnan(rest)) continue;
        EXPECT_EQ(std::bit_cast<uint32_t>(rest), std::bit_cast<uint32_t>(rest_of_c))
            << x << " % " << y;
      }
    }
  }
}

TEST(Functions, RemaindersAreExact) {
  const uint64_t seed = 6;
  SCOPED_TRACE(seed);
  Rng rng(seed);
  for (int i = 0; i < 300000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(rng.Next()));
    auto y = std::bit_cast<float>(static_cast<uint32_t>(rng.Next()));
    if (rng.OneIn(3)) y = x * static_cast<float>(rng.Unit());  // near quotients
    const float got = Value(ScalarIntrin::kFmod, x, y), want = std::fmod(x, y);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got)) << x << " % " << y;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(want)) << x << " % " << y;
    }
  }
}

}  // namespace
}  // namespace tessera::ir::functions_test
