// SPDX-License-Identifier: Apache-2.0
//
// What is tested: on a small network, the run's cycles are those of device `cycle` (by
// compiler::PlaceNetwork with exact cycles), the prediction's times those of PlaceNetwork; a
// network that no machine compiles says why; halving ends with the front of all machines; what
// half and twice the figures cost. Space: two convolutions, 12 machines of which most fit. Not
// tested here: large networks (bench/explore.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/driver/placement.h"
#include "explore/sensitivity.h"
#include "tests/compiler/accel/net.h"

namespace tessera::explore::networks_test {
namespace {

std::vector<ExploredNetwork> Networks() {
  test::Net net(3);
  const graph::TensorId x = net.Input({1, 16, 10, 10});
  net.Output(net.Conv(net.Conv(x, 32, test::Square(3)), 24, test::Square(1)));
  return {{"small", 1, net.graph()}};
}

Explored Space() {
  auto explored = Explored::Make(
      *MachineSpace::Make(isa::Config(), *ParseSweep({"block=4..16,bus_bits=64,128,inp_kib=4,32"})),
      {isa::Config()}, *hw::LoadPart("xc7z020"), {Goal::kMs, Goal::kLut});
  EXPECT_TRUE(explored.has_value()) << explored.error().message;
  return std::move(*explored);
}

TEST(Networks, CostWhatPlacementSays) {
  const std::vector<ExploredNetwork> networks = Networks();
  compiler::CompileOptions options;
  options.cpu = false;
  options.config.clock_mhz = 125;
  const auto placed = compiler::PlaceNetwork(networks[0].graph, options, true, [](auto, auto) {});
  ASSERT_TRUE(placed.has_value()) << placed.error().message;
  const auto predicted = PredictNetwork(networks[0], options.config);
  const auto ran = RunNetwork(networks[0], options.config);
  ASSERT_TRUE(predicted && ran);
  EXPECT_DOUBLE_EQ(predicted->total(), placed->times.total());
  EXPECT_EQ(ran->cycles, static_cast<double>(*placed->cycles));
  EXPECT_DOUBLE_EQ(ran->accelerator, ran->cycles / 125e6);
  EXPECT_EQ(ran->predicted, predicted->cycles);
  EXPECT_EQ(ran->host, predicted->host);
  EXPECT_GT(ran->gemm, 0);
  EXPECT_LE(std::max({ran->gemm, ran->vector, ran->bus}), ran->cycles);
}

TEST(Networks, HalvingEndsWithTheFrontOfAllMachines) {
  const std::vector<ExploredNetwork> networks = Networks();
  Explored all = Space(), halving = Space();
  MachineSearch grid(networks, {.strategy = "grid", .workers = 2}, {}, &all, nullptr);
  MachineSearch search(networks, {.strategy = "halving", .workers = 2}, {}, &halving, nullptr);
  ASSERT_TRUE(grid.Run().has_value());
  ASSERT_TRUE(search.Run().has_value());
  EXPECT_EQ(grid.now().failed, 0);
  EXPECT_EQ(all.With(Stage::kRun).size(), all.fitting().size() + 1);
  EXPECT_GE(all.fitting().size(), 8u);
  EXPECT_EQ(halving.Front(), all.Front());
  for (const int64_t machine : halving.Front())
    EXPECT_NE(halving.Of(machine).Answer(Stage::kRun), nullptr);

  const auto around = SensitivitiesOf(all, {all.Front()[0]}, &grid);
  ASSERT_TRUE(around.has_value()) << around.error().message;
  const isa::Config& config = all.Of(all.Front()[0]).config;
  bool half = false;
  for (const Sensitivity& one : *around) {
    EXPECT_TRUE(one.to == 2 * one.from || one.to == one.from / 2) << one.key.key;
    if (one.key.key != std::string("block") || one.to > one.from) continue;
    half = true;
    EXPECT_EQ(one.from, config.block_out);
    EXPECT_GT(one.ms, 0);
    EXPECT_LT(one.lut, 0);
    isa::Config other = config;
    other.block_in = other.block_out = one.to;
    const double more =
        PredictNetwork(networks[0], other)->cycles - PredictNetwork(networks[0], config)->cycles;
    EXPECT_NEAR(
        one.saved,
        more / (all.Of(all.Front()[0]).area.lut - hw::PredictSilicon(other, "xc7").value().lut),
        1e-6);
  }
  EXPECT_TRUE(half);
  const std::string words = LimitsInWords(all, networks, *around);
  EXPECT_THAT(words, ::testing::ContainsRegex("The fastest machine of the front is n1b16.*small: "
                                              "[0-9.]+ ms, [0-9]+ % of it the accelerator"));
  EXPECT_THAT(words, ::testing::HasSubstr("of xc7z020, more than of anything else there."));
}

TEST(Networks, ThatDoNotCompileSayWhy) {
  std::vector<ExploredNetwork> networks = Networks();
  networks[0].graph.nodes[0].inputs[0] = networks[0].graph.nodes[1].output;  // a cycle
  Explored explored = Space();
  MachineSearch search(networks, {.strategy = "random", .runs = 2, .workers = 1}, {}, &explored,
                       nullptr);
  const Status ran = search.Run();
  ASSERT_FALSE(ran.has_value());
  EXPECT_THAT(ran.error().message, ::testing::HasSubstr("no machine that was looked at can run"));
}

}  // namespace
}  // namespace tessera::explore::networks_test
