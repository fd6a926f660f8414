// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `compare`, `run`, `trace` and `debug` on a board, as docs/boards.md uses one: one
// process at a time may use it, and it shows registers only. Space: the simulated board, the
// Fashion-MNIST network as an artifact that keeps no layer or every one, and as a model, whose two
// programs share the board; alone and beside `rtl`. Expected values: the device `rtl` on the same
// artifact, tests/models/cycles.json. Not tested here: a board, other networks, programs that fail
// (tests/cts, tests/diagnosis).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/command.h"
#include "tests/tools/fashion_cycles.h"

namespace tessera::test::board_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUnseen =
    "this machine shows registers only, which do not tell when instructions retire; devices rtl "
    "and cycle do";

// Runs `tessera |arguments|` beside a board with the machine of |config|; {} stands for the board's
// file.
CommandResult OnBoard(const std::string& arguments, const std::string& config = "default") {
  return Tessera(arguments, "timeout 300 " TESSERA_SIMULATED_BOARD " --config " + config + " -- ");
}

std::string Data(int first) { return fmt::format(" --input {} --first {}", kImages, first); }

// The artifact of the model, compiled with |flags|.
std::string Compiled(const std::string& name, const std::string& flags) {
  const std::string net = TempPath(name);
  const CommandResult r = Tessera(fmt::format("compile {} -o {} {}", kModel, net, flags));
  EXPECT_EQ(r.code, 0) << r.output;
  return net;
}

TEST(Board, AnArtifactWithItsLayersIsComparedToTheLastOne) {
  const std::string net = Compiled("kept.tsr", "--config pynq --keep-tensors"),
                    file = TempPath("board.json");
  const CommandResult r = OnBoard(
      "compare " + net + " --devices cpu,zynq:shared={}" + Data(2) + " --json " + file, "pynq");
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("\nEvery layer's result was compared, value by value"));
  EXPECT_THAT(r.output, HasSubstr("\nok: all 133,488 compared values are equal on cpu, zynq\n"));
  EXPECT_THAT(r.output,
              HasSubstr(fmt::format("\nNot seen: the cycles of a layer on zynq; {}.\n", kUnseen)));
  const json j = json::parse(Read(file));
  for (const json& layer : j["layers"]) {
    EXPECT_EQ(layer["mismatches"], 0) << layer;
    EXPECT_GT(layer["values"].get<int64_t>(), 0) << layer;
    EXPECT_TRUE(layer["cycles"].is_null()) << layer;
  }
  ASSERT_EQ(j["clocks"].size(), 1u);
  EXPECT_EQ(j["clocks"][0]["unseen"], kUnseen);
  // The counters of the run equal those of the same program on rtl.
  const std::string simulated = TempPath("rtl.json");
  ASSERT_EQ(
      Tessera("compare " + net + " --devices cpu,rtl" + Data(1) + " --json " + simulated).code, 0);
  const json rtl = json::parse(Read(simulated));
  EXPECT_EQ(j["totals"]["cycles"], rtl["totals"]["cycles"]);
  EXPECT_EQ(j["clocks"][0]["units"], rtl["clocks"][0]["units"]);
  EXPECT_GT(j["totals"]["cycles"].get<int64_t>(), 36'507);  // of MACs alone
}

TEST(Board, AnArtifactWithoutItsLayersIsComparedByItsOutputs) {
  const std::string net = Compiled("plain.tsr", "");
  const CommandResult r = OnBoard("compare " + net + " --devices cpu,zynq:shared={}" + Data(1));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output,
              HasSubstr("\nThe artifact keeps no layer's result: the outputs were compared "
                        "with those on cpu; compile with --keep-tensors to see every "
                        "layer.\n"));
  EXPECT_THAT(r.output, HasSubstr("\nok: all 10 compared values are equal on cpu, zynq\n"));
}

// `compare` compiles the network a second time, to see results that stay on the chip: two programs,
// one board.
TEST(Board, AModelIsComparedOnABoardThatIsOpenedOnce) {
  const std::string file = TempPath("model.json");
  const CommandResult r = OnBoard(fmt::format(
      "compare {} --devices rtl,zynq:shared={{}}{} --explain --json {}", kModel, Data(1), file));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("\nok: all 66,744 compared values are equal on rtl, zynq\n"));
  EXPECT_THAT(r.output, ContainsRegex("\nstem_conv/Conv .* 2,283 +- +19.3 % +0\n"));
  EXPECT_THAT(r.output, HasSubstr("\nThe cycles of rtl, zynq are the same, in total.\n"));
  const json j = json::parse(Read(file));
  EXPECT_EQ(j["totals"]["cycles"], FashionCycles());
  EXPECT_EQ(j["clocks"][0]["units"], j["clocks"][1]["units"]);
}

TEST(Board, ExplainTellsWhatTheCountersTell) {
  const CommandResult r =
      OnBoard(fmt::format("compare {} --devices zynq:shared={{}}{} --explain", kModel, Data(1)));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("\nWhere the cycles went (zynq;"));
  EXPECT_THAT(r.output,
              HasSubstr("\nall layers: " + FashionCyclesText() + " cycles; busiest GEMM, "));
  EXPECT_THAT(r.output, Not(HasSubstr("\npool/GlobalAveragePool: ")));
  EXPECT_THAT(r.output, HasSubstr("Not seen: the cycles of a layer on zynq; "));
}

TEST(Board, RunsAndSaysWhyItIsNotTracedOrDebugged) {
  const CommandResult ran =
      OnBoard(fmt::format("run {} --device zynq:shared={{}}{}", kModel, Data(2)));
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(fmt::format("\ncycles an inference: {} ({} ms at 100 MHz)\n",
                                                FashionCyclesText(), FashionMilliseconds())));
  const CommandResult traced = OnBoard(fmt::format("trace {} --device zynq:shared={{}} -o {}",
                                                   kModel, TempPath("board.trace.json")));
  EXPECT_EQ(traced.code, 2);
  EXPECT_EQ(
      traced.output.substr(0, traced.output.find(';')),
      "tessera: this machine shows registers only, which do not tell when instructions retire")
      << traced.output;
  const CommandResult debugged =
      OnBoard(fmt::format("debug {} --device zynq:shared={{}} </dev/null", kModel));
  EXPECT_EQ(debugged.code, 2);
  EXPECT_THAT(debugged.output,
              HasSubstr("--device zynq: its memories cannot be looked at while it runs"));
}

}  // namespace
}  // namespace tessera::test::board_test
