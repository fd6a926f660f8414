// SPDX-License-Identifier: Apache-2.0
//
// What is tested: transposed convolutions behind a convolution compile and give the integers of
// their definition, on the accelerator where it can run them, otherwise on the host, alone and
// joined in another scale. Space: kernels
// of 1 to 5 rows and columns, strides 1 to 4, seeded pads, channels and paddings of the result. Not
// tested here: the definition (tests/compiler/region), import (tests/compiler/import).
#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/networks/agree.h"
#include "tests/networks/build.h"

namespace tessera::networks::transposed_test {
namespace {

class Transposed : public ::testing::TestWithParam<int64_t> {};

TEST_P(Transposed, OfEveryKernelAndStrideIsExact) {
  const int64_t rows = GetParam();
  int64_t on_accelerator = 0;
  for (int64_t k = 0; k < 20; ++k) {
    const int64_t columns = k % 5 + 1, stride = k / 5 + 1;
    SCOPED_TRACE(testing::Message()
                 << "kernel " << rows << " x " << columns << ", stride " << stride);
    Rng rng(static_cast<uint64_t>(rows * 100 + k));
    const int64_t channels = rng.Range(1, 20), outs = rng.Range(1, 20);
    const auto recipe =
        Parse(fmt::format("network seed 1\nt0 = input shape 1 {0} 5 6 zero 3\n"
                          "t1 = conv t0 seed 2 outs {0} channels 1 zero -7\noutput t1\n",
                          channels),
              "recipe");
    ASSERT_TRUE(recipe) << recipe.error().message;
    auto graph = BuildGraph(*recipe);
    ASSERT_TRUE(graph) << graph.error().message;
    const graph::TensorId x = graph->outputs[0];
    graph::TransposedConvAttributes made;
    made.window.kernel = {rows, columns};
    made.window.stride = {stride, stride};
    const std::array<int64_t, 2> in{5, 6};
    for (size_t d = 0; d < 2; ++d) {
      const int64_t kernel = made.window.kernel[d];
      made.window.pad_before[d] = rng.Range(0, kernel - 1);
      made.out[d] =
          (in[d] - 1) * stride + kernel - made.window.pad_before[d] + rng.Range(0, stride - 1);
    }
    const auto up = [&](const std::string& name) {
      graph::GraphTensor weights;
      weights.name = name + ".weights";
      weights.shape = {outs, channels, rows, columns};
      weights.quant = graph::Quant{{0.01}, {0}, -1};
      weights.data.emplace();
      for (int64_t n = 0; n < outs * channels * rows * columns; ++n)
        weights.data->push_back(static_cast<uint8_t>(rng.Range(-127, 127)));
      graph::GraphTensor y;
      y.name = name;
      y.shape = {1, outs, made.out[0], made.out[1]};
      y.quant = graph::Quant{{graph->tensor(x).quant->scale[0]}, {5}, -1};
      const graph::TensorId w = graph->AddTensor(std::move(weights)),
                            out = graph->AddTensor(std::move(y));
      graph->nodes.push_back({.op = graph::Op::kTransposedConv,
                              .name = name + ".up",
                              .inputs = {x, w},
                              .output = out,
                              .attributes = made,
                              .round = isa::Round::kTflite});
      return out;
    };
    graph->outputs = {up("y")};
    if (k % 2 == 1) {  // joined with another one in a third scale
      const graph::TensorId other = up("z");
      graph::GraphTensor joined = graph->tensor(other);
      joined.name = "joined";
      joined.shape[1] *= 2;
      joined.quant->scale[0] *= 1.25;
      const graph::TensorId out = graph->AddTensor(std::move(joined));
      graph->nodes.push_back({.op = graph::Op::kConcat,
                              .name = "join",
                              .inputs = {graph->outputs[0], other},
                              .output = out,
                              .attributes = graph::ConcatAttributes{1},
                              .round = isa::Round::kEven});
      graph->outputs = {out};
    }
    const Outcome outcome =
        RunGraph(*graph, InputValues(*recipe, *graph), {.config = "tiny", .devices = {"func"}});
    EXPECT_EQ(outcome.broken + outcome.refused + outcome.difference, "");
    EXPECT_EQ(outcome.compared, outcome.layers);
    on_accelerator += outcome.on_accelerator;
  }
  EXPECT_GE(on_accelerator, 20) << "the convolution in front at least";
}

INSTANTIATE_TEST_SUITE_P(Rows, Transposed, ::testing::Range<int64_t>(1, 6));

}  // namespace
}  // namespace tessera::networks::transposed_test
