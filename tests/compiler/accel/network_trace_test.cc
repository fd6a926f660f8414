// SPDX-License-Identifier: Apache-2.0
//
// What is tested: network traces: their text and its errors; the traces that the planner chooses,
// given again, make the same program, alone and with the schedules of the layers; any legal traces
// make a program that computes the right numbers; a chain writes over nothing that it still reads;
// traces that cannot be carried out are refused by name. Space: seeded networks on four
// configurations, every step, random decisions, each refusal once. Not tested here: what the
// planner chooses (turns_test, tests/models), files of traces
// (tests/compiler/accel/own_schedule_test).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/driver/compile.h"
#include "compiler/schedule/network_step.h"
#include "compiler/schedule/trace_file.h"
#include "isa/check/check.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::network_trace_test {
namespace {

using schedule::NetworkTrace;
using ::testing::HasSubstr;

TEST(NetworkTraces, AreTextAndBack) {
  const std::string text = "stay\nturns 3 2 1 4\nroom 4\ntaps 3\n";
  const auto trace = schedule::ParseNetworkTrace("# kept\n" + text);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(schedule::Print(*trace), text);
  EXPECT_EQ(schedule::StepOf<schedule::TurnsStep>(*trace)->rows, 2);
  EXPECT_EQ(schedule::StepOf<schedule::TurnsStep>(*trace)->blocks, 4);
  EXPECT_EQ(schedule::Print(*schedule::ParseNetworkTrace("turns 3 2 0")), "turns 3 2 0\n");
  EXPECT_EQ(schedule::StepOf<schedule::RoomStep>(*schedule::ParseNetworkTrace("")), nullptr);
  EXPECT_EQ(schedule::NetworkStepUsages().size(), 4u);
  EXPECT_EQ(schedule::NetworkStepUsages(true).size(), 1u);
  const auto layers = schedule::ParseTraceFile(
      "accelerator.network a b:\nroom 2\naccelerator a b:\ninline x\n", "f.txt");
  ASSERT_TRUE(layers) << layers.error().message;
  ASSERT_EQ(layers->size(), 2u);
  EXPECT_EQ(schedule::Print((*layers)[0]), "accelerator.network a b:\nroom 2\n\n");
  EXPECT_TRUE((*layers)[1].network.empty());
}

TEST(NetworkTraces, BadTextIsRefused) {
  const auto message = [](const std::string& text) {
    const auto trace = schedule::ParseNetworkTrace(text, "f.txt");
    return trace ? "parsed" : trace.error().message;
  };
  EXPECT_EQ(message("\nrest"),
            "f.txt:2: 'rest' is no primitive; there are stay turns room taps channels_last");
  EXPECT_EQ(message("turns 2 1"),
            "f.txt:1: (turns 2 1): 2 words; write turns LAYERS ROWS SPARE [BLOCKS]");
  EXPECT_EQ(message("turns 2 1 1 1 1"),
            "f.txt:1: (turns 2 1 1 1 1): 5 words; write turns LAYERS ROWS SPARE [BLOCKS]");
  EXPECT_EQ(message("turns 2 1 1 all"), "f.txt:1: (turns 2 1 1 all): 'all' is no number");
  EXPECT_EQ(message("room much"), "f.txt:1: (room much): 'much' is no number");
  EXPECT_EQ(message("stay now"), "f.txt:1: (stay now): 1 words; write stay");
  EXPECT_EQ(message("stay\nroom 1\nstay"),
            "f.txt:3: 'stay' is there already; leave one of the two out");
}

// A few layers. The results of some fit INP.
graph::TensorId Layers(Net& net, const isa::Config& config) {
  Rng& rng = net.rng();
  const int64_t block = config.block_out, tiles = config.Depth(isa::Memory::kInp);
  const int64_t columns = rng.Range(6, 20), rows = std::max<int64_t>(tiles / columns / 3, 4);
  auto x = net.Input({1, 3, rows, columns});
  x = net.Conv(x, block, Square(3));
  for (int64_t k = rng.Range(2, 5); k > 0; --k) {
    const int64_t channels = net.graph().tensor(x).shape[1];
    if (rng.OneIn(5)) {
      x = net.Conv(x, rng.Range(block + 1, 4 * block), Square(1));
      x = net.Conv(x, net.graph().tensor(x).shape[1], Square(3), net.graph().tensor(x).shape[1]);
    } else if (rng.OneIn(3)) {
      x = net.Conv(x, channels, Square(3), channels);
    } else if (rng.OneIn(3)) {
      x = net.Add(x, net.Conv(x, channels, Square(1)));
    } else {
      x = net.Conv(x, rng.Range(1, 2) * block, Square(rng.OneIn(2) ? 1 : 3));
    }
  }
  return x;
}

// A block of MobileNetV2 on few rows, whose wide tensors do not fit in INP beside each other: the
// planner takes turns by blocks of channels, with all rows in a tile.
graph::TensorId Bottleneck(Net& net, const isa::Config& config) {
  Rng& rng = net.rng();
  const int64_t rows = rng.Range(5, 9), block = config.block_out;
  const int64_t tiles = config.Depth(isa::Memory::kInp) / (rows * rows);
  const int64_t wide = std::max<int64_t>(tiles, 2) * block * rng.Range(1, 3);
  const int64_t channels = std::max<int64_t>(wide / block / 6, 1) * block;
  auto x = net.Input({1, channels, rows, rows});
  x = net.Conv(x, wide, Square(1));
  x = net.Conv(x, wide, Square(3, rng.OneIn(3) ? 2 : 1), wide);
  return net.Conv(x, channels, Square(1));
}

class NetworkTraceTest : public ::testing::TestWithParam<const char*> {};

TEST_P(NetworkTraceTest, OfThePlannerMakeTheSameProgram) {
  const isa::Config config = NamedConfig(GetParam());
  size_t steps = 0, by_blocks = 0;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Net net(seed);
    net.Output(seed < 12 ? Layers(net, config) : Bottleneck(net, config));
    auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled) << compiled.error().message;
    const network::ProgramPlan plan = compiled->program.plan;
    ASSERT_EQ(plan.network.size(), compiled->regions.size());
    for (size_t r = 0; r < plan.network.size(); ++r) {
      compiled->regions[r].network = plan.network[r];
      steps += plan.network[r].size();
      const auto* turns = schedule::StepOf<schedule::TurnsStep>(plan.network[r]);
      by_blocks += seed >= 12 && turns != nullptr && turns->blocks ? 1 : 0;
    }
    const auto again = CompileAlone(compiled->activations, compiled->regions, config);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->image == compiled->program.image);
    for (size_t r = 0; r < plan.network.size(); ++r)
      EXPECT_EQ(schedule::Print(again->plan.network[r]), schedule::Print(plan.network[r]));
    // With the schedules too, the traces say nothing else.
    for (size_t r = 0; r < plan.network.size(); ++r)
      compiled->regions[r].schedule = compiled->program.traces[r];
    const auto given = CompileAlone(compiled->activations, compiled->regions, config);
    ASSERT_TRUE(given) << given.error().message;
    EXPECT_TRUE(given->image == compiled->program.image);
  }
  EXPECT_GT(steps, 12u);
  // On tiny and batch4, device memory costs less than such turns.
  EXPECT_GE(by_blocks, config.name == "tiny" || config.name == "batch4" ? 0u : 1u);
}

