// SPDX-License-Identifier: Apache-2.0
//
// What is tested: simplification and bounds of index expressions against evaluation at every point;
// layouts; structural equality. Space: 2000 random expressions over three variables of small
// ranges. Not tested here: whole functions (tests/compiler/lower).
#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"

namespace tessera::ir::index_test {
namespace {

Expr RandomIndex(Rng& rng, const std::vector<Axis>& axes, int depth) {
  if (depth == 0 || rng.OneIn(6)) {
    return rng.OneIn(4) ? Expr(rng.Range(-20, 20)) : axes[rng.Range(0, 2)].var;
  }
  const Expr a = RandomIndex(rng, axes, depth - 1);
  switch (rng.Range(0, 8)) {
    case 0:
    case 1:
      return a + RandomIndex(rng, axes, depth - 1);
    case 2:
      return a - RandomIndex(rng, axes, depth - 1);
    case 3:
      return a * Expr(rng.Range(-6, 6));
    case 4:
    case 5:
      return FloorDiv(a, rng.Range(1, 8));
    case 6:
      return FloorMod(a, rng.Range(1, 8));
    case 7:
      return Min(a, RandomIndex(rng, axes, depth - 1));
    default:
      return Select(Lt(a, RandomIndex(rng, axes, depth - 1)), a, RandomIndex(rng, axes, depth - 1));
  }
}

int64_t At(const Expr& e, const std::vector<Axis>& axes, const std::vector<int64_t>& point) {
  VarMap map;
  for (size_t i = 0; i < axes.size(); ++i) map[axes[i].var.get()] = Expr(point[i]);
  return *EvalInt(Substitute(e, map));
}

TEST(IndexAnalysis, SimplifiedAndBoundedAtEveryPoint) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::vector<Axis> axes;
    Ranges ranges;
    for (const char* name : {"i", "j", "k"}) {
      axes.push_back({Var(name), rng.Range(-3, 3), rng.Range(1, 6)});
      ranges.Set(axes.back());
    }
    const Expr e = RandomIndex(rng, axes, 4);
    const Expr s = Simplify(e, ranges);
    const Interval bounds = BoundsOf(e, ranges);
    const Expr condition = Le(e, Expr(rng.Range(-30, 30)));
    const Expr simple = Simplify(condition, ranges);
    const bool always = ProveTrue(condition, ranges), never = IsImmEqual(simple, 0);
    std::vector<int64_t> p(3);
    for (p[0] = axes[0].min; p[0] < axes[0].min + axes[0].extent; ++p[0]) {
      for (p[1] = axes[1].min; p[1] < axes[1].min + axes[1].extent; ++p[1]) {
        for (p[2] = axes[2].min; p[2] < axes[2].min + axes[2].extent; ++p[2]) {
          const int64_t value = At(e, axes, p), truth = At(condition, axes, p);
          ASSERT_EQ(At(s, axes, p), value) << Print(e) << " became " << Print(s);
          ASSERT_LE(bounds.lo, value) << Print(e);
          ASSERT_GE(bounds.hi, value) << Print(e);
          ASSERT_EQ(At(simple, axes, p), truth) << Print(condition) << " became " << Print(simple);
          ASSERT_FALSE(always && !truth) << Print(condition);
          ASSERT_FALSE(never && truth) << Print(condition);
        }
      }
    }
  }
}

