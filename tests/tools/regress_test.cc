// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera regress`: right machines agree, and the page and the JSON show what ran;
// the same seed runs the same programs; kept programs run again, and each file with errors gives a
// line; networks and single layers agree, their cycles are the golden ones, and a change of cycles
// since an earlier run is reported with its causes; programs given to devices are recorded and run
// as directed programs; races, if requested; wrong use. Space: tiny on func, hls and rtl, default
// on func, cycle and rtl, some thousand instructions. Not tested here: wrong machines
// (regress_wrong_test.cc), the programs (tests/rig).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "tests/base/one_line.h"
#include "tests/tools/command.h"
#include "tests/tools/fashion_cycles.h"

namespace tessera::test::regress_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

void WriteText(const std::string& path, const std::string& text) {
  ASSERT_TRUE(WriteFile(path, text));
}

Json ReadJson(const std::string& path) {
  const auto bytes = ReadFile(path);
  EXPECT_TRUE(bytes);
  return bytes ? Json::parse(*bytes) : Json();
}

TEST(Regress, MachinesAgree) {
  const std::string json = TempPath("agree.json"), page = TempPath("page.txt");
  const CommandResult result = Tessera(
      "regress --devices func,hls,rtl --config tiny --instructions 10000 --budget 10m --seed "
      "100 --json " +
      json + " -o " + page);
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("hls, rtl against func; configuration tiny; seed 100"));
  EXPECT_THAT(result.output, HasSubstr("ok: "));
  const auto bytes = ReadFile(page);
  ASSERT_TRUE(bytes);
  EXPECT_THAT(result.output, HasSubstr(std::string(bytes->begin(), bytes->end())));
  const Json report = ReadJson(json);
  EXPECT_EQ(report["ok"], true);
  const Json& random = report["suites"]["random"];
  EXPECT_GE(random["instructions"], 10'000);
  EXPECT_GT(random["cycles"]["rtl"], 100'000);
  EXPECT_EQ(random["differences"], 0);
  EXPECT_GE(report["suites"]["corpus"]["programs"], 2);
}

TEST(Regress, OneOfTheDefaultMachine) {
  const CommandResult result =
      Tessera("regress --config default --suite random --instructions 3000 --budget 10m --seed 7");
  EXPECT_EQ(result.code, 0) << result.output;
}

TEST(Regress, ARandomProgramByItsName) {
  const std::string json = TempPath("one.json");
  const auto run = [&](const std::string& name) {
    const CommandResult result =
        Tessera("regress --devices func,rtl --only " + name + " --json " + json);
    EXPECT_EQ(result.code, 0) << result.output;
    return ReadJson(json)["suites"]["random"];
  };
  const Json first = run("random/tiny/tessera/17");
  EXPECT_EQ(first["programs"], 1);
  EXPECT_EQ(run("random/tiny/tessera/17"), first);
  EXPECT_NE(run("random/tiny/tessera/18"), first);
  EXPECT_EQ(run("random/tiny/vta/17")["programs"], 1);
}

TEST(Regress, CountersOfTokensAreFilled) {
  const std::string json = TempPath("tokens.json");
  const CommandResult result = Tessera(
      "regress --devices func,cycle --suite random --instructions 15000 --budget 10m --json " +
      json);
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("\nTokens that each counter held at most"));
  int64_t most = 0;
  const Json report = ReadJson(json);
  for (const Json& row : report["tokens"]["tiny tessera"]) {
    for (const Json& level : row) most = std::max<int64_t>(most, level);
  }
  EXPECT_EQ(most, 255) << "a counter's depth: no more, and reached";
}

