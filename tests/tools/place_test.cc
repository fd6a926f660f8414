// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera place`: its table, file and JSON; the file given back to compile makes
// the same artifact; a layer pinned to the host runs there with the same integers; each message
// about a file that cannot be met. Space: the committed network. Not tested here: what layers cost
// (tests/compiler/network).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "tests/tools/command.h"
#include "tests/tools/fashion_cycles.h"

namespace tessera::test::place_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string Model(const std::string& verb, const std::string& more) {
  return verb + " " + kModel + " " + more;
}

TEST(Place, PrintsEachLayerWithItsCosts) {
  const CommandResult r = Tessera(Model("place", "--config pynq"));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, ::testing::ContainsRegex("fc/Gemm +conv +accelerator +[0-9.]+ us"));
  EXPECT_THAT(r.output, HasSubstr("OUT holds int8, the results are float32"));
  EXPECT_THAT(r.output, ::testing::ContainsRegex("on cortex-a9 alone it would add [0-9.]+ us"));
  EXPECT_THAT(r.output, ::testing::ContainsRegex("forecast: [0-9.]+ [um]s an inference: accel"));
  EXPECT_THAT(r.output, ::testing::ContainsRegex("all on the host: [0-9.]+ [um]s"));
}

TEST(Place, TheFileGivesTheSameArtifact) {
  const std::string file = TempPath("same.txt");
  ASSERT_EQ(Tessera(Model("place", "-o " + file)).code, 0);
  EXPECT_THAT(Read(file), HasSubstr("\naccelerator stem_conv/Conv\n"));
  const std::string plain = TempPath("plain.tsr"), placed = TempPath("placed.tsr");
  ASSERT_EQ(Tessera(Model("compile", "-o " + plain)).code, 0);
  const CommandResult r = Tessera(Model("compile", "-o " + placed + " --place " + file));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(Read(plain) == Read(placed));
  const CommandResult again = Tessera("run " + placed + " --device func --input " +
                                      std::string(kImages) + " --place " + file);
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.output, HasSubstr("--place goes with a model"));
}

TEST(Place, APinnedLayerRunsOnTheHost) {
  const std::string file = Write("pinned.txt", "host stage2_conv2/Conv\n");
  const CommandResult r =
      Tessera(Model("compare", "--devices cpu,func --input " + std::string(kImages) +
                                   " --first 2 --json - --place " + file));
  ASSERT_EQ(r.code, 0) << r.output;
  const json compared = json::parse(r.output);
  EXPECT_EQ(compared["programs"], 2);
  EXPECT_EQ(compared["totals"]["mismatches"], 0);
  int on_host = 0;
  for (const json& layer : compared["layers"]) {
    if (layer["name"] == "stage2_conv2/Conv") on_host += layer["device"] == "host";
  }
  EXPECT_EQ(on_host, 1) << r.output;
  const CommandResult strict = Tessera(Model("place", "--strict --place " + file));
  EXPECT_EQ(strict.code, 2);
  EXPECT_THAT(strict.output, HasSubstr("1 x conv (the placement file keeps it from the machine)"));
}

TEST(Place, JsonHasEntitiesAndBreakdowns) {
  const CommandResult r = Tessera(Model("place", "--json -"));
  ASSERT_EQ(r.code, 0) << r.output;
  const json result = json::parse(r.output)["results"][0];
  const json &entities = result["entities"], &breakdowns = result["breakdowns"];
  ASSERT_EQ(entities.size(), breakdowns.size() + 1);
  std::map<std::string, double> sums;  // by device
  for (size_t l = 0; l < breakdowns.size(); ++l) {
    EXPECT_EQ(breakdowns[l]["entity_id"], entities[l + 1]["id"]);
    for (const json& metric : breakdowns[l]["metrics"]) {
      if (metric["name"] == "here")
        sums[entities[l + 1]["placement"]] += metric["value"].get<double>();
    }
  }
  double total = 0;
  for (const json& metric : result["metrics"]) {
    const std::string name = metric["name"];
    const auto value = metric["value"].get<double>();
    if (sums.contains(name)) {
      EXPECT_NEAR(value, sums[name], 1e-9);
    }
    if (name == "total") {
      EXPECT_NEAR(value, total, 1e-9);
    } else {
      total += value;
    }
  }
  EXPECT_EQ(sums.size(), 2u);
}

TEST(Place, ExactCyclesAreThoseOfARun) {
  const CommandResult r = Tessera(Model("place", "--exact --json -"));
  ASSERT_EQ(r.code, 0) << r.output;
  const CommandResult ran =
      Tessera(Model("run", "--device cycle --json - --first 1 --input " + std::string(kImages)));
  ASSERT_EQ(ran.code, 0) << ran.output;
  const json metrics = json::parse(r.output)["results"][0]["metrics"];
  EXPECT_EQ(metrics.back()["name"], "accelerator_exact");
  EXPECT_EQ(metrics.back()["value"], json::parse(ran.output)["cycles"]);
}

