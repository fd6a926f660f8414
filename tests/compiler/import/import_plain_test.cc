// SPDX-License-Identifier: Apache-2.0
//
// Plain values in ONNX models: integers at the edges, what is computed at import, shapes and values
// that the user gives. Space: each rule once. Not here: what each operator computes
// (onnx_cases_test, tests/compiler/region).
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "compiler/graph/op_def.h"
#include "compiler/import/onnx.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/graph_eval.h"
#include "tests/compiler/import/model_builder.h"

namespace tessera::import_plain_test {
namespace {

namespace fs = std::filesystem;
using B = ModelBuilder;

std::string Ops(const graph::Graph& g) {
  std::string text;
  for (const graph::Node& node : g.nodes)
    text += (text.empty() ? "" : " ") + std::string(graph::Text(node.op));
  return text;
}

// |bytes| as the only input of |g|, and the first output's.
std::vector<uint8_t> Evaluated(graph::Graph& g, const std::vector<uint8_t>& bytes) {
  EXPECT_TRUE(quantize::AttachRequant(g));
  TensorBytes values{{g.inputs.at(0), bytes}};
  RunRegions(g, values);
  return values.at(g.outputs.at(0));
}

// The shape of x as a reshape wants it, by seven operators: [rows, the rest].
B ShapeArithmetic() {
  B b;
  b.Input("x", {2, 3, 4});
  b.Output("y");
  b.Node("Shape", {"x"}, {"shape"});
  b.Int64s("zero", {}, {0});
  b.Int64s("axis", {1}, {0});
  b.Node("Gather", {"shape", "zero"}, {"rows"});
  b.Node("Size", {"x"}, {"count"});
  b.Node("Div", {"count", "rows"}, {"rest"});
  b.Node("Unsqueeze", {"rows", "axis"}, {"rows1"});
  b.Node("Unsqueeze", {"rest", "axis"}, {"rest1"});
  B::Attr(b.Node("Concat", {"rows1", "rest1"}, {"to"}), "axis", int64_t{0});
  b.Node("Reshape", {"x", "to"}, {"y"});
  return b;
}

TEST(ImportPlain, ArithmeticOnShapesIsComputed) {
  auto g = ImportOnnx(ShapeArithmetic().Bytes(), "m.onnx");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(Ops(*g), "reshape");
  EXPECT_EQ(g->tensor(g->outputs[0]).shape, (graph::Shape{2, 12}));
}

TEST(ImportPlain, WeightsBehindMovesKeepTheirScales) {
  B b;
  b.Input("x", {1, 2, 3, 3});
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 0);
  // [2 in, 1, 1, 3 out] with a scale for each of the three: axis 3.
  b.Weights("w", {2, 1, 1, 3}, {1, 2, 3, 4, 5, 6}, {0.1f, 0.2f, 0.3f}, 3);
  B::Attr(b.Node("Transpose", {"w"}, {"wt"}), "perm", B::Dims{3, 0, 1, 2});
  b.Node("Conv", {"xq", "wt"}, {"c"}, "conv");
  b.Qdq("c", "y", 0.5f, 0);
  auto g = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(Ops(*g), "quantize conv dequantize");
  const graph::GraphTensor& w = g->tensor(g->nodes[1].inputs[1]);
  EXPECT_EQ(w.shape, (graph::Shape{3, 2, 1, 1}));
  EXPECT_EQ(As<int8_t>(*w.data), (std::vector<int8_t>{1, 4, 2, 5, 3, 6}));
  ASSERT_TRUE(w.quant);
  EXPECT_EQ(w.quant->axis, 0);
  EXPECT_EQ(w.quant->scale.size(), 3u);
}

TEST(ImportPlain, Uint8AtTheEdges) {
  B b;
  b.Input("x", {1, 4}, onnx::TensorProto::UINT8);
  b.Floats("s", {}, {0.5f});
  b.Int8s("z", {}, {128}, onnx::TensorProto::UINT8);
  b.Node("DequantizeLinear", {"x", "s", "z"}, {"real"});
  b.Node("Relu", {"real"}, {"r"});
  b.Node("QuantizeLinear", {"r", "s", "z"}, {"y"});
  b.Output("y");
  auto g = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(Ops(*g), "rescale rescale rescale");
  EXPECT_EQ(g->tensor(g->inputs[0]).dtype, DType::kUint8);
  EXPECT_EQ(g->tensor(g->outputs[0]).dtype, DType::kUint8);
  EXPECT_EQ(Evaluated(*g, {0, 127, 129, 255}), (std::vector<uint8_t>{128, 128, 129, 255}));
}

TEST(ImportPlain, IntegersGoThrough) {
  B b;
  b.Input("x", {4}, onnx::TensorProto::INT32);
  b.Int32s("three", {1}, {3});
  b.Node("Div", {"x", "three"}, {"q"});
  B::Attr(b.Node("Cast", {"q"}, {"y"}), "to", int64_t{7});
  b.Output("y");
  auto g = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(As<int64_t>(Evaluated(*g, Bytes<int32_t>({-7, -2, 7, INT32_MAX}))),
            (std::vector<int64_t>{-2, 0, 2, INT32_MAX / 3}));
}

// QLinearConv is the operator between DequantizeLinear and QuantizeLinear.
TEST(ImportPlain, OperatorsOnIntegersAreThoseBetweenScales) {
  B b;
  b.Input("x", {1, 1, 3, 3}, onnx::TensorProto::INT8);
  b.Floats("xs", {}, {0.5f});
  b.Floats("ws", {}, {0.25f});
  b.Floats("ys", {}, {2.0f});
  b.Int8s("z", {}, {0});
  b.Int8s("w", {1, 1, 2, 2}, {1, 2, 3, 4});
  b.Int32s("bias", {1}, {16});
  b.Node("QLinearConv", {"x", "xs", "z", "w", "ws", "z", "ys", "z", "bias"}, {"y"}, "conv");
  b.Output("y");
  auto g = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(Ops(*g), "conv");
  // (1*1 + 2*2 + 3*4 + 4*5 + 16) / 16 = 3.3 and so on: half to even.
  const std::vector<uint8_t> x{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(As<int8_t>(Evaluated(*g, x)), (std::vector<int8_t>{3, 4, 5, 6}));
}

TEST(ImportPlain, OpenExtentsAreGiven) {
  B b;
  b.Input("x", {1, 3, 4, 5});
  auto& type = *b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type();
  type.mutable_shape()->mutable_dim(2)->set_dim_param("h");
  b.Node("Relu", {"x"}, {"y"});
  b.Output("y");
  const auto none = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "m.onnx: input 'x': extent 2 is not known; only the first may be left open: give its "
            "shape, say --shape x=1,3,32,5");
  const auto g = ImportOnnx(b.Bytes(), "m.onnx", {.shapes = {{"x", {1, 3, 7, 5}}}});
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(g->tensor(g->inputs[0]).shape, (graph::Shape{1, 3, 7, 5}));
  const auto other = ImportOnnx(b.Bytes(), "m.onnx", {.shapes = {{"x", {1, 4, 7, 5}}}});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "m.onnx: input 'x': --shape gives [1, 4, 7, 5], the model has [1, 3, -1, 5] (-1: any "
            "extent)");
  const auto unknown = ImportOnnx(b.Bytes(), "m.onnx", {.shapes = {{"z", {1}}}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "m.onnx: the model has no input 'z'; it has x");
}

TEST(ImportPlain, ValuesOfInputsAreGiven) {
  B b;
  b.Input("x", {2, 6});
  b.Input("to", {2}, onnx::TensorProto::INT64);
  b.Node("Reshape", {"x", "to"}, {"y"});
  b.Output("y");
  HostTensor to = HostTensor::Zeros(DType::kInt64, {2});
  to.as<int64_t>()[0] = 3;
  to.as<int64_t>()[1] = -1;
  const auto g = ImportOnnx(b.Bytes(), "m.onnx", {.known = {{"to", to}}});
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(g->inputs.size(), 1u);
  EXPECT_EQ(g->tensor(g->outputs[0]).shape, (graph::Shape{3, 4}));
  const auto type =
      ImportOnnx(b.Bytes(), "m.onnx", {.known = {{"to", HostTensor::Zeros(DType::kInt32, {2})}}});
  ASSERT_FALSE(type);
  EXPECT_EQ(type.error().message,
            "m.onnx: input 'to': its value is given as int32, the model has int64");
  const auto shape =
      ImportOnnx(b.Bytes(), "m.onnx", {.known = {{"to", HostTensor::Zeros(DType::kInt64, {3})}}});
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().message,
            "m.onnx: input 'to': its value is given with shape [3], the model has [2]");
}

