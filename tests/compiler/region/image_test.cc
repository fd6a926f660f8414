// SPDX-License-Identifier: Apache-2.0
//
// What is tested: resize, concat over several scales and transposed convolution against a second
// derivation: element by element, and the convolution as sums that are added from each element of
// the image to its window of the result. Space: random shapes, windows, pads and scales, the three
// roundings. Not tested here: what is imported as these (tests/compiler/import,
// tests/models/tflite_ops_test.cc).
#include <gtest/gtest.h>

#include "tests/compiler/region/random_graph.h"

namespace tessera::image_test {
namespace {

using graph::Op;
using graph::TensorId;

class Image : public ::testing::TestWithParam<int> {
 protected:
  Image() : r(static_cast<uint64_t>(GetParam())) {}
  void Run(const graph::Node& node) {
    r.g.nodes = {node};
    r.g.outputs = {node.output};
    r.Run();
  }
  RandomGraph r;
};

TEST_P(Image, ResizeTakesTheNamedElements) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  const int64_t c = r.rng.Range(1, 4), h = r.rng.Range(1, 5), w = r.rng.Range(1, 5);
  graph::ResizeAttributes sources;
  const int64_t times = r.rng.Range(1, 3);
  for (int64_t k = 0; k < h * times; ++k) sources.rows.push_back(k / times);
  for (int64_t k = r.rng.Range(1, 9); k > 0; --k) sources.columns.push_back(r.rng.Range(0, w - 1));
  const int64_t oh = std::ssize(sources.rows), ow = std::ssize(sources.columns);
  const TensorId x = r.Int8("x", {1, c, h, w}, true), y = r.Int8("y", {1, c, oh, ow}, false);
  r.g.tensor(y).quant = r.T(x).quant;
  ASSERT_NO_FATAL_FAILURE(
      Run({.op = Op::kResize, .name = "n", .inputs = {x}, .output = y, .attributes = sources}));
  const std::vector<int8_t> in = r.V(x), out = r.V(y);
  for (int64_t i = 0; i < c * oh * ow; ++i) {
    const int64_t channel = i / (oh * ow), row = i / ow % oh, column = i % ow;
    const int64_t from = (channel * h + sources.rows[static_cast<size_t>(row)]) * w +
                         sources.columns[static_cast<size_t>(column)];
    ASSERT_EQ(out[static_cast<size_t>(i)], in[static_cast<size_t>(from)]) << i;
  }
}

TEST_P(Image, ConcatRescalesEachOperand) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  const std::vector<int64_t> channels{r.rng.Range(1, 4), r.rng.Range(1, 4), r.rng.Range(1, 4)};
  graph::Node n{.op = Op::kConcat, .name = "n", .attributes = graph::ConcatAttributes{1}};
  for (const int64_t c : channels)
    n.inputs.push_back(r.Int8(fmt::format("x{}", c), {1, c, 6, 6}, true));
  const int64_t all = channels[0] + channels[1] + channels[2];
  n.output = r.Int8("y", {1, all, 6, 6}, false);
  r.g.tensor(n.inputs[1]).quant = r.T(n.output).quant;  // one that stays as it is
  r.Bounds(n);
  const exact::Mode mode = ModeOf(r.Round(n));
  ASSERT_NO_FATAL_FAILURE(Run(n));
  const std::vector<int8_t> out = r.V(n.output);
  size_t at = 0;
  for (const TensorId id : n.inputs) {
    const exact::Factor factor = exact::FactorOf(r.S(id) / r.S(n.output));
    // TFLite's kernel, of uint8: in float32, the zero point as a product of its own.
    const float scale = static_cast<float>(r.S(id)) * (1 / static_cast<float>(r.S(n.output)));
    for (const int8_t q : r.V(id)) {
      const int64_t steps = mode == exact::Mode::kTflite
                                ? std::lround(static_cast<float>(q + 128) * scale -
                                              static_cast<float>(r.Z(id) + 128) * scale)
                                : exact::Rescale(q - r.Z(id), factor, mode);
      ASSERT_EQ(out[at], exact::Narrow(steps, r.Z(n.output), n.lo, n.hi)) << at;
      ++at;
    }
  }
  EXPECT_EQ(at, out.size());
}