TEST(Regress, NetworksTakeTheirGoldenCycles) {
  const std::string json = TempPath("networks.json");
  const std::string run =
      "regress --devices func,cycle --config default --suite networks --json " + json;
  const CommandResult result = Tessera(run + " --since tests/models/cycles.json");
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("Cycles; since tests/models/cycles.json 1 pieces took the same:\n"));
  EXPECT_THAT(result.output,
              HasSubstr(fmt::format("networks/default/fashion_int8.onnx  cycle    {}      0",
                                    FashionCyclesText())));
  Json earlier = ReadJson(json);
  ASSERT_EQ(earlier["times"].size(), 1u);
  EXPECT_EQ(earlier["times"][0]["time"]["cycles"], FashionCycles());
  EXPECT_EQ(earlier["suites"]["networks"]["programs"], 1);
  // An earlier machine waited less for memory: 120 cycles less of LOAD, and 120 idle cycles less of
  // VECTOR.
  Json& time = earlier["times"][0]["time"];
  const auto less = [](Json& count, int64_t by) { count = count.get<int64_t>() - by; };
  less(time["cycles"], 120);
  less(time["units"][0][2], 120);
  less(time["units"][2][4], 120);
  less(time["bytes_read"], 64);
  const std::string before = TempPath("earlier.json");
  WriteText(before, earlier.dump());
  const CommandResult moved = Tessera(run + " --since " + before);
  EXPECT_EQ(moved.code, 0) << moved.output;
  EXPECT_THAT(moved.output,
              HasSubstr(fmt::format("networks/default/fashion_int8.onnx  cycle    {}   +120  "
                                    "load memory +120, bytes read +64\n",
                                    FashionCyclesText())));
}

TEST(Regress, SampledLayersAgree) {
  const std::string json = TempPath("layers.json");
  const auto run = [&](int seed) {
    const CommandResult result = Tessera(fmt::format(
        "regress --devices func,cycle,rtl --config default --suite layers --model {} --layers 2 "
        "--seed {} --json {}",
        kModel, seed, json));
    EXPECT_EQ(result.code, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("ok: 2 programs of "));
    return ReadJson(json)["times"];
  };
  const Json first = run(1);
  ASSERT_EQ(first.size(), 4u);  // two layers on two machines with a clock
  EXPECT_EQ(first[0]["time"], first[1]["time"]) << "the cycle model is not the RTL in time";
  EXPECT_GT(first[0]["time"]["cycles"], 50);
  EXPECT_EQ(run(1), first);
  EXPECT_NE(run(2), first);
}

TEST(Regress, AModelThatCannotBeReadIsAFinding) {
  const std::string folder = TempPath("models");
  std::filesystem::create_directories(folder);
  WriteText(folder + "/broken.onnx", "no model");
  const CommandResult result = Tessera(
      "regress --devices func,hls --config default --suite networks --only broken --models " +
      folder);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("networks/default/broken.onnx: "));
  EXPECT_THAT(result.output, HasSubstr("NOT OK: 0 of 1 programs differ, 1 files"));
}

TEST(Regress, KeptFilesWithErrorsAreToldInALineEach) {
  const std::string folder = TempPath("corpus");
  std::filesystem::create_directories(folder);
  WriteText(folder + "/a_word.tsr.s", ".profile tessera\n.config tiny\n.code\n  jump\n");
  WriteText(folder + "/b_token.tsr.s",
            ".profile tessera\n.config tiny\n.code\n  sync unit=gemm pop=load\n  finish\n");
  WriteText(folder + "/c_bytes.tsr.s", std::string("\x7f\x45\0\x1b", 4));
  WriteText(folder + "/d_other.tsr.s", ".profile tessera\n.config default\n.code\n  finish\n");
  WriteText(folder + "/e_good.tsr.s", ".profile tessera\n.config tiny\n.code\n  finish\n");
  const CommandResult result =
      Tessera("regress --devices func,hls --suite corpus --corpus " + folder);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("a_word.tsr.s:4:"));
  EXPECT_THAT(result.output, HasSubstr("b_token.tsr.s: "));
  EXPECT_THAT(result.output, HasSubstr("c_bytes.tsr.s:1:"));
  EXPECT_THAT(result.output, HasSubstr("NOT OK: 0 of 4 programs differ, 3 files"));
  for (const std::string name : {"a_word", "b_token", "c_bytes"}) {
    size_t lines = 0;
    for (size_t at = 0; (at = result.output.find("\ncorpus/" + name, at)) != std::string::npos;
         ++at)
      ++lines;
    EXPECT_EQ(lines, 1u) << name << "\n" << result.output;
  }
}

