// SPDX-License-Identifier: Apache-2.0
//
// TFLite's own rules for multipliers: the average pool's exact division (every count from 1 to 256,
// every sum), the mean's division in fixed point, the float32 product of a fully connected layer's
// scales, softmax's scaling. Expected values come from whole-number arithmetic written here. Not
// here: that bodies use them (tests/compiler/region).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/rng.h"
#include "compiler/quantize/params.h"

namespace tessera::quantize::tflite_rules_test {
namespace {

using graph::Graph;
using graph::Op;
using graph::Quant;
using graph::TensorId;

TensorId Int8(Graph& g, std::vector<int64_t> shape, double scale, int32_t zero) {
  return g.AddTensor({.name = "t", .shape = std::move(shape), .quant = Quant{{scale}, {zero}, -1}});
}

// |real| = m * 2^(shift - 31) to the nearest m of 31 bits, halves away from zero.
struct Factor {
  int64_t m;
  int shift;
};
Factor FactorOf(double real) {
  Factor f{0, 0};
  const double fraction = std::frexp(real, &f.shift);
  f.m = static_cast<int64_t>(fraction * 2147483648.0 + 0.5);
  if (f.m == int64_t{1} << 31) f.m >>= 1, ++f.shift;
  return f;
}

TEST(TfliteRules, AveragePoolDividesEverySumExactly) {
  for (int64_t n = 1; n <= 256; ++n) {
    Graph g;
    const TensorId x = Int8(g, {1, 1, 1, n}, 0.5, 7), y = Int8(g, {1, 1, 1, 1}, 0.5, 7);
    graph::Node node{
        .op = Op::kAvgPool, .name = "n", .inputs = {x}, .output = y, .round = isa::Round::kTflite};
    node.attributes = graph::PoolAttributes{{.kernel = {1, n}}};
    g.nodes = {node};
    ASSERT_TRUE(AttachRequant(g)) << n;
    const graph::Requant& q = *g.nodes[0].requant;
    ASSERT_EQ(q.bias, std::vector<int32_t>{0});
    ASSERT_EQ(q.out_zero, 0);
    ASSERT_GE(q.shift[0], 0);
    int64_t wrong = 0;
    for (int64_t sum = -128 * n; sum <= 127 * n; ++sum) {
      const std::div_t halves =
          std::div(static_cast<int>(2 * std::llabs(sum) + n), static_cast<int>(2 * n));
      const int64_t want = sum < 0 ? -halves.quot : halves.quot;
      const int64_t shifted = sum * (int64_t{1} << q.shift[0]);
      ASSERT_LE(std::llabs(shifted), INT32_MAX) << n;
      const __int128 product = static_cast<__int128>(shifted) * q.multiplier[0] + (1 << 30);
      wrong += static_cast<int64_t>(product >> 31) != want;
    }
    EXPECT_EQ(wrong, 0) << "count " << n;
  }
}

TEST(TfliteRules, MeanDividesItsMultiplierByTheCount) {
  Rng rng(5);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const int64_t h = rng.Range(1, 25), w = rng.Range(1, 25), n = h * w;
    const double in = static_cast<float>(0.001 + rng.Unit()),
                 out = static_cast<float>(0.001 + rng.Unit());
    const auto zero = static_cast<int32_t>(rng.Range(-128, 127));
    Graph g;
    const TensorId x = Int8(g, {1, 3, h, w}, in, zero), y = Int8(g, {1, 3, 1, 1}, out, -5);
    g.nodes = {
        {.op = Op::kMean, .name = "n", .inputs = {x}, .output = y, .round = isa::Round::kTflite}};
    const Status attached = AttachRequant(g);
    const Factor f = FactorOf(in / out);
    int bits = 0;  // of the count, less one
    while (n >> (bits + 1) != 0) ++bits;
    if (!attached) {  // factors that large leave 32 bits
      EXPECT_GT(255.0 * static_cast<double>(n) * std::ldexp(1.0, std::max(f.shift - bits, 0)),
                2147483647.0)
          << attached.error().message;
      continue;
    }
    const graph::Requant& q = *g.nodes[0].requant;
    EXPECT_EQ(q.multiplier[0], (f.m << bits) / n);
    EXPECT_EQ(q.shift[0], f.shift - bits);
    EXPECT_EQ(q.bias[0], -zero * n);
    EXPECT_EQ(q.out_zero, -5);
  }
}

// Scales whose product in float32 is another one than in double, far enough to give another
// multiplier.
TEST(TfliteRules, DenseMultipliesOneScaleInFloat32) {
  Rng rng(9);
  int differ = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const float in = static_cast<float>(0.01 + 0.1 * rng.Unit()),
                weight = static_cast<float>(0.001 + 0.01 * rng.Unit()),
                out = static_cast<float>(0.1 + rng.Unit());
    const float product = in * weight;
    const Factor narrow = FactorOf(static_cast<double>(product) / static_cast<double>(out));
    const Factor wide =
        FactorOf(static_cast<double>(in) * static_cast<double>(weight) / static_cast<double>(out));
    differ += narrow.m != wide.m;
    const auto multiplier = [&](isa::Round mode, size_t scales) {
      Graph g;
      const TensorId x = Int8(g, {1, 2}, in, 0), y = Int8(g, {1, 2}, out, 0);
      graph::GraphTensor w{.name = "w",
                           .shape = {2, 2},
                           .quant = Quant{std::vector<double>(scales, weight),
                                          std::vector<int32_t>(scales), scales > 1 ? 0 : -1}};
      w.data = std::vector<uint8_t>{1, 2, 3, 4};
      g.nodes = {{.op = Op::kDense,
                  .name = "n",
                  .inputs = {x, g.AddTensor(w)},
                  .output = y,
                  .round = mode}};
      EXPECT_TRUE(AttachRequant(g));
      return g.nodes[0].requant->multiplier[0];
    };
    EXPECT_EQ(multiplier(isa::Round::kTflite, 1), narrow.m);
    EXPECT_EQ(multiplier(isa::Round::kTflite, 2), wide.m) << "per channel the product is in double";
    EXPECT_EQ(multiplier(isa::Round::kEven, 1), wide.m) << "ONNX multiplies in double";
  }
  EXPECT_GT(differ, 100) << "the scales do not tell the rules apart";
}

