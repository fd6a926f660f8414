// SPDX-License-Identifier: Apache-2.0
//
// What AttachRequant gives each kind of node: folded biases, multipliers, add operands; and what it
// refuses. Numbers are worked out by hand. Not here: that the results compute the right values
// (tests/compiler/region).
#include "compiler/quantize/params.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera::quantize::params_test {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Quant;
using graph::TensorId;

TensorId Int8(Graph& g, std::vector<int64_t> shape, double scale, int32_t zero) {
  return g.AddTensor({"t", DType::kInt8, std::move(shape), Quant{{scale}, {zero}, -1}, {}});
}
TensorId Weights(Graph& g, std::vector<int64_t> shape, const std::vector<int8_t>& values,
                 std::vector<double> scales) {
  const size_t n = scales.size();
  return g.AddTensor({"w", DType::kInt8, std::move(shape),
                      Quant{std::move(scales), std::vector<int32_t>(n), n > 1 ? 0 : -1},
                      std::vector<uint8_t>(values.begin(), values.end())});
}
TensorId Bias(Graph& g, const std::vector<int32_t>& values) {
  const uint8_t* begin = reinterpret_cast<const uint8_t*>(values.data());
  return g.AddTensor({"b",
                      DType::kInt32,
                      {static_cast<int64_t>(values.size())},
                      {},
                      std::vector<uint8_t>(begin, begin + 4 * values.size())});
}

TEST(Params, DenseFoldsTheZeroPointIntoTheBias) {
  Graph g;
  const TensorId x = Int8(g, {1, 3}, 0.5, -3),
                 w = Weights(g, {2, 3}, {1, 2, 3, -4, 5, -6}, {0.25, 0.5}), b = Bias(g, {100, -7});
  const TensorId y = Int8(g, {1, 2}, 0.25, 11);
  g.nodes = {{.op = Op::kDense,
              .name = "n",
              .inputs = {x, w, b},
              .output = y,
              .lo = -20,
              .hi = 30,
              .round = isa::Round::kTflite}};
  ASSERT_TRUE(AttachRequant(g));
  const graph::Requant& q = *g.nodes[0].requant;
  EXPECT_EQ(q.bias, (std::vector<int32_t>{100 + 3 * 6, -7 + 3 * -5}));
  EXPECT_EQ(q.multiplier, (std::vector<int32_t>{1 << 30, 1 << 30}));  // 0.5 and 1
  EXPECT_EQ(q.shift, (std::vector<int8_t>{0, 1}));
  EXPECT_EQ(q.round, isa::Round::kTflite);
  EXPECT_EQ(q.out_zero, 11);
  EXPECT_EQ(q.lo, -20);
  EXPECT_EQ(q.hi, 30);
}

TEST(Params, OneWeightScaleServesAllChannels) {
  Graph g;
  const TensorId x = Int8(g, {1, 1, 1, 1}, 1, 0), w = Weights(g, {3, 1, 1, 1}, {1, 1, 1}, {0.75}),
                 y = Int8(g, {1, 3, 1, 1}, 1, 0);
  g.nodes = {{.op = Op::kConv, .name = "n", .inputs = {x, w}, .output = y}};
  ASSERT_TRUE(AttachRequant(g));
  EXPECT_EQ(g.nodes[0].requant->multiplier, (std::vector<int32_t>(3, 3 << 29)));
  EXPECT_EQ(g.nodes[0].requant->bias, (std::vector<int32_t>(3, 0)));
}

TEST(Params, FoldedBiasesWrapModulo32Bits) {
  Graph g;
  const TensorId x = Int8(g, {1, 1}, 0.001, -128), w = Weights(g, {1, 1}, {127}, {0.001}),
                 b = Bias(g, {0x7fffffff});
  const TensorId y = Int8(g, {1, 1}, 1, 0);
  g.nodes = {{.op = Op::kDense,
              .name = "n",
              .inputs = {x, w, b},
              .output = y,
              .round = isa::Round::kTflite}};
  ASSERT_TRUE(AttachRequant(g));
  EXPECT_EQ(g.nodes[0].requant->bias[0], static_cast<int32_t>(0x7fffffffu + 128u * 127u));
}