double Metric(const json& metrics, const std::string& name) {
  for (const json& metric : metrics) {
    if (metric["name"] == name) return metric["value"].get<double>();
  }
  ADD_FAILURE() << "no metric " << name;
  return 0;
}

json PlacedFor(const std::string& goal, const std::string& more = "") {
  const CommandResult r = Tessera(Model("place", "--json - " + more + " --place " + goal));
  EXPECT_EQ(r.code, 0) << r.output;
  return r.code == 0 ? json::parse(r.output)["results"][0] : json();
}

TEST(Place, AGoalIsReachedAsWellAsByAnyOtherPlacement) {
  const std::vector<std::string> goals{"auto", "latency", "throughput", "energy:0.1,9"};
  // By goal: the time, the time of the busiest device, the joules of the last goal.
  std::vector<std::array<double, 3>> found;
  for (const std::string& goal : goals) {
    const json metrics = PlacedFor(goal)["metrics"];
    const double accelerator = Metric(metrics, "accelerator"), total = Metric(metrics, "total"),
                 host = total + Metric(metrics, "together") - accelerator;
    found.push_back({total, std::max(host, accelerator), 0.1 * host + 9 * accelerator});
  }
  for (const std::array<double, 3>& other : found) {
    EXPECT_LE(found[1][0], other[0]);
    EXPECT_LE(found[2][1], other[1]);
    EXPECT_LE(found[3][2], other[2]);
  }
  // The three goals want different things here.
  EXPECT_LT(found[2][1], found[1][1]);
  EXPECT_LT(found[3][2], found[2][2]);
}

TEST(Place, AGoalKeepsTheIntegers) {
  const CommandResult r =
      Tessera(Model("compare", "--devices cpu,func --input " + std::string(kImages) +
                                   " --first 2 --json - --place throughput"));
  ASSERT_EQ(r.code, 0) << r.output;
  const json compared = json::parse(r.output);
  EXPECT_EQ(compared["totals"]["mismatches"], 0);
  std::set<std::string> devices;
  for (const json& layer : compared["layers"]) devices.insert(layer["device"]);
  EXPECT_EQ(devices.size(), 2u) << r.output;
  const CommandResult text = Tessera(Model("place", "--place energy:0.1,9"));
  EXPECT_THAT(text.output, ::testing::ContainsRegex("\nenergy: [0-9.]+ mJ an inference"));
  EXPECT_THAT(text.output, ::testing::ContainsRegex("\nin a stream: [0-9,]+ inferences a second"));
}

// A layer that both devices make is one line of the file; its parts and what joins them have none.
TEST(Place, BothDevicesMakeALayer) {
  const std::string both = "both:16     stage2_conv1_conv/Conv\n", file = Write("both.txt", both),
                    again = TempPath("again.txt"), net = TempPath("both.tsr"),
                    same = TempPath("same.tsr");
  const CommandResult placed = Tessera(Model("place", "--place " + file + " -o " + again));
  ASSERT_EQ(placed.code, 0) << placed.output;
  EXPECT_THAT(placed.output, HasSubstr("\nboth devices make 1 layer, and work at once for "));
  EXPECT_THAT(placed.output,
              ::testing::ContainsRegex("stage2_conv1_conv/Conv.accelerator +conv +accelerator"));
  EXPECT_THAT(placed.output, ::testing::ContainsRegex("stage2_conv1_conv/Conv.host +conv +host"));
  const std::string text = Read(again);
  EXPECT_THAT(text, HasSubstr("\n" + both));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("stage2_conv1_conv/Conv.")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("host        stage2_conv1_conv/Conv")));
  ASSERT_EQ(Tessera(Model("compile", "-o " + net + " --place " + file)).code, 0);
  ASSERT_EQ(Tessera(Model("compile", "-o " + same + " --place " + again)).code, 0);
  EXPECT_TRUE(Read(net) == Read(same));
  const CommandResult r =
      Tessera(Model("compare", "--devices cpu,func,cycle --input " + std::string(kImages) +
                                   " --first 2 --json - --place " + file));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(json::parse(r.output)["totals"]["mismatches"], 0);
  EXPECT_EQ(json::parse(r.output)["programs"], 3);
}

