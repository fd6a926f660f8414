// SPDX-License-Identifier: Apache-2.0
//
// Where the elements of a TFLite model's tensors go when it is imported: NHWC to NCHW, reshapes,
// transpositions, repeated constants. Expected positions are written out or counted in the file's
// order. Not here: the other fields (tflite_test.cc), what is refused (tflite_bad_ops_test.cc).
#include "tests/compiler/import/tflite_import.h"

namespace tessera::tflite_layout_test {
namespace {

using graph::Graph;
using graph::Op;
using Builtin = T::Builtin;
using Shape = std::vector<int64_t>;

TEST(TfliteLayout, ConstantsAreRepeated) {
  struct Row {
    T::Dims shape;
    // The element for each position of [1, 2, 3, 4].
    int (*at)(int y, int x, int c);
  };
  const Row rows[] = {
      {{}, [](int, int, int) { return 0; }},
      {{4}, [](int, int, int c) { return c; }},
      {{3, 1}, [](int, int x, int) { return x; }},
      {{2, 1, 4}, [](int y, int, int c) { return 4 * y + c; }},
      {{1, 2, 3, 4}, [](int y, int x, int c) { return (3 * y + x) * 4 + c; }},
  };
  for (const Builtin type : {Builtin::ADD, Builtin::SUB, Builtin::MUL}) {
    for (const Row& r : rows) {
      for (const bool first : {false, true}) {
        size_t count = 1;
        for (const int32_t extent : r.shape) count *= static_cast<size_t>(extent);
        std::vector<int8_t> values(count);
        for (size_t i = 0; i < count; ++i) values[i] = static_cast<int8_t>(i);
        TfliteBuilder b;
        b.Int8("x", {1, 2, 3, 4}, 0.5f, 3);
        b.Constant("k", r.shape, T::Type::INT8, values, {0.25f});
        b.Int8("y", {1, 2, 3, 4}, 0.5f, 3);
        b.Op(type, {first ? "k" : "x", first ? "x" : "k"}, {"y"});
        b.Input("x");
        b.Output("y");
        const Graph g = ImportGood(b);
        ASSERT_EQ(g.nodes.size(), 1u);
        EXPECT_EQ(g.nodes[0].op, type == Builtin::ADD   ? Op::kAdd
                                 : type == Builtin::SUB ? Op::kSub
                                                        : Op::kMul);
        const graph::GraphTensor& k = g.tensor(g.nodes[0].inputs[first ? 0 : 1]);
        EXPECT_EQ(k.shape, (Shape{1, 4, 2, 3}));
        EXPECT_EQ(*k.quant, (graph::Quant{{0.25}, {0}, -1}));
        for (int c = 0; c < 4; ++c) {
          for (int y = 0; y < 2; ++y) {
            for (int x = 0; x < 3; ++x)
              EXPECT_EQ((*k.data)[static_cast<size_t>((c * 2 + y) * 3 + x)], r.at(y, x, c));
          }
        }
      }
    }
  }
}

TEST(TfliteLayout, ReshapesGoThroughTheFilesOrder) {
  struct Row {
    T::Dims in, out;
    const char* ops;
  };
  const Row rows[] = {
      {{1, 2, 3, 4}, {1, 24}, "transpose reshape"},  // channels move behind the image
      {{1, 2, 3, 1}, {1, 6}, "reshape"},             // one channel: they stay
      {{1, 1, 1, 4}, {1, 4}, "reshape"},             // one pixel: they stay
      {{5, 1, 1, 4}, {1, 20}, "reshape"},            //
      {{1, 24}, {1, 2, 3, 4}, "reshape transpose"},  //
      {{1, 6}, {1, 2, 3, 1}, "reshape"},             //
      {{1, 2, 3, 4}, {1, 3, 2, 4}, "transpose reshape transpose"},
      {{1, 2, 3, 4}, {1, 2, 3, 4}, "reshape"},  // nothing moves
      {{2, 3, 4}, {6, 4}, "reshape"},           //
  };
  for (const Row& r : rows) {
    SCOPED_TRACE(r.ops);
    TfliteBuilder b = One(Builtin::RESHAPE, r.in, r.out);
    b.op(0).builtin_options.Set(tfl::ReshapeOptionsT{});
    b.op(0).builtin_options.AsReshapeOptions()->new_shape = r.out;
    const Graph g = ImportGood(b);
    EXPECT_EQ(Ops(g), r.ops);
    EXPECT_EQ(g.nodes.back().name, "reshape_0");
    EXPECT_EQ(g.tensor(g.nodes.back().output).name, "y");
  }
  TfliteBuilder b = One(Builtin::RESHAPE, {1, 2, 3, 4}, {1, 3, 2, 4});
  b.op(0).builtin_options.Set(tfl::ReshapeOptionsT{});
  b.op(0).builtin_options.AsReshapeOptions()->new_shape = {1, -1, 2, 4};
  const Graph g = ImportGood(b);
  ASSERT_EQ(g.nodes.size(), 3u);
  EXPECT_EQ(g.nodes[0].name, "reshape_0.nhwc");
  EXPECT_EQ(g.nodes[0].As<graph::TransposeAttributes>().perm, (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(g.tensor(g.nodes[0].output).shape, (Shape{1, 2, 3, 4}));
  EXPECT_EQ(g.tensor(g.nodes[1].output).shape, (Shape{1, 3, 2, 4}));
  EXPECT_EQ(g.nodes[2].As<graph::TransposeAttributes>().perm, (std::vector<int>{0, 3, 1, 2}));
  EXPECT_EQ(g.tensor(g.nodes[2].output).shape, (Shape{1, 4, 3, 2}));
}

TEST(TfliteLayout, SqueezeAndExpandDims) {
  TfliteBuilder b = One(Builtin::SQUEEZE, {1, 1, 5, 1}, {5});
  EXPECT_EQ(Ops(ImportGood(b)), "reshape");
  b.tensor("y").shape = {1, 5, 1};
  b.op(0).builtin_options.Set(tfl::SqueezeOptionsT{});
  b.op(0).builtin_options.AsSqueezeOptions()->squeeze_dims = {-3};
  EXPECT_EQ(Ops(ImportGood(b)), "reshape");
  for (const int32_t axis : {1, -3}) {
    TfliteBuilder e = One(Builtin::EXPAND_DIMS, {2, 3, 4}, {2, 1, 3, 4});
    e.Constant("axis", {}, T::Type::INT32, std::vector<int32_t>{axis});
    e.op(0).inputs.push_back(e.Find("axis"));
    const Graph g = ImportGood(e);
    EXPECT_EQ(Ops(g), "reshape transpose");
    EXPECT_EQ(g.tensor(g.outputs[0]).shape, (Shape{2, 4, 1, 3}));
  }
}

TEST(TfliteLayout, TransposeOfFourAxes) {
  // NHWC [2, 3, 4, 5] by {3, 1, 0, 2} is [5, 3, 2, 4]; in NCHW [2, 5, 3, 4] becomes [5, 4, 3, 2].
  TfliteBuilder b = One(Builtin::TRANSPOSE, {2, 3, 4, 5}, {5, 3, 2, 4});
  b.Constant("perm", {4}, T::Type::INT32, std::vector<int32_t>{3, 1, 0, -2});
  b.op(0).inputs.push_back(b.Find("perm"));
  const Graph g = ImportGood(b);
  ASSERT_EQ(Ops(g), "transpose");
  EXPECT_EQ(g.nodes[0].As<graph::TransposeAttributes>().perm, (std::vector<int>{1, 3, 2, 0}));
  EXPECT_EQ(g.tensor(g.outputs[0]).shape, (Shape{5, 4, 3, 2}));
}

TEST(TfliteLayout, PadWithAValue) {
  TfliteBuilder b = One(Builtin::PADV2, {2, 3}, {3, 5});
  b.Constant("pads", {2, 2}, T::Type::INT64, std::vector<int64_t>{0, 1, 2, 0});
  b.Constant("value", {}, T::Type::INT8, std::vector<int8_t>{-77});
  b.SetQuant("value", {0.5f}, {3}, 0);
  b.op(0).inputs.push_back(b.Find("pads"));
  b.op(0).inputs.push_back(b.Find("value"));
  const Graph g = ImportGood(b);
  ASSERT_EQ(Ops(g), "pad");
  EXPECT_EQ(g.nodes[0].As<graph::PadAttributes>().value, -77);
  EXPECT_EQ(g.nodes[0].As<graph::PadAttributes>().pads,
            (std::vector<std::array<int64_t, 2>>{{0, 1}, {2, 0}}));
}

TEST(TfliteLayout, ConcatenationOfOneAndOfConstants) {
  TfliteBuilder b = One(Builtin::CONCATENATION, {1, 2, 2, 3}, {1, 2, 2, 3});
  b.op(0).builtin_options.Set(tfl::ConcatenationOptionsT{});
  EXPECT_EQ(Ops(ImportGood(b)), "reshape");
  b.Constant("k", {1, 2, 1, 3}, T::Type::INT8, std::vector<int8_t>{0, 1, 2, 3, 4, 5});
  b.SetQuant("k", {0.5f}, {3}, 0);
  b.op(0).inputs = {b.Find("k"), b.Find("x")};
  b.op(0).builtin_options.AsConcatenationOptions()->axis = 2;
  b.tensor("y").shape = {1, 2, 3, 3};
  const Graph g = ImportGood(b);
  ASSERT_EQ(Ops(g), "concat");
  EXPECT_EQ(g.nodes[0].As<graph::ConcatAttributes>().axis, 3);
  EXPECT_EQ(*g.tensor(g.nodes[0].inputs[0]).data, (std::vector<uint8_t>{0, 3, 1, 4, 2, 5}));
}

TEST(TfliteLayout, FullyConnectedFlattensAndKeeps) {
  TfliteBuilder b;
  b.Int8("x", {2, 2, 3, 4}, 0.5f, 3);
  b.Constant("w", {7, 12}, T::Type::INT8, T::Count<int8_t>(84),
             {1, 2, 3, 4, 5, 6, 7});  // a scale a row
  b.Int8("y", {4, 7}, 0.5f, 3);
  b.Op(Builtin::FULLY_CONNECTED, {"x", "w"}, {"y"}, tfl::FullyConnectedOptionsT{});
  b.Input("x");
  b.Output("y");
  const Graph flat = ImportGood(b);
  EXPECT_EQ(Ops(flat), "transpose reshape dense");
  EXPECT_EQ(flat.nodes.back().name, "fully_connected_0");
  const graph::GraphTensor& w = flat.tensor(flat.nodes.back().inputs[1]);
  EXPECT_EQ(w.quant->axis, 0);
  EXPECT_EQ(w.quant->scale.size(), 7u);
  for (size_t i = 0; i < 84; ++i)
    EXPECT_EQ(static_cast<int8_t>((*w.data)[i]), static_cast<int>(i % 7) - 3);

  b.tensor("w").shape = {21, 4};
  b.SetQuant("w", {1}, {0}, 0);
  b.tensor("y").shape = {2, 2, 3, 21};
  b.op(0).builtin_options.AsFullyConnectedOptions()->keep_num_dims = true;
  const Graph kept = ImportGood(b);
  EXPECT_EQ(Ops(kept), "transpose reshape dense reshape transpose");
  EXPECT_EQ(kept.tensor(kept.outputs[0]).shape, (Shape{2, 21, 2, 3}));
}

TEST(TfliteLayout, SoftmaxOfFourAxesIsOverChannels) {
  TfliteBuilder b = One(Builtin::SOFTMAX, {1, 2, 3, 4}, {1, 2, 3, 4});
  b.SetQuant("y", {1.0f / 256}, {-128}, 0);
  b.op(0).builtin_options.Set(tfl::SoftmaxOptionsT{});
  b.op(0).builtin_options.AsSoftmaxOptions()->beta = 0.5f;
  const Graph g = ImportGood(b);
  EXPECT_EQ(Ops(g), "transpose reshape softmax reshape transpose");
  EXPECT_EQ(g.tensor(g.nodes[2].output).shape, (Shape{6, 4}));
  EXPECT_EQ(g.nodes[2].As<graph::SoftmaxAttributes>().beta, 0.5);
  EXPECT_EQ(g.nodes.back().name, "softmax_0");
}

TEST(TfliteLayout, MeanKeepsItsAxes) {
  TfliteBuilder b = One(Builtin::MEAN, {1, 2, 3, 4}, {1, 1, 1, 4});
  b.Constant("axes", {2}, T::Type::INT32, std::vector<int32_t>{-2, 1});
  b.op(0).inputs.push_back(b.Find("axes"));
  b.op(0).builtin_options.Set(tfl::ReducerOptionsT{});
  b.op(0).builtin_options.AsReducerOptions()->keep_dims = true;
  const Graph g = ImportGood(b);
  EXPECT_EQ(Ops(g), "mean");
  EXPECT_EQ(g.nodes[0].name, "mean_0");
  EXPECT_EQ(g.tensor(g.outputs[0]).shape, (Shape{1, 4, 1, 1}));
}

}  // namespace
}  // namespace tessera::tflite_layout_test
