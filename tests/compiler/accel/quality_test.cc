// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the quality of programs, by counts that do not depend on a machine's timing:
// steps of the multiplier array against the ideal, instructions, bytes, micro-op kernels. Space:
// layers of a large image network on configuration default. Not tested here: cycles (tests/cosim
// and the reports of `tessera compare`).
#include <gtest/gtest.h>

#include "compiler/schedule/accel/plan.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::quality_test {
namespace {

struct Layer {
  const char* name;
  int64_t in, out, extent, kernel, stride;
  int64_t instructions;  // limit
  double weight_passes;  // limit for the bytes read, in multiples of weights + input
};

class LayerQuality : public ::testing::TestWithParam<Layer> {};

TEST_P(LayerQuality, StepsAreIdealAndInstructionsFew) {
  const Layer& l = GetParam();
  Net net(1);
  graph::Window w;
  w.kernel = {l.kernel, l.kernel};
  w.stride = {l.stride, l.stride};
  w.pad_before = w.pad_after = {l.kernel / 2, l.kernel / 2};
  net.Output(net.Conv(net.Input({1, l.in, l.extent, l.extent}), l.out, w));
  const auto compiled = Compile(net.graph(), NamedConfig("default"));
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const jit::ProgramStats& stats = compiled->program.stats;
  const int64_t out = l.extent / l.stride;
  EXPECT_EQ(stats.gemm_steps, out * out * (l.in / 16) * (l.out / 16) * l.kernel * l.kernel);
  EXPECT_EQ(stats.vector_steps, out * out * l.out / 16);
  EXPECT_EQ(stats.store_bytes, out * out * l.out);
  EXPECT_LE(stats.instructions, l.instructions);
  EXPECT_LE(stats.kernels, 4);
  EXPECT_EQ(stats.kernel_loads, stats.kernels) << "every kernel stays resident";
  const double least =
      static_cast<double>(l.in * l.out * l.kernel * l.kernel + l.in * l.extent * l.extent);
  EXPECT_LE(static_cast<double>(stats.load_bytes), l.weight_passes * least);
}

INSTANTIATE_TEST_SUITE_P(Layers, LayerQuality,
                         ::testing::Values(Layer{"wide_image", 64, 64, 56, 3, 1, 700, 4},
                                           Layer{"strided", 64, 128, 56, 3, 2, 700, 4},
                                           Layer{"points_strided", 64, 128, 56, 1, 2, 700, 4},
                                           Layer{"middle", 128, 128, 28, 3, 1, 700, 8},
                                           Layer{"deep", 256, 256, 14, 3, 1, 700, 2},
                                           Layer{"deepest", 512, 512, 7, 3, 1, 700, 2}),
                         [](const auto& layer) { return layer.param.name; });

TEST(Plan, BusBoundWeightsAreReadOnce) {
  // One pixel and many channels: nearly all bytes are weights.
  Net net(1);
  net.Output(net.Dense(net.Input({1, 512}), 1000));
  const auto compiled = Compile(net.graph(), NamedConfig("default"));
  ASSERT_TRUE(compiled.has_value());
  EXPECT_LE(compiled->program.stats.load_bytes, 512 * 1008 + 63 * 144 + 512 + 1024);
}

TEST(Plan, ThinInputChannelsTakeTheWindowIn) {
  // One channel under a 3x3 window: nine lanes of one block, not nine steps of one lane.
  Net net(1);
  net.Output(net.Conv(net.Input({1, 1, 28, 28}), 16, Square(3)));
  const auto compiled = Compile(net.graph(), NamedConfig("default"));
  ASSERT_TRUE(compiled.has_value());
  EXPECT_EQ(compiled->program.stats.gemm_steps, 28 * 28);
  ASSERT_EQ(compiled->program.inputs.size(), 1u);
  EXPECT_EQ(compiled->program.inputs[0].packing.bytes(), 28 * 28 * 9) << "no empty lanes in memory";
}

}  // namespace
}  // namespace tessera::test::quality_test
