// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tokens. When a push and a pop of one pair of units are removed from a random
// program, the checker reports it, or no interleaving of the functional simulator tells the two
// programs apart; removing only one of them is always reported. With queues and counters of few
// places, the checker finds a deadlock exactly when the simulator does. Not tested here: the text
// of the report (tests/check).
#include <algorithm>

#include "base/rng.h"
#include "isa/check/check.h"
#include "sim/rig/program.h"
#include "tests/rig/rig_helpers.h"

namespace tessera::rig::token_test {
namespace {

// A pair of units with tokens between them, and the instructions that push and pop them.
struct Edge {
  int from = 0, to = 0;
  std::vector<size_t> pushers, poppers;
};

std::vector<Edge> EdgesOf(const std::vector<isa::Fetched>& program) {
  std::vector<Edge> edges;
  for (int from = 0; from < isa::kUnits; ++from) {
    for (int to = 0; to < isa::kUnits; ++to) {
      Edge edge{.from = from, .to = to, .pushers = {}, .poppers = {}};
      for (size_t n = 0; n < program.size(); ++n) {
        const int unit = static_cast<int>(program[n].unit);
        if (unit == from && ((program[n].push >> to) & 1)) edge.pushers.push_back(n);
        if (unit == to && ((program[n].pop >> from) & 1)) edge.poppers.push_back(n);
      }
      if (!edge.pushers.empty()) edges.push_back(edge);
    }
  }
  return edges;
}

void TakeTokens(isa::Profile profile, const std::string& name, int programs) {
  const isa::Config config = Named(name);
  const std::unique_ptr<Device> in_order = Func(config, 0);
  int reported = 0, redundant = 0;
  for (int n = 1; n <= programs; ++n) {
    SCOPED_TRACE(::testing::Message() << name << " seed " << n);
    const isa::ProgramImage image =
        MakeProgram({config, profile, static_cast<uint64_t>(n), 10 + n % 30});
    const std::vector<isa::Fetched> program = FetchAll(image, config);
    const std::vector<Edge> edges = EdgesOf(program);
    if (edges.empty()) continue;
    Rng rng(static_cast<uint64_t>(n));
    const Edge& edge = edges[rng.Range(0, static_cast<int64_t>(edges.size()) - 1)];
    const size_t k =
        static_cast<size_t>(rng.Range(0, static_cast<int64_t>(edge.pushers.size()) - 1));
    std::vector<isa::Fetched> less = program;
    less[edge.pushers[k]].push &= static_cast<uint8_t>(~(1 << edge.to));
    ASSERT_FALSE(CheckProgram(WithProgram(image, less, config), config).ok() &&
                 profile == isa::Profile::kTessera)
        << "a pop without its push";
    less[edge.poppers[k]].pop &= static_cast<uint8_t>(~(1 << edge.from));
    const isa::ProgramImage changed = WithProgram(image, less, config);
    if (!CheckProgram(changed, config).ok()) {
      ++reported;
      continue;
    }
    ++redundant;
    const Result<ImageOutcome> want = RunImage(*in_order, image, true);
    ASSERT_TRUE(want);
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      const Result<ImageOutcome> got = RunImage(*Func(config, seed), changed, true);
      ASSERT_TRUE(got) << got.error().message;
      ASSERT_EQ(Difference(*want, *got, changed, config), "");
    }
  }
  EXPECT_GE(reported, programs / 3);
  EXPECT_GE(redundant, programs / 100);
}

TEST(Tokens, TakingAPairIsReportedOrChangesNothing) {
  TakeTokens(isa::Profile::kTessera, "tiny", 3000);
  TakeTokens(isa::Profile::kTessera, "batch4", 300);
  TakeTokens(isa::Profile::kVta, "tiny", 1500);
}

TEST(Tokens, ReportsAreRaces) {
  // How often a run shows the reported change: reports are not false alarms.
  const isa::Config config = Named("tiny");
  int reported = 0, differ = 0;
  for (uint64_t n = 1; n <= 300; ++n) {
    const isa::ProgramImage image = MakeProgram({config, isa::Profile::kTessera, n, 30});
    std::vector<isa::Fetched> program = FetchAll(image, config);
    for (const Edge& edge : EdgesOf(program)) {
      for (size_t who : edge.pushers) program[who].push = 0;
      for (size_t who : edge.poppers) program[who].pop = 0;
    }
    const isa::ProgramImage changed = WithProgram(image, program, config);
    if (CheckProgram(changed, config).ok()) continue;
    ++reported;
    const Result<ImageOutcome> want = RunImage(*Func(config, 0), image, true);
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      const Result<ImageOutcome> got = RunImage(*Func(config, seed), changed, true);
      ASSERT_TRUE(want && got);
      if (Difference(*want, *got, changed, config).empty()) continue;
      ++differ;
      break;
    }
  }
  EXPECT_GE(reported, 270);
  EXPECT_GE(differ, reported * 9 / 10);
}

TEST(Tokens, ShallowQueuesAndCountersDeadlockWhereTheCheckerSays) {
  int deadlocks = 0, fine = 0;
  for (uint64_t n = 1; n <= 1500; ++n) {
    Rng rng(n);
    isa::Config config = Named("tiny");
    config.queue_depth = rng.OneIn(2) ? 2 : 4;
    config.token_depth = rng.Range(1, 2);
    ASSERT_TRUE(isa::ValidateConfig(config)) << isa::ValidateConfig(config).error().message;
    SCOPED_TRACE(::testing::Message() << "seed " << n << " queues " << config.queue_depth
                                      << " counters " << config.token_depth);
    const isa::ProgramImage image = MakeProgram({config, isa::Profile::kTessera, n, 60});
    const isa::CheckReport check = CheckProgram(image, config);
    for (uint64_t seed = 0; seed <= 2; ++seed) {
      const Result<ImageOutcome> outcome = RunImage(*Func(config, seed), image, false);
      if (check.ok()) {
        ASSERT_TRUE(outcome) << outcome.error().message;
      } else {
        ASSERT_EQ(check.diagnostics[0].finding, isa::Finding::kDeadlock) << check.ToString();
        ASSERT_FALSE(outcome);
        ASSERT_EQ(outcome.error().code, Code::kDeadlock) << outcome.error().message;
      }
    }
    ++(check.ok() ? fine : deadlocks);
  }
  EXPECT_GE(fine, 100);
  EXPECT_GE(deadlocks, 20);
}

}  // namespace
}  // namespace tessera::rig::token_test
