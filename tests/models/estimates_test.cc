// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the error of the cycles that the accelerator's generator expects of a layer
// (network::EstimatedCycles) against those that the cycle model counts, in the median and at worst
// over the layers of seven networks, each alone with its activations in device memory.
// build/bin/replays prints it layer by layer. Space: three configurations; networks whose file is
// missing are left out; at worst, of layers of at least 1,000 cycles: the start of the machine,
// some 60 cycles, is in no plan. Not tested here: the count itself (cycles_test).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "compiler/driver/evaluate.h"
#include "compiler/graph/passes.h"
#include "compiler/import/import.h"
#include "compiler/network/place.h"
#include "compiler/quantize/params.h"
#include "tests/models/golden.h"

namespace tessera::test {
namespace {

// A layer's error, of what the cycle model counts.
struct EstimateError {
  std::string layer;
  uint64_t cycles = 0;
  double error = 0;
};
constexpr uint64_t kLeastCycles = 1000;  // of a layer whose error can be the worst

Status AddErrors(const std::string& path, const isa::Config& config,
                 std::vector<EstimateError>* errors) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path, {}));
  TESSERA_TRY(quantize::AttachRequant(graph));
  graph::Simplify(graph);
  const auto places = network::PlaceNodes(graph, config);
  for (const graph::Region& region : network::FusePlaced(graph, places, config, true)) {
    if (places[region.nodes[0]].device != network::kAccelerator) continue;
    const compiler::AccelLayer layer =
        compiler::AccelLayerOf(graph, te::BuildRegion(graph, region), config);
    const auto steps = network::StepsOf(layer.region, config);
    if (!steps) continue;  // a view
    TESSERA_ASSIGN(const double expected, network::EstimatedCycles(layer.region, config));
    TESSERA_ASSIGN(const RunReport counted, compiler::Evaluate(layer, *steps));
    errors->push_back({fmt::format("{} of {}", region.name, path), counted.cycles,
                       expected / static_cast<double>(counted.cycles) - 1});
  }
  return {};
}

struct EstimateCase {
  const char* config;
  double median, worst;  // the greatest that are accepted
};

class Estimates : public ::testing::TestWithParam<EstimateCase> {};

TEST_P(Estimates, AreNearTheCount) {
  const isa::Config config = *isa::LoadConfig(GetParam().config);
  std::vector<EstimateError> errors;
  int networks = 0;
  for (const std::string& path :
       {std::string("models/fashion/fashion_int8.onnx"),
        std::string(ModelPath("pretrainedResnet_quant.tflite")),
        std::string(ModelPath("kws_ref_model.tflite")),
        std::string(ModelPath("vww_96_int8.tflite")), std::string(ModelPath("ad01_int8.tflite")),
        std::string(TESSERA_IMAGENET "/resnet18_int8.onnx"),
        std::string(TESSERA_IMAGENET "/mobilenetv2_int8.onnx")}) {
    if (!std::filesystem::exists(path)) continue;
    const Status added = AddErrors(path, config, &errors);
    ASSERT_TRUE(added) << added.error().message;
    ++networks;
  }
  ASSERT_GE(networks, 3);
  std::ranges::sort(errors, {}, [](const EstimateError& e) { return std::abs(e.error); });
  const EstimateError& median = errors[errors.size() / 2];
  const auto long_enough = [](const EstimateError& e) { return e.cycles >= kLeastCycles; };
  const EstimateError& worst = *std::ranges::find_if(errors.rbegin(), errors.rend(), long_enough);
  fmt::print("{}: {} layers of {} networks: median {:.2f} %, worst {:.1f} % ({})\n",
             GetParam().config, errors.size(), networks, 100 * std::abs(median.error),
             100 * worst.error, worst.layer);
  EXPECT_LE(std::abs(median.error), GetParam().median);
  EXPECT_LE(std::abs(worst.error), GetParam().worst) << worst.layer;
}

INSTANTIATE_TEST_SUITE_P(Configurations, Estimates,
                         ::testing::Values(EstimateCase{"default", 0.045, 0.34},
                                           EstimateCase{"tiny", 0.03, 0.18},
                                           EstimateCase{"ultra96", 0.04, 0.44}),
                         [](const auto& param) { return std::string(param.param.config); });

}  // namespace
}  // namespace tessera::test
