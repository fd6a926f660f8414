// SPDX-License-Identifier: Apache-2.0
//
// What is tested: what a task learns from the trials of others. The features that layers have in
// common have a name each, on the accelerator and on the host; a shared model that has seen other
// layers, or another configuration, orders the points of a layer without a trial of it; the file of
// a model gives the same model, each damage of it is an error of one line, and each refusal says
// what it found, what it wants and the way out; a model that is kept learns each trial once and
// grows ever more slowly; a search with transfer finds the same points with one worker and with
// three. Not tested here: how many trials transfer saves (bench/search).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/tune/features.h"
#include "compiler/tune/search.h"
#include "compiler/tune/shared_model.h"
#include "tests/compiler/tune/tune_test_net.h"

namespace tessera::tune::transfer_test {
namespace {

using ::testing::HasSubstr;

TEST(CommonFeatures, HaveANameEach) {
  const isa::Config config = test::NamedConfig("default");
  uint64_t hashes[2] = {};
  for (const bool host : {false, true}) {
    for (Task& task : host ? test::HostTasks() : test::TuneTasks(config)) {
      FeatureTable table(task.space.get(), config, task.follows);
      const Features* features = table.Of(task.space->given());
      ASSERT_NE(features, nullptr) << task.name;
      const target::Target& target = test::LayerOf(task).target();
      const std::vector<std::string> names = CommonFeatures(target);
      EXPECT_EQ(features->common().size(), names.size()) << task.name;
      EXPECT_EQ(features->values.size(), names.size() + 2 * task.space->knobs().size());
      hashes[host] = CommonFeaturesHash(target);
    }
  }
  EXPECT_NE(hashes[0], hashes[1]);
}

// Up to |count| random points of |task|, measured.
History Measured(Task& task, const isa::Config& config, int count, uint64_t seed = 9) {
  History history;
  Rng rng(seed);
  for (int k = 0; k < count; ++k) {
    const auto point = task.space->Random(rng);
    if (!point || history.Has(*point)) continue;
    const auto cycles = CyclesOf(task, *point, config, 10'000'000);
    history.Add({*point, cycles ? std::optional(*cycles) : std::nullopt, "", ""});
  }
  return history;
}

std::unique_ptr<CostModel> ModelOf(Task& task, const isa::Config& config, ModelKind kind) {
  auto model = MakeCostModel(kind, task.space.get(), config, task.follows);
  EXPECT_TRUE(model) << model.error().message;
  return model ? std::move(*model) : nullptr;
}

// The lessons of the tasks of the network on |machine|, measured once.
const std::vector<Lessons>& LessonsOfNet(const std::string& machine, ModelKind kind,
                                         uint64_t seed = 9) {
  static std::map<std::tuple<std::string, ModelKind, uint64_t>, std::vector<Lessons>> known;
  const auto [at, fresh] = known.try_emplace({machine, kind, seed});
  if (!fresh) return at->second;
  const isa::Config config = test::NamedConfig(machine);
  std::vector<Task> tasks = test::TuneTasks(config);
  for (Task& task : tasks) {
    const auto lessons = ModelOf(task, config, kind)->LessonsOf(Measured(task, config, 30, seed));
    EXPECT_TRUE(lessons);
    if (lessons) at->second.push_back(*lessons);
  }
  return at->second;
}

// The pairs of trials that |scores| order as their cycles do, as a share.
double InOrder(const std::vector<double>& scores, const History& history) {
  double right = 0, pairs = 0;
  for (size_t a = 0; a < scores.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      const auto& of_a = history.trials()[a].cycles;
      const auto& of_b = history.trials()[b].cycles;
      if (!of_a || !of_b || *of_a == *of_b) continue;
      ++pairs;
      right += scores[a] != scores[b] && (scores[a] > scores[b]) == (*of_a < *of_b);
    }
  }
  return right / pairs;
}

class Transfer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasXgboost()) GTEST_SKIP() << "this build is without libxgboost";
  }
};