TEST(TfliteRules, SoftmaxScalesDifferencesToQ5_26) {
  for (const auto& [scale, beta] :
       {std::pair{0.1446925103664398, 1.0}, {0.5, 1.0}, {0.0001, 2.5}, {3.0, 0.25}}) {
    SCOPED_TRACE(scale);
    Graph g;
    const TensorId x = Int8(g, {1, 4}, scale, 3), y = Int8(g, {1, 4}, 1.0 / 256, -128);
    g.nodes = {{.op = Op::kSoftmax,
                .name = "n",
                .inputs = {x},
                .output = y,
                .attributes = graph::SoftmaxAttributes{beta}}};
    ASSERT_TRUE(AttachRequant(g));
    const graph::Requant& q = *g.nodes[0].requant;
    const double factor = std::ldexp(static_cast<double>(q.multiplier[0]), q.shift[0] - 31);
    EXPECT_NEAR(factor / (scale * beta * (1 << 26)), 1.0, 1e-9);
    // The least difference that counts stays inside five integer bits, one more would leave them.
    EXPECT_LE(-q.bias[0], std::ldexp(31.0, 26 - q.shift[0]));
    EXPECT_GT(-q.bias[0] + 1, std::ldexp(31.0, 26 - q.shift[0]));
  }
  Graph g;
  const TensorId x = Int8(g, {1, 4}, 1e-9, 0), y = Int8(g, {1, 4}, 1.0 / 256, -128);
  g.nodes = {{.op = Op::kSoftmax, .name = "flat", .inputs = {x}, .output = y}};
  const Status refused = AttachRequant(g);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kOutOfRange);
  EXPECT_NE(refused.error().message.find("flat"), std::string::npos);
}

}  // namespace
}  // namespace tessera::quantize::tflite_rules_test
