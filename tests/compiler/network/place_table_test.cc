// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the costs of the layers of a placement. What moving a layer changes is the
// difference of two whole networks' times, derived from their layers, starts and transfers; shares
// add up; each reason. Space: random networks on default, pinned at random. Not tested here: what
// single layers cost (place_cost_test).
#include "compiler/network/place_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/compiler/accel/net.h"

namespace tessera::network::place_table_test {
namespace {

using graph::TensorId;
using test::Net;
using test::Square;

Net RandomNet(Rng& rng) {
  Net net(rng.Range(1, 1 << 10));
  const int64_t channels = 16 * rng.Range(1, 2), side = rng.Range(4, 12);
  TensorId last = net.Input({1, channels, side, side});
  for (int64_t n = rng.Range(3, 6); n > 0; --n) {
    const TensorId before = last;
    last = rng.OneIn(2) ? net.Conv(last, channels, Square(3)) : net.Rescale(last);
    if (rng.OneIn(3)) last = net.Add(last, before);
    if (rng.OneIn(4)) last = net.Transpose(last);
  }
  net.Output(last);
  return net;
}

PlacementCosts CostsWith(const Layers& layers, const std::vector<NodePlace>& places,
                         std::vector<graph::Region>* regions) {
  const PlacedFuse fuse = [&](const Devices& on) { return FuseOn(layers, on, true); };
  *regions = fuse(DevicesOf(places));
  int64_t heard = 0;
  PlacementCosts costs =
      CostsOf(layers, places, *regions, fuse, [&](int64_t done) { EXPECT_EQ(done, ++heard); });
  EXPECT_EQ(heard, std::ssize(*regions));
  return costs;
}

TEST(PlaceTable, MovingALayerIsTheDifferenceOfTwoNetworks) {
  int moved = 0, on_host = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Net net = RandomNet(rng);
    const Layers layers(net.graph(), test::NamedConfig("default"));
    Pins pins;
    for (const graph::Node& node : net.graph().nodes) {
      if (rng.OneIn(4)) pins.push_back({node.name, kHost});
    }
    const std::vector<NodePlace> places = PlaceNodes(layers, {}, {}, pins);
    std::vector<graph::Region> regions;
    const PlacementCosts costs = CostsWith(layers, places, &regions);
    double host = 0, accelerator = 0;
    for (size_t r = 0; r < regions.size(); ++r) {
      const LayerCost& cost = costs.layers[r];
      (cost.device == kHost ? host : accelerator) += cost.here.value();
      if (!cost.moved) continue;
      ++moved;
      on_host += cost.device == kHost;
      std::vector<NodePlace> other = places;
      for (const size_t n : regions[r].nodes)
        other[n].device = cost.device == kHost ? kAccelerator : kHost;
      std::vector<graph::Region> unused;
      const double then = CostsWith(layers, other, &unused).times.total(),
                   now = costs.times.total();
      const double saved = cost.device == kHost ? then - now : now - then;
      EXPECT_NEAR(cost.moved->Saved(), saved, 1e-9) << regions[r].name;
    }
    EXPECT_NEAR(costs.times.host, host, 1e-12);
    EXPECT_NEAR(costs.times.accelerator, accelerator, 1e-12);
    EXPECT_EQ(costs.on_host.accelerator + costs.on_host.start + costs.on_host.carry, 0);
    EXPECT_GT(costs.on_host.host, 0);
  }
  EXPECT_GT(moved, 60);
  EXPECT_GT(on_host, 10);
}

TEST(PlaceTable, Reasons) {
  const PartTimes faster{.host = 9e-6, .cycles = 2e-6, .start = 1e-6, .carry = 0};
  EXPECT_EQ(ReasonOf({.device = kAccelerator, .moved = faster}, "cortex-a9"),
            "on cortex-a9 alone it would add 6.0 us");
  const PartTimes slower{.host = 2e-6, .cycles = 9e-6, .start = 0, .carry = -1e-6};
  EXPECT_EQ(ReasonOf({.device = kAccelerator, .moved = slower}, "cortex-a9"),
            "on cortex-a9 alone it would save 6.0 us");
  EXPECT_EQ(ReasonOf({.device = kAccelerator}, "cortex-a9"), "no estimate for cortex-a9");
  EXPECT_EQ(ReasonOf({.device = kAccelerator, .view = true}, "cortex-a9"),
            "moves nothing: its tensors lie in one another");
  EXPECT_EQ(ReasonOf({.device = kHost, .view = true}, "cortex-a9"), "moves nothing");
  EXPECT_EQ(ReasonOf({.device = kHost, .why = "VECTOR has no square root"}, "cortex-a9"),
            "VECTOR has no square root");
}

}  // namespace
}  // namespace tessera::network::place_table_test
