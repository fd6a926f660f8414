// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the examples of docs/steps.md compute what the tensor expressions say, each
// differs from what no step would make, and no kind of step is without one. Not tested here: the
// page itself (steps_doc_is_fresh), random schedules (passes_test).
#include "tools/docs/step_examples.h"

#include <gtest/gtest.h>

#include <set>

#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/lower/agree.h"

namespace tessera::lower::step_examples_test {
namespace {

TEST(StepExamples, ComputeWhatTheExpressionsSay) {
  std::set<std::string> shown;
  for (const StepExample& example : StepExamples()) {
    SCOPED_TRACE(example.steps);
    const Result<schedule::Schedule> s = ScheduleOf(example);
    ASSERT_TRUE(s) << s.error().message;
    const Result<ir::Func> func = BuildLoops(*s, "f");
    ASSERT_TRUE(func) << func.error().message;
    Rng rng(7);
    te::Values values = test::RandomInputs(example.output, rng);
    ASSERT_TRUE(te::Evaluate({example.output}, &values));
    // A halo is in front of an index of 0: places are of layouts.
    EXPECT_EQ(test::DifferenceOf({*s, example.output, values}, ResolveLayouts(*func)), "");

    // Without the step that is shown the loops are others (a vector, a scope: the text is).
    schedule::Trace without;
    bool has = false;
    for (const schedule::Step& step : s->trace()) {
      const bool is = schedule::Print(step).starts_with(example.name + " ");
      has |= is;
      if (!is) without.push_back(step);
    }
    EXPECT_TRUE(has) << example.name;
    const auto plain = schedule::Schedule::Replay({example.output}, without);
    if (plain) {
      const auto other = BuildLoops(*plain, "f");
      EXPECT_TRUE(!other || ir::Print(*other) != ir::Print(*func)) << "the step changes nothing";
    }
    shown.insert(example.name);
  }
  for (const std::string& usage : schedule::StepUsages()) {
    const std::string name = usage.substr(0, usage.find(' '));
    EXPECT_TRUE(shown.contains(name)) << name << " has no example";
  }
}

}  // namespace
}  // namespace tessera::lower::step_examples_test
