// SPDX-License-Identifier: Apache-2.0
//
// What the TFLite importer makes of good models, field by field: operators, names, windows, bounds,
// scales. Expected values follow from the format's definitions and are written out. The four
// networks of MLPerf Tiny are imported where they are there. Not here: operators that move elements
// (tflite_layout_test.cc), what is refused (tflite_bad_test.cc), what the operators compute
// (tests/models).
#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "tests/compiler/import/tflite_import.h"

namespace tessera::tflite_test {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using Builtin = T::Builtin;
using Fused = tfl::ActivationFunctionType;
using Shape = std::vector<int64_t>;

TEST(Tflite, AChainOfOperators) {
  const Graph g = ImportGood(GoodTflite());
  EXPECT_EQ(g.name, "main");
  EXPECT_EQ(Ops(g),
            "conv conv add pad maxpool avgpool concat transpose mean reshape reshape dense softmax "
            "dequantize");
  const char* const names[] = {
      "conv_2d_0",         "depthwise_conv_2d_1", "add_2",       "pad_3",        "max_pool_2d_4",
      "average_pool_2d_5", "concatenation_6",     "transpose_7", "mean_8.kept",  "mean_8",
      "reshape_9",         "fully_connected_10",  "softmax_11",  "dequantize_12"};
  ASSERT_EQ(g.nodes.size(), std::size(names));
  for (size_t i = 0; i < g.nodes.size(); ++i) EXPECT_EQ(g.nodes[i].name, names[i]);

  ASSERT_EQ(g.inputs.size(), 1u);
  const graph::GraphTensor& x = g.tensor(g.inputs[0]);
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.dtype, DType::kInt8);
  EXPECT_EQ(x.shape, (Shape{1, 4, 6, 6}));
  EXPECT_EQ(x.order, (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(*x.quant, (graph::Quant{{0.5}, {3}, -1}));
  ASSERT_EQ(g.outputs.size(), 1u);
  const graph::GraphTensor& y = g.tensor(g.outputs[0]);
  EXPECT_EQ(y.name, "y");
  EXPECT_EQ(y.dtype, DType::kFloat32);
  EXPECT_EQ(y.shape, (Shape{2, 5}));
  EXPECT_TRUE(y.order.empty());

  const Node& pad = Named(g, "pad_3");
  EXPECT_EQ(pad.As<graph::PadAttributes>().pads,
            (std::vector<std::array<int64_t, 2>>{{0, 0}, {0, 0}, {1, 0}, {0, 1}}));
  EXPECT_EQ(pad.As<graph::PadAttributes>().value, -3);
  EXPECT_EQ(Named(g, "concatenation_6").As<graph::ConcatAttributes>().axis, 1);
  EXPECT_EQ(Named(g, "transpose_7").As<graph::TransposeAttributes>().perm,
            (std::vector<int>{0, 1, 3, 2}));
  EXPECT_EQ(Named(g, "softmax_11").As<graph::SoftmaxAttributes>().beta, 1.0);
  EXPECT_EQ(g.tensor(Named(g, "mean_8").output).shape, (Shape{1, 32}));
  EXPECT_EQ(g.tensor(Named(g, "mean_8.kept").output).shape, (Shape{1, 32, 1, 1}));
}

TEST(Tflite, Convolution) {
  const Graph g = ImportGood(GoodTflite());
  const Node& conv = Named(g, "conv_2d_0");
  EXPECT_EQ(conv.As<graph::ConvAttributes>().groups, 1);
  // 6 to 3 by stride 2 with 3 taps: (3 - 1) * 2 + 3 - 6 = 1 pad, which goes behind.
  graph::Window window{.kernel = {3, 3}, .stride = {2, 2}};
  window.pad_after = {1, 1};
  EXPECT_EQ(conv.As<graph::ConvAttributes>().window, window);
  // RELU6 at scale 1/4 and zero point -100.
  EXPECT_EQ(conv.lo, -100);
  EXPECT_EQ(conv.hi, -100 + 24);
  const graph::GraphTensor& out = g.tensor(conv.output);
  EXPECT_EQ(out.name, "conv");
  EXPECT_EQ(out.shape, (Shape{1, 8, 3, 3}));
  EXPECT_EQ(*out.quant, (graph::Quant{{0.25}, {-100}, -1}));
  EXPECT_TRUE(out.order.empty());

  const graph::GraphTensor& w = g.tensor(conv.inputs[1]);
  EXPECT_EQ(w.shape, (Shape{8, 4, 3, 3}));
  EXPECT_EQ(w.quant->axis, 0);
  ASSERT_EQ(w.quant->scale.size(), 8u);
  EXPECT_EQ(w.quant->scale[2], static_cast<double>(0.03f));  // the file's float32, not 0.03
  for (size_t o = 0; o < 8; ++o) {
    for (size_t y = 0; y < 3; ++y) {
      for (size_t x = 0; x < 3; ++x) {
        for (size_t i = 0; i < 4; ++i) {
          const size_t file = ((o * 3 + y) * 3 + x) * 4 + i, here = ((o * 4 + i) * 3 + y) * 3 + x;
          ASSERT_EQ(static_cast<int8_t>((*w.data)[here]), static_cast<int>(file % 7) - 3);
        }
      }
    }
  }
  const graph::GraphTensor& bias = g.tensor(conv.inputs[2]);
  EXPECT_EQ(bias.dtype, DType::kInt32);
  EXPECT_EQ(bias.shape, (Shape{8}));
  for (size_t o = 0; o < 8; ++o) {
    int32_t value = 0;
    std::memcpy(&value, bias.data->data() + 4 * o, 4);
    EXPECT_EQ(value, static_cast<int>(o % 7) - 3);
  }
}

TEST(Tflite, DepthwiseIsAGroupedConvolution) {
  const Graph g = ImportGood(GoodTflite());
  const Node& conv = Named(g, "depthwise_conv_2d_1");
  EXPECT_EQ(conv.op, Op::kConv);
  EXPECT_EQ(conv.As<graph::ConvAttributes>().groups, 8);
  EXPECT_EQ(conv.inputs.size(), 2u);
  EXPECT_EQ(graph::BoundsOf(g, conv).lo, -128);
  EXPECT_EQ(graph::BoundsOf(g, conv).hi, 127);
  EXPECT_EQ(conv.As<graph::ConvAttributes>().window.pad_before, (std::array<int64_t, 2>{1, 1}));
  EXPECT_EQ(conv.As<graph::ConvAttributes>().window.pad_after, (std::array<int64_t, 2>{1, 1}));
  const graph::GraphTensor& w = g.tensor(conv.inputs[1]);
  EXPECT_EQ(w.shape, (Shape{16, 1, 3, 3}));
  EXPECT_EQ(w.quant->axis, -1);
  for (size_t c = 0; c < 16; ++c) {
    for (size_t p = 0; p < 9; ++p)
      ASSERT_EQ(static_cast<int8_t>((*w.data)[c * 9 + p]), static_cast<int>((p * 16 + c) % 7) - 3);
  }
}

TEST(Tflite, DepthwiseScalesFollowTheLastAxis) {
  TfliteBuilder b = GoodTflite();
  std::vector<float> scales;
  for (int c = 0; c < 16; ++c) scales.push_back(1.0f / static_cast<float>(c + 1));
  b.SetQuant("dw", scales, std::vector<int64_t>(16, 0), 3);
  b.op(GoodOp::kDepthwise).builtin_options.AsDepthwiseConv2DOptions()->depth_multiplier = 0;
  const Graph g = ImportGood(b);
  const graph::GraphTensor& w = g.tensor(Named(g, "depthwise_conv_2d_1").inputs[1]);
  EXPECT_EQ(w.quant->axis, 0);
  ASSERT_EQ(w.quant->scale.size(), 16u);
  EXPECT_EQ(w.quant->scale[6], static_cast<double>(1.0f / 7));
}

TEST(Tflite, GroupsFollowFromTheWeights) {
  TfliteBuilder b = GoodTflite();
  b.tensor("cw").shape = {8, 3, 3, 2};
  b.SetData("cw", T::Count<int8_t>(144));
  const Graph g = ImportGood(b);
  EXPECT_EQ(Named(g, "conv_2d_0").As<graph::ConvAttributes>().groups, 2);
  EXPECT_EQ(g.tensor(Named(g, "conv_2d_0").inputs[1]).shape, (Shape{8, 2, 3, 3}));
}

TEST(Tflite, Windows) {
  struct Row {
    tfl::Padding padding;
    int in, kernel, stride, dilation, out, before, after;
  };
  using enum tfl::Padding;
  // Extents along y; x has stride 1 and one tap.
  const Row rows[] = {
      {VALID, 7, 3, 2, 1, 3, 0, 0}, {VALID, 9, 3, 1, 3, 3, 0, 0}, {SAME, 7, 3, 2, 1, 4, 1, 1},
      {SAME, 8, 3, 2, 1, 4, 0, 1},  {SAME, 8, 4, 1, 1, 8, 1, 2},  {SAME, 5, 1, 3, 1, 2, 0, 0},
      {SAME, 6, 3, 1, 2, 6, 2, 2},  {SAME, 3, 7, 2, 1, 2, 3, 3},  {SAME, 49, 10, 2, 1, 25, 4, 5},
  };
  for (const Row& r : rows) {
    SCOPED_TRACE(
        fmt::format("in {} kernel {} stride {} dilation {}", r.in, r.kernel, r.stride, r.dilation));
    TfliteBuilder b;
    b.Int8("x", {2, r.in, 5, 1}, 0.5f, 3);
    b.Constant("w", {3, r.kernel, 1, 1}, T::Type::INT8,
               T::Count<int8_t>(static_cast<size_t>(3 * r.kernel)), {0.5f});
    b.Int8("y", {2, r.out, 5, 3}, 0.5f, 3);
    b.Op(Builtin::CONV_2D, {"x", "w", ""}, {"y"},
         ConvOptions(r.padding, r.stride, 1, Fused::NONE, r.dilation, 1));
    b.Input("x");
    b.Output("y");
    const Graph g = ImportGood(b);
    ASSERT_EQ(g.nodes.size(), 1u);
    EXPECT_EQ(g.nodes[0].inputs.size(), 2u);
    const graph::Window& w = g.nodes[0].As<graph::ConvAttributes>().window;
    EXPECT_EQ(w.kernel, (std::array<int64_t, 2>{r.kernel, 1}));
    EXPECT_EQ(w.stride, (std::array<int64_t, 2>{r.stride, 1}));
    EXPECT_EQ(w.dilation, (std::array<int64_t, 2>{r.dilation, 1}));
    EXPECT_EQ(w.pad_before, (std::array<int64_t, 2>{r.before, 0}));
    EXPECT_EQ(w.pad_after, (std::array<int64_t, 2>{r.after, 0}));
    EXPECT_EQ(g.tensor(g.inputs[0]).shape, (Shape{2, 1, r.in, 5}));  // the batch stays
    EXPECT_EQ(g.tensor(g.outputs[0]).order, (std::vector<int>{0, 2, 3, 1}));
  }
}

TEST(Tflite, BoundsOfActivations) {
  struct Row {
    Fused function;
    float scale;
    int zero, lo, hi;
  };
  const Row rows[] = {
      {Fused::NONE, 0.1f, 5, -128, 127},
      {Fused::RELU, 0.1f, 5, 5, 127},
      {Fused::RELU, 0.1f, -128, -128, 127},
      {Fused::RELU6, 0.1f, -10, -10, 50},
      {Fused::RELU6, 0.01f, -10, -10, 127},   // 600 steps: the type's end
      {Fused::RELU6, 0.03f, -128, -128, 72},  // 200 steps
      {Fused::RELU6, 4.0f, 0, 0, 2},          // 1.5: half away from zero
      {Fused::RELU_N1_TO_1, 0.4f, 0, -3, 3},  // 2.5 in float32: half away from zero
      {Fused::RELU_N1_TO_1, 0.1f, -125, -128, -115},
  };
  for (const Row& r : rows) {
    SCOPED_TRACE(fmt::format("{} {} {}", static_cast<int>(r.function), r.scale, r.zero));
    TfliteBuilder b = One(Builtin::AVERAGE_POOL_2D, {1, 2, 2, 3}, {1, 1, 1, 3});
    b.SetQuant("x", {r.scale}, {r.zero}, 0);
    b.SetQuant("y", {r.scale}, {r.zero}, 0);
    b.op(0).builtin_options.Set(PoolOptions(tfl::Padding::VALID, 1, 2, 2, r.function));
    const Graph g = ImportGood(b);
    ASSERT_EQ(g.nodes.size(), 1u);
    EXPECT_EQ(graph::BoundsOf(g, g.nodes[0]).lo, r.lo);
    EXPECT_EQ(graph::BoundsOf(g, g.nodes[0]).hi, r.hi);
  }
}

TEST(Tflite, ActivationsAloneAreRescales) {
  const std::pair<Builtin, std::pair<int, int>> rows[] = {
      {Builtin::RELU, {3, 127}}, {Builtin::RELU6, {3, 15}}, {Builtin::RELU_N1_TO_1, {1, 5}}};
  for (const auto& [type, bounds] : rows) {
    const Graph g = ImportGood(One(type, {2, 7}, {2, 7}));
    ASSERT_EQ(Ops(g), "rescale");
    EXPECT_EQ(graph::BoundsOf(g, g.nodes[0]).lo, bounds.first);
    EXPECT_EQ(graph::BoundsOf(g, g.nodes[0]).hi, bounds.second);
  }
}

TEST(Tflite, QuantizeAndDequantize) {
  TfliteBuilder b;
  b.Tensor("x", {1, 2, 2, 3}, T::Type::FLOAT32);
  b.Int8("q", {1, 2, 2, 3}, 0.5f, 3);
  b.Int8("r", {1, 2, 2, 3}, 0.25f, -3);
  b.Tensor("y", {1, 2, 2, 3}, T::Type::FLOAT32);
  b.Op(Builtin::QUANTIZE, {"x"}, {"q"});
  b.Op(Builtin::QUANTIZE, {"q"}, {"r"});
  b.Op(Builtin::DEQUANTIZE, {"r"}, {"y"});
  b.Input("x");
  b.Output("y");
  const Graph g = ImportGood(b);
  EXPECT_EQ(Ops(g), "quantize rescale dequantize");
  EXPECT_EQ(g.tensor(g.inputs[0]).dtype, DType::kFloat32);
  EXPECT_EQ(g.tensor(g.inputs[0]).shape, (Shape{1, 3, 2, 2}));
  EXPECT_EQ(g.tensor(g.inputs[0]).order, (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(g.tensor(g.outputs[0]).order, (std::vector<int>{0, 2, 3, 1}));
}

TEST(Tflite, NamesAreMadeUniqueAndPrintable) {
  TfliteBuilder b = GoodTflite();
  for (const char* name : {"conv", "depthwise", "add", "cw", "k"}) b.tensor(name).name = "same";
  b.tensor("max").name = "";
  b.tensor("pad").name = "two\nlines\x1b";
  const Graph g = ImportGood(b);  // checks that they are unique
  std::set<std::string> names;
  for (const graph::GraphTensor& t : g.tensors) names.insert(t.name);
  EXPECT_TRUE(names.contains("same"));
  EXPECT_TRUE(names.contains("same.2"));
  EXPECT_TRUE(names.contains("tensor"));
  EXPECT_TRUE(names.contains("two\\nlines\\x1b"));
}

TEST(Tflite, OldAndForgivingFiles) {
  TfliteBuilder b = GoodTflite();
  b.code(GoodOp::kMax).builtin_code = {};  // before codes above 127 there was only the other field
  b.tensor("x").shape_signature = {-1, 6, 6, 4};  // any batch: that of the shape
  b.tensor("cb").quantization.reset();            // the integers count
  b.op(GoodOp::kAdd).builtin_options.Reset();     // no activation
  b.graph().name.clear();
  const Graph g = ImportGood(b);
  EXPECT_EQ(g.nodes.size(), 14u);
  EXPECT_EQ(g.name, "m.tflite");
}

TEST(Tflite, AConstantIsSharedByItsUsers) {
  TfliteBuilder b = GoodTflite();
  b.Int8("again", {1, 3, 3, 8}, 0.25f, -100);
  b.Op(Builtin::CONV_2D, {"x", "cw", "cb"}, {"again"},
       ConvOptions(tfl::Padding::SAME, 2, 2, Fused::NONE));
  const Graph g = ImportGood(b);
  EXPECT_EQ(Named(g, "conv_2d_0").inputs, Named(g, "conv_2d_13").inputs);
}

TEST(Tflite, TheFormatIsPickedByContent) {
  EXPECT_EQ(FormatOf(GoodTflite().Bytes()), ModelFormat::kTflite);
  const std::vector<uint8_t> onnx = ReadFile("models/fashion/fashion_int8.onnx").value();
  EXPECT_EQ(FormatOf(onnx), ModelFormat::kOnnx);
  EXPECT_TRUE(ImportModel(onnx, "fashion_int8.onnx"));
  EXPECT_EQ(Text(ModelFormat::kOnnx), "ONNX");
  EXPECT_EQ(Text(ModelFormat::kTflite), "TFLite");
}

// MACs, int8 weights and operators of the networks of MLPerf Tiny, counted from their definitions.
TEST(Tflite, MlperfTiny) {
  struct Row {
    const char* file;
    size_t nodes;
    int64_t macs, weights;
  };
  const Row rows[] = {{"pretrainedResnet_quant", 16, 12501632, 77360},
                      {"kws_ref_model", 13, 2656768, 22016},
                      {"vww_96_int8", 31, 7489664, 208112},
                      {"ad01_int8", 10, 264192, 264192}};
  const char* const given = std::getenv("TESSERA_MODELS");
  const std::string folder = given ? given : "../shared/models";
  int missing = 0;
  for (const Row& r : rows) {
    const std::string path = fmt::format("{}/{}.tflite", folder, r.file);
    const auto bytes = ReadFile(path);
    if (!bytes) {
      ++missing;
      continue;
    }
    const auto g = ImportModel(*bytes, path);
    ASSERT_TRUE(g) << g.error().message;
    EXPECT_TRUE(graph::Verify(*g));
    EXPECT_EQ(g->nodes.size(), r.nodes) << path;
    int64_t macs = 0, weights = 0;
    for (const Node& n : g->nodes) macs += graph::Macs(*g, n);
    for (const graph::GraphTensor& t : g->tensors) {
      if (t.constant() && t.dtype == DType::kInt8) weights += t.count();
    }
    EXPECT_EQ(macs, r.macs) << path;
    EXPECT_EQ(weights, r.weights) << path;
  }
  if (missing > 0) {
    GTEST_SKIP() << missing << " models not found in " << folder
                 << " (see models/mlperf_tiny/README.md)";
  }
}

}  // namespace
}  // namespace tessera::tflite_test
