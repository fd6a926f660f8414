// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `--device opencl` on this machine's driver: every layer of the committed network
// equals the host's, from the model and from an artifact that has only the plan for OpenCL; a
// machine without a driver. Not here: operators (tests/compiler/gpu).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
