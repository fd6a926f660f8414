// SPDX-License-Identifier: Apache-2.0
//
// What is tested: numbers by which float32 requantises (FindFloatNumbers): against exact rationals,
// around each step, at both ends and between, for seeded scales of each rounding; what has none.
// The pass that puts them into regions: the same values, and where it must not. Not tested here:
// the code (llvm_requant_test).
#include "compiler/region/float_requant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/rng.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/scalar_math.h"
#include "compiler/region/float_scale.h"

namespace tessera::te::float_requant_test {
namespace {

using Index = std::vector<Expr>;
using Wide = __int128;

// floor(x * high + inner) by integers: floats are whole numbers of 2^-60, from 2^-37 on in size.
int64_t ExactFloor(int64_t x, const FloatNumbers& by) {
  const auto whole = [](float f) {
    return static_cast<Wide>(std::ldexp(static_cast<long double>(f), 60));
  };
  const float inner = std::fma(static_cast<float>(x), by.low, by.start);
  return static_cast<int64_t>((whole(by.high) * x + whole(inner)) >> 60);  // rounds down
}

int64_t Wanted(const ClampedScale& s, int64_t a) {
  return std::clamp<int64_t>(
      int64_t{ir::RequantValue(static_cast<int32_t>(a), s.multiplier, s.shift, s.rounding)} +
          s.zero,
      s.lo, s.hi);
}

// Where |a| as float32 is not exact, too.
int64_t ByFloats(const ClampedScale& s, const FloatNumbers& by, int64_t a) {
  const auto x = static_cast<int64_t>(static_cast<float>(a + by.offset));
  return std::clamp<int64_t>(ExactFloor(x, by), s.lo, s.hi);
}

TEST(FloatNumbers, AreExactForEverySum) {
  constexpr uint64_t kSeed = 31;
  SCOPED_TRACE(kSeed);
  Rng rng(kSeed);
  int found = 0, of = 0;
  for (int i = 0; i < 300; ++i) {
    ClampedScale s{.multiplier = static_cast<int32_t>(rng.Range(int64_t{1} << 30, INT32_MAX)),
                   .shift = static_cast<int32_t>(-rng.Range(1, 12)),
                   .rounding = static_cast<isa::Round>(i % 3),
                   .zero = static_cast<int32_t>(rng.Range(-128, 127)),
                   .lo = -128,
                   .hi = 127};
    if (rng.OneIn(3)) s.lo = static_cast<int32_t>(rng.Range(-128, 0));
    if (rng.OneIn(3)) s.hi = static_cast<int32_t>(rng.Range(1, 127));
    if (rng.OneIn(5)) s.multiplier = 1 << 30;  // ties: half of them go down
    const int64_t most = rng.Range(1 << 10, 1 << 30);
    const std::optional<FloatNumbers> by = FindFloatNumbers(s, most);
    ++of;
    if (!by) continue;
    ++found;
    SCOPED_TRACE(::testing::Message()
                 << "scale " << i << ": " << s.multiplier << " " << s.shift << " zero " << s.zero);
    const double factor = std::ldexp(s.multiplier, s.shift - 31);
    std::vector<int64_t> sums{-most, most, 0};
    for (int64_t result = s.lo; result <= s.hi; ++result) {
      const auto at = static_cast<int64_t>(static_cast<double>(result - s.zero) / factor);
      const auto half = static_cast<int64_t>(0.5 / factor);
      for (int64_t d = -3; d <= 3; ++d) sums.push_back(at + half + d);
      sums.push_back(at + rng.Range(-half, half));
    }
    for (int k = 0; k < 200; ++k) sums.push_back(rng.Range(-most, most));
    for (const int64_t a : sums) {
      ASSERT_EQ(ByFloats(s, *by, a), Wanted(s, a)) << a;
      if (std::abs(a + by->offset) < 1 << 24) {
        ASSERT_EQ(FloorByFloats(a + by->offset, *by), ExactFloor(a + by->offset, *by)) << a;
      }
    }
  }
  EXPECT_GT(found, of / 2) << found << " of " << of;
}

TEST(FloatNumbers, AreNotFoundWhereTheyCannotBeRight) {
  const ClampedScale s{.multiplier = 1518500250, .shift = -9, .zero = 3, .lo = -128, .hi = 127};
  EXPECT_TRUE(FindFloatNumbers(s, 1 << 20).has_value());
  EXPECT_FALSE(FindFloatNumbers(s, INT32_MAX).has_value());  // with the offset above int32
  ClampedScale other = s;
  other.shift = 1;  // a factor above 1/2
  EXPECT_FALSE(FindFloatNumbers(other, 1 << 20).has_value());
  other.shift = -20;  // below 2^-18
  EXPECT_FALSE(FindFloatNumbers(other, 1 << 20).has_value());
  other = s;
  other.multiplier = 0;
  EXPECT_FALSE(FindFloatNumbers(other, 1 << 20).has_value());
  other = s;
  other.lo = other.hi;  // one result: there are no steps to hold on to
  EXPECT_FALSE(FindFloatNumbers(other, 1 << 20).has_value());
}

// Scales that were asked for before, with other limits of the sums, have the numbers of a fresh
// search.
TEST(FloatNumbers, AreTheSameForKnownScales) {
  Rng rng(7);
  FloatScales known;
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const ClampedScale s{.multiplier = 1518500250 + static_cast<int32_t>(rng.Range(0, 20)),
                         .shift = static_cast<int32_t>(-rng.Range(0, 19)),
                         .zero = static_cast<int32_t>(rng.Range(-1, 1)),
                         .lo = -128,
                         .hi = static_cast<int32_t>(rng.Range(126, 127))};
    const int64_t most = rng.OneIn(2) ? INT32_MAX - rng.Range(0, 1 << 18) : 1 << 20;
    SCOPED_TRACE(::testing::Message() << s.multiplier << " " << s.shift << " most " << most);
    const auto by = known.Find(s, most), fresh = FindFloatNumbers(s, most);
    ASSERT_EQ(by.has_value(), fresh.has_value());
    if (!by) continue;
    ++found;
    EXPECT_EQ(by->offset, fresh->offset);
    EXPECT_EQ(by->high, fresh->high);
    EXPECT_EQ(by->low, fresh->low);
    EXPECT_EQ(by->start, fresh->start);
  }
  EXPECT_GT(found, 100);
  EXPECT_LT(found, 1900);
}

struct Case {
  RegionTe region;
  Values values;
};

// y = i8(clamp(requant(sum of 64 products + bias, M[c], S[c]) + 5)).
Case Dense(const std::vector<int32_t>& multipliers, const std::vector<int32_t>& shifts) {
  const auto channels = static_cast<int64_t>(multipliers.size());
  const Tensor x = Placeholder("x", DType::kInt8, {4, 64}),
               w = Placeholder("w", DType::kInt8, {channels, 64}),
               bias = Placeholder("bias", DType::kInt32, {channels}),
               m = Placeholder("m", DType::kInt32, {channels}),
               s = Placeholder("s", DType::kInt32, {channels});
  const Axis k = ReduceAxis("k", 64);
  const Tensor sum = Compute("sum", {4, channels}, {"i", "c"}, [&](const Index& i) {
    return Sum(ir::Cast(DType::kInt32, x(i[0], k.var)) * ir::Cast(DType::kInt32, w(i[1], k.var)),
               {k});
  });
  const auto number = [](int v) { return ir::Imm(DType::kInt32, v); };
  const Tensor y = Compute("y", {4, channels}, {"i", "c"}, [&](const Index& i) {
    const Expr scaled = ir::Requant(sum(i) + bias(i[1]), m(i[1]), s(i[1]), isa::Round::kEven);
    return ir::Cast(DType::kInt8, ir::ClampAdd(scaled, number(5), number(-128), number(127)));
  });
  Case c{.region = {.name = "region", .output = y, .output_id = 5}};
  Rng rng(7);
  const auto random = [&](const Tensor& t, int64_t most) {
    int64_t count = 1;
    for (const int64_t extent : t.shape()) count *= extent;
    ir::Array a(t.dtype(), count);
    for (int64_t i = 0; i < count; ++i) a.SetInt(i, rng.Range(-most, most));
    c.values[t.get()] = a;
  };
  random(x, 127);
  random(w, 127);
  random(bias, 100000);
  for (const auto& [t, numbers] : {std::pair{m, multipliers}, {s, shifts}}) {
    ir::Array a(DType::kInt32, channels);
    for (int64_t i = 0; i < channels; ++i) a.SetInt(i, numbers[static_cast<size_t>(i)]);
    c.values[t.get()] = a;
  }
  const auto constant = [&](const Tensor& t) {
    const auto bytes = c.values.at(t.get()).bytes();
    return Binding{t, -1, {bytes.begin(), bytes.end()}};
  };
  c.region.bindings = {{x, 1, {}}, constant(w), constant(bias), constant(m), constant(s)};
  return c;
}

TEST(FloatRequant, KeepsTheValuesAndNamesItsConstants) {
  Case c = Dense({1518500250, 1234567890, 2013265919}, {-8, -7, -9});
  const Tensor before = c.region.output;
  const RegionTe region = WithFloatRequant(c.region);
  ASSERT_TRUE(Verify({region.output}));
  const std::string text = Print({region.output});
  EXPECT_NE(
      text.find("requant_clamp(((sum[i, c] + bias[c]) + y.offset[c]), m[c], s[c], 1i32, 5i32, "
                "-128i32, 127i32, y.offset[c], y.high[c], y.low[c], y.start[c])"),
      std::string::npos)
      << text;
  ASSERT_EQ(region.bindings.size(), 9u);
  for (size_t i = 5; i < 9; ++i) {
    const Binding& b = region.bindings[i];
    ir::Array a(b.placeholder.dtype(), 3);
    ASSERT_EQ(a.bytes().size(), b.constant.size());
    std::ranges::copy(b.constant, a.bytes().begin());
    c.values[b.placeholder.get()] = a;
  }
  ASSERT_TRUE(Evaluate({before}, &c.values));
  ASSERT_TRUE(Evaluate({region.output}, &c.values));
  EXPECT_EQ(c.values.at(region.output.get()), c.values.at(before.get()));
}

// A multiplier and a shift that are numbers in the expression; no constants are added.
TEST(FloatRequant, TakesOneMultiplier) {
  const Tensor x = Placeholder("x", DType::kInt8, {256});
  const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
  const auto made = [&](int64_t multiplier, int64_t shift) {
    const Tensor y = Compute("y", {256}, {"i"}, [&](const Index& i) {
      const Expr scaled = ir::Requant(ir::Cast(DType::kInt32, x(i[0])) * number(77),
                                      number(multiplier), number(shift), isa::Round::kEven);
      return ir::Cast(DType::kInt8, ir::ClampAdd(scaled, number(-9), number(-128), number(127)));
    });
    return RegionTe{.name = "region", .bindings = {{x, 1, {}}}, .output = y, .output_id = 5};
  };
  const RegionTe given = made(1518500250, -6), region = WithFloatRequant(given);
  ASSERT_TRUE(Verify({region.output}));
  EXPECT_NE(Print({region.output}).find("requant_clamp("), std::string::npos);
  EXPECT_EQ(region.bindings.size(), 1u);
  Values values;
  ir::Array all(DType::kInt8, 256);
  for (int64_t i = 0; i < 256; ++i) all.SetInt(i, i - 128);
  values[x.get()] = all;
  ASSERT_TRUE(Evaluate({given.output}, &values));
  ASSERT_TRUE(Evaluate({region.output}, &values));
  EXPECT_EQ(values.at(region.output.get()), values.at(given.output.get()));
  const RegionTe above = made(1518500250, 1);  // a factor above 1/2 has none
  EXPECT_TRUE(WithFloatRequant(above).output == above.output);
}

TEST(FloatRequant, LeavesWhatItCannotShow) {
  const auto stays = [](const RegionTe& region) {
    const RegionTe after = WithFloatRequant(region);
    return after.output == region.output && after.bindings.size() == region.bindings.size();
  };
  EXPECT_FALSE(stays(Dense({1518500250, 1234567890}, {-8, -7}).region));
  EXPECT_TRUE(stays(Dense({1518500250, 1234567890}, {-8, 1}).region));  // one channel has none
  RegionTe unknown = Dense({1518500250}, {-8}).region;
  unknown.bindings[3] = {unknown.bindings[3].placeholder, 9, {}};  // its multipliers are computed
  EXPECT_TRUE(stays(unknown));
  RegionTe any = Dense({1518500250}, {-8}).region;
  any.bindings[2] = {any.bindings[2].placeholder, 9, {}};  // a bias of any size
  EXPECT_TRUE(stays(any));
}

}  // namespace
}  // namespace tessera::te::float_requant_test
