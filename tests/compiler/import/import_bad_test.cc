// SPDX-License-Identifier: Apache-2.0
//
// Every diagnostic of the ONNX importer: a good model, one thing spoilt, the message that names it. The good model
// is imported first, so each case differs from it by that one thing. Not here: what good models
// become (import_test.cc), random damage (tests/fuzz).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "compiler/import/onnx.h"
#include "tests/compiler/import/model_builder.h"

namespace tessera {
namespace {

using B = ModelBuilder;

std::vector<int> Count(size_t n) {
  std::vector<int> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i % 7) - 3;
  return values;
}

// x [N, 2, 6, 6] -> conv 3x3 to 4 channels, relu -> max pool 2x2 -> flatten -> gemm to 3 -> y.
ModelBuilder Good() {
  ModelBuilder b;
  b.Input("x", {-1, 2, 6, 6});
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 3);
  b.Weights("w", {4, 2, 3, 3}, Count(72), {0.1f, 0.2f, 0.3f, 0.4f});
  b.Bias("b", {1, 2, 3, 4}, {0.05f, 0.1f, 0.15f, 0.2f});
  B::Attr(b.Node("Conv", {"xq", "w", "b"}, {"c"}, "conv"), "kernel_shape", B::Dims{3, 3});
  b.Node("Relu", {"c"}, {"r"}, "relu");
  b.Qdq("r", "rq", 0.25f, -5);
  onnx::NodeProto& pool = b.Node("MaxPool", {"rq"}, {"p"}, "pool");
  B::Attr(pool, "kernel_shape", B::Dims{2, 2});
  B::Attr(pool, "strides", B::Dims{2, 2});
  b.Node("Flatten", {"p"}, {"f"}, "flatten");
  b.Weights("v", {3, 16}, Count(48), {0.01f});
  b.Bias("d", {1, 2, 3}, {0.0025f});
  B::Attr(b.Node("Gemm", {"f", "v", "d"}, {"g"}, "gemm"), "transB", int64_t{1});
  b.Qdq("g", "y", 0.125f, 0);
  return b;
}

struct Case {
  const char* name;
  std::function<void(ModelBuilder&)> spoil;
  const char* message;
  Code code = Code::kUnsupported;
};
constexpr Code kInvalid = Code::kInvalidArgument;
constexpr Code kRange = Code::kOutOfRange;

void Remove(ModelBuilder& b, const std::string& name) {
  auto& nodes = *b.graph().mutable_node();
  for (int i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name() == name) return (void)nodes.erase(nodes.begin() + i);
  }
  FAIL() << name;
}
auto& Dim(ModelBuilder& b, int axis) { return *b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(axis); }
void Resize(onnx::TensorProto& t, const B::Dims& dims, size_t count) {
  t.clear_dims();
  for (const int64_t d : dims) t.add_dims(d);
  t.clear_int32_data();
  for (size_t i = 0; i < count; ++i) t.add_int32_data(1);
}
void SetInts(onnx::NodeProto& n, const std::string& name, const B::Dims& values) {
  for (auto& a : *n.mutable_attribute()) {
    if (a.name() != name) continue;
    a.clear_ints();
    for (const int64_t v : values) a.add_ints(v);
    return;
  }
  B::Attr(n, name, values);
}

