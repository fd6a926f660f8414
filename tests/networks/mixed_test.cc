// SPDX-License-Identifier: Apache-2.0
//
// What is tested: random networks on a host and an accelerator that are about as fast, placed for
// the least latency: nodes go to both, and both make channels or rows of some layers. Every
// layer's result is that of its definition. The same with a GPU as a third device. Space: 60
// networks (TESSERA_NETWORKS_MIXED), 12 with a GPU, configuration tiny. Not tested here: which
// placement is best (tests/compiler/network).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "runtime/gpu/gpu_drivers.h"
#include "tests/networks/agree.h"
#include "tests/networks/generate.h"

namespace tessera::networks::mixed_test {
namespace {

TEST(MixedNetworks, AgreeWithTheirDefinition) {
  const char* asked = std::getenv("TESSERA_NETWORKS_MIXED");
  const uint64_t networks = asked == nullptr ? 60 : std::strtoull(asked, nullptr, 10);
  uint64_t both = 0, with_shared = 0, with_rows = 0;
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
    with_rows += outcome.shared > 0 && outcome.cuts > 0 ? 1 : 0;
  }
  std::printf("%d of %d networks on both devices, %d with layers that both make, %d by rows\n",
              static_cast<int>(both), static_cast<int>(networks), static_cast<int>(with_shared),
              static_cast<int>(with_rows));
  EXPECT_GE(both * 3, networks);
  EXPECT_GE(with_shared * 10, networks);
  EXPECT_GE(with_rows * 10, networks);
}

TEST(MixedNetworks, AgreeOnThreeDevices) {
  if (!FindGpuDriver(kOpenCl)->open()) GTEST_SKIP() << "no OpenCL device";
  const char* asked = std::getenv("TESSERA_NETWORKS_MIXED");
  const uint64_t networks = asked == nullptr ? 12 : std::strtoull(asked, nullptr, 10);
  uint64_t three = 0;
  for (uint64_t seed = 12; seed < 12 + networks; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Recipe recipe = Generate(seed);
    const Way way{.config = "tiny",
                  .devices = {"func"},
                  .observe = {true, false},
                  .mixed = true,
                  .gpu_mhz = 75 << seed % 3,
                  .host_effort = codegen::HostEffort::kLeast};
    // In this process: an OpenCL driver's threads do not live on in a child.
    const Outcome outcome = RunNetwork(recipe, way);
    ASSERT_EQ(outcome.broken, "") << Print(recipe);
    EXPECT_EQ(outcome.refused, "") << Print(recipe);
    EXPECT_EQ(outcome.difference, "") << Print(recipe);
    const int64_t others = outcome.on_accelerator + outcome.on_gpu;
    three += outcome.on_accelerator > 0 && outcome.on_gpu > 0 && others < outcome.layers ? 1 : 0;
  }
  std::printf("%d of %d networks on three devices\n", static_cast<int>(three),
              static_cast<int>(networks));
  EXPECT_GE(three * 4, networks);
}

}  // namespace
}  // namespace tessera::networks::mixed_test
