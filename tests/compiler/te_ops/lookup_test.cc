// SPDX-License-Identifier: Apache-2.0
//
// What is tested: functions of one value (sigmoid, tanh, hard-swish, leaky ReLU) are, with ONNX's
// rounding, the exact real function of each dequantised value, quantised half to even. Space: all
// 256 values, random scales and zero points, powers of two among them, so that ties occur; bounds.
// Not tested here: TFLite's rounding (tests/models/tflite_ops_test.cc).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/compiler/te_ops/random_graph.h"

namespace tessera {
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
        const long double real = f((in[i] - r.Z(x)) * static_cast<long double>(r.S(x)));
        const long double q = std::nearbyint(real / static_cast<long double>(r.S(y)));
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

INSTANTIATE_TEST_SUITE_P(Seeds, Lookup, ::testing::Range(0, 4));

}  // namespace
}  // namespace tessera
