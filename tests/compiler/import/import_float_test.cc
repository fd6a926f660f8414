// SPDX-License-Identifier: Apache-2.0
//
// ONNX models of floats, and of floats and integers: which operators are on which type, where
// values change it, float16 constants and inputs. What the operators compute is in
// onnx_cases_test.cc and tests/compiler/region/float_test.cc; refusals are in
// import_bad_ops_test.cc.
#include <fmt/ranges.h>

#include "base/half.h"
#include "tests/compiler/graph_eval.h"
#include "tests/compiler/import/bad_model.h"

namespace tessera::import_float_test {
namespace {

// "conv int8, dequantize float32": operators and the types of their results.
std::string Text(const graph::Graph& g) {
  std::vector<std::string> words;
  for (const graph::Node& n : g.nodes)
    words.push_back(fmt::format("{} {}", graph::Text(n.op), Text(g.tensor(n.output).dtype)));
  return fmt::format("{}", fmt::join(words, ", "));
}

graph::Graph Import(ModelBuilder& b) {
  auto g = ImportOnnx(b.Bytes(), "m.onnx");
  EXPECT_TRUE(g) << g.error().message;
  return g ? std::move(*g) : graph::Graph();
}

// Without the quantisation behind it, the convolution is one on floats, its int8 weights and biases
// are constants of floats; the pool, too; what is quantised later is int8 again.
TEST(ImportFloat, AnOperatorWhoseResultIsNotQuantisedIsOnFloats) {
  ModelBuilder b = Good();
  Remove(b, "rq_quantize");
  Remove(b, "rq_dequantize");
  b.node("pool").set_input(0, "r");
  const graph::Graph g = Import(b);
  EXPECT_EQ(Text(g),
            "quantize int8, dequantize float32, conv float32, rescale float32, maxpool float32, "
            "reshape float32, dense float32, quantize int8, dequantize float32");
  const graph::GraphTensor& w = g.tensor(g.nodes[2].inputs[1]);
  EXPECT_EQ(w.dtype, DType::kFloat32);
  // Channel 2, element 1 of int8 weights -3 to 3 in turn, in steps of 0.3.
  const std::vector<float> values = As<float>(*w.data);
  EXPECT_EQ(values[37], static_cast<float>(37 % 7 - 3) * 0.3f);
  EXPECT_EQ(g.nodes[3].least, 0.0f);
}

TEST(ImportFloat, AFloatInputMakesAFloatOperator) {
  ModelBuilder b = Good();
  b.node("conv").set_input(0, "x");
  EXPECT_EQ(Text(Import(b)).substr(0, 48), "quantize int8, conv float32, rescale float32, qu");
}

TEST(ImportFloat, AResultMayBeQuantisedAndReadAsFloats) {
  ModelBuilder b = Good();
  b.Node("Sigmoid", {"g"}, {"s"}, "sigmoid");
  b.Output("s");
  const graph::Graph g = Import(b);
  EXPECT_NE(Text(g).find("dense float32, quantize int8, sigmoid float32, dequantize float32"),
            std::string::npos)
      << Text(g);
  EXPECT_EQ(g.tensor(g.outputs[1]).name, "s");
}

TEST(ImportFloat, ADequantisedValueBecomesFloatsOnce) {
  ModelBuilder b = Good();
  b.Node("Tanh", {"rq"}, {"t"}, "tanh");
  b.Node("Softmax", {"rq"}, {"s"}, "softmax");
  b.Output("t");
  b.Output("s");
  b.Output("rq");
  const graph::Graph g = Import(b);
  const std::string text = Text(g);
  EXPECT_NE(text.find("maxpool int8"), std::string::npos) << text;
  EXPECT_NE(text.find("dequantize float32, tanh float32, softmax float32"), std::string::npos)
      << text;
  EXPECT_EQ(g.outputs.size(), 4u);
  EXPECT_EQ(g.outputs[3], g.nodes[g.nodes.size() - 3].inputs[0]) << text;  // tanh reads it too
}

TEST(ImportFloat, Float16ConstantsInputsAndCasts) {
  ModelBuilder b;
  b.Input("x", {-1, 3});
  b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(10);
  b.Output("y");
  onnx::TensorProto& half = *b.graph().add_initializer();
  half.set_name("h");
  half.set_data_type(10);
  half.add_dims(3);
  for (const float v : {1.0f, 0.5f, -2.0f}) half.add_int32_data(FloatToHalf(v));
  b.Node("Mul", {"x", "h"}, {"m"}, "mul");
  B::Attr(b.Node("Cast", {"m"}, {"y"}, "cast"), "to", int64_t{1});
  graph::Graph g = Import(b);
  EXPECT_EQ(Text(g), "mul float16, cast float32");
  TensorBytes values{{g.inputs[0], Bytes(std::vector<uint16_t>{FloatToHalf(3), FloatToHalf(4),
                                                               FloatToHalf(0.1f)})}};
  ASSERT_NO_FATAL_FAILURE(RunRegions(g, values));
  EXPECT_EQ(As<float>(values.at(g.outputs[0])),
            (std::vector<float>{3, 2, -2 * HalfToFloat(FloatToHalf(0.1f))}));
}

// What is not made under an output's name is copied: an input, another output.
TEST(ImportFloat, OutputsThatAreInputsOrTheSameValue) {
  ModelBuilder b;
  b.Input("x", {2, 3});
  b.Node("Identity", {"x"}, {"y"}, "same");
  b.Node("Relu", {"x"}, {"r"}, "relu");
  b.Node("Identity", {"r"}, {"z"}, "again");
  for (const char* name : {"y", "r", "z"}) b.Output(name);
  const graph::Graph g = Import(b);
  EXPECT_EQ(Text(g), "rescale float32, cast float32, cast float32");
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(g.tensor(g.outputs[i]).name, std::string(1, "yrz"[i])) << i;
}

}  // namespace
}  // namespace tessera::import_float_test
