// SPDX-License-Identifier: Apache-2.0
//
// TFLite operators on plain values and the end of detectors: constants that follow from shapes,
// refusals. Not here: what they compute (tests/models).
#include <flatbuffers/flexbuffers.h>

#include "tests/compiler/graph_eval.h"
#include "tests/compiler/import/tflite_import.h"

namespace tessera::tflite_plain_test {
namespace {

using Builtin = T::Builtin;
using Type = T::Type;

// Operators over these tensors; outputs are added by each.
TfliteBuilder Tensors() {
  TfliteBuilder b;
  b.Tensor("x", {1, 2, 3, 4}, Type::FLOAT32);
  b.Tensor("y", {1, 2, 3, 4}, Type::FLOAT32);
  b.Tensor("whole", {2, 3}, Type::INT32);
  b.Tensor("row", {5}, Type::INT32);
  b.Tensor("true", {2, 3}, Type::BOOL);
  b.Int8("q", {2, 3}, 0.5f, 3);
  b.Int8("r", {2, 3}, 0.5f, 3);
  b.Input("x");
  b.Input("whole");
  b.Input("q");
  b.Input("true");
  return b;
}
void Numbers(TfliteBuilder& b, const std::string& name, const std::vector<int32_t>& values) {
  b.Constant(name, {static_cast<int32_t>(values.size())}, Type::INT32, values);
}
void Number(TfliteBuilder& b, const std::string& name, int32_t value) {
  b.Constant(name, {}, Type::INT32, std::vector<int32_t>{value});
}

TEST(TflitePlain, ConstantsThatFollowFromShapes) {
  TfliteBuilder b = Tensors();
  Number(b, "first", 7);
  Number(b, "end", 0);
  Number(b, "step", -2);
  b.Tensor("range", {4}, Type::INT32);
  b.Op(Builtin::RANGE, {"first", "end", "step"}, {"range"});
  for (const auto& [name, value] : {std::pair{"f", 1.0f}, {"g", 2.0f}, {"h", 0.5f}})
    b.Constant(name, {}, Type::FLOAT32, std::vector<float>{value});
  b.Tensor("halves", {2}, Type::FLOAT32);
  b.Op(Builtin::RANGE, {"f", "g", "h"}, {"halves"});
  b.Tensor("rank", {}, Type::INT32);
  b.Op(Builtin::RANK, {"x"}, {"rank"});
  b.Tensor("zeros", {2, 3}, Type::INT32);
  b.Op(Builtin::ZEROS_LIKE, {"whole"}, {"zeros"});
  Numbers(b, "to", {2, 2});
  b.Tensor("sevens", {2, 2}, Type::INT32);
  b.Op(Builtin::FILL, {"to", "first"}, {"sevens"});
  for (const char* name : {"range", "halves", "rank", "zeros", "sevens"}) b.Output(name);
  const graph::Graph g = ImportGood(b);
  EXPECT_EQ(Ops(g), "reshape reshape reshape reshape reshape");  // copies of constants
  const auto value = [&](size_t k) { return *g.tensor(g.nodes.at(k).inputs[0]).data; };
  EXPECT_EQ(As<int32_t>(value(0)), (std::vector<int32_t>{7, 5, 3, 1}));
  EXPECT_EQ(As<float>(value(1)), (std::vector<float>{1, 1.5f}));
  EXPECT_EQ(As<int32_t>(value(2)), (std::vector<int32_t>{4}));
  EXPECT_EQ(As<int32_t>(value(3)), std::vector<int32_t>(6));
  EXPECT_EQ(As<int32_t>(value(4)), std::vector<int32_t>(4, 7));
}

struct PlainCase {
  const char* name;
  void (*add)(TfliteBuilder& b);
  const char* message;
};
const PlainCase kPlainBad[] = {
    {"TopOfMore",
     [](auto& b) {
       Number(b, "k", 4);
       b.Op(Builtin::TOPK_V2, {"q", "k"}, {"r", "row"});
     },
     "4 of 3 elements; 1 to all of at most 65536 are supported"},
    {"TopCounts",
     [](auto& b) {
       Numbers(b, "k", {1, 2});
       b.Op(Builtin::TOPK_V2, {"q", "k"}, {"r", "row"});
     },
     "2 counts of tensor 5 'q' with shape [2, 3]"},
    {"SumsOfIntegers",
     [](auto& b) {
       Number(b, "k", 0);
       b.Op(Builtin::CUMSUM, {"q", "k"}, {"r"}, tfl::CumsumOptionsT{});
     },
     "its result tensor 6 'r' is quantised; plain values are supported"},
    {"SumsAlong",
     [](auto& b) {
       Number(b, "k", 4);
       b.Op(Builtin::CUMSUM, {"x", "k"}, {"y"}, tfl::CumsumOptionsT{});
     },
     "axes [4] of 4"},
    {"HotAxis",
     [](auto& b) {
       Number(b, "k", 4);
       tfl::OneHotOptionsT options;
       options.axis = 3;
       b.Op(Builtin::ONE_HOT, {"whole", "k", "k", "k"}, {"row"}, options);
     },
     "1 depths, axis 3 of 3"},
    {"HotIntegers",
     [](auto& b) {
       Number(b, "k", 4);
       b.Constant("on", {}, Type::INT8, std::vector<int8_t>{1}, {0.5f});
       b.Op(Builtin::ONE_HOT, {"whole", "k", "on", "on"}, {"r"}, tfl::OneHotOptionsT{});
     },
     "its result tensor 6 'r' is quantised"},
    {"FillHuge",
     [](auto& b) {
       Numbers(b, "k", {65536, 65536});
       Number(b, "one", 1);
       b.Op(Builtin::FILL, {"k", "one"}, {"row"});
     },
     "[65536, 65536]"},
    {"FillSeveral",
     [](auto& b) {
       Numbers(b, "k", {5});
       b.Op(Builtin::FILL, {"k", "whole"}, {"row"});
     },
     "value tensor 2 'whole' of shape [2, 3], one element is needed"},
    {"ZerosOfIntegers", [](auto& b) { b.Op(Builtin::ZEROS_LIKE, {"q"}, {"r"}); },
     "its result tensor 6 'r' is INT8 of shape [2, 3]; plain values are supported"},
    {"RankOfFloats", [](auto& b) { b.Op(Builtin::RANK, {"x"}, {"y"}); },
     "its result tensor 1 'y' is FLOAT32; INT32 is supported"},
    {"RangeOfNone",
     [](auto& b) {
       Number(b, "one", 1);
       b.Op(Builtin::RANGE, {"one", "one", "one"}, {"row"});
     },
     "from 1 to 1 in steps of 1: 0 elements"},
    {"RangeOfSeveral",
     [](auto& b) {
       Numbers(b, "one", {1, 2});
       b.Op(Builtin::RANGE, {"one", "one", "one"}, {"row"});
     },
     "input 0 has 2 values"},
    {"RangeOfInputs",
     [](auto& b) {
       b.Op(Builtin::RANGE, {"x", "x", "x"}, {"y"});
     },
     "input tensor 0 'x' is not one constant of FLOAT32, INT32 or INT64"},
    {"SumOfShapes",
     [](auto& b) {
       b.Op(Builtin::ADD_N, {"whole", "row"}, {"row"});
     },
     "input tensor 3 'row' of shape [5] is not added to shape [2, 3]"},
    {"TruthsOfNumbers",
     [](auto& b) {
       Numbers(b, "k", {1});
       b.Op(Builtin::REDUCE_ANY, {"whole", "k"}, {"row"}, tfl::ReducerOptionsT{});
     },
     "input tensor 2 'whole' is INT32"},
    {"MirrorPads",
     [](auto& b) {
       Numbers(b, "k", {1, 1});
       b.Op(Builtin::MIRROR_PAD, {"q", "k"}, {"r"}, tfl::MirrorPadOptionsT{});
     },
     "2 pads for 2 axes"},
    {"MirrorTooFar",
     [](auto& b) {
       Numbers(b, "k", {0, 2, 0, 0});
       b.Op(Builtin::MIRROR_PAD, {"q", "k"}, {"r"}, tfl::MirrorPadOptionsT{});
     },
     "pads 0 and 2 of axis 0; 0 to 1 are accepted"},
    {"Embedding",
     [](auto& b) {
       b.Op(Builtin::EMBEDDING_LOOKUP, {"whole", "x"}, {"y"});
     },
     "indices of shape [2, 3] for rows of shape [1, 2, 3, 4]"},
    {"RootFused",
     [](auto& b) {
       tfl::L2NormOptionsT options;
       options.fused_activation_function = tfl::ActivationFunctionType::RELU;
       b.Op(Builtin::L2_NORMALIZATION, {"x"}, {"y"}, options);
     },
     "a fused activation"},
    {"RootOfIntegers", [](auto& b) { b.Op(Builtin::L2_NORMALIZATION, {"q"}, {"r"}); },
     "its result tensor 6 'r' is INT8; floats are supported"},
    {"RootOfANumber",
     [](auto& b) {
       b.tensor("x").shape = {};
       b.tensor("y").shape = {};
       b.graph().inputs.erase(b.graph().inputs.begin());
       b.Constant("c", {}, Type::FLOAT32, std::vector<float>{2});
       b.Op(Builtin::L2_NORMALIZATION, {"c"}, {"y"});
     },
     "its input has no axes"},
    {"ProductOfARow",
     [](auto& b) {
       b.Tensor("v", {3}, Type::INT32);
       b.Input("v");
       b.Op(Builtin::BATCH_MATMUL, {"v", "whole"}, {"row"}, tfl::BatchMatMulOptionsT{});
     },
     "input 0 has shape [3]"},
    {"ProductShapes",
     [](auto& b) {
       b.Op(Builtin::BATCH_MATMUL, {"q", "q"}, {"r"}, tfl::BatchMatMulOptionsT{});
     },
     "inputs of shapes [2, 3] and [2, 3] make no product"},
};

class TflitePlainBad : public ::testing::TestWithParam<PlainCase> {};
TEST_P(TflitePlainBad, IsRefusedWithTheReason) {
  TfliteBuilder b = Tensors();
  GetParam().add(b);
  for (const int id : b.graph().operators.back()->outputs) b.graph().outputs.push_back(id);
  const auto bad = ImportModel(b.Bytes(), "m.tflite");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(GetParam().message), std::string::npos) << bad.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, TflitePlainBad, ::testing::ValuesIn(kPlainBad),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(TflitePlain, SuppressionIsHard) {
  TfliteBuilder b;
  b.Tensor("boxes", {6, 4}, Type::FLOAT32);
  b.Tensor("scores", {6}, Type::FLOAT32);
  Number(b, "most", 3);
  for (const auto& [name, value] : {std::pair{"share", 0.5f}, {"low", 0.0f}, {"sigma", 0.25f}})
    b.Constant(name, {}, Type::FLOAT32, std::vector<float>{value});
  b.Tensor("at", {3}, Type::INT32);
  b.Tensor("best", {3}, Type::FLOAT32);
  b.Tensor("count", {}, Type::INT32);
  b.Op(Builtin::NON_MAX_SUPPRESSION_V5, {"boxes", "scores", "most", "share", "low", "sigma"},
       {"at", "best", "count"});
  b.Input("boxes");
  b.Input("scores");
  for (const char* name : {"at", "best", "count"}) b.Output(name);
  const auto refused = [&](const std::string& message) {
    const auto bad = ImportModel(b.Bytes(), "m.tflite");
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().message.find(message), std::string::npos) << bad.error().message;
  };
  refused("soft suppression, sigma 0.25; 0 is supported");
  b.SetData("sigma", std::vector<float>{0});
  EXPECT_EQ(std::ranges::count(ImportGood(b).nodes, graph::Op::kSuppress, &graph::Node::op), 2);
  b.op(0).inputs[3] = b.Find("scores");
  refused("input tensor 1 'scores' is not one constant of FLOAT32");
  b.op(0).inputs[3] = b.Find("share");
  b.SetData("most", std::vector<int32_t>{600});
  refused("boxes [6, 4] and scores [6], [600] of them; [n, 4] and [n] of FLOAT32, 1 to 512");
  b.op(0).outputs.pop_back();
  b.graph().outputs.pop_back();
  refused("2 results for 6 inputs");
}

// The end of a detector of 6 boxes and 2 classes.
struct Detector {
  TfliteBuilder b;
  int64_t most = 3, classes = 2;
  double share = 0.5, scale = 10;
  bool options = true;

