// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the golden cycles of the seven networks (cycles.json): the RTL takes exactly
// these, whatever the input holds, README.md's table has them, and they are within what is asked of
// the machine. Space: configuration default, memory model tsim, two random inputs a network, one
// for those of 224x224, which take millions of cycles; networks whose file is missing are skipped
// with a count. Not tested here: results
// (mlperf_*_test), other configurations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"
#include "tests/models/golden.h"

namespace tessera::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMoved =
    "cycles moved: after a review, python3 bench/networks.py --update writes cycles.json and "
    "README.md";

struct Named {
  std::string network, path;
  // Cycles the design promises; the example network and MobileNetV2 have no promise of their own.
  uint64_t limit;
  int inputs = 2;
};
const std::vector<Named>& Networks() {
  static const std::vector<Named> networks = {
      {"fashion", "models/fashion/fashion_int8.onnx", ~uint64_t{0}},
      {"image_classification", ModelPath("pretrainedResnet_quant.tflite"), 90'000},
      {"keyword_spotting", ModelPath("kws_ref_model.tflite"), 40'000},
      {"visual_wake_words", ModelPath("vww_96_int8.tflite"), 120'000},
      {"anomaly_detection", ModelPath("ad01_int8.tflite"), 45'000},
      {"resnet18", TESSERA_IMAGENET "/resnet18_int8.onnx", 7'450'000, 1},
      {"mobilenetv2", TESSERA_IMAGENET "/mobilenetv2_int8.onnx", ~uint64_t{0}, 1},
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

// The cycles of |inputs| inferences on the RTL, each of random values.
Result<std::vector<uint64_t>> Measure(const std::string& path, int inputs) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path));
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig("default"));
  options.cpu = false;
  options.device = true;
  TESSERA_ASSIGN(compiler::Compiled compiled,
                 compiler::Compile(std::move(graph), path, Crc64(bytes), options));
  const auto artifact = std::make_shared<const artifact::Artifact>(std::move(compiled.artifact));
  TESSERA_ASSIGN(const std::unique_ptr<Device> device, OpenDevice("rtl", options.config));
  TESSERA_ASSIGN(const std::unique_ptr<Executor> executor,
                 Executor::Open(artifact, "device", device.get()));
  Rng rng(1);
  std::vector<uint64_t> cycles;
  for (int run = 0; run < inputs; ++run) {
    HostTensor input = HostTensor::Zeros(artifact->inputs[0].dtype, artifact->inputs[0].shape);
    if (input.dtype == DType::kFloat32) {
      for (float& value : input.as<float>()) value = static_cast<float>(rng.Range(0, 255)) / 255;
    } else {
      for (uint8_t& byte : input.bytes) byte = static_cast<uint8_t>(rng.Range(0, 255));
    }
    ExecutionReport report;
    TESSERA_TRY(executor->Run({&input, 1}, &report));
    cycles.push_back(report.Cycles().at(0));
  }
  return cycles;
}

TEST(Cycles, AreOfSevenNetworksAndWithinTheirLimits) {
  const std::map<std::string, uint64_t> golden = GoldenCycles();
  EXPECT_EQ(golden.size(), Networks().size());
  for (const Named& n : Networks()) {
    ASSERT_TRUE(golden.contains(n.network)) << n.network;
    EXPECT_LE(golden.at(n.network), n.limit) << n.network;
  }
}

// The clock that hw/timing.txt estimates for `default`, in whole MHz; 0 if it has no such row.
int64_t EstimatedMhz() {
  std::ifstream table("hw/timing.txt");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string measured, config, module;
    double ns = 0;
    words >> measured >> config >> module >> ns;
    if (measured == "measured" && config == "default" && module == "tsr_top") {
      return static_cast<int64_t>(1000 / ns);
    }
  }
  return 0;
}

// A row of the table holds cycles and milliseconds; both follow from the golden count, and the
// milliseconds from a clock that the estimate supports.
TEST(Cycles, ReadmeHasThem) {
  const Result<std::vector<uint8_t>> readme = ReadFile("README.md");
  ASSERT_TRUE(readme) << readme.error().message;
  const std::string text(readme->begin(), readme->end());
  const int64_t mhz = EstimatedMhz();
  ASSERT_GT(mhz, 0) << "hw/timing.txt: no row of tsr_top for default";
  EXPECT_THAT(text, HasSubstr(fmt::format("| ms at {} MHz |", mhz))) << kMoved;
  for (const auto& [network, cycles] : GoldenCycles()) {
    EXPECT_THAT(text, HasSubstr(fmt::format(" | {} | ", Grouped(cycles))))
        << network << "; " << kMoved;
    const double ms = static_cast<double>(cycles) / (1e3 * static_cast<double>(mhz));
    EXPECT_THAT(text, HasSubstr(fmt::format(" % | {:.3f} | ", ms))) << network << "; " << kMoved;
  }
}

class CyclesOnRtl : public testing::TestWithParam<Named> {};

TEST_P(CyclesOnRtl, AreTheGoldenOnes) {
  if (!std::filesystem::exists(GetParam().path)) {
    GTEST_SKIP() << fmt::format("1 model not found: {} (see models/mlperf_tiny/README.md)",
                                GetParam().path);
  }
  const Result<std::vector<uint64_t>> cycles = Measure(GetParam().path, GetParam().inputs);
  ASSERT_TRUE(cycles) << cycles.error().message;
  fmt::print("{}: {} cycles\n", GetParam().network, fmt::join(*cycles, ", "));
  EXPECT_EQ(cycles->front(), cycles->back()) << "cycles depend on the input's values";
  EXPECT_EQ((*cycles)[0], GoldenCycles()[GetParam().network]) << kMoved;
}

INSTANTIATE_TEST_SUITE_P(Rtl, CyclesOnRtl, testing::ValuesIn(Networks()),
                         [](const auto& param) { return param.param.network; });

}  // namespace
}  // namespace tessera::test
