// SPDX-License-Identifier: Apache-2.0
//
// What is tested: searches of the tasks of a small network. Each strategy, with and without a
// model: it stays in the space, returns no point twice, measures the given point first, finds the
// best of an enumerated space when it measures all of it, and does the same with one worker and
// with three. A search that goes on from recorded trials measures none of them again. A trial that
// fails is recorded with its cause and ends nothing. What is chosen for the network is no slower
// than the generator's network, and has the cycles that it says. Not tested here: how few trials a
// strategy needs (bench/search).
#include "compiler/tune/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "compiler/tune/select.h"
#include "tests/compiler/tune/tune_test_net.h"

namespace tessera::tune::search_test {
namespace {

const std::vector<std::string> kNames{
    "random",  "grid", "genetic",    "annealing",   "annealing-diverse", "evolution",
    "descent", "beam", "q-learning", "constrained", "screening",         "portfolio"};

Measure Cycles(const isa::Config& config) {
  return [config](const Task& task, const Point& point, uint64_t budget) {
    return CyclesOf(task, point, config, budget);
  };
}

// A stand-in for the machine, fast and with a rough surface.
Result<uint64_t> Synthetic(const Task& task, const Point& point, uint64_t) {
  const schedule::Trace trace = test::LayerOf(task).TraceOf(point);
  uint64_t sum = 1000;
  size_t knob = 0;
  for (const schedule::Step& step : trace) {
    if (const auto* decide = std::get_if<schedule::DecideStep>(&step))
      sum +=
          static_cast<uint64_t>((decide->value.number * 37 + 11 * static_cast<int>(++knob)) % 101);
  }
  return sum + trace.size();
}

std::vector<uint64_t> TrialsBy(const std::string& strategy, ModelKind model, int workers,
                               int64_t trials) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  std::vector<uint64_t> told;
  SearchOptions options;
  options.strategy = strategy;
  options.model = model;
  options.workers = workers;
  options.trials = trials;
  options.batch = 8;
  options.finished = [&](const Task& task, const Trial& trial) -> Status {
    told.push_back(HashOf(trial.point) ^ task.key.layer);
    return {};
  };
  auto search = Search::Make(&tasks, config, options, Synthetic);
  EXPECT_TRUE(search) << search.error().message;
  if (!search) return {};
  const Status ran = search->Run();
  EXPECT_TRUE(ran) << ran.error().message;
  for (size_t t = 0; t < tasks.size(); ++t) {
    std::unordered_set<uint64_t> seen;
    for (const Trial& trial : search->history(t).trials()) {
      EXPECT_TRUE(seen.insert(HashOf(trial.point)).second) << strategy << " measured a point twice";
      EXPECT_TRUE(test::LayerOf(tasks[t]).ScheduleOf(trial.point)) << strategy;
    }
    if (!search->history(t).trials().empty()) {
      EXPECT_EQ(search->history(t).trials()[0].point, tasks[t].space->given());
    }
  }
  return told;
}

TEST(Strategies, DoTheSameWithAnyNumberOfWorkers) {
  for (const std::string& name : kNames) {
    const std::vector<uint64_t> one = TrialsBy(name, ModelKind::kNone, 1, 60);
    EXPECT_EQ(one.size(), 60u) << name;
    EXPECT_EQ(one, TrialsBy(name, ModelKind::kNone, 3, 60)) << name;
  }
  for (const char* name : {"annealing", "annealing-diverse", "evolution", "descent", "beam",
                           "constrained", "screening"}) {
    const std::vector<uint64_t> one = TrialsBy(name, ModelKind::kPrior, 1, 12);
    EXPECT_EQ(one.size(), 12u) << name;
    EXPECT_EQ(one, TrialsBy(name, ModelKind::kPrior, 3, 12)) << name;
  }
  if (!HasXgboost()) return;
  const std::vector<uint64_t> one = TrialsBy("screening", ModelKind::kCompiled, 1, 40);
  EXPECT_EQ(one.size(), 40u);
  EXPECT_EQ(one, TrialsBy("screening", ModelKind::kCompiled, 3, 40));
}

TEST(Strategies, FindTheBestOfAWholeSpace) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  const auto smallest = std::ranges::min_element(tasks, {}, [](Task& task) {
    const Space::Size size = task.space->CountPoints(2000);
    return size.exact && size.points > 4 ? size.points : 1e9;
  });
  std::vector<Task> one;
  one.push_back(std::move(*smallest));
  uint64_t best = UINT64_MAX;
  size_t count = 0;
  for (auto point = one[0].space->First(); point; point = one[0].space->After(*point), ++count)
    best = std::min(best, *Synthetic(one[0], *point, 0));
  ASSERT_GE(count, 4u);
  for (const std::string& name : kNames) {
    SearchOptions options;
    options.strategy = name;
    auto search = Search::Make(&one, config, options, Synthetic);
    ASSERT_TRUE(search) << search.error().message;
    const Status ran = search->Run();  // ends by itself
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_EQ(search->history(0).trials().size(), count) << name;
    EXPECT_EQ(*search->history(0).best()->cycles, best) << name;
  }
}

