// SPDX-License-Identifier: Apache-2.0
//
// What is tested: tessera explore as a user runs it: the files that it leaves, whose front has
// stage run and whose configurations `place --exact` takes unchanged with the same cycles; a search
// that goes on after Ctrl-C and after a torn line; --explain; each message about bad input. Space:
// the committed network on a few machines; on the RTL a machine that this build has. Not tested
// here: the search (tests/explore), synthesis (minutes).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/command.h"

namespace tessera::test::explore_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kSweep = " --sweep block=8,16,bus_bits=64,128 ";

std::string Explore(const std::string& options, const std::string& folder) {
  return std::string("explore ") + kModel + " " + options + " -o " + folder;
}

std::vector<std::vector<std::string>> Csv(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(Read(path));
  for (std::string line, cell; std::getline(text, line);) {
    rows.emplace_back();
    std::istringstream cells(line + ",");
    while (std::getline(cells, cell, ',')) rows.back().push_back(cell);
  }
  return rows;
}

TEST(ExploreVerb, LeavesAFrontOfMachinesThatRan) {
  const std::string folder = TempPath("out");
  const CommandResult r = Tessera(Explore(kSweep + "--budget 5m", folder));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("4 machines, 4 legal, 4 fit xc7z020\n"));
  EXPECT_THAT(r.output, ContainsRegex("\nstage run: 5 machines, [0-9,]+ a minute on one core\n"));
  EXPECT_THAT(r.output, ContainsRegex("\ndefault +the base +run +[0-9.]+ +- +100 +"));
  EXPECT_THAT(r.output, ContainsRegex("\nhypervolume: 0[.][0-9]+ of the box from 0 to ms "
                                      "[0-9.]+, lut 53200\n"));
  EXPECT_THAT(r.output, ContainsRegex("\nThe fastest machine of the front is n1b16.*It is limited "
                                      "by the array"));
  EXPECT_THAT(r.output, ContainsRegex("\nkey +change +ms, predicted +LUT, predicted +cycles a LUT "
                                      "saves +fits\n"));
  EXPECT_THAT(r.output, HasSubstr("\nblock "));
  const json points = json::parse(Read(folder + "/points.json"));
  ASSERT_GE(points["front"].size(), 2u);
  for (const json& machine : points["front"]) {
    EXPECT_EQ(machine["stage"], "run");
    EXPECT_EQ(machine["area"]["stage"], "predict");
    const std::string config = folder + "/" + machine["name"].get<std::string>() + ".json";
    const CommandResult placed =
        Tessera(std::string("place ") + kModel + " --exact --json - --config " + config);
    ASSERT_EQ(placed.code, 0) << placed.output;
    const json metrics = json::parse(placed.output)["results"][0]["metrics"];
    EXPECT_EQ(metrics.back()["value"], machine["networks"][0]["cycles"]);
  }
  const auto csv = Csv(folder + "/points.csv");
  ASSERT_EQ(csv.size(), 1u + 4 + 1);
  for (const auto& row : csv) EXPECT_EQ(row.size(), csv[0].size());
  EXPECT_EQ(csv[0][1], "stage");
  EXPECT_EQ(csv[1][1], "run");
  EXPECT_THAT(Read(folder + "/front.svg"), HasSubstr("width=\"900px\" height=\"540px\""));
  EXPECT_THAT(Read(folder + "/front.png"), HasSubstr("PNG"));
  EXPECT_THAT(Read(folder + "/sensitivities.csv"), HasSubstr(",block,16,8,"));

  const CommandResult again = Tessera(Explore(kSweep + "--budget 5m", folder));
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.output, HasSubstr("has answers already; go on with them with --resume"));
  const CommandResult resumed = Tessera(Explore(kSweep + "--budget 5m --resume", folder));
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  EXPECT_THAT(resumed.output, HasSubstr("\n10 answers were known from "));
  EXPECT_EQ(json::parse(Read(folder + "/points.json"))["front"], points["front"]);
  const CommandResult other = Tessera(Explore("--sweep block=8 --budget 5m --resume", folder));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.output, HasSubstr("it is the log of another search: sweep is \"block=8,16"));
}

