// SPDX-License-Identifier: Apache-2.0
//
// What is tested: whole networks whose accelerator layers are scheduled by steps, as compile --dump
// steps prints them: every value of every layer against the host's, the layers that steps do not
// say yet, and the cycles, none of which may rise. Space: ResNet-18 and MobileNetV2, one seeded
// input each. Not tested here: single regions (tests/compiler/accel), edited steps (schedule_test).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/rng.h"
#include "runtime/tensor/npy.h"
#include "tests/tools/command.h"

namespace tessera::test {
namespace {

struct StepsCase {
  const char* name;
  int64_t values, cycles;
  size_t unsaid;  // layers
};

class StepsTest : public ::testing::TestWithParam<StepsCase> {};

TEST_P(StepsTest, EveryValueIsTheHosts) {
  const StepsCase& c = GetParam();
  const std::string model = std::string(TESSERA_IMAGENET "/") + c.name + "_int8.onnx";
  const CommandResult dumped = Tessera("compile " + model + " --dump steps");
  ASSERT_EQ(dumped.code, 0) << dumped.output;
  size_t unsaid = 0, at = 0;
  while ((at = dumped.output.find(" is not said in steps yet\n", at + 1)) != std::string::npos)
    ++unsaid;
  EXPECT_EQ(unsaid, c.unsaid) << dumped.output;
  const std::string steps = TempPath("steps.txt"), net = TempPath("net.tsr"),
                    input = TempPath("input.npy"), json = TempPath("compare.json");
  std::ofstream(steps) << dumped.output;
  HostTensor image{DType::kFloat32, {1, 3, 224, 224}, {}};
  Rng rng(18);
  for (int64_t k = 0; k < 3 * 224 * 224; ++k) {
    const float value = static_cast<float>(rng.Range(-200, 200)) / 100.0F;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    image.bytes.insert(image.bytes.end(), bytes, bytes + sizeof(value));
  }
  ASSERT_TRUE(WriteNpy(input, image));
  const CommandResult made =
      Tessera("compile " + model + " -o " + net + " --keep-tensors --schedule " + steps);
  ASSERT_EQ(made.code, 0) << made.output;
  const CommandResult same =
      Tessera("compare " + net + " --devices cpu,cycle --input " + input + " --json " + json);
  EXPECT_EQ(same.code, 0) << same.output;
  std::ifstream file(json);
  const nlohmann::json report = nlohmann::json::parse(file);
  const nlohmann::json& totals = report.at("totals");
  EXPECT_EQ(totals.at("values").get<int64_t>(), c.values) << totals;
  EXPECT_EQ(totals.at("mismatches").get<int64_t>(), 0) << totals;
  EXPECT_EQ(totals.at("cycles").get<int64_t>(), c.cycles) << "a change that lowers it sets it here";
}

INSTANTIATE_TEST_SUITE_P(Networks, StepsTest,
                         ::testing::Values(StepsCase{"resnet18", 2839456, 9289093, 0},
                                           StepsCase{"mobilenetv2", 6833920, 2194207, 0}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace tessera::test
