// SPDX-License-Identifier: Apache-2.0
//
// What is tested: Concat, Resize, ConvTranspose, GlobalMaxPool and functions that are refused, read
// from ONNX with their attributes, and every diagnostic of theirs is told. Space: models of one
// operator, good ones and each spoilt in one thing. Not tested here: what they compute
// (tests/compiler/region).
#include "tests/compiler/import/bad_model.h"

namespace tessera::import_image_test {
namespace {

using graph::Op;

// x [1, 2, 4, 6] -> |type| over x and |more| -> y.
ModelBuilder Model(const std::string& type, const B::Names& more = {}) {
  ModelBuilder b;
  b.Input("x", {1, 2, 4, 6});
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 3);
  B::Names inputs{"xq"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  b.Node(type, inputs, {"r"}, "op");
  b.Qdq("r", "y", 0.25f, -5);
  return b;
}

ModelBuilder ResizeModel(std::vector<float> scales = {1, 1, 2, 1.5f}) {
  ModelBuilder b = Model("Resize", {"", "scales"});
  b.Floats("scales", {static_cast<int64_t>(scales.size())}, scales);
  B::AttrS(b.node("op"), "coordinate_transformation_mode", "asymmetric");
  B::AttrS(b.node("op"), "nearest_mode", "floor");
  return b;
}

ModelBuilder SizesModel(std::vector<int64_t> sizes, const std::string& place,
                        const std::string& nearest) {
  ModelBuilder b = Model("Resize", {"", "", "sizes"});
  b.Int64s("sizes", {4}, sizes);
  B::AttrS(b.node("op"), "coordinate_transformation_mode", place);
  B::AttrS(b.node("op"), "nearest_mode", nearest);
  return b;
}

// Rows and columns of 7 x 8, by |policy|.
ModelBuilder PolicyModel(const std::string& policy, const B::Dims& axes) {
  ModelBuilder b = Model("Resize", {"", "", "sizes"});
  b.Int64s("sizes", {2}, {7, 8});
  B::AttrS(b.node("op"), "nearest_mode", "floor");
  B::AttrS(b.node("op"), "keep_aspect_ratio_policy", policy);
  B::Attr(b.node("op"), "axes", axes);
  return b;
}

// [2, 3, 3, 2]: two channels to three.
ModelBuilder TransposedModel() {
  ModelBuilder b;
  b.Input("x", {1, 2, 4, 6});
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 3);
  b.Weights("w", {2, 3, 3, 2}, Count(36), {0.1f, 0.2f, 0.3f}, 1);
  b.Bias("b", {1, 2, 3}, {0.05f, 0.1f, 0.15f});
  onnx::NodeProto& op = b.Node("ConvTranspose", {"xq", "w", "b"}, {"r"}, "op");
  B::Attr(op, "strides", B::Dims{2, 3});
  B::Attr(op, "pads", B::Dims{1, 0, 0, 1});
  B::Attr(op, "output_padding", B::Dims{1, 2});
  b.Qdq("r", "y", 0.25f, -5);
  return b;
}

graph::Graph Import(const ModelBuilder& b) {
  auto g = ImportOnnx(b.Bytes(), "m.onnx");
  EXPECT_TRUE(g) << g.error().message;
  return g ? *g : graph::Graph{};
}

const graph::Node& The(const graph::Graph& g, Op op) {
  for (const graph::Node& n : g.nodes) {
    if (n.op == op) return n;
  }
  throw std::out_of_range("no such node");
}

TEST(ImportImage, ConcatKeepsTheScalesOfItsOperands) {
  ModelBuilder b = Model("Concat", {"zq"});
  b.Input("z", {1, 3, 4, 6});
  b.Qdq("z", "zq", 0.125f, 7);
  auto& nodes = *b.graph().mutable_node();  // the operands come first
  for (int k = 0; k < 2; ++k) {
    for (int i = nodes.size() - 1; i > 0; --i) nodes.SwapElements(i, i - 1);
  }
  B::Attr(b.node("op"), "axis", int64_t{-3});
  const graph::Graph g = Import(b);
  const graph::Node& n = The(g, Op::kConcat);
  EXPECT_EQ(n.As<graph::ConcatAttributes>().axis, 1);
  EXPECT_EQ(g.tensor(n.output).shape, (std::vector<int64_t>{1, 5, 4, 6}));
  EXPECT_EQ(g.tensor(n.inputs[0]).quant->scale[0], 0.5);
  EXPECT_EQ(g.tensor(n.inputs[1]).quant->scale[0], 0.125);
}

TEST(ImportImage, ResizeNamesItsSources) {
  const graph::Graph g = Import(ResizeModel());
  const graph::Node& n = The(g, Op::kResize);
  EXPECT_EQ(n.As<graph::ResizeAttributes>().rows, (std::vector<int64_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(n.As<graph::ResizeAttributes>().columns,
            (std::vector<int64_t>{0, 0, 1, 2, 2, 3, 4, 4, 5}));
  EXPECT_EQ(g.tensor(n.output).shape, (std::vector<int64_t>{1, 2, 8, 9}));

  const auto columns = [](int64_t to, const char* place, const char* nearest) {
    const graph::Graph h = Import(SizesModel({1, 2, 4, to}, place, nearest));
    return The(h, Op::kResize).As<graph::ResizeAttributes>().columns;
  };
  using V = std::vector<int64_t>;
  // Places (k + 0.5) * 1.5 - 0.5: 0.25 1.75 3.25 4.75.
  EXPECT_EQ(columns(4, "half_pixel", "round_prefer_floor"), (V{0, 2, 3, 5}));
  EXPECT_EQ(columns(4, "half_pixel", "floor"), (V{0, 1, 3, 4}));
  // Places (k + 0.5) * 2 - 0.5: 0.5 2.5 4.5.
  EXPECT_EQ(columns(3, "half_pixel", "round_prefer_floor"), (V{0, 2, 4}));
  EXPECT_EQ(columns(3, "half_pixel", "round_prefer_ceil"), (V{1, 3, 5}));
  // Places k * 5 / 2: 0 2.5 5.
  EXPECT_EQ(columns(3, "align_corners", "round_prefer_floor"), (V{0, 2, 5}));
  EXPECT_EQ(columns(3, "align_corners", "round_prefer_ceil"), (V{0, 3, 5}));
}

// What ONNX Runtime 1.31.1 takes of 4 x 6.
TEST(ImportImage, ResizeOfNamedAxes) {
  using V = std::vector<int64_t>;
  const auto sources = [](const ModelBuilder& b) {
    const graph::Graph g = Import(b);
    return The(g, Op::kResize).As<graph::ResizeAttributes>();
  };
  const graph::ResizeAttributes within = sources(PolicyModel("not_larger", {2, 3}));
  EXPECT_EQ(within.rows, (V{0, 0, 1, 2, 2}));
  EXPECT_EQ(within.columns, (V{0, 0, 1, 2, 2, 3, 4, 5}));
  const graph::ResizeAttributes around = sources(PolicyModel("not_smaller", {2, 3}));
  EXPECT_EQ(around.rows, (V{0, 0, 0, 1, 2, 2, 3}));
  EXPECT_EQ(around.columns, (V{0, 0, 0, 1, 2, 2, 3, 3, 4, 4, 5}));
  EXPECT_EQ(sources(PolicyModel("stretch", {-2, -1})).rows, (V{0, 0, 0, 1, 2, 2, 3}));
  const graph::ResizeAttributes turned = sources(PolicyModel("stretch", {3, 2}));
  EXPECT_EQ(turned.rows.size(), 8u);
  EXPECT_EQ(turned.columns.size(), 7u);
}

TEST(ImportImage, ConvTransposeHasWeightsByOutput) {
  const graph::Graph g = Import(TransposedModel());
  const graph::Node& n = The(g, Op::kTransposedConv);
  const auto& made = n.As<graph::TransposedConvAttributes>();
  // (4 - 1) * 2 + 3 - 1 + 1 and (6 - 1) * 3 + 2 - 1 + 2
  EXPECT_EQ(made.out, (std::array<int64_t, 2>{9, 18}));
  EXPECT_EQ(made.window.pad_before, (std::array<int64_t, 2>{1, 0}));
  const graph::GraphTensor& w = g.tensor(n.inputs[1]);
  EXPECT_EQ(w.shape, (std::vector<int64_t>{3, 2, 3, 2}));
  EXPECT_EQ(w.quant->axis, 0);
  // Input channel 1, output channel 2 of the file: element 30.
  EXPECT_EQ(static_cast<int8_t>((*w.data)[static_cast<size_t>((2 * 2 + 1) * 6)]), Count(36)[30]);
}

TEST(ImportImage, GlobalMaxPoolIsAWindow) {
  const graph::Graph g = Import(Model("GlobalMaxPool"));
  const graph::Node& n = The(g, Op::kMaxPool);
  EXPECT_EQ(n.As<graph::PoolAttributes>().window.kernel, (std::array<int64_t, 2>{4, 6}));
  EXPECT_EQ(g.tensor(n.output).shape, (std::vector<int64_t>{1, 2, 1, 1}));
}

struct BadImage {
  const char* name;
  std::function<ModelBuilder()> make;
  const char* message;
  Code code = Code::kUnsupported;
};
void PrintTo(const BadImage& c, std::ostream* out) { *out << c.name; }

ModelBuilder With(ModelBuilder b, const std::function<void(ModelBuilder&)>& spoil) {
  spoil(b);
  return b;
}

const BadImage kBad[] = {
    {"LeakyAlpha",
     [] {
       return With(Model("LeakyRelu"), [](auto& b) { B::AttrF(b.node("op"), "alpha", 1e9f); });
     },
     "node 2 (LeakyRelu 'op'): alpha 1000000000; -1e6 to 1e6 are accepted", kInvalid},
    {"SigmoidOfNothing",
     [] {
       return With(Model("Sigmoid"), [](auto& b) { b.node("op").set_input(0, std::string("z")); });
     },
     "its operand 'z' is not the result of DequantizeLinear"},
    {"ConcatOfNothing",
     [] { return With(Model("Concat"), [](auto& b) { b.node("op").clear_input(); }); },
     "no operands", kInvalid},
    {"ConcatAxis",
     [] {
       return With(Model("Concat"), [](auto& b) { B::Attr(b.node("op"), "axis", int64_t{4}); });
     },
     "axis 4 of shape [1, 2, 4, 6]", kInvalid},
    {"ConcatConstant",
     [] {
       return With(Model("Concat", {"k"}), [](auto& b) {
         b.Int8s("k", {1, 2, 4, 6}, std::vector<int>(48));
       });
     },
     "node op (concat): operand k has no scale", Code::kInvalidArgument},
    {"ResizeMode",
     [] { return With(ResizeModel(), [](auto& b) { B::AttrS(b.node("op"), "mode", "nearer"); }); },
     "mode nearer; nearest, linear and cubic are supported"},
    {"ResizePlace",
     [] {
       return SizesModel({1, 2, 4, 6}, "tf_crop_and_resize", "floor");
     },
     "tf_crop_and_resize"},
    {"ResizeNearest",
     [] {
       return SizesModel({1, 2, 4, 6}, "asymmetric", "up");
     },
     "nearest_mode up; round_prefer_floor, round_prefer_ceil, floor, ceil are supported"},
    {"ResizeWithoutScales", [] { return Model("Resize"); },
     "none of scales and sizes are constants; one of them has to be"},
    {"ResizeFewScales",
     [] {
       return ResizeModel({1, 1, 2});
     },
     "3 scales for 4 axes", kInvalid},
    {"ResizeBoth",
     [] {
       return With(SizesModel({1, 2, 4, 6}, "asymmetric", "floor"), [](auto& b) {
         b.Floats("scales", {4}, {1, 1, 1, 1});
         b.node("op").set_input(2, "scales");
       });
     },
     "both of scales and sizes are constants"},
    {"ResizeAxes",
     [] {
       return With(ResizeModel({2, 2}), [](auto& b) {
         B::Attr(b.node("op"), "axes", B::Dims{3, -1});
       });
     },
     "axes [3, -1] of an operand with 4 axes", kInvalid},
    {"ResizeMovesChannels",
     [] {
       return ResizeModel({1, 1.3f, 1, 1});
     },
     "a scale of 1.3 moves batch or channels"},
    {"ResizePolicy",
     [] {
       return PolicyModel("larger", {2, 3});
     },
     "keep_aspect_ratio_policy larger; stretch, not_larger and not_smaller are known", kInvalid},
    {"ResizePolicyFromTheEnd",
     [] {
       return PolicyModel("not_larger", {-2, -1});
     },
     "keep_aspect_ratio_policy not_larger with axes [-2, -1]"},
    {"ResizePolicyOfScales",
     [] {
       return With(ResizeModel(), [](auto& b) {
         B::AttrS(b.node("op"), "keep_aspect_ratio_policy", "not_larger");
       });
     },
     "keep_aspect_ratio_policy with scales; it belongs to sizes", kInvalid},
    {"ResizeAntialias",
     [] {
       return With(ResizeModel(), [](auto& b) { B::Attr(b.node("op"), "antialias", int64_t{1}); });
     },
     "antialias 1 with mode nearest; 0 is accepted", kInvalid},
    {"UpsampleInOpset13", [] { return Model("Upsample"); },
     "Upsample in opset 13, which ends with opset 9; convert it to Resize", kInvalid},
    {"UpsampleThatShrinks",
     [] {
       return With(Model("Upsample", {"scales"}), [](auto& b) {
         b.Floats("scales", {4}, {1, 1, 2, 0.5f});
         b.model.mutable_opset_import(0)->set_version(9);
       });
     },
     "a scale of 0.5; 1 to 65536 are accepted", kInvalid},
    {"ResizeChannels",
     [] {
       return ResizeModel({1, 2, 2, 2});
     },
     "scales that change batch or channels"},
    {"ResizeBatch",
     [] {
       return SizesModel({2, 2, 4, 6}, "asymmetric", "floor");
     },
     "sizes that change batch or channels"},
    {"ResizeScale",
     [] {
       return ResizeModel({1, 1, -1, 2});
     },
     "a scale of -1; ", kInvalid},
    {"ResizeNan",
     [] {
       return ResizeModel({1, 1, std::nanf(""), 2});
     },
     "a scale of nan; ", kInvalid},
    {"ResizeToNothing",
     [] {
       return ResizeModel({1, 1, 0.01f, 2});
     },
     "an extent of 0; 1 to 65536 are accepted", kInvalid},
    {"ResizeHuge",
     [] {
       return SizesModel({1, 2, 1 << 20, 6}, "asymmetric", "floor");
     },
     "an extent of 1048576", kInvalid},
    {"TransposedWeights",
     [] {
       return With(TransposedModel(), [](auto& b) { Resize(b.init("w_i"), {3, 3, 2, 2}, 36); });
     },
     "weights [3, 3, 2, 2] and input [1, 2, 4, 6] do not agree", kInvalid},
    {"TransposedGroups",
     [] {
       return With(TransposedModel(), [](auto& b) { B::Attr(b.node("op"), "group", int64_t{3}); });
     },
     "3 groups of 2 channels", kInvalid},
    {"TransposedGroupScales",
     [] {
       return With(TransposedModel(), [](auto& b) { B::Attr(b.node("op"), "group", int64_t{2}); });
     },
     "weights quantised along axis 1, 2 groups; axis 1 of one group is supported, or one scale"},
    {"TransposedShape",
     [] {
       return With(TransposedModel(), [](auto& b) {
         B::Attr(b.node("op"), "output_shape", B::Dims{9, 9});
       });
     },
     "leave a result of extent 9", Code::kInvalidArgument},
    {"TransposedAutoPad",
     [] {
       return With(TransposedModel(),
                   [](auto& b) { B::AttrS(b.node("op"), "auto_pad", "AROUND"); });
     },
     "auto_pad 'AROUND'", Code::kInvalidArgument},
    {"TransposedPads",
     [] {
       return With(TransposedModel(), [](auto& b) { SetInts(b.node("op"), "pads", {3, 0, 0, 1}); });
     },
     "pads 3 and 0 or output_padding 1 leave a result of extent", kInvalid},
    {"TransposedOutputPaddingIsAStride",
     [] {
       return With(TransposedModel(), [](auto& b) {
         SetInts(b.node("op"), "output_padding", {1, 3});
       });
     },
     "output_padding 3 with stride 3 and dilation 1; 0 to 2 are accepted, a Pad behind the "
     "operator adds more",
     kInvalid},
    {"TransposedOutputPaddingBelowNone",
     [] {
       return With(TransposedModel(), [](auto& b) {
         SetInts(b.node("op"), "output_padding", {-1, 0});
       });
     },
     "output_padding -1 with stride 2 and dilation 1; 0 to 1 are accepted", kInvalid},
    {"TransposedOutputPadding",
     [] {
       return With(TransposedModel(), [](auto& b) {
         SetInts(b.node("op"), "output_padding", {5, 0});
       });
     },
     "output_padding 5", kInvalid},
    {"TransposedScales",
     [] {
       return With(TransposedModel(), [](auto& b) {
         for (auto& a : *b.node("w_dequantize").mutable_attribute()) a.set_i(2);
       });
     },
     "weights quantised along axis 2, 1 groups; axis 1 of one group is supported, or one scale"},
};

class ImportImageBad : public testing::TestWithParam<BadImage> {};

TEST_P(ImportImageBad, IsRefusedWithTheReason) {
  const auto bad = ImportOnnx(GetParam().make().Bytes(), "m.onnx");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(GetParam().message), std::string::npos) << bad.error().message;
  EXPECT_EQ(bad.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(bad.error().code, GetParam().code) << bad.error().message;
}

INSTANTIATE_TEST_SUITE_P(All, ImportImageBad, testing::ValuesIn(kBad),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tessera::import_image_test
