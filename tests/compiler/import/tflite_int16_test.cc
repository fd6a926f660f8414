// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the TFLite importer reads int16 activations beside int8 weights as quantised
// int16. It reports each fault that such a model can have. Space: a network of a convolution, a sum
// and a softmax; the same network with one fault at a time. Not tested here: what operators compute
// (tests/models/tflite_ops_test.cc).
#include "tests/compiler/import/tflite_import.h"

namespace tessera::tflite_int16_test {
namespace {

using Builtin = T::Builtin;

void Int16(TfliteBuilder& b, const std::string& name, T::Dims shape, float scale) {
  b.Tensor(name, shape, T::Type::INT16);
  b.SetQuant(name, {scale}, {0}, 0);
}

// x [1, 4, 6, 2] -> conv, ReLU6 -> sum with itself -> softmax over its four channels.
TfliteBuilder Wide() {
  TfliteBuilder b;
  Int16(b, "x", {1, 4, 6, 2}, 1e-3f);
  b.Constant("w", {4, 1, 1, 2}, T::Type::INT8, T::Count<int8_t>(8), {0.01f});
  b.Constant("b", {4}, T::Type::INT64, std::vector<int64_t>{1, -(int64_t{1} << 40), 3, 4}, {1e-5f});
  Int16(b, "conv", {1, 4, 6, 4}, 2e-4f);
  b.Op(Builtin::CONV_2D, {"x", "w", "b"}, {"conv"},
       ConvOptions(tfl::Padding::SAME, 1, 1, tfl::ActivationFunctionType::RELU6));
  Int16(b, "sum", {1, 4, 6, 4}, 4e-4f);
  b.Op(Builtin::ADD, {"conv", "conv"}, {"sum"}, tfl::AddOptionsT{});
  Int16(b, "y", {1, 4, 6, 4}, 1.0f / 32768);
  tfl::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  b.Op(Builtin::SOFTMAX, {"sum"}, {"y"}, softmax);
  b.Input("x");
  b.Output("y");
  return b;
}

TEST(TfliteInt16, ActivationsStayInt16) {
  const graph::Graph g = ImportGood(Wide());
  EXPECT_EQ(g.tensor(g.inputs[0]).dtype, DType::kInt16);
  EXPECT_EQ(g.tensor(g.inputs[0]).quant->scale[0], double{1e-3f});
  EXPECT_EQ(g.tensor(g.outputs[0]).dtype, DType::kInt16);
  const graph::Node& conv = Named(g, "conv_2d_0");
  EXPECT_EQ(g.tensor(conv.inputs[1]).dtype, DType::kInt8);
  const graph::GraphTensor& bias = g.tensor(conv.inputs[2]);
  EXPECT_EQ(bias.dtype, DType::kInt64);
  int64_t second = 0;
  std::memcpy(&second, bias.data->data() + 8, 8);
  EXPECT_EQ(second, -(int64_t{1} << 40));
  EXPECT_EQ(graph::SumType(g, conv), DType::kInt64);
  const auto [lo, hi] = graph::BoundsOf(g, conv);
  EXPECT_EQ(lo, 0);
  EXPECT_EQ(hi, 30000);  // 6 / 2e-4
  EXPECT_FALSE(Named(g, "add_1").As<graph::SumAttributes>().shifted);
}

// With an int32 bias or none sums are int32.
TEST(TfliteInt16, TheBiasSaysWhatSumsAre) {
  TfliteBuilder b = Wide();
  b.tensor("b").type = T::Type::INT32;
  b.SetData("b", std::vector<int32_t>{1, 2, 3, 4});
  graph::Graph g = ImportGood(b);
  EXPECT_EQ(graph::SumType(g, Named(g, "conv_2d_0")), DType::kInt32);
  b.op(0).inputs.pop_back();
  g = ImportGood(b);
  EXPECT_EQ(graph::SumType(g, Named(g, "conv_2d_0")), DType::kInt32);
}

TEST(TfliteInt16, SumsOfPowersOfTwoAreShifted) {
  TfliteBuilder b = Wide();
  b.SetQuant("conv", {1.0f / 4096}, {0}, 0);
  b.SetQuant("sum", {1.0f / 4096}, {0}, 0);
  graph::Graph g = ImportGood(b);
  EXPECT_TRUE(Named(g, "add_1").As<graph::SumAttributes>().shifted);
  tfl::AddOptionsT general;
  general.pot_scale_int16 = false;
  b.op(1).builtin_options.Set(general);
  g = ImportGood(b);
  EXPECT_FALSE(Named(g, "add_1").As<graph::SumAttributes>().shifted);
}

struct BadWide {
  const char* name;
  std::function<void(TfliteBuilder&)> spoil;
  const char* message;
  Code code = Code::kUnsupported;
};
void PrintTo(const BadWide& c, std::ostream* out) { *out << c.name; }

const BadWide kBad[] = {
    {"ZeroPoint", [](auto& b) { b.quant("x").zero_point = {3}; },
     "model input: tensor 0 'x': zero point 3; values of INT16 have 0"},
    {"BiasType",
     [](auto& b) {
       b.tensor("b").type = T::Type::FLOAT32;
       b.SetData("b", std::vector<float>{1, 2, 3, 4});
     },
     "bias tensor 2 'b' is FLOAT32; a constant of INT32 is supported, or of INT64"},
    {"BiasLength",
     [](auto& b) {
       b.SetData("b", std::vector<int64_t>{1, 2});
       b.tensor("b").shape = {2};
     },
     "bias tensor 2 'b' has 2 values for 4 channels", Code::kInvalidArgument},
    {"BiasOfInt8", [](auto& b) { b.tensor("conv").type = T::Type::INT8; },
     "bias tensor 2 'b' is INT64; a constant of INT32 is supported"},
    {"SoftmaxScale", [](auto& b) { b.quant("y").scale = {1.0f / 256}; },
     "has scale 0.00390625 and zero point 0; 1/32768 and 0 are supported"},
    {"OneOperandOfInt8",
     [](auto& b) {
       b.Constant("k", {4}, T::Type::INT8, T::Count<int8_t>(4), {0.5f});
       b.op(1).inputs[1] = b.Find("k");
     },
     "operand k is int8", Code::kInvalidArgument},
    {"NoKernel",
     [](auto& b) {
       b.code(2).builtin_code = Builtin::HARD_SWISH;
       b.code(2).deprecated_builtin_code = static_cast<int8_t>(Builtin::HARD_SWISH);
       b.op(2).builtin_options.Reset();
     },
     "operator 2 (HARD_SWISH): its result tensor 5 'y' is INT16; INT8 is supported"},
    {"PlainOnly",
     [](auto& b) {
       b.code(2).builtin_code = Builtin::SQRT;
       b.code(2).deprecated_builtin_code = static_cast<int8_t>(Builtin::SQRT);
       b.op(2).builtin_options.Reset();
     },
     "operator 2 (SQRT): its result tensor 5 'y' is quantised; plain values are supported"},
};

class TfliteInt16Bad : public testing::TestWithParam<BadWide> {};

TEST_P(TfliteInt16Bad, IsRefusedWithTheReason) {
  TfliteBuilder b = Wide();
  GetParam().spoil(b);
  const auto bad = ImportTflite(b.Bytes(), "m.tflite");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(GetParam().message), std::string::npos) << bad.error().message;
  EXPECT_EQ(bad.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(bad.error().code, GetParam().code) << bad.error().message;
}

INSTANTIATE_TEST_SUITE_P(All, TfliteInt16Bad, testing::ValuesIn(kBad),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tessera::tflite_int16_test
