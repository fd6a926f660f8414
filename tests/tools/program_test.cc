// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera run` and `tessera check` of program images: the counts of a run, how a
// run that hangs or races ends, the JSON of both. Space: programs of tests/diagnosis/programs on
// func. Not tested here: the messages of each class, and of the other simulators (tests/diagnosis).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "tests/tools/command.h"

namespace tessera::test::program_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The image of a program of tests/diagnosis.
std::string Image(const std::string& name) {
  const std::string path = TempPath(name + ".img");
  const CommandResult r =
      Tessera(fmt::format("asm tests/diagnosis/programs/{}.s -o {}", name, path));
  EXPECT_EQ(r.code, 0) << r.output;
  return path;
}

nlohmann::json ReadJson(const std::string& path) {
  const auto bytes = ReadFile(path);
  return bytes ? nlohmann::json::parse(bytes->begin(), bytes->end(), nullptr, false)
               : nlohmann::json();
}

TEST(ProgramCommand, RunsToItsEnd) {
  const std::string image = Image("bus_never_answers"), json = TempPath("run.json");
  const CommandResult r =
      Tessera(fmt::format("run {} --device func --check-races --json {}", image, json));
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(r.output, image + " on func: 3 instructions\n");
  const nlohmann::json read = ReadJson(json);
  EXPECT_EQ(read["ok"], true);
  EXPECT_EQ(read["instructions"], 3);
  EXPECT_EQ(read["races"].size(), 0u);
}

TEST(ProgramCommand, ADeadlockSaysWhy) {
  const std::string image = Image("lost_token"), json = TempPath("check.json");
  const CommandResult run = Tessera("run " + image + " --device func");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(std::ranges::count(run.output, '\n'), 1) << run.output;
  const std::string says = "deadlock: lost token: store's instruction 3 waits for its 2nd token";
  EXPECT_THAT(run.output, HasSubstr(says));
  const CommandResult check = Tessera("check " + image + " --json " + json);
  EXPECT_EQ(check.code, 1);
  EXPECT_THAT(check.output, StartsWith(says));
  const nlohmann::json found = ReadJson(json)["diagnostics"];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["class"], "lost token");
  EXPECT_THAT(found[0]["usual_cause"].get<std::string>(), StartsWith("a pop without its push"));
  EXPECT_EQ(found[0]["waits"][0]["unit"], "store");
  EXPECT_EQ(found[0]["waits"][0]["instruction"], 3);
  EXPECT_EQ(found[0]["waits"][0]["partner"], "load");
  EXPECT_FALSE(found[0]["waits"][0].contains("giver"));
}

// With --json - standard output has the JSON alone.
TEST(ProgramCommand, JsonToStandardOutput) {
  const CommandResult r = Tessera("check " + Image("cyclic_wait") + " --json -");
  EXPECT_EQ(r.code, 1);
  const nlohmann::json json = nlohmann::json::parse(r.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << r.output;
  EXPECT_EQ(json["diagnostics"][0]["class"], "cyclic wait");
  EXPECT_EQ(json["diagnostics"][0]["waits"][0]["giver"], 1);
}

TEST(ProgramCommand, ARaceIsFoundWhenItIsAskedFor) {
  const std::string image = Image("race");
  EXPECT_EQ(Tessera("run " + image + " --device func").code, 0);
  const CommandResult r = Tessera("run " + image + " --device func --check-races");
  EXPECT_EQ(r.code, 1);
  // The simulator runs each unit as far as it can before the next one: LOAD, then STORE.
  EXPECT_THAT(r.output, HasSubstr("in this run instruction 2 was done first"));
}

TEST(ProgramCommand, BadUse) {
  const std::string image = Image("race");
  const auto refused = [](const std::string& arguments, const std::string& says) {
    const CommandResult r = Tessera(arguments);
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr(says));
  };
  refused("run " + image + " --input x.npy", "is a program, whose data are in it");
  refused("run " + image + " --device cpu", "--device cpu runs networks");
  refused("run " + image + " --config default", "configuration");
  refused(fmt::format("run {}", kModel), "needs --input FILE");
  refused(fmt::format("run {} --input x.npy --check-races", kModel),
          "--check-races is for programs");
  refused("run " + image + " --device func --pipeline",
          "--pipeline goes with a model or an artifact");
}

}  // namespace
}  // namespace tessera::test::program_test