TEST(ExploreVerb, SearchesSchedulesForTheFront) {
  const std::string folder = TempPath("tuned");
  const std::string command =
      Explore("--sweep block=16,bus_bits=64,128 --budget 5m --tune 1 --tune-budget 2s", folder);
  const CommandResult r = Tessera(command);
  ASSERT_EQ(r.code, 0) << r.output;
  const json points = json::parse(Read(folder + "/points.json"));
  int tuned = 0;
  for (const json& machine : points["points"]) {
    if (!machine.contains("tuned_ms")) continue;
    ++tuned;
    const std::string name = machine["name"], config = folder + "/" + name + ".json";
    const double cycles = machine["networks"][0]["tuned_cycles"];
    EXPECT_LE(cycles, machine["networks"][0]["cycles"]) << name;
    EXPECT_LE(machine["tuned_ms"], machine["ms"]) << name;
    // The records give these cycles.
    const std::string net = TempPath("tuned.tsr"), file = TempPath("tuned.json");
    const CommandResult made =
        Tessera(fmt::format("compile {} --target vta --config {} --records "
                            "{}/{}.fashion_int8.jsonl -o {}",
                            kModel, config, folder, name, net));
    ASSERT_EQ(made.code, 0) << made.output;
    const CommandResult ran = Tessera(
        fmt::format("run {} --device cycle --input {} --first 1 --json {}", net, kImages, file));
    ASSERT_EQ(ran.code, 0) << ran.output;
    EXPECT_EQ(json::parse(Read(file))["cycles"], cycles) << Read(file);
  }
  EXPECT_GE(tuned, 2);  // one of the front, and the base
  const std::string log = Read(folder + "/answers.jsonl");
  EXPECT_THAT(log, HasSubstr("\"stage\":\"tune\""));
  ASSERT_EQ(Tessera(command + " --resume").code, 0);
  EXPECT_EQ(Read(folder + "/answers.jsonl"), log);
  EXPECT_EQ(json::parse(Read(folder + "/points.json")), points);
  const CommandResult bad = Tessera(Explore("--tune 1 --tune-budget 2", TempPath("none")));
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.output, HasSubstr("--tune-budget '2': give a whole number and a unit"));
}

TEST(ExploreVerb, ProvesAMachineOnTheRtl) {
  const std::string folder = TempPath("proven");
  const std::string command = Explore("--sweep bus_bits=64 --runs 1 --prove 1", folder);
  const CommandResult r = Tessera(command);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output,
              ContainsRegex("\nstage prove: n1b16[^ ]*: 8 random programs and 1 networks: "
                            "equal results and cycles on rtl and cycle\n"));
  EXPECT_THAT(r.output, ContainsRegex("\nn1b16[^ ]* +front +prove "));
  EXPECT_EQ(json::parse(Read(folder + "/points.json"))["front"][0]["stage"], "prove");
  const CommandResult resumed = Tessera(command + " --resume");
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  EXPECT_THAT(resumed.output, Not(HasSubstr("stage prove: ")));
  EXPECT_THAT(resumed.output, ContainsRegex("\nn1b16[^ ]* +front +prove "));
}

TEST(ExploreVerb, AnInterruptedSearchKeepsWhatItHas) {
  const std::string folder = TempPath("cut");
  // SIGINT when the log has some answers.
  const CommandResult r = Tessera(
      Explore("--seed 3 --budget 1h", folder),
      "(until [ \"$(wc -l < " + folder +
          "/answers.jsonl)\" -gt 9 ]; do sleep 0.1; done; kill -INT $$) 2>/dev/null & exec ");
  EXPECT_EQ(r.code, 130) << r.output;
  EXPECT_THAT(r.output, HasSubstr("interrupted"));
  const json points = json::parse(Read(folder + "/points.json"));
  const std::string log = Read(folder + "/answers.jsonl");
  EXPECT_GE(std::ranges::count(log, '\n'), 10);
  EXPECT_EQ(std::ranges::count(log, '\n') - 1,
            std::ssize(points["points"]) +  // the base has both stages
                std::ranges::count_if(points["points"],
                                      [](const json& p) { return p["stage"] == "run"; }));
  EXPECT_EQ(points["machines"]["all"], 72000);
}

