// SPDX-License-Identifier: Apache-2.0
//
// What is tested: records as text there and back, trials, failures and choices; each kind of
// damaged line, reported by its number, with the lines around it used; the line that a killed
// search leaves; deduplication; which record is used; the log: appending, resuming, its lock, a
// full disk, a file that cannot be made. Keys: equal layers have equal keys whatever their names,
// other machines and other layers have other keys. Not tested here: what a search records
// (search_test.cc).
#include "compiler/tune/record.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "compiler/tune/record_log.h"
#include "tests/compiler/tune/tune_test_net.h"

namespace tessera::tune::record_test {
namespace {

Record Example(uint64_t cycles, int64_t rows = 13) {
  Record record{.key = {1, 2, "accelerator", "default", 3, 4, 5}, .name = "conv"};
  record.picks["rows"] = rows;
  record.picks["order"] = schedule::Choice(std::vector<std::string>{"y.o", "x.o"});
  record.cycles = cycles;
  return record;
}

TEST(Records, AreTextThereAndBack) {
  Record failed = Example(0);
  failed.cycles.reset();
  failed.cause = "OutOfRange";
  failed.message = "conv \"x\": INP is\nfull";
  Record chosen = Example(77);
  chosen.network = 0xfeedu;
  for (const Record& record : {Example(12), failed, chosen}) {
    const std::string line = Print(record);
    EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
    const auto read = ParseRecord(line);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->key, record.key);
    EXPECT_EQ(read->key.config, "default");
    EXPECT_EQ(read->picks, record.picks);
    EXPECT_EQ(read->cycles, record.cycles);
    EXPECT_EQ(read->cause, record.cause);
    EXPECT_EQ(read->message, record.message);
    EXPECT_EQ(read->network, record.network);
    EXPECT_EQ(Print(*read), line);
  }
}

TEST(Records, DamagedLinesAreNamedAndLeftOut) {
  const std::string good = Print(Example(12, 1)), other = Print(Example(13, 2));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    const size_t at = line.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return line.replace(at, from.size(), to);
  };
  const std::pair<std::string, const char*> damaged[] = {
      {"{\"layer\":\n", "not a JSON object"},
      {"[1]\n", "not a JSON object"},
      {with("\"layer\"", "\"leyer\""), "\"layer\" has to be a text"},
      {with("0000000000000003", "3"), "\"config_hash\" has to be 16 hexadecimal digits"},
      {with("\"rows\":1", "\"rows\":1.5"), "\"picks\" has to be numbers and lists of words"},
      {with("\"y.o\"", "7"), "\"picks\" has to be numbers and lists of words"},
      {with("\"cycles\":12", "\"cycles\":-1"), "\"cycles\" has to be a whole number from 0 on"},
      {with("\"cycles\":12", "\"cycle\":12"), "\"failed\" has to be a text"},
  };
  for (const auto& [line, problem] : damaged) {
    const RecordFile file = ParseRecords(good + line + other, "r.jsonl");
    EXPECT_EQ(file.records.all().size(), 2u) << line;
    ASSERT_EQ(file.problems.size(), 1u) << line;
    EXPECT_NE(file.problems[0].find("r.jsonl:2: "), std::string::npos) << file.problems[0];
    EXPECT_NE(file.problems[0].find(problem), std::string::npos) << file.problems[0];
  }
  const RecordFile cut = ParseRecords(good + other.substr(0, 40), "r.jsonl");
  EXPECT_EQ(cut.records.all().size(), 1u);
  ASSERT_EQ(cut.problems.size(), 1u);
  EXPECT_NE(cut.problems[0].find("r.jsonl:2: the last line has no end"), std::string::npos);
}

TEST(Records, SaySomethingOnce) {
  RecordSet set;
  set.Add(Example(12));
  set.Add(Example(12));
  EXPECT_EQ(set.all().size(), 1u);
  Record failed = Example(0);
  failed.cycles.reset();
  set.Add(failed);  // the machine was busy, say: the trial with cycles stays
  EXPECT_EQ(set.all()[0].cycles, 12u);
  set.Add(Example(9, 7));
  EXPECT_EQ(set.all().size(), 2u);
  EXPECT_EQ(set.TrialsOf(Example(0).key).size(), 2u);
}