TEST(Strategies, AreNamed) {
  const auto none = MakeStrategy("luck", 1);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "no strategy 'luck'; there are random, grid, genetic, annealing, annealing-diverse, "
            "evolution, descent, beam, q-learning, constrained, screening, portfolio");
}

TEST(CostModels, AreNamed) {
  EXPECT_EQ(*ModelNamed("prior"), ModelKind::kPrior);
  const auto none = ModelNamed("oracle");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("the models are: none, prior, tree, xgboost"),
            std::string::npos);
}

// Pairs of measured points that a model puts in the right order, as a share.
double PairsInOrder(CostModel& model, const History& history, size_t from) {
  std::vector<Point> points;
  std::vector<double> speed;
  for (size_t k = from; k < history.trials().size(); ++k) {
    if (!history.trials()[k].cycles) continue;
    points.push_back(history.trials()[k].point);
    speed.push_back(-static_cast<double>(*history.trials()[k].cycles));
  }
  const std::vector<double> scores = model.Predict(points);
  double right = 0, all = 0;
  for (size_t a = 0; a < points.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (speed[a] == speed[b]) continue;
      ++all;
      right += (scores[a] > scores[b]) == (speed[a] > speed[b]);
    }
  }
  return right / all;
}

TEST(CostModels, OrderUnseenPointsOfTheMachine) {
  const isa::Config config = test::NamedConfig("default");
  std::vector<Task> tasks = test::TuneTasks(config);
  Task& task = tasks[0];
  Rng rng(9);
  History learned, all;
  for (int k = 0; k < 60; ++k) {
    const auto point = task.space->Random(rng);
    ASSERT_TRUE(point);
    if (all.Has(*point)) continue;
    const auto cycles = CyclesOf(task, *point, config, 10'000'000);
    const Trial trial{*point, cycles ? std::optional(*cycles) : std::nullopt, "", ""};
    if (all.trials().size() < 30) learned.Add(trial);
    all.Add(trial);
  }
  for (const ModelKind kind :
       {ModelKind::kPrior, ModelKind::kTree, ModelKind::kRank, ModelKind::kRegression,
        ModelKind::kRankAlone, ModelKind::kCompiled}) {
    if (NeedsXgboost(kind) && !HasXgboost()) continue;
    auto model = MakeCostModel(kind, task.space.get(), config, task.follows);
    ASSERT_TRUE(model) << model.error().message;
    const Status fitted = (*model)->Fit(learned);
    ASSERT_TRUE(fitted) << fitted.error().message;
    EXPECT_GE(PairsInOrder(**model, all, learned.trials().size()), 0.8) << static_cast<int>(kind);
  }
}

TEST(CostModels, XgboostIsThereOrSaysWhyNot) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  const auto model = MakeCostModel(ModelKind::kRank, tasks[0].space.get(), config, false);
  EXPECT_EQ(model.has_value(), HasXgboost());
  if (!model) {
    EXPECT_NE(model.error().message.find("libxgboost-dev"), std::string::npos);
    GTEST_SKIP() << "this build is without libxgboost";
  }
}

