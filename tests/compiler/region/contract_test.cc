// SPDX-License-Identifier: Apache-2.0
//
// Convolutions, matrix products and pools as tensor expressions against loops over the definition:
// real values (q - zero) summed, then rescaled in exact arithmetic. Space: random shapes up to 8,
// windows to 4, strides, dilations, pads, groups up to depthwise, all rounding modes, per-tensor
// and per-channel scales. The sums are taken around the zero points, where the compiler folds them
// into the bias. Not here: fusion of more than one node (elementwise_test.cc), overflow of 32 bits.
#include <gtest/gtest.h>

#include "tests/compiler/region/random_graph.h"

namespace tessera::contract_test {
namespace {

using graph::Op;
using graph::TensorId;
using graph::Window;

class Contract : public ::testing::TestWithParam<int> {
 protected:
  Contract() : r(static_cast<uint64_t>(GetParam())) {}

  Window RandomWindow(bool pads, int64_t height, int64_t width) {
    Window w;
    for (size_t d = 0; d < 2; ++d) {
      const int64_t in = d == 0 ? height : width;
      do {
        w.kernel[d] = r.rng.Range(1, 4);
        w.stride[d] = r.rng.Range(1, 3);
        w.dilation[d] = r.rng.Range(1, 3);
        w.pad_before[d] = pads ? r.rng.Range(0, w.kernel[d] - 1) : 0;
        w.pad_after[d] = pads ? r.rng.Range(0, w.kernel[d] - 1) : 0;
      } while (w.OutExtent(static_cast<int>(d), in) < 1);
    }
    return w;
  }

  // Calls visit(y, x) for each tap of output (oy, ox) that lies inside the image.
  template <typename Fn>
  void Taps(const Window& w, int64_t oy, int64_t ox, int64_t height, int64_t width,
            const Fn& visit) {
    for (int64_t ky = 0; ky < w.kernel[0]; ++ky) {
      for (int64_t kx = 0; kx < w.kernel[1]; ++kx) {
        const int64_t y = oy * w.stride[0] - w.pad_before[0] + ky * w.dilation[0];
        const int64_t x = ox * w.stride[1] - w.pad_before[1] + kx * w.dilation[1];
        if (y >= 0 && y < height && x >= 0 && x < width) visit(ky, kx, y, x);
      }
    }
  }

  RandomGraph r;
};

TEST_P(Contract, ConvolutionIsTheSumOverItsWindow) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const int64_t h = r.rng.Range(1, 8), width = r.rng.Range(1, 8);
  const int64_t groups = r.rng.OneIn(2) ? 1 : r.rng.Range(1, 4),
                group_in = r.rng.OneIn(3) ? 1 : r.rng.Range(1, 4);
  const int64_t group_out = r.rng.OneIn(3) ? 1 : r.rng.Range(1, 4), ci = groups * group_in,
                co = groups * group_out;
  const Window w = RandomWindow(true, h, width);
  const int64_t oh = w.OutExtent(0, h), ow = w.OutExtent(1, width);
  const TensorId x = r.Int8("x", {1, ci, h, width}, true),
                 weights = r.Weights({co, group_in, w.kernel[0], w.kernel[1]});
  const TensorId y = r.Int8("y", {1, co, oh, ow}, false, r.Scale(0.05, 0.5));
  graph::Node n{.op = Op::kConv,
                .name = "n",
                .inputs = {x, weights},
                .output = y,
                .attributes = graph::ConvAttributes{w, groups}};
  const TensorId bias = r.rng.OneIn(2) ? r.Bias(co) : -1;
  if (bias >= 0) n.inputs.push_back(bias);
  r.Bounds(n);
  const exact::Mode mode = ModeOf(r.Round(n));
  r.g.nodes = {n};
  r.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(r.Run());

  const std::vector<int8_t> in = r.V(x), k = r.V(weights), out = r.V(y);
  for (int64_t c = 0; c < co; ++c) {
    const auto& scales = r.T(weights).quant->scale;
    const double s_w = scales[scales.size() == 1 ? 0 : static_cast<size_t>(c)];
    const exact::Factor factor = exact::FactorOf(r.S(x) * s_w / r.S(y));
    for (int64_t oy = 0; oy < oh; ++oy) {
      for (int64_t ox = 0; ox < ow; ++ox) {
        int64_t sum = bias >= 0 ? As<int32_t>(*r.T(bias).data)[static_cast<size_t>(c)] : 0;
        Taps(w, oy, ox, h, width, [&](int64_t ky, int64_t kx, int64_t iy, int64_t ix) {
          for (int64_t i = 0; i < group_in; ++i) {
            const int64_t from = c / group_out * group_in + i;
            sum +=
                (in[static_cast<size_t>((from * h + iy) * width + ix)] - r.Z(x)) *
                k[static_cast<size_t>(((c * group_in + i) * w.kernel[0] + ky) * w.kernel[1] + kx)];
          }
        });
        ASSERT_EQ(out[static_cast<size_t>((c * oh + oy) * ow + ox)],
                  exact::Narrow(exact::Rescale(sum, factor, mode), r.Z(y), n.lo, n.hi))
            << "c=" << c << " y=" << oy << " x=" << ox << " sum=" << sum;
      }
    }
  }
}

TEST_P(Contract, DenseIsAMatrixProduct) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const int64_t rows = r.rng.Range(1, 3), in_size = r.rng.Range(1, 40),
                out_size = r.rng.Range(1, 20);
  const TensorId x = r.Int8("x", {rows, in_size}, true), weights = r.Weights({out_size, in_size});
  const TensorId y = r.Int8("y", {rows, out_size}, false, r.Scale(0.05, 0.5)),
                 bias = r.Bias(out_size);
  graph::Node n{.op = Op::kDense, .name = "n", .inputs = {x, weights, bias}, .output = y};
  r.Bounds(n);
  const exact::Mode mode = ModeOf(r.Round(n));
  r.g.nodes = {n};
  r.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> in = r.V(x), k = r.V(weights), out = r.V(y);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t c = 0; c < out_size; ++c) {
      int64_t sum = As<int32_t>(*r.T(bias).data)[static_cast<size_t>(c)];
      for (int64_t i = 0; i < in_size; ++i) {
        sum += (in[static_cast<size_t>(row * in_size + i)] - r.Z(x)) *
               k[static_cast<size_t>(c * in_size + i)];
      }
      const auto& scales = r.T(weights).quant->scale;
      const exact::Factor factor = exact::FactorOf(
          r.S(x) * scales[scales.size() == 1 ? 0 : static_cast<size_t>(c)] / r.S(y));
      ASSERT_EQ(out[static_cast<size_t>(row * out_size + c)],
                exact::Narrow(exact::Rescale(sum, factor, mode), r.Z(y), n.lo, n.hi));
    }
  }
}

