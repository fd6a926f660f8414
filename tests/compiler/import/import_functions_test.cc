// SPDX-License-Identifier: Apache-2.0
//
// What is tested: ONNX's functions of one value between scales: which operator each becomes, with
// which attributes where the file gives them and where it does not, and the refusals. Not tested
// here: what they compute (tests/compiler/region).
#include <gtest/gtest.h>

#include "compiler/import/onnx.h"
#include "tests/compiler/import/model_builder.h"

namespace tessera::import_functions_test {
namespace {

using B = ModelBuilder;
using graph::Op;

// |type|, node "op", from xq to rq.
ModelBuilder Model(const std::string& type) {
  ModelBuilder b;
  b.Input("x", {1, 2, 4, 6});
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 3);
  b.Node(type, {"xq"}, {"r"}, "op");
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

TEST(ImportFunctions, FunctionsOfOneValue) {
  const std::pair<const char*, Op> all[] = {{"Sigmoid", Op::kSigmoid},
                                            {"Tanh", Op::kTanh},
                                            {"HardSwish", Op::kHardSwish},
                                            {"LeakyRelu", Op::kLeakyRelu},
                                            {"Log", Op::kLog},
                                            {"Sqrt", Op::kSqrt},
                                            {"Erf", Op::kErf},
                                            {"Sin", Op::kSin},
                                            {"Cos", Op::kCos},
                                            {"Tan", Op::kTan},
                                            {"Asin", Op::kAsin},
                                            {"Acos", Op::kAcos},
                                            {"Atan", Op::kAtan},
                                            {"Sinh", Op::kSinh},
                                            {"Cosh", Op::kCosh},
                                            {"Asinh", Op::kAsinh},
                                            {"Acosh", Op::kAcosh},
                                            {"Atanh", Op::kAtanh},
                                            {"Softplus", Op::kSoftplus},
                                            {"Softsign", Op::kSoftsign},
                                            {"Mish", Op::kMish}};
  for (const auto& [type, op] : all) {
    ModelBuilder b = Model(type);
    if (op == Op::kLeakyRelu) B::AttrF(b.node("op"), "alpha", 0.25f);
    const graph::Graph g = Import(b);
    const graph::Node& n = The(g, op);
    EXPECT_EQ(n.round, isa::Round::kEven);
    EXPECT_EQ(g.tensor(n.output).shape, (std::vector<int64_t>{1, 2, 4, 6}));
    EXPECT_EQ(g.tensor(n.output).quant->scale[0], 0.25);
    if (op == Op::kLeakyRelu) {
      EXPECT_EQ(n.As<graph::LeakyReluAttributes>().alpha, 0.25f);
    }
  }
}

// Attributes that a file leaves out are ONNX's own.
TEST(ImportFunctions, FunctionsWithAttributes) {
  struct Case {
    const char* type;
    Op op;
    graph::CurveAttributes usual;
    const char *first, *second;
  };
  for (const Case& c : {Case{"Elu", Op::kElu, {1, 0}, "alpha", nullptr},
                        {"Selu", Op::kSelu, {1.67326324f, 1.05070102f}, "alpha", "gamma"},
                        {"Celu", Op::kCelu, {1, 0}, "alpha", nullptr},
                        {"HardSigmoid", Op::kHardSigmoid, {0.2f, 0.5f}, "alpha", "beta"},
                        {"ThresholdedRelu", Op::kThresholdedRelu, {1, 0}, "alpha", nullptr},
                        {"Shrink", Op::kShrink, {0.5f, 0}, "lambd", "bias"}}) {
    SCOPED_TRACE(c.type);
    const graph::Graph plain = Import(Model(c.type));
    const auto& usual = The(plain, c.op).As<graph::CurveAttributes>();
    EXPECT_EQ(usual.first, c.usual.first);
    EXPECT_EQ(usual.second, c.usual.second);
    ModelBuilder b = Model(c.type);
    B::AttrF(b.node("op"), c.first, 0.25f);
    if (c.second) B::AttrF(b.node("op"), c.second, 0.75f);
    const graph::Graph given = Import(b);
    EXPECT_EQ(The(given, c.op).As<graph::CurveAttributes>().first, 0.25f);
    EXPECT_EQ(The(given, c.op).As<graph::CurveAttributes>().second, c.second ? 0.75f : 0);
  }
}

TEST(ImportFunctions, GeluIsOneOfTwo) {
  for (const auto& [how, op] : {std::pair{"none", Op::kGelu}, {"tanh", Op::kGeluTanh}}) {
    ModelBuilder b = Model("Gelu");
    B::AttrS(b.node("op"), "approximate", how);
    const graph::Graph g = Import(b);
    EXPECT_EQ(The(g, op).op, op);
  }
  const graph::Graph g = Import(Model("Gelu"));
  EXPECT_EQ(The(g, Op::kGelu).op, Op::kGelu);
}

void ExpectRefused(const ModelBuilder& b, Code code, const std::string& message) {
  const auto bad = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, code);
  EXPECT_NE(bad.error().message.find(message), std::string::npos) << bad.error().message;
}

TEST(ImportFunctions, AttributesThatNoFormulaTakesAreRefused) {
  ModelBuilder shrink = Model("Shrink"), gelu = Model("Gelu");
  B::AttrF(shrink.node("op"), "bias", -1e9f);
  ExpectRefused(shrink, Code::kInvalidArgument,
                "node 2 (Shrink 'op'): bias -1000000000; -1e6 to 1e6 are accepted");
  B::AttrS(gelu.node("op"), "approximate", "erf");
  ExpectRefused(gelu, Code::kUnsupported,
                "node 2 (Gelu 'op'): approximate is 'erf'; none and tanh are supported");
}

}  // namespace
}  // namespace tessera::import_functions_test