TEST(Searches, GoOnFromRecords) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  SearchOptions options;
  options.trials = 40;
  std::vector<std::pair<size_t, Trial>> recorded;
  options.finished = [&](const Task& task, const Trial& trial) -> Status {
    recorded.emplace_back(static_cast<size_t>(&task - tasks.data()), trial);
    return {};
  };
  for (const std::string& name : kNames) {
    options.strategy = name;
    options.model = name == "beam" ? ModelKind::kPrior : ModelKind::kNone;  // it draws without one
    recorded.clear();
    auto first = Search::Make(&tasks, config, options, Synthetic);
    ASSERT_TRUE(first) << first.error().message;
    ASSERT_TRUE(first->Run());
    ASSERT_EQ(recorded.size(), 40u);
    auto second = Search::Make(&tasks, config, options, Synthetic);
    ASSERT_TRUE(second) << second.error().message;
    for (const auto& [task, trial] : std::vector(recorded)) second->AddKnown(task, trial);
    ASSERT_TRUE(second->Run());
    EXPECT_EQ(recorded.size(), 80u) << name;
    std::vector<std::unordered_set<uint64_t>> seen(tasks.size());
    for (const auto& [task, trial] : recorded)
      EXPECT_TRUE(seen[task].insert(HashOf(trial.point)).second) << name << " measured again";
  }
}

TEST(Searches, RecordFailuresAndGoOn) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  SearchOptions options;
  options.model = ModelKind::kNone;
  options.trials = 40;
  std::atomic<int> calls = 0;
  int failed = 0;
  options.finished = [&](const Task&, const Trial& trial) -> Status {
    failed += !trial.cycles;
    if (!trial.cycles) {
      EXPECT_EQ(trial.cause + ": " + trial.message, "OutOfRange: INP is full");
    }
    return {};
  };
  auto search =
      Search::Make(&tasks, config, options,
                   [&](const Task& task, const Point& point, uint64_t budget) -> Result<uint64_t> {
                     if (++calls % 3 == 0) return Fail(Code::kOutOfRange, "INP is full");
                     return Synthetic(task, point, budget);
                   });
  ASSERT_TRUE(search) << search.error().message;
  const Status ran = search->Run();
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(search->progress().trials, 40);
  EXPECT_EQ(search->progress().failed, failed);
  EXPECT_EQ(failed, 13);
}

TEST(Searches, EndWhenTold) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  SearchOptions options;
  int finished = 0;
  options.stop = [&] { return finished >= 5; };
  options.finished = [&](const Task&, const Trial&) -> Status {
    ++finished;
    return {};
  };
  auto search = Search::Make(&tasks, config, options, Synthetic);
  ASSERT_TRUE(search) << search.error().message;
  ASSERT_TRUE(search->Run());
  EXPECT_EQ(finished, 5);
  options.stop = [] { return false; };
  options.finished = [](const Task&, const Trial&) -> Status {
    return Fail(Code::kUnavailable, "disk full");
  };
  auto full = Search::Make(&tasks, config, options, Synthetic);
  ASSERT_TRUE(full) << full.error().message;
  const Status ran = full->Run();
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message, "disk full");
}

// The best so far of each task behind each of its batches, from the trials that a search told.
using Courses = std::vector<std::vector<double>>;

// The share of the best points' cycles that the last |batches| of all tasks gained, a batch.
double GainOf(const Courses& courses, const std::vector<Task>& tasks, size_t batches) {
  double gain = 0, best = 0;
  for (size_t t = 0; t < courses.size(); ++t) {
    const double weight = static_cast<double>(tasks[t].weight), now = courses[t].back();
    gain += weight * (courses[t][courses[t].size() - 1 - batches] - now);
    best += weight * now;
  }
  return gain / static_cast<double>(batches) / best;
}

