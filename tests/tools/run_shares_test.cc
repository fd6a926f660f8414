// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `run --accelerators`: the values and the cycles of one accelerator, for shares of
// equal and of unequal size, and for more accelerators than items; the same with --pipeline; what
// it prints and its JSON; a failure names the accelerator and the item. `compare --accelerators`:
// it compares as many values of each layer as with one accelerator, all equal. Refusals; the
// forecast of `place`. Not tested here: time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "tests/tools/command.h"

namespace tessera::test::run_shares_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string Data(int first) { return fmt::format(" --input {} --first {}", kImages, first); }

TEST(Run, AcceleratorsShareTheItems) {
  const std::string one = TempPath("one.npy"), both = TempPath("both.npy"),
                    file = TempPath("shares.json");
  for (const std::string device : {"func", "cycle", "rtl"}) {
    const std::string run = fmt::format("run {} --device {}{}", kModel, device, Data(5));
    ASSERT_EQ(Tessera(run + " --json " + file + " --output " + one).code, 0);
    const json alone = json::parse(Read(file));
    EXPECT_EQ(alone["accelerators"], 1);
    for (const int accelerators : {2, 7}) {
      const CommandResult r = Tessera(
          fmt::format("{} --accelerators {} --output {} --json {}", run, accelerators, both, file));
      ASSERT_EQ(r.code, 0) << r.output;
      EXPECT_TRUE(Read(both) == Read(one));
      const int opened = std::min(accelerators, 5);
      EXPECT_THAT(r.output,
                  ContainsRegex(fmt::format("on {} x {}: 5 items in [0-9.]+ s ", opened, device)));
      const json j = json::parse(Read(file));
      EXPECT_EQ(j["accelerators"], opened);
      EXPECT_EQ(j["images"], 5);
      if (device != "func") {
        EXPECT_EQ(j["cycles"], alone["cycles"]);
        EXPECT_THAT(r.output, ::testing::Not(HasSubstr("others differ")));
      }
    }
  }
}

TEST(Run, AcceleratorsStreamTheirItems) {
  const std::string one = TempPath("alone.npy"), both = TempPath("streamed.npy"),
                    file = TempPath("streamed.json");
  const std::string run = fmt::format("run {} --device func{} --output ", kModel, Data(7));
  ASSERT_EQ(Tessera(run + one).code, 0);
  const CommandResult r = Tessera(run + both + " --pipeline=2 --accelerators 2 --json " + file);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(Read(both) == Read(one));
  EXPECT_THAT(r.output, HasSubstr("on 2 x func: 7 items in "));
  EXPECT_THAT(r.output, HasSubstr("pipeline: 2 items in progress at a time on each of 2 "
                                  "accelerators, "));
  const json j = json::parse(Read(file));
  EXPECT_EQ(j["accelerators"], 2);
  EXPECT_EQ(j["pipeline"]["in_flight"], 2);
  // No device was busy for longer than the run, of two on average.
  EXPECT_GE(j["pipeline"]["time_to_slowest"], 1);
}

// The values that are compared and found equal are those of one accelerator, layer by layer.
TEST(Compare, AcceleratorsShareTheItems) {
  const std::string file = TempPath("compared.json");
  const auto compare = [&](const std::string& words) {
    const CommandResult r =
        Tessera(fmt::format("compare {} --devices cpu,func,cycle --labels {}{}{} --json {}", kModel,
                            kLabels, Data(3), words, file));
    EXPECT_EQ(r.code, 0) << r.output;
    json j = json::parse(Read(file));
    for (const char* seconds : {"host", "accelerators"}) j.erase(seconds);
    j["totals"].erase("host_seconds");
    return std::pair(r.output, j);
  };
  const auto [text, alone] = compare("");
  EXPECT_THAT(text, ::testing::Not(HasSubstr("each simulator is there")));
  EXPECT_GT(alone["totals"]["values"], 0);
  for (const int accelerators : {2, 7}) {
    const auto [shared, j] = compare(fmt::format(" --accelerators {}", accelerators));
    EXPECT_EQ(j, alone);
    EXPECT_THAT(shared, HasSubstr(fmt::format("each simulator is there {} times: ",
                                              std::min(accelerators, 3))));
    EXPECT_EQ(json::parse(Read(file))["accelerators"], std::min(accelerators, 3));
  }
}

TEST(Compare, AcceleratorsThatCannotBeSayWhy) {
  const auto refused = [](const std::string& words, const std::string& says) {
    const CommandResult r = Tessera(fmt::format("compare {}{} {}", kModel, Data(3), words));
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr(says));
  };
  refused("--devices cpu --accelerators 2",
          "--accelerators wants 2, and of --devices cpu none can be there several times; name a "
          "simulator");
  refused("--devices cpu,func --accelerators 65", "--accelerators: Value 65 not in range 1 to 64");
}

TEST(Run, AnAcceleratorThatFailsIsNamed) {
  const CommandResult r =
      Tessera(fmt::format("run {} --device func --budget 10 --accelerators 2 --dump-dir {}{}",
                          kModel, TempPath(""), Data(4)));
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_THAT(r.output, ContainsRegex("accelerator [12] of 2, item [02]: "));
  EXPECT_THAT(r.output, HasSubstr("budget"));
}

TEST(Run, AcceleratorsThatCannotBeSayWhy) {
  const auto refused = [](const std::string& words, const std::string& says) {
    const CommandResult r = Tessera(fmt::format("run {}{} {}", kModel, Data(3), words));
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr(says));
  };
  refused("--device cpu --accelerators 2", "cpu is one device, and --accelerators wants 2");
  refused("--device zynq --accelerators 3", "zynq is one device, and --accelerators wants 3");
  refused("--device xrt --accelerators 2", "leave --accelerators out, or give one of them");
  refused("--device rtl --wave a.vcd --accelerators 2", "a waveform is of one accelerator");
  refused("--device func --accelerators 0", "--accelerators: Value 0 not in range 1 to 64");
}

TEST(Place, TellsWhatAcceleratorsWouldMake) {
  const std::string place = std::string("place ") + kModel;
  const auto rate = [](const std::string& text, const std::string& before) {
    const size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << text;
    std::string digits;
    for (size_t k = at + before.size(); at != std::string::npos && text[k] != ' '; ++k) {
      if (text[k] != ',') digits += text[k];
    }
    return digits.empty() ? 0 : std::stoi(digits);
  };
  const std::string two = Tessera(place + " --accelerators 2").output,
                    many = Tessera(place + " --accelerators 64").output;
  EXPECT_GT(rate(two, "with 2 accelerators: "), 0);
  EXPECT_GT(rate(many, "with 64 accelerators: "), rate(two, "with 2 accelerators: "));
  EXPECT_THAT(many, HasSubstr("items a second, as many as the host can serve\n"));
  EXPECT_THAT(Tessera(place).output, ::testing::Not(HasSubstr(" accelerators: ")));
}

}  // namespace
}  // namespace tessera::test::run_shares_test