TEST_P(NetworkTraceTest, AnyLegalOnesAreExact) {
  const isa::Config config = NamedConfig(GetParam());
  int legal = 0, by_blocks = 0;
  for (uint64_t seed = 100; seed < 108; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Net net(seed);
    net.Output(Layers(net, config));
    auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled) << compiled.error().message;
    Values values = RandomInputs(net.graph(), net.rng());
    Evaluate(*compiled, values);
    const auto choices = compiled->program.plan.residency.choices;
    const std::vector<lower::accel::AccelRegion> own = compiled->regions;
    for (int draw = 0; draw < 6; ++draw) {
      Rng rng(seed * 10 + static_cast<uint64_t>(draw));
      auto regions = own;
      size_t turns_until = 0;
      bool blocks = false;
      std::string text;
      for (size_t r = 0; r < regions.size(); ++r) {
        NetworkTrace& trace = regions[r].network.emplace();
        const bool in_turns = r < turns_until;
        if (!in_turns && choices[r].turns && rng.OneIn(3)) {
          const int64_t layers =
              r + 2 < regions.size() && choices[r + 1].turns && rng.OneIn(2) ? 3 : 2;
          schedule::TurnsStep turns{layers, rng.Range(1, 3), rng.Range(0, 3)};
          const int64_t all =
              layers == 2 ? choices[r].blocks : std::min(choices[r].blocks, choices[r + 1].blocks);
          if (all > 1 && !rng.OneIn(4)) turns.blocks = rng.Range(1, all - 1);
          blocks |= turns.blocks.has_value();
          trace.emplace_back(turns);
          turns_until = r + static_cast<size_t>(layers) - 1;
        }
        if (r >= turns_until && choices[r].stays && rng.OneIn(2))
          trace.emplace_back(schedule::StayStep{});
        if (!in_turns && r >= turns_until && r + 1 < regions.size() && rng.OneIn(3))
          trace.emplace_back(schedule::RoomStep{rng.Range(1, 7)});
        if (choices[r].taps && rng.OneIn(2))
          trace.emplace_back(schedule::TapsStep{rng.Range(1, 3)});
        text += fmt::format("{}:\n{}", r, schedule::Print(trace));
      }
      SCOPED_TRACE(text);
      const auto made = CompileAlone(compiled->activations, regions, config);
      if (!made) continue;  // INP is too small
      ++legal;
      by_blocks += blocks ? 1 : 0;
      compiled->regions = regions;
      compiled->program = *made;
      EXPECT_EQ(RunAndCompare(*compiled, config, values, 1), "");
      EXPECT_EQ(isa::CheckProgram(made->image, config).ToString(), "");
    }
  }
  EXPECT_GE(legal, 12) << "of 48";
  EXPECT_GE(by_blocks, 1) << "of 48";
}

