// SPDX-License-Identifier: Apache-2.0
//
// What is tested: steps that write an expression another way with the same values: rewrite,
// cache_write with a type, split with overlap, align; every refusal of theirs, which changes
// nothing, reindex's of a sum's start, and by the interpreter that values stay. Space: the
// expressions below, all int8 values. Not tested here: random programs (lower_passes_test), what
// the steps' examples compute (lower_step_examples_test).
#include <gtest/gtest.h>

#include "compiler/ir/interp.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "tests/compiler/schedule/state.h"

namespace tessera::schedule::rewrite_test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

// d = p - q; m = the greatest of three neighbours of x, s their sum, o their product, all of int8.
std::vector<te::Tensor> Outputs() {
  const te::Tensor p = te::Placeholder("p", DType::kInt32, {6}),
                   q = te::Placeholder("q", DType::kInt32, {6}),
                   x = te::Placeholder("x", DType::kInt8, {258});
  const te::Tensor d =
      te::Compute("d", {6}, {"i"}, [&](const Index& i) { return p(i) - q(i) * 3; });
  const te::Axis k = te::ReduceAxis("k", 3), j = te::ReduceAxis("j", 3);
  const te::Tensor m = te::Compute("m", {256}, {"i"},
                                   [&](const Index& i) { return te::MaxOf(x(i[0] + k.var), {k}); });
  const te::Tensor s =
      te::Compute("s", {256}, {"i"}, [&](const Index& i) { return te::Sum(x(i[0] + j.var), {j}); });
  const te::Axis l = te::ReduceAxis("l", 3);
  const te::Tensor o = te::Compute(
      "o", {256}, {"i"}, [&](const Index& i) { return te::ProductOf(x(i[0] + l.var), {l}); });
  return {d, m, s, o};
}

// Of the lines of |text| the last one, if it is a step at all, is refused and changes nothing.
void ExpectRefused(Schedule s, const std::string& text, const std::string& message) {
  SCOPED_TRACE(text);
  const auto said = [&](const Error& error) {
    EXPECT_NE(error.message.find(message), std::string::npos) << error.message;
  };
  const Result<Trace> steps = ParseTrace(text);
  if (!steps) return said(steps.error());
  for (size_t n = 0; n + 1 < steps->size(); ++n) ASSERT_TRUE(s.Apply((*steps)[n]));
  const test::ScheduleState before = s;
  const Status status = s.Apply(steps->back());
  ASSERT_FALSE(status);
  said(status.error());
  EXPECT_EQ(test::StateDifference(before, s), "");
}

TEST(Rewrite, RefusalsNameTheOperandAndTheRules) {
  const std::pair<const char*, const char*> kBad[] = {
      {"lift d . reg l", "operand . of d: a whole expression is a stage already"},
      {"rewrite t . negated", "no stage 't'"},
      {"rewrite d . doubled", "'doubled' is no rule; there are negated plus_zero"},
      {"rewrite d 1 negated", "operand 1 of d: it is no difference"},
      {"rewrite m . plus_zero", "operand . of m: it is no integer value"},
      {"rewrite d 2 plus_zero", "operand 2 of d: number 2 is not there"},
      {"cache_write d reg c i32", "d is not the greatest or least of i8 values, found in i32"},
      {"cache_write s reg c i32", "s is not the greatest or least of i8 values, found in i32"},
      {"cache_write o reg c i32", "o is not the greatest or least of i8 values, found in i32"},
      {"cache_write m reg c f32", "m is not the greatest or least of i8 values, found in i32"},
      {"cache_write m reg c i9", "no type 'i9'; write i32"},
      {"cache_write m global c i32\nin_place c m",
       "m cannot be in place of c: they differ in type or shape"},
  };
  for (const auto& [step, message] : kBad) {
    ExpectRefused(*Schedule::Create(Outputs()), step, message);
  }
}