// Means over three draws of trials: those of one draw are some 0.03 apart, of one layer more.
TEST_F(Transfer, OtherLayersAndMachinesOrderTheFirstPoints) {
  const isa::Config config = test::NamedConfig("default");
  std::vector<Task> tasks = test::TuneTasks(config);
  constexpr std::array<uint64_t, 3> kSeeds = {9, 10, 11};
  for (const auto& [machine, least] : {std::pair("default", 0.8), std::pair("tiny", 0.65)}) {
    SCOPED_TRACE(machine);
    std::map<std::string, double> right;  // by layer: the mean
    for (const uint64_t seed : kSeeds) {
      const std::vector<Lessons>& known = LessonsOfNet(machine, ModelKind::kRankAlone, seed);
      ASSERT_EQ(known.size(), tasks.size());
      for (size_t t = 0; t < tasks.size(); ++t) {
        const History trials = Measured(tasks[t], config, 60, seed);
        if (trials.trials().size() < 20) continue;  // of a layer with few choices
        std::vector<Point> points;
        for (const Trial& trial : trials.trials()) points.push_back(trial.point);
        const auto alone = ModelOf(tasks[t], config, ModelKind::kRankAlone);
        EXPECT_EQ(InOrder(alone->Predict(points), trials), 0);
        std::vector<Lessons> lessons = known;
        lessons.erase(lessons.begin() + static_cast<ptrdiff_t>(t));
        auto shared = SharedModel(lessons[0].kind).With(lessons);
        ASSERT_TRUE(shared) << shared.error().message;
        alone->StartFrom(std::make_shared<const SharedModel>(std::move(*shared)));
        right[tasks[t].name] += InOrder(alone->Predict(points), trials) / kSeeds.size();
      }
    }
    ASSERT_GE(right.size(), 3U);
    double sum = 0;
    for (const auto& [layer, share] : right) {
      EXPECT_GT(share, 0.5) << layer;
      sum += share;
    }
    EXPECT_GE(sum / static_cast<double>(right.size()), least);
  }
}

TEST_F(Transfer, LessonsAreTheTrials) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  const Point& given = tasks[0].space->given();
  Rng rng(2);
  const Point other = *tasks[0].space->Mutated(given, rng), third = *tasks[0].space->Random(rng);
  History history;
  history.Add({given, 99, "", ""});
  history.Add({other, 399, "", ""});  // log2: 2 slower
  history.Add({third, std::nullopt, "OutOfRange", "INP is full"});
  const auto lessons = ModelOf(tasks[0], config, ModelKind::kRank)->LessonsOf(history);
  ASSERT_TRUE(lessons);
  EXPECT_EQ(lessons->labels, (std::vector<float>{3, 1, 0}));
  EXPECT_EQ(lessons->starts[0], 0);
  EXPECT_EQ(lessons->rows.size(), 3u);
  EXPECT_EQ(lessons->kind, SharedKindOf(test::LayerOf(tasks[0]).target(), true));
  EXPECT_FALSE(ModelOf(tasks[0], config, ModelKind::kPrior)->LessonsOf(history));
}

TEST_F(Transfer, ATaskForgetsWhatOthersTeach) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  const std::vector<Lessons>& lessons = LessonsOfNet("tiny", ModelKind::kRank);
  const auto shared =
      std::make_shared<const SharedModel>(*SharedModel(lessons[0].kind).With(lessons));
  const auto plain = ModelOf(tasks[0], config, ModelKind::kRank);
  const auto taught = ModelOf(tasks[0], config, ModelKind::kRank);
  taught->StartFrom(shared);
  const History trials = Measured(tasks[0], config, 40);
  std::vector<Point> points;
  for (const Trial& trial : trials.trials()) points.push_back(trial.point);
  // The correction is what the trees add to the estimate; of 4 trials, too few to learn from, it
  // counts 2^(-4 / 64).
  const std::vector<double> starts = plain->Predict(points), before = taught->Predict(points);
  History few;
  for (size_t k = 0; k < 4; ++k) few.Add(trials.trials()[k]);
  ASSERT_TRUE(taught->Fit(few));
  const std::vector<double> after = taught->Predict(points);
  double largest = 0;
  for (size_t k = 0; k < points.size(); ++k) {
    EXPECT_NEAR(after[k] - starts[k], std::exp2(-1.0 / 16) * (before[k] - starts[k]), 1e-5);
    largest = std::max(largest, std::abs(before[k] - starts[k]));
  }
  EXPECT_GT(largest, 0);
}

