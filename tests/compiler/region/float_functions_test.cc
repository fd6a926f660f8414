// SPDX-License-Identifier: Apache-2.0
//
// Functions of one value on float32 and float16, and powers and remainders of two. What is tested:
// values against the C library's functions of double, within 1e-5 of the result and one rounding to
// the result's type; and that definition, interpreter and host code of every level have the same
// bits. Space: both types, values of each function's domain, its ends, NaN and infinity. Not here:
// integers (lookup_test), all exponents (tests/compiler/ir, functions_test).
#include <algorithm>
#include <functional>

#include "tests/compiler/region/float_graph.h"

namespace tessera::float_functions_test {
namespace {

using graph::Op;
using graph::TensorId;

struct FunctionCase {
  Op op;
  std::function<double(double)> want;
  double least = -4, most = 4;  // of its domain
  double error = 0;             // besides 1e-5 of the result
  graph::Attributes attributes = {};
};

double SoftplusOf(double x) { return std::log1p(std::exp(x)); }

std::vector<FunctionCase> Cases() {
  using D = double (*)(double);
  const graph::CurveAttributes curve{0.75f, 0.5f};
  const double inf = INFINITY;
  return {
      {Op::kAbs, [](double x) { return std::abs(x); }, -inf, inf},
      {Op::kNeg, [](double x) { return -x; }, -inf, inf},
      {Op::kSquare, [](double x) { return x * x; }},
      {Op::kSign, [](double x) { return x > 0   ? 1.0
                                        : x < 0 ? -1.0
                                                : 0.0; }, -inf, inf},
      {Op::kExp, D(std::exp), -10, 10},
      {Op::kLog, D(std::log), 0, inf},
      {Op::kSqrt, D(std::sqrt), 0, inf},
      {Op::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, 1e-3, 60000},
      {Op::kFloor, D(std::floor), -inf, inf},
      {Op::kCeil, D(std::ceil), -inf, inf},
      {Op::kRound, D(std::nearbyint), -inf, inf},
      {Op::kReciprocal, [](double x) { return 1 / x; }, 0.01, 60000},
      {Op::kErf, D(std::erf), -inf, inf},
      {Op::kSin, D(std::sin), -30000, 30000},
      {Op::kCos, D(std::cos), -30000, 30000},
      {Op::kTan, D(std::tan), -1.5, 1.5},
      {Op::kAsin, D(std::asin), -1, 1},
      {Op::kAcos, D(std::acos), -1, 1},
      {Op::kAtan, D(std::atan), -inf, inf},
      {Op::kSinh, D(std::sinh), -10, 10},
      {Op::kCosh, D(std::cosh), -10, 10},
      {Op::kAsinh, D(std::asinh), -inf, inf},
      {Op::kAcosh, D(std::acosh), 1, inf},
      {Op::kAtanh, D(std::atanh), -1, 1},
      {Op::kGelu, [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; }, -30, 30, 1e-6},
      {Op::kGeluTanh,
       [](double x) {
         const double z = std::sqrt(8 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
         return x / (1 + std::exp(-z));
       },
       -30, 30, 1e-6},
      {Op::kSoftplus, SoftplusOf, -30, 30},
      {Op::kSoftsign, [](double x) { return x / (1 + std::abs(x)); }, -30, 30},
      {Op::kMish, [](double x) { return x * std::tanh(SoftplusOf(x)); }, -30, 30},
      {Op::kElu, [](double x) { return x < 0 ? 0.75 * std::expm1(x) : x; }, -inf, inf, 0, curve},
      {Op::kSelu, [](double x) { return 0.5 * (x < 0 ? 0.75 * std::expm1(x) : x); }, -inf, inf, 0,
       curve},
      {Op::kCelu, [](double x) { return x < 0 ? 0.75 * std::expm1(x / 0.75) : x; }, -inf, inf, 0,
       curve},
      {Op::kHardSigmoid, [](double x) { return std::clamp(0.75 * x + 0.5, 0.0, 1.0); }, -inf, inf,
       1e-6, curve},
      {Op::kThresholdedRelu, [](double x) { return x > 0.75 ? x : 0; }, -inf, inf, 0, curve},
      {Op::kShrink, [](double x) { return x < -0.75  ? x + 0.5
                                          : x > 0.75 ? x - 0.5
                                                     : 0; }, -inf,
       inf, 0, curve},
  };
}

class FloatFunctions : public ::testing::TestWithParam<std::tuple<DType, size_t>> {};

TEST_P(FloatFunctions, AreThoseOfTheCLibrary) {
  const auto& [dtype, index] = GetParam();
  const FunctionCase c = Cases()[index];
  SCOPED_TRACE(graph::Text(c.op));
  FloatGraph own(17, dtype);
  const TensorId x = own.Input({4, 57});
  ir::Array in(dtype, own.values[x]);
  const double least = std::max(c.least, -60.0), most = std::min(c.most, 60.0);
  for (int64_t i = 0; i < in.size(); ++i)
    in.SetFloat(i, static_cast<float>(least + (most - least) * own.rng.Unit()));
  const double edges[] = {0.0, -0.0, 1e-3, 0.75, -0.75, c.least, c.most, 0.5, -0.5, 1, -1};
  for (int64_t i = 0; i < std::ssize(edges); ++i) {
    const double edge = std::clamp(edges[i], c.least, c.most);
    in.SetFloat(i, static_cast<float>(edge));
  }
  in.SetFloat(20, std::nanf(""));
  own.values[x] = in.bytes();
  const TensorId y = own.Add({.op = c.op, .inputs = {x}, .attributes = c.attributes}, {4, 57});
  ASSERT_NO_FATAL_FAILURE(own.Run());
  const std::vector<double> vx = own.V(x), vy = own.V(y);
  for (size_t k = 0; k < vx.size(); ++k) {
    const double want = c.want(vx[k]);
    SCOPED_TRACE(testing::Message() << "of " << vx[k] << ": " << vy[k]);
    if (std::isnan(vx[k])) {
      // A choice by comparison gives something.
      EXPECT_TRUE(std::isnan(vy[k]) || c.op == Op::kSign || c.op == Op::kShrink);
    } else if (std::isinf(want)) {
      EXPECT_EQ(vy[k], want);
    } else {
      EXPECT_LE(std::abs(vy[k] - want), own.Bound(want, std::abs(want) * 1e-5 + c.error));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, FloatFunctions,
                         ::testing::Combine(::testing::Values(DType::kFloat32, DType::kFloat16),
                                            ::testing::Range<size_t>(0, Cases().size())));

class FloatPairs : public ::testing::TestWithParam<DType> {};

TEST_P(FloatPairs, PowersAndRemainders) {
  const std::pair<Op, double (*)(double, double)> kCases[] = {
      {Op::kPow, [](double a, double b) { return std::pow(std::abs(a), b); }},
      {Op::kFmod, [](double a, double b) { return std::fmod(a, b); }},
      {Op::kMod, [](double a, double b) {
         const double rest = std::fmod(a, b);
         return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
       }}};
  for (const auto& [op, want] : kCases) {
    SCOPED_TRACE(graph::Text(op));
    FloatGraph own(5, GetParam());
    const TensorId a = own.Input({3, 40}), b = own.Input({40});
    if (op == Op::kPow) {  // of a negative one there are few
      ir::Array in(own.dtype, own.values[a]);
      for (int64_t i = 0; i < in.size(); ++i) in.SetFloat(i, std::abs(in.Float(i)));
      own.values[a] = in.bytes();
    }
    const TensorId y = own.Add({.op = op, .inputs = {a, b}}, {3, 40});
    ASSERT_NO_FATAL_FAILURE(own.Run());
    const std::vector<double> va = own.V(a), vb = own.V(b), vy = own.V(y);
    for (size_t k = 0; k < vy.size(); ++k) {
      const double result = want(va[k], vb[k % 40]);
      const double float_max = own.dtype == DType::kFloat16 ? 65504.0 : 3e38;
      if (result > float_max) continue;
      EXPECT_LE(std::abs(vy[k] - result), own.Bound(result, std::abs(result) * 1e-5 + 1e-6))
          << va[k] << " and " << vb[k % 40];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, FloatPairs, ::testing::Values(DType::kFloat32, DType::kFloat16));

// What is asked of a value.
TEST(FloatTruths, NansInfinitiesAndNegation) {
  struct Case {
    Op op;
    graph::Attributes attributes;
    std::function<bool(double)> want;
  };
  for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
    for (const Case& c : {Case{Op::kIsNan, {}, [](double x) { return std::isnan(x); }},
                          {Op::kIsInf, {}, [](double x) { return std::isinf(x); }},
                          {Op::kIsInf, graph::InfinityAttributes{true, false},
                           [](double x) { return x == -INFINITY; }},
                          {Op::kIsInf, graph::InfinityAttributes{false, true},
                           [](double x) { return x == INFINITY; }}}) {
      FloatGraph own(3, dtype);
      const TensorId x = own.Input({40});
      ir::Array in(dtype, own.values[x]);
      in.SetFloat(1, std::nanf(""));
      in.SetFloat(2, INFINITY);
      in.SetFloat(33, -INFINITY);
      own.values[x] = in.bytes();
      const TensorId y = own.g.AddTensor({"y", DType::kBool, {40}, {}, {}});
      own.g.nodes = {
          {.op = c.op, .name = "n", .inputs = {x}, .output = y, .attributes = c.attributes}};
      own.g.outputs = {y};
      ASSERT_NO_FATAL_FAILURE(own.Run());
      for (size_t k = 0; k < 40; ++k)
        EXPECT_EQ(own.V(y)[k] != 0, c.want(own.V(x)[k]))
            << graph::Text(c.op) << " of " << own.V(x)[k];
    }
  }
  FloatGraph own(3, DType::kFloat32);
  const TensorId x = own.g.AddTensor({"x", DType::kBool, {40}, {}, {}});
  own.g.inputs = {x};
  for (size_t k = 0; k < 40; ++k) own.values[x].push_back(k % 3 == 0 ? 1 : 0);
  const TensorId y = own.g.AddTensor({"y", DType::kBool, {40}, {}, {}});
  own.g.nodes = {{.op = Op::kNot, .name = "n", .inputs = {x}, .output = y}};
  own.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(own.Run());
  for (size_t k = 0; k < 40; ++k) EXPECT_EQ(own.V(y)[k] != 0, k % 3 != 0);
}

}  // namespace
}  // namespace tessera::float_functions_test
