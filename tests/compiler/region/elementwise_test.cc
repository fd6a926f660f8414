// SPDX-License-Identifier: Apache-2.0
//
// Elementwise operators, the two edges of a quantised graph and fused regions against the
// definition in exact arithmetic. Space: random shapes and scales, every pair of int8 values for
// add, multiply and prelu, floats far outside the range. Not here: the window operators alone
// (contract_test.cc).
#include <gtest/gtest.h>

#include <limits>

#include "tests/compiler/region/random_graph.h"

namespace tessera::elementwise_test {
namespace {

using graph::Op;
using graph::TensorId;

class Elementwise : public ::testing::TestWithParam<int> {
 protected:
  Elementwise() : r(static_cast<uint64_t>(GetParam())) {}

  // Two inputs that run over all pairs of int8 values.
  void AllPairs(TensorId* a, TensorId* b) {
    *a = r.Int8("a", {1, 256, 16, 16}, true);
    *b = r.Int8("b", {1, 256, 16, 16}, true);
    for (size_t i = 0; i < 65536; ++i) {
      r.values[*a][i] = static_cast<uint8_t>(i);
      r.values[*b][i] = static_cast<uint8_t>(i >> 8);
    }
  }

  RandomGraph r;
};

TEST_P(Elementwise, AddIsTheRealSumRounded) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  TensorId a, b;
  AllPairs(&a, &b);
  if (GetParam() % 3 == 0) r.g.tensor(b).quant->scale = r.T(a).quant->scale;
  const TensorId y = r.Int8("y", r.T(a).shape, false);
  graph::Node n{.op = Op::kAdd, .name = "n", .inputs = {a, b}, .output = y};
  const exact::Mode mode = ModeOf(r.Round(n));
  r.g.nodes = {n};
  r.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> va = r.V(a), vb = r.V(b), out = r.V(y);
  for (size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i],
              exact::Add(va[i], r.Z(a), r.S(a), vb[i], r.Z(b), r.S(b), r.S(y), r.Z(y), mode))
        << i;
    const double real = (va[i] - r.Z(a)) * r.S(a) + (vb[i] - r.Z(b)) * r.S(b);
    const double want = std::clamp(real / r.S(y) + r.Z(y), -128.0, 127.0);
    ASSERT_LE(std::abs(out[i] - want),
              0.5 + 1e-3 / std::min(1.0, r.S(y) / std::max(r.S(a), r.S(b))))
        << i;
  }
}

TEST_P(Elementwise, MultiplyIsTheRealProductRounded) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  TensorId a, b;
  AllPairs(&a, &b);
  const TensorId y = r.Int8("y", r.T(a).shape, false);
  graph::Node n{.op = Op::kMul, .name = "n", .inputs = {a, b}, .output = y};
  r.Bounds(n);
  const exact::Mode mode = ModeOf(r.Round(n));
  r.g.nodes = {n};
  r.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> va = r.V(a), vb = r.V(b), out = r.V(y);
  const exact::Factor factor = exact::FactorOf(r.S(a) * r.S(b) / r.S(y));
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t product = int64_t{va[i] - r.Z(a)} * (vb[i] - r.Z(b));
    ASSERT_EQ(out[i], exact::Narrow(exact::Rescale(product, factor, mode), r.Z(y), n.lo, n.hi))
        << i;
  }
}

// Each half has a multiplier of its own, of factors in float32. Slopes of another tensor, and one
// for each channel.
TEST_P(Elementwise, PreluRescalesEachHalf) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const bool constant = GetParam() % 2 == 1;
  const TensorId x = r.Int8("x", {1, 256, 16, 16}, true);
  const TensorId slopes = r.Int8(
      "slopes", constant ? graph::Shape{1, 256, 1, 1} : graph::Shape{1, 256, 16, 16}, !constant);
  for (size_t i = 0; i < 65536; ++i) r.values[x][i] = static_cast<uint8_t>(i);
  std::vector<uint8_t> all;
  for (size_t i = 0; i < static_cast<size_t>(r.T(slopes).count()); ++i)
    all.push_back(static_cast<uint8_t>(constant ? i : i >> 8));
  if (constant) r.g.tensor(slopes).data = all;
  if (!constant) r.values[slopes] = all;
  const TensorId y = r.Int8("y", r.T(x).shape, false);
  graph::Node n{.op = Op::kPrelu, .name = "n", .inputs = {x, slopes}, .output = y};
  r.Bounds(n);
  const exact::Mode mode = ModeOf(r.Round(n));
  r.g.nodes = {n};
  r.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const auto in = static_cast<float>(r.S(x)), slope = static_cast<float>(r.S(slopes)),
             out = static_cast<float>(r.S(y));
  const exact::Factor above = exact::FactorOf(in / out), below = exact::FactorOf(in * slope / out);
  const std::vector<int8_t> got = r.V(y);
  for (int64_t i = 0; i < 65536; ++i) {
    const int64_t value = static_cast<int8_t>(i) - r.Z(x);
    const int64_t by = static_cast<int8_t>(i >> 8) - r.Z(slopes);
    const int64_t want =
        value < 0 ? exact::Rescale(value * by, below, mode) : exact::Rescale(value, above, mode);
    ASSERT_EQ(got[static_cast<size_t>(i)], exact::Narrow(want, r.Z(y), n.lo, n.hi)) << i;
  }
}

