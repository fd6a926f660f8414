// SPDX-License-Identifier: Apache-2.0
//
// What is tested: random small networks give the same integers by definition (te::Evaluate on the
// graph as it was made), as host code, and as a program on the functional simulator, in every layer
// that is kept: as the default program, whose results may stay on chip, and as the one that stores
// every layer's. Each compilation checks its program's translation (compiler/validate). Space:
// Generate(seed) for 300 seeds on configurations default and tiny, layers fused or each alone.
// LLVM optimises the host's code of one network in five, once: for the first program on default,
// because the other programs have the same host code and optimising takes as long as all the rest.
// Under ctest's configuration `networks` 20,000 on default and 5,000 each on tiny, batch4 and wide,
// each with optimised host code.
// TESSERA_NETWORKS=COUNT and TESSERA_NETWORKS_FROM=SEED choose others, and TESSERA_NETWORKS_FULL=N
// has LLVM optimise one network in N. Not tested here: the RTL (rtl_test), the
// definition itself (tests/compiler/region, tests/models).
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/networks/corpus.h"
#include "tests/networks/generate.h"

namespace tessera::networks::agree_test {
namespace {

constexpr uint64_t kBlock = 20;  // networks in one test

uint64_t NumberFrom(const char* variable, uint64_t otherwise) {
  const char* asked = std::getenv(variable);
  return asked == nullptr ? otherwise : std::strtoull(asked, nullptr, 10);
}

struct AgreeCase {
  std::string config;
  uint64_t block = 0;
};

class Networks : public ::testing::TestWithParam<AgreeCase> {};

TEST_P(Networks, AgreeOnHostAndFunctionalSimulator) {
  const std::string& config = GetParam().config;
  const uint64_t first = NumberFrom("TESSERA_NETWORKS_FROM", 0) + GetParam().block * kBlock;
  int on_device = 0, mixed = 0;
  int64_t layers = 0, compared = 0;
  for (uint64_t seed = first; seed < first + kBlock; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", configuration " << config);
    const Recipe recipe = Generate(seed);
    // All configurations have the same host code: it runs, and LLVM optimises it, on default.
    const bool host = config == "default";
    std::vector<std::string> devices{"func"};
    if (host) devices.insert(devices.begin(), "cpu");
    Way way{config, devices, seed % 4 != 0, {false, true}};
    const bool alone = std::getenv("TESSERA_NETWORKS_CONFIG") != nullptr;
    if (!(host || alone) || seed % NumberFrom("TESSERA_NETWORKS_FULL", 5) != 0)
      way.host_effort = codegen::HostEffort::kLeast;
    const Outcome outcome = RunIsolated(recipe, way);
    ASSERT_EQ(outcome.broken, "") << Print(recipe);
    EXPECT_EQ(outcome.refused, "") << Print(recipe);
    if (outcome.Fails()) {
      ADD_FAILURE() << outcome.difference << Print(recipe) << ShrinkAndKeep(recipe, way, seed);
    }
    on_device += outcome.on_accelerator > 0 ? 1 : 0;
    mixed += outcome.programs > 1 ? 1 : 0;
    // Every result that a program stores is compared.
    EXPECT_EQ(outcome.compared, outcome.layers);
    layers += outcome.layers;
    compared += outcome.compared;
  }
  std::printf(
      "%s: %d of %d networks on the accelerator, %d with host layers between programs, "
      "%d of %d layers compared\n",
      config.c_str(), on_device, static_cast<int>(kBlock), mixed, static_cast<int>(compared),
      static_cast<int>(layers));
  EXPECT_GE(on_device, 15);
}

std::vector<AgreeCase> Cases() {
  std::vector<AgreeCase> cases;
  const char* config = std::getenv("TESSERA_NETWORKS_CONFIG");
  for (uint64_t block = 0; block < NumberFrom("TESSERA_NETWORKS", 300) / kBlock; ++block) {
    if (config != nullptr) {
      cases.push_back({config, block});
      continue;
    }
    for (const char* one : {"default", "tiny"}) cases.push_back({one, block});
  }
  return cases;
}

// CMakeLists.txt runs the cases in parts.
INSTANTIATE_TEST_SUITE_P(Seeds, Networks, ::testing::ValuesIn(Cases()), [](const auto& param) {
  return param.param.config + std::to_string(param.param.block);
});

}  // namespace
}  // namespace tessera::networks::agree_test
