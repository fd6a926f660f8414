// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every sketch of every host layer of whole networks is compiled, runs, and has the
// result of the layer's first sketch, which the other tests of these networks check. Space:
// the example network, in int8 and in float32, ResNet-18, MobileNetV2; equal layers once; random
// inputs.
// Not tested here: other values of a sketch's decisions (compiler_driver_evaluate_test), levels of
// other machines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "compiler/tune/task.h"
#include "compiler/tune/turns.h"

namespace tessera::test::host_sketches_test {
namespace {

std::vector<tune::Task> TasksOf(const std::string& path) {
  const auto bytes = ReadFile(path);
  EXPECT_TRUE(bytes) << bytes.error().message;
  auto graph = bytes ? ImportModel(*bytes, path) : Result<graph::Graph>();
  EXPECT_TRUE(graph) << graph.error().message;
  compiler::CompileOptions options;
  options.device = false;
  options.layers_only = true;
  const auto compiled = compiler::Compile(std::move(*graph), path, 0, options);
  EXPECT_TRUE(compiled) << compiled.error().message;
  auto tasks = tune::TasksOf(compiled->host_layers);
  EXPECT_TRUE(tasks) << tasks.error().message;
  return std::move(*tasks);
}

// What |layer| computes by |trace| from random inputs.
Result<std::vector<uint8_t>> ResultOf(const compiler::HostLayer& layer,
                                      const schedule::Trace& trace) {
  TESSERA_ASSIGN(compiler::HostCandidate made, compiler::Evaluate(layer, trace));
  const auto run = tune::OnHost(std::move(made));
  TESSERA_TRY(run->Put(tune::RandomInputs(layer.region, 5)));
  TESSERA_TRY(run->Run(1));
  return run->Output();
}

class HostSketches : public ::testing::TestWithParam<std::string> {};

TEST_P(HostSketches, AgreeWithTheFirst) {
  std::map<std::string, int> agreed;  // by sketch
  for (const tune::Task& task : TasksOf(GetParam())) {
    auto& space = dynamic_cast<tune::LayerSpace&>(*task.space);
    if (space.knobs()[0].name != tune::kSketchKnob) continue;
    const auto first = ResultOf(*task.host, space.TraceOf(space.given()));
    ASSERT_TRUE(first) << task.name << ": " << first.error().message;
    for (auto point = space.Moved(space.given(), 0, 1); point; point = space.Moved(*point, 0, 1)) {
      SCOPED_TRACE(task.name + " by " + space.SketchOf(*point));
      const auto other = ResultOf(*task.host, space.TraceOf(*point));
      ASSERT_TRUE(other) << other.error().message;
      EXPECT_EQ(tune::ResultDifference(space.OutputOf(*point).dtype(), *other, *first), "");
      ++agreed[space.SketchOf(*point)];
    }
  }
  for (const auto& [sketch, layers] : agreed) fmt::print("{}: {} layers\n", sketch, layers);
  EXPECT_FALSE(agreed.empty());
}

INSTANTIATE_TEST_SUITE_P(Networks, HostSketches,
                         ::testing::Values("models/fashion/fashion_int8.onnx",
                                           "models/fashion/fashion.onnx",
                                           TESSERA_IMAGENET "/resnet18_int8.onnx",
                                           TESSERA_IMAGENET "/mobilenetv2_int8.onnx"),
                         [](const auto& param) {
                           std::string name = param.param.substr(param.param.rfind('/') + 1);
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace tessera::test::host_sketches_test