const Case kCases[] = {
    // The file (onnx_model.cc).
    {"NoNodes", [](auto& b) { b.graph().clear_node(); }, "it has no graph with nodes", kInvalid},
    {"NoGraph", [](auto& b) { b.model.clear_graph(); }, "it has no graph with nodes", kInvalid},
    {"TooManyNodes", [](auto& b) { for (int i = 0; i < 20000; ++i) b.Node("Relu", {"x"}, {fmt::format("n{}", i)}); },
     "at most 16384 are accepted", kRange},
    {"ExternalData", [](auto& b) { b.init("w_i").set_data_location(onnx::TensorProto::EXTERNAL); }, "initializer 'w_i': its data are in another file"},
    {"DoubleInitializer", [](auto& b) { b.init("w_s").set_data_type(onnx::TensorProto::DOUBLE); }, "'w_s': element type 11"},
    {"ShortData", [](auto& b) { b.init("w_i").mutable_int32_data()->RemoveLast(); }, "'w_i': its data do not fill shape [4, 2, 3, 3]", Code::kDataLoss},
    {"ShortRawData", [](auto& b) { b.init("w_i").clear_int32_data(); b.init("w_i").set_raw_data("abc"); }, "its data do not fill", Code::kDataLoss},
    {"DataOfAnotherType", [](auto& b) { auto& t = b.init("w_s"); t.clear_float_data(); for (int i = 0; i < 4; ++i) t.add_int32_data(1); },
     "'w_s': its data do not fill", Code::kDataLoss},
    {"HugeInitializer", [](auto& b) { b.init("w_i").set_dims(0, int64_t{1} << 40); }, "has more than", kRange},
    {"NegativeExtent", [](auto& b) { b.init("w_i").set_dims(0, -4); }, "negative extent", kRange},
    {"InitializerTwice", [](auto& b) { b.Floats("w_s", {1}, {1}); }, "initializer 'w_s' is there twice", kInvalid},
    {"CustomDomain", [](auto& b) { b.node("conv").set_domain("com.acme"); }, "node 4 (Conv 'conv'): operators of domain 'com.acme'"},
    {"SubGraph", [](auto& b) { auto& a = *b.node("conv").add_attribute(); a.set_name("body"); a.mutable_g()->set_name("g"); }, "sub-graphs (attribute body)"},
    {"ExternalAttribute", [](auto& b) { auto& a = *b.node("conv").add_attribute(); a.set_name("t"); a.mutable_t()->set_data_location(onnx::TensorProto::EXTERNAL); },
     "attribute t: its data are in another file"},
    {"ValueTwice", [](auto& b) { b.node("flatten").set_output(0, "p"); }, "(Flatten 'flatten'): output 'p' is there twice", kInvalid},
    {"InputIsAlsoAResult", [](auto& b) { b.node("flatten").set_output(0, "x"); }, "'x' is there twice", kInvalid},
    {"NoOutputs", [](auto& b) { b.node("relu").clear_output(); }, "(Relu 'relu'): has no outputs", kInvalid},
    {"EmptyOutput", [](auto& b) { b.node("relu").set_output(0, ""); }, "output has no name", kInvalid},
    {"InputWithoutName", [](auto& b) { b.graph().mutable_input(0)->clear_name(); }, "input has no name", kInvalid},
    // Inputs and outputs (qdq.cc).
    {"NoInputs", [](auto& b) { b.graph().clear_input(); }, "the model has no inputs", kInvalid},
    {"NoModelOutputs", [](auto& b) { b.graph().clear_output(); }, "the model has no outputs", kInvalid},
    {"NoShape", [](auto& b) { b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape(); }, "input 'x': the model gives no shape", kInvalid},
    {"SymbolicHeight", [](auto& b) { Dim(b, 2).set_dim_param("h"); }, "extent 2 is not known", kInvalid},
    {"ZeroExtent", [](auto& b) { Dim(b, 3).set_dim_value(0); }, "extent 3 is not known", kInvalid},
    {"Batch", [](auto& b) { Dim(b, 0).set_dim_value(8); }, "batch 8 in the model"},
    {"HugeInput", [](auto& b) { Dim(b, 2).set_dim_value(1 << 20); Dim(b, 3).set_dim_value(1 << 20); }, "input 'x': shape [1, 2, 1048576", kRange},
    {"DoubleInput", [](auto& b) { b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(11); }, "not float32, int8 or uint8"},
    {"Int8Input", [](auto& b) { b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(3); }, "int8 inputs are not supported"},
    {"FloatOutput", [](auto& b) { b.graph().mutable_output(0)->set_name("c"); }, "output 'c' is not made by a quantised operator", kInvalid},
    {"Uint8Output", [](auto& b) { b.init("y_z").set_data_type(2); b.graph().mutable_output(0)->set_name("y_q"); }, "output 'y_q': uint8 outputs are not supported"},
    {"UnknownOperator", [](auto& b) { b.node("flatten").set_op_type("Sin"); }, "node 9 (Sin 'flatten'): operator Sin is not supported (supported: QuantizeLinear"},
    // Scales and zero points.
    {"NanScale", [](auto& b) { b.init("rq_s").set_float_data(0, std::nanf("")); }, "scale 'rq_s' holds nan", kInvalid},
    {"InfiniteScale", [](auto& b) { b.init("rq_s").set_float_data(0, INFINITY); }, "scale 'rq_s' holds inf", kInvalid},
    {"ZeroScale", [](auto& b) { b.init("w_s").set_float_data(2, 0); }, "(DequantizeLinear 'w_dequantize'): scale 'w_s' holds 0", kInvalid},
    {"NegativeScale", [](auto& b) { b.init("xq_s").set_float_data(0, -1); }, "scale 'xq_s' holds -1", kInvalid},
    {"NoScale", [](auto& b) { b.node("xq_quantize").mutable_input()->DeleteSubrange(1, 2); }, "(QuantizeLinear 'xq_quantize'): has no scale", kInvalid},
    {"ComputedScale", [](auto& b) { b.node("xq_quantize").set_input(1, "elsewhere"); }, "its scale is not a constant of the model"},
    {"ComputedZeroPoint", [](auto& b) { b.node("xq_quantize").set_input(2, "elsewhere"); }, "its zero point is not a constant of the model"},
    {"BlockedScales", [](auto& b) { b.init("w_s").add_dims(1); }, "scales of shape [4, 1]"},
    {"OtherNumberOfZeroPoints", [](auto& b) { Resize(b.init("w_z"), {3}, 3); }, "4 scales but 3 zero points", kInvalid},
    {"FloatZeroPoint", [](auto& b) { auto& t = b.init("xq_z"); t.clear_int32_data(); t.set_data_type(1); t.add_float_data(0); }, "zero point of type float32"},
    {"Int32ActivationZeroPoint", [](auto& b) { b.init("rq_z").set_data_type(6); }, "zero point of type int32"},
    {"OutputType", [](auto& b) { auto& n = b.node("rq_quantize"); n.mutable_input()->RemoveLast(); B::Attr(n, "output_dtype", int64_t{4}); }, "output_dtype 4"},
    {"PerAxisActivation", [](auto& b) { b.node("rq_quantize").set_input(1, "w_s"); b.node("rq_quantize").set_input(2, "w_z"); },
     "(QuantizeLinear 'rq_quantize'): activations quantised per axis"},
    {"PerAxisInput", [](auto& b) { b.node("xq_quantize").set_input(1, "w_s"); b.node("xq_quantize").set_input(2, "w_z"); }, "activations quantised per axis"},
    {"QuantizeWithoutInput", [](auto& b) { b.node("xq_quantize").clear_input(); }, "has no input", kInvalid},
    {"DequantizeWithoutInput", [](auto& b) { b.node("xq_dequantize").clear_input(); }, "has no input", kInvalid},
    {"QuantizeOfAFloat", [](auto& b) { b.node("xq_quantize").set_input(0, "nothing"); }, "its operand 'nothing' is not the result of DequantizeLinear"},
    {"DequantizeOfAFloat", [](auto& b) { b.node("xq_dequantize").set_input(0, "x"); }, "its input 'x' is neither a constant nor a quantised value"},
    {"OtherScaleBehind", [](auto& b) { b.node("rq_dequantize").set_input(1, "xq_s"); }, "differ from those 'rq_q' was quantised with"},
    {"OtherTypeBehind", [](auto& b) { b.Int8s("u", {}, {123}, 2); b.node("rq_dequantize").set_input(2, "u"); }, "its zero point is uint8, but 'rq_q' is int8", kInvalid},
    {"ConstantOfAnotherType", [](auto& b) { b.Int8s("u", {4}, {128, 128, 128, 128}, 2); b.node("w_dequantize").set_input(2, "u"); },
     "its zero point is uint8, but 'w_i' is int8", kInvalid},
    {"FloatConstant", [](auto& b) { b.node("w_dequantize").set_input(0, "rq_s"); }, "constant 'rq_s' is float32"},
    {"ScalesForAnotherAxis", [](auto& b) { b.node("w_dequantize").mutable_attribute(0)->set_i(1); }, "4 scales along axis 1 of shape [4, 2, 3, 3]", kInvalid},
    {"AxisOutOfRange", [](auto& b) { b.node("w_dequantize").mutable_attribute(0)->set_i(-9); }, "along axis -9", kInvalid},
    // Where float results go.
    {"NotQuantised", [](auto& b) { Remove(b, "rq_quantize"); Remove(b, "rq_dequantize"); b.node("pool").set_input(0, "r"); }, "(Conv 'conv'): its result 'r' goes to node"},
    {"Dangling", [](auto& b) { b.node("y_quantize").set_input(0, "x"); b.graph().mutable_output(0)->set_name("xq_q"); }, "its result 'g' is not quantised; end the model"},
    {"FloatRegion", [](auto& b) { b.Node("Relu", {"c"}, {"c2"}); }, "its result 'c' goes to node"},
    {"TwoQuantisations", [](auto& b) { b.Qdq("r", "other", 0.75f, 0); }, "its result is quantised in two ways"},
    {"OperandMissing", [](auto& b) { b.node("conv").clear_input(); }, "operand 0 is missing", kInvalid},
    {"OperandNotQuantised", [](auto& b) { b.node("conv").set_input(0, "x"); }, "its operand 'x' is not the result of DequantizeLinear"},
    {"ConstantOperand", [](auto& b) { b.node("conv").set_input(0, "w"); }, "its operand 'w' is not the result"},
    {"ClipByAValue", [](auto& b) { b.node("relu").set_op_type("Clip"); b.node("relu").add_input("x"); }, "its bound 'x' is not a constant number"},
    {"ClipByNan", [](auto& b) { b.node("relu").set_op_type("Clip"); B::AttrF(b.node("relu"), "max", std::nanf("")); }, "a bound is NaN", kInvalid},
    {"ClipUpsideDown", [](auto& b) { b.node("relu").set_op_type("Clip"); B::AttrF(b.node("relu"), "min", 5); B::AttrF(b.node("relu"), "max", -5); },
     "its lower bound is above the upper", kInvalid},
    // Convolution.
    {"WeightsNotConstant", [](auto& b) { b.node("conv").set_input(1, "xq"); }, "its weights are not an int8 constant"},
    {"WeightsMissing", [](auto& b) { b.node("conv").mutable_input()->DeleteSubrange(1, 2); }, "its weights are not an int8 constant"},
    {"WeightsInt32", [](auto& b) { b.node("conv").set_input(1, "b"); }, "its weights are not an int8 constant"},
    {"WeightsOfRankTwo", [](auto& b) { b.node("conv").set_input(1, "v"); b.Weights("early", {1, 1}, {1}, {1}); b.node("conv").set_input(1, "early"); },
     "its weights are not an int8 constant"},
    {"WeightsEmpty", [](auto& b) { Resize(b.init("w_i"), {4, 2, 0, 3}, 0); }, "weights of shape [4, 2, 0, 3] are empty", kInvalid},
    {"WeightZeroPoint", [](auto& b) { b.init("w_z").set_int32_data(1, 7); }, "weights 'w_i' have zero point 7; only symmetric weights"},
    {"WeightsAlongInput", [](auto& b) { Resize(b.init("w_i"), {4, 4, 3, 3}, 144); b.node("w_dequantize").mutable_attribute(0)->set_i(1); }, "weights quantised along axis 1"},
    {"Groups", [](auto& b) { B::Attr(b.node("conv"), "group", int64_t{2}); }, "2 groups, weights [4, 2, 3, 3], input [1, 2, 6, 6] do not agree", kInvalid},
    {"NegativeGroups", [](auto& b) { B::Attr(b.node("conv"), "group", int64_t{-1}); }, "-1 groups", kInvalid},
    {"KernelShape", [](auto& b) { SetInts(b.node("conv"), "kernel_shape", {3, 2}); }, "kernel_shape [3, 2] but the weights' is [3, 3]", kInvalid},
    {"Strides", [](auto& b) { SetInts(b.node("conv"), "strides", {2}); }, "attribute strides has 1 values for 2 spatial axes", kInvalid},
    {"ZeroStride", [](auto& b) { SetInts(b.node("conv"), "strides", {0, 1}); }, "attribute strides holds 0", kInvalid},
    {"HugeDilation", [](auto& b) { SetInts(b.node("conv"), "dilations", {1, 5000}); }, "attribute dilations holds 5000", kInvalid},
    {"NegativePad", [](auto& b) { SetInts(b.node("conv"), "pads", {0, 0, -1, 0}); }, "attribute pads holds -1", kInvalid},
    {"PadCount", [](auto& b) { SetInts(b.node("conv"), "pads", {1, 1}); }, "attribute pads has 2 values", kInvalid},
    {"AutoPad", [](auto& b) { B::AttrS(b.node("conv"), "auto_pad", "MAYBE"); }, "auto_pad 'MAYBE'", kInvalid},
    {"PadsAndAutoPad", [](auto& b) { B::AttrS(b.node("conv"), "auto_pad", "VALID"); SetInts(b.node("conv"), "pads", {1, 1, 1, 1}); },
     "both pads and auto_pad 'VALID'", kInvalid},
    {"WindowTooLarge", [](auto& b) { SetInts(b.node("conv"), "dilations", {1, 4}); }, "a window of [3, 3] does not fit", kInvalid},
    {"BiasCount", [](auto& b) { Resize(b.init("b_i"), {3}, 3); Resize(b.init("b_z"), {}, 1); b.init("b_s").clear_dims(); b.init("b_s").mutable_float_data()->Truncate(1); },
     "3 biases for 4 channels", kInvalid},
    {"BiasNotConstant", [](auto& b) { b.node("conv").set_input(2, "xq"); }, "its bias 'xq' is not an int32 constant"},
    {"BiasInt8", [](auto& b) { b.node("conv").set_input(2, "w"); }, "its bias 'w' is not an int32 constant"},
    {"BiasZeroPoint", [](auto& b) { b.init("b_z").set_int32_data(2, 1); }, "bias 'b' has a zero point"},
    {"BiasScale", [](auto& b) { b.init("b_s").set_float_data(3, 0.3f); }, "bias 'b' has scale 0.3"},
    {"FloatBiasCount", [](auto& b) { b.Floats("fb", {3}, {1, 2, 3}); b.node("conv").set_input(2, "fb"); }, "3 biases for 4 channels", kInvalid},
    {"FloatBiasRange", [](auto& b) { b.Floats("fb", {4}, {1, 2, 3, 1e30f}); b.node("conv").set_input(2, "fb"); }, "of channel 3 does not fit int32", kRange},
    {"FloatBiasNan", [](auto& b) { b.Floats("fb", {4}, {std::nanf(""), 2, 3, 4}); b.node("conv").set_input(2, "fb"); }, "of channel 0 does not fit int32", kRange},
    // Gemm.
    {"Alpha", [](auto& b) { B::AttrF(b.node("gemm"), "alpha", 2); }, "alpha, beta other than 1 or transA"},
    {"Beta", [](auto& b) { B::AttrF(b.node("gemm"), "beta", 0.5f); }, "alpha, beta other than 1 or transA"},
    {"TransA", [](auto& b) { B::Attr(b.node("gemm"), "transA", int64_t{1}); }, "alpha, beta other than 1 or transA"},
    {"GemmOfAnImage", [](auto& b) { b.node("gemm").set_input(0, "p"); }, "input shape [1, 4, 2, 2]; [N, I] is supported"},
    {"GemmShapes", [](auto& b) { Resize(b.init("v_i"), {3, 15}, 45); }, "input [1, 16] and weights [3, 15] do not agree", kInvalid},
    {"GemmWeightRank", [](auto& b) { Resize(b.init("v_i"), {3, 4, 4}, 48); }, "weights of shape [3, 4, 4], 2 axes are needed", kInvalid},
    {"GemmAxis", [](auto& b) { Resize(b.init("v_i"), {3, 16}, 48); b.Floats("s16", {16}, std::vector<float>(16, 1)); b.node("v_dequantize").set_input(1, "s16");
                               b.node("v_dequantize").mutable_input()->RemoveLast(); B::Attr(b.node("v_dequantize"), "axis", int64_t{1}); },
     "weights quantised along their input axis"},
    // Pools.
    {"PoolRank", [](auto& b) { b.node("pool").set_input(0, "f"); b.node("flatten").set_input(0, "rq"); auto& n = *b.graph().mutable_node(); n.SwapElements(8, 9); },
     "(MaxPool 'pool'): input shape [1, 64]"},
    {"PoolWithoutKernel", [](auto& b) { b.node("pool").clear_attribute(); }, "has no kernel_shape", kInvalid},
    {"PoolOfThreeAxes", [](auto& b) { SetInts(b.node("pool"), "kernel_shape", {2, 2, 2}); }, "3 spatial axes"},
    {"CeilMode", [](auto& b) { B::Attr(b.node("pool"), "ceil_mode", int64_t{1}); }, "ceil_mode"},
    {"PaddedAverage", [](auto& b) { b.node("pool").set_op_type("AveragePool"); SetInts(b.node("pool"), "pads", {1, 1, 1, 1}); }, "average over a padded window"},
    {"Indices", [](auto& b) { b.node("pool").add_output("where"); }, "the indices output"},
    {"PadsAsLargeAsTheWindow", [](auto& b) { SetInts(b.node("pool"), "pads", {2, 0, 0, 0}); }, "pads as large as the window", kInvalid},
    {"HugePool", [](auto& b) { SetInts(b.node("pool"), "kernel_shape", {4000, 4000}); SetInts(b.node("pool"), "pads", {3999, 3999, 3999, 3999}); },
     "a window of 4000x4000, at most 65536"},
    // Shapes.
    {"FlattenAxis", [](auto& b) { B::Attr(b.node("flatten"), "axis", int64_t{5}); }, "axis 5 of shape [1, 4, 2, 2]", kInvalid},
    {"ReshapeByAValue", [](auto& b) { b.node("flatten").set_op_type("Reshape"); b.node("flatten").add_input("x"); }, "its shape or axes are not an int64 constant"},
    {"ReshapeWithoutShape", [](auto& b) { b.node("flatten").set_op_type("Reshape"); }, "its shape or axes are not an int64 constant"},
    {"ReshapeCount", [](auto& b) { b.Int64s("to", {2}, {1, 17}); b.node("flatten").set_op_type("Reshape"); b.node("flatten").add_input("to"); },
     "[1, 4, 2, 2] cannot become [1, 17]", kInvalid},
    {"ReshapeTwoUnknown", [](auto& b) { b.Int64s("to", {2}, {-1, -1}); b.node("flatten").set_op_type("Reshape"); b.node("flatten").add_input("to"); }, "cannot become [-1, -1]", kInvalid},
    {"ReshapeOverflow", [](auto& b) { b.Int64s("to", {3}, {-1, int64_t{1} << 62, 8}); b.node("flatten").set_op_type("Reshape"); b.node("flatten").add_input("to"); }, "cannot become", kInvalid},
    {"ReshapeToScalar", [](auto& b) { b.Int64s("to", {0}, {}); b.node("flatten").set_op_type("Reshape"); b.node("flatten").add_input("to"); }, "cannot become []", kInvalid},
    {"ReshapeRank", [](auto& b) { b.Int64s("to", {9}, {16, 1, 1, 1, 1, 1, 1, 1, 1}); b.node("flatten").set_op_type("Reshape"); b.node("flatten").add_input("to"); }, "9 axes, at most 8"},
    {"SqueezeAxis", [](auto& b) { b.Int64s("to", {1}, {4}); b.node("flatten").set_op_type("Squeeze"); b.node("flatten").add_input("to"); }, "axis 4 of shape", kInvalid},
    {"SqueezeWide", [](auto& b) { b.Int64s("to", {1}, {1}); b.node("flatten").set_op_type("Squeeze"); b.node("flatten").add_input("to"); }, "[1, 4, 2, 2] cannot become [1, 2, 2]", kInvalid},
    {"UnsqueezeTwice", [](auto& b) { b.Int64s("to", {2}, {0, 0}); b.node("flatten").set_op_type("Unsqueeze"); b.node("flatten").add_input("to"); }, "axis 0 of shape", kInvalid},
    // Elementwise.
    {"Broadcast", [](auto& b) { b.Node("Add", {"xq", "rq"}, {"s"}, "add"); }, "(Add 'add'): shapes [1, 2, 6, 6] and [1, 4, 4, 4]; broadcasting is not supported"},
    {"AddConstant", [](auto& b) { b.Node("Mul", {"xq", "w"}, {"s"}, "mul"); }, "its operand 'w' is not the result of DequantizeLinear on an activation"},
};

class ImportBad : public ::testing::TestWithParam<Case> {};

TEST_P(ImportBad, IsRefusedWithTheReason) {
  ModelBuilder b = Good();
  const auto good = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_TRUE(good) << good.error().message;
  GetParam().spoil(b);
  const auto bad = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message.find("m.onnx: "), 0u) << bad.error().message;
  EXPECT_NE(bad.error().message.find(GetParam().message), std::string::npos) << bad.error().message;
  EXPECT_EQ(bad.error().code, GetParam().code) << bad.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, ImportBad, ::testing::ValuesIn(kCases), [](const auto& i) { return std::string(i.param.name); });

TEST(ImportBadFile, NotAModel) {
  const std::string text = "this is not a model";
  const auto bad = ImportOnnx({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "t.onnx");
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

TEST(ImportBadFile, Missing) { EXPECT_EQ(ImportOnnxFile("/nowhere.onnx").error().code, Code::kNotFound); }

}  // namespace
}  // namespace tessera
