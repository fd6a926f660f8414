// SPDX-License-Identifier: Apache-2.0
//
// What is tested: single regions of every class of shape, compiled for the accelerator: the program
// on the functional simulator and the lowered loop IR in the interpreter against the definition of
// the tensor expressions; the static checker accepts every program. Space: the shapes below on five
// configurations; PReLU for every value and slope. Not tested here: whole networks and random ones
// (network_test), the RTL (tests/cosim).
#include <gtest/gtest.h>

#include "isa/check/check.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/accel/shapes.h"

namespace tessera::test::region_test {
namespace {

class RegionTest : public ::testing::TestWithParam<std::tuple<std::string, size_t>> {};

TEST_P(RegionTest, ProgramAndIrGiveTheDefinition) {
  const auto& [config_name, index] = GetParam();
  const isa::Config config = NamedConfig(config_name);
  Net net(1000 + index);
  net.Output(ShapeCases()[index].build(net));
  auto compiled = Compile(net.graph(), config, true);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  for (const std::string& s : compiled->program.notes) SCOPED_TRACE(s);
  Values values = RandomInputs(net.graph(), net.rng());
  Evaluate(*compiled, values);
  EXPECT_EQ(InterpretAndCompare(*compiled, config, values), "");
  EXPECT_EQ(RunAndCompare(*compiled, config, values), "");
  EXPECT_EQ(RunAndCompare(*compiled, config, values, 7), "") << "units interleaved";
  EXPECT_EQ(isa::CheckProgram(compiled->program.image, config).ToString(), "");
}

// The same with the schedule of each region in steps, given back: activations are in device memory.
TEST_P(RegionTest, StepsGiveTheDefinition) {
  const auto& [config_name, index] = GetParam();
  const isa::Config config = NamedConfig(config_name);
  Net net(1000 + index);
  net.Output(ShapeCases()[index].build(net));
  auto compiled = CompileBySteps(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  for (const lower::accel::AccelRegion& region : compiled->regions)
    SCOPED_TRACE(schedule::Print(*region.schedule));
  Values values = RandomInputs(net.graph(), net.rng());
  Evaluate(*compiled, values);
  EXPECT_EQ(RunAndCompare(*compiled, config, values, 7), "");
  EXPECT_EQ(isa::CheckProgram(compiled->program.image, config).ToString(), "");
}

std::string NameOf(const ::testing::TestParamInfo<RegionTest::ParamType>& info) {
  return std::get<0>(info.param) + "_" + ShapeCases()[std::get<1>(info.param)].name;
}

INSTANTIATE_TEST_SUITE_P(Shapes, RegionTest,
                         ::testing::Combine(::testing::Values("default", "tiny", "wide", "batch4",
                                                              "ultra96"),
                                            ::testing::Range(size_t{0}, ShapeCases().size())),
                         NameOf);

// All 256 values by all 256 slopes, with zero points, in random scales.
TEST(Prelu, EveryValueByEverySlope) {
  const isa::Config config = NamedConfig("default");
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Net net(seed);
    const auto x = net.Input({1, 256, 16, 16});
    net.Output(net.Prelu(x, seed % 2 == 0 ? isa::Round::kTflite : isa::Round::kEven));
    auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    Values values;
    for (size_t k = 0; k < 65536; ++k) values[x].push_back(static_cast<int8_t>(k));
    Evaluate(*compiled, values);
    EXPECT_EQ(RunAndCompare(*compiled, config, values, seed), "");
  }
}

class ChannelsTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(ChannelsTest, EveryNumberOfChannelsIsExact) {
  const int64_t channels = GetParam();
  for (const char* name : {"default", "tiny"}) {
    const isa::Config config = NamedConfig(name);
    Net net(static_cast<uint64_t>(channels));
    const auto x = net.Input({1, channels, 6, 6});
    const auto y = net.Conv(x, 41 - channels, Square(3));
    net.Output(net.Conv(y, channels, Square(3), 1));
    auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    Values values = RandomInputs(net.graph(), net.rng());
    Evaluate(*compiled, values);
    EXPECT_EQ(RunAndCompare(*compiled, config, values, 3), "") << name;
    if (config.batch != 1) continue;
    auto steps = CompileBySteps(net.graph(), config);
    ASSERT_TRUE(steps.has_value()) << steps.error().message;
    EXPECT_EQ(RunAndCompare(*steps, config, values, 3), "") << name << " by steps";
  }
}

INSTANTIATE_TEST_SUITE_P(OneToForty, ChannelsTest, ::testing::Range(int64_t{1}, int64_t{41}));

}  // namespace
}  // namespace tessera::test::region_test