TEST(Records, ChoiceForTheNetworkComesFirst) {
  RecordSet set;
  EXPECT_EQ(set.BestOf(Example(0).key, 1), nullptr);
  set.Add(Example(12, 1));
  set.Add(Example(9, 2));
  EXPECT_EQ(set.BestOf(Example(0).key, 1)->cycles, 9u);
  Record chosen = Example(5000, 1);
  chosen.network = 2;
  set.Add(chosen);
  EXPECT_EQ(set.BestOf(Example(0).key, 1)->cycles, 5000u);
  chosen.network = 1;
  chosen.cycles = 6000;
  set.Add(chosen);
  EXPECT_EQ(set.BestOf(Example(0).key, 1)->cycles, 6000u);
  EXPECT_EQ(set.BestOf(Example(0).key, 2)->cycles, 5000u);
  EXPECT_EQ(set.BestOf(Example(0).key, 3)->cycles, 6000u) << "the last choice for any network";
  chosen.network = 2;
  chosen.cycles = 4900;
  set.Add(chosen);
  EXPECT_EQ(set.BestOf(Example(0).key, 3)->cycles, 4900u);
  EXPECT_EQ(set.BestOf(Example(0).key, 1)->cycles, 6000u);
  TaskKey other = Example(0).key;
  other.config_hash = 99;
  EXPECT_EQ(set.BestOf(other, 1), nullptr);
  ASSERT_NE(set.ForAnother(other), nullptr);
  EXPECT_EQ(set.ForAnother(Example(0).key), nullptr);
}

class RecordLogFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("records_" + std::to_string(getpid()) + ".jsonl"))
          .string();
};

TEST_F(RecordLogFile, GoesOnWhereASearchWasKilled) {
  RecordFile found;
  {
    auto log = RecordLog::Open(path_, false, &found);
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_TRUE(log->Append(Example(12, 1)));
    ASSERT_TRUE(log->Append(Example(13, 2)));
  }
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 5);
  {
    const auto again = RecordLog::Open(path_, false, &found);
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().message.find("--resume"), std::string::npos) << again.error().message;
  }
  {
    auto log = RecordLog::Open(path_, true, &found);
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ(found.records.all().size(), 1u);
    EXPECT_EQ(found.problems.size(), 1u);
    ASSERT_TRUE(log->Append(Example(14, 3)));
  }
  const auto file = ReadRecords(path_);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->records.all().size(), 2u);
  EXPECT_TRUE(file->problems.empty());
}

TEST_F(RecordLogFile, HasOneSearchAtATime) {
  RecordFile found;
  const auto log = RecordLog::Open(path_, true, &found);
  ASSERT_TRUE(log) << log.error().message;
  const auto second = RecordLog::Open(path_, true, &found);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find(path_ + ": another search writes to it"), std::string::npos)
      << second.error().message;
}

TEST(RecordLog, SaysThatTheDiskIsFull) {
  RecordFile found;
  auto log = RecordLog::Open("/dev/full", true, &found);
  if (!log) GTEST_SKIP() << "/dev/full: " << log.error().message;
  const Status full = log->Append(Example(1));
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("--resume"), std::string::npos) << full.error().message;
}

TEST(RecordLog, SaysThatAFileCannotBeMade) {
  RecordFile found;
  const auto log = RecordLog::Open("/nowhere/records.jsonl", true, &found);
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().message.find("/nowhere/records.jsonl: cannot write records"),
            std::string::npos);
}

TEST(TaskKeys, TellLayersAndMachinesApartButNoNames) {
  const isa::Config config = test::NamedConfig("default");
  const std::vector<Task> tasks = test::TuneTasks(config);
  int64_t layers = 0;
  for (const Task& task : tasks) {
    layers += task.weight;
    for (const Task& other : tasks) EXPECT_EQ(task.key == other.key, &task == &other);
  }
  EXPECT_EQ(layers, 6);
  graph::Graph renamed = test::TuneGraph();
  for (graph::GraphTensor& tensor : renamed.tensors) tensor.name = "z/" + tensor.name + ".sum";
  for (graph::Node& node : renamed.nodes) node.name += "_x";
  const auto others = TasksOf(test::TunePrograms(config, renamed), config);
  ASSERT_TRUE(others) << others.error().message;
  ASSERT_EQ(others->size(), tasks.size());
  for (size_t t = 0; t < tasks.size(); ++t) {
    EXPECT_NE((*others)[t].name, tasks[t].name);
    EXPECT_EQ((*others)[t].key, tasks[t].key);
  }
  const std::vector<Task> tiny = test::TuneTasks(test::NamedConfig("tiny"));
  for (const Task& task : tiny) {
    for (const Task& other : tasks) EXPECT_NE(task.key, other.key);
  }
}

}  // namespace
}  // namespace tessera::tune::record_test
