// SPDX-License-Identifier: Apache-2.0
//
// What is tested: refusals of steps that need expressions of their own, beside those of steps_test.
#include <gtest/gtest.h>

#include "compiler/schedule/schedule.h"
#include "tests/compiler/schedule/state.h"

namespace tessera::schedule {
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
  const Schedule before = schedule;
  const Status status = schedule.Apply("compute_at s y i");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "schedule step 2 (compute_at s y i): nothing reads s");
  EXPECT_EQ(test::StateDifference(before, schedule), "");
}

}  // namespace
}  // namespace tessera::schedule