// Which is no part of what is read in the order of its loops.
TEST(Reindex, LeavesTheStartOfASum) {
  const te::Tensor a = te::Placeholder("a", DType::kInt32, {6});
  const te::Axis k = te::ReduceAxis("k", 6);
  const te::Tensor s = te::Compute(
      "s", {4}, {"i"}, [&](const Index&) { return te::Sum(a(k.var), {k}, a(Expr(0))); });
  Schedule schedule = *Schedule::Create({s});
  EXPECT_EQ(schedule.Apply("reindex a s r").error().message,
            "schedule step 1 (reindex a s r): the sum s starts at what it reads of a; reindex is "
            "for what is summed, cache_read "
            "copies a for both");
  EXPECT_TRUE(schedule.Apply("cache_read a local c s").has_value());
}

// y reads z from several places on, which depend on its index or on both.
TEST(Align, RefusalsNameTheIndex) {
  const te::Tensor z = te::Placeholder("z", DType::kInt32, {12});
  const te::Axis k = te::ReduceAxis("k", 3);
  const auto sum = [&](const char* name, const auto& index) {
    return te::Compute(name, {4, 2}, {"i", "j"}, [&](const Index& i) {
      return te::Sum(z(index(i[0], i[1])) * Expr(ir::Imm(DType::kInt32, 2)), {k});
    });
  };
  const te::Tensor up = sum("up", [&](const Expr&i, const Expr&) { return i * 2 + k.var; }),
                   down = sum("down", [&](const Expr&i, const Expr&) { return 9 - i + k.var; }),
                   both = sum("both", [&](const Expr&i, const Expr&j) { return i + j + k.var; }),
                   wide = sum("wide", [&](const Expr&i, const Expr&) { return i + k.var * 2; });
  const te::Axis l = te::ReduceAxis("l", 3);
  const te::Tensor table = te::Placeholder("table", DType::kInt32, {4, 4});
  const te::Tensor twice = te::Compute("twice", {4}, {"i"}, [&](const Index& i) {
    return te::Sum(z(i[0] + l.var) + z(i[0] + l.var + 1), {l});
  });
  const te::Tensor square = te::Compute("square", {2}, {"i"}, [&](const Index& i) {
    return te::Sum(table(i[0] + l.var, l.var), {l});
  });
  const std::pair<const char*, const char*> kBad[] = {
      {"align twice l z 2", "twice reads z: in more than one place"},
      {"align square l table 2", "square reads table: l is in more than one index"},
      {"align up q z 2", "stage up has no loop 'q'"},
      {"align up k q 2", "no stage 'q'"},
      {"align up i z 2", "i is no axis of its reduction"},
      {"split up k 2 a b\nalign up a z 2", "up has been scheduled"},
      {"align up k down 2", "up reads down: k is in none of its indices"},
      {"align up k z 0", "0 is below 1"},
      {"align wide k z 2", "wide reads z: the index does not step by 1"},
      {"align both k z 2", "both reads z: more than one output's index says where it begins"},
      {"align down k z 3", "outputs do not begin in the order of their index"},
      {"split up i 3 a b overlap", "i is no reduction: leave 'overlap' out, or write 'pad'"},
  };
  for (const auto& [step, message] : kBad) {
    ExpectRefused(*Schedule::Create({up, down, both, wide, twice, square}), step, message);
  }
}

// What counts of the reduction is known where it is done, not where its result is copied.
TEST(Align, AResultInAnotherMemoryIsTheSame) {
  const te::Tensor z = te::Placeholder("z", DType::kInt32, {12});
  const te::Axis k = te::ReduceAxis("k", 3);
  const te::Tensor y = te::Compute(
      "y", {4}, {"i"}, [&](const Index& i) { return te::Sum(z(i[0] * 3 + k.var), {k}); });
  Schedule s = *Schedule::Create({y});
  const Status status = s.Apply("align y k z 2\ncache_write y reg c\n");
  ASSERT_TRUE(status) << status.error().message;
  const Result<ir::Func> func = lower::Lower(s, "f");
  ASSERT_TRUE(func) << func.error().message;
  ir::Array in(DType::kInt32, 12), out(DType::kInt32, 4);
  for (int64_t n = 0; n < 12; ++n) in.SetInt(n, n * n);
  ASSERT_TRUE(ir::Interpret(*func, {&in, &out}));
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(out.Int(i), in.Int(3 * i) + in.Int(3 * i + 1) + in.Int(3 * i + 2));
}

