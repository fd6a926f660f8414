// SPDX-License-Identifier: Apache-2.0
//
// What is tested: LOGISTIC, TANH, HARD_SWISH, LEAKY_RELU, RESIZE_NEAREST_NEIGHBOR, TRANSPOSE_CONV
// and REDUCE_MAX are read from TFLite with their options, every diagnostic of theirs is told, and
// the choice of kernels reaches the operator that has one. Space: models of one operator, good ones
// and each spoilt in one thing. Not tested here: what they compute
// (tests/models/tflite_ops_test.cc).
#include <cmath>

#include "tests/compiler/import/tflite_import.h"

namespace tessera::tflite_image_test {
namespace {

using graph::Op;
using Builtin = T::Builtin;

// x [1, 4, 6, 2] -> |type| -> y of |shape|.
TfliteBuilder Unary(Builtin type, float scale, int zero, T::Dims shape = {1, 4, 6, 2}) {
  TfliteBuilder b;
  b.Int8("x", {1, 4, 6, 2}, 0.5f, 3);
  b.Int8("y", shape, scale, zero);
  b.Op(type, {"x"}, {"y"});
  b.Input("x");
  b.Output("y");
  return b;
}

TfliteBuilder Leaky(float alpha) {
  TfliteBuilder b = Unary(Builtin::LEAKY_RELU, 0.25f, 5);
  tfl::LeakyReluOptionsT options;
  options.alpha = alpha;
  b.op(0).builtin_options.Set(options);
  return b;
}

TfliteBuilder Gelu(bool approximate) {
  TfliteBuilder b = Unary(Builtin::GELU, 0.25f, 5);
  tfl::GeluOptionsT options;
  options.approximate = approximate;
  b.op(0).builtin_options.Set(options);
  return b;
}

TfliteBuilder Resize(std::vector<int32_t> size, bool align = false, bool half = false) {
  TfliteBuilder b;
  b.Int8("x", {1, 4, 6, 2}, 0.5f, 3);
  b.Constant("size", {static_cast<int32_t>(size.size())}, T::Type::INT32, size);
  b.Int8("y", {1, size[0], size.back(), 2}, 0.5f, 3);
  tfl::ResizeNearestNeighborOptionsT options;
  options.align_corners = align;
  options.half_pixel_centers = half;
  b.Op(Builtin::RESIZE_NEAREST_NEIGHBOR, {"x", "size"}, {"y"}, options);
  b.Input("x");
  b.Output("y");
  return b;
}

TfliteBuilder Transposed(std::vector<int32_t> shape = {1, 8, 18, 3}) {
  TfliteBuilder b;
  b.Int8("x", {1, 4, 6, 2}, 0.5f, 3);
  b.Constant("shape", {static_cast<int32_t>(shape.size())}, T::Type::INT32, shape);
  b.Constant("w", {3, 3, 5, 2}, T::Type::INT8, T::Count<int8_t>(90), {0.1f, 0.2f, 0.3f});
  b.Constant("b", {3}, T::Type::INT32, T::Count<int32_t>(3), {0.05f, 0.1f, 0.15f});
  b.Int8("y", shape.size() == 4 ? shape : T::Dims{1, 8, 18, 3}, 0.25f, 5);
  tfl::TransposeConvOptionsT options;
  options.padding = tfl::Padding::SAME;
  options.stride_h = 2;
  options.stride_w = 3;
  b.Op(Builtin::TRANSPOSE_CONV, {"shape", "w", "x", "b"}, {"y"}, options);
  b.Input("x");
  b.Output("y");
  return b;
}

TfliteBuilder ReduceMax(std::vector<int32_t> axes, bool keep) {
  TfliteBuilder b;
  b.Int8("x", {1, 4, 6, 2}, 0.5f, 3);
  b.Constant("axes", {static_cast<int32_t>(axes.size())}, T::Type::INT32, axes);
  b.Int8("y", keep ? T::Dims{1, 1, 1, 2} : T::Dims{1, 2}, 0.5f, 3);
  tfl::ReducerOptionsT options;
  options.keep_dims = keep;
  b.Op(Builtin::REDUCE_MAX, {"x", "axes"}, {"y"}, options);
  b.Input("x");
  b.Output("y");
  return b;
}

TEST(TfliteImage, FunctionsOfOneValue) {
  EXPECT_EQ(Ops(ImportGood(Unary(Builtin::LOGISTIC, 1.0f / 256, -128))), "sigmoid");
  EXPECT_EQ(Ops(ImportGood(Unary(Builtin::TANH, 1.0f / 128, 0))), "tanh");
  EXPECT_EQ(Ops(ImportGood(Unary(Builtin::HARD_SWISH, 0.3f, -7))), "hardswish");
  EXPECT_EQ(Ops(ImportGood(Unary(Builtin::ELU, 0.3f, -7))), "elu");
  EXPECT_EQ(Ops(ImportGood(Gelu(false))), "gelu");
  EXPECT_EQ(Ops(ImportGood(Gelu(true))), "gelutanh");
  const graph::Graph g = ImportGood(Leaky(0.125f));
  EXPECT_EQ(g.nodes[0].As<graph::LeakyReluAttributes>().alpha, 0.125f);
}

TEST(TfliteImage, ResizeNamesItsSources) {
  using V = std::vector<int64_t>;
  const auto rows = [](bool align, bool half) {
    const graph::Graph g = ImportGood(Resize({6, 6}, align, half));
    return g.nodes[0].As<graph::ResizeAttributes>().rows;
  };
  EXPECT_EQ(rows(false, false), (V{0, 0, 1, 2, 2, 3}));  // k * 2 / 3
  EXPECT_EQ(rows(false, true), (V{0, 1, 1, 2, 3, 3}));   // (k + 0.5) * 2 / 3
  EXPECT_EQ(rows(true, false), (V{0, 1, 1, 2, 2, 3}));   // k * 3 / 5, to the nearest
}

TEST(TfliteImage, TransposeConvCutsTheFullResult) {
  const graph::Graph g = ImportGood(Transposed());
  const auto& made = g.nodes[0].As<graph::TransposedConvAttributes>();
  EXPECT_EQ(made.out, (std::array<int64_t, 2>{8, 18}));
  // Full: (4 - 1) * 2 + 3 = 9 and (6 - 1) * 3 + 5 = 20.
  EXPECT_EQ(made.window.pad_before, (std::array<int64_t, 2>{0, 1}));
  EXPECT_EQ(made.window.pad_after, (std::array<int64_t, 2>{1, 1}));
  EXPECT_EQ(g.tensor(g.nodes[0].inputs[1]).shape, (std::vector<int64_t>{3, 2, 3, 5}));
  EXPECT_EQ(g.nodes[0].inputs.size(), 3u);
}

TEST(TfliteImage, ReduceMaxIsAWindow) {
  EXPECT_EQ(Ops(ImportGood(ReduceMax({1, 2}, true))), "maxpool");
  EXPECT_EQ(Ops(ImportGood(ReduceMax({-2, -3}, false))), "maxpool reshape");
}

TEST(TfliteImage, LitertRoundsFullyConnectedLayersOnce) {
  const TfliteBuilder b = GoodTflite();
  for (const TfliteKernels kernels : {TfliteKernels::k2_14, TfliteKernels::kLitert2_3}) {
    const auto g = ImportModel(b.Bytes(), "m.tflite", {kernels});
    ASSERT_TRUE(g) << g.error().message;
    EXPECT_EQ(g->rules, fmt::format("tflite {}", Text(kernels)));
    for (const graph::Node& n : g->nodes) {
      const bool once = n.op == Op::kDense && kernels == TfliteKernels::kLitert2_3;
      EXPECT_EQ(n.round, once ? isa::Round::kHalfUp : isa::Round::kTflite) << n.name;
    }
    EXPECT_EQ(ParseTfliteKernels(std::string(Text(kernels))).value(), kernels);
  }
  const auto bad = ParseTfliteKernels("2.15");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "--tflite 2.15: the integers are those of 2.14 or litert-2.3");
}

struct BadTflite {
  const char* name;
  std::function<TfliteBuilder()> make;
  const char* message;
  Code code = Code::kUnsupported;
};
void PrintTo(const BadTflite& c, std::ostream* out) { *out << c.name; }
constexpr Code kWrong = Code::kInvalidArgument;

TfliteBuilder With(TfliteBuilder b, const std::function<void(TfliteBuilder&)>& spoil) {
  spoil(b);
  return b;
}
tfl::TransposeConvOptionsT& Steps(TfliteBuilder& b) {
  return *b.op(0).builtin_options.AsTransposeConvOptions();
}

const BadTflite kBad[] = {
    {"LogisticScale", [] { return Unary(Builtin::LOGISTIC, 0.5f, -128); },
     "operator 0 (LOGISTIC): its result tensor 1 'y' has scale 0.5 and zero point -128; 1/256 and "
     "-128 are supported"},
    {"TanhZero", [] { return Unary(Builtin::TANH, 1.0f / 128, 1); },
     "operator 0 (TANH): its result tensor 1 'y' has scale 0.0078125 and zero point 1; 1/128 and 0 "
     "are supported"},
    {"TanhOfInt32",
     [] {
       return With(Unary(Builtin::TANH, 1.0f / 128, 0),
                   [](auto& b) { b.tensor("y").type = T::Type::INT32; });
     },
     "input tensor 0 'x' is INT8; INT32 is supported"},
    {"HardSwishShape",
     [] {
       return Unary(Builtin::HARD_SWISH, 0.5f, 0, {1, 4, 6, 3});
     },
     "has shape [1, 4, 6, 3], the inputs make [1, 4, 6, 2]", kWrong},
    {"LeakyAlpha", [] { return Leaky(std::nanf("")); }, "alpha nan; -1e6 to 1e6 are accepted",
     kWrong},
    {"QuantisedRoot", [] { return Unary(Builtin::SQRT, 0.5f, 0); },
     "is quantised; plain values are supported"},
    {"GeluWithoutOptions", [] { return Unary(Builtin::GELU, 0.5f, 0); },
     "its options are missing or another operator's", kWrong},
    {"LeakyWithoutOptions", [] { return Unary(Builtin::LEAKY_RELU, 0.5f, 0); },
     "its options are missing or another operator's", kWrong},
    {"ResizeSize", [] { return Resize({8}); }, "a size of [8]; two extents of 1 to 65536", kWrong},
    {"ResizeToNothing",
     [] {
       return Resize({0, 6});
     },
     "a size of [0, 6]", kWrong},
    {"ResizeBoth",
     [] {
       return Resize({6, 6}, true, true);
     },
     "align_corners and half_pixel_centers at once"},
    {"ResizeScale",
     [] {
       return With(Resize({6, 6}), [](auto& b) { b.quant("y").scale[0] = 0.25f; });
     },
     "have different scales or zero points"},
    {"TransposedShape",
     [] {
       return Transposed({1, 8, 18});
     },
     "a result of shape [1, 8, 18] for 1 images and 3 channels", kWrong},
    {"TransposedChannels",
     [] {
       return Transposed({1, 8, 18, 4});
     },
     "a result of shape [1, 8, 18, 4] for 1 images and 3 channels", kWrong},
    {"TransposedExtent",
     [] {
       return Transposed({1, 10, 18, 3});
     },
     "a result of extent 10 does not belong to one of 4 in steps of 2", kWrong},
    {"TransposedStride", [] { return With(Transposed(), [](auto& b) { Steps(b).stride_w = 0; }); },
     "a stride of 0 or an extent of 18", kWrong},
    {"TransposedActivation",
     [] {
       return With(Transposed(), [](auto& b) {
         Steps(b).fused_activation_function = tfl::ActivationFunctionType::TANH;
       });
     },
     "fused activation TANH is not supported"},
    {"TransposedInput",
     [] { return With(Transposed(), [](auto& b) {
            b.tensor("w").shape = {3, 3, 2, 5};
          }); },
     "2 input channels, weights are for 5", kWrong},
    {"TransposedBias",
     [] {
       return With(Transposed(), [](auto& b) {
         b.SetData("b", std::vector<int32_t>{1, 2});
         b.tensor("b").shape = {2};
         b.quant("b").scale = {0.05f};
         b.quant("b").zero_point = {0};
       });
     },
     "has 2 values for 3 channels", kWrong},
    {"MaxAxes", [] { return ReduceMax({1}, true); }, "its result tensor", kWrong},
    {"MaxAxisFar", [] { return ReduceMax({-5}, true); }, "axis -5 of tensor 0 'x'", kWrong},
};

class TfliteImageBad : public testing::TestWithParam<BadTflite> {};

TEST_P(TfliteImageBad, IsRefusedWithTheReason) {
  const auto bad = ImportTflite(GetParam().make().Bytes(), "m.tflite");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(GetParam().message), std::string::npos) << bad.error().message;
  EXPECT_EQ(bad.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(bad.error().code, GetParam().code) << bad.error().message;
}

INSTANTIATE_TEST_SUITE_P(All, TfliteImageBad, testing::ValuesIn(kBad),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tessera::tflite_image_test
