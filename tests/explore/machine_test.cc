// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the words of --objective; the values of goals; which resource a machine has too
// much of, and by how much; the clock of a machine; what limits a network; costs as lines. Space:
// made-up figures. Not tested here: the models behind the figures.
#include "explore/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explore/evaluate.h"
#include "explore/sensitivity.h"

namespace tessera::explore::machine_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Goals, AreWordsAndValues) {
  const auto goals = ParseGoals("ms,lut,ff,dsp,bram,energy-proxy");
  ASSERT_TRUE(goals.has_value());
  const hw::Silicon area{.lut = 1000, .ff = 2000, .dsp = 30, .bram18 = 4, .ns = 5};
  const MachineCost cost{.networks = {{.accelerator = 0.002, .host = 0.001},
                                      {.accelerator = 0.003, .start = 0.0005, .carry = 0.0015}}};
  // 1000 + 30 x 100 + 4 x 200 LUTs for 5 ms, in thousands.
  EXPECT_THAT(ValuesOf(*goals, area, cost), ElementsAre(::testing::DoubleEq(8), 1000, 2000, 30, 4,
                                                        ::testing::DoubleNear(4.8 * 5, 1e-9)));
  for (const auto& [words, said] :
       {std::pair{"ms,time", "'time': give some of ms, lut"}, std::pair{"", "'': give some of"},
        std::pair{"lut,ms,lut", "lut is there twice"}}) {
    const auto wrong = ParseGoals(words);
    ASSERT_FALSE(wrong.has_value()) << words;
    EXPECT_THAT(wrong.error().message, HasSubstr(said));
  }
}

TEST(Misfit, IsTheWorstResource) {
  const hw::Part part{
      .name = "p", .family = "xc7", .lut = 1000, .ff = 1000, .dsp = 10, .bram18 = 10};
  EXPECT_EQ(MisfitOf({.lut = 1000, .ff = 1000, .dsp = 10, .bram18 = 10}, part).resource, "");
  const Misfit misfit = MisfitOf({.lut = 1100, .ff = 10, .dsp = 15, .bram18 = 12}, part);
  EXPECT_EQ(MisfitText(misfit), "DSP: 15 of 10, 50 % too many");
}

TEST(Clock, IsTheWantedOneUnlessThePathIsLonger) {
  EXPECT_EQ(ClockOf({.ns = 6.2}, 100), 100);
  EXPECT_EQ(ClockOf({.ns = 6.2}, 200), 161);
  EXPECT_EQ(ClockOf({.ns = 5000}, 200), 1);
}

TEST(Limits, AreWhatTakesMost) {
  NetworkCost cost{.cycles = 100, .accelerator = 3, .host = 1, .gemm = 90, .vector = 60, .bus = 95};
  EXPECT_EQ(LimitOf(cost), Limit::kBus);
  cost.bus = 10;
  EXPECT_EQ(LimitOf(cost), Limit::kArray);
  cost.gemm = 20;
  EXPECT_EQ(LimitOf(cost), Limit::kVector);
  cost.vector = 30;
  EXPECT_EQ(LimitOf(cost), Limit::kWaits);
  cost.carry = 4;
  EXPECT_EQ(LimitOf(cost), Limit::kTransfers);
  cost.host = 5;
  EXPECT_EQ(LimitOf(cost), Limit::kHost);
  cost.start = 6;
  EXPECT_EQ(LimitOf(cost), Limit::kStarts);
}

TEST(Costs, AreLines) {
  const MachineCost cost{.networks = {{.cycles = 1234567, .accelerator = 0.1, .bus = 1.0 / 3}, {}},
                         .seconds = 0.25};
  const auto read = ParseCost(PrintCost(cost));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->networks.size(), 2u);
  EXPECT_EQ(read->networks[0].cycles, 1234567);
  EXPECT_EQ(read->networks[0].accelerator, 0.1);
  EXPECT_EQ(read->networks[0].bus, 1.0 / 3);
  EXPECT_EQ(read->seconds, 0.25);
  const auto failed = ParseCost(PrintCost({.networks = {}, .cause = "no \"room\"\n"}));
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->cause, "no \"room\"\n");
  for (const char* bad : {"", "{}", "[1]", "{\"seconds\":1}", "{\"seconds\":1,\"networks\":[[1]]}",
                          "{\"seconds\":1,\"cause\":2}", "{\"seconds\":\"x\",\"cause\":\"a\"}"}) {
    EXPECT_FALSE(ParseCost(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace tessera::explore::machine_test
