// SPDX-License-Identifier: Apache-2.0
//
// What is tested: each strategy finds the front of a space that is small enough to try every
// machine of it; halving runs fewer machines for it; equal seeds find equal machines with any
// number of workers; a search that goes on with its log ends as one that was never interrupted; a
// machine whose process crashes, hangs or says why it cannot be is a failed machine and no end;
// each message about a log. Space: made-up costs, whose predictions are off by up to 30 %. Not
// tested here: real costs (networks_test.cc), the command (tests/tools/explore_test.cc).
#include "explore/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/hash.h"

namespace tessera::explore::search_test {
namespace {

using ::testing::HasSubstr;

// The time of a made-up network: the array and the bus, one behind the other.
MachineCost CostFor(const isa::Config& c, Stage stage) {
  const double array = 1e6 / static_cast<double>(c.block_out * c.block_out);
  const double bus = 4e4 * 64 / static_cast<double>(c.bus_bits) *
                     (1 + 32.0 * 1024 / static_cast<double>(c.inp_bytes));
  double cycles = array + bus;
  if (stage == Stage::kPredict) {
    // Off by an amount that the figures decide.
    const double off = std::sin(static_cast<double>(c.Hash() % 1000)) * 0.05 + 0.25;
    cycles *= 1 - off;
  }
  return {.networks = {{.cycles = cycles, .accelerator = cycles / 1e8}}};
}

std::vector<SweptKey> Keys() {
  return *ParseSweep({"block=4..16,bus_bits=64..512,inp_kib=8..64,prm_depth=16,64"});
}

Explored Space() {
  const hw::Part part = *hw::LoadPart("xczu7ev");
  auto space = MachineSpace::Make(isa::Config(), Keys());
  auto explored = Explored::Make(std::move(*space), {isa::Config()}, part, {Goal::kMs, Goal::kLut});
  EXPECT_TRUE(explored.has_value()) << explored.error().message;
  return std::move(*explored);
}

ExploreOptions Options(const std::string& strategy, int64_t runs, uint64_t seed = 1) {
  return {.strategy = strategy, .seed = seed, .runs = runs, .workers = 2, .cost = CostFor};
}

Explored Found(const ExploreOptions& options) {
  Explored explored = Space();
  MachineSearch search({}, options, {}, &explored, nullptr);
  const Status ran = search.Run();
  EXPECT_TRUE(ran.has_value()) << ran.error().message;
  return explored;
}

std::vector<Values> ValuesOnFront(const Explored& explored) {
  std::vector<Values> values;
  for (const int64_t machine : explored.Front())
    values.push_back(explored.ValuesAt(machine, Stage::kRun));
  return values;
}

TEST(Search, HalvingFindsTheFrontOfTheWholeSpace) {
  const Explored all = Found(Options("grid", 0));
  EXPECT_EQ(all.With(Stage::kRun).size(), all.fitting().size() + 1);
  const Explored halving = Found(Options("halving", 0));
  EXPECT_EQ(ValuesOnFront(halving), ValuesOnFront(all));
  EXPECT_EQ(halving.Volume(), all.Volume());
  EXPECT_LT(halving.With(Stage::kRun).size(), 3 * all.With(Stage::kRun).size() / 4);
  EXPECT_EQ(halving.With(Stage::kPredict).size(), all.fitting().size() + 1);
}

TEST(Search, EveryStrategyEndsWithTheWholeSpace) {
  const Explored all = Found(Options("grid", 0));
  for (const char* strategy : {"nsga2", "bayesian", "random"}) {
    const Explored found = Found(Options(strategy, 0));
    EXPECT_EQ(found.With(Stage::kRun), all.With(Stage::kRun)) << strategy;
  }
}

TEST(Search, ModelsFindMoreThanRandomMachines) {
  double random = 0, halving = 0, bayesian = 0, nsga2 = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    random += Found(Options("random", 24, seed)).Volume();
    halving += Found(Options("halving", 24, seed)).Volume();
    bayesian += Found(Options("bayesian", 24, seed)).Volume();
    nsga2 += Found(Options("nsga2", 40, seed)).Volume();
  }
  EXPECT_GT(halving, random);
  EXPECT_GT(bayesian, random);
  EXPECT_GT(nsga2, 0);
}

TEST(Search, TheSeedDecides) {
  for (const char* strategy : {"halving", "nsga2", "bayesian", "random"}) {
    ExploreOptions options = Options(strategy, 32, 7);
    const Explored first = Found(options);
    options.workers = 1;
    EXPECT_EQ(Found(options).With(Stage::kRun), first.With(Stage::kRun)) << strategy;
    if (strategy == std::string("halving")) continue;  // it predicts all of this space
    EXPECT_NE(Found(Options(strategy, 32, 8)).With(Stage::kRun), first.With(Stage::kRun))
        << strategy;
  }
  EXPECT_EQ(MakeMachineStrategy("annealing", 1).error().message,
            "--search annealing: there are halving, nsga2, bayesian, random, grid");
}

TEST(Search, ABadMachineIsARowAndNoEnd) {
  ExploreOptions options = Options("grid", 0);
  options.machine_limit = std::chrono::seconds(1);
  options.cost = [](const isa::Config& c, Stage stage) -> MachineCost {
    if (c.bus_bits == 64 && c.block_out == 4) std::abort();
    if (c.bus_bits == 512 && c.block_out == 8 && c.inp_bytes == 8 << 10 && c.prm_depth == 16)
      std::this_thread::sleep_for(std::chrono::seconds(60));
    if (c.bus_bits == 128) return {.networks = {}, .cause = "net: INP is too small"};
    return CostFor(c, stage);
  };
  Explored explored = Space();
  MachineSearch search({}, options, {}, &explored, nullptr);
  ASSERT_TRUE(search.Run().has_value());
  std::set<std::string> causes;
  for (const int64_t machine : explored.fitting()) {
    ASSERT_TRUE(explored.Knows(machine, Stage::kRun));
    causes.insert(explored.Of(machine).ran->cause.substr(0, 32));
  }
  EXPECT_THAT(causes, ::testing::UnorderedElementsAre("", "net: INP is too small",
                                                      "the process ended by signal 6 (A",
                                                      "the process took more than 1 s"));
  EXPECT_GT(search.now().failed, 0);
}

TEST(Search, WithoutAnyMachineThatWorksItSaysWhy) {
  ExploreOptions options = Options("random", 4);
  options.cost = [](const isa::Config&, Stage) {
    return MachineCost{.networks = {}, .cause = "net: no layer is for it"};
  };
  Explored explored = Space();
  MachineSearch search({}, options, {}, &explored, nullptr);
  const Status ran = search.Run();
  ASSERT_FALSE(ran.has_value());
  EXPECT_EQ(ran.error().code, Code::kUnsupported);
  EXPECT_THAT(ran.error().message, HasSubstr("the first: "));
  EXPECT_THAT(ran.error().message, HasSubstr("net: no layer is for it"));
}

TEST(Search, APartThatIsTooSmallIsNamed) {
  hw::Part part = *hw::LoadPart("xc7z020");
  part.bram18 = 10;
  const auto explored =
      Explored::Make(*MachineSpace::Make(isa::Config(), Keys()), {}, part, {Goal::kMs});
  ASSERT_FALSE(explored.has_value());
  EXPECT_EQ(explored.error().code, Code::kOutOfRange);
  EXPECT_THAT(explored.error().message, HasSubstr("part xc7z020 is too small for each of 96"));
  EXPECT_THAT(explored.error().message, ::testing::ContainsRegex("BRAM18: [0-9]+ of 10, [0-9]+ %"));
  part = *hw::LoadPart("lfe5u-85f");
  const auto other =
      Explored::Make(*MachineSpace::Make(isa::Config(), Keys()), {}, part, {Goal::kMs});
  ASSERT_FALSE(other.has_value());
  EXPECT_THAT(other.error().message, HasSubstr("family ecp5"));
}

class Logs : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) { return folder_ + "/" + name; }
  std::string Text(const std::string& path) {
    const auto bytes = ReadFile(path);
    return bytes ? std::string(bytes->begin(), bytes->end()) : "";
  }
  // The search of |options| with the log at |path|.
  Explored Logged(const std::string& path, const ExploreOptions& options, bool resume,
                  int64_t* known = nullptr) {
    Explored explored = Space();
    KnownAnswers answers;
    auto log = ExploreLog::Open(path, identity_, resume, &answers);
    EXPECT_TRUE(log.has_value()) << log.error().message;
    if (!log) return explored;
    MachineSearch search({}, options, std::move(answers), &explored, &*log);
    EXPECT_TRUE(search.Run().has_value());
    if (known != nullptr) *known = search.now().known;
    return explored;
  }

  const std::string folder_ =
      std::filesystem::temp_directory_path() / ("explore_" + std::to_string(getpid()));
  SearchIdentity identity_{.sweep = "block=4",
                           .base = "b",
                           .networks = "n",
                           .part = "p",
                           .objective = "ms,lut",
                           .strategy = "halving",
                           .seed = "1"};
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(Logs, AResumedSearchEndsAsOneThatWasNeverInterrupted) {
  const Explored whole = Logged(Path("whole"), Options("halving", 0), false);
  // Interrupted after |answers| answers, and in the middle of a line.
  for (const int answers : {3, 60, 105}) {
    const std::string path = Path("part" + std::to_string(answers));
    std::string text = Text(Path("whole"));
    size_t end = 0;
    for (int line = 0; line <= answers; ++line) end = text.find('\n', end) + 1;
    ASSERT_TRUE(WriteFile(path, text.substr(0, end + 20)).has_value());
    int64_t known = 0;
    const Explored resumed = Logged(path, Options("halving", 0), true, &known);
    EXPECT_EQ(known, answers);
    EXPECT_EQ(resumed.With(Stage::kRun), whole.With(Stage::kRun));
    EXPECT_EQ(resumed.Front(), whole.Front());
    EXPECT_EQ(std::ranges::count(Text(path), '\n'), std::ranges::count(text, '\n'));
  }
}