// A stage that is computed in the parts of a sum begins where they do: the last one earlier.
TEST(Split, WhatIsComputedInOverlappingPartsIsThere) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {12});
  const te::Tensor a = te::Compute("a", {12}, {"j"}, [&](const Index& j) { return x(j) + 7; });
  const te::Axis k = te::ReduceAxis("k", 9);
  const te::Tensor y =
      te::Compute("y", {4}, {"i"}, [&](const Index& i) { return te::Sum(a(i[0] + k.var), {k}); });
  for (const char* loop : {"o", "n"}) {
    Schedule s = *Schedule::Create({y});
    const Status status =
        s.Apply(std::string("split y k 4 o n overlap\ncompute_at a y ") + loop + "\n");
    ASSERT_TRUE(status) << status.error().message;
    const Result<ir::Func> func = lower::Lower(s, "f");
    ASSERT_TRUE(func) << func.error().message;
    ir::Array in(DType::kInt32, 12), out(DType::kInt32, 4);
    for (int64_t n = 0; n < 12; ++n) in.SetInt(n, n * n);
    const auto ran = ir::Interpret(*func, {&in, &out});
    ASSERT_TRUE(ran) << loop << ": " << ran.error().message;
    for (int64_t i = 0; i < 4; ++i) {
      int64_t sum = 0;
      for (int64_t n = i; n < i + 9; ++n) sum += n * n + 7;
      EXPECT_EQ(out.Int(i), sum) << loop;
    }
  }
}

TEST(Rewrite, ValuesStayTheSame) {
  Schedule s = *Schedule::Create(Outputs());
  const Status status = s.Apply(
      "rewrite d . negated\nrewrite d 1.0 plus_zero\nlift d 1 reg n\n"
      "cache_write m reg c i32\n");
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(s.Find("c")->dtype, DType::kInt32);
  const Result<ir::Func> func = lower::Lower(s, "f");
  ASSERT_TRUE(func) << func.error().message;
  ir::Array p(DType::kInt32, 6), q(DType::kInt32, 6), x(DType::kInt8, 258), d(DType::kInt32, 6),
      m(DType::kInt8, 256), sums(DType::kInt8, 256), products(DType::kInt8, 256);
  for (int64_t k = 0; k < 6; ++k) {
    p.SetInt(k, k == 0 ? INT32_MIN : 1000 * k - 7);
    q.SetInt(k, k == 0 ? 1 : -77 * k);
  }
  for (int64_t k = 0; k < 258; ++k) x.SetInt(k, (k * 77 + 11) % 256 - 128);
  std::map<std::string, ir::Array*> by_name{{"p", &p}, {"q", &q},    {"x", &x},       {"d", &d},
                                            {"m", &m}, {"s", &sums}, {"o", &products}};
  std::vector<ir::Array*> args;
  for (const ir::Buffer& param : func->params) args.push_back(by_name.at(param->name));
  ASSERT_TRUE(ir::Interpret(*func, args));
  for (int64_t k = 0; k < 6; ++k) {
    EXPECT_EQ(d.Int(k), static_cast<int32_t>(static_cast<uint32_t>(p.Int(k)) -
                                             3 * static_cast<uint32_t>(q.Int(k))));
  }
  for (int64_t k = 0; k < 256; ++k)
    EXPECT_EQ(m.Int(k), std::max({x.Int(k), x.Int(k + 1), x.Int(k + 2)})) << k;
  for (int64_t k = 0; k < 256; ++k) {
    const int64_t product = x.Int(k) * x.Int(k + 1) * x.Int(k + 2);
    EXPECT_EQ(products.Int(k), static_cast<int8_t>(product)) << k;
  }
}

}  // namespace
}  // namespace tessera::schedule::rewrite_test