// A model, and the text of its file.
struct Saved {
  SharedKind kind;
  std::string text;
};

Saved SavedModel() {
  const std::vector<Lessons>& lessons = LessonsOfNet("tiny", ModelKind::kRank);
  const auto model = SharedModel(lessons[0].kind).With(lessons);
  EXPECT_TRUE(model) << model.error().message;
  const auto text = model->Print();
  EXPECT_TRUE(text) << text.error().message;
  return {lessons[0].kind, text.value_or("")};
}

int64_t DifferentRows(std::span<const Lessons> lessons) {
  std::set<std::vector<float>> rows;
  for (const Lessons& task : lessons) rows.insert(task.rows.begin(), task.rows.end());
  return std::ssize(rows);
}

// The trees in the library's text.
int64_t TreesOf(const SharedModel& model) {
  const std::string text = *model.Print();
  int64_t trees = 0;
  for (size_t at = text.find("tree_param"); at != std::string::npos;
       at = text.find("tree_param", at + 1))
    ++trees;
  return trees;
}

TEST_F(Transfer, AModelLearnsEachTrialOnceAndGrowsEverMoreSlowly) {
  const std::vector<Lessons>& lessons = LessonsOfNet("tiny", ModelKind::kRank);
  ASSERT_GE(lessons.size(), 3u);
  SharedModel model(lessons[0].kind);
  int64_t before = 0;
  double harmonic = 0;
  for (size_t n = 1; n <= lessons.size(); ++n) {
    // Searches that go on from their records tell all of their trials again.
    const std::span<const Lessons> all = std::span(lessons).first(n);
    auto next = model.With(all, /*kept=*/true);
    ASSERT_TRUE(next) << next.error().message;
    const int64_t trials = DifferentRows(all);
    EXPECT_EQ(next->trials(), trials);
    harmonic +=
        std::ceil(60.0 * static_cast<double>(trials - before) / static_cast<double>(trials));
    EXPECT_EQ(TreesOf(*next), static_cast<int64_t>(harmonic));
    auto again = next->With(all, /*kept=*/true);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again->Print(), *next->Print());
    model = std::move(*next);
    before = trials;
  }
  EXPECT_LT(TreesOf(model), 60 * std::ssize(lessons));
}

TEST_F(Transfer, FilesHaveTheModel) {
  const std::vector<Lessons>& lessons = LessonsOfNet("tiny", ModelKind::kRank);
  const auto model = SharedModel(lessons[0].kind).With(lessons);
  ASSERT_TRUE(model) << model.error().message;
  std::vector<std::span<const float>> rows(lessons[0].rows.begin(), lessons[0].rows.end());
  const std::string text = *model->Print();
  const auto read = SharedModel::Parse(text, "m.model", lessons[0].kind);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read->Corrections(rows), *model->Corrections(rows));
  EXPECT_EQ(*read->Print(), text);
  EXPECT_EQ(read->trials(), DifferentRows(lessons));
  // It goes on learning, as the model in memory does.
  const std::vector<Lessons>& others = LessonsOfNet("default", ModelKind::kRank);
  const auto more = model->With(others), read_more = read->With(others);
  ASSERT_TRUE(more && read_more);
  EXPECT_GT(more->trials(), model->trials());
  EXPECT_NE(*more->Corrections(rows), *model->Corrections(rows));
  EXPECT_EQ(*read_more->Corrections(rows), *more->Corrections(rows));
  EXPECT_EQ(*model->With({})->Print(), text);
  const auto empty = SharedModel(lessons[0].kind).Print();
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, HasSubstr("too few trials"));
}

