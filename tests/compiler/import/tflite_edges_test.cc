// SPDX-License-Identifier: Apache-2.0
//
// What is tested: uint8 tensors of TFLite models and the edges of models: uint8 inputs and outputs
// keep their type, weights lose their zero points, outputs that nothing makes for them alone are
// copies, open extents take the shape that is asked for, what depends on shapes alone is a
// constant. Not here: what integers uint8 models give (tests/models/tflite_ops_test.cc).
#include "tests/compiler/import/tflite_import.h"

namespace tessera::tflite_edges_test {
namespace {

using Builtin = T::Builtin;
using graph::Graph;
using Shape = std::vector<int64_t>;

TfliteBuilder Uint8(TfliteBuilder b) {
  for (const std::string name : {"x", "y"}) {
    b.tensor(name).type = T::Type::UINT8;
    b.quant(name).zero_point[0] += 128;
  }
  return b;
}

TEST(TfliteEdges, Uint8InputsAndOutputsKeepTheirType) {
  const Graph g = ImportGood(Uint8(One(Builtin::RELU, {1, 2, 3, 4}, {1, 2, 3, 4})));
  EXPECT_EQ(Ops(g), "rescale rescale rescale");
  const graph::GraphTensor &in = g.tensor(g.inputs[0]), &out = g.tensor(g.outputs[0]);
  const graph::Quant given{{0.5}, {131}, -1}, inside{{0.5}, {3}, -1};
  for (const auto* edge : {&in, &out}) {
    EXPECT_EQ(edge->dtype, DType::kUint8);
    EXPECT_EQ(*edge->quant, given);
    EXPECT_EQ(edge->order, (std::vector<int>{0, 2, 3, 1}));
  }
  EXPECT_EQ(in.name, "x");
  EXPECT_EQ(out.name, "y");
  const graph::Node& relu = Named(g, "relu_0");
  EXPECT_EQ(*g.tensor(relu.output).quant, inside);
  EXPECT_EQ(g.tensor(relu.output).dtype, DType::kInt8);
  EXPECT_EQ(relu.lo, 3);
  EXPECT_EQ(Named(g, "output_0").lo, 0);
  EXPECT_EQ(Named(g, "output_0").hi, 255);
}

// Weights of one output channel: int8 where all differences to the zero point fit, else int16.
TEST(TfliteEdges, WeightsLoseTheirZeroPoint) {
  struct Row {
    T::Type type;
    std::vector<uint8_t> weights;
    int64_t zero;
    std::vector<int> centred;
    DType dtype;
  };
  const Row rows[] = {
      {T::Type::UINT8, {0, 128, 255}, 128, {-128, 0, 127}, DType::kInt8},
      {T::Type::UINT8, {0, 100, 227}, 100, {-100, 0, 127}, DType::kInt8},
      {T::Type::UINT8, {0, 128, 255}, 127, {-127, 1, 128}, DType::kInt16},
      {T::Type::UINT8, {0, 5, 255}, 255, {-255, -250, 0}, DType::kInt16},
      {T::Type::INT8, {0x80, 0, 0x7f}, 0, {-128, 0, 127}, DType::kInt8},
      {T::Type::INT8, {0x90, 0, 0x7f}, 1, {-113, -1, 126}, DType::kInt8},
      {T::Type::INT8, {0x80, 0, 0x7f}, -128, {0, 128, 255}, DType::kInt16},
  };
  for (const Row& row : rows) {
    TfliteBuilder b;
    b.Int8("x", {1, 3}, 0.5f, 3);
    b.Constant("w", {1, 3}, row.type, row.weights, {0.25f});
    b.quant("w").zero_point[0] = row.zero;
    b.Int8("y", {1, 1}, 0.5f, 3);
    b.Op(Builtin::FULLY_CONNECTED, {"x", "w"}, {"y"}, tfl::FullyConnectedOptionsT{});
    b.Input("x");
    b.Output("y");
    const Graph g = ImportGood(b);
    const graph::GraphTensor& w = g.tensor(g.nodes[0].inputs[1]);
    EXPECT_EQ(w.dtype, row.dtype) << row.zero;
    EXPECT_EQ(w.quant->zero, std::vector<int32_t>{0});
    std::vector<int> got;
    for (size_t k = 0; k < 3; ++k) {
      int16_t wide = 0;
      if (w.dtype == DType::kInt16) std::memcpy(&wide, w.data->data() + 2 * k, 2);
      got.push_back(w.dtype == DType::kInt16 ? wide : static_cast<int8_t>((*w.data)[k]));
    }
    EXPECT_EQ(got, row.centred) << row.zero;
  }
}

// Scales of a bias stand along its one axis, whichever the file says.
TEST(TfliteEdges, BiasScalesAlongAnyAxis) {
  TfliteBuilder b = GoodTflite();
  b.quant("cb").quantized_dimension = 3;
  EXPECT_EQ(Ops(ImportGood(b)), Ops(ImportGood(GoodTflite())));
}

TEST(TfliteEdges, OutputsOfOneTensorAreCopies) {
  TfliteBuilder b = One(Builtin::RELU, {1, 6}, {1, 6});
  for (const char* name : {"y", "x"}) b.Output(name);
  const Graph g = ImportGood(b);
  EXPECT_EQ(Ops(g), "rescale reshape reshape");
  EXPECT_EQ(std::set<graph::TensorId>(g.outputs.begin(), g.outputs.end()).size(), 3u);
  EXPECT_EQ(g.nodes[1].inputs[0], g.outputs[0]);
  EXPECT_EQ(g.nodes[2].inputs[0], g.inputs[0]);
}

// SHAPE, STRIDED_SLICE, PACK, RESHAPE: [batch, rest] of an image, as converters write it.
TfliteBuilder Flatten() {
  TfliteBuilder b;
  b.Int8("x", {1, 2, 3, 4}, 0.5f, 3);
  b.tensor("x").shape_signature = {1, -1, -1, 4};
  b.Tensor("shape", {4}, T::Type::INT32);
  b.Op(Builtin::SHAPE, {"x"}, {"shape"});
  b.Constant("from", {1}, T::Type::INT32, std::vector<int32_t>{0});
  b.Constant("to", {1}, T::Type::INT32, std::vector<int32_t>{1});
  b.Tensor("batch", {}, T::Type::INT32);
  tfl::StridedSliceOptionsT slice;
  slice.shrink_axis_mask = 1;
  b.Op(Builtin::STRIDED_SLICE, {"shape", "from", "to", "to"}, {"batch"}, slice);
  b.Constant("rest", {}, T::Type::INT32, std::vector<int32_t>{-1});
  b.Tensor("wanted", {2}, T::Type::INT32);
  b.Op(Builtin::PACK, {"batch", "rest"}, {"wanted"}, tfl::PackOptionsT{});
  b.Int8("y", {1, 24}, 0.5f, 3);
  b.tensor("y").shape_signature = {1, -1};
  b.Op(Builtin::RESHAPE, {"x", "wanted"}, {"y"});
  b.Input("x");
  b.Output("y");
  return b;
}

TEST(TfliteEdges, OpenExtentsTakeTheShapeThatIsAskedFor) {
  const std::vector<uint8_t> bytes = Flatten().Bytes();
  ImportOptions options;
  for (const int64_t high : {2, 5}) {
    options.shapes["x"] = {1, high, 3, 4};
    const auto g = ImportTflite(bytes, "m.tflite", options);
    ASSERT_TRUE(g) << g.error().message;
    EXPECT_EQ(Ops(*g), "transpose reshape");
    EXPECT_EQ(g->tensor(g->inputs[0]).shape, (Shape{1, 4, high, 3}));
    EXPECT_EQ(g->tensor(g->outputs[0]).shape, (Shape{1, 12 * high}));
  }
  const std::pair<Shape, std::string> bad[] = {
      {{1, 2, 3, 5}, "shape [1, 2, 3, 5] is asked for, the file has [1, 2, 3, 4]"},
      {{2, 3, 4}, "shape [2, 3, 4] is asked for"},
      {{1, 0, 3, 4}, "shape [1, 0, 3, 4]; one or more axes of fixed extent are needed"},
  };
  for (const auto& [shape, message] : bad) {
    options.shapes["x"] = shape;
    const auto g = ImportTflite(bytes, "m.tflite", options);
    ASSERT_FALSE(g);
    EXPECT_NE(g.error().message.find(message), std::string::npos) << g.error().message;
  }
  options.shapes = {{"z", {1}}};
  const auto g = ImportTflite(bytes, "m.tflite", options);
  ASSERT_FALSE(g);
  EXPECT_EQ(g.error().message, "m.tflite: a shape for 'z' is given; the model has no such input");
  const auto known =
      ImportTflite(bytes, "m.tflite", {.known = {{"x", HostTensor::Zeros(DType::kInt8, {1})}}});
  ASSERT_FALSE(known);
  EXPECT_EQ(known.error().message,
            "m.tflite: the value of 'x' is given; that goes with ONNX, a TFLite model is computed "
            "with all of its inputs");
}

TEST(TfliteEdges, ResultsOfOneOperatorAreNodesOfTheirOwn) {
  TfliteBuilder b = One(Builtin::SPLIT, {1, 6}, {1, 2});
  b.Int8("z", {1, 2}, 0.5f, 3);
  b.Int8("w", {1, 2}, 0.5f, 3);
  b.Constant("axis", {}, T::Type::INT32, std::vector<int32_t>{1});
  b.op(0).inputs = {b.Find("axis"), b.Find("x")};
  b.op(0).outputs = {b.Find("y"), b.Find("z"), b.Find("w")};
  b.Output("w");
  const Graph g = ImportGood(b);
  EXPECT_EQ(Ops(g), "slice slice slice");
  for (size_t k = 0; k < 3; ++k) {
    const graph::Node& node = Named(g, fmt::format("split_0.{}", k));
    EXPECT_EQ(node.As<graph::SliceAttributes>().axes[1].begin, static_cast<int64_t>(2 * k));
  }
}

// What parts and numbers of TFLite do not take.
struct BadPart {
  const char* name;
  std::function<TfliteBuilder()> make;
  const char* message;
};
void PrintTo(const BadPart& c, std::ostream* out) { *out << c.name; }

TfliteBuilder With(TfliteBuilder b, const std::vector<std::vector<int32_t>>& lists) {
  for (size_t k = 0; k < lists.size(); ++k) {
    const std::string name = fmt::format("k{}", k);
    b.Constant(name, {static_cast<int32_t>(lists[k].size())}, T::Type::INT32, lists[k]);
    b.op(0).inputs.push_back(b.Find(name));
  }
  return b;
}
template <typename Options>
TfliteBuilder Set(TfliteBuilder b, const Options& options) {
  b.op(0).builtin_options.Set(Options(options));
  return b;
}

const BadPart kBad[] = {
    {"SliceOutside",
     [] {
       return With(One(Builtin::SLICE, {1, 6}, {1, 2}), {{0, 5}, {1, 2}});
     },
     "operator 0 (SLICE): 2 from 5 on of axis 1 with extent 6"},
    {"SliceLists",
     [] {
       return With(One(Builtin::SLICE, {1, 6}, {1, 2}), {{0}, {1, 2}});
     },
     "1 beginnings and 2 extents for 2 axes"},
    {"StridedStep",
     [] {
       return Set(With(One(Builtin::STRIDED_SLICE, {6}, {2}), {{0}, {2}, {0}}),
                  tfl::StridedSliceOptionsT{});
     },
     "a step of 0 along axis 0"},
    {"StridedNothing",
     [] {
       return Set(With(One(Builtin::STRIDED_SLICE, {6}, {2}), {{4}, {2}, {1}}),
                  tfl::StridedSliceOptionsT{});
     },
     "nothing is left of axis 0 with extent 6"},
    {"StridedAxes",
     [] {
       return Set(With(One(Builtin::STRIDED_SLICE, {6}, {2}), {{0, 0}, {1, 1}, {1, 1}}),
                  tfl::StridedSliceOptionsT{});
     },
     "2 axes are cut of 1"},
    {"SplitVParts",
     [] {
       return With(One(Builtin::SPLIT_V, {1, 6}, {1, 6}), {{5}, {1}});
     },
     "1 results, parts [5] of extent 6"},
    {"TileTimes",
     [] {
       return With(One(Builtin::TILE, {1, 6}, {1, 6}), {{1}});
     },
     "[1] times shape [1, 6]"},
    {"BroadcastTo",
     [] {
       return With(One(Builtin::BROADCAST_TO, {2, 6}, {3, 6}), {{3, 6}});
     },
     "shape [2, 6] does not repeat to [3, 6]"},
    {"GatherAxis",
     [] {
       tfl::GatherOptionsT options;
       options.axis = 2;
       return Set(With(One(Builtin::GATHER, {2, 6}, {1, 6}), {{0}}), options);
     },
     "axis 2 of 2"},
    {"ArgAxis",
     [] {
       TfliteBuilder b = With(One(Builtin::ARG_MAX, {2, 6}, {2}), {{7}});
       b.tensor("y").type = T::Type::INT32;
       return b;
     },
     "axes [7] of tensor 0 'x' with shape [2, 6]"},
    {"DepthBlock",
     [] {
       tfl::DepthToSpaceOptionsT options;
       options.block_size = 2;
       return Set(One(Builtin::DEPTH_TO_SPACE, {1, 2, 2, 6}, {1, 4, 4, 1}), options);
     },
     "blocks of 2 x 2 of 6 channels"},
    {"BatchBlocks",
     [] {
       return With(One(Builtin::SPACE_TO_BATCH_ND, {1, 3, 4, 2}, {4, 2, 2, 2}),
                   {{2, 2}, {0, 0, 0, 0}});
     },
     "an extent of 3 does not divide into blocks of 2"},
    {"QuantisedQuotient",
     [] {
       TfliteBuilder b = One(Builtin::DIV, {1, 6}, {1, 6});
       b.op(0).inputs.push_back(b.Find("x"));
       return b;
     },
     "operator 0 (DIV): its result tensor 1 'y' is quantised; plain values are supported"},
    {"ExtremeScales",
     [] {
       TfliteBuilder b = One(Builtin::MAXIMUM, {1, 6}, {1, 6});
       b.op(0).inputs.push_back(b.Find("x"));
       b.quant("y").scale[0] = 2;
       return b;
     },
     "'x' and its result tensor 1 'y' have different scales or zero points"},
};

class TflitePartsBad : public testing::TestWithParam<BadPart> {};
TEST_P(TflitePartsBad, IsRefusedWithTheReason) {
  const auto bad = ImportTflite(GetParam().make().Bytes(), "m.tflite");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(GetParam().message), std::string::npos) << bad.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, TflitePartsBad, testing::ValuesIn(kBad),
                         [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace tessera::tflite_edges_test
