// SPDX-License-Identifier: Apache-2.0
//
// What is tested: multiplications and additions of per-channel constants behind a convolution, a
// transposed one or a dense layer are folded into its weights and bias, and the host computes what
// ONNX Runtime does without folding. Space: tests/data/onnx_fold, written by
// models/onnx_fold/make.py. Not tested here: nodes that stay separate
// (tests/compiler/graph/passes_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>

#include "base/file.h"
#include "compiler/driver/compile.h"
#include "compiler/graph/passes.h"
#include "compiler/import/import.h"
#include "runtime/executor/executor.h"
#include "tests/models/packed_json.h"

namespace tessera::test::onnx_fold_test {
namespace {

constexpr char kFolder[] = "tests/data/onnx_fold/";

std::vector<float> FloatsFromHex(const nlohmann::json& text) {
  const std::vector<uint8_t> bytes = FromHex(text.get<std::string>()).value();
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(OnnxFold, ConstantsAChannelGoIntoTheWeights) {
  const auto file = ReadPackedJson(std::string(kFolder) + "cases.json.gz");
  ASSERT_TRUE(file) << file.error().message;
  for (const auto& one : file->at("cases")) {
    const std::string path = kFolder + one.at("name").get<std::string>() + ".onnx";
    SCOPED_TRACE(path);
    const auto bytes = ReadFile(path);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const auto graph = ImportModel(*bytes, path);
    ASSERT_TRUE(graph) << graph.error().message;
    graph::Graph simple = *graph;
    graph::Simplify(simple);
    ASSERT_TRUE(graph::Verify(simple)) << graph::Verify(simple).error().message;
    for (const graph::Node& node : simple.nodes) {
      for (const graph::Op op :
           {graph::Op::kMul, graph::Op::kAdd, graph::Op::kSub, graph::Op::kDiv})
        EXPECT_NE(node.op, op) << node.name;
    }
    compiler::CompileOptions options;
    options.config = isa::LoadConfig("default").value();
    options.cpu = true;
    options.device = false;
    auto compiled = compiler::Compile(*graph, path, 0, options);
    ASSERT_TRUE(compiled) << compiled.error().message;
    const auto executor = Executor::Open(
        std::make_shared<const artifact::Artifact>(std::move(compiled->artifact)), "cpu", nullptr);
    ASSERT_TRUE(executor) << executor.error().message;
    const artifact::TensorInfo& info = (*executor)->artifact().inputs[0];
    HostTensor input{info.dtype, info.shape, FromHex(one.at("input").get<std::string>()).value()};
    if (info.shape[0] != 1) input.shape.insert(input.shape.begin(), 1);
    const auto outputs = (*executor)->Run(std::span(&input, 1));
    ASSERT_TRUE(outputs) << outputs.error().message;
    std::vector<float> have(outputs->at(0).bytes.size() / sizeof(float));
    std::memcpy(have.data(), outputs->at(0).bytes.data(), outputs->at(0).bytes.size());
    const std::vector<float> want = FloatsFromHex(one.at("output"));
    ASSERT_EQ(have.size(), want.size());
    float most = 0;
    for (const float v : want) most = std::max(most, std::abs(v));
    for (size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(have[k], want[k], 2e-6f * most) << k;
  }
}

}  // namespace
}  // namespace tessera::test::onnx_fold_test