// A model whose addend is data beside it: |location|, |length| of them from |offset| on.
B External(const std::string& location, const std::string& offset, const std::string& length) {
  B b;
  b.Input("x", {1, 2});
  b.Floats("k", {2}, {});
  onnx::TensorProto& k = b.init("k");
  k.set_data_location(onnx::TensorProto::EXTERNAL);
  const std::pair<std::string, std::string> entries[] = {
      {"location", location}, {"offset", offset}, {"length", length}};
  for (const auto& [key, value] : entries) {
    auto& entry = *k.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  b.Node("Add", {"x", "k"}, {"y"});
  b.Output("y");
  return b;
}

class ImportExternal : public ::testing::Test {
 protected:
  ImportExternal() : folder_(fs::path(::testing::TempDir()) / "import_external") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "inside");
    EXPECT_TRUE(WriteFile((folder_ / "inside" / "k.bin").string(), Bytes<float>({9, 1.5f, -2})));
    EXPECT_TRUE(WriteFile((folder_ / "secret.bin").string(), Bytes<float>({1, 2, 3})));
    fs::create_symlink("../secret.bin", folder_ / "inside" / "link.bin");
  }
  ~ImportExternal() override { fs::remove_all(folder_); }

  // The message without the path in front.
  std::string Refused(const B& b) {
    const auto bad = ImportOnnx(b.Bytes(), Model());
    if (bad) return "accepted";
    const std::string& message = bad.error().message;
    return message.substr(message.find("initializer"));
  }
  std::string Model() const { return (folder_ / "inside" / "m.onnx").string(); }

  fs::path folder_;
};

