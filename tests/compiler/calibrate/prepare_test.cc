// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the folding before calibration, against the formula of BatchNormalization on the
// convolution's own result; nodes that stay; models that are refused. Space: seeded weights; every
// operator that can take in a normalisation. Not tested here: the command's messages
// (tools_quantize_test).
#include "compiler/calibrate/prepare.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/compiler/calibrate/float_model.h"

namespace tessera::calibrate::prepare_test {
namespace {

using test::Evaluated;
using test::FloatModel;
using test::RandomFloats;
using ::testing::HasSubstr;

void AddNorm(FloatModel& m, const std::string& x, int64_t channels, const std::string& result) {
  FloatModel::Names operands{x};
  for (const std::string part : {".scale", ".shift", ".mean"})
    operands.push_back(m.Random(result + part, {channels}));
  operands.push_back(m.Random(result + ".variance", {channels}, 0.1f));
  m.Node("BatchNormalization", operands, result).attributes["epsilon"].f = 0.001f;
}

TEST(Prepare, ANormalisationGoesIntoTheConvolution) {
  for (const bool bias : {false, true}) {
    for (const int64_t groups : {1, 4}) {
      SCOPED_TRACE(testing::Message() << "bias " << bias << ", groups " << groups);
      FloatModel m(11);
      m.Input("x", {1, 4, 6, 6});
      m.Conv("x", 4, 8, bias, "c", groups);
      FloatModel alone = m;
      alone.Output("c");
      AddNorm(m, "c", 8, "n");
      m.Output("n");
      const std::vector<float> x = RandomFloats(4 * 36, 12);
      std::vector<float> want = Evaluated(alone.model, x);
      for (size_t i = 0; i < want.size(); ++i) {
        const auto at = [&](const char* part) {
          return double{m.model.initializers.at(std::string("n") + part).as<float>()[i / 36]};
        };
        want[i] = static_cast<float>((double{want[i]} - at(".mean")) /
                                         std::sqrt(at(".variance") + 0.001) * at(".scale") +
                                     at(".shift"));
      }
      const auto done = Prepare(m.model);
      ASSERT_TRUE(done) << done.error().message;
      EXPECT_EQ(done->norms, 1);
      ASSERT_EQ(m.model.nodes.size(), 1u);
      EXPECT_EQ(m.model.initializers.size(), 2u) << "what nothing reads is left out";
      const std::vector<float> have = Evaluated(m.model, x);
      ASSERT_EQ(have.size(), want.size());
      for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(have[i], want[i], 2e-5) << i;
    }
  }
}

TEST(Prepare, AResultThatOthersReadIsNotFolded) {
  FloatModel m(13);
  m.Input("x", {1, 4, 6, 6});
  m.Conv("x", 4, 4, true, "c");
  AddNorm(m, "c", 4, "n");
  m.Node("Add", {"c", "n"}, "y");
  m.Output("y");
  EXPECT_EQ(Prepare(m.model)->norms, 0);
  EXPECT_EQ(m.model.nodes.size(), 3u);
}

TEST(Prepare, IdentitiesGoAndMatMulTakesItsBias) {
  FloatModel m(14);
  m.Input("x", {1, 6});
  m.Node("Identity", {"x"}, "i");
  m.Node("MatMul", {"i", m.Random("w", {6, 3})}, "p");
  m.Node("Add", {m.Random("b", {3}), "p"}, "s");
  m.Node("Dropout", {"s"}, "d");
  m.Node("Relu", {"d"}, "y");
  m.Output("y");
  const std::vector<float> x = RandomFloats(6, 15);
  const std::vector<float> want = Evaluated(m.model, x);
  EXPECT_EQ(Prepare(m.model)->biases, 1);
  ASSERT_EQ(m.model.nodes.size(), 2u);
  EXPECT_EQ(m.model.nodes[0].op_type, "Gemm");
  EXPECT_EQ(m.model.nodes[1].inputs, FloatModel::Names{"s"});
  const std::vector<float> have = Evaluated(m.model, x);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(have[i], want[i], 1e-6) << i;
}

TEST(Prepare, WhatIsQuantisedOrOldIsRefused) {
  FloatModel m(16);
  m.Input("x", {1, 6});
  m.Node("Relu", {"x"}, "y");
  m.Output("y");
  FloatModel old = m;
  old.model.opset = 11;
  const auto too_old = Prepare(old.model);
  ASSERT_FALSE(too_old);
  EXPECT_THAT(too_old.error().message, HasSubstr("is of opset 11; scales per channel need 13"));
  m.Node("QuantizeLinear", {"y", "s", "z"}, "q");
  const auto again = Prepare(m.model);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message,
              HasSubstr("is quantised already: node 1 (QuantizeLinear 'q/QuantizeLinear')"));
}

}  // namespace
}  // namespace tessera::calibrate::prepare_test
