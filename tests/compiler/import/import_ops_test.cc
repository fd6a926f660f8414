// SPDX-License-Identifier: Apache-2.0
//
// Imported models compute what ONNX says: uint8 like int8, 1-D like 2-D, MatMul like Gemm, dense
// layers rewritten to windows, against loops in real numbers. Scales are powers of two and results
// fit, so real arithmetic is exact and equality is too. Not here: rounding (tests/compiler/region).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "compiler/graph/passes.h"
#include "compiler/import/onnx.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/graph_eval.h"
#include "tests/compiler/import/model_builder.h"

namespace tessera::import_ops_test {
namespace {

using B = ModelBuilder;
using Floats = std::vector<float>;

Floats Infer(const ModelBuilder& b, const Floats& x, bool simplify = false) {
  auto g = ImportOnnx(b.Bytes(), "m.onnx");
  EXPECT_TRUE(g) << g.error().message;
  if (!g) return {};
  if (simplify) graph::Simplify(*g);
  EXPECT_TRUE(graph::Verify(*g)) << graph::Verify(*g).error().message;
  EXPECT_TRUE(quantize::AttachRequant(*g));
  TensorBytes values;
  values[g->inputs[0]] = Bytes(x);
  RunRegions(*g, values);
  return As<float>(values.at(g->outputs[0]));
}

// Multiples of 1/2 from -4 to 4: exact in int8 with scale 0.5.
Floats Halves(Rng& rng, size_t n) {
  Floats x;
  for (size_t i = 0; i < n; ++i) x.push_back(static_cast<float>(rng.Range(-8, 8)) / 2);
  return x;
}
std::vector<int> Small(Rng& rng, size_t n) {
  std::vector<int> values;
  for (size_t i = 0; i < n; ++i) values.push_back(static_cast<int>(rng.Range(-3, 3)));
  return values;
}

class ImportOps : public ::testing::TestWithParam<int> {
 protected:
  ImportOps() : rng(static_cast<uint64_t>(GetParam())) {}
  Rng rng;
};

// What a result quantised with scale 2 and zero point 5 reads as.
float OnGrid(double real) {
  return static_cast<float>(std::clamp(std::nearbyint(real / 2) + 5, -128.0, 127.0) - 5) * 2;
}

TEST_P(ImportOps, OneDimensionalConvolution) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const std::vector<int> w = Small(rng, 3 * 2 * 3), bias = Small(rng, 3);
  const Floats x = Halves(rng, 2 * 9);
  for (const bool uint8 : {false, true}) {
    ModelBuilder b;
    b.uint8 = uint8;
    b.Input("x", {1, 2, 9});
    b.Output("y");
    b.Qdq("x", "xq", 0.5f, -7);
    b.Weights("w", {3, 2, 3}, w, {0.25f, 0.5f, 1});
    b.Bias("b", bias, {0.125f, 0.25f, 0.5f});
    onnx::NodeProto& n = b.Node("Conv", {"xq", "w", "b"}, {"c"});
    B::Attr(n, "pads", B::Dims{1, 2});
    B::Attr(n, "strides", B::Dims{2});
    b.Node("Relu", {"c"}, {"r"});
    b.Qdq("r", "y", 2, 5);
    const Floats out = Infer(b, x);
    ASSERT_EQ(out.size(), 15u);
    const double scales[] = {0.25, 0.5, 1};
    for (int c = 0; c < 3; ++c) {
      for (int o = 0; o < 5; ++o) {
        double sum = bias[static_cast<size_t>(c)] * 0.5 * scales[c];
        for (int i = 0; i < 2; ++i) {
          for (int k = 0; k < 3; ++k) {
            const int at = 2 * o - 1 + k;
            if (at >= 0 && at < 9)
              sum += x[static_cast<size_t>(i * 9 + at)] *
                     w[static_cast<size_t>((c * 2 + i) * 3 + k)] * scales[c];
          }
        }
        EXPECT_EQ(out[static_cast<size_t>(c * 5 + o)], OnGrid(std::max(sum, 0.0)))
            << c << " " << o << " uint8 " << uint8;
      }
    }
  }
}

TEST_P(ImportOps, MatMulAndGemmAreTheSameProduct) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const std::vector<int> w = Small(rng, 6 * 4);  // [O = 4, I = 6]
  const Floats x = Halves(rng, 6), scales{0.25f, 0.5f, 1, 2};
  std::vector<int> turned(24);
  for (size_t o = 0; o < 4; ++o) {
    for (size_t i = 0; i < 6; ++i) turned[i * 4 + o] = w[o * 6 + i];
  }
  std::vector<Floats> outs;
  for (const std::string form : {"MatMul", "Gemm", "GemmTransposed", "FloatBias"}) {
    ModelBuilder b;
    b.Input("x", {1, 6});
    b.Output("y");
    b.Qdq("x", "xq", 0.5f, 1);
    if (form == "GemmTransposed") {
      b.Weights("w", {4, 6}, w, scales, 0);
      B::Attr(b.Node("Gemm", {"xq", "w"}, {"g"}), "transB", int64_t{1});
    } else {
      b.Weights("w", {6, 4}, turned, scales, form == "Gemm" ? -1 : 1);
      b.Node(form == "MatMul" ? "MatMul" : "Gemm", {"xq", "w"}, {"g"});
    }
    if (form == "FloatBias") {
      b.Floats("bias", {4}, {0, 0, 0, 0});
      b.graph().mutable_node(b.graph().node_size() - 1)->add_input("bias");
    }
    b.Qdq("g", "y", 2, 5);
    outs.push_back(Infer(b, x));
    ASSERT_EQ(outs.back().size(), 4u) << form;
    for (size_t o = 0; o < 4; ++o) {
      double sum = 0;
      for (size_t i = 0; i < 6; ++i) sum += x[i] * w[o * 6 + i] * scales[o];
      EXPECT_EQ(outs.back()[o], OnGrid(sum)) << form << " " << o;
    }
  }
}

