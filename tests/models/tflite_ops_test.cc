// SPDX-License-Identifier: Apache-2.0
//
// What is tested: TFLite models of one operator give the bytes of TFLite's reference kernels (in
// files with "float" in their names, floats up to their last places), on the host and on the
// functional simulator. The kernels are those of tflite-runtime 2.14 and, where LiteRT's graph of a
// file differs, also those of LiteRT 2.3. Space: tests/data/tflite_ops, written by
// models/tflite_ops/make.py: up to a dozen files an operator with random options, shapes, scales
// and zero points, four inferences each (random, extremes, near the zero point, a ramp). This file
// lists what the importer refuses, with the reason, and what the accelerator does not take; either
// list fails where it is too long. Not tested here: how the importer reads bad files
// (tests/compiler/import).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"
#include "tests/models/packed_json.h"

namespace tessera::test::tflite_ops_test {
namespace {

constexpr char kFolder[] = "tests/data/tflite_ops/";

const nlohmann::json& Cases() {
  static const nlohmann::json cases =
      ReadPackedJson(std::string(kFolder) + "cases.json.gz").value().at("cases");
  return cases;
}

std::set<std::string> Operators() {
  std::set<std::string> names;
  for (const auto& one : Cases()) names.insert(one.at("operator").get<std::string>());
  return names;
}

// Files that the importer refuses, and a part of its message.
const std::map<std::string, std::string> kRefused = {};

// For each operator, the least number of files that run on the accelerator; networks of other
// operators run on the host.
const std::map<std::string, int> kOnDevice = {
    {"ADD", 6},
    {"AVERAGE_POOL_2D", 6},
    {"CONV_2D", 17},
    {"DEPTHWISE_CONV_2D", 12},
    {"FULLY_CONNECTED", 15},
    {"MAXIMUM", 2},
    {"MAX_POOL_2D", 8},
    {"MEAN", 10},
    {"MINIMUM", 2},
    {"MUL", 9},
    {"QUANTIZE", 9},
    {"REDUCE_MAX", 4},
    {"RELU", 7},
    {"RELU6", 7},
    {"SUB", 6},
};

struct Machine {
  std::unique_ptr<Device> device;
  std::unique_ptr<Executor> executor;
};

Result<Machine> Open(const graph::Graph& graph, const std::string& path,
                     const std::string& device) {
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig("default"));
  options.cpu = device == "cpu";
  options.device = !options.cpu;
  TESSERA_ASSIGN(compiler::Compiled compiled, compiler::Compile(graph, path, 0, options));
  Machine machine;
  if (options.device) {
    TESSERA_ASSIGN(machine.device, OpenDevice(device, options.config));
  }
  TESSERA_ASSIGN(
      machine.executor,
      Executor::Open(std::make_shared<const artifact::Artifact>(std::move(compiled.artifact)),
                     options.cpu ? "cpu" : "device", machine.device.get()));
  return machine;
}

// |got| with |want|'s floats where they differ by at most 1e-6, or 1e-5 of the value, as last
// places do.
std::vector<uint8_t> WithoutLastPlaces(const std::vector<uint8_t>& got,
                                       const std::vector<uint8_t>& want) {
  std::vector<uint8_t> made = got;
  for (size_t at = 0; at + sizeof(float) <= got.size(); at += sizeof(float)) {
    float have = 0, ideal = 0;
    std::memcpy(&have, got.data() + at, sizeof(float));
    std::memcpy(&ideal, want.data() + at, sizeof(float));
    if (std::abs(have - ideal) <= 1e-6f + 1e-5f * std::abs(ideal))
      std::memcpy(made.data() + at, &ideal, sizeof(float));
  }
  return made;
}

// "" when every run of |one| gives the bytes of |kernels|; floats may differ in their last places.
std::string Differences(Executor& executor, const nlohmann::json& one, TfliteKernels kernels) {
  size_t number = 0;
  for (const auto& run : one.at("runs")) {
    std::vector<HostTensor> inputs;
    for (size_t i = 0; i < executor.artifact().inputs.size(); ++i) {
      const artifact::TensorInfo& info = executor.artifact().inputs[i];
      inputs.push_back({info.dtype, info.shape, FromHex(run.at("inputs").at(i)).value()});
      if (info.shape[0] != 1) inputs.back().shape.insert(inputs.back().shape.begin(), 1);
    }
    const Result<std::vector<HostTensor>> outputs = executor.Run(inputs);
    if (!outputs) return outputs.error().message;
    for (size_t i = 0; i < outputs->size(); ++i) {
      const std::string other(Text(kernels));
      const auto& results = run.contains(other) ? run.at(other) : run.at("outputs");
      const std::vector<uint8_t> want = FromHex(results.at(i)).value();
      std::vector<uint8_t> got = (*outputs)[i].bytes;
      if (got.size() != want.size())
        return fmt::format("{} bytes instead of {}", got.size(), want.size());
      const bool near = one.at("name").get<std::string>().find("float") != std::string::npos;
      if (near && (*outputs)[i].dtype == DType::kFloat32) got = WithoutLastPlaces(got, want);
      const auto at = std::ranges::mismatch(got, want).in1 - got.begin();
      if (at == std::ssize(got)) continue;
      size_t count = 0;
      for (size_t k = 0; k < got.size(); ++k) count += got[k] != want[k];
      const size_t k = static_cast<size_t>(at);
      return fmt::format("run {}: {} of {} bytes differ, the first at {}: {} instead of {}", number,
                         count, got.size(), at, static_cast<int8_t>(got[k]),
                         static_cast<int8_t>(want[k]));
    }
    ++number;
  }
  return "";
}

// Whether the two graphs are equal up to names.
bool Same(const graph::Graph& a, const graph::Graph& b) {
  return graph::Print(a) == graph::Print(b) &&
         std::ranges::equal(a.nodes, b.nodes, {}, &graph::Node::round, &graph::Node::round);
}

class TfliteOpsTest : public testing::TestWithParam<std::string> {};

TEST_P(TfliteOpsTest, Exact) {
  std::map<std::string, int> not_taken;  // files that the accelerator does not take, by reason
  int on_device = 0;
  for (const auto& one : Cases()) {
    if (one.at("operator") != GetParam()) continue;
    const std::string name = one.at("name"), path = kFolder + name + ".tflite";
    SCOPED_TRACE(name);
    const Result<std::vector<uint8_t>> bytes = ReadFile(path);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const Result<graph::Graph> graph = ImportModel(*bytes, path);
    const auto refused = kRefused.find(name);
    if (refused != kRefused.end()) {
      ASSERT_FALSE(graph) << "is imported: take it out of kRefused";
      EXPECT_THAT(graph.error().message, testing::HasSubstr(refused->second));
      continue;
    }
    EXPECT_TRUE(graph) << graph.error().message;
    if (!graph) continue;
    const Result<graph::Graph> litert = ImportModel(*bytes, path, {TfliteKernels::kLitert2_3});
    if (!litert) {
      EXPECT_THAT(litert.error().message, testing::HasSubstr("LiteRT takes biases of INT64"));
    } else if (Same(*graph, *litert)) {
      for (const auto& run : one.at("runs"))
        EXPECT_FALSE(run.contains("litert-2.3")) << "LiteRT gives other integers";
    } else {
      Result<Machine> machine = Open(*litert, path, "cpu");
      ASSERT_TRUE(machine) << machine.error().message;
      EXPECT_EQ(Differences(*machine->executor, one, TfliteKernels::kLitert2_3), "") << "litert";
    }
    for (const std::string device : {"cpu", "func"}) {
      Result<Machine> machine = Open(*graph, path, device);
      if (!machine && device == "func" && machine.error().code == Code::kUnsupported) {
        ++not_taken[machine.error().message];
        continue;
      }
      EXPECT_TRUE(machine) << device << ": " << machine.error().message;
      if (!machine) continue;
      on_device +=
          std::ranges::any_of(machine->executor->plan().steps, [](const artifact::PlanStep& s) {
            return std::holds_alternative<artifact::ProgramStep>(s);
          });
      EXPECT_EQ(Differences(*machine->executor, one, TfliteKernels::k2_14), "") << device;
    }
  }
  const auto least = kOnDevice.find(GetParam());
  if (least != kOnDevice.end()) {
    EXPECT_GE(on_device, least->second);
  }
  fmt::print("{}: {} on the accelerator", GetParam(), on_device);
  for (const auto& [why, count] : not_taken) fmt::print("; {}: {}", count, why);
  fmt::print("\n");
}

INSTANTIATE_TEST_SUITE_P(All, TfliteOpsTest, testing::ValuesIn(Operators()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace tessera::test::tflite_ops_test
