// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `--device opencl` on this machine's driver: every layer of the committed network
// equals the host's, from the model and from an artifact that has only the plan for OpenCL; a
// machine without a driver. Not here: operators (tests/compiler/gpu).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "tests/tools/command.h"

namespace tessera::test::opencl_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(OpenCl, AgreesWithTheHostOnEveryLayer) {
  const std::string file = TempPath("opencl.json");
  const CommandResult r = Tessera(fmt::format(
      "compare {} --devices cpu,opencl --input {} --first 2 --json {}", kModel, kImages, file));
  ASSERT_EQ(r.code, 0) << r.output;
  const auto bytes = ReadFile(file);
  ASSERT_TRUE(bytes.has_value());
  const json j = json::parse(bytes->begin(), bytes->end());
  EXPECT_FALSE(j["layers"].empty());
  for (const json& layer : j["layers"]) {
    EXPECT_EQ(layer["mismatches"], 0) << layer;
    EXPECT_GT(layer["values"].get<int64_t>(), 0) << layer;
  }
  EXPECT_EQ(j["totals"]["mismatches"], 0);
}

TEST(OpenCl, RunsAnArtifactWithItsPlanAlone) {
  const std::string net = TempPath("opencl.tsr");
  const CommandResult made = Tessera(fmt::format("compile {} --target opencl -o {}", kModel, net));
  ASSERT_EQ(made.code, 0) << made.output;
  const CommandResult r = Tessera(fmt::format(
      "run {} --device opencl --input {} --labels {} --first 20", net, kImages, kLabels));
  EXPECT_EQ(r.code, 0) << r.output;
  const CommandResult host = Tessera(fmt::format(
      "run {} --device cpu --input {} --labels {} --first 20", kModel, kImages, kLabels));
  ASSERT_EQ(host.code, 0) << host.output;
  EXPECT_THAT(r.output, HasSubstr(host.output.substr(host.output.find("accuracy:"))));
  const CommandResult other = Tessera(fmt::format("run {} --device cpu --input {}", net, kImages));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.output,
              HasSubstr("device cpu: the artifact was compiled for --target opencl alone; "
                        "compile the model with --target opencl,cpu"));
}

