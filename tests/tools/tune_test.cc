// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tessera tune and compile --records as a user runs them: the cycles that tune
// promises are those of the compiled artifact on device cycle, and are no more than without
// records; a search goes on where a killed or interrupted one ended and measures nothing twice;
// bad input gives one line; equal searches draw equal curves; the trials as a T4 document are
// those of the records. Space: one network; a killed search, Ctrl-C, a damaged line, a full disk,
// two searches on one file, records for another machine; a model that a search for one machine
// saves and one for another loads. Not tested here: the searches themselves (tests/compiler/tune),
// how well they do (bench/search), the records of known networks (records_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/compiler/tune/t4_schema.h"
#include "tests/tools/command.h"

namespace tessera::test::tune_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string Tune(const std::string& options, const std::string& records) {
  return std::string("tune ") + kModel + " " + options + " -o " + records;
}

// The cycles of |net| on device cycle.
int64_t CyclesOf(const std::string& net) {
  const std::string file = TempPath("cycles.json");
  const CommandResult r = Tessera("trace " + net + " --device cycle -o /dev/null --json " + file);
  EXPECT_EQ(r.code, 0) << r.output;
  return json::parse(Read(file)).at("cycles");
}

int64_t Lines(const std::string& file) {
  const std::string text = Read(file);
  return std::ranges::count(text, '\n');
}

TEST(TuneVerb, RecordsMakeTheNetworkThatItPromises) {
  const std::string records = TempPath("r.jsonl"), file = TempPath("r.json"),
                    net = TempPath("r.tsr"), plain = TempPath("plain.tsr");
  const std::string svg = TempPath("r.svg");
  const CommandResult tune =
      Tessera(Tune("--trials 60 --explain --curves " + svg + " --json " + file, records));
  ASSERT_EQ(tune.code, 0) << tune.output;
  EXPECT_THAT(tune.output,
              ContainsRegex("\nnetwork: [0-9]+[.][a-z]+ .* [(]otherwise [0-9.]+ % slower[)]"));
  EXPECT_THAT(Read(svg), HasSubstr("width=\"900px\" height=\"540px\""));
  EXPECT_THAT(Read(svg), HasSubstr("stroke:rgb(0%,44.705882%,69.803922%)")) << "network";
  EXPECT_THAT(Read(svg), HasSubstr("stroke:rgb(83.529412%,36.862745%,0%)")) << "layers";
  EXPECT_THAT(tune.output, ContainsRegex("\nnetwork +1 +"));
  EXPECT_THAT(tune.output, HasSubstr("--records " + records + " -o net.tsr uses them"));
  const json told = json::parse(Read(file));
  EXPECT_LT(told.at("cycles"), told.at("given"));
  const std::string compile = std::string("compile ") + kModel + " --target vta ";
  ASSERT_EQ(Tessera(compile + "-o " + plain).code, 0);
  EXPECT_EQ(CyclesOf(plain), told.at("given"));
  const CommandResult made =
      Tessera(std::string("compile ") + kModel + " --records " + records + " -o " + net);
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("records of 11 of 11 layers of the accelerator"));
  EXPECT_EQ(CyclesOf(net), told.at("cycles"));
  // By what the artifact says of itself, too.
  const std::string schedules = TempPath("r.txt"), again = TempPath("again.tsr");
  ASSERT_EQ(Tessera("info " + net + " --schedules > " + schedules + " #").code, 0);
  const CommandResult replayed =
      Tessera(std::string("compile ") + kModel + " --schedule " + schedules + " -o " + again);
  ASSERT_EQ(replayed.code, 0) << replayed.output;
  EXPECT_EQ(CyclesOf(again), told.at("cycles"));
  // The same numbers as the definition.
  const CommandResult same = Tessera(std::string("compare ") + net + " --devices cpu,cycle " +
                                     "--input " + kImages + " --first 3");
  EXPECT_EQ(same.code, 0) << same.output;
  const CommandResult other =
      Tessera(std::string("compile ") + kModel + " --target vta --config tiny --records " +
              records + " -o " + TempPath("tiny.tsr"));
  EXPECT_EQ(other.code, 0) << other.output;
  EXPECT_THAT(other.output, HasSubstr("for another machine, configuration 'default'"));
}

