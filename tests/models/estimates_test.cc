// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the cost of a layer's schedule (cost::AccelCost) against what the cycle model
// counts: the error of its cycles, in the median and at worst, and the bytes that it moves. The
// layers are those of seven networks, each alone with its activations in device memory. The same of
// schedules with random picks. build/bin/replays prints the cycles layer by layer. Space: six
// configurations; networks whose file is missing are left out; at worst, of layers of at least
// 1,000 cycles: the start and the end of a program, some 60 cycles, are known less well. Not tested
// here: the count itself (cycles_test).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "compiler/cost/cost.h"
#include "compiler/driver/evaluate.h"
#include "compiler/graph/passes.h"
#include "compiler/import/import.h"
#include "compiler/network/place.h"
#include "compiler/quantize/params.h"
#include "compiler/schedule/picks.h"
#include "compiler/target/accelerator.h"
#include "tests/models/golden.h"

namespace tessera::test::estimates_test {
namespace {

// A layer's error, relative to the cycle model's count.
struct EstimateError {
  std::string layer;
  uint64_t cycles = 0;
  double error = 0, bytes = 0;
};
constexpr uint64_t kLeastCycles = 1000;  // shorter layers do not count for the worst error

Result<EstimateError> ErrorOf(const std::string& name, const compiler::AccelLayer& layer,
                              const schedule::Trace& trace) {
  TESSERA_ASSIGN(
      const schedule::Schedule schedule,
      schedule::Schedule::Replay({layer.region.output}, trace, target::Accelerator(layer.config)));
  TESSERA_ASSIGN(const cost::Cost cost, cost::AccelCost(schedule, layer.config));
  TESSERA_ASSIGN(const RunReport counted, compiler::Evaluate(layer, trace));
  const auto code = static_cast<double>(counted.instructions * isa::kInsnBytes);
  const auto read = static_cast<double>(counted.bytes_read),
             written = static_cast<double>(counted.bytes_written);
  return EstimateError{name, counted.cycles, cost.cycles / static_cast<double>(counted.cycles) - 1,
                       (cost.read_bytes + cost.written_bytes) / (read + written - code) - 1};
}

// The errors of the layers of the network in |path|; with |picks| also those of another trace each.
Status AddErrors(const std::string& path, const isa::Config& config,
                 std::vector<EstimateError>* errors, std::vector<EstimateError>* picks) {
  Rng rng(1);
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path, {}));
  TESSERA_TRY(quantize::AttachRequant(graph));
  graph::Simplify(graph);
  const network::Layers layers(graph, config);
  const auto places = network::PlaceNodes(layers);
  for (const graph::Region& region : network::FusePlaced(layers, places, true)) {
    if (places[region.nodes[0]].device != network::kAccelerator) continue;
    const compiler::AccelLayer layer = compiler::AccelLayerOf(graph, layers.Te(region), config);
    const auto steps = lower::accel::StepsOf(layer.region, config);
    if (!steps) continue;  // a view
    const std::string name = fmt::format("{} of {}", region.name, path);
    TESSERA_ASSIGN(errors->emplace_back(), ErrorOf(name, layer, *steps));
    if (picks == nullptr) continue;
    TESSERA_ASSIGN(const schedule::Trace other,
                   schedule::PickedBy(layer.region.output, *steps, target::Accelerator(config),
                                      schedule::AnyOf(rng)));
    if (const auto picked = ErrorOf(name, layer, other)) picks->push_back(*picked);
  }
  return {};
}

// Prints the median and the worst error; the two.
std::pair<double, double> MedianAndWorst(const char* of, std::vector<EstimateError> errors) {
  std::ranges::sort(errors, {}, [](const EstimateError& e) { return std::abs(e.error); });
  const EstimateError& median = errors[errors.size() / 2];
  const auto long_enough = [](const EstimateError& e) { return e.cycles >= kLeastCycles; };
  const EstimateError& worst = *std::ranges::find_if(errors.rbegin(), errors.rend(), long_enough);
  fmt::print("{}: {} layers: median {:.2f} %, worst {:.1f} % ({})\n", of, errors.size(),
             100 * std::abs(median.error), 100 * worst.error, worst.layer);
  return {std::abs(median.error), std::abs(worst.error)};
}

struct EstimateCase {
  const char* config;
  double median, worst;              // the greatest that are accepted
  double picks_median, picks_worst;  // of schedules with other picks
};

class Estimates : public ::testing::TestWithParam<EstimateCase> {};

TEST_P(Estimates, AreNearTheCount) {
  const isa::Config config = *isa::LoadConfig(GetParam().config);
  std::vector<EstimateError> errors, picks;
  int networks = 0;
  for (const std::string& path :
       {std::string("models/fashion/fashion_int8.onnx"),
        std::string(ModelPath("pretrainedResnet_quant.tflite")),
        std::string(ModelPath("kws_ref_model.tflite")),
        std::string(ModelPath("vww_96_int8.tflite")), std::string(ModelPath("ad01_int8.tflite")),
        std::string(TESSERA_IMAGENET "/resnet18_int8.onnx"),
        std::string(TESSERA_IMAGENET "/mobilenetv2_int8.onnx")}) {
    if (!std::filesystem::exists(path)) continue;
    const bool small =
        !path.starts_with(TESSERA_IMAGENET);  // a pick may take a hundred times longer
    const Status added = AddErrors(path, config, &errors, small ? &picks : nullptr);
    ASSERT_TRUE(added) << added.error().message;
    ++networks;
  }
  ASSERT_GE(networks, 3);
  const auto [median, worst] = MedianAndWorst(GetParam().config, errors);
  EXPECT_LE(median, GetParam().median);
  EXPECT_LE(worst, GetParam().worst);
  const auto [other_median, other_worst] = MedianAndWorst("  with other picks", picks);
  EXPECT_LE(other_median, GetParam().picks_median);
  EXPECT_LE(other_worst, GetParam().picks_worst);
  std::vector<double> bytes;
  for (const EstimateError& e : errors) bytes.push_back(std::abs(e.bytes));
  std::ranges::sort(bytes);
  fmt::print("  bytes: median {:.2f} %, worst {:.1f} %\n", 100 * bytes[bytes.size() / 2],
             100 * bytes.back());
  EXPECT_LE(bytes[bytes.size() / 2], 0.01);
}

INSTANTIATE_TEST_SUITE_P(Configurations, Estimates,
                         ::testing::Values(EstimateCase{"default", 0.004, 0.12, 0.008, 0.28},
                                           EstimateCase{"tiny", 0.001, 0.11, 0.006, 0.55},
                                           EstimateCase{"wide", 0.013, 0.27, 0.022, 0.75},
                                           EstimateCase{"batch4", 0.002, 0.29, 0.008, 0.5},
                                           EstimateCase{"pynq", 0.02, 0.17, 0.028, 0.3},
                                           EstimateCase{"ultra96", 0.009, 0.17, 0.024, 0.55}),
                         [](const auto& param) { return std::string(param.param.config); });

}  // namespace
}  // namespace tessera::test::estimates_test
