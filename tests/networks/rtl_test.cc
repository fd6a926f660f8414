// SPDX-License-Identifier: Apache-2.0
//
// What is tested: random small networks on the RTL and on the HLS twin give the integers of their
// definition, among them networks that look results up in TAB and networks with views. Space:
// Generate(seed) for 50 seeds on configurations default and tiny, on the HLS twin for 20. Not
// tested here: the same on the functional simulator and the host, with more seeds (agree_test).
#include <gtest/gtest.h>

#include "tests/networks/corpus.h"
#include "tests/networks/generate.h"

namespace tessera::networks::rtl_test {
namespace {

struct Machine {
  const char* device;
  const char* config;
  uint64_t networks;
};

class OnRtl : public ::testing::TestWithParam<Machine> {};

TEST_P(OnRtl, NetworksAgreeWithTheirDefinition) {
  const auto& [device, config, networks] = GetParam();
  uint64_t ran = 0, seed = 0;
  int64_t lookups = 0, views = 0;
  for (; ran < networks && seed < 2 * networks; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Recipe recipe = Generate(seed);
    const Way way{.config = config,
                  .devices = {device},
                  .observe = {seed % 4 < 2},
                  .host_effort = codegen::HostEffort::kLeast};  // agree_test optimises it
    const Outcome outcome = RunIsolated(recipe, way);
    ASSERT_EQ(outcome.broken, "") << Print(recipe);
    if (outcome.Fails()) ADD_FAILURE() << outcome.difference << ShrinkAndKeep(recipe, way, seed);
    if (outcome.on_accelerator > 0) ++ran;
    lookups += outcome.lookups;
    views += outcome.views;
  }
  std::printf("%s %s: %d of %d networks ran; %d instructions with a table, %d views\n", device,
              config, static_cast<int>(ran), static_cast<int>(seed), static_cast<int>(lookups),
              static_cast<int>(views));
  EXPECT_EQ(ran, networks);
  EXPECT_GT(lookups, 0);
  EXPECT_GT(views, 0);
}

INSTANTIATE_TEST_SUITE_P(Machines, OnRtl,
                         ::testing::Values(Machine{"rtl", "default", 50},
                                           Machine{"rtl", "tiny", 50},
                                           Machine{"hls", "default", 20}),
                         [](const auto& one) {
                           return fmt::format("{}_{}", one.param.device, one.param.config);
                         });

}  // namespace
}  // namespace tessera::networks::rtl_test
