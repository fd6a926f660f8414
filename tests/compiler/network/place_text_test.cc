// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the words for what a part of a network costs on both devices, with a part that
// its neighbours want beside them; the targets of the processors that these words name. Space:
// figures written here, all processors. Not tested here: the figures (place_cost_test).
#include <gtest/gtest.h>

#include "compiler/network/place_cost.h"
#include "compiler/target/board_cpu.h"
#include "compiler/target/host_level.h"
#include "isa/cpu.h"

namespace tessera::network::place_text_test {
namespace {

TEST(PlaceText, TheReasonNamesWhatLeavingWouldCost) {
  const PartTimes alone{.host = 3.1e-6, .cycles = 4e-6, .start = 22e-6, .carry = 15e-6};
  EXPECT_EQ(
      TimesText(alone, 1, "cortex-a9"),
      "3.1 us on cortex-a9, 41 us on the accelerator, of which 22 us start it and 15 us carry "
      "tensors");
  EXPECT_NEAR(alone.Saved(), 37.9e-6, 1e-12);
  // A tensor that would pass, because a neighbour stays, is a cost of the host's side.
  const PartTimes between{.host = 1e-3, .cycles = 5.2e-3, .carry = -2e-3};
  EXPECT_EQ(TimesText(between, 3, "cortex-a53"),
            "with 2 other operators 3.0 ms on cortex-a53, of which 2.0 ms carry tensors, 5.2 ms on "
            "the accelerator");
  EXPECT_NEAR(between.Saved(), 2.2e-3, 1e-12);
  // So is what its neighbours take longer without it.
  const PartTimes wanted{.host = 3e-6, .cycles = -2e-6, .start = 1e-6};
  EXPECT_NEAR(wanted.OnHost(), 5e-6, 1e-12);
  EXPECT_NEAR(wanted.OnAccelerator(), 1e-6, 1e-12);
}

// Every processor of a configuration has a level of host code.
TEST(PlaceText, EveryProcessorHasATarget) {
  for (const isa::Cpu& cpu : isa::NamedCpus()) {
    ASSERT_NE(target::FindHostLevel(cpu.level), nullptr) << cpu.name;
    const auto target = target::Host(cpu);
    EXPECT_EQ(target->cycles_a_second, static_cast<double>(cpu.clock_mhz) * 1e6);
    EXPECT_EQ(target->processors, cpu.cores);
    ASSERT_EQ(target->caches.size(), 2u);
    EXPECT_EQ(target->caches[1].bytes, cpu.l2_kib * 1024);
    EXPECT_NEAR(target->caches[1].bytes_a_cycle * target->cycles_a_second,
                static_cast<double>(cpu.memory_mb_s) * 1e6, 1);
  }
}

}  // namespace
}  // namespace tessera::network::place_text_test
