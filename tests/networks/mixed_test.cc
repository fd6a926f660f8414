// SPDX-License-Identifier: Apache-2.0
//
// What is tested: random networks on a host and an accelerator that are about as fast, placed for
// the least latency: nodes go to both, and both make channels of some layers. Every layer's result
// is that of its definition. Space: 60 networks (TESSERA_NETWORKS_MIXED), configuration tiny. Not
// tested here: which placement is best (tests/compiler/network).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/networks/agree.h"
#include "tests/networks/generate.h"

namespace tessera::networks::mixed_test {
namespace {

TEST(MixedNetworks, AgreeWithTheirDefinition) {
  const char* asked = std::getenv("TESSERA_NETWORKS_MIXED");
  const uint64_t networks = asked == nullptr ? 60 : std::strtoull(asked, nullptr, 10);
  uint64_t both = 0, with_shared = 0;
  for (uint64_t seed = 0; seed < networks; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Recipe recipe = Generate(seed);
    const Way way{.config = "tiny",
                  .devices = {"func"},
                  .observe = {true, false},
                  .mixed = true,
                  .host_effort = codegen::HostEffort::kLeast};
    const Outcome outcome = RunIsolated(recipe, way);
    ASSERT_EQ(outcome.broken, "") << Print(recipe);
    EXPECT_EQ(outcome.refused, "") << Print(recipe);
    EXPECT_EQ(outcome.difference, "") << Print(recipe);
    EXPECT_EQ(outcome.compared, outcome.layers);
    both += outcome.on_accelerator > 0 && outcome.on_accelerator < outcome.layers ? 1 : 0;
    with_shared += outcome.shared > 0 ? 1 : 0;
  }
  std::printf("%d of %d networks on both devices, %d with layers that both make\n",
              static_cast<int>(both), static_cast<int>(networks), static_cast<int>(with_shared));
  EXPECT_GE(both * 3, networks);
  EXPECT_GE(with_shared * 10, networks);
}

}  // namespace
}  // namespace tessera::networks::mixed_test
