// SPDX-License-Identifier: Apache-2.0
//
// What is tested: windows follow each other down columns where that is shorter. A tall layer has
// longer lines of windows than its rows, as its mirror image with rows as columns has, and both
// compute what their definition says. Space: windows of 3x3 to 5x5 with strides 1 and 2 on two
// configurations. Not tested here: what a line costs (tests/hw, tests/cosim), networks
// (tests/models).
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "isa/encoding.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test::windows_down_test {
namespace {

struct Lines {
  int64_t lines = 0, windows = 0;
};

// Compiles a layer of windows over |rows| x |columns|, compares its values, and counts what its
// Depthwise instructions say.
Lines LinesOf(const isa::Config& config, int64_t rows, int64_t columns, const graph::Window& w) {
  Net net(static_cast<uint64_t>(rows));
  const int64_t channels = config.block_out + 3;
  net.Output(net.Conv(net.Input({1, channels, rows, columns}), channels, w, channels));
  const auto compiled = Compile(net.graph(), config);
  EXPECT_TRUE(compiled.has_value()) << compiled.error().message;
  if (!compiled) return {};
  Values values = RandomInputs(net.graph(), net.rng());
  Evaluate(*compiled, values);
  EXPECT_EQ(InterpretAndCompare(*compiled, config, values), "");
  EXPECT_EQ(RunAndCompare(*compiled, config, values, 1), "");
  Lines made;
  const isa::ProgramImage& image = compiled->program.image;
  for (int64_t n = 0; n < image.insn_count(); ++n) {
    const isa::Insn insn = isa::Decode(image.Word(n)).value();
    const auto* windows = std::get_if<isa::Depthwise>(&insn);
    if (windows == nullptr) continue;
    made.lines += windows->iter_z * windows->iter_out;
    made.windows += windows->iter_z * windows->iter_out * windows->iter_in;
  }
  return made;
}

graph::Window Mirror(graph::Window w) {
  for (auto* pair : {&w.kernel, &w.stride, &w.pad_before, &w.pad_after})
    std::swap((*pair)[0], (*pair)[1]);
  return w;
}

class WindowsDown : public ::testing::TestWithParam<const char*> {};

TEST_P(WindowsDown, ATallLayerHasLongLines) {
  const isa::Config config = NamedConfig(GetParam());
  for (const std::array<int64_t, 2> kernel :
       {std::array<int64_t, 2>{3, 3}, {2, 3}, {3, 2}, {5, 3}, {5, 5}}) {
    for (const int64_t stride : {1, 2}) {
      graph::Window w;
      w.kernel = kernel;
      w.stride = {stride, stride};
      w.pad_before = w.pad_after = {kernel[0] / 2, kernel[1] / 2};
      SCOPED_TRACE(testing::Message() << kernel[0] << "x" << kernel[1] << " by " << stride);
      const Lines tall = LinesOf(config, 20, 4, w), wide = LinesOf(config, 4, 20, Mirror(w));
      // On `tiny` a window takes longer than the reads of the first one in a line. Of 2x3 positions
      // by steps of two, a first window reads hardly more than the next ones.
      if (config.name != "default" || kernel[0] != kernel[1]) continue;
      EXPECT_EQ(tall.windows, wide.windows);
      const int64_t row = w.OutExtent(1, 4);
      EXPECT_LT(tall.lines * row, tall.windows) << "lines are longer than rows";
      EXPECT_LE(tall.lines, 2 * wide.lines) << "a tall tile may be cut once";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, WindowsDown, ::testing::Values("default", "tiny"));

}  // namespace
}  // namespace tessera::test::windows_down_test
