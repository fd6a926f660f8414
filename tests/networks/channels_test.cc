// SPDX-License-Identifier: Apache-2.0
//
// What is tested: units of ShuffleNetV2 of any number of channels give the integers of their
// definition on the accelerator, in one program without the host between. Space: halves of 5 to 40
// channels, two units with a step of scale, one and three images, on default, tiny, batch4, wide.
// Not tested here: the pass (tests/compiler/network), networks around it (agree_test).
#include <gtest/gtest.h>

#include "tests/networks/agree.h"
#include "tests/networks/build.h"

namespace tessera::networks::channels_test {
namespace {

// Two units of 2 * |half| channels on |images| images; the second one has a depthwise layer. The
// seeds give the concatenations the rule of ONNX, one multiplier for each operand.
Recipe Units(int64_t half, int64_t images) {
  const auto recipe =
      Parse(fmt::format("network seed 1\n"
                        "t0 = input shape {1} 8 6 5 zero 3\n"
                        "t1 = conv t0 seed 2 outs {2} channels 1 zero -7\n"
                        "t2 = slice t1 outs {0}\n"
                        "t3 = slice t1 outs {0} pads {0} 0 0 0\n"
                        "t4 = conv t3 seed 3 outs {0} zero 4 bounds 4 127\n"
                        "t5 = concat t2 t4 seed 8\n"
                        "t6 = shuffle t5 groups 2\n"
                        "t7 = slice t6 outs {0}\n"
                        "t8 = slice t6 outs {0} pads {0} 0 0 0\n"
                        "t9 = depthwise t8 seed 4 kernel 3 3 pads 1 1 1 1 zero 9\n"
                        "t10 = conv t9 seed 5 outs {0} zero -2\n"
                        "t11 = concat t7 t10 seed 9\n"
                        "t12 = shuffle t11 groups 2\n"
                        "t13 = depthwise t12 seed 6 kernel 3 3 stride 2 2 pads 1 1 1 1\n"
                        "t14 = conv t13 seed 7 outs 24 zero 1\n"
                        "output t14\n",
                        half, images, 2 * half),
            "recipe");
  TESSERA_CHECK(recipe.has_value(), "{}", recipe.error().message);
  return *recipe;
}

class Channels : public ::testing::TestWithParam<const char*> {};

TEST_P(Channels, OfAnyNumberNeedNoHost) {
  for (const int64_t half : {5, 12, 24, 40}) {
    for (const int64_t images : {1, 3}) {
      SCOPED_TRACE(testing::Message() << "halves of " << half << " channels, " << images);
      const Way way{.config = GetParam(), .devices = {"func"}, .observe = {false, true}};
      const Outcome outcome = RunNetwork(Units(half, images), way);
      EXPECT_EQ(outcome.broken + outcome.refused + outcome.difference, "");
      EXPECT_EQ(outcome.compared, outcome.layers);
      EXPECT_EQ(outcome.on_accelerator, outcome.layers);
      EXPECT_EQ(outcome.programs, 1);
      EXPECT_GE(outcome.views, 2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configurations, Channels,
                         ::testing::Values("default", "tiny", "batch4", "wide"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace tessera::networks::channels_test
