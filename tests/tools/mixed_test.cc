// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a network with a host operator between two of the accelerator's, as the command
// compiles, describes and compares it: two programs, a host layer between, transfers, equal
// integers on cpu, func and rtl, cycles charged to layers across both programs. Space: one TFLite
// file made here. Not tested here: many such networks (tests/networks).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/rng.h"
#include "runtime/tensor/npy.h"
#include "tests/compiler/import/tflite_builder.h"
#include "tests/tools/command.h"
#include "tests/tools/mixed_model.h"

namespace tessera::test::mixed_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Builtin = TfliteBuilder::Builtin;
using Type = TfliteBuilder::Type;

std::string WriteInput() {
  HostTensor x = HostTensor::Zeros(DType::kInt8, {2, 8, 6, 16});
  Rng rng(1);
  for (uint8_t& byte : x.bytes) byte = static_cast<uint8_t>(rng.Range(0, 255));
  const std::string path = TempPath("mixed.npy");
  EXPECT_TRUE(WriteNpy(path, x));
  return path;
}

json ReadJson(const std::string& path) {
  const auto bytes = ReadFile(path);
  return bytes ? json::parse(bytes->begin(), bytes->end()) : json();
}

TEST(Mixed, TheHostsOperatorIsBetweenTwoPrograms) {
  const std::string model = WriteMixedModel(TempPath("mixed.tflite")), net = TempPath("mixed.tsr"),
                    file = TempPath("info.json");
  const CommandResult compiled = Tessera(fmt::format("compile {} -o {}", model, net));
  ASSERT_EQ(compiled.code, 0) << compiled.output;
  const CommandResult info = Tessera(fmt::format("info {} --json {}", net, file));
  ASSERT_EQ(info.code, 0) << info.output;
  const json j = ReadJson(file);
  EXPECT_EQ(j["programs"].size(), 2u);
  std::vector<std::string> kinds;
  for (const json& step : j["plans"][1]["steps"]) {
    const std::string text = step;
    kinds.push_back(text.starts_with("transfer") ? "transfer" : text.substr(0, text.find(':')));
  }
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"host", "transfer", "default", "transfer", "host", "host",
                                      "host", "transfer", "default", "transfer", "host", "host"}))
      << info.output;
  EXPECT_EQ(Tessera("check " + net).code, 0);
  EXPECT_THAT(Tessera(fmt::format("compile {} --dump graph", model)).output, HasSubstr("\nhost "));
}

TEST(Mixed, EveryDeviceGivesTheSameIntegersAndCyclesAreChargedToLayers) {
  const std::string file = TempPath("mixed.json");
  const CommandResult r =
      Tessera(fmt::format("compare {} --devices cpu,func,rtl --input {} --explain --json {}",
                          WriteMixedModel(TempPath("mixed.tflite")), WriteInput(), file));
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("the accelerator's 2 runs"));
  const json j = ReadJson(file);
  EXPECT_EQ(j["programs"], 2);
  ASSERT_EQ(j["layers"].size(), 3u);
  int64_t sum = 0;
  for (size_t l = 0; l < 3; ++l) {
    const json& layer = j["layers"][l];
    EXPECT_EQ(layer["device"], l == 1 ? "host" : "accelerator") << layer;
    EXPECT_EQ(layer["mismatches"], 0) << layer;
    EXPECT_EQ(layer["values"], 2 * 2 * 8 * 6 * 16) << layer;  // two devices, two items
    const int64_t cycles = layer["cycles"];
    if (l != 1) {
      EXPECT_GT(cycles, 0) << layer;
    } else {
      EXPECT_EQ(cycles, 0) << layer;
    }
    sum += cycles;
    for (const auto& [unit, counters] : layer["units"].items()) {
      int64_t parts = 0;
      for (const auto& [name, part] : counters.items()) parts += part.get<int64_t>();
      EXPECT_EQ(parts, cycles) << layer["name"] << " " << unit;
    }
  }
  EXPECT_EQ(sum, j["totals"]["cycles"]);
}

// An exchange of y and x alone: the accelerator has no layer.
TEST(Mixed, ANetworkOfHostOperatorsRunsAndSaysSo) {
  TfliteBuilder b;
  b.Int8("x", {1, 8, 6, 16}, 0.05f, 3);
  b.Int8("turned", {1, 6, 8, 16}, 0.05f, 3);
  b.Constant("perm", {4}, Type::INT32, std::vector<int32_t>{0, 2, 1, 3});
  b.Op(Builtin::TRANSPOSE, {"x", "perm"}, {"turned"});
  b.Input("x");
  b.Output("turned");
  const std::string model = TempPath("host.tflite"), input = WriteInput();
  const std::string net = TempPath("host.tsr");
  ASSERT_TRUE(WriteFile(model, b.Bytes()));
  const std::string line = "No layer runs on the accelerator: the host runs all of them.";
  for (const std::string& command :
       {fmt::format("compile {} -o {}", model, net),
        fmt::format("run {} --device func --input {}", model, input),
        fmt::format("run {} --device rtl --input {}", net, input),
        fmt::format("compare {} --devices cpu,func,rtl --input {} --explain", model, input)}) {
    const CommandResult r = Tessera(command);
    EXPECT_EQ(r.code, 0) << command << "\n" << r.output;
    EXPECT_THAT(r.output, HasSubstr(line)) << command;
    EXPECT_THAT(r.output, HasSubstr("host: 1 x transpose (VECTOR writes a value where it read it, "
                                    "and this moves values)\n"))
        << command;
  }
  EXPECT_EQ(Tessera("info " + net).code, 0);
  const CommandResult check = Tessera("check " + net);
  EXPECT_EQ(check.code, 2);
  EXPECT_THAT(check.output, HasSubstr("has no accelerator program"));
}

}  // namespace
}  // namespace tessera::test::mixed_test
