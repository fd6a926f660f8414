// SPDX-License-Identifier: Apache-2.0
//
// What is tested: layers whose host functions differ in their names alone call one function, and a
// layer that differs otherwise calls its own; a GPU's kernels likewise. Space: the kept network of
// equal layers. Not tested here: its values (corpus_test).
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "compiler/driver/compile.h"
#include "tests/networks/build.h"

namespace tessera::networks::equal_layers_test {
namespace {

// The functions that layer |layer| calls on the host, in order.
std::vector<std::string> Calls(const artifact::ExecutionPlan& plan, int32_t layer) {
  std::vector<std::string> symbols;
  for (const artifact::PlanStep& step : plan.steps) {
    const auto* kernel = std::get_if<artifact::KernelStep>(&step);
    if (kernel != nullptr && kernel->layer == layer) symbols.push_back(kernel->symbol);
  }
  return symbols;
}

class EqualLayersTest : public ::testing::TestWithParam<const char*> {};

TEST_P(EqualLayersTest, CallOneFunction) {
  const std::string file = "tests/corpus/networks/equal_layers.txt";
  const auto bytes = ReadFile(file);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const Result<Recipe> recipe = Parse(std::string(bytes->begin(), bytes->end()), file);
  ASSERT_TRUE(recipe) << recipe.error().message;
  const Result<graph::Graph> graph = BuildGraph(*recipe);
  ASSERT_TRUE(graph) << graph.error().message;
  compiler::CompileOptions options;
  options.cpu = options.device = false;
  const std::string name = GetParam();
  (name == "cpu" ? options.cpu : name == "cuda" ? options.cuda : options.opencl) = true;
  const Result<compiler::Compiled> compiled =
      compiler::Compile(*graph, "network", recipe->seed, options);
  ASSERT_TRUE(compiled) << compiled.error().message;
  const artifact::ExecutionPlan* plan = compiled->artifact.PlanNamed(name);
  ASSERT_NE(plan, nullptr);
  ASSERT_EQ(compiled->artifact.layers.size(), 4u);
  const auto second = Calls(*plan, 1), third = Calls(*plan, 2), last = Calls(*plan, 3);
  EXPECT_FALSE(second.empty());
  EXPECT_EQ(second, third);
  EXPECT_NE(third, last);
}

INSTANTIATE_TEST_SUITE_P(Plans, EqualLayersTest, ::testing::Values("cpu", "opencl", "cuda"));

}  // namespace
}  // namespace tessera::networks::equal_layers_test
