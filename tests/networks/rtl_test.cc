// SPDX-License-Identifier: Apache-2.0
//
// What is tested: random small networks on the RTL give the integers of their definition. Space:
// Generate(seed) for 50 seeds on configurations default and tiny. Not tested here: the same on the
// functional simulator and the host, with more seeds (agree_test).
#include <gtest/gtest.h>

#include "tests/networks/corpus.h"
#include "tests/networks/generate.h"

namespace tessera::networks::rtl_test {
namespace {

constexpr uint64_t kNetworks = 50;

class OnRtl : public ::testing::TestWithParam<const char*> {};

TEST_P(OnRtl, NetworksAgreeWithTheirDefinition) {
  uint64_t ran = 0, seed = 0;
  for (; ran < kNetworks && seed < 2 * kNetworks; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Recipe recipe = Generate(seed);
    const Way way{.config = GetParam(),
                  .devices = {"rtl"},
                  .observe = {seed % 4 < 2},
                  .host_effort = codegen::HostEffort::kLeast};  // agree_test optimises it
    const Outcome outcome = RunIsolated(recipe, way);
    ASSERT_EQ(outcome.broken, "") << Print(recipe);
    if (outcome.Fails()) ADD_FAILURE() << outcome.difference << ShrinkAndKeep(recipe, way, seed);
    if (outcome.on_accelerator > 0) ++ran;
  }
  std::printf("%s: %d of %d networks ran on the RTL\n", GetParam(), static_cast<int>(ran),
              static_cast<int>(seed));
  EXPECT_EQ(ran, kNetworks);
}

INSTANTIATE_TEST_SUITE_P(Machines, OnRtl, ::testing::Values("default", "tiny"));

}  // namespace
}  // namespace tessera::networks::rtl_test