INSTANTIATE_TEST_SUITE_P(Configurations, NetworkTraceTest,
                         ::testing::Values("default", "tiny", "wide", "batch4"),
                         [](const auto& param) { return std::string(param.param); });

// Three layers. The second and the third may take turns. The third reads the first, too.
class RefusedNetworkTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    Net net(5);
    const auto a = net.Conv(net.Input({1, 3, 40, 40}), 16, Square(3));
    const auto b = net.Conv(a, 16, Square(3));
    const auto c = net.Conv(b, 16, Square(3));
    net.Output(net.Add(a, c));
    auto compiled = Compile(net.graph(), config_);
    ASSERT_TRUE(compiled) << compiled.error().message;
    compiled_ = std::move(*compiled);
    ASSERT_EQ(compiled_.regions.size(), 3u);
  }
  // The error of the network trace |text| of region |r|.
  std::string ErrorOf(size_t r, const std::string& text) {
    auto regions = compiled_.regions;
    const auto trace = schedule::ParseNetworkTrace(text, "net.txt");
    if (!trace) return trace.error().message;
    regions[r].network = *trace;
    const auto made = CompileAlone(compiled_.activations, regions, config_);
    return made ? "compiled" : made.error().message;
  }

  isa::Config config_ = NamedConfig("default");
  Compiled compiled_;
};

TEST_F(RefusedNetworkTrace, SaysWhy) {
  EXPECT_EQ(ErrorOf(0, ""), "compiled");
  EXPECT_THAT(ErrorOf(2, "stay"), HasSubstr("net.txt:1: stay, but no region reads it"));
  EXPECT_THAT(ErrorOf(0, "turns 1 1 1"),
              HasSubstr("net.txt:1: turns: two layers or more take turns, with a row or more in a "
                        "tile and no fewer than 0 tiles to spare"));
  EXPECT_THAT(ErrorOf(0, "turns 2 1 -1"), HasSubstr("no fewer than 0 tiles to spare"));
  for (const char* blocks : {"turns 2 1 1 0", "turns 2 1 1 1", "turns 2 1 1 -1"}) {
    EXPECT_THAT(ErrorOf(1, blocks),
                HasSubstr("net.txt:1: turns: its result has 1 blocks of channels; turns are by "
                          "fewer, or for all at once without the number"));
  }
  EXPECT_THAT(ErrorOf(0, "turns 2 0 1"), HasSubstr("two layers or more take turns"));
  for (const char* much : {"turns 2 41 1", "turns 2 1 65", "turns 2 9000000000000000000 1"}) {
    EXPECT_THAT(ErrorOf(0, much),
                HasSubstr("net.txt:1: turns: its result has 40 rows, and at most 64 tiles can be "
                          "spare"));
  }
  EXPECT_THAT(ErrorOf(0, "turns 9000000000000000000 1 1"), HasSubstr("3 layers are left"));
  EXPECT_THAT(ErrorOf(0, "turns 9 1 1"), HasSubstr("net.txt:1: turns: 3 layers are left"));
  EXPECT_THAT(ErrorOf(0, "turns 2 1 1"),
              HasSubstr("cannot take turns: only the next layer may read its result, and another "
                        "one does"));
  EXPECT_THAT(ErrorOf(1, "stay\nturns 2 1 1"),
              HasSubstr("net.txt:1: stay: the layer takes turns, so that a band of the result is "
                        "in INP; leave out one of the two"));
  EXPECT_THAT(ErrorOf(1, "turns 2 30 3"),
              HasSubstr("net.txt:1: turns: its bands of rows do not fit into INP's 2048 tiles"));
  EXPECT_THAT(ErrorOf(2, "room 1"), HasSubstr("net.txt:1: room: no layer of its program"));
  EXPECT_THAT(ErrorOf(0, "room 8"), HasSubstr("net.txt:1: room: 1 to 7 eighths can be left"));
  EXPECT_THAT(ErrorOf(0, "taps 4"), HasSubstr("taps 4: the host packs no such taps for it"));
  EXPECT_THAT(ErrorOf(1, "taps 3"), HasSubstr("taps 3: the host packs no such taps for it"));
}

