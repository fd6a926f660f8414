// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a small model of each form of file that users have (models/field/README.md) gives
// the results of ONNX Runtime and of TFLite's reference kernels, on the host and on the functional
// simulator, for all outputs, over three consecutive runs; the translation check compiles it in two
// orders. Space: tests/data/field. Integers and bools are equal, floats within 1e-4 of their
// output's range. Not tested here: operators one by one (tests/compiler/import, tests/models), real
// files, which are not ours.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "base/file.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"
#include "tests/models/packed_json.h"

namespace tessera::test::field_test {
namespace {

constexpr char kFolder[] = "tests/data/field/";

const nlohmann::json& Cases() {
  static const nlohmann::json cases =
      ReadPackedJson(std::string(kFolder) + "cases.json.gz").value().at("cases");
  return cases;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& one : Cases()) names.push_back(one.at("name"));
  return names;
}

std::vector<double> Reals(const HostTensor& tensor) {
  const auto values = tensor.as<float>();
  return {values.begin(), values.end()};
}

// "" where |got| equals |want|.
std::string Difference(const HostTensor& got, const HostTensor& want) {
  if (got.bytes.size() != want.bytes.size())
    return fmt::format("{} bytes, {} expected", got.bytes.size(), want.bytes.size());
  if (got.dtype != DType::kFloat32) return got.bytes == want.bytes ? "" : "integers differ";
  const std::vector<double> ours = Reals(got), theirs = Reals(want);
  const auto [least, most] = std::ranges::minmax_element(theirs);
  const double range = *most - *least;
  for (size_t k = 0; k < ours.size(); ++k) {
    if (std::abs(ours[k] - theirs[k]) <= 1e-4 * range) continue;
    return fmt::format("value {} is {}, expected {}, range {}", k, ours[k], theirs[k], range);
  }
  return "";
}

class Field : public testing::TestWithParam<std::string> {};

TEST_P(Field, GivesWhatItsRuntimeGives) {
  const nlohmann::json* one = nullptr;
  for (const auto& c : Cases()) {
    if (c.at("name") == GetParam()) one = &c;
  }
  const std::string path = kFolder + one->at("file").get<std::string>();
  const Result<std::vector<uint8_t>> bytes = ReadFile(path);
  ASSERT_TRUE(bytes) << bytes.error().message;
  ImportOptions import;
  for (const auto& [name, shape] : one->at("shapes").items())
    import.shapes[name] = shape.get<std::vector<int64_t>>();
  const Result<graph::Graph> graph = ImportModel(*bytes, path, import);
  ASSERT_TRUE(graph) << graph.error().message;
  compiler::CompileOptions options;
  options.config = isa::LoadConfig("default").value();
  options.cpu = options.device = options.verify = true;
  const Result<compiler::Compiled> compiled = compiler::Compile(*graph, path, 0, options);
  ASSERT_TRUE(compiled) << compiled.error().message;
  const auto net = std::make_shared<const artifact::Artifact>(compiled->artifact);
  for (const std::string name : {"cpu", "func"}) {
    SCOPED_TRACE(name);
    std::unique_ptr<Device> device;
    if (name != "cpu") device = OpenDevice(name, options.config).value();
    const auto executor = Executor::Open(net, device ? "device" : "cpu", device.get());
    ASSERT_TRUE(executor) << executor.error().message;
    for (size_t run = 0; run < one->at("runs").size(); ++run) {
      const auto& values = one->at("runs").at(run);
      std::vector<HostTensor> inputs;
      for (size_t i = 0; i < net->inputs.size(); ++i) {
        const artifact::TensorInfo& info = net->inputs[i];
        inputs.push_back({info.dtype, info.shape, FromHex(values.at("inputs").at(i)).value()});
        AddItemAxis(info, inputs.back());
      }
      const auto outputs = (*executor)->Run(inputs);
      ASSERT_TRUE(outputs) << outputs.error().message;
      ASSERT_EQ(outputs->size(), values.at("outputs").size());
      for (size_t o = 0; o < outputs->size(); ++o) {
        const HostTensor& got = (*outputs)[o];
        const HostTensor want{got.dtype, got.shape, FromHex(values.at("outputs").at(o)).value()};
        EXPECT_EQ(Difference(got, want), "")
            << "run " << run << ", output " << net->outputs[o].name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Field, testing::ValuesIn(Names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace tessera::test::field_test