TEST_F(Logs, AnotherSearchIsRefused) {
  Logged(Path("log"), Options("random", 2), false);
  KnownAnswers known;
  const auto error = [&](const SearchIdentity& identity, bool resume) {
    const auto log = ExploreLog::Open(Path("log"), identity, resume, &known);
    return log ? std::string("it opened") : log.error().message;
  };
  EXPECT_THAT(error(identity_, false),
              HasSubstr("has answers already; go on with them with --res"));
  const std::pair<std::string SearchIdentity::*, const char*> members[] = {
      {&SearchIdentity::sweep, "sweep"},
      {&SearchIdentity::base, "base"},
      {&SearchIdentity::networks, "networks"},
      {&SearchIdentity::part, "part"},
      {&SearchIdentity::objective, "objective"},
      {&SearchIdentity::strategy, "search"},
      {&SearchIdentity::seed, "seed"}};
  for (const auto& [member, name] : members) {
    SearchIdentity other = identity_;
    other.*member = "other";
    EXPECT_THAT(error(other, true), HasSubstr(std::string("another search: ") + name + " is \""));
  }
  ASSERT_TRUE(WriteFile(Path("log"), std::string_view("hello\n")).has_value());
  EXPECT_THAT(error(identity_, true), HasSubstr("it is no log of `tessera explore 1`"));
  Logged(Path("new"), Options("random", 2), false);
  std::string text = Text(Path("new"));
  text.insert(text.find('\n') + 1, "{\"machine\":1}\n");
  ASSERT_TRUE(WriteFile(Path("log"), text).has_value());
  EXPECT_THAT(error(identity_, true),
              HasSubstr("log:2: it is no answer of a search; delete the li"));
}

TEST_F(Logs, AFullDiskIsOneLine) {
  KnownAnswers known;
  const auto full = ExploreLog::Open("/dev/full", identity_, true, &known);
  ASSERT_FALSE(full.has_value());
  EXPECT_THAT(full.error().message, HasSubstr("/dev/full: cannot write answers: No space left"));
  EXPECT_THAT(full.error().message, HasSubstr("make room and go on with --resume"));
}

}  // namespace
}  // namespace tessera::explore::search_test