TEST_P(ImportOps, AFloatBiasIsRoundedToItsUnit) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  ModelBuilder b;
  b.Input("x", {1, 1});
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 0);
  b.Weights("w", {1, 2}, {1, 1}, {0.25f});
  b.Floats("bias", {2}, {8.05f, -3.99f});  // in steps of 0.125: 64.4 and -31.92
  b.Node("Gemm", {"xq", "w", "bias"}, {"g"});
  b.Qdq("g", "y", 0.125f, 0);
  EXPECT_EQ(Infer(b, {0}), (Floats{8, -4}));
}

// image [1, 2, 3, 3] -> flatten -> Gemm: with and without the rewriting to a window.
TEST_P(ImportOps, DenseBehindAReshapeIsAWindow) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  ModelBuilder b;
  b.Input("x", {1, 2, 3, 3});
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 9);
  b.Node("Flatten", {"xq"}, {"f"});
  b.Weights("w", {5, 18}, Small(rng, 90), {0.25f, 0.5f, 1, 2, 4});
  B::Attr(b.Node("Gemm", {"f", "w"}, {"g"}), "transB", int64_t{1});
  b.Qdq("g", "y", 2, 5);
  const Floats x = Halves(rng, 18);
  auto g = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_TRUE(g);
  graph::Simplify(*g);
  ASSERT_EQ(g->nodes.size(), 4u);
  EXPECT_EQ(g->nodes[1].op, graph::Op::kConv);
  EXPECT_EQ(g->nodes[1].As<graph::ConvAttributes>().window.kernel, (std::array<int64_t, 2>{3, 3}));
  EXPECT_EQ(Infer(b, x, true), Infer(b, x, false));
}

// A reshape that makes rows of an image is not a flattening: the product stays what it is.
TEST_P(ImportOps, DenseOverRowsStays) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  ModelBuilder b;
  b.Input("x", {1, 2, 3, 3});
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 9);
  b.Int64s("rows", {2}, {2, 9});
  b.Node("Reshape", {"xq", "rows"}, {"f"});
  const std::vector<int> w = Small(rng, 36);
  b.Weights("w", {4, 9}, w, {0.25f});
  B::Attr(b.Node("Gemm", {"f", "w"}, {"g"}), "transB", int64_t{1});
  b.Qdq("g", "y", 2, 5);
  const Floats x = Halves(rng, 18), out = Infer(b, x, true);
  ASSERT_EQ(out.size(), 8u);
  for (size_t row = 0; row < 2; ++row) {
    for (size_t o = 0; o < 4; ++o) {
      double sum = 0;
      for (size_t i = 0; i < 9; ++i) sum += x[row * 9 + i] * w[o * 9 + i] * 0.25;
      EXPECT_EQ(out[row * 4 + o], OnGrid(sum));
    }
  }
}

TEST_P(ImportOps, PoolsAndResiduals) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const Floats x = Halves(rng, 2 * 4 * 4);
  std::vector<Floats> outs;
  for (const bool uint8 : {false, true}) {
    ModelBuilder b;
    b.uint8 = uint8;
    b.Input("x", {-1, 2, 4, 4});
    b.Output("y");
    b.Qdq("x", "xq", 0.5f, 9);
    B::Attr(b.Node("MaxPool", {"xq"}, {"m"}), "kernel_shape", B::Dims{2, 2});
    b.Qdq("m", "mq", 0.25f, -20);
    B::Attr(b.Node("AveragePool", {"xq"}, {"a"}), "kernel_shape", B::Dims{2, 2});
    b.Qdq("a", "aq", 0.125f, 3);
    b.Node("Add", {"mq", "aq"}, {"s"});
    b.Qdq("s", "sq", 0.125f, 0);
    b.Node("GlobalAveragePool", {"sq"}, {"p"});
    b.Qdq("p", "y", 2, 5);
    outs.push_back(Infer(b, x));
    ASSERT_EQ(outs.back().size(), 2u);
    for (size_t c = 0; c < 2; ++c) {
      double total = 0;
      for (size_t i = 0; i < 9; ++i) {
        const size_t at = c * 16 + i / 3 * 4 + i % 3;
        const float window[] = {x[at], x[at + 1], x[at + 4], x[at + 5]};
        total += *std::max_element(window, window + 4) +
                 (window[0] + window[1] + window[2] + window[3]) / 4;
      }
      EXPECT_EQ(outs.back()[c], OnGrid(total / 9)) << c;
    }
  }
  EXPECT_EQ(outs[0], outs[1]);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ImportOps, ::testing::Range(0, 10));

}  // namespace
}  // namespace tessera::import_ops_test