TEST_P(Elementwise, RescaleAndReshape) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const TensorId x = r.Int8("x", {1, 4, 8, 8}, true), y = r.Int8("y", {1, 4, 8, 8}, false),
                 z = r.Int8("z", {8, 2, 16}, false);
  for (size_t i = 0; i < 256; ++i) r.values[x][i] = static_cast<uint8_t>(i);
  r.g.tensor(z).quant = r.T(y).quant;
  graph::Node n{.op = Op::kRescale, .name = "n", .inputs = {x}, .output = y};
  r.Bounds(n);
  const exact::Mode mode = ModeOf(r.Round(n));
  r.g.nodes = {n, {.op = Op::kReshape, .name = "m", .inputs = {y}, .output = z}};
  r.g.outputs = {z};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const exact::Factor factor = exact::FactorOf(r.S(x) / r.S(y));
  const std::vector<int8_t> in = r.V(x), out = r.V(z);
  for (size_t i = 0; i < 256; ++i) {
    ASSERT_EQ(out[i],
              exact::Narrow(exact::Rescale(in[i] - r.Z(x), factor, mode), r.Z(y), n.lo, n.hi))
        << i;
  }
}

TEST_P(Elementwise, QuantizeRoundsHalfToEvenAndSaturates) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const double scale = GetParam() % 2 ? 0.25 : r.Scale();
  const TensorId x = r.g.AddTensor({"x", DType::kFloat32, {1, 600}, {}, {}}),
                 y = r.Int8("y", {1, 600}, false, scale);
  r.g.inputs = {x};
  std::vector<float> in;
  for (int i = 0; i < 590; ++i)
    in.push_back(static_cast<float>(scale) * static_cast<float>(i - 295) * 0.5f);
  for (const float far :
       {1e30f, -1e30f, INFINITY, -INFINITY, 4e9f, -4e9f, 0.0f, -0.0f, 1e-38f, 300.0f})
    in.push_back(far);
  r.values[x] = Bytes(in);
  r.g.nodes = {{.op = Op::kQuantize, .name = "n", .inputs = {x}, .output = y}};
  r.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> out = r.V(y);
  for (size_t i = 0; i < in.size(); ++i) {
    const double q = std::nearbyint(
        static_cast<double>(in[i] / static_cast<float>(scale)));  // the division is in float32
    ASSERT_EQ(out[i], std::clamp(q + r.Z(y), -128.0, 127.0)) << in[i];
  }
}

TEST_P(Elementwise, DequantizeIsOneFloatProduct) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const TensorId x = r.Int8("x", {1, 256}, true),
                 y = r.g.AddTensor({"y", DType::kFloat32, {1, 256}, {}, {}});
  r.g.nodes = {{.op = Op::kDequantize, .name = "n", .inputs = {x}, .output = y}};
  r.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> in = r.V(x);
  const std::vector<float> out = As<float>(r.values.at(y));
  for (size_t i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], static_cast<float>(in[i] - r.Z(x)) * static_cast<float>(r.S(x)));
}

// A region is worth what its nodes are worth one by one, whatever the model calls its tensors.
TEST_P(Elementwise, FusedRegionsEqualTheirNodes) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const std::vector<int64_t> shape{1, 3, 4, 4};
  const TensorId x = r.Int8("y.sum", shape, true), other = r.Int8("y.multiplier", shape, true);
  const TensorId w = r.Weights({3, 3, 1, 1});
  const TensorId y = r.Int8("y", shape, false, r.Scale(0.05, 0.5)),
                 s = r.Int8("y.bias", shape, false), t = r.Int8("y.shift", shape, false);
  r.g.nodes = {{.op = Op::kConv, .name = "conv", .inputs = {x, w}, .output = y},
               {.op = Op::kAdd, .name = "add", .inputs = {y, other}, .output = s},
               {.op = Op::kMul, .name = "mul", .inputs = {s, s}, .output = t}};
  r.g.outputs = {t};
  RandomGraph apart = r;
  apart.g.outputs = {y, s, t};  // a result that is kept does not fuse
  ASSERT_NO_FATAL_FAILURE(r.Run());
  ASSERT_NO_FATAL_FAILURE(apart.Run());
  EXPECT_EQ(graph::Fuse(r.g).size(), 1u);
  EXPECT_EQ(graph::Fuse(apart.g).size(), 3u);
  EXPECT_EQ(r.V(t), apart.V(t));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Elementwise, ::testing::Range(0, 12));

}  // namespace
}  // namespace tessera::elementwise_test
