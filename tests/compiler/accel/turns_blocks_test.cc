// SPDX-License-Identifier: Apache-2.0
//
// What is tested: regions that take turns by blocks of channels: random chains, with any numbers
// in their network traces, are exact under two interleavings of the units, pass the static
// checker, give the same program by their own schedules, and run without some double_buffer of
// these; schedules whose tiles and planes disagree are refused by name. Space: seeded chains of
// two to four layers on four configurations, whose last layer may sum over the channels; windows
// with and without pads and strides; tiles of some rows and of all; blocks that do and do not
// divide the channels. Not tested here: what the planner chooses (tests/models), turns for all
// channels (turns_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bits.h"
#include "isa/check/check.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::turns_blocks_test {
namespace {

using ::testing::HasSubstr;

int64_t CountPlanes(const std::vector<schedule::Trace>& traces, int64_t planes) {
  int64_t count = 0;
  for (const schedule::Trace& trace : traces) {
    for (const schedule::Step& step : trace) {
      const auto* fold = std::get_if<schedule::FoldStorageStep>(&step);
      count += fold != nullptr && fold->planes == planes ? 1 : 0;
    }
  }
  return count;
}

// A layer that makes channels, and others that keep them apart; with |sums| one more, which sums
// over them.
graph::TensorId Channels(Net& net, const isa::Config& config, int64_t layers, bool sums) {
  Rng& rng = net.rng();
  const int64_t block = config.block_out;
  auto x = net.Input({1, rng.Range(1, 2 * block), rng.Range(6, 30), rng.Range(4, 12)});
  const int64_t channels = rng.Range(block + 1, 5 * block);
  x = net.Conv(x, channels, Square(rng.OneIn(3) ? 3 : 1));
  for (int64_t k = 1; k < layers; ++k) {
    const std::vector<int64_t> shape = net.graph().tensor(x).shape;
    graph::Window w = Square(3, rng.OneIn(3) ? 2 : 1);
    if (rng.OneIn(4)) w.pad_before = {0, 0};
    if (rng.OneIn(4)) w.pad_after = {0, 0};
    if (w.OutExtent(0, shape[2]) < 1 || w.OutExtent(1, shape[3]) < 1) return x;
    x = rng.OneIn(4) ? net.MaxPool(x, w) : net.Conv(x, channels, w, channels);
  }
  const int64_t outs = rng.Range(1, 4 * block);
  return sums ? net.Conv(x, outs, Square(rng.OneIn(3) ? 3 : 1, rng.OneIn(4) ? 2 : 1)) : x;
}

class BlocksTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BlocksTest, TakeTurnsExactly) {
  const isa::Config config = NamedConfig(GetParam());
  int64_t made = 0, partial = 0, summed = 0, whole = 0, fixed = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Net net(seed);
    const bool sums = net.rng().OneIn(2);
    const int64_t apart = net.rng().Range(sums ? 1 : 2, 3), layers = apart + (sums ? 1 : 0);
    net.Output(Channels(net, config, apart, sums));
    auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    if (std::ssize(compiled->regions) != layers) continue;
    Rng& rng = net.rng();
    const int64_t blocks = CeilDiv(compiled->regions[0].output.shape()[1], config.block_out),
                  together = rng.Range(1, blocks - 1);
    const int64_t height = compiled->regions[0].output.shape()[2];
    const bool planes = rng.OneIn(3);
    const schedule::TurnsStep turns{layers, planes ? height : rng.Range(1, 3), rng.Range(0, 2),
                                    together};
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << ": " << schedule::Print({turns}) << blocks << " blocks");
    for (lower::accel::AccelRegion& region : compiled->regions) region.network.emplace();
    compiled->regions[0].network->emplace_back(turns);
    const auto program = CompileAlone(compiled->activations, compiled->regions, config);
    if (!program) {
      EXPECT_THAT(program.error().message,
                  ::testing::AnyOf(HasSubstr("do not fit"), HasSubstr("fits configuration")));
      continue;
    }
    ++made, partial += blocks % together == 0 ? 0 : 1;
    summed += sums ? 1 : 0, whole += planes && sums ? 1 : 0;
    compiled->program = *program;
    const std::vector<schedule::Trace> traces = program->traces;
    ASSERT_EQ(CountPlanes(traces, together), 2 * (layers - 1));
    Values values = RandomInputs(net.graph(), net.rng());
    Evaluate(*compiled, values);
    for (uint64_t units : {0, 1})
      EXPECT_EQ(RunAndCompare(*compiled, config, values, units), "") << "interleaving " << units;
    EXPECT_EQ(isa::CheckProgram(program->image, config).ToString(), "");
    for (size_t r = 0; r < traces.size(); ++r) {
      compiled->regions[r].network.reset();
      compiled->regions[r].schedule = traces[r];
    }
    const auto again = CompileAlone(compiled->activations, compiled->regions, config);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_TRUE(again->image == program->image);
    // A layer whose buffers have one copy, at a place of their own, takes turns too.
    for (size_t r = 0; r < traces.size(); ++r) {
      std::erase_if(*compiled->regions[r].schedule, [&](const schedule::Step& step) {
        return std::holds_alternative<schedule::DoubleBufferStep>(step) && net.rng().OneIn(2);
      });
    }
    const auto single = CompileAlone(compiled->activations, compiled->regions, config);
    if (!single) {  // the fixed places of all the layers are there at one time
      EXPECT_THAT(single.error().message, HasSubstr("at the same time"));
      continue;
    }
    ++fixed;
    compiled->program = *single;
    EXPECT_EQ(RunAndCompare(*compiled, config, values, 1), "") << "with buffers of one copy";
  }
  EXPECT_GE(made, 10) << "of 40";
  EXPECT_GE(fixed, made / 2);
  EXPECT_GE(partial, 1);
  EXPECT_GE(summed, 3);
  // The ACC of tiny has 256 tiles: too few for the sums of all rows of two layers.
  EXPECT_GE(whole, config.name == "tiny" ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(Configurations, BlocksTest,
                         ::testing::Values("default", "tiny", "wide", "batch4"),
                         [](const auto& param) { return std::string(param.param); });

// Two layers of three blocks of channels; tiles of work have all of them.
TEST(GivenPlanes, AreThereTogetherForATile) {
  const isa::Config config = NamedConfig("default");
  Net net(5);
  const auto x = net.Conv(net.Input({1, 8, 40, 16}), 48, Square(1));
  net.Output(net.Conv(x, 48, Square(3), 48));
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  for (lower::accel::AccelRegion& region : compiled->regions) region.network.emplace();
  compiled->regions[0].network->emplace_back(schedule::TurnsStep{2, 2, 2});
  const auto whole = CompileAlone(compiled->activations, compiled->regions, config);
  ASSERT_TRUE(whole.has_value()) << whole.error().message;
  const auto refused = [&](const ProgramAlone& from, int64_t planes) -> std::string {
    auto regions = compiled->regions;
    for (size_t r = 0; r < 2; ++r) {
      regions[r].network.reset();
      regions[r].schedule = from.traces[r];
      for (schedule::Step& step : *regions[r].schedule) {
        if (auto* fold = std::get_if<schedule::FoldStorageStep>(&step)) fold->planes = planes;
      }
    }
    const auto made = CompileAlone(compiled->activations, regions, config);
    return made ? "" : made.error().message;
  };
  EXPECT_EQ(refused(*whole, 3), "");
  EXPECT_THAT(refused(*whole, 1), HasSubstr("has 3 sets of 1 planes (fold_storage), and the "
                                            "outermost loop of its layer does not go over them"));
  std::get<schedule::TurnsStep>((*compiled->regions[0].network)[0]).blocks = 1;
  const auto apart = CompileAlone(compiled->activations, compiled->regions, config);
  ASSERT_TRUE(apart.has_value()) << apart.error().message;
  EXPECT_EQ(refused(*apart, 1), "");
  EXPECT_THAT(refused(*apart, 0), HasSubstr("0 planes of"));
  EXPECT_THAT(refused(*apart, 2), HasSubstr("has 2 sets of 2 planes"));
}

}  // namespace
}  // namespace tessera::test::turns_blocks_test