TEST(TuneVerb, EqualSearchesHaveEqualCurves) {
  for (const std::string end : {".svg", ".png"}) {
    std::string drawn[2];
    for (const char* name : {"first", "second"}) {
      const std::string records = TempPath(name + end + ".jsonl"), curves = TempPath(name + end);
      const CommandResult tune = Tessera(Tune("--trials 12 --curves " + curves, records));
      ASSERT_EQ(tune.code, 0) << tune.output;
      drawn[*name == 's'] = Read(curves);
    }
    EXPECT_GT(drawn[0].size(), 1000u);
    EXPECT_EQ(drawn[0], drawn[1]) << end;
  }
}

// The trials in the file |records|; its choices are none.
size_t TrialsIn(const std::string& records) {
  size_t trials = 0;
  std::istringstream lines(Read(records));
  for (std::string line; std::getline(lines, line);)
    trials += json::parse(line).contains("network") ? 0 : 1;
  return trials;
}

TEST(TuneVerb, SharesItsTrialsAsT4) {
  const std::string records = TempPath("t4.jsonl"), file = TempPath("t4.json");
  size_t before = 0;
  for (const char* resumed : {"", " --resume"}) {
    const CommandResult tune = Tessera(Tune("--trials 12 --t4 " + file + resumed, records));
    ASSERT_EQ(tune.code, 0) << tune.output;
    const json document = json::parse(Read(file));
    EXPECT_EQ(T4Problem(document), "");
    const json& results = document.at("results");
    EXPECT_EQ(results.size(), TrialsIn(records));
    EXPECT_GT(results.size(), before) << "those of the first search and more";
    before = results.size();
    for (const json& result : results) {
      EXPECT_EQ(result.at("task").at("config"), "default");
      EXPECT_NE(result.at("invalidity") == "correct", result.contains("failed"));
    }
  }
}

TEST(TuneVerb, GoesOnWhereASearchEnded) {
  const std::string records = TempPath("go.jsonl");
  // SIGINT: what was found is recorded.
  const CommandResult stopped =
      Tessera(Tune("--budget 1h", records), "timeout --preserve-status -s INT 4 ");
  EXPECT_EQ(stopped.code, 130) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("with the records"));
  const int64_t before = Lines(records);
  ASSERT_GT(before, 10);
  // SIGKILL: the last line may be cut.
  EXPECT_NE(Tessera(Tune("--budget 1h --resume", records), "timeout -s KILL 4 ").code, 0);
  const int64_t killed = Lines(records);
  EXPECT_GE(killed, before);
  const CommandResult bad = Tessera(Tune("--trials 5", records));
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.output, HasSubstr("has records already; go on with them with --resume"));
  const CommandResult on = Tessera(Tune("--trials 5 --resume", records));
  EXPECT_EQ(on.code, 0) << on.output;
  EXPECT_THAT(on.output, ContainsRegex("[0-9,]+ trials were known from "));
}

TEST(TuneVerb, ADamagedLineIsLeftOut) {
  const std::string records = TempPath("damaged.jsonl");
  ASSERT_EQ(Tessera(Tune("--trials 8", records)).code, 0);
  std::string text = Read(records);
  text.insert(text.find('\n') + 1, "{\"layer\": 3\n");
  const std::string damaged = Write("damaged2.jsonl", text);
  const CommandResult on = Tessera(Tune("--trials 2 --resume", damaged));
  EXPECT_EQ(on.code, 0) << on.output;
  EXPECT_THAT(on.output, HasSubstr("damaged2.jsonl:2: "));
}

