// SPDX-License-Identifier: Apache-2.0
//
// What is tested: trials as T4 documents. A search whose every third trial fails: what the schema
// asks for (t4_schema.h), a result a trial, each with its picks and cycles or with the word and the
// cause of its failure. Records of the host, choices, no records, texts that are not UTF-8. The
// word for each cause. Not tested here: the option of the command (tests/tools/tune_test.cc).
#include "compiler/tune/t4.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "compiler/schedule/step.h"
#include "compiler/tune/search.h"
#include "tests/compiler/tune/t4_schema.h"
#include "tests/compiler/tune/tune_test_net.h"

namespace tessera::tune::t4_test {
namespace {

using nlohmann::json;

TEST(T4, HasEachTrialOfASearch) {
  const isa::Config config = test::NamedConfig("tiny");
  std::vector<Task> tasks = test::TuneTasks(config);
  SearchOptions options;
  options.strategy = "random";
  options.model = ModelKind::kNone;
  options.trials = 30;
  RecordSet records;
  std::vector<Record> trials;
  options.finished = [&](const Task& task, const Trial& trial) -> Status {
    trials.push_back(RecordOf(task, trial));
    records.Add(trials.back());
    return {};
  };
  std::atomic<uint64_t> calls = 0;
  auto search = Search::Make(&tasks, config, options,
                             [&](const Task&, const Point&, uint64_t) -> Result<uint64_t> {
                               const uint64_t call = ++calls;
                               if (call % 3 == 0) return Fail(Code::kOutOfRange, "INP is full");
                               return 1000 + call;
                             });
  ASSERT_TRUE(search) << search.error().message;
  ASSERT_TRUE(search->Run());
  ASSERT_EQ(trials.size(), 30u);
  const json document = json::parse(T4Of(records));
  EXPECT_EQ(test::T4Problem(document), "");
  EXPECT_EQ(document.at("schema_version"), "1.0.0");
  const json machines = {{{"config", "tiny"},
                          {"config_hash", fmt::format("{:016x}", config.Hash())},
                          {"isa", fmt::format("{:016x}", tasks[0].key.isa)}}};
  EXPECT_EQ(document.at("metadata").at("hardware").at("hardware_description"), machines);
  const json& results = document.at("results");
  ASSERT_EQ(results.size(), trials.size());
  int failed = 0;
  for (size_t k = 0; k < trials.size(); ++k) {
    const json& result = results[k];
    EXPECT_EQ(result.at("configuration").size(), trials[k].picks.size());
    for (const auto& [name, pick] : trials[k].picks) {
      const json& value = result.at("configuration").at(name);
      EXPECT_EQ(value.is_string() ? value.get<std::string>() : value.dump(), schedule::Print(pick));
    }
    EXPECT_EQ(result.at("times"), json::object()) << "no time is known";
    EXPECT_FALSE(result.contains("timestamp"));
    EXPECT_EQ(result.at("objectives"), json::array({"cycles"}));
    EXPECT_EQ(result.at("task").at("name"), trials[k].name);
    EXPECT_EQ(result.at("task").at("layer"), fmt::format("{:016x}", trials[k].key.layer));
    if (trials[k].cycles) {
      EXPECT_EQ(result.at("invalidity"), "correct");
      EXPECT_EQ(result.at("correctness"), 1);
      const json measured{{"name", "cycles"}, {"value", *trials[k].cycles}, {"unit", "cycles"}};
      EXPECT_EQ(result.at("measurements"), json::array({measured}));
      EXPECT_FALSE(result.contains("failed"));
    } else {
      ++failed;
      EXPECT_EQ(result.at("invalidity"), "constraints");
      EXPECT_EQ(result.at("correctness"), 0);
      EXPECT_FALSE(result.contains("measurements"));
      EXPECT_EQ(result.at("failed"), "OutOfRange");
      EXPECT_EQ(result.at("message"), "INP is full");
    }
  }
  EXPECT_EQ(failed, 10);
}

TEST(T4, HasTrialsOfTheHostAndNoChoices) {
  Record record{.key = {1, 2, "host", "x86-64-v3", 3, 0, 5, "A processor"}, .name = "conv"};
  record.picks["order"] = schedule::Choice(std::vector<std::string>{"y.o", "x.o"});
  record.picks["tile"] = 8;
  record.cycles = 1234;
  RecordSet records;
  records.Add(record);
  Record chosen = record;
  chosen.network = 7;
  records.Add(chosen);
  Record failed = record;
  failed.picks["tile"] = 9;
  failed.cycles.reset();
  failed.cause = "WrongResult";
  failed.message = "\xff";
  records.Add(failed);
  const json document = json::parse(T4Of(records));
  EXPECT_EQ(test::T4Problem(document), "");
  const json machine{
      {"config", "x86-64-v3"}, {"config_hash", "0000000000000003"}, {"processor", "A processor"}};
  EXPECT_EQ(document.at("metadata").at("hardware").at("hardware_description"),
            json::array({machine}));
  const json& results = document.at("results");
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].at("configuration"), (json{{"order", "y.o x.o"}, {"tile", 8}}));
  const json measured{{"name", "time"}, {"value", 1234}, {"unit", "ns"}};
  EXPECT_EQ(results[0].at("measurements"), json::array({measured}));
  EXPECT_EQ(results[0].at("objectives"), json::array({"time"}));
  EXPECT_EQ(results[1].at("invalidity"), "correctness");
  EXPECT_EQ(results[1].at("failed"), "WrongResult");
}

TEST(T4, OfNoRecordsHasNoResults) {
  const json document = json::parse(T4Of({}));
  EXPECT_EQ(test::T4Problem(document), "");
  EXPECT_TRUE(document.at("results").empty());
}

TEST(T4, HasTheSchemasWordForEachCause) {
  const std::pair<const char*, const char*> words[] = {{"Timeout", "timeout"},
                                                       {"WrongResult", "correctness"},
                                                       {"DataLoss", "correctness"},
                                                       {"OutOfRange", "constraints"},
                                                       {"InvalidArgument", "constraints"},
                                                       {"Unsupported", "compile"},
                                                       {"NotFound", "compile"},
                                                       {"Crashed", "runtime"},
                                                       {"OutOfMemory", "runtime"},
                                                       {"Deadlock", "runtime"},
                                                       {"Unavailable", "runtime"},
                                                       {"of a later version", "runtime"}};
  for (const auto& [cause, word] : words) EXPECT_STREQ(InvalidityOf(cause), word) << cause;
}

}  // namespace
}  // namespace tessera::tune::t4_test