TEST(IndexAnalysis, AffineBoundsAreExactAndSplitsRecombine) {
  const Axis i{Var("i"), 0, 7}, j{Var("j"), 0, 4};
  Ranges ranges;
  ranges.Set(i);
  ranges.Set(j);
  EXPECT_EQ(BoundsOf(i.var * 4 - j.var * 2 + 1, ranges), (Interval{-5, 25}));
  EXPECT_EQ(Print(Simplify(FloorDiv(i.var * 4 + j.var, 4), ranges)), "i");
  EXPECT_EQ(Print(Simplify(FloorMod(i.var * 4 + j.var, 4), ranges)), "j");
  const Expr f = Var("f");
  EXPECT_EQ(Print(Simplify(FloorDiv(f, 5) * 5 + FloorMod(f, 5), ranges)), "f");
  EXPECT_EQ(Print(Simplify(FloorDiv(FloorDiv(f, 5), 3), ranges)), "(f / 15)");
  EXPECT_EQ(Print(Simplify(FloorDiv(f * 4, 8), ranges)), "(f / 2)");
  EXPECT_EQ(Print(Simplify(FloorDiv(f * 4 + j.var, 8), ranges)), "(f / 2)");
  EXPECT_EQ(Print(Simplify(FloorMod(f * 4 + j.var, 8), ranges)), "(((f % 2) * 4) + j)");
  const Linear form = ToLinear(i.var * 3 + FloorMod(f, 5), ranges);
  EXPECT_EQ(form.CoeffOf(i.var), 3);
  EXPECT_TRUE(form.IsAffineIn({i.var}));
  EXPECT_FALSE(form.IsAffineIn({f}));
}

TEST(IndexAnalysis, NestedDivisionsOfSumsHaveOneForm) {
  const Expr f = Var("f"), l = Var("l");
  Ranges ranges;
  ranges.Set(f, {0, 9});
  ranges.Set(l, {0, 15});
  const Expr quads = FloorDiv(f * 16 + l, 4);  // 4 f + l / 4
  EXPECT_EQ(Print(Simplify(FloorDiv(quads, 10), ranges)), "(((f * 16) + l) / 40)");
  EXPECT_EQ(Print(Simplify(FloorDiv(f * 4 + FloorDiv(l, 4), 10), ranges)), "(((f * 16) + l) / 40)");
  EXPECT_EQ(Print(Simplify(FloorDiv(quads, 10) * 10 + FloorMod(quads, 10), ranges)),
            "((f * 4) + (l / 4))");
}

// A form with the forms of variables is that of the expression with these variables replaced.
TEST(IndexAnalysis, FormsReplaceVariables) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::vector<Axis> axes, inner;
    Ranges ranges;
    for (const char* name : {"i", "j", "k"}) axes.push_back({Var(name), 0, 1});
    for (const char* name : {"a", "b", "c"}) {
      inner.push_back({Var(name), rng.Range(-3, 3), rng.Range(1, 6)});
      ranges.Set(inner.back());
    }
    FormMap outer, values;
    for (const Axis& axis : axes) {  // some values in the map itself, the others in the outer one
      FormMap& into = rng.OneIn(2) ? outer : values;
      into[axis.var.get()] = ToLinear(RandomIndex(rng, inner, 2), ranges);
    }
    values.others = &outer;
    const Expr e = RandomIndex(rng, axes, 4);
    const Expr form = FromLinear(ToLinear(e, values, ranges));
    const Expr replaced = Substitute(e, FromLinear(values));
    for (int point = 0; point < 20; ++point) {
      std::vector<int64_t> p;
      for (const Axis& axis : inner) p.push_back(rng.Range(axis.min, axis.min + axis.extent - 1));
      ASSERT_EQ(At(form, inner, p), At(replaced, inner, p)) << Print(e);
    }
  }
}

