// SPDX-License-Identifier: Apache-2.0
//
// Operators on float32 and float16. What is tested: values against loops in double written from the
// operators' meaning, within the bound that float32 arithmetic has (n + 3 units of 2^-24 of the sum
// of magnitudes for a sum of n products) and one rounding to the result's type; and that
// definition, interpreter and host code of every level have the same bits. Space: both types,
// random shapes, windows, groups, dilations, bounds, each with six seeds. Not here: files
// (tests/compiler/import, tests/models), placement.
#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/compiler/region/float_graph.h"

namespace tessera::float_test {
namespace {

using graph::Op;
using graph::Shape;
using graph::TensorId;

constexpr double kUnit = 0x1p-24;

class Floats : public ::testing::TestWithParam<std::tuple<DType, int>> {
 protected:
  Floats() : f(static_cast<uint64_t>(std::get<1>(GetParam())), std::get<0>(GetParam())) {}

  // Element |k| of |y| is |want| within what |error| in float32 makes of it.
  void Expect(TensorId y, size_t k, double want, double error) {
    ASSERT_LE(std::abs(f.V(y)[k] - want), f.Bound(want, error)) << k << " " << want;
  }
  double Clamped(const graph::Node& n, double v) {
    return std::clamp(v, static_cast<double>(n.least), static_cast<double>(n.most));
  }
  void Bounds(graph::Node& n) {
    if (f.rng.OneIn(2)) n.least = 0;
    if (f.rng.OneIn(3)) n.most = 6;
  }

