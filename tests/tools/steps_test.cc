// SPDX-License-Identifier: Apache-2.0
//
// What is tested: whole networks compiled with the schedules that compile --dump schedule prints:
// the same artifact as from the generator, and every value of every layer equals the host's. Space:
// ResNet-18 and MobileNetV2, one seeded input each; wake words, its artifact. Not tested here:
// single regions (tests/compiler/accel), edited steps (schedule_test), cycles (models_cycles_test).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/rng.h"
#include "runtime/tensor/npy.h"
#include "tests/tools/command.h"

namespace tessera::test::steps_test {
namespace {

struct StepsCase {
  const char* name;
  int64_t values;
};

class StepsTest : public ::testing::TestWithParam<StepsCase> {};

TEST_P(StepsTest, WhatIsDumpedGivesTheSameArtifact) {
  const StepsCase& c = GetParam();
  const std::string net = TempPath("net.tsr"), again = TempPath("again.tsr"),
                    input = TempPath("input.npy"), json = TempPath("compare.json");
  const std::string compile =
      std::string("compile " TESSERA_IMAGENET "/") + c.name + "_int8.onnx --keep-tensors ";
  ASSERT_EQ(Tessera(compile + "-o " + net).code, 0);
  const CommandResult dumped = Tessera(compile + "--dump schedule");
  ASSERT_EQ(dumped.code, 0) << dumped.output;
  const CommandResult made =
      Tessera(compile + "-o " + again + " --schedule " + Write("steps.txt", dumped.output));
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_TRUE(Read(net) == Read(again));
  HostTensor image{DType::kFloat32, {1, 3, 224, 224}, {}};
  Rng rng(18);
  for (int64_t k = 0; k < 3 * 224 * 224; ++k) {
    const float value = static_cast<float>(rng.Range(-200, 200)) / 100.0F;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    image.bytes.insert(image.bytes.end(), bytes, bytes + sizeof(value));
  }
  ASSERT_TRUE(WriteNpy(input, image));
  const CommandResult same =
      Tessera("compare " + net + " --devices cpu,cycle --input " + input + " --json " + json);
  EXPECT_EQ(same.code, 0) << same.output;
  std::ifstream file(json);
  const nlohmann::json report = nlohmann::json::parse(file);
  const nlohmann::json& totals = report.at("totals");
  EXPECT_EQ(totals.at("values").get<int64_t>(), c.values) << totals;
  EXPECT_EQ(totals.at("mismatches").get<int64_t>(), 0) << totals;
}

// Layers that take turns, which they do only if not every result is stored.
TEST(Steps, OfBandsGiveTheSameArtifact) {
  const char* folder = std::getenv("TESSERA_MODELS");
  const std::string model =
      (folder != nullptr && *folder != '\0' ? std::string(folder) : "../shared/models") +
      "/vww_96_int8.tflite";
  if (!std::filesystem::exists(model)) {
    GTEST_SKIP() << "1 model not found: " << model << " (see models/mlperf_tiny/README.md)";
  }
  const std::string net = TempPath("net.tsr"), again = TempPath("again.tsr");
  ASSERT_EQ(Tessera("compile " + model + " -o " + net).code, 0);
  const CommandResult dumped = Tessera("compile " + model + " --dump schedule");
  ASSERT_EQ(dumped.code, 0) << dumped.output;
  EXPECT_NE(dumped.output.find("\nfold_storage "), std::string::npos) << "no bands";
  const CommandResult made = Tessera("compile " + model + " -o " + again + " --schedule " +
                                     Write("steps.txt", dumped.output));
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_TRUE(Read(net) == Read(again));
}

INSTANTIATE_TEST_SUITE_P(Networks, StepsTest,
                         ::testing::Values(StepsCase{"resnet18", 2839456},
                                           StepsCase{"mobilenetv2", 6833920}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace tessera::test::steps_test