TEST_F(ImportExternal, DataBesideTheModelAreRead) {
  auto g = ImportOnnx(External("k.bin", "4", "8").Bytes(), Model());
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(As<float>(Evaluated(*g, Bytes<float>({1, 1}))), (std::vector<float>{2.5f, -1}));
}

TEST_F(ImportExternal, NothingElseIs) {
  const std::string outside =
      ", which is outside of the model's folder; only files inside of it are read";
  const std::string in = "initializer 'k': its data are in file '";
  EXPECT_EQ(Refused(External("../secret.bin", "0", "8")), in + "../secret.bin'" + outside);
  const std::string absolute = (folder_ / "inside" / "k.bin").string();
  EXPECT_EQ(Refused(External(absolute, "0", "8")), in + absolute + "'" + outside);
  EXPECT_EQ(Refused(External("link.bin", "0", "8")), in + "link.bin'" + outside);
  EXPECT_EQ(Refused(External("k.bin", "8", "8")),
            "initializer 'k': its data are 8 bytes from 8 on of file 'k.bin', which has 12");
  EXPECT_EQ(Refused(External("k.bin", "18446744073709551615", "8")),
            "initializer 'k': its data are 8 bytes from 18446744073709551615 on of file 'k.bin', "
            "which has 12");
  EXPECT_EQ(Refused(External("k.bin", "0", "4")),
            "initializer 'k': its data in another file are 4 bytes, shape [2] of float32 takes 8");
  EXPECT_EQ(Refused(External("k.bin", "-1", "8")),
            "initializer 'k': the offset of its data in another file is '-1'");
  EXPECT_NE(Refused(External("none.bin", "0", "8")).find("none.bin"), std::string::npos);
}

