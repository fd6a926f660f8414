// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every value of every domain of places, orders and loops is legal, can be built,
// and computes what the definition says. Space: each stage of 120 random expressions under random
// schedules of up to 10 steps; all its places, all orders of its first four loops, all loops that
// may be parallel. Not tested here: what the domains are (tests/compiler/schedule/domain_test);
// picks that come together (passes_test).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/lower/lower.h"
#include "tests/compiler/lower/agree.h"
#include "tests/compiler/lower/random_schedule.h"

namespace tessera::lower::decisions_test {
namespace {

class Decisions : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Decisions, NoValueOfADomainIsIllegal) {
  int values_tried = 0;
  for (uint64_t seed = GetParam() * 20; seed < GetParam() * 20 + 20; ++seed) {
    Rng rng(seed);
    const te::Tensor out = test::RandomExpression(rng);
    const schedule::Schedule s = test::RandomSchedule(out, static_cast<int>(rng.Range(0, 10)), rng);
    if (!BuildLoops(s, "f")) continue;
    te::Values values = test::RandomInputs(out, rng);
    ASSERT_TRUE(te::Evaluate({out}, &values));
    for (const schedule::Stage& stage : s.stages()) {
      if (stage.placeholder || stage.attach == schedule::Attach::kInline) continue;
      schedule::DecideStep place{
          .name = "p", .domain = {.kind = schedule::DomainKind::kPlaces, .stage = stage.name}};
      schedule::DecideStep order = place, loop = place;
      loop.domain.kind = schedule::DomainKind::kLoops;
      order.domain.kind = schedule::DomainKind::kOrders;
      for (size_t n = 0; n < std::min(stage.leaves.size(), schedule::kMostOrdered); ++n)
        order.value.words.push_back(stage.leaves[n].name);
      for (schedule::DecideStep decide : {place, order, loop}) {
        const Result<std::vector<schedule::Choice>> domain = s.ValuesOf(decide);
        if (!domain) continue;  // one loop; a stage that others follow
        for (const schedule::Choice& value : *domain) {
          decide.value = value;
          schedule::Schedule picked = s;
          const char* taken = decide.domain.kind == schedule::DomainKind::kPlaces   ? "compute_at"
                              : decide.domain.kind == schedule::DomainKind::kOrders ? "reorder"
                                                                                    : "parallel";
          SCOPED_TRACE(fmt::format("seed {}\n{}{}{}", seed, te::Print({out}),
                                   schedule::Print(s.trace()), schedule::Print(decide)));
          Status applied = picked.Apply(schedule::Step(decide));
          ASSERT_TRUE(applied) << applied.error().message;
          applied = picked.Apply(fmt::format("{} {} $p", taken, stage.name));
          ASSERT_TRUE(applied) << applied.error().message;
          ++values_tried;
          const Result<ir::Func> func = BuildLoops(picked, "f");
          ASSERT_TRUE(func) << func.error().message;
          if (!rng.OneIn(4)) continue;
          ASSERT_EQ(test::DifferenceOf({picked, out, values}, *func), "");
        }
      }
    }
  }
  EXPECT_GE(values_tried, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Decisions, ::testing::Range<uint64_t>(0, 6));

}  // namespace
}  // namespace tessera::lower::decisions_test
