// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a transposition, for which no generator has steps on the accelerator, runs there
// with a given schedule, between its neighbours in one program, and all values are those of the
// definition; a schedule that does not fit the layer is refused. Space: two configurations' blocks
// of channels, layers fused and alone. Not tested here: layers that have a schedule of their own
// (tools_schedule_test); which nodes a schedule may bring (compiler_network_test).
#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "tests/networks/agree.h"

namespace tessera::networks::scheduled_layer_test {
namespace {

Result<Recipe> TransposeBetween() {
  return Parse(
      "network seed 3\n"
      "t0 = input shape 1 16 6 7 zero -3\n"
      "t1 = conv t0 seed 1 outs 32 kernel 3 3 pads 1 1 1 1 zero 9\n"
      "t2 = transpose t1\n"
      "t3 = add t2 t2 seed 2 zero 5\n"
      "t4 = conv t3 seed 4 outs 16 kernel 3 3 zero 2\n"
      "output t4\n",
      "text");
}

// |block|: channels of a tile of the machine.
schedule::LayerTrace TransposedByLoads(int block) {
  const Result<schedule::Trace> trace = schedule::ParseTrace(fmt::format(
      R"(cache_write t2 out t2.o
layout t2.o 0,1/{0},2,3,1%{0}
split t2 i1 {0} c.t lane
reorder t2 i0 c.t i2 i3 lane
compute_at t2.o t2 c.t
split t2.o i1 {0} c.t lane
reorder t2.o i0 c.t i2 i3 lane
tensorize t2.o lane tile.load_out
tensorize t2 lane tile.store
)",
      block));
  TESSERA_CHECK(trace.has_value(), "{}", trace.error().message);
  return {schedule::kAcceleratorTrace, "transpose_2", *trace};
}

TEST(ScheduledLayer, IsOnTheAcceleratorBetweenItsNeighbours) {
  for (const auto& [config, block] : {std::pair("default", 16), std::pair("tiny", 4)}) {
    for (const bool fuse : {true, false}) {
      SCOPED_TRACE(testing::Message() << config << ", fuse " << fuse);
      const Result<Recipe> recipe = TransposeBetween();
      ASSERT_TRUE(recipe) << recipe.error().message;
      Way way{.config = config, .fuse = fuse};
      const Outcome without = RunNetwork(*recipe, way);
      EXPECT_EQ(without.broken + without.difference + without.refused, "");
      EXPECT_EQ(without.on_accelerator, 3);
      EXPECT_EQ(without.programs, 2);
      way.schedules = {TransposedByLoads(block)};
      const Outcome with = RunNetwork(*recipe, way);
      EXPECT_EQ(with.broken + with.difference + with.refused, "");
      EXPECT_EQ(with.on_accelerator, 4);
      EXPECT_EQ(with.programs, 1);
      way.schedules[0].trace.pop_back();  // without it the copy is no instruction
      EXPECT_EQ(RunNetwork(*recipe, way).refused,
                "transpose_2: t2: a statement that is no tile of work; tensorize the loops of its "
                "stage");
    }
  }
}

}  // namespace
}  // namespace tessera::networks::scheduled_layer_test