// The same by rows.
TEST(Place, BothDevicesMakeRowsOfALayer) {
  const std::string rows = "rows:5      stage2_conv2/Conv\n", file = Write("rows.txt", rows),
                    again = TempPath("rows_again.txt");
  const CommandResult placed = Tessera(Model("place", "--place " + file + " -o " + again));
  ASSERT_EQ(placed.code, 0) << placed.output;
  EXPECT_THAT(placed.output, HasSubstr("\nboth devices make 1 layer, and work at once for "));
  EXPECT_THAT(Read(again), HasSubstr("\n" + rows));
  EXPECT_THAT(Read(again), ::testing::Not(HasSubstr("stage2_conv2/Conv.")));
  const CommandResult r =
      Tessera(Model("compare", "--devices cpu,func,cycle --input " + std::string(kImages) +
                                   " --first 2 --json - --place " + file));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_EQ(json::parse(r.output)["totals"]["mismatches"], 0);
  const CommandResult all =
      Tessera(Model("place", "--place " + Write("all.txt", "rows:99 stage2_conv2/Conv\n")));
  EXPECT_EQ(all.code, 2);
  EXPECT_THAT(all.output, HasSubstr("cannot make 99 of the 14 rows of stage2_conv2/Conv; it can "
                                    "make 1 to 13 of them"));
}

// On a small machine beside a host that is as fast, both make some layers.
TEST(Place, AGoalSharesLayers) {
  const json placed = PlacedFor("latency", "--config tiny");
  EXPECT_GT(Metric(placed["metrics"], "together"), 0);
  EXPECT_LT(Metric(placed["metrics"], "total"),
            0.97 * Metric(placed["metrics_all_on_host"], "total"));
  EXPECT_EQ(Metric(PlacedFor("auto", "--config tiny")["metrics"], "together"), 0);
}

TEST(Place, MeasuredTimesAreThoseOfARun) {
  const json placed = PlacedFor("auto", "--measure cycle");
  const json& run = placed["measured"];
  EXPECT_EQ(run["device"], "cycle");
  EXPECT_FALSE(run["same_cpu"]) << "cortex-a9 is not this computer";
  double layers = 0;
  for (size_t l = 0; l < placed["breakdowns"].size(); ++l) {
    if (placed["entities"][l + 1]["placement"] != "accelerator") continue;
    for (const json& metric : placed["breakdowns"][l]["metrics"]) {
      if (metric["name"] == "measured") layers += metric["value"].get<double>();
    }
  }
  const double accelerator = Metric(run["metrics"], "accelerator");
  EXPECT_NEAR(accelerator, 1e-8 * static_cast<double>(FashionCycles()), 1e-9);  // at 100 MHz
  EXPECT_NEAR(layers, accelerator, 1e-9);
  EXPECT_GT(Metric(run["metrics"], "host"), 0);
  EXPECT_GT(Metric(run["metrics"], "transfers"), 0);
  const CommandResult text = Tessera(Model("place", "--measure cycle"));
  EXPECT_THAT(text.output, ::testing::ContainsRegex("stage1_conv1_conv/Conv +conv +accelerator "
                                                    "+[0-9.]+ us +[0-9.]+ us +[-+][0-9]+ %"));
  EXPECT_THAT(text.output, HasSubstr("`tessera devices --measure` describes this computer"));
}

TEST(Place, AMeasurementNeedsAClock) {
  for (const auto& [device, said] :
       {std::pair{"func", "the device has no clock; take cycle, rtl or a board"},
        std::pair{"cpu", "it does not run the accelerator's programs"},
        std::pair{"nothing", "nothing"}}) {
    const CommandResult r = Tessera(Model("place", std::string("--measure ") + device));
    EXPECT_EQ(r.code, 2) << device;
    EXPECT_THAT(r.output, HasSubstr(said));
  }
}

// The forecast for this computer, and the run on it.
TEST(Place, AMeasuredComputerIsAConfiguration) {
  const std::string file = TempPath("here.json");
  const CommandResult r = Tessera("devices --measure --config tiny -o " + file);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, ::testing::ContainsRegex("clock_mhz +[0-9,]+ +MHz"));
  const json config = json::parse(Read(file));
  EXPECT_EQ(config["name"], "tiny");
  const json& cpu = config["cpu"];
  EXPECT_THAT(cpu["name"].get<std::string>(), ::testing::StartsWith("x86-64-"));
  // Bounds of any computer that this runs on, an emulated one too.
  for (const auto& [key, least, most] :
       {std::tuple{"clock_mhz", 10, 10000}, std::tuple{"cores", 1, 1024},
        std::tuple{"memory_mb_s", 10, 1000000}, std::tuple{"pack_mb_s", 1, 1000000}}) {
    EXPECT_GE(cpu[key].get<int>(), least) << key;
    EXPECT_LE(cpu[key].get<int>(), most) << key;
  }
  const json placed = PlacedFor("auto", "--measure cycle --config " + file);
  EXPECT_TRUE(placed["measured"]["same_cpu"]);
  for (const auto& [words, said] : {std::pair{"--measure func", "leave func out"},
                                    std::pair{"-o x.json", "goes with --measure"},
                                    std::pair{"--config tiny", "goes with --measure"},
                                    std::pair{"--measure -o /nowhere/x.json", "/nowhere/x.json"}}) {
    const CommandResult wrong = Tessera(std::string("devices ") + words);
    EXPECT_EQ(wrong.code, 2) << words;
    EXPECT_THAT(wrong.output, HasSubstr(said));
  }
}

