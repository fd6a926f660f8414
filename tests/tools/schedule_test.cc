// SPDX-License-Identifier: Apache-2.0
//
// What is tested: schedules given to `tessera compile`. The output of --dump schedule, given back,
// makes the same artifact; an edited schedule of a layer, for host or accelerator, gives other code
// and the same integers; an artifact shows its schedules; each message about an invalid schedule.
// Space: the committed network. Not tested here: what steps compute (tests/compiler/lower), traces
// of the accelerator (tests/compiler/accel).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/command.h"

namespace tessera::test::schedule_test {
namespace {

// Replaces the first |from| behind |after| in |text| by |to|.
std::string Edited(std::string text, const std::string& after, const std::string& from,
                   const std::string& to) {
  const size_t start = text.find(after);
  const size_t at = start == std::string::npos ? start : text.find(from, start);
  EXPECT_NE(at, std::string::npos) << after << ", " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string Compile(const std::string& more) {
  return std::string("compile ") + kModel + " " + more;
}

class Schedules : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dump = new std::string;
    const CommandResult r =
        Tessera(Compile("-o " + TempPath("plain.tsr") + " --json - --dump schedule"));
    ASSERT_EQ(r.code, 0) << r.output;
    *dump = r.output.substr(0, r.output.find("\n{\n") + 1);
    ASSERT_NE(dump->find("accelerator "), std::string::npos);
  }
  static std::string* dump;
};
std::string* Schedules::dump = nullptr;

constexpr const char* kLayerSteps = "tests/tools/layer_steps.txt";
constexpr const char *kHost = "host stem_conv/Conv:", *kAccel = "accelerator stem_conv/Conv:";

// Sets decision |name| of |schedule|, which is that of the first layer.
void Decide(std::string* text, const char* schedule, const std::string& name,
            const std::string& value) {
  const size_t step = text->find("decide " + name + " ", text->find(schedule));
  ASSERT_NE(step, std::string::npos) << *text;
  const size_t end = text->find('\n', step), last = text->rfind(' ', end) + 1;
  text->replace(last, end - last, value);
}

TEST_F(Schedules, WhatIsPrintedGivesTheSameArtifact) {
  const std::string file = Write("all.txt", *dump), net = TempPath("again.tsr");
  const CommandResult r = Tessera(Compile("-o " + net + " --schedule " + file));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_TRUE(Read(net) == Read(TempPath("plain.tsr")));
  // An artifact shows its schedules too.
  const CommandResult told = Tessera("info " + net + " --schedules");
  ASSERT_EQ(told.code, 0) << told.output;
  const CommandResult third =
      Tessera(Compile("-o " + net + " --schedule " + Write("told.txt", told.output)));
  ASSERT_EQ(third.code, 0) << third.output;
  EXPECT_TRUE(Read(net) == Read(TempPath("plain.tsr")));
}

// One layer's schedules out of the file of all: other code, the same integers.
TEST_F(Schedules, AnEditedScheduleGivesOtherCodeAndTheSameIntegers) {
  std::string text = *dump;
  Decide(&text, kHost, "points", "2");
  Decide(&text, kAccel, "rows", "1");
  const std::string file = Write("edited.txt", text), net = TempPath("edited.tsr");
  const CommandResult r =
      Tessera(Compile("-o " + net + " --keep-tensors --schedule stem_conv/Conv=" + file));
  ASSERT_EQ(r.code, 0) << r.output;
  const CommandResult plain = Tessera(Compile("-o " + TempPath("kept.tsr") + " --keep-tensors"));
  ASSERT_EQ(plain.code, 0) << plain.output;
  const auto instructions = [](const std::string& artifact) {
    const std::string json = TempPath("info.json");
    EXPECT_EQ(Tessera("info " + artifact + " --json " + json).code, 0);
    return nlohmann::json::parse(Read(json)).at("programs").at(0).at("instructions").get<int>();
  };
  EXPECT_GT(instructions(net), instructions(TempPath("kept.tsr")));
  const CommandResult told = Tessera("info " + net + " --schedules");
  EXPECT_THAT(told.output,
              ::testing::ContainsRegex("\ndecide points factors .* most [$]dot.sums 2\n"));
  const CommandResult same =
      Tessera("compare " + net + " --devices cpu,func --first 2 --input " + kImages);
  EXPECT_EQ(same.code, 0) << same.output;
}

// The schedules of |target| in |text|, by layer.
std::map<std::string, std::string> Sections(const std::string& text, const std::string& target) {
  std::map<std::string, std::string> sections;
  std::string* section = nullptr;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) section = nullptr;
    if (line.starts_with(target + " ") && line.ends_with(":"))
      section = &sections[line.substr(target.size() + 1, line.size() - target.size() - 2)];
    if (section != nullptr) *section += line + "\n";
  }
  return sections;
}