TEST_P(Image, TransposedConvolutionAddsWindows) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  const int64_t ci = r.rng.Range(1, 4), co = r.rng.Range(1, 4), h = r.rng.Range(1, 5),
                w = r.rng.Range(1, 5);
  graph::TransposedConvAttributes made;
  graph::Window& window = made.window;
  const std::array<int64_t, 2> in{h, w};
  for (size_t d = 0; d < 2; ++d) {
    window.kernel[d] = r.rng.Range(1, 4);
    window.stride[d] = r.rng.Range(1, 3);
    window.dilation[d] = r.rng.Range(1, 2);
    const int64_t span = (window.kernel[d] - 1) * window.dilation[d] + 1;
    window.pad_before[d] = r.rng.Range(0, span - 1);
    made.out[d] = std::max<int64_t>(
        1, (in[d] - 1) * window.stride[d] + span - window.pad_before[d] + r.rng.Range(-1, 2));
  }
  const TensorId x = r.Int8("x", {1, ci, h, w}, true),
                 weights = r.Weights({co, ci, window.kernel[0], window.kernel[1]}),
                 y = r.Int8("y", {1, co, made.out[0], made.out[1]}, false, r.Scale(0.05, 0.5));
  graph::Node n{.op = Op::kTransposedConv,
                .name = "n",
                .inputs = {x, weights},
                .output = y,
                .attributes = made};
  const TensorId bias = r.rng.OneIn(2) ? r.Bias(co) : -1;
  if (bias >= 0) n.inputs.push_back(bias);
  r.Bounds(n);
  const exact::Mode mode = ModeOf(r.Round(n));
  ASSERT_NO_FATAL_FAILURE(Run(n));

  const auto at = [](const std::vector<int8_t>& of, int64_t index) {
    return int64_t{of[static_cast<size_t>(index)]};
  };
  const std::vector<int8_t> vx = r.V(x), vw = r.V(weights), out = r.V(y);
  const std::vector<int32_t> vb =
      bias >= 0 ? As<int32_t>(*r.T(bias).data) : std::vector<int32_t>(static_cast<size_t>(co));
  std::vector<int64_t> sums;
  for (int64_t o = 0; o < co; ++o)
    sums.insert(sums.end(), static_cast<size_t>(made.out[0] * made.out[1]),
                vb[static_cast<size_t>(o)]);
  for (int64_t o = 0; o < co; ++o) {
    for (int64_t k = 0; k < ci * h * w; ++k) {
      for (int64_t t = 0; t < window.kernel[0] * window.kernel[1]; ++t) {
        const int64_t c = k / (h * w), ky = t / window.kernel[1], kx = t % window.kernel[1];
        const int64_t oy =
            k / w % h * window.stride[0] + ky * window.dilation[0] - window.pad_before[0];
        const int64_t ox =
            k % w * window.stride[1] + kx * window.dilation[1] - window.pad_before[1];
        if (oy < 0 || oy >= made.out[0] || ox < 0 || ox >= made.out[1]) continue;
        sums[static_cast<size_t>((o * made.out[0] + oy) * made.out[1] + ox)] +=
            (at(vx, k) - r.Z(x)) * at(vw, (o * ci + c) * window.kernel[0] * window.kernel[1] + t);
      }
    }
  }
  const int64_t area = made.out[0] * made.out[1];
  for (size_t i = 0; i < out.size(); ++i) {
    const auto& scales = r.T(weights).quant->scale;
    const double s_w = scales[scales.size() == 1 ? 0 : i / static_cast<size_t>(area)];
    // One scale for all is multiplied as for each channel.
    const exact::Factor factor = exact::FactorOf(r.S(x) * s_w / r.S(y));
    ASSERT_EQ(out[i], exact::Narrow(exact::Rescale(sums[i], factor, mode), r.Z(y), n.lo, n.hi))
        << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Image, ::testing::Range(0, 20));

}  // namespace
}  // namespace tessera::image_test
