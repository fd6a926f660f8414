// SPDX-License-Identifier: Apache-2.0
//
// What is tested: how verbs end: a full disk behind standard output, files that cannot be written,
// SIGINT in the middle of long work. Space: every verb that prints; run, compare and regress
// interrupted. Not here: the rest of their output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "tests/tools/command.h"

namespace tessera::test::ending_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string Images(int first) { return fmt::format(" --input {} --first {}", kImages, first); }

TEST(Output, AFullDiskIsAnError) {
  const std::string model = kModel, net = TempPath("full.tsr"), program = TempPath("full.img");
  ASSERT_EQ(Tessera("compile " + model + " -o " + net).code, 0);
  ASSERT_EQ(Tessera("asm tests/diagnosis/programs/race.s -o " + program).code, 0);
  const std::string verbs[] = {"--help",
                               "info " + model,
                               "info " + net,
                               "info --json - " + model,
                               "compile --dump schedule " + model,
                               "run " + model + Images(1),
                               "compare " + model + " --devices cpu,func" + Images(1),
                               "check " + net,
                               "disasm " + program,
                               "config default",
                               "devices",
                               "boards",
                               "regress --budget 1s --suite corpus --devices func,cycle"};
  for (const std::string& verb : verbs) {
    const std::string errors = TempPath("errors");
    const CommandResult r = Tessera(verb + " >/dev/full 2>" + errors + " #");
    EXPECT_EQ(r.code, 2) << verb;
    EXPECT_THAT(Read(errors), HasSubstr("tessera: standard output: cannot write")) << verb;
  }
}

TEST(Output, WhatCannotBeWrittenIsToldBeforeTheRun) {
  // On rtl all images would take an hour.
  for (const char* option : {"--json", "--output"}) {
    const CommandResult r = Tessera(
        fmt::format("run {} --device rtl --input {} {} /nonexistent/x", kModel, kImages, option));
    EXPECT_EQ(r.code, 2);
    EXPECT_THAT(r.output, HasSubstr("/nonexistent/x: cannot create"));
  }
  const CommandResult r = Tessera("regress --budget 1h --json /nonexistent/x");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.output, HasSubstr("/nonexistent/x: cannot create"));
}

TEST(Output, ADeviceIsWrittenToAndStays) {
  EXPECT_EQ(Tessera("config default --json /dev/null").code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const CommandResult r = Tessera("config default --json /dev/full");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.output, HasSubstr("/dev/full: cannot write"));
}

// Sends SIGINT after five seconds; ten thousand images take far longer.
constexpr const char* kAfterFive = "timeout --preserve-status -s INT 5 ";

TEST(Interrupt, TellsWhatIsKnown) {
  const std::string file = TempPath("interrupted.json"), out = TempPath("interrupted.npy");
  const std::string data = fmt::format(" --input {} --labels {} --json {}", kImages, kLabels, file);
  const CommandResult run =
      Tessera(fmt::format("run {} --device cycle --output {}{}", kModel, out, data), kAfterFive);
  EXPECT_EQ(run.code, 130) << run.output;
  EXPECT_THAT(run.output, ContainsRegex("\ninterrupted: [0-9,]+ of 10,000 items are done"));
  EXPECT_THAT(run.output, ContainsRegex("\naccuracy: [0-9,]+ of [0-9,]+ right, top-1 "));
  json j = json::parse(Read(file));
  EXPECT_FALSE(j["ok"].get<bool>());
  EXPECT_TRUE(j["interrupted"].get<bool>());
  EXPECT_GT(j["images"].get<int64_t>(), 0);
  EXPECT_LT(j["images"].get<int64_t>(), 10000);
  EXPECT_EQ(j["outputs"][0]["shape"][0], j["images"]);

  const CommandResult compare =
      Tessera(fmt::format("compare {} --devices cpu,cycle{}", kModel, data), kAfterFive);
  EXPECT_EQ(compare.code, 130) << compare.output;
  EXPECT_THAT(compare.output, ContainsRegex("\ninterrupted: [0-9]+ of 10000 images were compared"));
  EXPECT_THAT(compare.output, HasSubstr("\nok: all "));
  j = json::parse(Read(file));
  EXPECT_FALSE(j["ok"].get<bool>());
  EXPECT_EQ(j["predictions"][0].size(), j["totals"]["images"].get<size_t>());

  const CommandResult regress =
      Tessera("regress --suite random --devices func,cycle --budget 1h --json " + file, kAfterFive);
  EXPECT_EQ(regress.code, 130) << regress.output;
  EXPECT_EQ(json::parse(Read(file))["ended"], "interrupted");
}

// timeout of coreutils sends SIGINT twice, and so does this test.
TEST(Interrupt, TwoSignalsAtOnceAreOne) {
  const std::string data = fmt::format(" --input {}", kImages);
  const CommandResult run = Tessera(
      fmt::format("run {} --device cycle{} & p=$!; sleep 3; kill -INT $p; kill -INT $p; wait $p; "
                  "echo exit $?",
                  kModel, data));
  EXPECT_THAT(run.output, ContainsRegex("\ninterrupted: [0-9,]+ of 10,000 items are done"));
  EXPECT_THAT(run.output, HasSubstr("exit 130"));
}

}  // namespace
}  // namespace tessera::test::ending_test
