// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the time that a PhaseClock charges to each phase: nested phases, one name twice,
// no clock; its text. A second clock gives the times to compare with. Not tested: the scale of
// processor time.
#include "base/phase_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <regex>

namespace tessera::phase_clock_test {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Works for at least |seconds|.
void Work(double seconds) {
  for (const auto begin = Clock::now(); Since(begin) < seconds;) {
  }
}

TEST(PhaseClock, ChargesThePhaseThatIsInnermost) {
  PhaseClock clock;
  const auto begin = Clock::now();
  {
    const PhaseClock::Phase outer(&clock, "outer");
    {
      const PhaseClock::Phase inner(&clock, "inner");
      Work(0.03);
    }
    Work(0.01);
    const PhaseClock::Phase again(&clock, "inner");
    Work(0.02);
  }
  const double all = Since(begin);
  Work(0.02);  // outside all phases
  ASSERT_EQ(clock.phases().size(), 2u);
  const auto &outer = clock.phases()[0], &inner = clock.phases()[1];
  EXPECT_EQ(outer.name, "outer");
  EXPECT_EQ(inner.name, "inner");
  EXPECT_GE(outer.wall, 0.01);
  EXPECT_GE(inner.wall, 0.05);
  EXPECT_LE(outer.wall + inner.wall, all);
  EXPECT_GT(inner.cpu, 0);
}

TEST(PhaseClock, PrintsALineAPhaseAndTheirSum) {
  PhaseClock clock;
  { const PhaseClock::Phase only(&clock, "the only one"); }
  // A phase that does nothing may still take a moment.
  const std::regex time("[0-9]\\.[0-9]{3}");
  EXPECT_EQ(std::regex_replace(clock.Text(), time, "T.TTT"),
            "phase                                  seconds   processor\n"
            "the only one                             T.TTT       T.TTT\n"
            "sum                                      T.TTT       T.TTT\n");
  const PhaseClock::Phase nobody(nullptr, "not measured");
  EXPECT_EQ(clock.phases().size(), 1u);
}

}  // namespace
}  // namespace tessera::phase_clock_test