  FloatGraph f;
};

TEST_P(Floats, Convolution) {
  const int64_t groups = f.rng.Range(1, 3), in = groups * f.rng.Range(1, 3),
                out = groups * f.rng.Range(1, 5), height = 9, width = f.rng.Range(7, 12);
  graph::Window w{.kernel = {f.rng.Range(1, 3), f.rng.Range(1, 3)},
                  .stride = {f.rng.Range(1, 2), f.rng.Range(1, 2)},
                  .dilation = {f.rng.Range(1, 2), f.rng.Range(1, 2)},
                  .pad_before = {f.rng.Range(0, 1), f.rng.Range(0, 1)},
                  .pad_after = {f.rng.Range(0, 1), f.rng.Range(0, 1)}};
  const TensorId x = f.Input({2, in, height, width}),
                 k = f.Constant({out, in / groups, w.kernel[0], w.kernel[1]});
  graph::Node n{.op = Op::kConv, .inputs = {x, k}, .attributes = graph::ConvAttributes{w, groups}};
  if (f.rng.OneIn(2)) n.inputs.push_back(f.Constant({out}));
  Bounds(n);
  const Shape shape{2, out, w.OutExtent(0, height), w.OutExtent(1, width)};
  const TensorId y = f.Add(n, shape);
  ASSERT_NO_FATAL_FAILURE(f.Run());
  const std::vector<double> vx = f.V(x), vk = f.V(k),
                            vb = n.inputs.size() > 2 ? f.V(n.inputs[2]) : std::vector<double>();
  size_t at = 0;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t o = 0; o < out; ++o)
      for (int64_t py = 0; py < shape[2]; ++py)
        for (int64_t px = 0; px < shape[3]; ++px, ++at) {
          double sum = vb.empty() ? 0 : vb[static_cast<size_t>(o)], size = std::abs(sum);
          for (int64_t c = 0; c < in / groups; ++c)
            for (int64_t ky = 0; ky < w.kernel[0]; ++ky)
              for (int64_t kx = 0; kx < w.kernel[1]; ++kx) {
                const int64_t iy = py * w.stride[0] + ky * w.dilation[0] - w.pad_before[0],
                              ix = px * w.stride[1] + kx * w.dilation[1] - w.pad_before[1];
                if (iy < 0 || iy >= height || ix < 0 || ix >= width) continue;
                const int64_t ic = o / (out / groups) * (in / groups) + c;
                const double term =
                    vx[static_cast<size_t>(((b * in + ic) * height + iy) * width + ix)] *
                    vk[static_cast<size_t>(
                        ((o * (in / groups) + c) * w.kernel[0] + ky) * w.kernel[1] + kx)];
                sum += term;
                size += std::abs(term);
              }
          const auto terms = static_cast<double>(in / groups * w.kernel[0] * w.kernel[1] + 3);
          ASSERT_NO_FATAL_FAILURE(Expect(y, at, Clamped(n, sum), terms * kUnit * size));
        }
}

TEST_P(Floats, TransposedConvolution) {
  const int64_t in = f.rng.Range(1, 3), out = f.rng.Range(1, 4), extent = 5;
  const int64_t kernel = f.rng.Range(2, 3), stride = f.rng.Range(1, 2), cut = f.rng.Range(0, 1);
  const int64_t to = (extent - 1) * stride + kernel - 2 * cut;
  const TensorId x = f.Input({1, in, extent, extent}), k = f.Constant({out, in, kernel, kernel});
  graph::TransposedConvAttributes a{.window = {.kernel = {kernel, kernel},
                                               .stride = {stride, stride},
                                               .pad_before = {cut, cut},
                                               .pad_after = {cut, cut}},
                                    .out = {to, to}};
  const TensorId y =
      f.Add({.op = Op::kTransposedConv, .inputs = {x, k}, .attributes = a}, {1, out, to, to});
  ASSERT_NO_FATAL_FAILURE(f.Run());
  const std::vector<double> vx = f.V(x), vk = f.V(k);
  std::vector<double> sum(static_cast<size_t>(out * to * to)), size(sum.size());
  for (int64_t o = 0; o < out; ++o)  // every element adds its window
    for (int64_t c = 0; c < in; ++c)
      for (int64_t p = 0; p < extent * extent; ++p)
        for (int64_t q = 0; q < kernel * kernel; ++q) {
          const int64_t oy = p / extent * stride + q / kernel - cut,
                        ox = p % extent * stride + q % kernel - cut;
          if (oy < 0 || oy >= to || ox < 0 || ox >= to) continue;
          const double term = vx[static_cast<size_t>(c * extent * extent + p)] *
                              vk[static_cast<size_t>((o * in + c) * kernel * kernel + q)];
          sum[static_cast<size_t>((o * to + oy) * to + ox)] += term;
          size[static_cast<size_t>((o * to + oy) * to + ox)] += std::abs(term);
        }
  for (size_t i = 0; i < sum.size(); ++i)
    ASSERT_NO_FATAL_FAILURE(
        Expect(y, i, sum[i], static_cast<double>(in * kernel * kernel + 3) * kUnit * size[i]));
}

TEST_P(Floats, Dense) {
  const int64_t rows = f.rng.Range(1, 3), depth = f.rng.Range(1, 70), units = f.rng.Range(1, 40);
  const TensorId x = f.Input({rows, depth}), w = f.Constant({units, depth}),
                 b = f.Constant({units});
  graph::Node n{.op = Op::kDense, .inputs = {x, w, b}};
  Bounds(n);
  const TensorId y = f.Add(n, {rows, units});
  ASSERT_NO_FATAL_FAILURE(f.Run());
  const std::vector<double> vx = f.V(x), vw = f.V(w), vb = f.V(b);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t u = 0; u < units; ++u) {
      double sum = vb[static_cast<size_t>(u)], size = std::abs(sum);
      for (int64_t d = 0; d < depth; ++d) {
        const double term =
            vx[static_cast<size_t>(r * depth + d)] * vw[static_cast<size_t>(u * depth + d)];
        sum += term;
        size += std::abs(term);
      }
      ASSERT_NO_FATAL_FAILURE(Expect(y, static_cast<size_t>(r * units + u), Clamped(n, sum),
                                     static_cast<double>(depth + 3) * kUnit * size));
    }
}

