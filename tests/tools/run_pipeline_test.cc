// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `run --pipeline` on the real model and real images: the same values as without
// it, what it prints and its JSON, refusals. Not tested here: time, other networks
// (tests/networks/pipeline_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "tests/tools/command.h"

namespace tessera::test::run_pipeline_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string Data(int first) { return fmt::format(" --input {} --first {}", kImages, first); }

TEST(Run, APipelineGivesTheSameValuesAndTellsWhoIsBusy) {
  const std::string one = TempPath("one.npy"), file = TempPath("pipeline.json");
  for (const std::string device : {"func", "cycle"}) {
    const std::string run = fmt::format("run {} --device {}{}", kModel, device, Data(5));
    ASSERT_EQ(Tessera(run + " --output " + one).code, 0);
    const auto want = ReadFile(one);
    ASSERT_TRUE(want);
    for (const std::string how : {"--pipeline", "--pipeline=4"}) {
      const CommandResult r =
          Tessera(fmt::format("{} {} --output {} --json {}", run, how, one, file));
      ASSERT_EQ(r.code, 0) << r.output;
      EXPECT_EQ(ReadFile(one).value(), *want);
      EXPECT_THAT(r.output, ContainsRegex(fmt::format(
                                "pipeline: {} items in progress at a time, [0-9.]+ items a second\n"
                                "device +busy s +of the time\n[- ]+\n"
                                "host +[0-9.]+ +[0-9.]+ %\n{} +[0-9.]+ +[0-9.]+ %\n"
                                "the slowest is {}: the run took [0-9.]+ times its busy time",
                                how.back() == '4' ? 4 : 3, device, device)));
      const auto text = ReadFile(file);
      ASSERT_TRUE(text);
      const json j = json::parse(text->begin(), text->end());
      EXPECT_EQ(j["pipeline"]["in_flight"], how.back() == '4' ? 4 : 3);
      EXPECT_EQ(j["pipeline"]["slowest"], device);
      EXPECT_NEAR(j["pipeline"]["items_per_second"].get<double>() * j["seconds"].get<double>(), 5,
                  1e-6);
      EXPECT_GE(j["pipeline"]["time_to_slowest"], 1.0);
      EXPECT_LE(j["device_seconds"]["host"], j["seconds"]);
      EXPECT_LE(j["device_seconds"][device], j["seconds"]);
    }
  }
}

TEST(Run, APipelineOfOneDeviceSaysSo) {
  const CommandResult r = Tessera(fmt::format("run {} --device cpu --pipeline{}", kModel, Data(3)));
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.output,
              HasSubstr("pipeline: one device does all the work of this network, so items "
                        "run one after another\n"));
}

TEST(Run, APipelineThatFailsOrCannotBeSaysWhy) {
  const auto refused = [](const std::string& words, const std::string& says) {
    const CommandResult r =
        Tessera(fmt::format("run {} --device func{} {}", kModel, Data(3), words));
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr(says));
  };
  refused("--budget 10 --pipeline", "budget");
  refused("--pipeline=1", "--pipeline: Value 1 not in range 2 to 64");
}

}  // namespace
}  // namespace tessera::test::run_pipeline_test