TEST(Searches, EndWhenLittleIsGained) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  std::erase_if(tasks, [](Task& task) { return task.space->CountPoints().points < 200; });
  ASSERT_FALSE(tasks.empty());
  size_t before = 4000;
  for (const double least : {0.0005, 0.02, 1.0}) {
    SearchOptions options{.strategy = "random",
                          .model = ModelKind::kNone,
                          .batch = 4,
                          .trials = 4000,
                          .least_gain = least};
    Courses courses(tasks.size());
    size_t all = 0;
    std::vector<double> least_of(tasks.size(), 1e30);
    options.finished = [&](const Task& task, const Trial& trial) {
      double& now = least_of[static_cast<size_t>(&task - tasks.data())];
      now = std::min(now, static_cast<double>(*trial.cycles));
      return Status();
    };
    options.progress = [&](const SearchProgress& progress) {
      all = static_cast<size_t>(progress.trials);
      courses[progress.task].push_back(least_of[progress.task]);
    };
    auto search = Search::Make(&tasks, config, options, Synthetic);
    ASSERT_TRUE(search) << search.error().message;
    ASSERT_TRUE(search->Run());
    for (const auto& course : courses) ASSERT_GE(course.size(), 5u);  // the given point and four
    EXPECT_LT(GainOf(courses, tasks, 3), least);
    EXPECT_LT(all, std::min<size_t>(before + 1, 4000)) << "more is asked, so it ends no later";
    before = all;
    // One batch earlier it did not stop.
    std::vector<double>& last = courses[search->progress().task];
    last.pop_back();
    EXPECT_TRUE(last.size() < 5 || GainOf(courses, tasks, 3) >= least);
  }
}

TEST(Selections, AreNoSlowerThanTheGenerator) {
  const isa::Config config = test::NamedConfig("tiny");
  const std::vector<compiler::PlannedProgram> programs = test::TunePrograms(config);
  auto tasks = TasksOf(programs, config);
  ASSERT_TRUE(tasks) << tasks.error().message;
  SearchOptions options;
  options.strategy = "descent";
  options.trials = 60;
  RecordSet records;
  options.finished = [&](const Task& task, const Trial& trial) -> Status {
    records.Add(RecordOf(task, trial));
    return {};
  };
  auto search = Search::Make(&*tasks, config, options, Cycles(config));
  ASSERT_TRUE(search) << search.error().message;
  const Status ran = search->Run();
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(search->progress().failed, 0);
  const auto chosen = SelectForNetwork(programs, config, *tasks, *search, 3, [] { return false; });
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_LE(chosen->cycles, chosen->given);
  // The records of the choice make that network.
  for (size_t t = 0; t < tasks->size(); ++t) {
    Record record = RecordOf((*tasks)[t], {chosen->chosen[t], chosen->cycles, "", ""});
    record.network = 7;
    records.Add(record);
  }
  const std::vector<LayerRecord> layers = ApplyRecords(programs, config, records, 7);
  Schedules schedules;
  for (const LayerRecord& layer : layers) {
    EXPECT_NE(layer.record, nullptr) << layer.name;
    if (!layer.generated) schedules[{layer.program, layer.region}] = layer.trace;
  }
  const auto cycles = NetworkCycles(programs, config, schedules);
  ASSERT_TRUE(cycles) << cycles.error().message;
  EXPECT_EQ(*cycles, chosen->cycles);
  // Of another machine there is none, and it is said.
  const isa::Config other = test::NamedConfig("default");
  for (const LayerRecord& layer : ApplyRecords(test::TunePrograms(other), other, records, 7)) {
    EXPECT_EQ(layer.record, nullptr) << layer.name;
  }
}

TEST(Tasks, PartsTakeTheCyclesOfTheNetwork) {
  for (const char* name : {"tiny", "default"}) {
    const isa::Config config = test::NamedConfig(name);
    for (const compiler::PlannedProgram& program : test::TunePrograms(config)) {
      const std::vector<size_t> cuts = CutsOf(program);
      ASSERT_GE(cuts.size(), 2u);
      uint64_t parts = 0;
      for (size_t k = 0; k + 1 < cuts.size(); ++k) {
        compiler::PlannedProgram part = PartOf(program, cuts[k], cuts[k + 1]);
        for (size_t r = 0; r < part.regions.size(); ++r) part.regions[r].schedule = part.traces[r];
        const auto report = compiler::Evaluate(part, config);
        ASSERT_TRUE(report) << report.error().message;
        parts += report->cycles;
      }
      const auto whole = compiler::Evaluate(program, config);
      ASSERT_TRUE(whole) << whole.error().message;
      // Parts do not overlap, and each begins alone.
      EXPECT_GE(parts, whole->cycles);
      EXPECT_LE(parts, whole->cycles + whole->cycles / 2);
    }
  }
}

}  // namespace
}  // namespace tessera::tune::search_test