TEST_P(Floats, Pools) {
  const int64_t channels = f.rng.Range(1, 9), extent = 8, kernel = f.rng.Range(2, 3),
                stride = f.rng.Range(1, 2), pad = f.rng.Range(0, 1);
  for (const Op op : {Op::kMaxPool, Op::kAvgPool, Op::kMean}) {
    SCOPED_TRACE(graph::Text(op));
    FloatGraph own(static_cast<uint64_t>(channels), f.dtype);
    graph::Window w{.kernel = {kernel, kernel}, .stride = {stride, stride}};
    if (op == Op::kMaxPool) w.pad_before = w.pad_after = {pad, pad};
    graph::Node n{.op = op, .inputs = {own.Input({1, channels, extent, extent})}};
    if (op == Op::kMean) {
      w = {.kernel = {extent, extent}};
    } else {
      n.attributes = graph::PoolAttributes{w};
    }
    if (f.rng.OneIn(2)) n.least = 0;
    const int64_t to = w.OutExtent(0, extent);
    const TensorId y = own.Add(n, {1, channels, to, to});
    ASSERT_NO_FATAL_FAILURE(own.Run());
    const std::vector<double> vx = own.V(n.inputs[0]), vy = own.V(y);
    for (int64_t k = 0; k < channels * to * to; ++k) {
      double sum = 0, size = 0, most = -INFINITY;
      for (int64_t t = 0; t < w.kernel[0] * w.kernel[1]; ++t) {
        const int64_t iy = k / to % to * w.stride[0] + t / w.kernel[1] - w.pad_before[0],
                      ix = k % to * w.stride[1] + t % w.kernel[1] - w.pad_before[1];
        if (iy < 0 || iy >= extent || ix < 0 || ix >= extent) continue;
        const double v = vx[static_cast<size_t>((k / (to * to) * extent + iy) * extent + ix)];
        sum += v;
        size += std::abs(v);
        most = std::max(most, v);
      }
      const auto count = static_cast<double>(w.kernel[0] * w.kernel[1]);
      const double want = Clamped(n, op == Op::kMaxPool ? most : sum / count);
      const double error = op == Op::kMaxPool ? 0 : (count + 3) * kUnit * size / count;
      ASSERT_LE(std::abs(vy[static_cast<size_t>(k)] - want),
                op == Op::kMaxPool ? 0 : own.Bound(want, error));
    }
  }
}

// Sums, differences and products are those of float32 or float16, rounded once; extents of 1
// repeat.
TEST_P(Floats, TwoOperands) {
  for (const Op op : {Op::kAdd, Op::kSub, Op::kMul}) {
    FloatGraph own(f.rng.Next(), f.dtype);
    const Shape shape{2, 3, 4, 5};
    Shape other = shape;
    for (int64_t& extent : other) extent = f.rng.OneIn(3) ? 1 : extent;
    other.erase(other.begin(), other.begin() + f.rng.Range(0, 3));
    const TensorId a = own.Input(shape),
                   b = own.rng.OneIn(2) ? own.Input(other) : own.Constant(other);
    graph::Node n{.op = op, .inputs = {a, b}};
    Bounds(n);
    const TensorId y = own.Add(n, shape);
    ASSERT_NO_FATAL_FAILURE(own.Run());
    const std::vector<double> va = own.V(a), vb = own.V(b), vy = own.V(y);
    for (size_t k = 0; k < vy.size(); ++k) {
      size_t from = 0, rest = k, step = 1;
      for (size_t d = 1; d <= other.size(); ++d) {
        const auto extent = static_cast<size_t>(shape[4 - d]);
        if (other[other.size() - d] != 1) {
          from += rest % extent * step;
          step *= extent;
        }
        rest /= extent;
      }
      const double l = va[k], r = vb[from];
      const double real = Clamped(n, op == Op::kAdd ? l + r : op == Op::kSub ? l - r : l * r);
      const auto single = static_cast<float>(real);
      const double want = f.dtype == DType::kFloat16
                              ? static_cast<double>(HalfToFloat(FloatToHalf(single)))
                              : static_cast<double>(single);
      ASSERT_EQ(vy[k], want) << k;
    }
  }
}

