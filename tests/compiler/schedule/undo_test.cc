// SPDX-License-Identifier: Apache-2.0
//
// What is tested: Undo leaves a schedule as it was before the steps that it takes back. Become
// applies only the steps behind those that both traces begin with. A step on a copy changes nothing
// of its source; nor does one on a copy that forgets how to undo. Random programs undo every fourth
// step as well (tests/compiler/lower/random_schedule).
#include <gtest/gtest.h>

#include "compiler/schedule/schedule.h"
#include "tests/compiler/schedule/row_sums.h"
#include "tests/compiler/schedule/state.h"

namespace tessera::schedule::undo_test {
namespace {

Schedule Make() {
  const auto [x, a, s, y, z] = test::MakeRowSums();
  return *Schedule::Create({y, z});
}

Trace StepsOf(const std::string& text) { return *ParseTrace(text); }

constexpr const char* kSteps =
    "decide f tiles s k 3\n"
    "split s k $f ko ki\n"
    "cache_read x reg x.c a\n"
    "decide p places a root\n"
    "compute_at a $p\n"
    "reorder s ko i ki\n"
    "inline a\n";

TEST(ScheduleUndo, StepsAreTakenBackOneByOne) {
  Schedule s = Make();
  std::vector<test::ScheduleState> states;
  for (const Step& step : StepsOf(kSteps)) {
    states.push_back(s);
    ASSERT_TRUE(s.Apply(step).has_value()) << Print(step);
    EXPECT_NE(test::StateDifference(states.back(), s), "") << Print(step);
  }
  while (!states.empty()) {
    s.Undo();
    EXPECT_EQ(test::StateDifference(states.back(), s), "") << Print(s.trace());
    states.pop_back();
  }
  EXPECT_TRUE(s.decisions().empty());
}

TEST(ScheduleUndo, ADecisionThatIsTakenBackCanBeMadeAnew) {
  Schedule s = Make();
  ASSERT_TRUE(s.Apply("decide f tiles s k 3").has_value());
  const test::ScheduleState before = s;
  EXPECT_FALSE(s.Apply("decide f tiles s k 2").has_value());
  EXPECT_EQ(test::StateDifference(before, s), "");
  s.Undo();
  EXPECT_TRUE(s.Apply("decide f tiles s k 2").has_value());
}

TEST(ScheduleUndo, BecomingAnotherTraceKeepsWhatBothBeginWith) {
  Schedule s = Make();
  ASSERT_TRUE(s.Become(StepsOf(kSteps)).has_value());
  EXPECT_EQ(s.trace(), StepsOf(kSteps));
  const std::string other =
      "decide f tiles s k 3\n"
      "split s k $f ko ki\n"
      "unroll s ki\n";
  const ir::Expr loop = s.Find("s")->relations[0].inner;
  ASSERT_TRUE(s.Become(StepsOf(other)).has_value());
  EXPECT_EQ(s.trace(), StepsOf(other));
  EXPECT_EQ(s.Find("s")->relations[0].inner.get(), loop.get());  // the split was not done again
  EXPECT_EQ(s.Find("x.c"), nullptr);
  EXPECT_EQ(Print(s.trace()), other);
}

TEST(ScheduleUndo, IsForgotten) {
  Schedule s = Make();
  const Schedule source = s;
  const test::ScheduleState before = source;
  s.ForgetUndo();
  for (const Step& step : StepsOf(kSteps)) ASSERT_TRUE(s.Apply(step).has_value()) << Print(step);
  EXPECT_EQ(Print(s.trace()), kSteps);
  EXPECT_EQ(test::StateDifference(before, source), "");  // the stages that both had
  const Status refused = s.Apply("split s q 2 a b");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("step 8 (split s q 2 a b)"), std::string::npos)
      << refused.error().message;
  EXPECT_DEATH(s.Undo(), "steps <= before_.size");
}

TEST(ScheduleUndo, AStepThatIsRefusedLeavesThoseInFrontOfIt) {
  Schedule s = Make();
  ASSERT_TRUE(s.Become(StepsOf(kSteps)).has_value());
  const Status status = s.Become(StepsOf("decide f tiles s k 3\nsplit s q 2 a b\ninline a\n"));
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(status.error().message.find("step 2 (split s q 2 a b)"), std::string::npos)
      << status.error().message;
  EXPECT_EQ(Print(s.trace()), "decide f tiles s k 3\n");
}

TEST(ScheduleUndo, IsForgottenWithTheSteps) {
  Schedule s = Make(), known = Make();
  const std::vector<Step> steps = StepsOf(kSteps);
  ASSERT_TRUE(s.Apply(steps[0]) && known.Apply(steps[0]));
  s.ForgetUndo(/*steps=*/true);
  for (size_t k = 1; k < steps.size(); ++k) ASSERT_TRUE(s.Apply(steps[k]) && known.Apply(steps[k]));
  EXPECT_TRUE(s.trace().empty());
  EXPECT_TRUE(s.decisions().empty());
  ASSERT_EQ(s.stages().size(), known.stages().size());
  for (size_t n = 0; n < s.stages().size(); ++n) {
    EXPECT_EQ(s.stages()[n].leaves.size(), known.stages()[n].leaves.size());
    EXPECT_EQ(s.stages()[n].attach, known.stages()[n].attach);
  }
  const Status refused = s.Apply("split s q 2 a b");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("step 8 (split s q 2 a b)"), std::string::npos)
      << refused.error().message;
}

// A copy shares stages with its source; a step on one changes nothing of the other.
TEST(ScheduleUndo, CopiesGoTheirOwnWays) {
  Schedule s = Make();
  ASSERT_TRUE(s.Apply("split s k 3 ko ki").has_value());
  const test::ScheduleState before = s;
  Schedule copy = s;
  ASSERT_TRUE(copy.Apply("reorder s ko i ki").has_value());
  EXPECT_EQ(test::StateDifference(before, s), "");
  copy.Undo(2);
  EXPECT_EQ(test::StateDifference(before, s), "");
  ASSERT_TRUE(s.Apply("unroll s ki").has_value());
  EXPECT_EQ(copy.trace().size(), 0u);
  EXPECT_EQ(copy.Find("s")->leaves.size(), 2u);
}

}  // namespace
}  // namespace tessera::schedule::undo_test