  Detector() {
    b.Tensor("offsets", {1, 6, 4}, Type::FLOAT32);
    b.Tensor("scores", {1, 6, 3}, Type::FLOAT32);
    b.Constant("anchors", {6, 4}, Type::FLOAT32, std::vector<float>(24, 0.5f));
    b.Tensor("boxes", {}, Type::FLOAT32);  // shapes are left out, as converters do
    b.Tensor("classes", {}, Type::FLOAT32);
    b.Tensor("best", {}, Type::FLOAT32);
    b.Tensor("count", {}, Type::FLOAT32);
    b.Op(Builtin::CUSTOM, {"offsets", "scores", "anchors"}, {"boxes", "classes", "best", "count"});
    b.code(0).custom_code = "TFLite_Detection_PostProcess";
    b.Input("offsets");
    b.Input("scores");
    for (const char* name : {"boxes", "classes", "best", "count"}) b.Output(name);
  }
  Result<graph::Graph> Import() {
    flexbuffers::Builder made;
    made.Map([&] {
      made.Int("max_detections", most);
      made.Int("max_classes_per_detection", 1);
      made.Int("num_classes", classes);
      made.Double("nms_score_threshold", 0.1);
      made.Double("nms_iou_threshold", share);
      for (const char* name : {"y_scale", "x_scale", "h_scale", "w_scale"})
        made.Double(name, scale);
    });
    made.Finish();
    if (options) b.op(0).custom_options = made.GetBuffer();
    return ImportModel(b.Bytes(), "m.tflite");
  }
};

TEST(TfliteDetection, HasThreeNodesABoxAndItsShapes) {
  Detector d;
  const auto g = d.Import();
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_EQ(std::ranges::count(g->nodes, graph::Op::kArgMax, &graph::Node::op), 3);
  EXPECT_EQ(std::ranges::count(g->nodes, graph::Op::kSuppress, &graph::Node::op), 2);
  EXPECT_EQ(g->tensor(g->outputs[0]).shape, (graph::Shape{1, 3, 4}));
  EXPECT_EQ(g->tensor(g->outputs[1]).shape, (graph::Shape{1, 3}));
  EXPECT_EQ(g->tensor(g->outputs[3]).shape, (graph::Shape{1}));
}

struct DetectionCase {
  const char* name;
  void (*spoil)(Detector& d);
  const char* message;
};
const DetectionCase kDetectionBad[] = {
    {"NoOptions", [](auto& d) { d.options = false; }, "its options are no flexbuffer with a map"},
    {"BrokenOptions",
     [](auto& d) {
       d.options = false;
       d.b.op(0).custom_options = {1, 2, 3, 200, 36, 1};
     },
     "its options are no flexbuffer with a map"},
    {"Counts", [](auto& d) { d.most = 5000; }, "max_detections 5000, max_classes_per_detection 1"},
    {"Scale", [](auto& d) { d.scale = 0; }, "y_scale is 0"},
    {"Share", [](auto& d) { d.share = 1.5; }, "nms_iou_threshold 1.5, nms_score_threshold 0.1"},
    {"Classes", [](auto& d) { d.classes = 5; },
     "offsets [1, 6, 4], scores [1, 6, 3] and anchors [6, 4] for 5 classes"},
    {"Results", [](auto& d) { d.b.op(0).outputs.pop_back(), d.b.graph().outputs.pop_back(); },
     "3 results, makes 4"},
    {"ResultType", [](auto& d) { d.b.tensor("count").type = Type::INT32; },
     "its result tensor 6 'count' is INT32; FLOAT32 is supported"},
    {"InputType", [](auto& d) { d.b.tensor("scores").type = Type::INT32; },
     "input tensor 1 'scores' is INT32; FLOAT32 and quantised ones are supported"},
    {"Another", [](auto& d) { d.b.code(0).custom_code = "Twist"; },
     "operator 0 (custom:Twist): operator custom:Twist is not supported; it makes tensor 3"},
};
class TfliteDetectionBad : public ::testing::TestWithParam<DetectionCase> {};
TEST_P(TfliteDetectionBad, IsRefusedWithTheReason) {
  Detector d;
  GetParam().spoil(d);
  const auto bad = d.Import();
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(GetParam().message), std::string::npos) << bad.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, TfliteDetectionBad, ::testing::ValuesIn(kDetectionBad),
                         [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace tessera::tflite_plain_test