struct BadPlain {
  const char* name;
  void (*spoil)(B& b);
  const char* message;
};
void PrintTo(const BadPlain& c, std::ostream* out) { *out << c.name; }

const BadPlain kBad[] = {
    {"SeveralOperators",
     [](B& b) {
       b.Node("Blur", {"x"}, {"p"});
       b.Node("Blur", {"p"}, {"q"});
       b.Node("Smear", {"q"}, {"r"});
     },
     "m.onnx: operators that are not supported: 2 x Blur (first: node 1), 1 x Smear (first: node "
     "3); docs/operators.md lists those that are"},
    {"ALoop",
     [](B& b) {
       b.Node("Add", {"late", "x"}, {"late"}, "add");
     },
     "m.onnx: node 1 (Add 'add'): its operand 'late' is neither made by an operator in front of it "
     "nor a constant"},
    {"GigabytesOfOneValue",
     [](B& b) {
       b.Int64s("huge", {3}, {1 << 20, 1 << 10, 4});
       b.Node("ConstantOfShape", {"huge"}, {"h"}, "fill");
     },
     "m.onnx: node 1 (ConstantOfShape 'fill'): shape [1048576, 1024, 4] has"},
    {"GigabytesOfConstants",
     [](B& b) {
       b.Int64s("some", {1}, {1 << 28});
       for (int k = 0; k < 3; ++k)
         b.Node("ConstantOfShape", {"some"}, {"h" + std::to_string(k)}, "fill" + std::to_string(k));
     },
     "m.onnx: node 3 (ConstantOfShape 'fill2'): the constants of the model come to more than "
     "2147483648 bytes"},
    {"EndlessRange",
     [](B& b) {
       b.Floats("zero", {}, {0});
       b.Floats("far", {}, {1e30f});
       b.Floats("step", {}, {1});
       b.Node("Range", {"zero", "far", "step"}, {"h"}, "range");
     },
     "m.onnx: node 1 (Range 'range'):"},
    {"StepsOfAConstant",
     [](B& b) {
       b.Int64s("big", {2}, {4096, 4096});
       b.Node("ConstantOfShape", {"big"}, {"h"});
       b.Node("MatMul", {"h", "h"}, {"p"}, "square");
     },
     "m.onnx: node 2 (MatMul 'square'): its operands are constants, and to compute it at import "
     "takes"},
    {"ConstantOfText",
     [](B& b) { B::AttrS(b.Node("Constant", {}, {"h"}, "word"), "value_string", "a"); },
     "m.onnx: node 1 (Constant 'word'): attribute value_string; value, value_int"},
    {"NothingLeft",
     [](B& b) {
       B::Attr(b.Node("Slice", {"x"}, {"h"}, "cut"), "starts", B::Dims{9});
       B::Attr(b.node("cut"), "ends", B::Dims{10});
       b.model.mutable_opset_import(0)->set_version(9);
     },
     "m.onnx: node 1 (Slice 'cut'): nothing is left of axis 0 with extent 1"},
    {"IndexTensorOfFloats",
     [](B& b) {
       b.Node("Gather", {"x", "x"}, {"h"}, "pick");
     },
     "node pick (gather): indices of float32"},
    {"QLinearWithoutScale",
     [](B& b) {
       b.Node("QLinearConv", {"x", "x"}, {"h"}, "conv");
     },
     "m.onnx: node 1 (QLinearConv 'conv'): input 1 is missing"},
};
class ImportPlainBad : public ::testing::TestWithParam<BadPlain> {};
TEST_P(ImportPlainBad, IsRefusedWithTheReason) {
  B b;
  b.Input("x", {1, 4});
  b.Node("Relu", {"x"}, {"y"});
  b.Output("y");
  GetParam().spoil(b);
  const auto bad = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(GetParam().message), std::string::npos) << bad.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, ImportPlainBad, ::testing::ValuesIn(kBad),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace tessera::import_plain_test
