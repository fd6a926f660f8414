// SPDX-License-Identifier: Apache-2.0
//
// What is tested: what `compare` prints beside the comparison: the share that the accelerator runs,
// in the words of `info` and `compile`, and the time of the host's steps. Space: the Fashion-MNIST
// model and an artifact of it, devices cpu and func. Not tested here: how long a step takes; the
// comparison (run_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "tests/tools/command.h"

namespace tessera::test::compare_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Data(int first) { return fmt::format(" --input {} --first {}", kImages, first); }

json ReadJson(const std::string& path) {
  const auto bytes = ReadFile(path);
  return bytes ? json::parse(bytes->begin(), bytes->end()) : json();
}

// Without a machine `compare` measures no steps around one; func is a machine without a clock.
TEST(Compare, TellsTheHostsTimeAroundAMachine) {
  const std::string file = TempPath("host.json");
  const auto compare = [&](const std::string& devices) {
    return Tessera(
               fmt::format("compare {} --devices {}{} --json {}", kModel, devices, Data(2), file))
        .output;
  };
  const std::string line = "\nThe host's steps took ";
  EXPECT_THAT(compare("cpu,func"), HasSubstr(line));
  EXPECT_GE(ReadJson(file)["totals"]["host_seconds"], 0);
  EXPECT_THAT(compare("cpu"), Not(HasSubstr(line)));
  EXPECT_TRUE(ReadJson(file)["totals"]["host_seconds"].is_null());
}

// All verbs print the accelerator's share of the network in the same words.
TEST(Compare, TellsTheCoverageAsInfoAndCompileDo) {
  const std::string net = TempPath("covered.tsr"), file = TempPath("covered.json");
  const std::string line =
      "accelerator: 14 of 16 operators, 100.0 % of 9,345,920 multiply-accumulates; host: 1 x "
      "quantize (INP holds int8, the values are float32), 1 x dequantize (OUT holds int8, the "
      "results are float32)\n";
  json first;
  for (const std::string& command :
       {fmt::format("compile {} -o {}", kModel, net), fmt::format("info {}", kModel),
        fmt::format("info {}", net),
        fmt::format("compare {} --devices cpu,func{}", kModel, Data(1)),
        fmt::format("compare {} --devices cpu,func{}", net, Data(1))}) {
    const CommandResult r = Tessera(command + " --json " + file);
    EXPECT_EQ(r.code, 0) << command << "\n" << r.output;
    EXPECT_THAT(r.output, HasSubstr(line)) << command;
    const json coverage = ReadJson(file)["coverage"];
    if (first.is_null()) first = coverage;
    EXPECT_EQ(coverage, first) << command;
  }
  EXPECT_EQ(first["operators"], 16);
  EXPECT_EQ(first["host"][1]["why"], "OUT holds int8, the results are float32");
  // Without a plan for the accelerator `compare` prints no share.
  const CommandResult cpu =
      Tessera(fmt::format("compare {} --devices cpu{} --json {}", kModel, Data(1), file));
  EXPECT_THAT(cpu.output, Not(HasSubstr("accelerator: 14")));
  EXPECT_FALSE(ReadJson(file).contains("coverage"));
}

}  // namespace
}  // namespace tessera::test::compare_test