// What layers took is kept in a file, and is their cost afterwards.
TEST(Place, TimesOfLayersAreKept) {
  const std::string here = TempPath("times.json"), file = TempPath("layers.times");
  ASSERT_EQ(Tessera("devices --measure -o " + here).code, 0);
  const json learnt = PlacedFor("latency", "--measure cycle --config " + here + " --times " + file);
  EXPECT_TRUE(learnt["measured"]["same_cpu"]);
  const std::string text = Read(file);
  EXPECT_THAT(text, HasSubstr("\nmachine "));
  EXPECT_THAT(text, ::testing::ContainsRegex("\nhost [0-9a-f]+ [0-9.e-]+ fc/Gemm\n"));
  // The host's layers of the placement cost what the file says.
  const json placed = PlacedFor("latency", "--config " + here + " --times " + file);
  for (size_t l = 0; l < placed["breakdowns"].size(); ++l) {
    const json& entity = placed["entities"][l + 1];
    if (entity["placement"] != "host") continue;
    const std::string name = entity["name"];
    const double seconds = Metric(placed["breakdowns"][l]["metrics"], "here");
    EXPECT_TRUE(seconds == 0 || text.find(fmt::format(" {:.4g} ", seconds)) != std::string::npos)
        << name << " " << seconds;
  }

  EXPECT_EQ(Read(file), text) << "it is only read without --measure";
  const CommandResult other = Tessera(Model("place", "--times " + file));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.output, HasSubstr("the processor of configuration default is cortex-a9"));
  const CommandResult none = Tessera(Model("place", "--config " + here + " --times no.times"));
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.output, HasSubstr("--times no.times: there is no such file; with --measure"));
  const std::string strange = Write("strange.times", "machine another\n");
  const CommandResult moved = Tessera(Model("place", "--config " + here + " --times " + strange));
  EXPECT_EQ(moved.code, 2);
  EXPECT_THAT(moved.output, HasSubstr("the times are of 'another', and this is '"));
  const std::string damaged = Write("damaged.times", text + "host fc/Gemm\n");
  const CommandResult wrong = Tessera(Model("place", "--config " + here + " --times " + damaged));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.output, HasSubstr("'host fc/Gemm' is no time of a layer"));
}

TEST(Place, WattsAreTwoNumbers) {
  for (const char* word : {"energy", "energy:1", "energy:1,", "energy:-1,2", "energy:1,2x",
                           "energy:1,2,", "energy:1,2,3,4"}) {
    const CommandResult r = Tessera(Model("place", std::string("--place ") + word));
    EXPECT_EQ(r.code, 2) << word;
    EXPECT_THAT(r.output, HasSubstr("give the watts of the host and of the accelerator")) << word;
  }
}

TEST(Place, AFileThatCannotBeMetIsRefused) {
  const struct {
    const char *text, *said;
  } cases[] = {
      {"gpu fc/Gemm\n", "line 1: 'gpu fc/Gemm' is no placement"},
      {"host fc/Gem\n", "the network has no layer fc/Gem; the name most like it is fc/Gemm"},
      {"accelerator logits\n", "the accelerator cannot run logits: OUT holds int8"},
      {"host fc/Gemm\nhost fc/Gemm\n", "line 2: layer fc/Gemm has a device already"},
      {"both fc/Gemm\n", "line 1: 'both fc/Gemm' is no placement"},
      {"both:16 logits\n", "logits is no convolution or dense layer of int8 with one group"},
      {"both:24 stage2_conv2/Conv\n", "it can make 16 to 16 of them, in steps of 16"},
  };
  for (const auto& [text, said] : cases) {
    const std::string file = Write("wrong.txt", text), net = TempPath("none.tsr");
    for (const std::string& command :
         {Model("place", "--place " + file), Model("compile", "-o " + net + " --place " + file)}) {
      const CommandResult r = Tessera(command);
      EXPECT_EQ(r.code, 2) << command << r.output;
      EXPECT_THAT(r.output, HasSubstr(said)) << command;
      EXPECT_EQ(Read(net), "");
    }
  }
  const CommandResult none = Tessera(Model("place", "--place " + TempPath("absent.txt")));
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.output, HasSubstr("absent.txt"));
}

}  // namespace
}  // namespace tessera::test::place_test