TEST(ExploreVerb, ExplainsAMachine) {
  const CommandResult r = Tessera(std::string("explore --explain tiny ") + kModel);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("tiny on xc7z020, stage predict:"));
  EXPECT_THAT(r.output, ContainsRegex("\nDSP +37 +220 +16.8 %"));
  EXPECT_THAT(r.output, ContainsRegex("\nBRAM18 +74 +280 "));
  EXPECT_THAT(r.output, ContainsRegex("\ncycles +[0-9]+ +[0-9]+ +[-+][0-9.]+ %"));
  EXPECT_THAT(r.output, ContainsRegex("\nlimited by the array"));
  EXPECT_THAT(r.output, ContainsRegex("\nstage1_conv1_conv/Conv +[0-9,]+ +[0-9.]+ % +[0-9.]+ %"));
}

TEST(ExploreVerb, BadInputIsOneLine) {
  const std::string folder = TempPath("bad");
  const std::string small =
      Write("small.json",
            R"({"name": "small", "family": "xc7", "lut": 900, "ff": 900, "dsp": 9, "bram36": 9})");
  const struct {
    std::string options, said;
  } cases[] = {
      {"--sweep blok=4",
       "--sweep blok: no configuration has this key; the one most like it is blo"},
      {"--sweep block=6,12", "none of 2 machines is legal; 2 of them: configuration n1b6"},
      {"--sweep block=6", "the nearest legal value is block 8"},
      {"--objective time", "--objective 'time': give some of ms, lut, ff"},
      {"--search best", "--search best: there are halving, nsga2, bayesian, random, grid"},
      {"--part xc7z", "xc7z020"},
      {"--part lfe5u-85f", "family ecp5"},
      {"--budget 5", "--budget '5': give a whole number and a unit"},
      {"--config nonesuch", "no configuration is named \"nonesuch\""},
      {"--with default", "--with default: configuration default is there twice"},
      {"--with pynq --with pynq", "--with pynq: configuration pynq is there twice"},
      {"--part " + small, "part small is too small for each of "},
      {kSweep + "./" + kModel, "this network is there twice"},
      {kSweep + "nonesuch.onnx", "nonesuch.onnx: cannot open"},
      {"--runs 0", "'0' is not a count"},
  };
  for (const auto& [options, said] : cases) {
    const CommandResult r = Tessera(Explore(options, folder));
    EXPECT_EQ(r.code, 2) << options << r.output;
    EXPECT_THAT(r.output, HasSubstr(said)) << options;
    EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << r.output;
  }
  EXPECT_THAT(Tessera(std::string("explore ") + kModel).output, HasSubstr("-o is missing: give a"));
  const CommandResult nowhere = Tessera(Explore(kSweep, "/nonexistent/out"));
  EXPECT_THAT(nowhere.output, HasSubstr("/nonexistent/out: the folder cannot be made"));
  // Without Slurm nothing is begun: the same command without --slurm needs no --resume.
  const std::string far = TempPath("far"), search = "--sweep block=16 --runs 1 ";
  const CommandResult slurm = Tessera(Explore(search + "--slurm", far), "PATH=/nonexistent ");
  EXPECT_EQ(slurm.code, 2);
  EXPECT_EQ(std::ranges::count(slurm.output, '\n'), 1) << slurm.output;
  EXPECT_THAT(slurm.output, HasSubstr("--slurm: there is no program sbatch on PATH"));
  const CommandResult near = Tessera(Explore(search, far));
  EXPECT_EQ(near.code, 0) << near.output;
  // A file system without room: the log is the first file that grows.
  const CommandResult full =
      Tessera(Explore(kSweep + "--runs 4", TempPath("full")), "trap '' XFSZ; ulimit -f 1; ");
  EXPECT_EQ(full.code, 2);
  EXPECT_THAT(full.output, HasSubstr("make room and go on with --resume"));
}

}  // namespace
}  // namespace tessera::test::explore_test