TEST_F(Transfer, RefusesFilesThatItDoesNotMean) {
  const Saved saved = SavedModel();
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string text = saved.text;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = SharedModel::Parse(text, "m.model", saved.kind);
    return read ? "read" : read.error().message;
  };
  const std::string hash = fmt::format("{:016x}", saved.kind.features);
  EXPECT_EQ(refusal("\"version\":2", "\"version\":7"),
            "m.model: a model file of version 7, and this tessera reads version 2; make it anew "
            "with --save-model");
  EXPECT_EQ(refusal(hash, "0123456789abcdef"),
            "m.model: a model of features of version 0123456789abcdef, and this tessera has those "
            "of version " +
                hash + "; make it anew with --save-model");
  EXPECT_EQ(refusal("accelerator", "host"),
            "m.model: a model for target 'host', and this search is for 'accelerator'; give a "
            "model that a search for it saved");
  EXPECT_EQ(refusal("tessera tune model", "a tune"),
            "m.model: is no model of tessera tune, or its first line is damaged; give a file that "
            "--save-model wrote");
  EXPECT_EQ(refusal("\"trials\":[\"", "\"trials\":[\"00\",\""),
            "m.model: is damaged: its checksum is not that of its contents; take another copy, or "
            "make it anew with --save-model");
  SharedKind alone = saved.kind;
  alone.estimate = false;
  EXPECT_EQ(SharedModel::Parse(saved.text, "m.model", alone).error().message,
            "m.model: its model corrects the compiler's estimate, and that of this search does not "
            "know the compiler's estimate; give --model xgboost, or a file that such a search "
            "saved");
}

TEST_F(Transfer, EachDamageIsOneLine) {
  const Saved saved = SavedModel();
  const auto expect_refused = [&](const std::string& text, size_t at) {
    const auto read = SharedModel::Parse(text, "m.model", saved.kind);
    ASSERT_FALSE(read) << "byte " << at;
    EXPECT_TRUE(read.error().message.starts_with("m.model: ")) << read.error().message;
    EXPECT_EQ(std::ranges::count(read.error().message, '\n'), 0);
  };
  const size_t first = saved.text.find('\n') + 1;  // all of the first line, some of the trees
  for (size_t at = 0; at + 1 < saved.text.size(); at += at < first ? 1 : 997) {
    std::string text = saved.text;
    text[at] = static_cast<char>(text[at] ^ 1);
    expect_refused(text, at);
    expect_refused(saved.text.substr(0, at), at);
  }
}

TEST(Transfers, DoTheSameWithAnyNumberOfWorkers) {
  const isa::Config config = test::NamedConfig("tiny");
  const auto points = [&](ModelKind kind, int workers, bool transfer) {
    std::vector<Task> tasks = test::TuneTasks(config);
    std::vector<uint64_t> told;
    SearchOptions options;
    options.strategy = "descent";
    options.model = kind;
    options.transfer = transfer;
    options.workers = workers;
    options.trials = 60;
    options.batch = 8;
    options.finished = [&](const Task& task, const Trial& trial) -> Status {
      told.push_back(HashOf(trial.point) ^ task.key.layer);
      return {};
    };
    auto search = Search::Make(&tasks, config, options,
                               [&](const Task& task, const Point& point, uint64_t budget) {
                                 return CyclesOf(task, point, config, budget);
                               });
    EXPECT_TRUE(search) << search.error().message;
    const Status ran = search->Run();
    EXPECT_TRUE(ran) << ran.error().message;
    EXPECT_EQ(search->AllLessons().size(), tasks.size());
    return told;
  };
  for (const ModelKind kind : {ModelKind::kTree, ModelKind::kRank, ModelKind::kRankAlone}) {
    if (NeedsXgboost(kind) && !HasXgboost()) continue;
    const std::vector<uint64_t> one = points(kind, 1, true);
    EXPECT_EQ(one.size(), 60u);
    EXPECT_EQ(one, points(kind, 3, true));
    if (HasXgboost()) {
      EXPECT_NE(one, points(kind, 1, false)) << static_cast<int>(kind);
    }
  }
}

}  // namespace
}  // namespace tessera::tune::transfer_test
