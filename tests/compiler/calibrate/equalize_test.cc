// SPDX-License-Identifier: Apache-2.0
//
// What is tested: equalised models compute the same floats, bit for bit; channels get the ranges
// that the header defines; layers that are not a pair stay. Space: dense and depthwise second
// convolutions, seeded weights; a channel of zeros. Not tested here: whether it helps
// (tools_quantize_test).
#include "compiler/calibrate/equalize.h"

#include <cmath>

#include "tests/compiler/calibrate/float_model.h"

namespace tessera::calibrate::equalize_test {
namespace {

using test::Evaluated;
using test::FloatModel;
using test::RandomFloats;

// x -> c1 [8 channels of ranges from 1 to 64] -> r -> c2 -> y
FloatModel Pair(int64_t groups) {
  FloatModel m(21);
  m.Input("x", {1, 3, 6, 6});
  m.Conv("x", 3, 8, true, "c1");
  for (size_t c = 0; c < 8; ++c) {
    const float factor = c == 5 ? 0 : std::ldexp(1.0f, static_cast<int>(c % 7));
    for (size_t i = 0; i < 27; ++i) m.model.initializers["c1.w"].as<float>()[c * 27 + i] *= factor;
    m.model.initializers["c1.b"].as<float>()[c] *= factor;
  }
  m.Node("Relu", {"c1"}, "r");
  m.Conv("r", 8, 8, false, "c2", groups);
  m.Output("c2");
  return m;
}

std::vector<float> ChannelMost(const onnx_model::OnnxModel& model, const std::vector<float>& x) {
  onnx_model::OnnxModel front = model;
  front.nodes.resize(2);
  front.outputs = {{"r", DType::kFloat32, std::nullopt}};
  const std::vector<float> r = Evaluated(front, x);
  std::vector<float> most(8, 0);
  for (size_t i = 0; i < r.size(); ++i) most[i / 36] = std::max(most[i / 36], std::abs(r[i]));
  return most;
}

TEST(Equalize, EveryFloatIsTheSame) {
  for (const int64_t groups : {1, 2, 8}) {
    SCOPED_TRACE(groups);
    FloatModel m = Pair(groups);
    const std::vector<float> x = RandomFloats(3 * 36, 22);
    const std::vector<float> before = Evaluated(m.model, x), wide = ChannelMost(m.model, x);
    const std::vector<ConvPair> pairs = ConvPairs(m.model);
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].value, "r");
    EXPECT_GE(Equalize(m.model, pairs[0], wide), 4u);
    EXPECT_EQ(Evaluated(m.model, x), before);
    const std::vector<float> narrow = ChannelMost(m.model, x);
    const auto spread = [](const std::vector<float>& most) {
      float least = INFINITY, greatest = 0;
      for (const float v : most) {
        if (v == 0) continue;
        least = std::min(least, v);
        greatest = std::max(greatest, v);
      }
      return greatest / least;
    };
    EXPECT_EQ(narrow[5], 0) << "nothing comes through it";
    EXPECT_LT(spread(narrow), groups == 8 ? 2.0f : spread(wide) / 3);
  }
}

TEST(Equalize, OnlyARowOfTwoIsAPair) {
  FloatModel m = Pair(1);
  FloatModel tapped = m;
  tapped.Output("r");
  EXPECT_TRUE(ConvPairs(tapped.model).empty());
  FloatModel shared = m;
  shared.Node("Conv", {"c2", "c2.w"}, "again").attributes["pads"].ints = {1, 1, 1, 1};
  EXPECT_TRUE(ConvPairs(shared.model).empty()) << "another node has the same weights";
  FloatModel bounded = m;
  bounded.model.nodes[1].op_type = "Sigmoid";
  EXPECT_TRUE(ConvPairs(bounded.model).empty());
}

}  // namespace
}  // namespace tessera::calibrate::equalize_test