TEST_P(Contract, AveragePoolIsTheMeanOfRealValues) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const int64_t c = r.rng.Range(1, 5), h = r.rng.Range(1, 8), width = r.rng.Range(1, 8);
  const Window w = RandomWindow(false, h, width);
  const int64_t oh = w.OutExtent(0, h), ow = w.OutExtent(1, width),
                count = w.kernel[0] * w.kernel[1];
  const TensorId x = r.Int8("x", {1, c, h, width}, true), y = r.Int8("y", {1, c, oh, ow}, false);
  graph::Node n{.op = Op::kAvgPool,
                .name = "n",
                .inputs = {x},
                .output = y,
                .attributes = graph::PoolAttributes{w}};
  r.Bounds(n);
  const exact::Mode mode = ModeOf(r.Round(n));
  r.g.nodes = {n};
  r.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> in = r.V(x), out = r.V(y);
  const exact::Factor factor = exact::FactorOf(r.S(x) / (r.S(y) * static_cast<double>(count)));
  for (int64_t i = 0; i < c * oh * ow; ++i) {
    int64_t sum = 0;
    Taps(w, i / ow % oh, i % ow, h, width, [&](int64_t, int64_t, int64_t iy, int64_t ix) {
      sum += in[static_cast<size_t>((i / (oh * ow) * h + iy) * width + ix)] - r.Z(x);
    });
    ASSERT_EQ(out[static_cast<size_t>(i)],
              exact::Narrow(exact::Rescale(sum, factor, mode), r.Z(y), n.lo, n.hi))
        << i;
  }
}

// 4,760 elements, for which no multiplier of 31 bits is exact, and 70,000, which are not tried:
// sums around a half.
TEST_P(Contract, AvgPoolOfOneScaleDividesSumsThatNoMultiplierDoes) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  for (const auto& [h, width] : {std::pair<int64_t, int64_t>{68, 70}, {250, 280}}) {
    RandomGraph one(r.rng.Next());
    const TensorId x = one.Int8("x", {1, 1, h, width}, true),
                   y = one.Int8("y", {1, 1, 1, 1}, false);
    const int64_t n = h * width, low = r.rng.Range(-128, 126),
                  more = n / 2 + r.rng.Range(-1, 1);  // elements that are one more than |low|
    for (int64_t k = 0; k < n; ++k)
      one.values[x][static_cast<size_t>(k)] = static_cast<uint8_t>(k < more ? low + 1 : low);
    one.g.tensor(y).quant = one.T(x).quant;
    one.g.nodes = {{.op = Op::kAvgPool,
                    .name = "n",
                    .inputs = {x},
                    .output = y,
                    .attributes = graph::PoolAttributes{{.kernel = {h, width}}},
                    .round = isa::Round::kTflite}};
    one.g.outputs = {y};
    ASSERT_NO_FATAL_FAILURE(one.Run());
    const int64_t sum = low * n + more, magnitude = (2 * std::abs(sum) + n) / (2 * n);
    EXPECT_EQ(one.V(y)[0], sum < 0 ? -magnitude : magnitude) << "sum " << sum << " of " << n;
  }
}

TEST_P(Contract, MaxPoolIgnoresPadding) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const int64_t c = r.rng.Range(1, 5), h = r.rng.Range(1, 8), width = r.rng.Range(1, 8);
  const Window w = RandomWindow(true, h, width);
  const int64_t oh = w.OutExtent(0, h), ow = w.OutExtent(1, width);
  const TensorId x = r.Int8("x", {1, c, h, width}, true), y = r.Int8("y", {1, c, oh, ow}, false);
  r.g.tensor(y).quant = r.T(x).quant;
  r.g.nodes = {{.op = Op::kMaxPool,
                .name = "n",
                .inputs = {x},
                .output = y,
                .attributes = graph::PoolAttributes{w}}};
  r.g.outputs = {y};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> in = r.V(x), out = r.V(y);
  for (int64_t i = 0; i < c * oh * ow; ++i) {
    int best = -128;
    Taps(w, i / ow % oh, i % ow, h, width, [&](int64_t, int64_t, int64_t iy, int64_t ix) {
      best = std::max<int>(best, in[static_cast<size_t>((i / (oh * ow) * h + iy) * width + ix)]);
    });
    ASSERT_EQ(out[static_cast<size_t>(i)], best) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Contract, ::testing::Range(0, 60));

}  // namespace
}  // namespace tessera::contract_test