TEST_P(Floats, FunctionsOfOneValue) {
  struct Case {
    Op op;
    graph::Attributes attributes;
    std::function<double(double)> f;
    std::function<double(double x, double y)> error;  // of float32
  };
  const auto relative = [](double n) {
    return [n](double, double y) { return n * kUnit * std::abs(y); };
  };
  const std::vector<Case> cases = {
      {Op::kSigmoid, {}, [](double x) { return 1 / (1 + std::exp(-x)); }, relative(8)},
      {Op::kTanh, {}, [](double x) { return std::tanh(x); }, relative(8)},
      {Op::kHardSwish,
       {},
       [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; },
       [](double x, double y) { return 4 * kUnit * (std::abs(x) + std::abs(y)); }},
      {Op::kLeakyRelu, graph::LeakyReluAttributes{0.1f},
       [](double x) { return x < 0 ? x * static_cast<double>(0.1f) : x; }, relative(1)},
      {Op::kRescale, {}, [](double x) { return x; }, relative(0)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(graph::Text(c.op));
    FloatGraph own(f.rng.Next(), f.dtype);
    const TensorId x = own.Input({1, 3, 9, 7});
    ir::Array in(f.dtype, own.values[x]);
    const float edges[] = {0.0f, -0.0f, 30.0f, -30.0f, 1e-3f, 0.625f, -0.625f, 3.0f, -3.0f};
    for (int64_t i = 0; i < 9; ++i) in.SetFloat(i, edges[i]);
    own.values[x] = in.bytes();
    graph::Node n{.op = c.op, .inputs = {x}, .attributes = c.attributes};
    if (c.op == Op::kRescale) n.least = 0, n.most = 2.5f;
    const TensorId y = own.Add(n, {1, 3, 9, 7});
    ASSERT_NO_FATAL_FAILURE(own.Run());
    const std::vector<double> vx = own.V(x), vy = own.V(y);
    for (size_t k = 0; k < vx.size(); ++k) {
      const double want = Clamped(n, c.f(vx[k]));
      ASSERT_LE(std::abs(vy[k] - want), own.Bound(want, c.error(vx[k], want))) << vx[k];
    }
  }
}

TEST_P(Floats, Softmax) {
  const int64_t length = f.rng.Range(1, 40);
  const TensorId x = f.Input({3, length});
  const TensorId y = f.Add(
      {.op = Op::kSoftmax, .inputs = {x}, .attributes = graph::SoftmaxAttributes{}}, {3, length});
  ASSERT_NO_FATAL_FAILURE(f.Run());
  const std::vector<double> vx = f.V(x);
  for (size_t r = 0; r < 3; ++r) {
    const auto first = vx.begin() + static_cast<int64_t>(r) * length;
    const double most = *std::max_element(first, first + length);
    double sum = 0;
    for (int64_t k = 0; k < length; ++k) sum += std::exp(first[k] - most);
    for (int64_t k = 0; k < length; ++k) {
      const double want = std::exp(first[k] - most) / sum;
      // A difference of at most 8, rounded; the exponential; a sum; a quotient.
      const double error = static_cast<double>(length + 16) * kUnit * want;
      ASSERT_NO_FATAL_FAILURE(
          Expect(y, r * static_cast<size_t>(length) + static_cast<size_t>(k), want, error));
    }
  }
}

// What only moves elements moves their bits.
TEST_P(Floats, RearrangementIsExact) {
  const TensorId x = f.Input({1, 3, 4, 5}), other = f.Input({1, 2, 4, 5});
  const TensorId both =
      f.Add({.op = Op::kConcat, .inputs = {x, other}, .attributes = graph::ConcatAttributes{1}},
            {1, 5, 4, 5});
  const TensorId padded = f.Add(
      {.op = Op::kPad,
       .inputs = {both},
       .attributes = graph::PadAttributes{.pads = {{0, 0}, {0, 0}, {1, 0}, {0, 2}}, .real = 1.5f}},
      {1, 5, 5, 7});
  const TensorId large =
      f.Add({.op = Op::kResize,
             .inputs = {padded},
             .attributes = graph::ResizeAttributes{{0, 1, 1, 2, 3, 4}, {6, 0, 3}}},
            {1, 5, 6, 3});
  const TensorId turned = f.Add({.op = Op::kTranspose,
                                 .inputs = {large},
                                 .attributes = graph::TransposeAttributes{{0, 2, 3, 1}}},
                                {1, 6, 3, 5});
  const TensorId y = f.Add({.op = Op::kReshape, .inputs = {turned}}, {9, 10});
  ASSERT_NO_FATAL_FAILURE(f.Run());
  const std::vector<double> vx = f.V(x), vo = f.V(other), vy = f.V(y);
  const int64_t rows[] = {0, 1, 1, 2, 3, 4}, columns[] = {6, 0, 3};
  for (int64_t k = 0; k < 90; ++k) {
    const int64_t c = k % 5, row = rows[k / 15] - 1, column = columns[k / 5 % 3];
    const bool outside = row < 0 || column >= 5;
    const std::vector<double>& from = c < 3 ? vx : vo;
    const double want =
        outside ? 1.5 : from[static_cast<size_t>(((c < 3 ? c : c - 3) * 4 + row) * 5 + column)];
    ASSERT_EQ(vy[static_cast<size_t>(k)], want) << k;
  }
}

// float -> int8 -> float, and float32 to float16 and back.
TEST_P(Floats, ConversionsBetweenTypes) {
  const TensorId x = f.Input({1, 300});
  const TensorId q = f.Add({.op = Op::kQuantize, .inputs = {x}}, {1, 300});
  f.g.tensor(q).dtype = DType::kInt8;
  f.g.tensor(q).quant = graph::Quant{{0.0625}, {-3}, -1};
  const TensorId back = f.Add({.op = Op::kDequantize, .inputs = {q}}, {1, 300});
  const TensorId cast = f.Add({.op = Op::kCast, .inputs = {x}}, {1, 300});
  const DType to = f.dtype == DType::kFloat32 ? DType::kFloat16 : DType::kFloat32;
  f.g.tensor(cast).dtype = to;
  f.g.outputs = {back, cast};
  ASSERT_NO_FATAL_FAILURE(f.Run());
  const std::vector<double> vx = f.V(x), vq = f.V(q), vb = f.V(back), vc = f.V(cast);
  for (size_t k = 0; k < 300; ++k) {
    ASSERT_EQ(vq[k], std::clamp(std::nearbyint(vx[k] / 0.0625) - 3, -128.0, 127.0));
    ASSERT_EQ(vb[k], (vq[k] + 3) * 0.0625);
    ASSERT_EQ(vc[k], static_cast<double>(HalfToFloat(FloatToHalf(static_cast<float>(vx[k])))));
  }
}

// The epilogue of a convolution on floats is one region with it.
TEST_P(Floats, FusedRegionsEqualTheirNodes) {
  const Shape shape{1, 4, 6, 6};
  const TensorId x = f.Input(shape), w = f.Constant({4, 4, 1, 1}), scale = f.Constant({4, 1, 1});
  const TensorId a =
      f.Add({.op = Op::kConv, .inputs = {x, w}, .attributes = graph::ConvAttributes{}}, shape);
  const TensorId b = f.Add({.op = Op::kMul, .inputs = {a, scale}}, shape);
  const TensorId c = f.Add({.op = Op::kAdd, .inputs = {b, x}}, shape);
  f.Add({.op = Op::kRescale, .inputs = {c}, .least = 0}, shape);
  const TensorId y = f.g.outputs[0];
  ASSERT_EQ(graph::Fuse(f.g).size(), 1u);
  ASSERT_NO_FATAL_FAILURE(f.Run());
  const std::vector<uint8_t> fused = f.values[y];
  f.g.outputs = {a, b, c, y};
  ASSERT_EQ(graph::Fuse(f.g).size(), 4u);
  ASSERT_NO_FATAL_FAILURE(f.Run());
  EXPECT_EQ(f.values[y], fused);
}

INSTANTIATE_TEST_SUITE_P(All, Floats,
                         ::testing::Combine(::testing::Values(DType::kFloat32, DType::kFloat16),
                                            ::testing::Range(0, 6)),
                         [](const auto& i) {
                           return fmt::format("{}Seed{}", Text(std::get<0>(i.param)),
                                              std::get<1>(i.param));
                         });

}  // namespace
}  // namespace tessera::float_test