// With --keep-tensors a result that stays on chip is stored too, by a schedule of its own that the
// dump prints, a user can edit and the compiler reads back.
TEST_F(Schedules, EveryResultThatIsStoredHasItsStoreInASchedule) {
  const std::string net = TempPath("kept.tsr"), again = TempPath("kept_again.tsr");
  const CommandResult dumped = Tessera(Compile("--keep-tensors --dump schedule"));
  ASSERT_EQ(dumped.code, 0) << dumped.output;
  ASSERT_EQ(Tessera(Compile("-o " + net + " --keep-tensors")).code, 0);
  const auto layers = Sections(dumped.output, "accelerator"),
             stores = Sections(dumped.output, "accelerator.store");
  const auto count = [](const std::string& text) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(" tile.store\n", at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(layers.size(), 11u);
  const auto stays = [&](const auto& layer) { return count(layer.second) == 0; };
  EXPECT_EQ(stores.size(), static_cast<size_t>(std::ranges::count_if(layers, stays)));
  EXPECT_GE(stores.size(), 7u);
  for (const auto& [layer, steps] : layers) {
    const auto store = stores.find(layer);
    EXPECT_EQ(count(steps) + (store == stores.end() ? 0 : count(store->second)), 1u) << layer;
  }
  const std::string whole = Write("kept.txt", dumped.output);
  ASSERT_EQ(Tessera(Compile("-o " + again + " --keep-tensors --schedule " + whole)).code, 0);
  EXPECT_TRUE(Read(net) == Read(again));
  // Another schedule of one store gives another artifact and the same integers.
  const std::string steps = stores.at("stage1_conv2/Conv+stage1_add/Add");
  const size_t step = steps.find("decide rows ");
  ASSERT_NE(step, std::string::npos) << steps;
  const size_t end = steps.find('\n', step), last = steps.rfind(' ', end) + 1;
  std::string edited = steps;
  edited.replace(last, end - last, "1");
  const std::string one = Write("store.txt", edited);
  const CommandResult r = Tessera(Compile("-o " + again + " --keep-tensors --schedule " + one));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_FALSE(Read(net) == Read(again));
  const CommandResult same =
      Tessera("compare " + again + " --devices cpu,func --first 2 --input " + kImages);
  EXPECT_EQ(same.code, 0) << same.output;
  // Without a store the schedule belongs to none and is refused.
  const CommandResult none = Tessera(Compile("-o " + again + " --schedule " + one));
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.output.find("is given, but it only stays on chip (with --keep-tensors it is "
                             "stored too); leave it out"),
            std::string::npos)
      << none.output;
  const CommandResult itself =
      Tessera(Compile("-o " + again + " --keep-tensors --schedule " +
                      Write("itself.txt", "accelerator.store fc/Gemm:\ndecide rows {1} 1\n")));
  EXPECT_EQ(itself.code, 2);
  EXPECT_NE(itself.output.find("is given, but its layer writes it to device memory itself"),
            std::string::npos)
      << itself.output;
  const CommandResult host = Tessera(
      Compile("-o " + again + " --schedule " +
              Write("host.txt", "accelerator.store input_q/QuantizeLinear:\ndecide rows {1} 1\n")));
  EXPECT_NE(host.output.find("has no code for the accelerator's store, so it takes no schedule"),
            std::string::npos)
      << host.output;
}

