// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tessera tune --target cpu and compile --records for the host as a user runs them:
// what is recorded is used, layer by layer, and the network computes the same; a search goes on
// where an interrupted one ended; a damaged line; records for another processor, level or version
// are not used, which is said; bad input gives one line. Space: one network, a few trials. Not
// tested here: candidates that crash, hang or are wrong (tests/compiler/tune/host_test.cc); how
// fast anything is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "runtime/tensor/picture.h"
#include "tests/tools/command.h"

namespace tessera::test::tune_host_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string TuneHost(const std::string& options, const std::string& records) {
  return std::string("tune ") + kModel + " --target cpu " + options + " -o " + records;
}

std::string CompileBy(const std::string& records, const std::string& target,
                      const std::string& net) {
  return std::string("compile ") + kModel + " --target " + target + " --records " + records +
         " -o " + net;
}

std::vector<json> RecordsIn(const std::string& file) {
  std::vector<json> records;
  std::istringstream lines(Read(file));
  for (std::string line; std::getline(lines, line);) records.push_back(json::parse(line));
  return records;
}

// Small records of the network, made once.
const std::string& Recorded() {
  static const std::string records = [] {
    const std::string file = TempPath("host.jsonl");
    const CommandResult tune = Tessera(TuneHost("--trials 40 --seed 3", file));
    EXPECT_EQ(tune.code, 0) << tune.output;
    EXPECT_THAT(tune.output, ContainsRegex("\nnetwork: [0-9,]+ ns as the compiler schedules it, "
                                           "[0-9,]+ ns with the records: [0-9.]+ times as fast"));
    EXPECT_THAT(tune.output, HasSubstr("--target cpu --records " + file + " -o net.tsr uses them"));
    return file;
  }();
  return records;
}

TEST(TuneHost, RecordsAreUsedByCompile) {
  int64_t trials = 0;
  std::set<std::string> chosen;
  for (const json& record : RecordsIn(Recorded())) {
    EXPECT_EQ(record.at("target"), "host");
    EXPECT_FALSE(record.contains("cycles"));
    EXPECT_TRUE(record.contains("ns")) << record;
    if (record.contains("network")) chosen.insert(record.at("name"));
    trials += !record.contains("network");
  }
  EXPECT_EQ(trials, 32) << "the rest of the budget measures the best ones again";
  const std::string net = TempPath("host.tsr");
  const CommandResult made = Tessera(CompileBy(Recorded(), "cpu", net));
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr(": records of 11 of 11 layers of the host"));
  EXPECT_THAT(made.output, HasSubstr("  stem_conv/Conv: a record: "));
  EXPECT_EQ(chosen.size(), 11u);
  // The accelerator's layers, too, have a form on the host. Its records are not asked for.
  const std::string both = TempPath("both.tsr");
  const CommandResult mixed = Tessera(CompileBy(Recorded(), "cpu,vta", both));
  ASSERT_EQ(mixed.code, 0) << mixed.output;
  EXPECT_THAT(mixed.output, ContainsRegex(": records of [1-9][0-9]* of [0-9]+ layers of the host"));
  EXPECT_THAT(mixed.output, ::testing::Not(HasSubstr("layers of the accelerator")));
  const CommandResult same =
      Tessera("compare " + both + " --devices cpu,cycle --input " + kImages + " --first 3");
  EXPECT_EQ(same.code, 0) << same.output;
}

TEST(TuneHost, TellsWhatItFound) {
  const std::string records = TempPath("told.jsonl"), file = TempPath("told.json"),
                    png = TempPath("told.png");
  const CommandResult tune =
      Tessera(TuneHost("--trials 30 --strategy random --workers 2 --explain "
                       "--curves " +
                           png + " --json " + file,
                       records));
  ASSERT_EQ(tune.code, 0) << tune.output;
  EXPECT_THAT(tune.output, HasSubstr("\nstem_conv/Conv: "));
  // The first trial is the compiler's choice, so each layer has a sketch with a time.
  EXPECT_THAT(tune.output, ContainsRegex("\nstem_conv/Conv: sketch [a-z_]+ takes [0-9,]+ ns"));
  const auto picture = ReadPicture(png);
  ASSERT_TRUE(picture) << picture.error().message;
  EXPECT_EQ(picture->shape, (std::vector<int64_t>{540, 900, 3}));
  const json told = json::parse(Read(file));
  EXPECT_GT(told.at("given"), 0);
  EXPECT_GT(told.at("ns"), 0);
  EXPECT_FALSE(told.contains("cycles"));
  EXPECT_EQ(told.at("tasks").size(), 11u);
  EXPECT_EQ(told.at("failed"), 0);
}

TEST(TuneHost, GoesOnWhereASearchEnded) {
  const std::string records = TempPath("go.jsonl");
  const CommandResult stopped =
      Tessera(TuneHost("--budget 1h", records), "timeout --preserve-status -s INT 5 ");
  EXPECT_EQ(stopped.code, 130) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("with the records"));
  const size_t before = RecordsIn(records).size();
  ASSERT_GT(before, 0u);
  const CommandResult on = Tessera(TuneHost("--trials 20 --resume", records));
  EXPECT_EQ(on.code, 0) << on.output;
  EXPECT_THAT(on.output, ContainsRegex("[0-9,]+ trials were known from "));
  std::set<std::string> trials;
  size_t all = 0;
  for (json record : RecordsIn(records)) {
    if (record.contains("network")) continue;
    record.erase("ns");
    trials.insert(record.dump());
    ++all;
  }
  EXPECT_EQ(trials.size(), all) << "measured again";
}

TEST(TuneHost, ADamagedLineIsLeftOut) {
  std::string text = Read(Recorded());
  text.insert(text.find('\n') + 1, "{\"layer\": 3\n");
  const std::string damaged = Write("host_damaged.jsonl", text);
  const CommandResult made = Tessera(CompileBy(damaged, "cpu", TempPath("damaged.tsr")));
  EXPECT_EQ(made.code, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("host_damaged.jsonl:2: "));
  EXPECT_THAT(made.output, HasSubstr(": records of 11 of 11 layers of the host"));
}

TEST(TuneHost, RecordsOfOtherMachinesAreNotUsed) {
  const auto expect = [](const char* member, const std::string& value, const std::string& says) {
    std::string text;
    for (json record : RecordsIn(Recorded())) {
      record[member] = value;
      text += record.dump() + "\n";
    }
    const CommandResult made =
        Tessera(CompileBy(Write("other.jsonl", text), "cpu", TempPath("other.tsr")));
    EXPECT_EQ(made.code, 0) << made.output;
    EXPECT_THAT(made.output, HasSubstr("11 layers have records " + says));
    EXPECT_THAT(made.output, HasSubstr(": records of 0 of 11 layers of the host"));
  };
  expect("processor", "Z80", "for another processor, 'Z80', which are not used");
  expect("config_hash", "0123456789abcdef", "for another machine, level '");
  expect("steps", "0123456789abcdef", "in another version of the language of schedules");
}

TEST(TuneHost, BadInputIsOneLine) {
  const auto expect = [](const std::string& command, const std::string& says) {
    const CommandResult r = Tessera(command);
    EXPECT_EQ(r.code, 2) << command << "\n" << r.output;
    EXPECT_THAT(r.output, HasSubstr(says)) << command;
    EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << r.output;
  };
  expect(TuneHost("--model wrong", TempPath("bad.jsonl")), "no model 'wrong'");
}

}  // namespace
}  // namespace tessera::test::tune_host_test
