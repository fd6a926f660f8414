// SPDX-License-Identifier: Apache-2.0
//
// What is tested: random small networks give the same integers by definition (te::Evaluate on the
// graph as it was made), as host code, and as a program on the functional simulator, in every layer
// that is kept. Space: Generate(seed) for 500 seeds on configurations default and tiny, layers
// joined or each alone, results stored or staying on chip. Not tested here: the RTL (rtl_test), the
// definition itself (tests/compiler/te_ops, tests/models).
#include <gtest/gtest.h>

#include "tests/networks/corpus.h"
#include "tests/networks/generate.h"

namespace tessera::networks {
namespace {

constexpr uint64_t kBlock = 20;  // networks a test

// Reasons for which the accelerator may refuse a network: a machine has only so much.
bool IsCapacity(const std::string& refusal) {
  return refusal.find("do not fit on chip together") != std::string::npos;
}

class Networks : public ::testing::TestWithParam<uint64_t> {
 protected:
  void Run(const std::string& config, std::vector<std::string> devices) {
    int refused = 0, on_device = 0, mixed = 0;
    int64_t layers = 0, compared = 0;
    for (uint64_t seed = GetParam() * kBlock; seed < (GetParam() + 1) * kBlock; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", configuration " << config);
      const Recipe recipe = Generate(seed);
      const Way way{config, devices, seed % 4 != 0, seed % 3 != 0};
      const Outcome outcome = RunIsolated(recipe, way);
      ASSERT_EQ(outcome.broken, "") << Print(recipe);
      if (outcome.Fails()) ADD_FAILURE() << outcome.difference << ShrinkAndKeep(recipe, way, seed);
      if (!outcome.refused.empty()) {
        ++refused;
        std::printf("seed %d refused: %s\n", static_cast<int>(seed), outcome.refused.c_str());
        EXPECT_TRUE(IsCapacity(outcome.refused)) << outcome.refused << "\n" << Print(recipe);
      } else if (outcome.on_accelerator > 0) {
        ++on_device;
        mixed += outcome.programs > 1;
      }
      // What stays on chip and is not stored cannot be read; all else is compared.
      if (way.observe) {
        EXPECT_EQ(outcome.compared, outcome.layers);
      }
      layers += outcome.layers;
      compared += outcome.compared;
    }
    std::printf(
        "%s: %d of %d networks on the accelerator, %d with host layers between programs, "
        "%d refused, %d of %d layers compared\n",
        config.c_str(), on_device, static_cast<int>(kBlock), mixed, refused,
        static_cast<int>(compared), static_cast<int>(layers));
    EXPECT_GE(on_device, 15);
  }
};

TEST_P(Networks, AgreeOnHostAndFunctionalSimulator) { Run("default", {"cpu", "func"}); }
TEST_P(Networks, AgreeOnTheTinyMachine) { Run("tiny", {"func"}); }

// 500 networks; CMakeLists.txt runs them in five parts.
INSTANTIATE_TEST_SUITE_P(Seeds, Networks, ::testing::Range<uint64_t>(0, 25));

}  // namespace
}  // namespace tessera::networks