// A schedule of an accelerator layer with every step written out gives a program of its own and the
// same integers, and compiles again from the artifact's output.
TEST_F(Schedules, ALayerOfTheAcceleratorByStepsGivesTheSameIntegers) {
  const std::string net = TempPath("steps.tsr");
  const CommandResult r =
      Tessera(Compile("-o " + net + " --keep-tensors --schedule " + kLayerSteps));
  ASSERT_EQ(r.code, 0) << r.output;
  const CommandResult same =
      Tessera("compare " + net + " --devices cpu,func --first 2 --input " + kImages);
  EXPECT_EQ(same.code, 0) << same.output;
  EXPECT_NE(same.output.find("all 133,488 compared values are equal"), std::string::npos)
      << same.output;
  const CommandResult told = Tessera("info " + net + " --schedules");
  EXPECT_NE(told.output.find("\ntensorize o lane tile.add\n"), std::string::npos) << told.output;
  const std::string again = TempPath("steps_again.tsr");
  ASSERT_EQ(Tessera(Compile("-o " + again + " --keep-tensors --schedule " +
                            Write("told.txt", told.output)))
                .code,
            0);
  EXPECT_TRUE(Read(net) == Read(again));
}

// Leaves out each step of an accelerator layer once: the result is another program with the same
// results, or one line with the reason. The compiler finds every step that others depend on.
TEST_F(Schedules, WithoutAnyOfItsStepsALayerIsTheSameOrRefused) {
  const size_t from = dump->find("accelerator stage1_conv1_conv/Conv:");
  ASSERT_NE(from, std::string::npos);
  std::istringstream in(dump->substr(from, dump->find("\n\n", from) - from));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const std::string net = TempPath("less.tsr"), result = TempPath("less.npy");
  const auto run = [&](const std::string& text) {
    const CommandResult r =
        Tessera(Compile("--target vta -o " + net + " --schedule " + Write("less.txt", text)));
    if (r.code != 0) return r;
    return Tessera("run " + net + " --device func --first 4 --input " + std::string(kImages) +
                   " --output " + result);
  };
  const auto all = [&](const std::function<bool(size_t)>& keep) {
    std::string text;
    for (size_t k = 0; k < lines.size(); ++k) text += keep(k) ? lines[k] + "\n" : "";
    return text;
  };
  ASSERT_EQ(run(all([](size_t) { return true; })).code, 0);
  const std::string want = Read(result);
  int same = 0, refused = 0;
  for (size_t without = 1; without < lines.size(); ++without) {
    if (lines[without].starts_with("#")) continue;
    const CommandResult r = run(all([&](size_t k) { return k != without; }));
    SCOPED_TRACE(lines[without] + "\n" + r.output);
    if (r.code == 0) {
      EXPECT_TRUE(Read(result) == want);
      ++same;
      continue;
    }
    EXPECT_EQ(r.code, 2);
    EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 1);
    EXPECT_NE(r.output.find("stage1_conv1_conv/Conv: "), std::string::npos);
    ++refused;
  }
  EXPECT_GE(same, 5);
  EXPECT_GE(refused, 20);
  // A first version written by hand: without double buffers.
  const CommandResult plain =
      run(all([&](size_t k) { return !lines[k].starts_with("double_buffer "); }));
  EXPECT_EQ(plain.code, 0) << plain.output;
  EXPECT_TRUE(Read(result) == want);
}

