// SPDX-License-Identifier: Apache-2.0
//
// What is tested: transposed convolutions behind a convolution compile and give the integers of
// their definition, on the accelerator where it can run them, otherwise on the host, alone and
// joined in another scale. Space: kernels of 1 to 5 rows and columns, strides 1 to 4, seeded pads,
// channels and paddings of the result; and images that do not stay on chip, whose phases of a row
// are one convolution, on five configurations, one image and several. Not tested here: the
// definition (tests/compiler/region), import (tests/compiler/import).
#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/networks/agree.h"
#include "tests/networks/build.h"

namespace tessera::networks::transposed_test {
namespace {

using graph::Graph;
using graph::TensorId;

struct Recipes {
  Recipe recipe;
  Graph graph;
};

// A convolution of 1x1 and more to |channels| of |images| images; its result is the output.
Recipes ConvOf(int64_t images, int64_t channels, int64_t rows, int64_t columns) {
  auto recipe = Parse(fmt::format("network seed 1\nt0 = input shape {0} {1} {2} {3} zero 3\n"
                                  "t1 = conv t0 seed 2 outs {1} channels 1 zero -7\noutput t1\n",
                                  images, channels, rows, columns),
                      "recipe");
  TESSERA_CHECK(recipe.has_value(), "{}", recipe.error().message);
  auto graph = BuildGraph(*recipe);
  TESSERA_CHECK(graph.has_value(), "{}", graph.error().message);
  return {std::move(*recipe), std::move(*graph)};
}

// Adds a transposed convolution of |x| to |outs| channels, with random weights.
TensorId AddUp(Graph& g, const std::string& name, TensorId x,
               const graph::TransposedConvAttributes& made, int64_t outs, Rng& rng) {
  const graph::Shape in = g.tensor(x).shape;
  graph::GraphTensor weights;
  weights.name = name + ".weights";
  weights.shape = {outs, in[1], made.window.kernel[0], made.window.kernel[1]};
  weights.quant = graph::Quant{{0.01}, {0}, -1};
  weights.data.emplace();
  for (int64_t n = 0; n < weights.count(); ++n)
    weights.data->push_back(static_cast<uint8_t>(rng.Range(-127, 127)));
  graph::GraphTensor y;
  y.name = name;
  y.shape = {in[0], outs, made.out[0], made.out[1]};
  y.quant = graph::Quant{{g.tensor(x).quant->scale[0]}, {5}, -1};
  const TensorId w = g.AddTensor(std::move(weights)), out = g.AddTensor(std::move(y));
  g.nodes.push_back({.op = graph::Op::kTransposedConv,
                     .name = name + ".up",
                     .inputs = {x, w},
                     .output = out,
                     .attributes = made,
                     .round = isa::Round::kTflite});
  return out;
}

// Adds the concatenation of |parts|, which have one scale, in another one.
TensorId AddConcat(Graph& g, const std::vector<TensorId>& parts) {
  graph::GraphTensor joined = g.tensor(parts[0]);
  joined.name = "joined";
  joined.shape[1] *= std::ssize(parts);
  joined.quant->scale[0] *= 1.25;
  const TensorId out = g.AddTensor(std::move(joined));
  g.nodes.push_back({.op = graph::Op::kConcat,
                     .name = "join",
                     .inputs = parts,
                     .output = out,
                     .attributes = graph::ConcatAttributes{1},
                     .round = isa::Round::kEven});
  return out;
}

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
    auto [recipe, graph] = ConvOf(1, channels, 5, 6);
    const TensorId x = graph.outputs[0];
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
    const TensorId y = AddUp(graph, "y", x, made, outs, rng);
    graph.outputs = {y};
    if (k % 2 == 1) graph.outputs = {AddConcat(graph, {y, AddUp(graph, "z", x, made, outs, rng)})};
    const Outcome outcome =
        RunGraph(graph, InputValues(recipe, graph), {.config = "tiny", .devices = {"func"}});
    EXPECT_EQ(outcome.broken + outcome.refused + outcome.difference, "");
    EXPECT_EQ(outcome.compared, outcome.layers);
    on_accelerator += outcome.on_accelerator;
  }
  EXPECT_GE(on_accelerator, 20) << "the convolution in front at least";
}

INSTANTIATE_TEST_SUITE_P(Rows, Transposed, ::testing::Range<int64_t>(1, 6));

struct RowsCase {
  const char* config;
  int64_t images, channels, rows, columns, outs, stride;
  bool joined = false;  // with another one
};

class TransposedRows : public ::testing::TestWithParam<RowsCase> {};

// One layer on the accelerator for a row of phases, behind the first convolution, and the views.
TEST_P(TransposedRows, AreOneConvolution) {
  const auto& [config, images, channels, rows, columns, outs, stride, joined] = GetParam();
  Rng rng(7);
  auto [recipe, graph] = ConvOf(images, channels, rows, columns);
  const TensorId x = graph.outputs[0];
  graph::TransposedConvAttributes made;
  made.window.kernel = made.window.stride = {stride, stride};
  made.out = {rows * stride, columns * stride};
  const TensorId y = AddUp(graph, "y", x, made, outs, rng);
  graph.outputs = {y};
  if (joined) graph.outputs = {AddConcat(graph, {y, AddUp(graph, "z", x, made, outs, rng)})};
  const Outcome outcome =
      RunGraph(graph, InputValues(recipe, graph),
               {.config = config, .devices = {"func"}, .observe = {false, true}});
  EXPECT_EQ(outcome.broken + outcome.refused + outcome.difference, "");
  EXPECT_EQ(outcome.compared, outcome.layers);
  EXPECT_EQ(outcome.on_accelerator, 1 + (joined ? 2 * stride + 3 : stride + 1));
}

INSTANTIATE_TEST_SUITE_P(Columns, TransposedRows,
                         ::testing::Values(RowsCase{"default", 1, 16, 33, 32, 16, 2, true},
                                           RowsCase{"default", 1, 16, 33, 32, 32, 2, true},
                                           RowsCase{"default", 1, 16, 16, 65, 32, 3},
                                           RowsCase{"default", 1, 5, 9, 7, 8, 2},
                                           RowsCase{"default", 1, 5, 9, 7, 5, 3},
                                           RowsCase{"default", 2, 5, 9, 7, 4, 4},
                                           RowsCase{"tiny", 1, 5, 9, 7, 2, 2},
                                           RowsCase{"wide", 1, 16, 33, 32, 32, 2, true},
                                           RowsCase{"batch4", 4, 16, 23, 23, 32, 2},
                                           RowsCase{"ultra96", 1, 16, 65, 33, 16, 2}));

}  // namespace
}  // namespace tessera::networks::transposed_test
