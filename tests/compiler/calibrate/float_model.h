// SPDX-License-Identifier: Apache-2.0
//
// Float models for the tests of calibration, built from the importer's plain structs, and their
// results by the meaning of their operators (tests/compiler/graph_eval.h).
#ifndef TESSERA_TESTS_COMPILER_CALIBRATE_FLOAT_MODEL_H_
#define TESSERA_TESTS_COMPILER_CALIBRATE_FLOAT_MODEL_H_

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "compiler/import/onnx.h"
#include "compiler/import/onnx_model.h"
#include "compiler/import/onnx_write.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::test {

class FloatModel {
 public:
  using Names = std::vector<std::string>;

  explicit FloatModel(uint32_t seed) : rng(seed) {
    model.name = "test";
    model.ir = 8;
    model.opset = 13;
  }

  std::string Input(const std::string& name, std::vector<int64_t> shape) {
    model.inputs.push_back({name, DType::kFloat32, std::move(shape)});
    return name;
  }
  void Output(const std::string& name) {
    model.outputs.push_back({name, DType::kFloat32, std::nullopt});
  }
  // A node "|result|/|type|" with the result |result|.
  onnx_model::OnnxNode& Node(const std::string& type, const Names& inputs,
                             const std::string& result) {
    model.nodes.push_back(
        {static_cast<int>(model.nodes.size()), type, result + "/" + type, inputs, {result}, {}});
    return model.nodes.back();
  }
  std::string Constant(const std::string& name, std::vector<int64_t> shape,
                       const std::vector<float>& values) {
    HostTensor& made = model.initializers[name] = HostTensor::Zeros(DType::kFloat32, shape);
    std::ranges::copy(values, made.as<float>().begin());
    return name;
  }
  // A constant of random values between |least| and 1.
  std::string Random(const std::string& name, std::vector<int64_t> shape, float least = -1) {
    HostTensor& made = model.initializers[name] = HostTensor::Zeros(DType::kFloat32, shape);
    for (float& v : made.as<float>()) v = std::uniform_real_distribution<float>(least, 1)(rng);
    return name;
  }
  // 3x3 with pads of 1.
  onnx_model::OnnxNode& Conv(const std::string& x, int64_t ins, int64_t outs, bool bias,
                             const std::string& result, int64_t groups = 1) {
    Names operands{x, Random(result + ".w", {outs, ins / groups, 3, 3})};
    if (bias) operands.push_back(Random(result + ".b", {outs}));
    onnx_model::OnnxNode& node = Node("Conv", operands, result);
    node.attributes["pads"].ints = {1, 1, 1, 1};
    node.attributes["group"].i = groups;
    return node;
  }

  onnx_model::OnnxModel model;
  std::mt19937 rng;
};

inline std::vector<float> RandomFloats(size_t count, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<float> values(count);
  for (float& v : values) v = std::uniform_real_distribution<float>(-1, 1)(rng);
  return values;
}

inline graph::Graph Imported(const onnx_model::OnnxModel& model) {
  auto g = ImportOnnx(onnx_model::Write(model), "m.onnx");
  EXPECT_TRUE(g) << g.error().message;
  return g ? std::move(*g) : graph::Graph();
}

// The first output of |model| for |input|, its one input.
inline std::vector<float> Evaluated(const onnx_model::OnnxModel& model,
                                    const std::vector<float>& input) {
  graph::Graph g = Imported(model);
  EXPECT_TRUE(quantize::AttachRequant(g));
  TensorBytes values{{g.inputs.at(0), Bytes(input)}};
  RunRegions(g, values);
  return As<float>(values.at(g.outputs.at(0)));
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_CALIBRATE_FLOAT_MODEL_H_
