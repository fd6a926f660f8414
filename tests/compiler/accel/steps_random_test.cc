// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every random region that the machine takes is said in steps, and the program that
// they make computes what the region's definition says; the static checker accepts it. Space: the
// seeds below for each kind of reduction on four configurations, epilogues of up to five passes,
// up to two tensors beside the input. Not tested here: whole networks (tools_steps_test).
#include <gtest/gtest.h>

#include "isa/check/check.h"
#include "tests/compiler/accel/random_region.h"

namespace tessera::test {
namespace {

struct RegionKind {
  const char* name;
  RandomAnchor anchor;
};
constexpr RegionKind kKinds[] = {
    {"product", RandomAnchor::kProduct},         {"groups", RandomAnchor::kGroups},
    {"channelwise", RandomAnchor::kChannelwise}, {"sum", RandomAnchor::kSum},
    {"extreme", RandomAnchor::kExtreme},         {"none", RandomAnchor::kNone}};
constexpr uint64_t kSeeds = 40;

class RandomSteps : public ::testing::TestWithParam<std::tuple<std::string, RegionKind>> {};

TEST_P(RandomSteps, GiveTheDefinition) {
  const auto& [name, kind] = GetParam();
  const isa::Config config = NamedConfig(name);
  int taken = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    Compiled c = RandomRegion(kind.anchor, 5, rng);
    network::AccelRegion& region = c.regions[0];
    const auto direct = CompileAlone(c.activations, c.regions, config);
    if (!direct) {
      EXPECT_EQ(direct.error().code, Code::kUnsupported) << direct.error().message;
      continue;
    }
    ++taken;
    const Result<std::string> steps = network::StepsOf(region, config);
    if (!steps) {
      ADD_FAILURE() << steps.error().message;
      continue;
    }
    SCOPED_TRACE(*steps);
    region.schedule = *schedule::ParseTrace(*steps);
    Result<ProgramAlone> program = CompileAlone(c.activations, c.regions, config);
    if (!program) {
      ADD_FAILURE() << program.error().message;
      continue;
    }
    c.program = std::move(*program);
    Values values;
    for (size_t k = 0; k + 1 < c.activations.size(); ++k) {
      int64_t count = 1;
      for (const int64_t n : c.activations[k].shape) count *= n;
      for (; count > 0; --count)
        values[static_cast<int>(k)].push_back(static_cast<int8_t>(rng.Range(-128, 127)));
    }
    Evaluate(c, values);
    EXPECT_EQ(RunAndCompare(c, config, values, seed), "");
    EXPECT_EQ(isa::CheckProgram(c.program.image, config).ToString(), "");
  }
  EXPECT_GE(taken, static_cast<int>(kSeeds / 4)) << "the machine takes too few of them";
}

INSTANTIATE_TEST_SUITE_P(Regions, RandomSteps,
                         ::testing::Combine(::testing::Values("default", "tiny", "wide", "batch4"),
                                            ::testing::ValuesIn(kKinds)),
                         [](const auto& param) {
                           return fmt::format("{}_{}", std::get<0>(param.param),
                                              std::get<1>(param.param).name);
                         });

}  // namespace
}  // namespace tessera::test
