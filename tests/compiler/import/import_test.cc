// SPDX-License-Identifier: Apache-2.0
//
// What the importer makes of good models: operators, names, bounds, scales, shapes. Expected values
// follow from the ONNX definitions and are written out. Not here: what the operators compute
// (import_ops_test.cc).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "compiler/graph/passes.h"
#include "compiler/import/onnx.h"
#include "tests/compiler/import/model_builder.h"

namespace tessera::import_test {
namespace {

using B = ModelBuilder;
using graph::Graph;
using graph::Op;

Graph Import(const ModelBuilder& b) {
  auto graph = ImportOnnx(b.Bytes(), "m.onnx");
  EXPECT_TRUE(graph) << graph.error().message;
  if (!graph) return {};
  EXPECT_TRUE(graph::Verify(*graph));
  return std::move(*graph);
}

std::string Ops(const Graph& g) {
  std::string text;
  for (const graph::Node& n : g.nodes)
    text += fmt::format("{}{}", text.empty() ? "" : " ", graph::Text(n.op));
  return text;
}

// x [N, 4] -> Q -> DQ -> |middle| from "xq" to "out" -> Q -> DQ -> y
template <typename Fn>
ModelBuilder Between(const Fn& middle, const B::Dims& dims = {-1, 4}, bool uint8 = false,
                     float scale = 0.25f) {
  ModelBuilder b;
  b.uint8 = uint8;
  b.Input("x", dims);
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 3);
  middle(b);
  b.Qdq("out", "y", scale, -8);
  return b;
}

TEST(Import, EdgesBecomeQuantizeAndDequantize) {
  const Graph g = Import(Between([](auto& b) { b.Node("Identity", {"xq"}, {"out"}); }));
  EXPECT_EQ(Ops(g), "quantize rescale dequantize");
  ASSERT_EQ(g.inputs.size(), 1u);
  ASSERT_EQ(g.outputs.size(), 1u);
  EXPECT_EQ(g.tensor(g.inputs[0]).name, "x");
  EXPECT_EQ(g.tensor(g.inputs[0]).shape, (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(g.tensor(g.outputs[0]).name, "y");
  EXPECT_EQ(g.tensor(g.outputs[0]).dtype, DType::kFloat32);
  EXPECT_EQ(*g.tensor(g.nodes[0].output).quant, (graph::Quant{{0.5}, {3}, -1}));
  EXPECT_EQ(*g.tensor(g.nodes[1].output).quant, (graph::Quant{{0.25}, {-8}, -1}));
  EXPECT_EQ(g.name, "test");
}

TEST(Import, TheSameScaleAgainIsNothing) {
  ModelBuilder b;
  b.Input("x", {1, 4});
  b.Output("y");
  b.Qdq("x", "a", 0.5f, 3);
  b.Qdq("a", "y", 0.5f, 3);
  EXPECT_EQ(Ops(Import(b)), "quantize dequantize");
}

struct Bounds {
  int32_t lo, hi;
  bool operator==(const Bounds&) const = default;
};
// The bounds that activations between MatMul and QuantizeLinear (scale 0.25, zero -8) become.
template <typename Fn>
Bounds BoundsOf(const Fn& activations) {
  const Graph g = Import(Between([&](auto& b) {
    b.Weights("w", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {1});
    b.Node("MatMul", {"xq", "w"}, {"m"});
    activations(b);
  }));
  EXPECT_EQ(Ops(g), "quantize dense dequantize");
  return g.nodes.size() > 1 ? Bounds{g.nodes[1].lo, g.nodes[1].hi} : Bounds{};
}
void Clip(ModelBuilder& b, const std::string& in, const std::string& out, float lo, float hi) {
  b.Floats(out + "_lo", {}, {lo});
  b.Floats(out + "_hi", {}, {hi});
  b.Node("Clip", {in, out + "_lo", out + "_hi"}, {out});
}

// Clip as it was before opset 11, with attributes.
void AttrClip(ModelBuilder& b) {
  onnx::NodeProto& n = b.Node("Clip", {"m"}, {"out"});
  B::AttrF(n, "min", 1);
  B::AttrF(n, "max", 2);
}

TEST(Import, ActivationsBecomeBounds) {
  EXPECT_EQ(BoundsOf([](auto& b) { b.Node("Relu", {"m"}, {"out"}); }), (Bounds{-8, 127}));
  EXPECT_EQ(BoundsOf([](auto& b) { Clip(b, "m", "out", 0, 6); }), (Bounds{-8, 16}));
  EXPECT_EQ(BoundsOf([](auto& b) { Clip(b, "m", "out", -1, 1000); }), (Bounds{-12, 127}));
  EXPECT_EQ(BoundsOf([](auto& b) { Clip(b, "m", "out", -INFINITY, 0.375f); }), (Bounds{-128, -6}))
      << "1.5 rounds to even";
  EXPECT_EQ(BoundsOf([](auto& b) { AttrClip(b); }), (Bounds{-4, 0}));
}

TEST(Import, OneSidedClips) {
  EXPECT_EQ(BoundsOf([](auto& b) {
              b.Floats("lo", {}, {1});
              b.Node("Clip", {"m", "lo"}, {"out"});
            }),
            (Bounds{-4, 127}));
  EXPECT_EQ(BoundsOf([](auto& b) {
              b.Floats("hi", {}, {1});
              b.Node("Clip", {"m", "", "hi"}, {"out"});
            }),
            (Bounds{-128, -4}));
  EXPECT_EQ(BoundsOf([](auto& b) { b.Node("Clip", {"m"}, {"out"}); }), (Bounds{-128, 127}));
}

TEST(Import, ChainsOfActivationsClampOneAfterTheOther) {
  EXPECT_EQ(BoundsOf([](auto& b) {
              Clip(b, "m", "c", -5, 2);
              b.Node("Relu", {"c"}, {"out"});
            }),
            (Bounds{-8, 0}));
  EXPECT_EQ(BoundsOf([](auto& b) {
              Clip(b, "m", "c", -5, -2);
              b.Node("Relu", {"c"}, {"out"});
            }),
            (Bounds{-8, -8}));
  EXPECT_EQ(BoundsOf([](auto& b) {
              Clip(b, "m", "c", 1, 2);
              Clip(b, "c", "out", 5, 6);
            }),
            (Bounds{12, 12}));
  EXPECT_EQ(BoundsOf([](auto& b) {
              Clip(b, "m", "c", 5, 6);
              Clip(b, "c", "out", 1, 2);
            }),
            (Bounds{0, 0}));
}

TEST(Import, AnActivationByItselfIsARescale) {
  const auto bounds = [](const auto& activations) {
    const Graph g = Import(Between(activations));
    EXPECT_EQ(Ops(g), "quantize rescale dequantize");
    return Bounds{g.nodes[1].lo, g.nodes[1].hi};
  };
  EXPECT_EQ(bounds([](auto& b) { b.Node("Relu", {"xq"}, {"out"}); }), (Bounds{-8, 127}));
  EXPECT_EQ(bounds([](auto& b) {
              b.Node("Relu", {"xq"}, {"r"});
              Clip(b, "r", "out", -5, 2);
            }),
            (Bounds{-8, 0}));
  EXPECT_EQ(bounds([](auto& b) {
              Clip(b, "xq", "r", 1, 2);
              Clip(b, "r", "out", 5, 6);
            }),
            (Bounds{12, 12}));
  EXPECT_EQ(bounds([](auto& b) {
              Clip(b, "xq", "r", 5, 6);
              Clip(b, "r", "out", 1, 2);
            }),
            (Bounds{0, 0}));
}

TEST(Import, ATypeWithoutAZeroPointIsUint8) {
  ModelBuilder b;
  b.Input("x", {1, 4});
  b.Output("y");
  b.Floats("s", {}, {0.5f});
  b.Node("QuantizeLinear", {"x", "s"}, {"q"});
  b.Node("DequantizeLinear", {"q", "s"}, {"y"});
  const Graph g = Import(b);
  EXPECT_EQ(Ops(g), "quantize dequantize");
  EXPECT_EQ(g.tensor(g.nodes[0].output).quant->zero[0], -128);
}

TEST(Import, OutputTypeWithoutAZeroPoint) {
  ModelBuilder b;
  b.Input("x", {1, 4});
  b.Output("y");
  b.Floats("s", {}, {0.5f});
  B::Attr(b.Node("QuantizeLinear", {"x", "s"}, {"q"}), "output_dtype", int64_t{3});
  b.Node("DequantizeLinear", {"q", "s"}, {"y"});
  EXPECT_EQ(Import(b).tensors[1].quant->zero[0], 0);
}

TEST(Import, Int8OutputsStayIntegers) {
  ModelBuilder b = Between([](auto& m) { m.Node("Identity", {"xq"}, {"out"}); });
  b.graph().mutable_output(0)->set_name("y_q");
  const Graph g = Import(b);
  EXPECT_EQ(g.tensor(g.outputs[0]).dtype, DType::kInt8);
  EXPECT_EQ(g.tensor(g.outputs[0]).quant->scale[0], 0.25);
}

TEST(Import, AFloatResultAndItsIntegersHaveTheirOwnNames) {
  // The pool's float result is an output; behind it are integers.
  ModelBuilder b;
  b.Input("x", {1, 1, 4, 4});
  b.Output("p");
  b.Qdq("x", "xq", 0.5f, 3);
  B::Attr(b.Node("MaxPool", {"xq"}, {"p"}), "kernel_shape", B::Dims{2, 2});
  const Graph g = Import(b);
  EXPECT_EQ(Ops(g), "quantize maxpool dequantize");
  EXPECT_EQ(g.tensor(g.outputs[0]).name, "p");
  std::set<std::string> names;
  for (const graph::GraphTensor& t : g.tensors) EXPECT_TRUE(names.insert(t.name).second) << t.name;
}

TEST(Import, NodesWithoutNamesGetDistinctOnes) {
  const Graph g = Import(Between([](auto& b) {
    for (int i = 0; i < 3; ++i)
      b.Node("Reshape", {i ? fmt::format("v{}", i) : "xq", fmt::format("s{}", i)},
             {i == 2 ? "out" : fmt::format("v{}", i + 1)});
    b.Int64s("s0", {2}, {2, 2});
    b.Int64s("s1", {1}, {-1});
    b.Int64s("s2", {3}, {0, 1, 1});
  }));
  EXPECT_EQ(Ops(g), "quantize reshape reshape reshape rescale dequantize");
  EXPECT_EQ(g.tensor(g.nodes[1].output).shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(g.tensor(g.nodes[2].output).shape, (std::vector<int64_t>{4}));
  EXPECT_EQ(g.tensor(g.nodes[3].output).shape, (std::vector<int64_t>{4, 1, 1}));
  std::set<std::string> names;
  for (const graph::Node& n : g.nodes) EXPECT_TRUE(names.insert(n.name).second) << n.name;
}

TEST(Import, ShapeOperators) {
  const auto shape = [](const std::string& op, const std::vector<int64_t>& axes,
                        const B::Dims& dims) {
    const Graph g = Import(Between(
        [&](auto& b) {
          b.Int64s("axes", {static_cast<int64_t>(axes.size())}, axes);
          b.Node(op, axes.empty() ? B::Names{"xq"} : B::Names{"xq", "axes"}, {"out"});
        },
        dims));
    return g.nodes.size() < 2 ? std::vector<int64_t>{} : g.tensor(g.nodes[1].output).shape;
  };
  EXPECT_EQ(shape("Flatten", {}, {1, 2, 3, 4}), (std::vector<int64_t>{1, 24}));
  EXPECT_EQ(shape("Squeeze", {}, {1, 2, 1, 4}), (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(shape("Squeeze", {-2}, {1, 2, 1, 4}), (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(shape("Unsqueeze", {0, -1}, {1, 4}), (std::vector<int64_t>{1, 1, 4, 1}));
  EXPECT_EQ(shape("Reshape", {0, 2, -1}, {1, 4, 3}), (std::vector<int64_t>{1, 2, 6}));
}

TEST(Import, WindowsAndAutoPads) {
  const auto window = [](const std::string& mode, int64_t stride) {
    const Graph g = Import(Between(
        [&](auto& b) {
          b.Weights("w", {1, 1, 3, 3}, std::vector<int>(9, 1), {1});
          onnx::NodeProto& n = b.Node("Conv", {"xq", "w"}, {"out"});
          B::AttrS(n, "auto_pad", mode);
          B::Attr(n, "strides", B::Dims{stride, stride});
        },
        {1, 1, 6, 7}));
    return g.nodes.at(1).As<graph::ConvAttributes>().window;
  };
  using Pair = std::array<int64_t, 2>;
  EXPECT_EQ(window("VALID", 1).pad_before, (Pair{0, 0}));
  EXPECT_EQ(window("SAME_UPPER", 1).pad_before, (Pair{1, 1}));
  // Height 6, stride 2: three outputs cover 7 rows, one pad. Width 7: four outputs cover 9, two
  // pads.
  EXPECT_EQ(window("SAME_UPPER", 2).pad_before, (Pair{0, 1}));
  EXPECT_EQ(window("SAME_UPPER", 2).pad_after, (Pair{1, 1}));
  EXPECT_EQ(window("SAME_LOWER", 2).pad_before, (Pair{1, 1}));
  EXPECT_EQ(window("SAME_LOWER", 2).pad_after, (Pair{0, 1}));
}

TEST(Import, PrintsEveryNode) {
  const std::string text = graph::Print(Import(Between([](auto& b) {
    b.Weights("w", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2}, 1);
    b.Node("MatMul", {"xq", "w"}, {"m"}, "product");
    b.Node("Relu", {"m"}, {"out"});
  })));
  EXPECT_EQ(text,
            "graph test\n"
            "  input %x float32[1, 4]\n"
            "  %xq_q int8[1, 4] scale 0.5 zero 3 = quantize(%x)  // xq_quantize\n"
            "  %y_q int8[1, 2] scale 0.25 zero -8 = dense(%xq_q, %w_i.2) clamp -8..127  # 8 MACs  "
            "// product\n"
            "  %y float32[1, 2] = dequantize(%y_q)  // y\n"
            "  output %y\n");
}

}  // namespace
}  // namespace tessera::import_test