TEST_F(Schedules, StepsThatTheLayerCannotHaveAreRefused) {
  const std::string steps = Read(kLayerSteps);
  const auto lines = std::ranges::count(steps, '\n');
  const struct {
    std::string text, message;
  } kBad[] = {
      {steps + "layout stem_q 0,2,3,1\n", "bad.txt:" + std::to_string(lines + 1) +
                                              ": step 64 (layout stem_q 0,2,3,1): "
                                              "between layers stem_q has another layout (layout "
                                              "stem_q 0,1/16,2,3,1%16); cache_read or "
                                              "cache_write makes a copy that may have this one"},
      {steps + "cache_read stem_q global copy r.i\nprepare copy\nlayout copy 0,1/16,2,3,1%16\n",
       "copy cannot be prepared: it reads stem_q, which is no constant, nor an input that the host "
       "packs"},
      {Edited(Edited(steps, "tile stage1_q", "4 14", "28 28"), "in_place",
              "in_place stage1_conv2_q o", ""),
       " of what is there with them; "},
      {Edited(steps, "tile stage1_q", "4 14", "0 14"), "a factor of 0 is below 1"},
      {Edited(steps, "cache_read", "wgt", "local"), "has no memory 'local'"},
      {Edited(steps, "tensorize o", "tile.add", "dot_u8s8x16"), "has no intrinsic 'dot_u8s8x16'"},
      {Edited(steps, "tensorize o", "tile.add", "tile.requant"),
       "(tensorize o lane tile.requant): o: the nest is not tile.requant: the expression differs"},
      {Edited(steps, "tensorize stage1_q", "tensorize stage1_q lane tile.store", ""),
       "stage1_q: a statement that is no tile of work; tensorize the loops of its stage"},
  };
  for (const auto& bad : kBad) {
    const std::string net = TempPath("bad.tsr");
    const CommandResult r =
        Tessera(Compile("-o " + net + " --schedule " + Write("bad.txt", bad.text)));
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_NE(r.output.find(bad.message), std::string::npos) << bad.message << "\n" << r.output;
    EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 1) << r.output;
    EXPECT_FALSE(std::ifstream(net).good()) << "an artifact is left";
  }
}

TEST_F(Schedules, WhatIsNoScheduleOfTheNetworkIsRefusedByNameAndLine) {
  struct Bad {
    std::string text, message;
    std::string options = "";
  };
  const Bad kBad[] = {
      {"", "no layer's schedule is in it; --dump schedule prints what belongs there"},
      {"# nothing\n\n", "no layer's schedule is in it"},
      {std::string(5000, 'x'), "bad.txt:1: '" + std::string(70, 'x')},
      {Edited(Read(kLayerSteps), "", "prepare p\n", ""),
       "stage1_conv2/Conv+stage1_add/Add: p is in global memory, where a program has its inputs "
       "and results alone; set_scope p to a scratchpad, inline it, or prepare it"},
      {"inline y\n", "bad.txt:1: 'inline y' belongs to no layer; a line 'host LAYER:'"},
      {"host conv99:\ninline y\n",
       "bad.txt:1: no layer 'conv99' for the schedule that is given; there are "
       "input_q/QuantizeLinear"},
      {std::string(kHost) + "\n\n" + kHost + "\n",
       "bad.txt:3: layer stem_conv/Conv has a trace for the host already"},
      {std::string(kHost) + "\n# fine\njump q\n", "bad.txt:3: 'jump' is no primitive"},
      {std::string(kHost) + "\nsplit stem_q q 2 o n\n",
       "bad.txt:2: step 1 (split stem_q q 2 o n): stage stem_q has no loop 'q'"},
      // Lines in messages count in the file, steps in the layer.
      {"# a file\n\n" + std::string(kHost) + "\n# fine\n\nvectorize stem_q c # so far\n\n" +
           "split stem_q q 2 o n\n",
       "bad.txt:8: step 2 (split stem_q q 2 o n): stage stem_q has no loop 'q'"},
      {std::string(kHost) + "\n\nsplit stem_q q\n",
       "bad.txt:3: (split stem_q q): 2 words; write "
       "split STAGE"},
      {std::string(kHost) + "\nsplit stem_q c 0 o n\n", "a factor of 0 is below 1"},
      {std::string(kHost) + "\nsplit stem_q c 2147483649 o n\n",
       "a factor of 2147483649 is above 2^31"},
      {std::string(kHost) + "\nset_scope stem_q.sum acc\n", "host has no memory 'acc'"},
      {std::string(kHost) + "\ntensorize stem_q.sum ci tile.gemm\n",
       "host has no intrinsic 'tile.gemm'"},
      {std::string(kHost) + "\nlayout stem_q 1,0,2,3\n",
       "bad.txt:2: step 1 (layout stem_q 1,0,2,3): layer stem_conv/Conv: its schedule gives "
       "stem_q the layout 1,0,2,3, but between layers tensors are row-major or "
       "0,2,3,1"},
      {Edited(*dump, kAccel, "decide rows", "decide rowes"),
       "(split stem_q.sum y $rows y.o y.i): no decision 'rows'"},
      {"accelerator input_q/QuantizeLinear:\n", "has no code for the accelerator"},
      {"host.network stem_conv/Conv:\nstay\n",
       "bad.txt:2: not for the host's network; its steps are: channels_last"},
      {"accelerator.network stem_conv/Conv:\nchannels_last\n",
       "bad.txt:2: not for the accelerator's network; its steps are: stay, turns"},
      {"host.network fc/Gemm:\nchannels_last\n",
       "bad.txt:2: fc/Gemm: its result is row-major, because others than layers of the host have"},
      {"host.network stem_conv/Conv:\n", "has no code for the host's network", "--target vta"},
      {std::string(kAccel) + "\n", "has no code for the accelerator", "--target cpu"},
      {std::string(kHost) + "\n", "has no code for the host", "--target vta"},
      {std::string(kHost) + "\n", "has no code for the host", "--target opencl"},
  };
  for (const Bad& bad : kBad) {
    const std::string net = TempPath("bad.tsr");
    const CommandResult r = Tessera(
        Compile("-o " + net + " " + bad.options + " --schedule " + Write("bad.txt", bad.text)));
    EXPECT_EQ(r.code, 2) << bad.text << r.output;
    EXPECT_NE(r.output.find(bad.message), std::string::npos) << bad.message << "\n" << r.output;
    EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 1) << r.output;
    EXPECT_FALSE(std::ifstream(net).good()) << "an artifact is left";
  }
  const std::string file = Write("all.txt", *dump);
  EXPECT_NE(Tessera(Compile("--dump te --schedule q=" + file))
                .output.find("--schedule q=" + file + ": no schedule of layer q is in " + file),
            std::string::npos);
  EXPECT_NE(Tessera(Compile("--dump te --schedule " + file + " --schedule " + file))
                .output.find("has a schedule for the host's network already"),
            std::string::npos);
  for (const std::string given : {"=", "q=", "=x"}) {
    EXPECT_NE(Tessera(Compile("--dump te --schedule " + given))
                  .output.find("--schedule " + given + ": give FILE, or LAYER=FILE"),
              std::string::npos);
  }
  EXPECT_EQ(Tessera(Compile("--dump te --schedule " + TempPath("none.txt"))).code, 2);
  const CommandResult model = Tessera(std::string("info ") + kModel + " --schedules");
  EXPECT_NE(model.output.find("no artifact; only those have schedules"), std::string::npos);
}