TEST(Layouts, PackPutsEachElementWhereOffsetOfSays) {
  const Layout layout = *ParseLayout("0,1/4,2,1%4 fill -3", 3);
  const Buffer b =
      MakeBuffer({.name = "b", .dtype = DType::kInt8, .shape = {2, 6, 3}, .layout = layout});
  EXPECT_EQ(PhysicalShape(*b), (std::vector<int64_t>{2, 2, 3, 4}));
  EXPECT_EQ(PaddedShape(*b), (std::vector<int64_t>{2, 8, 3}));
  std::vector<uint8_t> data(36);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i + 1);
  const std::vector<uint8_t> packed = PackLayout(*b, data);
  ASSERT_EQ(packed.size(), 48u);
  for (int64_t n = 0; n < 2; ++n) {
    for (int64_t c = 0; c < 8; ++c) {
      for (int64_t x = 0; x < 3; ++x) {
        const int64_t where = ((n * 2 + c / 4) * 3 + x) * 4 + c % 4;
        EXPECT_EQ(static_cast<int8_t>(packed[where]), c < 6 ? (n * 6 + c) * 3 + x + 1 : -3);
        EXPECT_EQ(*EvalInt(OffsetOf(*b, std::vector<Expr>{Expr(n), Expr(c), Expr(x)})), where);
      }
    }
  }
  EXPECT_EQ(UnpackLayout(*b, packed), data);
  EXPECT_EQ(*ParseLayout(LayoutText(layout), 3), layout);
  EXPECT_EQ(LayoutText(BlockedLayout(4, 1, 16)), "0, 1/16, 2, 3, 1%16");
  EXPECT_EQ(LayoutText(*ParseLayout("1+0+2,0+1+3 fill 5", 2)), "1+0+2, 0+1+3 fill 5");
}

TEST(Layouts, RefusalsSayWhy) {
  const std::pair<const char*, const char*> kBad[] = {
      {"x", "a dimension number is expected"},
      {"0,5", "no such dimension"},
      {"0/0,1", "a divisor of 1 to 2^31"},
      {"0%x,1", "a modulus of 1 to 2^31"},
      {"0/2147483649,1,0%2147483649", "a divisor of 1 to 2^31"},
      {"0/2,1,0%2147483649", "a modulus of 1 to 2^31"},
      {"0,1/16", "one place"},
      {"0,1/16,1%8", "one place"},
      {"0", "one place"},
      {"0,1 fill", "unexpected text"},
      {"0,1 fill x", "a fill value"},
      {"0,1 1", "unexpected text"},
      {"0,0,1", "one place"},
      {"0,1+1", "BEFORE+DIMENSION+AFTER"},
      {"0,1+x+1", "BEFORE+DIMENSION+AFTER"},
      {"0,1+1+", "BEFORE+DIMENSION+AFTER"},
      {"0,-1+1+0", "a halo of 0 to 65536"},
      {"0,0+1+65537", "a halo of 0 to 65536"},
      {"0,1+5+1", "no such dimension"},
      {"0,1+1+0/4,1%4", "of a whole dimension"}};
  for (const auto& [text, why] : kBad) {
    const Result<Layout> layout = ParseLayout(text, 2);
    ASSERT_FALSE(layout.has_value()) << text;
    EXPECT_NE(layout.error().message.find(why), std::string::npos) << layout.error().message;
  }
}

TEST(StructuralEquality, NamesDoNotMatterButShapeDoes) {
  const Expr i = Var("i"), j = Var("j"), free = Var("free");
  const Buffer b = MakeBuffer({.name = "b", .dtype = DType::kInt64, .shape = {8}});
  const auto loop = [&](const Expr& v, const Expr& value) {
    return For(v, 0, 8, LoopKind::kSerial, Store(b, {v}, value));
  };
  EXPECT_TRUE(Equal(loop(i, i + 1), loop(j, j + 1)));
  EXPECT_EQ(Hash(loop(i, i + 1)), Hash(loop(j, j + 1)));
  EXPECT_FALSE(Equal(loop(i, i + 1), loop(j, j + 2)));
  EXPECT_FALSE(Equal(loop(i, i + 1), loop(j, free + 1)));
  EXPECT_FALSE(Equal(loop(i, free + 1), loop(j, j + 1)));
  EXPECT_FALSE(Equal(Expr(1), Imm(DType::kInt32, 1)));
  EXPECT_FALSE(Equal(ImmF32(0.0f), ImmF32(-0.0f)));
}

}  // namespace
}  // namespace tessera::ir::index_test
