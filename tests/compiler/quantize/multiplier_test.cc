// SPDX-License-Identifier: Apache-2.0
//
// Multipliers and shifts against exact arithmetic: the bits of the double, and the property that no
// other 31-bit multiplier is nearer. Space: 200,000 random factors over the whole range of shifts,
// the edges, every refusal.
#include "compiler/quantize/multiplier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "tests/compiler/exact.h"

namespace tessera::quantize::multiplier_test {
namespace {

TEST(Multiplier, EqualsTheBitsOfTheFactorRounded) {
  Rng rng(1);
  for (int i = 0; i < 200000; ++i) {
    const double real = std::ldexp(1 + rng.Unit(), static_cast<int>(rng.Range(-40, 29)));
    const auto m = MultiplierOf(real);
    ASSERT_TRUE(m) << real;
    const exact::Factor want = exact::FactorOf(real);
    ASSERT_EQ(m->multiplier, want.multiplier) << real;
    ASSERT_EQ(m->shift, want.shift) << real;
  }
}

TEST(Multiplier, NoOtherIsNearer) {
  Rng rng(2);
  for (int i = 0; i < 20000; ++i) {
    const double real = std::ldexp(1 + rng.Unit(), static_cast<int>(rng.Range(-31, 29)));
    const auto m = MultiplierOf(real);
    ASSERT_TRUE(m);
    ASSERT_GE(m->multiplier, 1 << 30);
    // Scaled by a power of two, so exact in a long double.
    const long double scaled = std::ldexp(static_cast<long double>(real), 31 - m->shift);
    ASSERT_LE(std::abs(scaled - m->multiplier), 0.5L) << real;
  }
}

TEST(Multiplier, Edges) {
  const auto is = [](double real, int32_t multiplier, int shift) {
    const auto m = MultiplierOf(real);
    ASSERT_TRUE(m) << real;
    EXPECT_EQ(m->multiplier, multiplier) << real;
    EXPECT_EQ(m->shift, shift) << real;
  };
  is(0.5, 1 << 30, 0);
  is(1, 1 << 30, 1);
  is(std::nextafter(1.0, 0), 1 << 30, 1);  // 2^31 after rounding becomes 2^30 and one more shift
  is(0.75, 3 << 29, 0);
  is(0x1.ffffffp-1, 0x7fffffc0, 0);
  is(std::ldexp(1.0, 30), 1 << 30, 31);    // the largest left shift
  is(std::ldexp(1.0, -32), 1 << 30, -31);  // the largest right shift
  is(std::nextafter(std::ldexp(1.0, -32), 0), 1 << 30, -31);
  is(std::ldexp(0.75, -32), 0, 0);  // too small for any product
  is(std::numeric_limits<double>::denorm_min(), 0, 0);
}

TEST(Multiplier, RefusesWhatIsNoFactor) {
  for (const double real : {0.0, -1.0, -0.0, static_cast<double>(NAN),
                            static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
    const auto m = MultiplierOf(real);
    ASSERT_FALSE(m) << real;
    EXPECT_EQ(m.error().code, Code::kInvalidArgument);
    EXPECT_NE(m.error().message.find("not a finite number above 0"), std::string::npos);
  }
  const auto m = MultiplierOf(std::ldexp(1.0, 31));
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().code, Code::kOutOfRange);
  EXPECT_NE(m.error().message.find("left shift of 32, at most 31"), std::string::npos)
      << m.error().message;
}

}  // namespace
}  // namespace tessera::quantize::multiplier_test
