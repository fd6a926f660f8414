// SPDX-License-Identifier: Apache-2.0
//
// What is tested: searches for layers of the host. Tasks: equal layers are one, a processor or
// level of another name is another task, and points keep what one core cannot measure. Measuring:
// the given point and others have times, also by three threads; a candidate that crashes while it
// is compiled or runs, hangs, takes too much memory, gets no process or computes wrong numbers is a
// failed trial with its cause, and the search goes on; the interpreter confirms results. Comparison
// of results, of integers and of floats. Records: their text, and their use by layers. Space: a
// small network. Not tested here: how fast anything is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <thread>

#include "compiler/ir/array.h"
#include "compiler/tune/search.h"
#include "compiler/tune/select.h"
#include "compiler/tune/time_measure.h"
#include "compiler/tune/turns.h"
#include "runtime/host/cpu_level.h"
#include "tests/compiler/tune/tune_test_net.h"

namespace tessera::tune::host_test {
namespace {

using std::chrono::seconds;
using test::OtherPoint;
using ::testing::HasSubstr;

std::vector<compiler::PlannedHostLayer> HostLayers(graph::Graph graph = test::TuneGraph()) {
  compiler::CompileOptions options;
  options.config = test::NamedConfig("tiny");
  options.device = false;
  options.layers_only = true;
  auto compiled = compiler::Compile(std::move(graph), "net", 1, options);
  EXPECT_TRUE(compiled) << compiled.error().message;
  return compiled ? std::move(compiled->host_layers) : std::vector<compiler::PlannedHostLayer>();
}

std::vector<Task> HostTasks() {
  auto tasks = TasksOf(HostLayers());
  EXPECT_TRUE(tasks) << tasks.error().message;
  return tasks ? std::move(*tasks) : std::vector<Task>();
}

TEST(HostTasks, AreLayersThatDiffer) {
  const std::vector<compiler::PlannedHostLayer> layers = HostLayers();
  ASSERT_EQ(layers.size(), 6u);
  const std::vector<Task> tasks = HostTasks();
  int64_t weight = 0;
  for (const Task& task : tasks) {
    weight += task.weight;
    EXPECT_EQ(task.key.target, "host");
    EXPECT_EQ(task.key.processor, ProcessorName());
    EXPECT_EQ(task.key.config, CpuLevels().front());
    for (const Task& other : tasks) EXPECT_EQ(task.key == other.key, &task == &other);
  }
  EXPECT_EQ(weight, 6);
  EXPECT_LT(tasks.size(), 6u) << "two layers are equal";
  TaskKey other = tasks[0].key;
  other.processor = "another";
  EXPECT_NE(other, tasks[0].key);
  compiler::PlannedHostLayer wider = layers[0];
  for (const target::HostLevel& level : target::HostLevels()) {
    wider.layer.level = &level;
    EXPECT_EQ(KeyOf(wider) == KeyOf(layers[0]), &level == layers[0].layer.level) << level.name;
  }
}

// A layer with another family of sketches, as an older compiler's, is another task; a schedule that
// was given is a family of one.
TEST(HostTasks, AreOfTheirSketches) {
  compiler::PlannedHostLayer layer = HostLayers()[0];
  ASSERT_GE(layer.sketches.size(), 2u);
  EXPECT_EQ(layer.sketches[0].trace, layer.trace);
  const TaskKey key = KeyOf(layer);
  compiler::PlannedHostLayer fewer = layer, given = layer, renamed = layer;
  fewer.sketches.resize(1);
  given.sketches.clear();
  renamed.sketches[1].name = "another";
  EXPECT_EQ(KeyOf(fewer), KeyOf(given)) << "one sketch is its schedule alone";
  EXPECT_EQ(key.layer, KeyOf(given).layer);
  for (const compiler::PlannedHostLayer& other : {fewer, given, renamed})
    EXPECT_NE(KeyOf(other), key);
  const auto space = SpaceOf(given);
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_NE(space->knobs()[0].name, kSketchKnob);
}

TEST(HostTasks, KeepWhatOneCoreCannotMeasure) {
  int kept = 0;
  Rng rng(4);
  for (const Task& task : HostTasks()) {
    const std::vector<Knob>& knobs = task.space->knobs();
    for (int draw = 0; draw < 20; ++draw) {
      const auto point = task.space->Random(rng);
      ASSERT_TRUE(point);
      for (size_t k = 0; k < knobs.size(); ++k) {
        if (!knobs[k].name.starts_with("shared")) continue;
        ++kept;
        EXPECT_EQ(task.space->PlaceOf(*point, k).count, 1u);
      }
    }
  }
  EXPECT_GT(kept, 0);
}

TEST(TimeMeasurer, HasTimesOfPoints) {
  const std::vector<Task> tasks = HostTasks();
  TimeMeasurer measurer;
  for (const Task& task : tasks) {
    SCOPED_TRACE(task.name);
    for (std::optional<Point> point = task.space->given(); point;) {  // each sketch
      const Measured measured = measurer.Measure(task, *point);
      ASSERT_TRUE(measured) << measured.error().message;
      EXPECT_GT(*measured, 0u);
      const bool family = task.space->knobs()[0].name == kSketchKnob;
      point = family ? task.space->Moved(*point, 0, 1) : std::nullopt;
    }
    const auto confirmed = measurer.Interpret(task, task.space->given());
    ASSERT_TRUE(confirmed) << confirmed.error().message;
    EXPECT_TRUE(*confirmed) << "these layers are small";
  }
  // By three threads at once.
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  const Point other = OtherPoint(tasks[0]);
  for (int w = 0; w < 3; ++w) {
    threads.emplace_back([&] {
      for (int k = 0; k < 3; ++k) good += measurer.Measure(tasks[0], other).has_value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 9);
  EXPECT_TRUE(measurer.MeasureAgain(tasks[0], other));
}

// What |stand_ins| make of a point beside the given one; then the measurer still works.
FailedTrial FailureBy(HostStandIns stand_ins, seconds limit = seconds(60), uint64_t memory = 0) {
  const std::vector<Task> tasks = HostTasks();
  const Task& task = tasks[0];
  TimeMeasureOptions options{limit, memory, std::move(stand_ins)};
  TimeMeasurer measurer(options);
  const Measured given = measurer.Measure(task, task.space->given());
  EXPECT_TRUE(given) << given.error().message;
  const Measured failed = measurer.Measure(task, OtherPoint(task));
  EXPECT_FALSE(failed);
  const Measured again = measurer.Measure(task, task.space->given());
  EXPECT_TRUE(again) << again.error().message;
  return failed ? FailedTrial("", "") : failed.error();
}

// |kernel| in place of the code of every point but the given one.
HostStandIns WithKernel(HostKernel kernel) {
  return {{}, [kernel](const schedule::Trace& trace, HostKernel own) {
            static const schedule::Trace given = HostLayers()[0].trace;
            return trace == given ? own : kernel;
          }};
}
HostStandIns Compiling(void (*work)()) {
  return {[work](const schedule::Trace& trace) {
            if (trace != HostLayers()[0].trace) work();
          },
          {}};
}

TEST(TimeMeasurer, CrashesAreFailedTrials) {
  const FailedTrial runs = FailureBy(WithKernel([](void**) { std::raise(SIGSEGV); }));
  EXPECT_EQ(runs.cause, kCrashed);
  EXPECT_THAT(runs.message, HasSubstr("ended by signal 11"));
  const FailedTrial compiles = FailureBy(Compiling([] { std::abort(); }));
  EXPECT_EQ(compiles.cause, kCrashed);
  EXPECT_THAT(compiles.message, HasSubstr("ended by signal 6"));
}

TEST(TimeMeasurer, HangsAreFailedTrials) {
  const FailedTrial runs = FailureBy(WithKernel([](void**) {
                                       while (true) usleep(1000);
                                     }),
                                     seconds(4));
  EXPECT_EQ(runs.cause, kTooLong);
  EXPECT_EQ(runs.message, "took more than 4 s");
}

TEST(TimeMeasurer, WrongNumbersAreFailedTrials) {
  const FailedTrial runs = FailureBy(WithKernel([](void**) {}));
  EXPECT_EQ(runs.cause, kWrongResult);
  EXPECT_THAT(runs.message, HasSubstr("elements differ (inputs of seed "));
}

TEST(TimeMeasurer, WithoutMemoryIsAFailedTrial) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer takes all addresses";
#endif
  const FailedTrial compiles = FailureBy(Compiling([] {
                                           std::vector<std::vector<char>> all;
                                           while (true) all.emplace_back(size_t{64} << 20, 'x');
                                         }),
                                         seconds(60), uint64_t{512} << 20);
  EXPECT_EQ(compiles.cause, kOutOfMemory);
}

// Without another file, the system makes no pipe to a process.
TEST(TimeMeasurer, WithoutAProcessIsAFailedTrial) {
  std::vector<Task> tasks = HostTasks();
  TimeMeasurer measurer;
  const auto given = measurer.Measure(tasks[0], tasks[0].space->given());
  ASSERT_TRUE(given) << given.error().message;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto failed = measurer.Measure(tasks[0], OtherPoint(tasks[0]));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().cause, "Unavailable");
  EXPECT_THAT(failed.error().message, HasSubstr("no process can be made: Too many open files"));
  EXPECT_TRUE(measurer.Measure(tasks[0], OtherPoint(tasks[0])));
}

TEST(HostSearches, RecordFailuresAndGoOn) {
  std::vector<Task> tasks = HostTasks();
  // Every other candidate is broken, each in another way.
  static std::atomic<uint64_t> turn = 0;
  TimeMeasureOptions options;
  options.limit = seconds(60);
  options.stand_ins.kernel = [](const schedule::Trace& trace, HostKernel own) -> HostKernel {
    size_t picks = 0;
    for (const schedule::Step& step : trace) {
      if (const auto* decide = std::get_if<schedule::DecideStep>(&step))
        picks += static_cast<size_t>(decide->value.number);
    }
    for (const compiler::PlannedHostLayer& layer : HostLayers()) {
      if (layer.trace == trace) return own;
    }
    if (picks % 3 == 0) return [](void**) { std::raise(SIGILL); };
    if (picks % 3 == 1) return [](void**) {};
    return own;
  };
  TimeMeasurer measurer(options);
  SearchOptions search_options;
  search_options.strategy = "random";
  search_options.model = ModelKind::kNone;
  search_options.workers = 2;
  search_options.trials = 30;
  std::map<std::string, int> causes;
  search_options.finished = [&](const Task& task, const Trial& trial) -> Status {
    ++causes[trial.cause];
    const auto read = ParseRecord(Print(RecordOf(task, trial)));
    EXPECT_TRUE(read) << read.error().message;
    if (read) {
      EXPECT_EQ(read->cause, trial.cause);
    }
    return {};
  };
  auto search = Search::Make(&tasks, isa::Config(), search_options,
                             [&](const Task& task, const Point& point, uint64_t) {
                               return measurer.Measure(task, point);
                             });
  ASSERT_TRUE(search) << search.error().message;
  const Status ran = search->Run();
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(search->progress().trials, 30);
  EXPECT_GT(causes[""], 0);
  EXPECT_GT(causes[kCrashed], 0);
  EXPECT_GT(causes[kWrongResult], 0);
  EXPECT_EQ(causes[""] + causes[kCrashed] + causes[kWrongResult], 30);
  for (size_t t = 0; t < tasks.size(); ++t) EXPECT_GT(search->GivenCycles(t), 0u);
}

TEST(HostSearches, TakeModelsWithoutAnEstimate) {
  const std::vector<Task> tasks = HostTasks();
  Rng rng(5);
  for (const ModelKind kind : {ModelKind::kRankAlone, ModelKind::kRank, ModelKind::kRegression}) {
    if (!HasXgboost()) GTEST_SKIP() << "this build is without libxgboost";
    auto model = MakeCostModel(kind, tasks[0].space.get(), isa::Config(), false);
    ASSERT_TRUE(model) << model.error().message;
    // A stand-in for times: the sum of the picks.
    History history;
    std::vector<Point> points;
    for (int k = 0; k < 40; ++k) {
      const auto point = tasks[0].space->Random(rng);
      ASSERT_TRUE(point);
      uint64_t sum = 1;
      for (const schedule::Choice& pick : point->picks) sum += static_cast<uint64_t>(pick.number);
      if (!history.Has(*point)) history.Add({*point, sum, "", ""});
      points.push_back(*point);
    }
    const Status fitted = (*model)->Fit(history);
    ASSERT_TRUE(fitted) << fitted.error().message;
    for (const double score : (*model)->Predict(points)) EXPECT_NE(score, kNoScore);
  }
}

TEST(HostResults, AreCompared) {
  const auto bytes = [](DType type, const std::vector<double>& values) {
    ir::Array array(type, static_cast<int64_t>(values.size()));
    for (size_t i = 0; i < values.size(); ++i) {
      if (IsFloat(type)) {
        array.SetFloat(static_cast<int64_t>(i), static_cast<float>(values[i]));
      } else {
        array.SetInt(static_cast<int64_t>(i), static_cast<int64_t>(values[i]));
      }
    }
    return array.bytes();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto differ = [&](DType type, const std::vector<double>& a, const std::vector<double>& b) {
    return ResultDifference(type, bytes(type, a), bytes(type, b));
  };
  EXPECT_EQ(differ(DType::kInt8, {1, 2, 3}, {1, 2, 3}), "");
  EXPECT_EQ(differ(DType::kInt8, {1, 2, 4}, {1, 2, 3}),
            "element 2 is 4 and not 3; 1 of 3 elements differ");
  EXPECT_EQ(differ(DType::kFloat32, {1000, 1.001}, {1000, 1}), "") << "small beside 1000";
  EXPECT_NE(differ(DType::kFloat32, {1, 1.001}, {1, 1}), "");
  EXPECT_NE(differ(DType::kFloat32, {1, nan}, {1, 1}), "");
  EXPECT_NE(differ(DType::kFloat32, {1, 1}, {1, nan}), "");
  EXPECT_EQ(differ(DType::kFloat32, {1, nan}, {1, nan}), "");
  EXPECT_EQ(differ(DType::kFloat16, {1, 0.5}, {1, 0.505}), "");
}

TEST(HostRecords, SayNanosecondsAndTheProcessor) {
  const std::vector<Task> tasks = HostTasks();
  const Record record = RecordOf(tasks[0], {tasks[0].space->given(), 1234, "", ""});
  const std::string line = Print(record);
  EXPECT_THAT(line, HasSubstr("\"ns\":1234"));
  EXPECT_THAT(line, HasSubstr("\"processor\":\""));
  EXPECT_THAT(line, ::testing::Not(HasSubstr("cycles")));
  EXPECT_THAT(line, ::testing::Not(HasSubstr("\"isa\"")));
  const auto read = ParseRecord(line);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->key, record.key);
  EXPECT_EQ(read->cycles, 1234u);
  EXPECT_EQ(Print(*read), line);
}

TEST(HostRecords, AreUsedByTheirLayers) {
  const std::vector<compiler::PlannedHostLayer> layers = HostLayers();
  const std::vector<Task> tasks = HostTasks();
  RecordSet records, others;
  for (const Task& task : tasks) {
    Record record = RecordOf(task, {OtherPoint(task), 5, "", ""});
    records.Add(record);
    record.key.processor = "another";
    others.Add(record);
  }
  const std::vector<LayerRecord> found = ApplyRecords(layers, records, 1);
  ASSERT_EQ(found.size(), layers.size());
  for (size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].name, layers[k].layer.region.name);
    ASSERT_NE(found[k].record, nullptr) << found[k].name;
    EXPECT_FALSE(found[k].generated);
    const auto candidate = compiler::Evaluate(layers[k].layer, found[k].trace);
    EXPECT_TRUE(candidate) << candidate.error().message;
  }
  for (const LayerRecord& layer : ApplyRecords(layers, others, 1)) {
    EXPECT_EQ(layer.record, nullptr);
    ASSERT_NE(layer.another, nullptr);
    EXPECT_EQ(layer.another->key.processor, "another");
  }
}

}  // namespace
}  // namespace tessera::tune::host_test
