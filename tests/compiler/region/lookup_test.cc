// SPDX-License-Identifier: Apache-2.0
//
// What is tested: functions of one value are, with ONNX's rounding, the exact real function of each
// dequantised value, quantised half to even, where the dequantised value, the result and its
// quotient by the scale are float32; what is not defined is the lowest. Space: all of them,
// all 256 values, random scales and zero points, powers of two among them, so that ties occur;
// bounds.
// Not tested here: TFLite's rounding, ONNX Runtime itself (tests/models/functions_test.cc).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/compiler/region/random_graph.h"

namespace tessera::lookup_test {
namespace {

using graph::Op;
using graph::TensorId;

class Lookup : public ::testing::TestWithParam<int> {
 protected:
  void Expect(Op op, graph::Attributes attributes,
              const std::function<long double(long double)>& f) {
    for (int draw = 0; draw < 20; ++draw) {
      RandomGraph r(static_cast<uint64_t>(GetParam() * 100 + draw));
      SCOPED_TRACE(testing::Message() << "seed " << GetParam() << " draw " << draw);
      const auto scale = [&](double least, double most) {
        const double s = r.Scale(least, most);
        return draw % 2 ? std::exp2(std::round(std::log2(s))) : s;
      };
      const TensorId x = r.Int8("x", {1, 256}, true, scale(0.002, 0.2));
      const TensorId y = r.Int8("y", {1, 256}, false, scale(0.002, 0.1));
      for (size_t i = 0; i < 256; ++i) r.values[x][i] = static_cast<uint8_t>(i);
      graph::Node n{.op = op, .name = "n", .inputs = {x}, .output = y, .attributes = attributes};
      r.Bounds(n);
      r.g.nodes = {n};
      r.g.outputs = {y};
      ASSERT_NO_FATAL_FAILURE(r.Run());
      const std::vector<int8_t> in = r.V(x), out = r.V(y);
      for (size_t i = 0; i < 256; ++i) {
        const float given = static_cast<float>(in[i] - r.Z(x)) * static_cast<float>(r.S(x));
        const auto real = static_cast<float>(f(static_cast<long double>(given)));
        const float steps = std::isnan(real) ? -1e9f : real / static_cast<float>(r.S(y));
        const long double q = std::nearbyint(static_cast<long double>(steps));
        const auto want = std::clamp<long double>(q + r.Z(y), n.lo, n.hi);
        ASSERT_EQ(out[i], static_cast<int>(want)) << "of " << int{in[i]};
      }
    }
  }
};

TEST_P(Lookup, Sigmoid) {
  Expect(Op::kSigmoid, {}, [](long double x) { return 1 / (1 + std::exp(-x)); });
}

TEST_P(Lookup, Tanh) {
  Expect(Op::kTanh, {}, [](long double x) { return std::tanh(x); });
}

TEST_P(Lookup, HardSwish) {
  Expect(Op::kHardSwish, {}, [](long double x) {
    return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6;
  });
}

TEST_P(Lookup, LeakyRelu) {
  for (const float alpha : {0.01f, 0.25f, 1.5f, -0.5f, 0.0f}) {
    Expect(Op::kLeakyRelu, graph::LeakyReluAttributes{alpha},
           [&](long double x) { return x < 0 ? x * static_cast<long double>(alpha) : x; });
  }
}

using Wide = long double;

Wide SoftplusOf(Wide x) { return std::log(1 + std::exp(x)); }

TEST_P(Lookup, NamedFunctions) {
  const std::pair<Op, Wide (*)(Wide)> kCases[] = {
      {Op::kAbs, [](Wide x) { return x < 0 ? -x : x; }},
      {Op::kNeg, [](Wide x) { return -x; }},
      {Op::kSquare, [](Wide x) { return x * x; }},
      {Op::kSign, [](Wide x) { return static_cast<Wide>((x > 0) - (x < 0)); }},
      {Op::kExp, [](Wide x) { return std::exp(x); }},
      {Op::kLog, [](Wide x) { return std::log(x); }},
      {Op::kSqrt, [](Wide x) { return std::sqrt(x); }},
      {Op::kRsqrt, [](Wide x) { return 1 / std::sqrt(x); }},
      {Op::kFloor, [](Wide x) { return std::floor(x); }},
      {Op::kCeil, [](Wide x) { return std::ceil(x); }},
      {Op::kRound, [](Wide x) { return std::nearbyint(x); }},
      {Op::kReciprocal, [](Wide x) { return 1 / x; }},
      {Op::kErf, [](Wide x) { return std::erf(x); }},
      {Op::kSin, [](Wide x) { return std::sin(x); }},
      {Op::kCos, [](Wide x) { return std::cos(x); }},
      {Op::kTan, [](Wide x) { return std::tan(x); }},
      {Op::kAsin, [](Wide x) { return std::asin(x); }},
      {Op::kAcos, [](Wide x) { return std::acos(x); }},
      {Op::kAtan, [](Wide x) { return std::atan(x); }},
      {Op::kSinh, [](Wide x) { return std::sinh(x); }},
      {Op::kCosh, [](Wide x) { return std::cosh(x); }},
      {Op::kAsinh, [](Wide x) { return std::asinh(x); }},
      {Op::kAcosh, [](Wide x) { return std::acosh(x); }},
      {Op::kAtanh, [](Wide x) { return std::atanh(x); }},
      {Op::kGelu, [](Wide x) { return x * std::erfc(-x / std::sqrt(Wide{2})) / 2; }},
      {Op::kGeluTanh,
       [](Wide x) {
         const Wide z = std::sqrt(8 / std::acos(Wide{-1})) * (x + 0.044715L * x * x * x);
         return x / (1 + std::exp(-z));
       }},
      {Op::kSoftplus, SoftplusOf},
      {Op::kSoftsign, [](Wide x) { return x < 0 ? x / (1 - x) : x / (1 + x); }},
      {Op::kMish, [](Wide x) { return x * std::tanh(SoftplusOf(x)); }},
  };
  for (const auto& [op, f] : kCases) {
    SCOPED_TRACE(graph::Text(op));
    ASSERT_NO_FATAL_FAILURE(Expect(op, {}, f));
  }
}

TEST_P(Lookup, FunctionsWithAttributes) {
  struct Case {
    Op op;
    Wide (*f)(Wide x, Wide first, Wide second);
  };
  const Case kCases[] = {
      {Op::kElu, [](Wide x, Wide a, Wide) { return x < 0 ? a * (std::exp(x) - 1) : x; }},
      {Op::kSelu, [](Wide x, Wide a, Wide b) { return b * (x < 0 ? a * (std::exp(x) - 1) : x); }},
      {Op::kCelu, [](Wide x, Wide a, Wide) { return x < 0 ? a * (std::exp(x / a) - 1) : x; }},
      {Op::kHardSigmoid,
       [](Wide x, Wide a, Wide b) {
         const Wide y = a * x + b;
         return y < 0 ? 0 : y > 1 ? 1 : y;
       }},
      {Op::kThresholdedRelu, [](Wide x, Wide a, Wide) { return x > a ? x : 0; }},
      {Op::kShrink, [](Wide x, Wide a, Wide b) { return x < -a  ? x + b
                                                        : x > a ? x - b
                                                                : 0; }},
  };
  for (const Case& c : kCases) {
    for (const graph::CurveAttributes a : {graph::CurveAttributes{0.75f, 0.5f}, {1.5f, 0.125f}}) {
      SCOPED_TRACE(graph::Text(c.op));
      ASSERT_NO_FATAL_FAILURE(Expect(c.op, a, [&](Wide x) {
        return c.f(x, static_cast<Wide>(a.first), static_cast<Wide>(a.second));
      }));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Lookup, ::testing::Range(0, 4));

}  // namespace
}  // namespace tessera::lookup_test
