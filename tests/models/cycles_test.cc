// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the golden cycles of the seven networks (cycles.json): the RTL takes exactly
// these for any input, README.md's table shows them, and they are within the machine's limits. The
// cycle model agrees with the RTL in the cycle of every retirement and in every counter at that
// cycle. Space: configuration default, memory model tsim, two random inputs a network, one for
// those of 224x224, which take millions of cycles; model zynq for the others; networks whose file
// is missing are skipped with a count. Not tested here: results (mlperf_*_test), other
// configurations (tests/cosim).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "sim/cycle/count.h"
#include "sim/rig/timing.h"
#include "tests/models/golden.h"
#include "tests/models/network_cycles.h"

namespace tessera::test::cycles_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMoved =
    "cycles moved: after a review, python3 bench/networks.py --update writes cycles.json, "
    "README.md and docs/results.md";

struct Named {
  std::string network, path;
  // Upper limit for a golden count: for ResNet-18 and wake words what the design promises, for the
  // others a few per cent above their count.
  uint64_t limit;
  int inputs = 2;
};
const std::vector<Named>& Networks() {
  static const std::vector<Named> networks = {
      {"fashion", "models/fashion/fashion_int8.onnx", 41'000},
      {"image_classification", ModelPath("pretrainedResnet_quant.tflite"), 55'000},
      {"keyword_spotting", ModelPath("kws_ref_model.tflite"), 17'000},
      {"visual_wake_words", ModelPath("vww_96_int8.tflite"), 55'000},
      {"anomaly_detection", ModelPath("ad01_int8.tflite"), 37'000},
      {"resnet18", TESSERA_IMAGENET "/resnet18_int8.onnx", 7'200'000, 1},
      {"mobilenetv2", TESSERA_IMAGENET "/mobilenetv2_int8.onnx", 1'900'000, 1},
  };
  return networks;
}

std::map<std::string, uint64_t> GoldenCycles() {
  const Result<std::vector<uint8_t>> bytes = ReadFile("tests/models/cycles.json");
  if (!bytes) return {};
  return nlohmann::json::parse(*bytes).get<std::map<std::string, uint64_t>>();
}

std::string Grouped(uint64_t value) {
  if (value < 1000) return fmt::format("{}", value);
  return fmt::format("{},{:03}", Grouped(value / 1000), value % 1000);
}

TEST(Cycles, AreWithinTheirLimits) {
  const std::map<std::string, uint64_t> golden = GoldenCycles();
  for (const Named& n : Networks()) {
    ASSERT_TRUE(golden.contains(n.network)) << n.network;
    EXPECT_LE(golden.at(n.network), n.limit) << n.network;
  }
}

constexpr int64_t kMhz = 100;  // VTA's clock: README gives times at this clock

// A row of the table holds cycles and milliseconds; both follow from the golden count at the clock
// in the column's name.
TEST(Cycles, ReadmeHasThem) {
  const Result<std::vector<uint8_t>> readme = ReadFile("README.md");
  ASSERT_TRUE(readme) << readme.error().message;
  const std::string text(readme->begin(), readme->end());
  EXPECT_THAT(text, HasSubstr(fmt::format("| ms at {} MHz |", kMhz))) << kMoved;
  const std::map<std::string, uint64_t> golden = GoldenCycles();
  for (const Named& n : Networks()) {
    ASSERT_TRUE(golden.contains(n.network)) << n.network;
    const uint64_t cycles = golden.at(n.network);
    const size_t figure = text.find(fmt::format(" | {} | ", Grouped(cycles)));
    ASSERT_NE(figure, std::string::npos) << n.network << "; " << kMoved;
    const size_t begin = text.rfind('\n', figure) + 1;
    const std::string row = text.substr(begin, text.find('\n', figure) - begin);
    const double ms = static_cast<double>(cycles) / (1e3 * static_cast<double>(kMhz));
    EXPECT_TRUE(row.ends_with(fmt::format(" % | {:.3f} |", ms))) << row << "; " << kMoved;
  }
}

class NetworkTiming : public testing::TestWithParam<Named> {
 protected:
  // The first difference between the two in any program: retirements, counters, totals.
  static std::string Difference(const NetworkCycles& rtl, const NetworkCycles& cycle) {
    if (rtl.traces.size() != cycle.traces.size()) return "another number of programs";
    for (size_t p = 0; p < rtl.traces.size(); ++p) {
      std::string text = rig::TimeDifference(rtl.traces[p], cycle.traces[p]);
      if (text.empty()) text = rig::ReportDifference(rtl.reports[p], cycle.reports[p]);
      if (!text.empty()) return fmt::format("program {}: {}", p, text);
    }
    return "";
  }
};

TEST_P(NetworkTiming, IsTheGoldenOneOnRtlAndCycleModel) {
  const Named& n = GetParam();
  if (!std::filesystem::exists(n.path)) {
    GTEST_SKIP() << fmt::format("1 model not found: {} (see models/mlperf_tiny/README.md)", n.path);
  }
  const auto artifact = CompileForDevice(n.path);
  ASSERT_TRUE(artifact) << artifact.error().message;
  for (const isa::DramModel dram : {isa::DramModel::kTsim, isa::DramModel::kZynq}) {
    const bool tsim = dram == isa::DramModel::kTsim;
    if (!tsim && n.inputs == 1) continue;  // millions of cycles
    const auto rtl = RunForCycles(*artifact, "rtl", dram, tsim ? n.inputs : 1, true);
    ASSERT_TRUE(rtl) << rtl.error().message;
    const auto cycle = RunForCycles(*artifact, "cycle", dram, tsim ? n.inputs : 1, true);
    ASSERT_TRUE(cycle) << cycle.error().message;
    const LayerError error = LayerErrors(**artifact, *rtl, *cycle);
    fmt::print(
        "{} {}: {} cycles; cycle model: {} of {} layers exact, error mean {:.4f} %, worst "
        "{:.4f} % {}; {:.2f} s, RTL {:.2f} s\n",
        n.network, tsim ? "tsim" : "zynq", fmt::join(rtl->inferences, ", "), error.exact,
        error.layers, 100 * error.mean, 100 * error.worst, error.worst_layer, cycle->seconds,
        rtl->seconds);
    EXPECT_GT(error.layers, 0);
    EXPECT_LE(error.mean, 0.001);
    EXPECT_LE(error.worst, 0.01) << error.worst_layer;
    EXPECT_EQ(Difference(*rtl, *cycle), "");
    // CountCycles computes no data; compare it with the last inference.
    isa::Config config = *isa::LoadConfig("default");
    config.dram = dram;
    ASSERT_EQ(cycle->reports.size(), 1u);
    const auto counted = sim::CountCycles((*artifact)->programs[0].image, config);
    ASSERT_TRUE(counted) << counted.error().message;
    EXPECT_EQ(rig::ReportDifference(cycle->reports[0], *counted), "");
    EXPECT_EQ(rtl->inferences.front(), rtl->inferences.back()) << "cycles depend on the input";
    EXPECT_EQ(rtl->inferences, cycle->inferences);
    if (tsim) {
      EXPECT_EQ(rtl->inferences[0], GoldenCycles()[n.network]) << kMoved;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, NetworkTiming, testing::ValuesIn(Networks()),
                         [](const auto& param) { return param.param.network; });

}  // namespace
}  // namespace tessera::test::cycles_test
