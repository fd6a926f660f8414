// SPDX-License-Identifier: Apache-2.0
//
// Every diagnostic of the ONNX importer about files, edges and scales: a good model, one thing
// spoilt, the message that names it. The good model is imported first, so each case differs from it
// by that one thing. Not here: operators (import_bad_ops_test.cc), what good models become
// (import_test.cc), random damage (tests/fuzz).
#include "tests/compiler/import/bad_model.h"

namespace tessera::import_bad_test {
namespace {

const Case kCases[] = {
    // The file (onnx_model.cc).
    {"NoNodes", [](auto& b) { b.graph().clear_node(); }, "it has no graph with nodes", kInvalid},
    {"NoGraph", [](auto& b) { b.model.clear_graph(); }, "it has no graph with nodes", kInvalid},
    {"TooManyNodes",
     [](auto& b) {
       for (int i = 0; i < 20000; ++i) b.Node("Relu", {"x"}, {fmt::format("n{}", i)});
     },
     "at most 16384 are accepted", kRange},
    {"ExternalData", [](auto& b) { b.init("w_i").set_data_location(onnx::TensorProto::EXTERNAL); },
     "initializer 'w_i': its data are in another file, which it does not name"},
    {"DoubleInitializer", [](auto& b) { b.init("w_s").set_data_type(onnx::TensorProto::DOUBLE); },
     "'w_s': element type 11"},
    {"ShortData", [](auto& b) { b.init("w_i").mutable_int32_data()->RemoveLast(); },
     "'w_i': its data do not fill shape [4, 2, 3, 3]", Code::kDataLoss},
    {"ShortRawData",
     [](auto& b) {
       b.init("w_i").clear_int32_data();
       b.init("w_i").set_raw_data("abc");
     },
     "its data do not fill", Code::kDataLoss},
    {"DataOfAnotherType",
     [](auto& b) {
       auto& t = b.init("w_s");
       t.clear_float_data();
       for (int i = 0; i < 4; ++i) t.add_int32_data(1);
     },
     "'w_s': its data do not fill", Code::kDataLoss},
    {"HugeInitializer", [](auto& b) { b.init("w_i").set_dims(0, int64_t{1} << 40); },
     "has more than", kRange},
    {"NegativeExtent", [](auto& b) { b.init("w_i").set_dims(0, -4); }, "negative extent", kRange},
    {"InitializerTwice", [](auto& b) { b.Floats("w_s", {1}, {1}); },
     "initializer 'w_s' is there twice", kInvalid},
    {"CustomDomain", [](auto& b) { b.node("conv").set_domain("com.acme"); },
     "node 4 (com.acme.Conv 'conv'): operator com.acme.Conv is not supported; docs/operators.md"},
    {"SubGraph",
     [](auto& b) {
       auto& a = *b.node("conv").add_attribute();
       a.set_name("body");
       a.mutable_g()->set_name("g");
     },
     "sub-graphs (attribute body)"},
    {"ExternalAttribute",
     [](auto& b) {
       auto& a = *b.node("conv").add_attribute();
       a.set_name("t");
       a.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
       a.mutable_t()->set_data_location(onnx::TensorProto::EXTERNAL);
     },
     "attribute t: its data are in another file"},
    {"ValueTwice", [](auto& b) { b.node("flatten").set_output(0, "p"); },
     "(Flatten 'flatten'): output 'p' is there twice", kInvalid},
    {"InputIsAlsoAResult", [](auto& b) { b.node("flatten").set_output(0, "x"); },
     "'x' is there twice", kInvalid},
    {"NoOutputs", [](auto& b) { b.node("relu").clear_output(); }, "(Relu 'relu'): has no outputs",
     kInvalid},
    {"EmptyOutput", [](auto& b) { b.node("relu").set_output(0, ""); }, "output has no name",
     kInvalid},
    {"InputWithoutName", [](auto& b) { b.graph().mutable_input(0)->clear_name(); },
     "input has no name", kInvalid},
    // Inputs and outputs (qdq.cc).
    {"NoInputs", [](auto& b) { b.graph().clear_input(); }, "the model has no inputs", kInvalid},
    {"NoModelOutputs", [](auto& b) { b.graph().clear_output(); }, "the model has no outputs",
     kInvalid},
    {"NoShape",
     [](auto& b) {
       b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
     },
     "input 'x': the model gives no shape", kInvalid},
    {"SymbolicHeight", [](auto& b) { Dim(b, 2).set_dim_param("h"); }, "extent 2 is not known",
     kInvalid},
    {"ZeroExtent", [](auto& b) { Dim(b, 3).set_dim_value(0); }, "extent 3 is not known", kInvalid},
    {"NoAxes",
     [](auto& b) {
       auto& type = *b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type();
       type.mutable_shape()->clear_dim();
     },
     "(Conv 'conv'): input shape []; [N, C, H, W]"},
    {"HugeInput",
     [](auto& b) {
       Dim(b, 2).set_dim_value(1 << 20);
       Dim(b, 3).set_dim_value(1 << 20);
     },
     "input 'x': shape [1, 2, 1048576", kRange},
    {"DoubleInput",
     [](auto& b) {
       b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(11);
     },
     "its type is not float32, float16, int8, uint8, int16, int32, int64 or bool"},
    {"Int8Input",
     [](auto& b) {
       b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(3);
     },
     "node xq_quantize (quantize): operand x has no scale", kInvalid},
    {"OutputNotMade", [](auto& b) { b.graph().mutable_output(0)->set_name("nothing"); },
     "output 'nothing' is not made by an operator", kInvalid},
    {"UnknownOperator", [](auto& b) { b.node("flatten").set_op_type("Blur"); },
     "node 9 (Blur 'flatten'): operator Blur is not supported; docs/operators.md lists those that "
     "are"},
    // Scales and zero points.
    {"NanScale", [](auto& b) { b.init("rq_s").set_float_data(0, std::nanf("")); },
     "scale 'rq_s' holds nan", kInvalid},
    {"InfiniteScale", [](auto& b) { b.init("rq_s").set_float_data(0, INFINITY); },
     "scale 'rq_s' holds inf", kInvalid},
    {"ZeroScale", [](auto& b) { b.init("w_s").set_float_data(2, 0); },
     "(DequantizeLinear 'w_dequantize'): scale 'w_s' holds 0", kInvalid},
    {"NegativeScale", [](auto& b) { b.init("xq_s").set_float_data(0, -1); },
     "scale 'xq_s' holds -1", kInvalid},
    {"NoScale", [](auto& b) { b.node("xq_quantize").mutable_input()->DeleteSubrange(1, 2); },
     "(QuantizeLinear 'xq_quantize'): has no scale", kInvalid},
    {"ComputedScale", [](auto& b) { b.node("xq_quantize").set_input(1, "elsewhere"); },
     "its scale is not a constant of the model"},
    {"ComputedZeroPoint", [](auto& b) { b.node("xq_quantize").set_input(2, "elsewhere"); },
     "its zero point is not a constant of the model"},
    {"BlockedScales", [](auto& b) { b.init("w_s").add_dims(1); }, "scales of shape [4, 1]"},
    {"OtherNumberOfZeroPoints", [](auto& b) { Resize(b.init("w_z"), {3}, 3); },
     "4 scales but 3 zero points", kInvalid},
    {"FloatZeroPoint",
     [](auto& b) {
       auto& t = b.init("xq_z");
       t.clear_int32_data();
       t.set_data_type(1);
       t.add_float_data(0);
     },
     "zero point of type float32"},
    {"Int32ActivationZeroPoint", [](auto& b) { b.init("rq_z").set_data_type(6); },
     "zero point of type int32"},
    {"OutputType",
     [](auto& b) {
       auto& n = b.node("rq_quantize");
       n.mutable_input()->RemoveLast();
       B::Attr(n, "output_dtype", int64_t{4});
     },
     "output_dtype 4"},
    {"PerAxisActivation",
     [](auto& b) {
       b.node("rq_quantize").set_input(1, "w_s");
       b.node("rq_quantize").set_input(2, "w_z");
     },
     "(QuantizeLinear 'rq_quantize'): activations quantised per axis"},
    {"PerAxisInput",
     [](auto& b) {
       b.node("xq_quantize").set_input(1, "w_s");
       b.node("xq_quantize").set_input(2, "w_z");
     },
     "activations quantised per axis"},
    {"QuantizeWithoutInput", [](auto& b) { b.node("xq_quantize").clear_input(); }, "has no input",
     kInvalid},
    {"DequantizeWithoutInput", [](auto& b) { b.node("xq_dequantize").clear_input(); },
     "has no input", kInvalid},
    {"QuantizeOfAFloat", [](auto& b) { b.node("xq_quantize").set_input(0, "nothing"); },
     "its operand 'nothing' is not the result of DequantizeLinear"},
    {"DequantizeOfAFloat", [](auto& b) { b.node("xq_dequantize").set_input(0, "x"); },
     "its input 'x' is neither a constant nor a value of int8 or uint8"},
    {"OtherScaleBehind", [](auto& b) { b.node("rq_dequantize").set_input(1, "xq_s"); },
     "differ from those 'rq_q' was quantised with"},
    {"OtherTypeBehind",
     [](auto& b) {
       b.Int8s("u", {}, {123}, 2);
       b.node("rq_dequantize").set_input(2, "u");
     },
     "its zero point is uint8, but 'rq_q' is int8", kInvalid},
    {"ConstantOfAnotherType",
     [](auto& b) {
       b.Int8s("u", {4}, {128, 128, 128, 128}, 2);
       b.node("w_dequantize").set_input(2, "u");
     },
     "its zero point is uint8, but 'w_i' is int8", kInvalid},
    {"FloatConstant", [](auto& b) { b.node("w_dequantize").set_input(0, "rq_s"); },
     "constant 'rq_s' is float32"},
    {"ScalesForAnotherAxis", [](auto& b) { b.node("w_dequantize").mutable_attribute(0)->set_i(1); },
     "4 scales along axis 1 of shape [4, 2, 3, 3]", kInvalid},
    {"AxisOutOfRange", [](auto& b) { b.node("w_dequantize").mutable_attribute(0)->set_i(-9); },
     "along axis -9", kInvalid},
};

class ImportBad : public ::testing::TestWithParam<Case> {};

TEST_P(ImportBad, IsRefusedWithTheReason) { ExpectRefused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, ImportBad, ::testing::ValuesIn(kCases),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(ImportBadFile, NotAModel) {
  const std::string text = "this is not a model";
  const auto bad =
      ImportOnnx({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "t.onnx");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "t.onnx: is not an ONNX model, or is truncated");
  EXPECT_FALSE(ImportOnnx({}, "empty.onnx"));
}

TEST(ImportBadFile, EveryTruncationIsRefused) {
  const std::vector<uint8_t> bytes = Good().Bytes();
  for (size_t n = 0; n < bytes.size(); ++n) {
    // The opset comes behind the graph: without it the model is whole in all that matters here.
    const auto cut = ImportOnnx(std::span(bytes).first(n), "m.onnx");
    if (!cut) continue;
    EXPECT_GT(n, bytes.size() - 8) << n;
  }
}

TEST(ImportBadFile, Missing) {
  EXPECT_EQ(ImportOnnxFile("/nowhere.onnx").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace tessera::import_bad_test