TEST(TuneVerb, LearnsFromOtherSearches) {
  const std::string learn = "--model xgboost --strategy descent --seed 3 ";
  const std::string model = TempPath("first.model"), more = TempPath("more.model");
  const CommandResult first =
      Tessera(Tune(learn + "--trials 100 --save-model " + model, TempPath("first.jsonl")));
  if (first.output.find("without libxgboost") != std::string::npos)
    GTEST_SKIP() << "this build is without libxgboost";
  ASSERT_EQ(first.code, 0) << first.output;
  EXPECT_THAT(first.output, ContainsRegex(model + ": the model has learned from [0-9]+ trials; "
                                                  "--load-model uses it\n"));
  // Another machine's search goes on from it, and the same way twice, whatever the workers are.
  const std::string tiny = learn + "--config tiny --trials 60 --load-model " + model;
  std::string records[2];
  for (const int workers : {1, 3}) {
    const std::string file = TempPath("tiny.jsonl"), words = fmt::format(" --workers {}", workers);
    std::filesystem::remove(file);
    const CommandResult then = Tessera(Tune(tiny + words + " --save-model " + more, file));
    ASSERT_EQ(then.code, 0) << then.output;
    records[workers / 3] = Read(file);
  }
  EXPECT_EQ(records[0], records[1]);
  const auto trials = [](const std::string& file) {
    const std::string text = Read(file);
    return json::parse(text.substr(0, text.find('\n'))).at("trials").size();
  };
  EXPECT_GT(trials(more), trials(model));
}

TEST(TuneVerb, BadInputIsOneLine) {
  const std::string records = TempPath("bad.jsonl");
  const auto expect = [&](const std::string& command, const std::string& says,
                          const std::string& before = "") {
    const CommandResult r = Tessera(command, before);
    EXPECT_EQ(r.code, 2) << command << "\n" << r.output;
    EXPECT_THAT(r.output, HasSubstr(says)) << command;
    EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << r.output;
  };
  expect(Tune("--budget 0s", records), "--budget '0s': give a whole number and a unit");
  expect(Tune("--trials 0", records), "--trials: '0' is not a count");
  expect(Tune("--min-gain 200", records), "--min-gain: Value 200 not in range");
  expect(Tune("--target fpga", records), "--target fpga: schedules are searched for one of vta");
  expect(Tune("--strategy luck", records), "no strategy 'luck'; there are random");
  expect(Tune("--model luck", records), "no model 'luck'; the models are");
  expect(Tune("--load-model x --model prior", records),
         "--load-model: model 'prior' does not learn; give --model xgboost");
  expect(Tune("--save-model x --model none", records), "--save-model: model 'none' does not learn");
  const std::string learn = "--model xgboost --trials 3 ";
  const std::string absent = "without libxgboost";
  const bool has =
      Tessera(Tune(learn + "--save-model /nonexistent/x", records)).output.find(absent) ==
      std::string::npos;
  const std::string text = Write("text.model", "{}");
  expect(Tune(learn + "--save-model /nonexistent/x", records),
         has ? "/nonexistent/x: cannot create" : absent);
  expect(Tune(learn + "--load-model /nonexistent/x", records),
         has ? "/nonexistent/x: cannot open" : absent);
  expect(Tune(learn + "--load-model " + text, records),
         has ? text + ": is no model of tessera tune" : absent);
  expect(Tune("--trials 3", "/nonexistent/r.jsonl"), "/nonexistent/r.jsonl: cannot write records");
  expect(Tune("--trials 3 --curves /nonexistent/x.svg", records),
         "/nonexistent/x.svg: cannot create");
  expect(Tune("--trials 3 --t4 /nonexistent/x", records), "/nonexistent/x: cannot create");
  expect(Tune("--trials 3 --curves x.pdf", records),
         "x.pdf: curves are drawn as SVG or PNG; give a file whose name ends in .svg or .png");
  expect(Tune("--trials 3", "/dev/full"), "/dev/full: cannot write records");
  const std::string held = TempPath("held.jsonl");
  expect(Tune("--trials 3", held), "another search writes to it", "flock " + held + " ");
  expect(std::string("compile ") + kModel + " --records /nonexistent/r -o " + TempPath("x.tsr"),
         "/nonexistent/r");
}

}  // namespace
}  // namespace tessera::test::tune_test