// More weights in a channel than an int32 sum of int16 holds: 70,000 of 127 and one of -128.
TEST(Params, LongChannelsFoldExactly) {
  constexpr int64_t kTaps = 70'001;
  Graph g;
  std::vector<int8_t> weights(kTaps, 127);
  weights.back() = -128;
  const TensorId x = Int8(g, {1, kTaps}, 0.001, -5), w = Weights(g, {1, kTaps}, weights, {0.001}),
                 y = Int8(g, {1, 1}, 1, 0);
  g.nodes = {{.op = Op::kDense, .name = "n", .inputs = {x, w}, .output = y}};
  ASSERT_TRUE(AttachRequant(g));
  EXPECT_EQ(g.nodes[0].requant->bias[0], 5 * (70'000 * 127 - 128));
}

// Inputs q - 3 are -131 to 124; with weights 2 and -1 sums reach 2 * -131 - 124 = -386 and
// 2 * 124 + 131 = 379.
TEST(Params, OnnxSumsThatCanLeaveInt32AreRefused) {
  const auto attach = [](int32_t bias) {
    Graph g;
    const TensorId x = Int8(g, {1, 2}, 0.001, 3), w = Weights(g, {2, 2}, {0, 0, 2, -1}, {0.001}),
                   b = Bias(g, {INT32_MAX, bias}), y = Int8(g, {1, 2}, 1, 0);
    g.nodes = {{.op = Op::kDense, .name = "n", .inputs = {x, w, b}, .output = y}};
    const Status status = AttachRequant(g);
    return status ? "accepted" : status.error().message;
  };
  EXPECT_EQ(attach(INT32_MAX - 379), "accepted");
  EXPECT_EQ(attach(INT32_MAX - 378),
            "node n channel 1: with a bias of 2147483269 its sum can reach 2147483648, int32 ends "
            "at 2147483647; quantise the channel's weights with a larger scale");
  EXPECT_EQ(attach(INT32_MIN + 386), "accepted");
  EXPECT_EQ(attach(INT32_MIN + 385),
            "node n channel 1: with a bias of -2147483263 its sum can reach -2147483649, int32 "
            "ends at -2147483648; quantise the channel's weights with a larger scale");
}

TEST(Params, AddAlignsToTwiceTheLargerScale) {
  Graph g;
  const TensorId a = Int8(g, {1, 4}, 0.5, 3), b = Int8(g, {1, 4}, 0.125, -4),
                 y = Int8(g, {1, 4}, 1, 0);
  g.nodes = {{.op = Op::kAdd, .name = "n", .inputs = {a, b}, .output = y}};
  ASSERT_TRUE(AttachRequant(g));
  const auto& in = g.nodes[0].requant->operands;
  EXPECT_EQ(in[0].multiplier, 1 << 30);
  EXPECT_EQ(in[0].shift, 0);
  EXPECT_EQ(in[0].zero, 3);
  EXPECT_EQ(in[1].multiplier, 1 << 30);
  EXPECT_EQ(in[1].shift, -2);  // an eighth
  EXPECT_EQ(in[1].zero, -4);
  EXPECT_EQ(in[0].left, 20);
  EXPECT_EQ(g.nodes[0].requant->multiplier[0], 1 << 30);  // 1 / 2^20
  EXPECT_EQ(g.nodes[0].requant->shift[0], -19);
}

TEST(Params, EdgesOfTheQuantisedPartGetNothing) {
  Graph g;
  const TensorId x = g.AddTensor({"x", DType::kFloat32, {1}, {}, {}}), q = Int8(g, {1}, 1, 0),
                 m = Int8(g, {1, 1, 1, 1}, 1, 0);
  g.nodes = {{.op = Op::kQuantize, .name = "q", .inputs = {x}, .output = q},
             {.op = Op::kMaxPool, .name = "m", .inputs = {m}, .output = m}};
  ASSERT_TRUE(AttachRequant(g));
  EXPECT_FALSE(g.nodes[0].requant);
  EXPECT_FALSE(g.nodes[1].requant);
}

// The error of |node| over x -> y.
std::string ErrorOf(Graph& g, Node node) {
  node.name = "n";
  g.nodes = {node};
  const Status status = AttachRequant(g);
  if (status) return "accepted";
  EXPECT_EQ(status.error().code, Code::kOutOfRange);
  return status.error().message;
}

TEST(Params, FactorsThatDoNotFitAreRefused) {
  Graph g;
  const TensorId x = Int8(g, {1, 1}, 1e9, 0), y = Int8(g, {1, 1}, 1e-9, 0);
  const TensorId w = Weights(g, {2, 1}, {1, 1}, {1e-9, 1}), two = Int8(g, {1, 2}, 1e-9, 0);
  EXPECT_NE(ErrorOf(g, {.op = Op::kRescale, .inputs = {x}, .output = y})
                .find("node n channel 0: requantisation factor"),
            std::string::npos);
  EXPECT_NE(ErrorOf(g, {.op = Op::kDense, .inputs = {x, w}, .output = two})
                .find("node n channel 0: sums"),
            std::string::npos);
}

TEST(Params, LeftShiftsThatDropBitsAreRefused) {
  // 255 << 23 still fits 31 bits, 255 << 24 does not: factors of 2^22 and 2^23.
  Graph g;
  const TensorId x = Int8(g, {1, 1}, 1, 0), fits = Int8(g, {1, 1}, std::ldexp(1.0, -22), 0),
                 not_fits = Int8(g, {1, 1}, std::ldexp(1.0, -23), 0);
  EXPECT_EQ(ErrorOf(g, {.op = Op::kRescale, .inputs = {x}, .output = fits}), "accepted");
  EXPECT_NE(ErrorOf(g, {.op = Op::kRescale, .inputs = {x}, .output = not_fits})
                .find("sums up to 255 times 8388608 leave 32 bits"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(g, {.op = Op::kMul, .inputs = {x, x}, .output = not_fits}).find("sums up to 65025"),
      std::string::npos);
  EXPECT_NE(
      ErrorOf(g, {.op = Op::kAdd, .inputs = {x, x}, .output = not_fits}).find("leave 32 bits"),
      std::string::npos);
  const TensorId w = Weights(g, {1, 1}, {100}, {1});
  EXPECT_NE(
      ErrorOf(g, {.op = Op::kDense, .inputs = {x, w}, .output = not_fits}).find("sums up to 12800"),
      std::string::npos);
  const TensorId image = Int8(g, {1, 1, 2, 2}, 1, 0);
  EXPECT_NE(ErrorOf(g, {.op = Op::kAvgPool,
                        .inputs = {image},
                        .output = not_fits,
                        .attributes = graph::PoolAttributes{{.kernel = {2, 2}}}})
                .find("sums up to 1020"),
            std::string::npos);
}

TensorId Int16(Graph& g, std::vector<int64_t> shape, double scale) {
  return g.AddTensor({"t", DType::kInt16, std::move(shape), Quant{{scale}, {0}, -1}, {}});
}

// Sums of int64 take a factor below 128; of int32 what leaves 31 bits is refused as of int8.
TEST(Params, SumsOfInt16) {
  Graph g;
  const TensorId x = Int16(g, {1, 1}, 1), fits = Int16(g, {1, 1}, 1.0 / 127),
                 not_fits = Int16(g, {1, 1}, 1.0 / 128);
  const TensorId w = Weights(g, {1, 1}, {100}, {1});
  const TensorId wide = g.AddTensor({"b", DType::kInt64, {1}, {}, std::vector<uint8_t>(8)});
  EXPECT_EQ(ErrorOf(g, {.op = Op::kDense, .inputs = {x, w, wide}, .output = fits}), "accepted");
  EXPECT_NE(ErrorOf(g, {.op = Op::kDense, .inputs = {x, w, wide}, .output = not_fits})
                .find("node n channel 0: a factor of 128, sums of int64 take less than 128"),
            std::string::npos);
  EXPECT_EQ(ErrorOf(g, {.op = Op::kDense, .inputs = {x, w}, .output = fits}), "accepted");
  const TensorId far = Int16(g, {1, 1}, 1.0 / 4096);
  EXPECT_NE(ErrorOf(g, {.op = Op::kDense, .inputs = {x, w}, .output = far})
                .find("sums up to 3276800 times 4096 leave 32 bits"),
            std::string::npos);
}

TEST(Params, ShiftedSumsKeepOneOperand) {
  Graph g;
  const TensorId a = Int16(g, {1, 1}, 0.25), b = Int16(g, {1, 1}, 0.125), c = Int16(g, {1, 1}, 0.5);
  const graph::Attributes shifted = graph::SumAttributes{.shifted = true};
  EXPECT_EQ(ErrorOf(g, {.op = Op::kAdd, .inputs = {b, a}, .output = a, .attributes = shifted}),
            "accepted");
  EXPECT_NE(ErrorOf(g, {.op = Op::kAdd, .inputs = {a, b}, .output = c, .attributes = shifted})
                .find("node n: operand 1 has 0.25 times the result's scale"),
            std::string::npos);
  EXPECT_NE(ErrorOf(g, {.op = Op::kAdd, .inputs = {c, a}, .output = a, .attributes = shifted})
                .find("node n: operand 0 has 2 times the result's scale"),
            std::string::npos);
}

TEST(Params, ProductsOfMatricesOfInt16AreRefused) {
  Graph g;
  const TensorId x = Int16(g, {1, 1}, 1), y = Int16(g, {1, 1}, 1);
  g.nodes = {{.op = Op::kMatMul, .name = "n", .inputs = {x, x}, .output = y}};
  const Status status = AttachRequant(g);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("a product of int16 with a scale, int8 is supported"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::quantize::params_test