// The accelerator, the host and the GPU make some layers each.
TEST(OpenCl, RunsItsLayersOfAPlacement) {
  const std::string file = TempPath("three.txt"), json_file = TempPath("three.json");
  const std::string text =
      "opencl stage1_conv2/Conv+stage1_add/Add\nhost stage2_conv1_conv/Conv\n"
      "opencl stage3_shortcut/Conv\nopencl pool/GlobalAveragePool\n";
  ASSERT_TRUE(WriteFile(file, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
  const CommandResult r =
      Tessera(fmt::format("compare {} --devices cpu,func --place {} --input {} --first 2 --json {}",
                          kModel, file, kImages, json_file));
  ASSERT_EQ(r.code, 0) << r.output;
  const auto bytes = ReadFile(json_file);
  ASSERT_TRUE(bytes.has_value());
  const json j = json::parse(bytes->begin(), bytes->end());
  std::map<std::string, int> layers;
  for (const json& layer : j["layers"]) {
    EXPECT_EQ(layer["mismatches"], 0) << layer;
    ++layers[layer["device"].get<std::string>()];
  }
  EXPECT_EQ(layers["opencl"], 3);
  EXPECT_GT(layers["accelerator"], 4);
  EXPECT_GT(layers["host"], 1);
  // The lines before the layers: 4 operators in these 3.
  EXPECT_THAT(r.output, HasSubstr("; opencl: 2 x conv, 1 x add, 1 x avgpool"));
  EXPECT_EQ(j["coverage"]["gpu"][0],
            json({{"operator", "conv"}, {"count", 2}, {"device", "opencl"}}));
  const CommandResult none = Tessera(
      fmt::format("run {} --device func --place {} --input {} --first 1", kModel, file, kImages),
      "OCL_ICD_VENDORS=/nonexistent/ ");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.output, HasSubstr("device opencl: the loader knows 0 platforms"));
}

// A configuration with a GPU: the forecast has it, and the file that is written runs.
TEST(OpenCl, TakesPartInAPlacementByCost) {
  const std::string config = TempPath("gpu.json"), file = TempPath("placed.txt");
  const std::string text =
      R"({"cpu": "cortex-a53", "gpu": {"driver": "opencl", "processors": 8, "lanes": 64,
          "clock_mhz": 800, "memory_mb_s": 20000, "link_mb_s": 5000, "launch_us": 8,
          "transfer_us": 8}})";
  ASSERT_TRUE(WriteFile(config, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
  const CommandResult placed =
      Tessera(fmt::format("place {} --config {} --place latency -o {}", kModel, config, file));
  ASSERT_EQ(placed.code, 0) << placed.output;
  EXPECT_THAT(placed.output, HasSubstr(" GPU "));
  EXPECT_THAT(placed.output,
              HasSubstr("the GPU 8 processors of 64 lanes at 800 MHz through opencl"));
  const auto pins = ReadFile(file);
  ASSERT_TRUE(pins.has_value());
  EXPECT_THAT(std::string(pins->begin(), pins->end()), HasSubstr("opencl      stage2_conv2/Conv"));
  const CommandResult measured =
      Tessera(fmt::format("place {} --config {} --place latency --measure cycle", kModel, config));
  EXPECT_EQ(measured.code, 0) << measured.output;
  EXPECT_THAT(measured.output, HasSubstr("GPU with its transfers "));
}

// With its own times, a layer of the GPU has a forecast of its own.
TEST(OpenCl, ItsLayersHaveMeasuredTimes) {
  const std::string config = TempPath("here_gpu.json"), times = TempPath("gpu.times");
  ASSERT_EQ(Tessera("devices opencl --measure -o " + config).code, 0);
  const CommandResult r = Tessera(fmt::format(
      "place {} --config {} --place latency --measure cycle --times {}", kModel, config, times));
  ASSERT_EQ(r.code, 0) << r.output;
  const auto bytes = ReadFile(times);
  ASSERT_TRUE(bytes.has_value());
  const std::string text(bytes->begin(), bytes->end());
  EXPECT_THAT(text, ::testing::ContainsRegex("\nmachine .*; opencl: .*; tessera "));
  for (const char* device : {"host", "opencl"}) {
    EXPECT_THAT(text,
                ::testing::ContainsRegex(fmt::format("\n{} [0-9a-f]+ [0-9.e-]+ fc/Gemm", device)));
  }
}

// A measured GPU is a part of a configuration, and the forecast with it takes part in a placement.
TEST(OpenCl, IsMeasured) {
  const std::string file = TempPath("here.json");
  const CommandResult r = Tessera("devices opencl --measure -o " + file);
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, ::testing::ContainsRegex("\ngpu[.]link_mb_s +[0-9,]+ +MB/s "));
  EXPECT_THAT(r.output, HasSubstr("with this processor and this GPU; use it as --config " + file));
  const auto bytes = ReadFile(file);
  ASSERT_TRUE(bytes.has_value());
  const json gpu = json::parse(bytes->begin(), bytes->end())["gpu"];
  EXPECT_EQ(gpu["driver"], "opencl");
  for (const char* key :
       {"processors", "lanes", "memory_mb_s", "link_mb_s", "launch_us", "transfer_us"})
    EXPECT_GT(gpu[key].get<int64_t>(), 0) << key;
  const CommandResult placed =
      Tessera(fmt::format("place {} --config {} --place latency", kModel, file));
  EXPECT_EQ(placed.code, 0) << placed.output;
  EXPECT_THAT(placed.output, HasSubstr(" through opencl"));
}

TEST(OpenCl, SaysWhatIsMissingWithoutADriver) {
  const CommandResult r =
      Tessera(fmt::format("run {} --device opencl --input {} --first 1", kModel, kImages),
              "OCL_ICD_VENDORS=/nonexistent/ ");
  EXPECT_EQ(r.code, 2) << r.output;
  EXPECT_EQ(r.output,
            "tessera: device opencl: the loader knows 0 platforms and no device; install an OpenCL "
            "driver (Debian: pocl-opencl-icd runs kernels on the processor)\n");
}

}  // namespace
}  // namespace tessera::test::opencl_test