// Convolutions in a row, to |channels| channels, the first of |images| images, with |traces| by
// region; what Compile says.
std::string ErrorOfRow(int64_t images, const std::vector<std::string>& traces,
                       const AloneOptions& options = {}, int64_t channels = 16) {
  const isa::Config config = NamedConfig("default");
  Net net(6);
  auto x = net.Input({images, 16, 24, 24});
  for (int k = 0; k < 4; ++k) x = net.Conv(x, channels, Square(3));
  net.Output(x);
  auto compiled = Compile(net.graph(), config);
  if (!compiled) return compiled.error().message;
  for (size_t r = 0; r < traces.size(); ++r)
    compiled->regions[r].network = *schedule::ParseNetworkTrace(traces[r]);
  const auto made = CompileAlone(compiled->activations, compiled->regions, config, options);
  return made ? "compiled" : made.error().message;
}

TEST(NetworkTraces, OfSeveralLayersHaveToAgree) {
  EXPECT_EQ(ErrorOfRow(1, {"turns 3 1 1"}), "compiled");
  EXPECT_THAT(ErrorOfRow(1, {"turns 3 1 1", "turns 2 1 1"}),
              HasSubstr("turns: it takes turns with layers in front of it already"));
  EXPECT_THAT(ErrorOfRow(2, {"turns 2 1 1"}), HasSubstr("it has more images than a tile has rows"));
  EXPECT_THAT(ErrorOfRow(1, {"turns 2 1 1"}, {.store_all = true}),
              HasSubstr("cannot take turns: its result goes to device memory"));
  EXPECT_THAT(ErrorOfRow(1, {"turns 3 1 1 1"}, {}, 32),
              HasSubstr("turns: its layers cannot take turns by blocks of channels: of one of "
                        "them, each of its sums is over all channels, which only the last layer "
                        "may do; leave out the number"));
  EXPECT_THAT(ErrorOfRow(1, {"stay"}, {.residency = false}),
              HasSubstr("stay: it has to go to device memory"));
  EXPECT_THAT(ErrorOfRow(1, {"turns 2 1 1"}, {.residency = false}),
              HasSubstr("cannot take turns: its result has to be in device memory"));
}

// A layer that takes turns writes its result while the chain's first layer still reads its input.
TEST(NetworkTraces, OfTurnsKeepWhatTheyRead) {
  Net net(3);
  const auto read = net.Conv(net.Input({1, 16, 48, 48}), 16, Square(3), 16);
  const auto first = net.Conv(read, 16, Square(1));
  const auto last = net.Conv(net.Conv(first, 16, Square(3, 2), 16), 64, Square(1));
  net.Output(net.Conv(last, 8, Square(3)));
  const auto name = [&](graph::TensorId id) { return net.graph().tensor(id).name; };
  compiler::CompileOptions options;
  options.config = NamedConfig("default");
  options.cpu = false;
  options.schedules = {{schedule::kNetworkTrace, name(read), {}, {}},
                       {schedule::kNetworkTrace, name(first), {}, {schedule::TurnsStep{3, 2, 2}}},
                       {schedule::kNetworkTrace, name(last), {}, {}}};
  const auto compiled = compiler::Compile(net.graph(), "net", 1, options);
  EXPECT_TRUE(compiled) << compiled.error().message;
}

}  // namespace
}  // namespace tessera::test::network_trace_test
