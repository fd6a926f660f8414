// SPDX-License-Identifier: Apache-2.0
//
// What is tested: which instructions of VECTOR cover an epilogue, in which order, and the tiles of
// ACC and OUT that they take, against lists made by hand. Space: an expression a form of VECTOR's
// instructions, operands in both orders. Not tested here: that programs made so compute the
// expression (region_test, steps_random_test), what has no cover (refuse_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compiler/accel/expressions.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::cover_test {
namespace {

using ir::Expr;
using te::Tensor;

const std::vector<int64_t> kShape{1, 8, 6, 6};

Expr Clamped(Expr y) {
  return ir::Cast(DType::kInt8, ir::ClampAdd(y, I32(2), I32(-100), I32(100)));
}
Expr Rescaled(Expr a, Expr multiplier, Expr shift) {
  return ir::Requant(a, multiplier, shift, isa::Round::kEven);
}
// The int8 value |e| less its zero point 3, in front of the point of 1 << 5.
Expr Raised(Expr e) { return ir::Bin(ir::BinOp::kShl, Wide(e) - I32(3), I32(5)); }

// The lines of the steps that AnalyzeRegion finds for |output|, then tiles of ACC and OUT; or why
// there are none.
std::string CoverOf(const Tensor& output) {
  const lower::accel::Analysis analysis =
      lower::accel::AnalysisOf(RegionOf(output), NamedConfig("default"));
  if (!*analysis) return analysis->error().message + "; " + analysis->error().machine;
  const std::string text = schedule::accel::Print(**analysis);
  return text.substr(std::min(text.find("  v0"), text.size())) +
         fmt::format("acc {} out {}", (*analysis)->AccSlots(), (*analysis)->OutSlots());
}

std::string Elementwise(
    const std::function<Expr(const Tensor& a, const Tensor& b, const ExprList& i)>& value) {
  const Tensor a = te::Placeholder("a", DType::kInt8, kShape),
               b = te::Placeholder("b", DType::kInt8, kShape);
  return CoverOf(te::Compute("y", kShape, {}, [&](const ExprList& i) { return value(a, b, i); }));
}

// Behind a dense sum; |w| is one int32 a channel.
std::string BehindSum(
    const std::function<Expr(const Tensor& sum, const Tensor& w, const ExprList& i)>& value) {
  const Tensor x = te::Placeholder("x", DType::kInt8, kShape),
               weights = te::Placeholder("weights", DType::kInt8, {8, 8}),
               w = te::Placeholder("w", DType::kInt32, {8});
  const Tensor sum = SumOf(
      [&](const ExprList& i, const te::Axis& k) {
        return Wide(x(i[0], k.var, i[2], i[3])) * Wide(weights(i[1], k.var));
      },
      kShape, 8);
  return CoverOf(te::Compute("y", kShape, {}, [&](const ExprList& i) { return value(sum, w, i); }));
}

TEST(Cover, ARescaledSum) {
  const Expr m = I32(1 << 30), s = I32(-3);
  EXPECT_EQ(BehindSum([&](auto& sum, auto&, auto& i) { return Clamped(Rescaled(sum(i), m, s)); }),
            "  v0 = tile.requant sum\nacc 1 out 1");
  // A bias, a multiplier or a shift of each channel needs a record; so does a bias of all.
  EXPECT_EQ(BehindSum([&](auto& sum, auto& w, auto& i) {
              return Clamped(Rescaled(sum(i) + w(i[1]), m, s));
            }),
            "  v0 = tile.requant_prm sum\nacc 1 out 1");
  EXPECT_EQ(
      BehindSum([&](auto& sum, auto& w, auto& i) { return Clamped(Rescaled(sum(i), w(i[1]), s)); }),
      "  v0 = tile.requant_prm sum\nacc 1 out 1");
  EXPECT_EQ(BehindSum([&](auto& sum, auto&, auto& i) {
              return Clamped(Rescaled(I32(7) + sum(i), m, s));
            }),
            "  v0 = tile.requant_prm sum\nacc 1 out 1");
  EXPECT_EQ(BehindSum([&](auto& sum, auto&, auto& i) { return Clamped(sum(i)); }),
            "  v0 = tile.narrow sum\nacc 1 out 1");
}

TEST(Cover, AnInt8ValueBesideASum) {
  const Expr m = I32(1 << 30), s = I32(-3);
  // In either order; a product with 32 is the same shift.
  for (const bool first : {true, false}) {
    for (const bool product : {true, false}) {
      const Tensor a = te::Placeholder("a", DType::kInt8, kShape);
      EXPECT_EQ(BehindSum([&](auto& sum, auto&, auto& i) {
                  const Expr value = product ? (Wide(a(i)) - I32(3)) * I32(32) : Raised(a(i));
                  return Clamped(Rescaled(first ? value + sum(i) : sum(i) + value, m, s));
                }),
                "  v0 = load a\n  v1 = tile.add v0 sum\nacc 1 out 1");
    }
  }
}

// The table, as a constant, with the value |e| looked up in it.
Expr LookedUp(const Tensor& table, Expr e) { return table(ir::Cast(DType::kInt64, e) + Expr(128)); }

TEST(Cover, TwoInt8Values) {
  const Expr m = I32(1 << 30), s = I32(-3);
  EXPECT_EQ(Elementwise([&](auto& a, auto& b, auto& i) {
              return Clamped(Rescaled(Raised(a(i)) + Raised(b(i)), m, s));
            }),
            "  v0 = load a\n  v1 = load b\n  v2 = tile.widen v1\n  v3 = tile.add v0 v2\n"
            "acc 1 out 2");
  // A difference is a sum with a negated term; one of them is changed in ACC.
  EXPECT_EQ(Elementwise([](auto& a, auto& b, auto& i) { return Clamped(Wide(a(i)) - Wide(b(i))); }),
            "  v0 = load a\n  v1 = load b\n  v2 = tile.widen v1\n  v3 = tile.alu_mul.imm v2\n"
            "  v4 = tile.add.narrow v0 v3\nacc 1 out 2");
  // The sum has TAB behind it, as a sum in another scale has.
  const Tensor table = te::Placeholder("weights", DType::kInt8, {256});
  EXPECT_EQ(Elementwise([&](auto& a, auto& b, auto& i) {
              return LookedUp(table, Clamped(Raised(a(i)) + Wide(b(i)) * I32(3)));
            }),
            "  v0 = load a\n  v1 = load b\n  v2 = tile.widen v1\n  v3 = tile.alu_mul.imm v2\n"
            "  v4 = tile.add.narrow.tab v0 v3\nacc 1 out 2");
  // One tensor read twice is loaded once.
  EXPECT_EQ(
      Elementwise([](auto& a, auto&, auto& i) { return Clamped(Wide(a(i)) * Wide(a(i))); }),
      "  v0 = load a\n  v1 = tile.widen v0\n  v2 = tile.alu_mul.i8 v1 v0\n  v3 = tile.narrow v2\n"
      "acc 1 out 1");
}

// LOAD brings a constant of the result's shape as it brings an activation.
TEST(Cover, AConstantForEachElement) {
  const Expr m = I32(1 << 30), s = I32(-3);
  const Tensor w = te::Placeholder("w", DType::kInt8, kShape);
  EXPECT_EQ(Elementwise([&](auto& a, auto&, auto& i) {
              return Clamped(Rescaled(Raised(a(i)) + Raised(w(i)), m, s));
            }),
            "  v0 = load a\n  v1 = load w\n  v2 = tile.widen v1\n  v3 = tile.add v0 v2\n"
            "acc 1 out 2");
  EXPECT_EQ(BehindSum([&](auto& sum, auto&, auto& i) {
              return Clamped(Rescaled(Raised(w(i)) + sum(i), m, s));
            }),
            "  v0 = load w\n  v1 = tile.add v0 sum\nacc 1 out 1");
}

TEST(Cover, AnOperandOfAnotherTypeIsRefused) {
  const Tensor x = te::Placeholder("x", DType::kInt32, kShape);
  EXPECT_THAT(Elementwise([&](auto& a, auto&, auto& i) { return Clamped(Wide(a(i)) + x(i)); }),
              ::testing::HasSubstr("an int32 value that no step makes: x["));
}

TEST(Cover, NumbersInEitherOrder) {
  EXPECT_EQ(Elementwise([](auto& a, auto&, auto& i) {
              return Clamped(I32(-5) * ir::Max(Wide(a(i)), I32(0)));
            }),
            "  v0 = load a\n  v1 = tile.widen v0\n  v2 = tile.alu_max.imm v1\n"
            "  v3 = tile.alu_mul.imm v2\n  v4 = tile.narrow v3\nacc 1 out 1");
  EXPECT_EQ(Elementwise([](auto& a, auto&, auto& i) {
              return Clamped(Rescaled(Wide(a(i)), I32(1 << 30), I32(0)) - I32(9));
            }),
            "  v0 = load a\n  v1 = tile.requant.i8.i32 v0\n  v2 = tile.alu_add.imm v1\n"
            "  v3 = tile.narrow v2\nacc 1 out 1");
}

// ALU shifts to the left by a negative number, and the expression leaves the sign.
TEST(Cover, ShiftsToTheRightByNumbersFromZeroOn) {
  const auto shifted = [](const std::function<Expr(const Expr& a)>& by) {
    return Elementwise([&](auto& a, auto&, auto& i) {
      return Clamped(ir::Bin(ir::BinOp::kShr, Wide(a(i)), by(Wide(a(i)))));
    });
  };
  for (const int64_t bits : {1, 31, 40}) {
    EXPECT_EQ(shifted([&](auto&) { return I32(bits); }),
              "  v0 = load a\n  v1 = tile.widen v0\n  v2 = tile.alu_shr.imm v1\n"
              "  v3 = tile.narrow v2\nacc 1 out 1");
  }
  using testing::HasSubstr;
  EXPECT_THAT(shifted([](auto&) { return I32(-1); }),
              HasSubstr("no shift to the right by a negative number"));
  EXPECT_THAT(shifted([](const Expr& a) { return a; }),
              HasSubstr("no shift to the right by a variable"));
}

TEST(Cover, AResultLookedUp) {
  const Tensor table = te::Placeholder("weights", DType::kInt8, {256});
  const Expr m = I32(1 << 30), s = I32(-3);
  EXPECT_EQ(Elementwise([&](auto& a, auto&, auto& i) { return LookedUp(table, a(i)); }),
            "  v0 = load a\n  v1 = tile.copy.tab v0\nacc 0 out 1");
  EXPECT_EQ(Elementwise([&](auto& a, auto&, auto& i) {
              return LookedUp(table, Clamped(Rescaled(Raised(a(i)), m, s)));
            }),
            "  v0 = load a\n  v1 = tile.requant.i8.tab v0\nacc 0 out 1");
  EXPECT_EQ(Elementwise([&](auto& a, auto& b, auto& i) {
              return LookedUp(table, Clamped(Rescaled(Raised(a(i)) + Raised(b(i)), m, s)));
            }),
            "  v0 = load a\n  v1 = load b\n  v2 = tile.widen v1\n  v3 = tile.add.tab v0 v2\n"
            "acc 1 out 2");
  // Another instruction reads the value that was looked up.
  EXPECT_EQ(Elementwise([&](auto& a, auto&, auto& i) {
              return Clamped(Rescaled(Raised(LookedUp(table, a(i))), m, s));
            }),
            "  v0 = load a\n  v1 = tile.copy.tab v0\n  v2 = tile.requant.i8 v1\nacc 0 out 1");
}

TEST(Cover, ASumLookedUp) {
  const Tensor table = te::Placeholder("weights", DType::kInt8, {256});
  const Expr m = I32(1 << 30), s = I32(-3);
  EXPECT_EQ(BehindSum([&](auto& sum, auto& w, auto& i) {
              return LookedUp(table, Clamped(Rescaled(sum(i) + w(i[1]), m, s)));
            }),
            "  v0 = tile.requant_prm.tab sum\nacc 1 out 1");
  EXPECT_EQ(BehindSum([&](auto& sum, auto&, auto& i) { return LookedUp(table, Clamped(sum(i))); }),
            "  v0 = tile.narrow.tab sum\nacc 1 out 1");
}

TEST(Cover, OneTableOfALayer) {
  const Tensor table = te::Placeholder("weights", DType::kInt8, {256}),
               other = te::Placeholder("w", DType::kInt8, {256});
  EXPECT_EQ(
      Elementwise([&](auto& a, auto&, auto& i) { return LookedUp(table, LookedUp(table, a(i))); }),
      "  v0 = load a\n  v1 = tile.copy.tab v0\n  v2 = tile.copy.tab v1\nacc 0 out 1");
  const std::string refused =
      Elementwise([&](auto& a, auto&, auto& i) { return LookedUp(table, LookedUp(other, a(i))); });
  EXPECT_NE(refused.find("a second table of one layer"), std::string::npos) << refused;
}

}  // namespace
}  // namespace tessera::test::cover_test
