// SPDX-License-Identifier: Apache-2.0
//
// What is tested: spaces of layers, over the tasks of a small network on two machines. Every point
// that a space returns replays and keeps its picks; enumeration has each point once, as many as are
// counted, and random points are among them; mutation changes one knob, or those that follow from
// it; crossover takes each knob of a parent where that is legal; equal points have equal hashes.
// The points of a network's space plan as they say, and the given one is the compiled program.
// Families of sketches: each is a value of the first knob and begins at its own choices; knobs that
// a sketch lacks have one value, so points differ as their traces do; a record finds its point.
// Not tested here: what a point costs (search_test.cc), domains (compiler/schedule).
#include <algorithm>
#include <map>
#include <set>

#include "compiler/cost/cost.h"
#include "compiler/cost/processor.h"
#include "compiler/tune/loop_tree.h"
#include "compiler/tune/network_space.h"
#include "compiler/tune/select.h"
#include "tests/compiler/tune/tune_test_net.h"

namespace tessera::tune::space_test {
namespace {

// The loops and the estimate of |schedule| on |config|; a host's has no configuration.
std::pair<LoopTree, double> About(const schedule::Schedule& schedule, const isa::Config* config) {
  if (config == nullptr) {
    const auto cost = cost::CostOnProcessor(schedule);
    return {TreeOf(schedule), cost ? cost->cycles : -1};
  }
  const auto cost = cost::AccelCost(schedule, *config);
  return {TreeOf(schedule), cost ? cost->cycles : -1};
}

// Spaces apply steps in place, and share those that points have in common. A schedule that keeps
// each step's stages, to undo it, is the same.
void ExpectSameAsWithUndo(std::vector<Task> tasks, const isa::Config* config) {
  Rng rng(6);
  for (const Task& task : tasks) {
    LayerSpace& space = test::LayerOf(task);
    const auto target = std::make_shared<const target::Target>(space.target());
    std::vector<Point> points;
    for (int draw = 0; draw < 40; ++draw) {
      if (draw == 20) space.KeepSchedules();
      const auto point = task.space->Random(rng);
      ASSERT_TRUE(point) << task.name;
      const auto replayed =
          schedule::Schedule::Replay({space.OutputOf(*point)}, space.TraceOf(*point), target);
      const auto in_place = space.ScheduleOf(*point);
      ASSERT_TRUE(replayed && in_place) << task.name;
      EXPECT_EQ(Print(in_place->trace()), Print(replayed->trace()));
      EXPECT_EQ(About(*in_place, config), About(*replayed, config)) << task.name;
      points.push_back(*point);
    }
    // What points share replays once: in the order in which they were drawn, and in another one.
    for (const Point& last : std::vector(points.rbegin(), points.rend())) points.push_back(last);
    for (const Point& point : points) {
      const auto alone = space.ScheduleOf(point), shared = space.Replayed(point);
      ASSERT_TRUE(alone && shared) << task.name;
      EXPECT_EQ(About(*shared, config), About(*alone, config)) << task.name;
    }
  }
}

TEST(LayerSpaces, AreTheSameWithoutUndo) {
  for (const char* name : {"tiny", "default"}) {
    const isa::Config config = test::NamedConfig(name);
    ExpectSameAsWithUndo(test::TuneTasks(config), &config);
  }
  ExpectSameAsWithUndo(test::HostTasks(), nullptr);
}

class SpaceOf : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { tasks_ = test::TuneTasks(test::NamedConfig(GetParam())); }
  std::vector<Task> tasks_;
};

// The picks of a schedule's own decisions agree with the point's.
void ExpectReplays(const LayerSpace& space, const Point& point) {
  const auto schedule = space.ScheduleOf(point);
  ASSERT_TRUE(schedule) << schedule.error().message;
  EXPECT_EQ(schedule::Print(schedule->trace()), schedule::Print(space.TraceOf(point)));
  for (const schedule::Decision& decision : schedule->decisions()) {
    const auto knob =
        std::ranges::find_if(space.knobs(), [&](const Knob& k) { return k.name == decision.name; });
    ASSERT_NE(knob, space.knobs().end()) << decision.name;
    const auto at = static_cast<size_t>(knob - space.knobs().begin());
    EXPECT_EQ(decision.value, point.picks[at]) << decision.name;
    EXPECT_EQ(std::ranges::count(decision.domain, decision.value), 1) << decision.name;
  }
}

TEST_P(SpaceOf, GivenPointReplays) {
  ASSERT_GE(tasks_.size(), 4u);
  for (const Task& task : tasks_) {
    LayerSpace& space = test::LayerOf(task);
    SCOPED_TRACE(task.name);
    ExpectReplays(space, space.given());
  }
}

TEST_P(SpaceOf, RandomPointsReplay) {
  Rng rng(3);
  for (Task& task : tasks_) {
    LayerSpace& space = test::LayerOf(task);
    SCOPED_TRACE(task.name);
    for (int k = 0; k < 20; ++k) {
      const auto point = space.Random(rng);
      ASSERT_TRUE(point);
      ExpectReplays(space, *point);
    }
  }
}

TEST_P(SpaceOf, EnumerationHasEachPointOnce) {
  Rng rng(4);
  int enumerated = 0;
  for (Task& task : tasks_) {
    LayerSpace& space = test::LayerOf(task);
    SCOPED_TRACE(task.name);
    const Space::Size size = space.CountPoints(400);
    if (!size.exact) continue;
    ++enumerated;
    std::set<uint64_t> all;
    int64_t count = 0;
    const int64_t before = space.rejected();
    for (auto point = space.First(); point; point = space.After(*point), ++count) {
      ExpectReplays(space, *point);
      EXPECT_TRUE(all.insert(HashOf(*point)).second);
    }
    const int64_t refused = space.rejected() - before;
    EXPECT_GE(count, 2);
    // The walk counts its end as refused, too.
    EXPECT_LE(count, static_cast<int64_t>(size.points));
    EXPECT_GE(count + refused, static_cast<int64_t>(size.points));
    EXPECT_TRUE(all.contains(HashOf(space.given())));
    for (int k = 0; k < 50; ++k) {
      const auto point = space.Random(rng);
      ASSERT_TRUE(point);
      EXPECT_TRUE(all.contains(HashOf(*point)));
    }
  }
  EXPECT_GE(enumerated, 1);
}

TEST_P(SpaceOf, EstimateOfTheSizeIsNear) {
  for (Task& task : tasks_) {
    LayerSpace& space = test::LayerOf(task);
    const Space::Size size = space.CountPoints(100'000);
    if (!size.exact || size.points < 8) continue;
    const Space::Size estimate = space.CountPoints(1);
    EXPECT_FALSE(estimate.exact);
    EXPECT_GT(estimate.points, size.points / 2) << task.name;
    EXPECT_LT(estimate.points, size.points * 2) << task.name;
  }
}

TEST_P(SpaceOf, MutationChangesAKnob) {
  Rng rng(5);
  for (Task& task : tasks_) {
    LayerSpace& space = test::LayerOf(task);
    Point point = space.given();
    for (int k = 0; k < 20; ++k) {
      const auto mutant = space.Mutated(point, rng);
      ASSERT_TRUE(mutant) << task.name;
      EXPECT_NE(*mutant, point);
      EXPECT_NE(HashOf(*mutant), HashOf(point));
      ExpectReplays(space, *mutant);
      point = *mutant;
    }
  }
}

TEST_P(SpaceOf, CrossoverTakesPicksOfTheParents) {
  Rng rng(6);
  int whole = 0;
  for (Task& task : tasks_) {
    LayerSpace& space = test::LayerOf(task);
    for (int k = 0; k < 20; ++k) {
      const auto a = space.Random(rng), b = space.Random(rng);
      ASSERT_TRUE(a && b);
      const auto child = space.Crossed(*a, *b, rng);
      if (!child) continue;
      ExpectReplays(space, *child);
      bool parents = true;
      for (size_t p = 0; p < child->picks.size(); ++p)
        parents &= child->picks[p] == a->picks[p] || child->picks[p] == b->picks[p];
      whole += parents;
      EXPECT_EQ(*space.Spliced(*a, *b, a->picks.size()), *a);
    }
  }
  EXPECT_GE(whole, 20);
}

TEST_P(SpaceOf, ConstraintsHold) {
  Rng rng(8);
  int drawn = 0;
  for (Task& task : tasks_) {
    LayerSpace& space = test::LayerOf(task);
    for (int k = 0; k < 20; ++k) {
      const auto a = space.Random(rng), b = space.Random(rng);
      ASSERT_TRUE(a && b);
      std::vector<std::vector<schedule::Choice>> allowed(a->picks.size());
      for (size_t p = 0; p < allowed.size(); ++p) {
        if (rng.OneIn(2)) allowed[p] = {a->picks[p], b->picks[p]};
      }
      const auto point = space.Within(allowed, rng);
      if (!point) continue;
      ++drawn;
      ExpectReplays(space, *point);
      for (size_t p = 0; p < allowed.size(); ++p)
        EXPECT_TRUE(allowed[p].empty() || std::ranges::count(allowed[p], point->picks[p]) > 0);
      for (size_t p = 0; p < allowed.size(); ++p) allowed[p] = {a->picks[p]};
      EXPECT_EQ(space.Within(allowed, rng), a);
    }
    // A value that the domain lacks is not replaced by another one.
    std::vector<std::vector<schedule::Choice>> none(space.knobs().size());
    if (!none.empty()) none[0] = {schedule::Choice({"no value"})};
    EXPECT_EQ(space.Within(none, rng).has_value(), none.empty());
  }
  EXPECT_GE(drawn, 20);
}

TEST_P(SpaceOf, PicksByNameAreFitted) {
  LayerSpace& space = test::LayerOf(tasks_[0]);
  const schedule::Choice far(1'000'000);
  const auto point = space.WithPicks(
      [&](const std::string& name) { return name == space.knobs()[0].name ? &far : nullptr; });
  ASSERT_TRUE(point);
  const Space::Place place = space.PlaceOf(*point, 0);
  EXPECT_EQ(place.index + 1, place.count);
}

INSTANTIATE_TEST_SUITE_P(Machines, SpaceOf, ::testing::Values("default", "tiny"),
                         [](const auto& param) { return std::string(param.param); });

class NetworkSpaceOf : public ::testing::TestWithParam<const char*> {};

TEST_P(NetworkSpaceOf, PointsAreProgramsThatPlan) {
  const isa::Config config = test::NamedConfig(GetParam());
  const auto programs = test::TunePrograms(config);
  ASSERT_EQ(programs.size(), 1u);
  auto task = NetworkTaskOf(programs, 0, config);
  ASSERT_TRUE(task) << task.error().message;
  auto& space = dynamic_cast<NetworkSpace&>(*task->space);
  ASSERT_GE(space.knobs().size(), 6u);
  const auto traces = space.TracesOf(space.given());
  for (size_t r = 0; r < traces.size(); ++r)
    EXPECT_EQ(schedule::Print(traces[r]), schedule::Print(programs[0].network[r]));
  const auto given = CyclesOf(*task, space.given(), config, 100'000'000);
  const auto as_compiled = compiler::Evaluate(programs[0], config);
  ASSERT_TRUE(given && as_compiled);
  EXPECT_EQ(*given, as_compiled->cycles);
  Rng rng(4);
  std::set<uint64_t> cycles;
  Point point = space.given();
  for (int k = 0; k < 12; ++k) {
    const auto mutant = space.Mutated(point, rng);
    ASSERT_TRUE(mutant);
    compiler::PlannedProgram program = programs[0];
    space.Put(*mutant, &program);
    const Status planned = compiler::PlanAgain(&program, config);
    ASSERT_TRUE(planned) << planned.error().message;
    const auto again = space.TracesOf(*mutant);
    for (size_t r = 0; r < again.size(); ++r)
      EXPECT_EQ(schedule::Print(program.network[r]), schedule::Print(again[r]));
    const auto counted = CyclesOf(*task, *mutant, config, 100'000'000);
    ASSERT_TRUE(counted) << counted.error().message;
    cycles.insert(*counted);
    point = *mutant;
  }
  EXPECT_GT(cycles.size(), 3u) << "the decisions matter";
}

INSTANTIATE_TEST_SUITE_P(Machines, NetworkSpaceOf, ::testing::Values("default", "tiny"),
                         [](const auto& param) { return std::string(param.param); });

// Two schedules of one sum. "b" has a choice "order" behind "rows", and "a" in front of it.
std::vector<schedule::Sketch> TwoSketches() {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {12, 8});
  const te::Axis k = te::ReduceAxis("k", 8);
  const te::Tensor out = te::Compute("out", {12}, {"i"}, [&](const std::vector<ir::Expr>& i) {
    return te::Sum(ir::Cast(DType::kInt32, x(i[0], k.var)), {k});
  });
  const auto trace = [](const std::string& text) {
    const auto parsed = schedule::ParseTrace(text);
    EXPECT_TRUE(parsed) << parsed.error().message;
    return parsed.value_or(schedule::Trace());
  };
  return {{"a", out,
           trace("decide order {1 2} 2\ndecide rows factors out i 4\n"
                 "split out i $rows io ii\n")},
          {"b", out,
           trace("decide rows factors out i 3\nsplit out i $rows io ii\n"
                 "decide order orders out ii k\nreorder out $order\ndecide more {5 6} 6\n")}};
}

std::vector<std::string> NamesOf(const Space& space) {
  std::vector<std::string> names;
  for (const Knob& knob : space.knobs()) names.push_back(knob.name);
  return names;
}

TEST(Families, ShareKnobsInOneOrder) {
  auto space = LayerSpace::Make(TwoSketches(), target::Interpreter());
  ASSERT_TRUE(space) << space.error().message;
  // b's "order" is behind "rows" and so is not a's.
  EXPECT_EQ(NamesOf(*space),
            (std::vector<std::string>{"sketch", "order", "rows", "b.order", "more"}));
  const auto values = [](const Point& point) {
    std::vector<std::string> texts;
    for (const schedule::Choice& pick : point.picks) texts.push_back(schedule::Print(pick));
    return texts;
  };
  EXPECT_EQ(values(space->given()), (std::vector<std::string>{"a", "2", "4", "-", "-"}));
  const auto other = space->Moved(space->given(), 0, 1);
  ASSERT_TRUE(other);
  EXPECT_EQ(values(*other), (std::vector<std::string>{"b", "-", "3", "ii k", "6"}));
  EXPECT_EQ(schedule::Print(space->TraceOf(*other)), schedule::Print(TwoSketches()[1].trace));
  EXPECT_EQ(space->SketchOf(*other), "b");
  EXPECT_FALSE(space->Moved(*other, 0, 1)) << "there are two";
  EXPECT_EQ(space->Moved(*other, 0, -1), space->given());
  // 2 * 6 points of a, whose rows are a divisor of 12; 6 * 2 * 2 of b.
  int64_t points = 0;
  for (auto point = space->First(); point; point = space->After(*point)) ++points;
  EXPECT_EQ(points, 2 * 6 + 6 * 2 * 2);
  EXPECT_EQ(space->CountPoints().points, 36);
}

TEST(Families, OfOneSketchAreItsSchedule) {
  std::vector<schedule::Sketch> one = TwoSketches();
  one.pop_back();
  const auto space = LayerSpace::Make(one, target::Interpreter());
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(NamesOf(*space), (std::vector<std::string>{"order", "rows"}));
}

TEST(Families, OfTheHostAreSearchedAsOneSpace) {
  Rng rng(9);
  int families = 0;
  for (const Task& task : test::HostTasks()) {
    LayerSpace& space = test::LayerOf(task);
    SCOPED_TRACE(task.name);
    if (space.knobs()[0].name != kSketchKnob) continue;
    ++families;
    const Space::Place first = space.PlaceOf(space.given(), 0);
    EXPECT_EQ(first.index, 0u);
    ASSERT_GE(first.count, 2u);
    std::map<std::string, uint64_t> points;  // by trace
    std::set<std::string> sketches;
    for (int draw = 0; draw < 200; ++draw) {
      const auto a = space.Random(rng), b = space.Random(rng);
      ASSERT_TRUE(a && b);
      for (const auto& point : {a, b, space.Mutated(*a, rng), space.Crossed(*a, *b, rng)}) {
        if (!point) continue;
        sketches.insert(space.SketchOf(*point));
        const std::string trace =
            te::Print({space.OutputOf(*point)}) + schedule::Print(space.TraceOf(*point));
        EXPECT_EQ(points.try_emplace(trace, HashOf(*point)).first->second, HashOf(*point))
            << "two points of " << trace;
        EXPECT_TRUE(space.ScheduleOf(*point));
        EXPECT_EQ(PointOf(space, RecordOf(task, {*point, 1, "", ""})), point);
      }
      EXPECT_EQ(space.Spliced(*a, *b, a->picks.size()), a);
    }
    EXPECT_EQ(sketches.size(), first.count);
    const std::vector<Point> starts = space.Starts();
    EXPECT_EQ(starts[0], space.given());
    std::set<std::string> begun;
    for (const Point& start : starts) {
      begun.insert(space.SketchOf(start));
      EXPECT_TRUE(space.ScheduleOf(start));
    }
    EXPECT_EQ(starts.size(), first.count);
    EXPECT_EQ(begun, sketches);
  }
  EXPECT_GE(families, 3);
}

TEST(SpaceMake, RefusesStepsOfAnotherLayer) {
  std::vector<Task> tasks = test::TuneTasks(test::NamedConfig("tiny"));
  const LayerSpace& first = test::LayerOf(tasks[0]);
  const auto space =
      LayerSpace::Make({{"plain", first.OutputOf(first.given()), tasks.back().part.traces.back()}},
                       target::Interpreter());
  ASSERT_FALSE(space);
  EXPECT_NE(space.error().message.find("schedule step"), std::string::npos)
      << space.error().message;
}

}  // namespace
}  // namespace tessera::tune::space_test
