// SPDX-License-Identifier: Apache-2.0
//
// What is tested: requantisation in host code against the interpreter: all rounding modes and
// shifts, and what code is made shorter by: shifts of which the largest is said, zero points,
// clamps, sums of two bytes of one scale and of two, sums by float32. Space: pairs of edge values
// and 400 products, many of them ties; all pairs of bytes; each level that this machine runs. Not
// tested here: RequantValue itself (tests/compiler/ir).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "compiler/codegen/llvm/few_values.h"
#include "compiler/ir/intrin.h"
#include "compiler/region/float_scale.h"
#include "tests/compiler/llvm/same_code.h"

namespace tessera::codegen::requant_test {
namespace {

using ir::Expr;
using test::Buf;
using test::ExpectElementwise;
using test::ExpectSame;
using test::Pairs;

// Sums and multipliers.
void Products(ir::Array* sums, ir::Array* multipliers) {
  ir::Array a, b;
  Pairs(DType::kInt32, &a, &b);
  for (int64_t i = 0; i < b.size(); ++i)
    b.SetInt(i, std::max<int64_t>(b.Int(i), 0) | (i % 3 == 0 ? 1 << 30 : 0));  // multipliers
  Rng rng(5);  // and products of which many are ties at some shift
  const int64_t edges = a.size();
  ir::Array more_a(DType::kInt32, edges + 400), more_b(DType::kInt32, edges + 400);
  for (int64_t i = 0; i < more_a.size(); ++i) {
    const int64_t odd = (2 * rng.Range(-300, 300) + 1) << rng.Range(0, 20);
    more_a.SetInt(i, i < edges ? a.Int(i) : odd);
    more_b.SetInt(i, i < edges ? b.Int(i) : int64_t{1} << rng.Range(0, 30));
  }
  *sums = more_a;
  *multipliers = more_b;
}

TEST(Requant, EveryModeAndShift) {
  ir::Array a, b;
  Products(&a, &b);
  // One function for all shifts of a mode: a row of |z| for each.
  constexpr int kShifts = 64;  // -32 to 31
  for (const isa::Round mode : {isa::Round::kEven, isa::Round::kTflite, isa::Round::kHalfUp}) {
    for (const int lanes : {1, 2, 8}) {
      if (lanes == 2 && mode != isa::Round::kEven) continue;  // which has a way for quads alone
      const int64_t count = a.size() / lanes * lanes;
      const ir::Buffer x = Buf("x", DType::kInt32, {a.size()}),
                       y = Buf("y", DType::kInt32, {a.size()}),
                       z = Buf("z", DType::kInt32, {kShifts, a.size()});
      std::vector<ir::Stmt> rows;
      for (int row = 0; row < kShifts; ++row) {
        const Expr i = ir::Var("i");
        const Expr at = lanes == 1 ? i : ir::Ramp(i * Expr(lanes), Expr(1), lanes);
        const Expr to = lanes == 1 ? Expr(row) : ir::Broadcast(Expr(row), lanes);
        rows.push_back(ir::For(i, 0, Expr(count / lanes), ir::LoopKind::kSerial,
                               ir::Store(z, {to, at},
                                         ir::Requant(ir::Load(x, {at}), ir::Load(y, {at}),
                                                     ir::Imm(DType::kInt32, row - 32), mode))));
      }
      ExpectSame({"f", {x, y, z}, ir::Seq(rows)},
                 {a, b, ir::Array(DType::kInt32, kShifts * a.size())});
    }
  }
  ExpectElementwise(DType::kInt32, DType::kInt32, a, b, [](Expr x, Expr y) {
    return ir::ClampAdd(x, y, ir::Imm(DType::kInt32, -128), ir::Imm(DType::kInt32, 127));
  });
}

// As behind a contraction: (sum - correction) + bias of a buffer of the function, requantised by
// shifts of which the largest is said, plus a zero point, clamped to int8.
TEST(Requant, SumsWithTheirStartAndZero) {
  ir::Array a, b;
  Products(&a, &b);
  for (const int lanes : {1, 2, 16}) {
    const int64_t count = a.size() / lanes * lanes;
    struct Case {
      int most, zero, lo, hi;
    };
    const std::vector<Case> cases{{-1, -128, -128, 127}, {-1, 4, -128, 127},  {-1, 3, -128, 127},
                                  {-9, 0, -128, 127},    {-9, -6, -20, 90},   {0, -128, -128, 127},
                                  {0, 0, -128, 127},     {3, -128, -128, 127}};
    const auto kinds = static_cast<int64_t>(cases.size());
    const ir::Buffer x = Buf("x", DType::kInt32, {a.size()}),
                     y = Buf("y", DType::kInt32, {a.size()}),
                     c = Buf("c", DType::kInt32, {a.size()}),
                     d = Buf("d", DType::kInt32, {a.size()}),
                     s = Buf("s", DType::kInt32, {kinds, a.size()}),
                     z = Buf("z", DType::kInt8, {kinds, a.size()});
    ir::BufferNode node;
    node.name = "sum";
    node.dtype = DType::kInt32;
    node.shape = {lanes};
    node.scope = ir::Scope::kReg;
    std::vector<ir::Stmt> rows;
    for (int64_t row = 0; row < kinds; ++row) {
      const Case& k = cases[static_cast<size_t>(row)];
      const ir::Buffer sum = ir::MakeBuffer(node);
      const Expr i = ir::Var("i");
      const auto vector = [&](Expr scalar) {
        return lanes == 1 ? scalar : ir::Broadcast(scalar, lanes);
      };
      const auto ramp = [&](Expr from) {
        return lanes == 1 ? from : ir::Ramp(from, Expr(1), lanes);
      };
      const Expr at = ramp(i * Expr(lanes)), own = ramp(Expr(0)), to = vector(Expr(row));
      const auto number = [&](int v) { return ir::Imm(DType::kInt32, v); };
      const Expr start = ir::Load(sum, {own}) - ir::Load(c, {at}) + ir::Load(d, {at});
      const Expr shift = ir::Min(ir::Load(s, {to, at}), vector(number(k.most)));
      const Expr value =
          ir::ClampAdd(ir::Requant(start, ir::Load(y, {at}), shift, isa::Round::kEven),
                       number(k.zero), number(k.lo), number(k.hi));
      const ir::Stmt work = ir::Seq({ir::Store(sum, {own}, ir::Load(x, {at})),
                                     ir::Store(z, {to, at}, ir::Cast(DType::kInt8, value))});
      rows.push_back(
          ir::For(i, 0, Expr(count / lanes), ir::LoopKind::kSerial, ir::Alloc(sum, work)));
    }
    Rng rng(6);
    ir::Array corrections(DType::kInt32, a.size()), biases(DType::kInt32, a.size()),
        shifts(DType::kInt32, kinds * a.size());
    for (int64_t i = 0; i < a.size(); ++i) {
      const int64_t both = rng.OneIn(2) ? 0 : rng.Range(-1 << 20, 1 << 20);
      corrections.SetInt(i, both);
      biases.SetInt(i, rng.OneIn(4) ? rng.Range(-1 << 20, 1 << 20) : both);
    }
    for (int64_t i = 0; i < shifts.size(); ++i) shifts.SetInt(i, rng.Range(-31, 6));
    ExpectSame({"f", {x, y, c, d, s, z}, ir::Seq(rows)},
               {a, b, corrections, biases, shifts, ir::Array(DType::kInt8, kinds * a.size())});
  }
}

// Sums of two bytes, each shifted: all 65536 pairs.
TEST(Requant, FewValues) {
  struct Case {
    DType first, second;
    int zero_first, zero_second, shift_first, shift_second;
    int multiplier, shift, zero;
    isa::Round rounding;
    int rescale = 0;  // of the first term, to the half of it or less
    bool minus = false;
  };
  const Case cases[] = {
      {DType::kInt8, DType::kInt8, -1, -128, 19, 19, 1239850328, -18, -128, isa::Round::kEven},
      {DType::kInt8, DType::kInt8, 0, 0, 19, 19, 1 << 30, -19, 3, isa::Round::kEven},  // ties
      {DType::kInt8, DType::kInt8, 5, 6, 19, 19, 1 << 30, -19, 0, isa::Round::kTflite},
      {DType::kInt8, DType::kInt8, 5, 6, 19, 19, 1518500250, -19, 0, isa::Round::kHalfUp},
      {DType::kInt8, DType::kUint8, 7, -3, 3, 4, 2147483647, -4, 1, isa::Round::kEven},
      {DType::kUint8, DType::kUint8, 128, 128, 19, 20, 1234567891, -20, -20, isa::Round::kEven},
      {DType::kInt8, DType::kInt8, 0, 0, 22, 23, 1876543210, -1, 0, isa::Round::kEven},  // large
      {DType::kInt8, DType::kInt8, 0, 0, 2, 9, 1876543210, -1, 0, isa::Round::kEven},    // many
      // Two scales, of whose sums there are 65536.
      {DType::kInt8, DType::kInt8, 0, 0, 20, 19, 1747479254, -18, -128, isa::Round::kEven,
       1533916842},
      {DType::kInt8, DType::kInt8, -3, 17, 20, 19, 1239850328, -18, 5, isa::Round::kTflite,
       1098765431},
      {DType::kInt8, DType::kUint8, 9, 120, 20, 19, 1747479254, -19, 0, isa::Round::kHalfUp,
       2012345678},
      {DType::kUint8, DType::kInt8, 130, -2, 20, 20, 1999999999, -19, -1, isa::Round::kEven,
       1300000001, true},
      {DType::kInt8, DType::kInt8, 1, 2, 20, 19, 1 << 30, -19, 0, isa::Round::kEven,
       1 << 30},  // ties
      {DType::kInt8, DType::kInt8, 0, 0, 8, 23, 1876543210, -1, 0, isa::Round::kEven, 1533916842}};
  for (const Case& k : cases) {
    for (const int lanes : {1, 16}) {
      constexpr int64_t kPairs = 1 << 16;
      const ir::Buffer x = Buf("x", k.first, {kPairs}), y = Buf("y", k.second, {kPairs}),
                       z = Buf("z", DType::kInt8, {kPairs}), w = Buf("w", DType::kInt32, {kPairs});
      const Expr i = ir::Var("i");
      const Expr at = lanes == 1 ? i : ir::Ramp(i * Expr(lanes), Expr(1), lanes);
      const auto number = [&](int v) {
        const Expr one = ir::Imm(DType::kInt32, v);
        return lanes == 1 ? one : ir::Broadcast(one, lanes);
      };
      const auto term = [&](const ir::Buffer& from, int zero, int shift) {
        const Expr wide = ir::Cast(DType::kInt32, ir::Load(from, {at}));
        return ir::Bin(ir::BinOp::kShl, wide - number(zero), number(shift));
      };
      const auto scaled = [&](Expr sum, int multiplier, int shift, isa::Round rounding) {
        return ir::Requant(std::move(sum), ir::Imm(DType::kInt32, multiplier),
                           ir::Imm(DType::kInt32, shift), rounding);
      };
      Expr first = term(x, k.zero_first, k.shift_first);
      if (k.rescale != 0) first = scaled(first, k.rescale, -1, isa::Round::kTflite);
      const Expr second = term(y, k.zero_second, k.shift_second);
      const Expr value =
          scaled(k.minus ? first - second : first + second, k.multiplier, k.shift, k.rounding);
      const Expr narrow = ir::ClampAdd(value, ir::Imm(DType::kInt32, k.zero),
                                       ir::Imm(DType::kInt32, -128), ir::Imm(DType::kInt32, 127));
      ir::Array a(k.first, kPairs), b(k.second, kPairs);
      for (int64_t p = 0; p < kPairs; ++p) {
        a.SetInt(p, k.first == DType::kInt8 ? p % 256 - 128 : p % 256);
        b.SetInt(p, k.second == DType::kInt8 ? p / 256 - 128 : p / 256);
      }
      ExpectSame({"f",
                  {x, y, z, w},
                  ir::For(i, 0, Expr(kPairs / lanes), ir::LoopKind::kSerial,
                          ir::Seq({ir::Store(z, {at}, ir::Cast(DType::kInt8, narrow)),
                                   ir::Store(w, {at}, value)}))},
                 {a, b, ir::Array(DType::kInt8, kPairs), ir::Array(DType::kInt32, kPairs)});
    }
  }
}

TEST(Requant, WhatHasFewValues) {
  const ir::Buffer x = Buf("x", DType::kInt8, {4}), n = Buf("n", DType::kInt32, {4});
  const auto wide = [&](int64_t i) { return ir::Cast(DType::kInt32, ir::Load(x, {Expr(i)})); };
  const auto number = [](int v) { return ir::Imm(DType::kInt32, v); };
  const auto shifted = [&](Expr e, int by) { return ir::Bin(ir::BinOp::kShl, e, number(by)); };
  FewValuesFinder finder;
  const auto few = [&](const Expr& sum, int multiplier, int shift) {
    return finder.Of(ir::Requant(sum, number(multiplier), number(shift), isa::Round::kEven));
  };
  const auto found = few(shifted(wide(0) - number(4), 19) + shifted(wide(1), 19), 1 << 30, -19);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->terms[0].factor, 0.5F);  // 2^19 * 2^30 / 2^31 / 2^19
  EXPECT_EQ(found->terms.size(), 1);
  EXPECT_FALSE(few(ir::Load(n, {Expr(0)}), 1 << 30, -2));            // any int32
  EXPECT_FALSE(few(shifted(wide(0), 24) + number(1), 1 << 30, -9));  // leaves int32
  EXPECT_FALSE(few(shifted(wide(0), 20), 1 << 30, 1));               // a shift to the left
  EXPECT_FALSE(few(shifted(wide(0), 23), 2147483647, -1));           // results above 2^21
  // 0.625 a + 0.5 b: the first term is rounded to 2^-20 of a step before.
  const auto rescaled = [&](const Expr& e) {
    return ir::Requant(shifted(e, 20), number(1342177280), number(-1), isa::Round::kTflite);
  };
  const auto pair = few(rescaled(wide(0)) + shifted(wide(1), 18), 1 << 30, -18);
  ASSERT_TRUE(pair.has_value());
  ASSERT_EQ(pair->terms.size(), 2);
  EXPECT_EQ(pair->terms[0].factor + pair->terms[1].factor, 1.125F);
  // Copies of a call have its numbers and their own reads; another number, type or scale is tried.
  const auto same = [](const FewValues& a, const FewValues& b) {
    return a.start == b.start && a.terms[0].factor == b.terms[0].factor &&
           (a.terms.size() == 1 || a.terms[1].factor == b.terms[1].factor);
  };
  const auto copy = few(rescaled(wide(2)) + shifted(wide(3), 18), 1 << 30, -18);
  ASSERT_TRUE(copy.has_value());
  EXPECT_TRUE(same(*copy, *pair));
  for (const FewValues::ScaledUnits& term : copy->terms)
    EXPECT_EQ(ir::Print(term.units), term.factor == 0.625F ? "i32(x[2])" : "i32(x[3])");
  const auto moved = few(rescaled(wide(0)) + shifted(wide(1) - number(4), 18), 1 << 30, -18);
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(moved->start, pair->start - 2.0F);  // 4 of the second, by 0.5
  const auto halves = few(rescaled(wide(0)) + shifted(wide(1), 18), 1 << 29, -18);
  ASSERT_TRUE(halves.has_value());
  EXPECT_EQ(halves->terms[0].factor + halves->terms[1].factor, 0.5625F);
  const auto other = few(shifted(wide(2) - number(4), 19) + shifted(wide(3), 19), 1 << 30, -19);
  ASSERT_TRUE(other.has_value());
  EXPECT_TRUE(same(*other, *found));
  EXPECT_NE(ir::Print(other->terms[0].units), ir::Print(found->terms[0].units));
  EXPECT_FALSE(few(rescaled(wide(0)) + rescaled(wide(1)) + wide(2), 1 << 30, -18));  // three bytes
  EXPECT_FALSE(few(rescaled(wide(0) + wide(1)) + wide(2), 1 << 30, -18));
  EXPECT_FALSE(few(rescaled(wide(0)) + shifted(wide(1), 18), 1 << 30, 1));   // a shift to the left
  EXPECT_FALSE(few(rescaled(wide(0)) + shifted(wide(1), 24), 1 << 30, -1));  // leaves int32
}

// Both forms of one call: the interpreter has the integers, code of some levels the floats.
TEST(Requant, ClampedByFloats) {
  constexpr int64_t kChannels = 64, kRows = 64, kMost = 1 << 24;
  constexpr uint64_t kSeed = 17;
  SCOPED_TRACE(kSeed);
  Rng rng(kSeed);
  ir::Array m(DType::kInt32, kChannels), s(DType::kInt32, kChannels),
      offset(DType::kInt32, kChannels);
  ir::Array high(DType::kFloat32, kChannels), low(DType::kFloat32, kChannels),
      start(DType::kFloat32, kChannels), a(DType::kInt32, kRows * kChannels);
  te::ClampedScale scale{.rounding = isa::Round::kEven, .zero = -7, .lo = -100, .hi = 127};
  for (int64_t c = 0; c < kChannels;) {
    scale.multiplier = static_cast<int32_t>(rng.Range(int64_t{1} << 30, INT32_MAX));
    scale.shift = static_cast<int32_t>(-rng.Range(1, 10));
    const auto by = te::FindFloatNumbers(scale, kMost);
    if (!by) continue;
    m.SetInt(c, scale.multiplier);
    s.SetInt(c, scale.shift);
    offset.SetInt(c, by->offset);
    high.SetFloat(c, by->high);
    low.SetFloat(c, by->low);
    start.SetFloat(c, by->start);
    const double factor = std::ldexp(scale.multiplier, scale.shift - 31);
    for (int64_t row = 0; row < kRows; ++row) {  // around a step between two results, or any sum
      const double step = static_cast<double>(rng.Range(-130, 130)) + 0.5;
      const auto near = static_cast<int64_t>(std::round(step / factor)) + rng.Range(-1, 1);
      const int64_t sum = row % 4 == 0 ? rng.Range(-kMost, kMost) : near;
      a.SetInt(row * kChannels + c, sum + by->offset);
    }
    ++c;
  }
  const auto vector = [](const char* name, DType dtype) { return Buf(name, dtype, {kChannels}); };
  const ir::Buffer x = Buf("x", DType::kInt32, {kRows, kChannels}),
                   y = Buf("y", DType::kInt32, {kRows, kChannels}),
                   z = Buf("z", DType::kInt8, {kRows, kChannels}), bm = vector("m", DType::kInt32),
                   bs = vector("s", DType::kInt32), bo = vector("o", DType::kInt32),
                   bh = vector("h", DType::kFloat32), bl = vector("l", DType::kFloat32),
                   bt = vector("t", DType::kFloat32);
  const auto number = [](int v) { return ir::Imm(DType::kInt32, v); };
  for (const int lanes : {1, 8, 16, 32, 48}) {
    const Expr row = ir::Var("row"), i = ir::Var("i");
    const Expr at = lanes == 1 ? i : ir::Ramp(i * Expr(lanes), Expr(1), lanes);
    const Expr to = lanes == 1 ? row : ir::Broadcast(row, lanes);
    const auto of = [&](const ir::Buffer& b) { return ir::Load(b, {at}); };
    const Expr value =
        ir::RequantClamp(ir::Load(x, {to, at}), of(bm), of(bs), scale.rounding, number(scale.zero),
                         number(scale.lo), number(scale.hi), {of(bo), of(bh), of(bl), of(bt)});
    const Expr narrow = ir::Cast(DType::kInt8, value);
    // As a sum of two activations reads the first: what is narrow for no time.
    const Expr wide = ir::Cast(DType::kInt32, narrow);
    const ir::Stmt work = ir::Seq({ir::Store(z, {to, at}, narrow), ir::Store(y, {to, at}, wide)});
    ExpectSame({"f",
                {x, bm, bs, bo, bh, bl, bt, y, z},
                ir::For(row, 0, Expr(kRows), ir::LoopKind::kSerial,
                        ir::For(i, 0, Expr(kChannels / lanes), ir::LoopKind::kSerial, work))},
               {a, m, s, offset, high, low, start, ir::Array(DType::kInt32, kRows * kChannels),
                ir::Array(DType::kInt8, kRows * kChannels)},
               lanes == 16 ? test::TestedDotLevels() : test::TestedLevels());
  }
}

}  // namespace
}  // namespace tessera::codegen::requant_test
