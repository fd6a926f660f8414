// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the QDQ form: the importer's integer operators of it, names of inputs and
// outputs, the readers of each value; a written model is read back the same. Space: layers on
// integers beside float ones, a result that is an output and has readers, int8 and uint8. Not
// tested here: that ONNX Runtime gives the same values (models/quantize/compare.py).
#include "compiler/calibrate/insert.h"

#include <fmt/ranges.h>

#include "compiler/calibrate/model_index.h"
#include "tests/compiler/calibrate/float_model.h"

namespace tessera::calibrate::insert_test {
namespace {

using test::FloatModel;
using test::Imported;

FloatModel Network() {
  FloatModel m(41);
  m.Input("x", {1, 4, 8, 8});
  m.Conv("x", 4, 4, true, "c");
  m.Node("Relu", {"c"}, "r");
  m.Conv("r", 4, 4, false, "d");
  m.Node("MaxPool", {"d"}, "p").attributes["kernel_shape"].ints = {2, 2};
  m.Node("Softmax", {"d"}, "s").attributes["axis"].i = -1;
  m.Output("r");
  m.Output("p");
  m.Output("s");
  return m;
}

QdqModel Made(const FloatModel& m, DType dtype) {
  const auto plan = PlanIntegers(m.model, Imported(m.model), {}, {});
  EXPECT_TRUE(plan);
  ActivationScales scales;
  for (const auto& [value, of] : plan->scale_of) scales[of] = ScaleOf({-2, 3}, dtype);
  return InsertQdq(m.model, *plan, scales, dtype);
}

std::string Text(const graph::Graph& g) {
  std::vector<std::string> words;
  for (const graph::Node& n : g.nodes)
    words.push_back(fmt::format("{} {}", graph::Text(n.op), Text(g.tensor(n.output).dtype)));
  return fmt::format("{}", fmt::join(words, ", "));
}

TEST(InsertQdq, OperatorsAreOnIntegersAndOutputsKeepTheirNames) {
  for (const DType dtype : {DType::kInt8, DType::kUint8}) {
    SCOPED_TRACE(Text(dtype));
    const QdqModel made = Made(Network(), dtype);
    const graph::Graph g = Imported(made.model);
    // r and d become floats for the outputs and for Softmax, p keeps the scale of d.
    EXPECT_EQ(Text(g),
              "quantize int8, conv int8, conv int8, maxpool int8, dequantize float32, softmax "
              "float32, dequantize float32, dequantize float32");
    std::vector<std::string> outputs;
    for (const graph::TensorId id : g.outputs) outputs.push_back(g.tensor(id).name);
    EXPECT_EQ(outputs, (FloatModel::Names{"r", "p", "s"}));
    EXPECT_EQ(made.integers.at("d"), "d.q");
    EXPECT_FALSE(made.integers.contains("c")) << "a Relu takes it in";
    // Weights are int8 with a scale a channel, the bias int32 in steps of both.
    const graph::GraphTensor& w = g.tensor(g.nodes[1].inputs[1]);
    EXPECT_EQ(w.dtype, DType::kInt8);
    EXPECT_EQ(w.quant->scale.size(), 4u);
    EXPECT_EQ(g.tensor(g.nodes[1].inputs[2]).dtype, DType::kInt32);
    EXPECT_EQ(g.nodes[1].lo, g.tensor(g.nodes[1].output).zero()) << "the Relu is its bound";
    EXPECT_EQ(g.nodes[2].inputs.size(), 2u);
  }
}

TEST(InsertQdq, NoConstantIsLeftThatNothingReads) {
  const QdqModel made = Made(Network(), DType::kInt8);
  const ModelIndex index(made.model);
  for (const auto& [name, tensor] : made.model.initializers)
    EXPECT_FALSE(index.Readers(name).empty()) << name;
  EXPECT_FALSE(made.model.initializers.contains("c.w"));
}

// Every written field is read back.
TEST(WriteOnnx, ParseGivesTheModelAgain) {
  onnx_model::OnnxModel model = Made(Network(), DType::kUint8).model;
  model.nodes[0].attributes["text"].s = "NOTSET";
  model.nodes[0].attributes["floats"].floats = {1, 2.5f};
  model.nodes[0].attributes["tensor"].tensor = HostTensor::Zeros(DType::kInt64, {2, 3});
  model.initializers["half"] = HostTensor::Zeros(DType::kFloat16, {2});
  model.initializers["flags"] = HostTensor::Zeros(DType::kBool, {1});
  model.inputs[0].shape = std::vector<int64_t>{-1, 4, 8, 8};
  const auto again = onnx_model::Parse(onnx_model::Write(model));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->name, model.name);
  EXPECT_EQ(again->ir, 8);
  EXPECT_EQ(again->opset, 13);
  EXPECT_EQ(again->initializers, model.initializers);
  ASSERT_EQ(again->nodes.size(), model.nodes.size());
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const onnx_model::OnnxNode &a = model.nodes[n], &b = again->nodes[n];
    EXPECT_EQ(a.Place(), b.Place());
    EXPECT_EQ(a.inputs, b.inputs);
    EXPECT_EQ(a.outputs, b.outputs);
    ASSERT_EQ(a.attributes.size(), b.attributes.size());
    for (const auto& [name, value] : a.attributes) {
      const onnx_model::Attribute& other = b.attributes.at(name);
      EXPECT_EQ(value.i, other.i) << name;
      EXPECT_EQ(value.f, other.f) << name;
      EXPECT_EQ(value.s, other.s) << name;
      EXPECT_EQ(value.ints, other.ints) << name;
      EXPECT_EQ(value.floats, other.floats) << name;
      EXPECT_EQ(value.tensor, other.tensor) << name;
    }
  }
  ASSERT_EQ(again->inputs.size(), 1u);
  EXPECT_EQ(again->inputs[0].name, "x");
  EXPECT_EQ(again->inputs[0].shape, model.inputs[0].shape);
  EXPECT_EQ(again->outputs.size(), 3u);
}

}  // namespace
}  // namespace tessera::calibrate::insert_test
