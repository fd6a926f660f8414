// SPDX-License-Identifier: Apache-2.0
//
// ONNX TopK, CumSum, OneHot, NonMaxSuppression and ConvTranspose in groups against plain loops:
// seeded shapes, values with many equals, boxes that overlap; refusals. Not here: the cases of
// ONNX's own (onnx_cases_test), the kernels of TFLite (tests/models).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/graph_eval.h"
#include "tests/compiler/import/bad_model.h"

namespace tessera::import_choice_test {
namespace {

using Shape = std::vector<int64_t>;

// What |b|'s graph makes of |inputs|, in the order of its inputs.
std::vector<std::vector<uint8_t>> Outputs(const ModelBuilder& b,
                                          const std::vector<std::vector<uint8_t>>& inputs) {
  auto g = ImportOnnx(b.Bytes(), "m.onnx");
  EXPECT_TRUE(g) << g.error().message;
  if (!g) return {};
  EXPECT_TRUE(quantize::AttachRequant(*g));
  TensorBytes values;
  for (size_t k = 0; k < inputs.size(); ++k) values[g->inputs.at(k)] = inputs[k];
  RunRegions(*g, values);
  std::vector<std::vector<uint8_t>> made;
  for (const graph::TensorId id : g->outputs) made.push_back(values.at(id));
  return made;
}

std::vector<float> Drawn(Rng& rng, int64_t count, int64_t steps) {
  std::vector<float> values;
  for (int64_t k = 0; k < count; ++k)
    values.push_back(static_cast<float>(rng.Range(-steps, steps)) / 4);
  return values;
}

class Choice : public ::testing::TestWithParam<uint64_t> {
 protected:
  Rng rng{GetParam()};
  // [outer, n, inner] and the axis in the middle.
  Shape shape{rng.Range(1, 3), rng.Range(1, 9), rng.Range(1, 4)};
  std::vector<float> x = Drawn(rng, shape[0] * shape[1] * shape[2], 6);
  size_t At(int64_t outer, int64_t k, int64_t inner, int64_t n) const {
    return static_cast<size_t>((outer * n + k) * shape[2] + inner);
  }
};

TEST_P(Choice, TopKIsAStableSort) {
  const int64_t n = shape[1], count = rng.Range(1, n);
  const bool largest = rng.OneIn(2);
  B b;
  b.Input("x", shape);
  b.Int64s("k", {1}, {count});
  auto& node = b.Node("TopK", {"x", "k"}, {"values", "indices"}, "op");
  B::Attr(node, "axis", int64_t{rng.OneIn(2) ? 1 : -2});
  B::Attr(node, "largest", int64_t{largest});
  B::Attr(node, "sorted", int64_t{rng.OneIn(2)});
  b.Output("values");
  b.Output("indices");
  const auto made = Outputs(b, {Bytes(x)});
  ASSERT_EQ(made.size(), 2u);
  const std::vector<float> values = As<float>(made[0]);
  const std::vector<int64_t> indices = As<int64_t>(made[1]);
  for (int64_t o = 0; o < shape[0]; ++o) {
    for (int64_t i = 0; i < shape[2]; ++i) {
      std::vector<int64_t> order(static_cast<size_t>(n));
      std::iota(order.begin(), order.end(), int64_t{0});
      std::ranges::stable_sort(order, [&](int64_t p, int64_t q) {
        return largest ? x[At(o, p, i, n)] > x[At(o, q, i, n)]
                       : x[At(o, p, i, n)] < x[At(o, q, i, n)];
      });
      for (int64_t k = 0; k < count; ++k) {
        const int64_t want = order[static_cast<size_t>(k)];
        ASSERT_EQ(indices[At(o, k, i, count)], want) << "seed " << GetParam();
        ASSERT_EQ(values[At(o, k, i, count)], x[At(o, want, i, n)]);
      }
    }
  }
}

TEST_P(Choice, CumSumAddsOneByOne) {
  const bool exclusive = rng.OneIn(2), reverse = rng.OneIn(2);
  B b;
  b.Input("x", shape);
  b.Int64s("axis", {}, {1});
  auto& node = b.Node("CumSum", {"x", "axis"}, {"y"}, "op");
  B::Attr(node, "exclusive", int64_t{exclusive});
  B::Attr(node, "reverse", int64_t{reverse});
  b.Output("y");
  const auto made = Outputs(b, {Bytes(x)});
  ASSERT_EQ(made.size(), 1u);
  const std::vector<float> y = As<float>(made[0]);
  const int64_t n = shape[1];
  for (int64_t o = 0; o < shape[0]; ++o) {
    for (int64_t i = 0; i < shape[2]; ++i) {
      float sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        const size_t at = At(o, reverse ? n - 1 - k : k, i, n);
        if (!exclusive) sum += x[at];
        ASSERT_EQ(y[at], sum) << "seed " << GetParam();  // quarters: no rounding
        if (exclusive) sum += x[at];
      }
    }
  }
}

struct PlainBox {
  float y0, x0, y1, x1;
  float Area() const { return (y1 - y0) * (x1 - x0); }
};

float ShareOf(const PlainBox& a, const PlainBox& b) {
  const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  if (height <= 0 || width <= 0 || a.Area() <= 0 || b.Area() <= 0) return 0;
  return height * width / (a.Area() + b.Area() - height * width);
}

// By sorting all and asking each pair, as no graph does.
TEST_P(Choice, NonMaxSuppressionIsGreedy) {
  const int64_t batch = rng.Range(1, 2), classes = rng.Range(1, 3), n = rng.Range(1, 12);
  const int64_t most = rng.Range(1, 6);
  const bool centred = rng.OneIn(2), low = rng.OneIn(2);
  const float share = static_cast<float>(rng.Range(1, 9)) / 10;
  std::vector<float> boxes;
  std::vector<PlainBox> plain;
  for (int64_t k = 0; k < batch * n; ++k) {
    const float a = static_cast<float>(rng.Range(0, 8)), c = static_cast<float>(rng.Range(0, 8));
    const float h = static_cast<float>(rng.Range(0, 6)), w = static_cast<float>(rng.Range(0, 6));
    if (centred) {
      boxes.insert(boxes.end(), {c, a, w, h});
      plain.push_back({a - h / 2, c - w / 2, a + h / 2, c + w / 2});
    } else if (rng.OneIn(2)) {  // any diagonal
      boxes.insert(boxes.end(), {a + h, c, a, c + w});
      plain.push_back({a, c, a + h, c + w});
    } else {
      boxes.insert(boxes.end(), {a, c, a + h, c + w});
      plain.push_back({a, c, a + h, c + w});
    }
  }
  const std::vector<float> scores = Drawn(rng, batch * classes * n, 8);
  B b;
  b.Input("boxes", {batch, n, 4});
  b.Input("scores", {batch, classes, n});
  b.Int64s("most", {}, {most});
  b.Floats("share", {}, {share});
  b.Floats("low", {1}, {-0.5f});
  auto& node = b.Node("NonMaxSuppression",
                      low ? B::Names{"boxes", "scores", "most", "share", "low"}
                          : B::Names{"boxes", "scores", "most", "share"},
                      {"y"}, "op");
  B::Attr(node, "center_point_box", int64_t{centred});
  b.Output("y");
  const auto made = Outputs(b, {Bytes(boxes), Bytes(scores)});
  ASSERT_EQ(made.size(), 1u);
  std::vector<int64_t> want;
  for (int64_t g = 0; g < batch * classes; ++g) {
    std::vector<int64_t> order, kept;
    for (int64_t k = 0; k < n; ++k) {
      if (!low || scores[static_cast<size_t>(g * n + k)] > -0.5f) order.push_back(k);
    }
    std::ranges::stable_sort(order, [&](int64_t p, int64_t q) {
      return scores[static_cast<size_t>(g * n + p)] > scores[static_cast<size_t>(g * n + q)];
    });
    for (const int64_t k : order) {
      const auto box = [&](int64_t of) { return plain[static_cast<size_t>(g / classes * n + of)]; };
      if (std::ssize(kept) < most && std::ranges::none_of(kept, [&](int64_t other) {
            return ShareOf(box(k), box(other)) > share;
          }))
        kept.push_back(k);
    }
    for (const int64_t k : kept) want.insert(want.end(), {g / classes, g % classes, k});
  }
  want.resize(static_cast<size_t>(3 * batch * classes * std::min(most, n)), -1);
  EXPECT_EQ(As<int64_t>(made[0]), want) << "seed " << GetParam();
}

TEST_P(Choice, TransposedConvolutionInGroupsIsOneForEach) {
  const int64_t groups = rng.Range(2, 3), ins = rng.Range(1, 2), outs = rng.Range(1, 3);
  const std::vector<float> image = Drawn(rng, groups * ins * 6, 6),
                           weights = Drawn(rng, groups * ins * outs * 4, 6);
  B b;
  b.Input("x", {1, groups * ins, 2, 3});
  b.Floats("w", {groups * ins, outs, 2, 2}, weights);
  B::Attr(b.Node("ConvTranspose", {"x", "w"}, {"y"}, "op"), "group", groups);
  b.Output("y");
  const auto made = Outputs(b, {Bytes(image)});
  ASSERT_EQ(made.size(), 1u);
  std::vector<float> want(static_cast<size_t>(groups * outs * 12));
  for (int64_t c = 0; c < groups * ins; ++c) {
    for (int64_t o = 0; o < outs; ++o) {
      for (int64_t p = 0; p < 6 * 4; ++p) {  // an element of the image, one of the window
        const int64_t row = p / 12 + p / 2 % 2, column = p / 4 % 3 + p % 2;
        want[static_cast<size_t>(((c / ins * outs + o) * 3 + row) * 4 + column)] +=
            image[static_cast<size_t>(c * 6 + p / 4)] *
            weights[static_cast<size_t>((c * outs + o) * 4 + p % 4)];
      }
    }
  }
  EXPECT_EQ(As<float>(made[0]), want) << "seed " << GetParam();  // sixteenths: no rounding
}

INSTANTIATE_TEST_SUITE_P(Seeds, Choice, ::testing::Range<uint64_t>(0, 20));

// Outside of [-depth, depth - 1] an index is nowhere.
TEST(OneHot, NegativeIndicesCountFromTheEnd) {
  B b;
  b.Input("x", {5}, onnx::TensorProto::INT32);
  b.Int64s("depth", {}, {3});
  b.Floats("values", {2}, {0, 5});
  b.Node("OneHot", {"x", "depth", "values"}, {"y"}, "op");
  b.Output("y");
  const auto made = Outputs(b, {Bytes<int32_t>({2, -3, 3, -4, -1})});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(As<float>(made[0]), (std::vector<float>{0, 0, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5}));
}

B TopModel(const Shape& shape, const std::vector<int64_t>& count) {
  B b;
  b.Input("x", shape);
  b.Int64s("k", {std::ssize(count)}, count);
  b.Node("TopK", {"x", "k"}, {"y", "at"}, "op");
  b.Output("y");
  return b;
}

B BoxModel(const Shape& boxes, const Shape& scores, int64_t most) {
  B b;
  b.Input("boxes", boxes);
  b.Input("scores", scores);
  b.Int64s("most", {}, {most});
  b.Node("NonMaxSuppression", {"boxes", "scores", "most"}, {"y"}, "op");
  b.Output("y");
  return b;
}

B HotModel(int64_t depth) {
  B b;
  b.Input("x", {2}, onnx::TensorProto::INT64);
  b.Int64s("depth", {}, {depth});
  b.Floats("values", {2}, {0, 1});
  b.Node("OneHot", {"x", "depth", "values"}, {"y"}, "op");
  b.Output("y");
  return b;
}

B ResponseModel(const Shape& shape, int64_t size) {
  B b;
  b.Input("x", shape);
  B::Attr(b.Node("LRN", {"x"}, {"y"}, "op"), "size", size);
  b.Output("y");
  return b;
}

TEST(ChoiceBad, IsRefusedWithTheReason) {
  const std::vector<std::pair<B, std::string>> cases = {
      {TopModel({2, 5}, {6}), "6 of the 5 elements of axis 1"},
      {TopModel({2, 5}, {0}), "0 of the 5 elements of axis 1"},
      {TopModel({2, 5}, {1, 2}), "2 counts"},
      {TopModel({1, 65537}, {5}), "axis 1 has 65537 elements, at most 65536 are sorted"},
      {BoxModel({1, 6, 5}, {1, 2, 6}, 3), "boxes [1, 6, 5] and scores [1, 2, 6]; [batch, n, 4]"},
      {BoxModel({1, 6, 4}, {1, 2, 6}, 0), "picks at most 0 boxes"},
      {BoxModel({1, 600, 4}, {1, 2, 600}, 600), "picks 600 boxes one after the other, at most 512"},
      {HotModel(0), "depth 0"},
      {ResponseModel({2, 3}, 7), "size 7 of shape [2, 3]"},
      {ResponseModel({3}, 1), "shape [3] has no channels"},
  };
  for (const auto& [b, message] : cases) {
    const auto g = ImportOnnx(b.Bytes(), "m.onnx");
    ASSERT_FALSE(g) << message;
    EXPECT_NE(g.error().message.find(message), std::string::npos) << g.error().message;
  }
}

}  // namespace
}  // namespace tessera::import_choice_test