// A tile of the whole layer does not fit the scratchpads of a small machine.
TEST_F(Schedules, TilesThatDoNotFitAreRefused) {
  const CommandResult small = Tessera(Compile("--config tiny --dump schedule"));
  ASSERT_EQ(small.code, 0) << small.output;
  std::string text = small.output;
  // The generator's domain has only tiles that fit; the schedule asks for this one with a domain of
  // its own.
  std::string picked = text;
  Decide(&picked, kAccel, "rows", "28");
  Decide(&picked, kAccel, "columns", "28");
  EXPECT_NE(Tessera(Compile("--dump te --config tiny --schedule " + Write("big.txt", picked)))
                .output.find("28 is not in the domain of columns"),
            std::string::npos);
  for (const std::string name : {"rows", "columns", "inputs"}) {
    const size_t line = text.find("decide " + name, text.find(kAccel));
    const std::string value = name == "inputs" ? "1" : "28";
    text.replace(line, text.find('\n', line) - line,
                 "decide " + name + " {" + value + "} " + value);
  }
  const CommandResult r = Tessera(
      Compile("-o " + TempPath("big.tsr") + " --config tiny --schedule " + Write("big.txt", text)));
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_NE(r.output.find("two copies are 26624 bytes of acc, beside 0 of what is there with "
                          "them; acc has 4096; choose a smaller tile of work"),
            std::string::npos)
      << r.output;
}

}  // namespace
}  // namespace tessera::test::schedule_test
