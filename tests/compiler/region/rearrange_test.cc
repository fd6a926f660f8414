// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements, mean, softmax: against plain loops; softmax against real
// arithmetic, within the one step that its fixed point may be off. Space: seeded random shapes and
// values. The exact integers of mean and softmax are held to the interpreter's in tests/models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/compiler/region/random_graph.h"

namespace tessera::rearrange_test {
namespace {

using graph::Op;
using graph::TensorId;

class Rearrange : public ::testing::TestWithParam<uint64_t> {
 protected:
  RandomGraph r{GetParam()};
  TensorId Result(std::vector<int64_t> shape, TensorId like) {
    const TensorId y = r.Int8("y", std::move(shape), false);
    r.g.tensor(y).quant = r.T(like).quant;
    r.g.outputs = {y};
    return y;
  }
};

TEST_P(Rearrange, TransposeMovesEveryElement) {
  const std::vector<int64_t> in{r.rng.Range(1, 3), r.rng.Range(1, 5), r.rng.Range(1, 4),
                                r.rng.Range(1, 6)};
  std::vector<int> perm{0, 1, 2, 3};
  for (size_t k = 3; k > 0; --k)
    std::swap(perm[k], perm[static_cast<size_t>(r.rng.Range(0, static_cast<int64_t>(k)))]);
  std::vector<int64_t> out;
  for (const int d : perm) out.push_back(in[static_cast<size_t>(d)]);
  const TensorId x = r.Int8("x", in, true), y = Result(out, x);
  r.g.nodes = {{.op = Op::kTranspose,
                .name = "n",
                .inputs = {x},
                .output = y,
                .attributes = graph::TransposeAttributes{perm}}};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> a = r.V(x), b = r.V(y);
  size_t at = 0;
  int64_t i[4];
  for (i[0] = 0; i[0] < out[0]; ++i[0])
    for (i[1] = 0; i[1] < out[1]; ++i[1])
      for (i[2] = 0; i[2] < out[2]; ++i[2])
        for (i[3] = 0; i[3] < out[3]; ++i[3]) {
          int64_t from[4];
          for (size_t d = 0; d < 4; ++d) from[perm[d]] = i[d];
          ASSERT_EQ(b[at++],
                    a[static_cast<size_t>(((from[0] * in[1] + from[1]) * in[2] + from[2]) * in[3] +
                                          from[3])]);
        }
}

TEST_P(Rearrange, PadAndConcatKeepTheMiddle) {
  const int64_t c = r.rng.Range(1, 4), h = r.rng.Range(1, 5), more = r.rng.Range(1, 4);
  const int64_t before = r.rng.Range(0, 3), after = r.rng.Range(0, 3);
  const TensorId x = r.Int8("x", {1, c, h}, true), z = r.Int8("z", {1, more, h}, true);
  r.g.tensor(z).quant = r.T(x).quant;
  const TensorId joined = r.Int8("joined", {1, c + more, h}, false),
                 y = Result({1, c + more, h + before + after}, x);
  r.g.tensor(joined).quant = r.T(x).quant;
  const auto value = static_cast<int32_t>(r.rng.Range(-128, 127));
  r.g.nodes = {{.op = Op::kConcat,
                .name = "c",
                .inputs = {x, z},
                .output = joined,
                .attributes = graph::ConcatAttributes{1}},
               {.op = Op::kPad,
                .name = "p",
                .inputs = {joined},
                .output = y,
                .attributes = graph::PadAttributes{{{0, 0}, {0, 0}, {before, after}}, value}}};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> a = r.V(x), d = r.V(z), b = r.V(y);
  const int64_t width = h + before + after;
  for (int64_t ch = 0; ch < c + more; ++ch) {
    for (int64_t i = 0; i < width; ++i) {
      const int64_t from = i - before;
      const int8_t want = from < 0 || from >= h ? static_cast<int8_t>(value)
                          : ch < c              ? a[static_cast<size_t>(ch * h + from)]
                                                : d[static_cast<size_t>((ch - c) * h + from)];
      ASSERT_EQ(b[static_cast<size_t>(ch * width + i)], want) << ch << " " << i;
    }
  }
}

// Rounded twice: within three quarters of a step of the real mean.
TEST_P(Rearrange, MeanIsTheMean) {
  const int64_t c = r.rng.Range(1, 5), h = r.rng.Range(1, 9), w = r.rng.Range(1, 9);
  const TensorId x = r.Int8("x", {2, c, h, w}, true, 0.05),
                 y = r.Int8("y", {2, c, 1, 1}, false, r.Scale(0.02, 0.2));
  r.g.outputs = {y};
  r.g.nodes = {
      {.op = Op::kMean, .name = "n", .inputs = {x}, .output = y, .round = isa::Round::kTflite}};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> a = r.V(x), b = r.V(y);
  for (int64_t k = 0; k < 2 * c; ++k) {
    double sum = 0;
    for (int64_t i = 0; i < h * w; ++i) sum += a[static_cast<size_t>(k * h * w + i)] - r.Z(x);
    const double real = sum / static_cast<double>(h * w) * r.S(x) / r.S(y) + r.Z(y);
    ASSERT_NEAR(b[static_cast<size_t>(k)], std::clamp(real, -128.0, 127.0), 0.7501);
  }
}

TEST_P(Rearrange, SoftmaxIsWithinAStepOfRealArithmetic) {
  const int64_t rows = r.rng.Range(1, 4), n = r.rng.Range(1, 40);
  const TensorId x = r.Int8("x", {rows, n}, true, r.Scale(0.01, 0.5)),
                 y = r.Int8("y", {rows, n}, false);
  r.g.tensor(y).quant = graph::Quant{{1.0 / 256}, {-128}, -1};
  r.g.outputs = {y};
  const double beta = r.rng.OneIn(2) ? 1 : 0.5;
  r.g.nodes = {{.op = Op::kSoftmax,
                .name = "n",
                .inputs = {x},
                .output = y,
                .attributes = graph::SoftmaxAttributes{beta}}};
  ASSERT_NO_FATAL_FAILURE(r.Run());
  const std::vector<int8_t> a = r.V(x), b = r.V(y);
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += std::exp(beta * r.S(x) * a[static_cast<size_t>(row * n + i)]);
    for (int64_t i = 0; i < n; ++i) {
      const double real =
          256 * std::exp(beta * r.S(x) * a[static_cast<size_t>(row * n + i)]) / sum - 128;
      ASSERT_NEAR(b[static_cast<size_t>(row * n + i)], std::min(real, 127.0), 1.0)
          << row << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Rearrange, ::testing::Range<uint64_t>(0, 30));

}  // namespace
}  // namespace tessera::rearrange_test