TEST(Regress, DirectedProgramsAreThoseThatARunOfTheCommandRecorded) {
  const std::string folder = TempPath("directed"), image = TempPath("add.img");
  const CommandResult made =
      Tessera("asm tests/corpus/rig/requant_reads_what_it_wrote.tsr.s -o " + image);
  ASSERT_EQ(made.code, 0) << made.output;
  const CommandResult ran = Tessera("run " + image + " --device func",
                                    "TESSERA_RECORD=" + folder + " TESSERA_RECORD_NAME=mine ");
  ASSERT_EQ(ran.code, 0) << ran.output;
  const std::string json = TempPath("directed.json");
  const CommandResult result = Tessera("regress --devices func,cycle --suite directed --directed " +
                                       folder + " --json " + json);
  EXPECT_EQ(result.code, 0) << result.output;
  const Json report = ReadJson(json);
  EXPECT_EQ(report["suites"]["directed"]["programs"], 1);
  EXPECT_THAT(report["times"][0]["name"], ::testing::StartsWith("directed/mine_"));
  const CommandResult kept = Tessera(
      "regress --devices func,cycle --suite corpus --only requant_reads_what --json " + json);
  EXPECT_EQ(kept.code, 0) << kept.output;
  EXPECT_EQ(5 * report["suites"]["directed"]["instructions"].get<int>(),
            ReadJson(json)["suites"]["corpus"]["instructions"])
      << "the same program, which a kept one is in front of five memories";
  const CommandResult without = Tessera(
      "regress --devices func,hls --instructions 100 --directed " + TempPath("no_such_folder"));
  EXPECT_EQ(without.code, 0) << without.output;
  EXPECT_THAT(without.output, HasSubstr("\nwithout directed programs: --directed "));
}

TEST(Regress, RacesAreDifferencesWhereTheyAreAskedFor) {
  const std::string folder = TempPath("races");
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file("tests/diagnosis/programs/race.s", folder + "/race.tsr.s");
  const std::string run = "regress --devices func,cycle --suite corpus --corpus " + folder;
  const CommandResult refused = Tessera(run);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.output, HasSubstr("NOT OK: 0 of 1 programs differ, 1 files"));
  const CommandResult result = Tessera(run + " --check-races");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("corpus/race.tsr.s (memory tsim):\n  on func, "));
  EXPECT_THAT(result.output, HasSubstr("NOT OK: 1 of 1 programs differ, 0 files"));
  const CommandResult clean = Tessera(
      "regress --devices func,cycle --suite random --instructions 1000 --check-races --seed 3");
  EXPECT_EQ(clean.code, 0) << clean.output;
}

TEST(Regress, BadUseIsToldInALine) {
  const std::pair<const char*, const char*> cases[] = {
      {"--budget soon", "--budget 'soon': give a whole number and a unit"},
      {"--budget 30", "--budget '30': give a whole number and a unit"},
      {"--budget 0s", "--budget '0s'"},
      {"--devices func", "--devices func: two at least"},
      {"--devices func,cpu", "cpu runs no programs of the machine"},
      {"--devices func,null", "null executes nothing"},
      {"--devices func,abacus", "abacus"},
      {"--devices func,rtl:speed=9", "speed"},
      {"--config huge", "huge"},
      {"--config tiny,tiny", "a name is empty or there twice"},
      {"--suite all", "--suite 'all': there are "},
      {"--corpus nowhere --suite corpus", "--corpus nowhere: No such file or directory"},
      {"--directed nowhere --suite directed",
       "--directed nowhere: No such file or directory; cmake --build build -t directed_programs"},
      {"--suite networks --models nowhere", "--models nowhere: No such file or directory"},
      {"--suite layers --model nowhere.onnx", "--model nowhere.onnx: not found; python3 models/"},
      {"--suite layers --model README.md", "README.md"},
      {"--suite layers --model models/fashion/fashion.onnx", "it has no layer of int8"},
      {"--suite layers --layers 0", "'0' is not a count"},
      {"--since nowhere.json", "nowhere.json"},
      {"--since README.md", "--since README.md: is not what tessera regress --json wrote"},
      {"--since tests/models/missing.json", "missing.json"},
      {"--coverage --devices func,cycle", "--coverage: it is the RTL's; give --devices with rtl"},
      {"--coverage --config default", "--coverage: hw/coverage.txt has the reasons for tiny"},
      {"--only nothing_like_this", "there is nothing to run with --only nothing_like_this"},
      {"--only random/huge/tessera/1", "a random program is random/CONFIG/PROFILE/SEED"},
      {"--jobs 0", "'0' is not a count"},
      {"--seed x", "--seed"},
      {"--instructions -1", "'-1' is not a count"},
  };
  for (const auto& [arguments, message] : cases) {
    SCOPED_TRACE(arguments);
    const CommandResult result = Tessera(std::string("regress ") + arguments);
    EXPECT_EQ(result.code, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr(message));
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
}

}  // namespace
}  // namespace tessera::test::regress_test
