// SPDX-License-Identifier: Apache-2.0
//
// What is tested: refusals of steps that need expressions of their own, beside those of steps_test.
#include <gtest/gtest.h>

#include "compiler/schedule/schedule.h"
#include "tests/compiler/schedule/state.h"

namespace tessera::schedule::own_expressions_test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

TEST(ScheduleSteps, WhatNeedsAllOfAStageDoesNotFollowItsLoops) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4});
  const te::Tensor a = te::Compute("a", {4}, {"i"}, [&](const Index& i) { return x(i) + 1; });
  const te::Tensor b =
      te::Compute("b", {4}, {"i"}, [&](const Index& i) { return a(Expr(3) - i[0]); });
  const te::Tensor c = te::Compute("c", {4}, {"i"}, [&](const Index& i) { return x(i) * 2; });
  const te::Tensor y =
      te::Compute("y", {4}, {"i"}, [&](const Index& i) { return a(i) + b(i) + c(i); });
  Schedule s = *Schedule::Create({y});
  const Status status = s.Apply("reverse_compute_at y a i");
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(status.error().message.find("y also reads what needs all of a"), std::string::npos)
      << status.error().message;
  // What else is read moves in front.
  ASSERT_TRUE(s.Apply("inline b\nsplit y i 2 o n").has_value());
  EXPECT_FALSE(s.Apply("reverse_compute_at y a i").has_value());  // a at 3 - i
}

TEST(ScheduleSteps, ReindexWantsOnePlace) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4});
  const te::Tensor y =
      te::Compute("y", {3}, {"i"}, [&](const Index& i) { return x(i[0]) + x(i[0] + 1); });
  Schedule s = *Schedule::Create({y});
  const Status status = s.Apply("reindex x y r");
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(status.error().message.find("y reads x at more than one place"), std::string::npos)
      << status.error().message;
}

// Where the only read of s is an index that nothing depends on, inlining takes it away.
TEST(ScheduleSteps, WhatNothingReadsAnyMoreStaysWhereItIs) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {4});
  const te::Tensor s = te::Compute("s", {4}, {"i"}, [&](const Index& i) { return x(i) + 1; });
  const te::Tensor t = te::Compute("t", {4}, {"i"}, [&](const Index&) { return x(0) + 2; });
  const te::Tensor y = te::Compute(
      "y", {4}, {"i"}, [&](const Index& i) { return t(ir::Cast(DType::kInt64, s(i))); });
  Schedule schedule = *Schedule::Create({y});
  ASSERT_TRUE(schedule.Apply("inline t"));
  const test::ScheduleState before = schedule;
  const Status status = schedule.Apply("compute_at s y i");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "schedule step 2 (compute_at s y i): nothing reads s");
  EXPECT_EQ(test::StateDifference(before, schedule), "");
}

TEST(ScheduleSteps, OnlyAFactorLessAnInt8NumberIsSpread) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {4, 6}),
                   w = te::Placeholder("w", DType::kInt8, {4, 6});
  const te::Axis k = te::ReduceAxis("k", 6);
  const auto wide = [](const Expr& e) { return ir::Cast(DType::kInt32, e); };
  const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
  const te::Tensor first = te::Compute("first", {4, 4}, {"i", "j"}, [&](const Index& i) {
    return te::Sum((wide(x(i[0], k.var)) - number(5)) * (wide(w(i[1], k.var)) - number(200)), {k});
  });
  const te::Tensor square = te::Compute("square", {4}, {"i"}, [&](const Index& i) {
    return te::Sum(wide(x(i[0], k.var)) * wide(x(i[0], k.var)), {k});
  });
  const te::Tensor alone = te::Compute(
      "alone", {4}, {"i"}, [&](const Index& i) { return te::Sum(wide(x(i[0], k.var)), {k}); });
  const te::Tensor product = te::Compute("product", {4, 4}, {"i", "j"}, [&](const Index& i) {
    return te::Sum(wide(x(i[0], k.var)) * wide(w(i[1], k.var)), {k});
  });
  struct {
    const char *steps, *message;
  } const kBad[] = {
      {"spread q first p t", "no stage 'q'"},
      {"spread x q p t", "no stage 'q'"},
      {"spread x first first t", "a stage 'first' exists already"},
      {"spread x first p k", "stage first has a loop 'k' already"},
      {"split first k 2 o n\nspread x first p t", "first has been scheduled; spread comes first"},
      {"spread x alone p t", "alone is no sum of products of two int32 numbers"},
      {"spread x square p t", "both of the factors of square read x, one has to"},
      {"spread alone product p t", "none of the factors of product read alone, one has to"},
      {"spread w first p t",
       "the factor of first that reads w is no int8 element less an int8 number"},
      {"spread x first p t i", "what first reads of x differs along k, which is not listed"},
      {"spread x first p t i j k", "j is no axis of first that chooses an element of x"},
  };
  for (const auto& bad : kBad) {
    Schedule s = *Schedule::Create({first, square, alone, product});
    const Status status = s.Apply(bad.steps);
    ASSERT_FALSE(status.has_value()) << bad.steps;
    EXPECT_NE(status.error().message.find(bad.message), std::string::npos)
        << bad.steps << ": " << status.error().message;
  }
}

}  // namespace
}  // namespace tessera::schedule::own_expressions_test
