// SPDX-License-Identifier: Apache-2.0
//
// What is tested: models that know compiled programs. They order points by what the programs have,
// compile only where they are asked to, and the numbers are those of the program that runs. Space:
// a small network. Not tested here: how many trials that saves (bench/search).
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/tune/cost_model.h"
#include "tests/compiler/tune/tune_test_net.h"

namespace tessera::tune::program_test {
namespace {

// The numbers of programs are all that tells these points apart: the model has to use them, and
// only where it is asked to.
TEST(ProgramModels, KnowCompiledPrograms) {
  if (!HasXgboost()) GTEST_SKIP() << "this build is without libxgboost";
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  Task& task = tasks[0];
  const auto secret = [](const Point& point) { return static_cast<float>(HashOf(point) % 16); };
  int asked = 0;
  auto model = MakeCostModel(ModelKind::kCompiled, task.space.get(), config, task.follows,
                             [&](const Point& point) {
                               ++asked;
                               return std::vector<float>{secret(point)};
                             });
  ASSERT_TRUE(model) << model.error().message;
  Rng rng(5);
  History learned, all;
  for (int k = 0; k < 200; ++k) {
    const auto point = task.space->Random(rng);
    ASSERT_TRUE(point);
    if (all.Has(*point)) continue;
    const Trial trial{*point, 1000 + 500 * static_cast<uint64_t>(secret(*point)), "", ""};
    if (all.trials().size() < 40) learned.Add(trial);
    all.Add(trial);
  }
  ASSERT_GT(all.trials().size(), 60u);
  ASSERT_TRUE((*model)->Fit(learned));
  EXPECT_EQ(asked, 40);
  std::vector<Point> unseen;
  for (size_t k = 40; k < all.trials().size(); ++k) unseen.push_back(all.trials()[k].point);
  (*model)->Predict(unseen);
  EXPECT_EQ(asked, 40) << "a prediction compiles";
  const std::vector<double> scores = (*model)->PredictCompiled(unseen);
  double right = 0, pairs = 0;
  for (size_t a = 0; a < unseen.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (secret(unseen[a]) == secret(unseen[b])) continue;
      ++pairs;
      right += (scores[a] > scores[b]) == (secret(unseen[a]) < secret(unseen[b]));
    }
  }
  EXPECT_GE(right / pairs, 0.8);  // half by chance
}

TEST(ProgramModels, HaveTheNumbersOfPrograms) {
  const isa::Config config = test::NamedConfig("tiny");
  for (const Task& task : test::TuneTasks(config)) {
    const auto given = ProgramNumbers(task, task.space->given(), config);
    ASSERT_TRUE(given) << task.name;
    compiler::PlannedProgram program = task.part;
    task.space->Put(task.space->given(), &program);
    const auto report = compiler::Evaluate(program, config);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_NEAR((*given)[0], std::log2(static_cast<double>(report->instructions) + 1), 1e-4);
    EXPECT_NE(given, ProgramNumbers(task, test::OtherPoint(task), config)) << task.name;
  }
  for (const Task& task : test::HostTasks())
    EXPECT_FALSE(ProgramNumbers(task, task.space->given(), config)) << task.name;
}

}  // namespace
}  // namespace tessera::tune::program_test
