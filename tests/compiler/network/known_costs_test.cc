// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the costs that layers of one structure share are those of each layer by itself,
// in one graph and in another one with the same machine; the tensors that they name are their own.
// Space: 8 random networks that repeat layers with other weights, on three machines. Not tested
// here: the costs themselves (place_cost_test).
#include "compiler/network/known_costs.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/network/layers.h"
#include "tests/compiler/accel/net.h"

namespace tessera::network::known_costs_test {
namespace {

using graph::Region;
using graph::TensorId;
using test::Net;
using test::Square;

// Layers of few structures: a stem with taps that the host may pack, then blocks.
graph::Graph RandomBlocks(uint64_t seed) {
  Net net(seed);
  Rng rng(seed);
  TensorId x = net.Conv(net.Input({1, 3, 20, 20}), 16, Square(5, 2));
  const int64_t kernel = rng.OneIn(2) ? 1 : 3;
  for (int64_t block = rng.Range(2, 4); block > 0; --block) {
    const TensorId y = net.Conv(net.Conv(x, 16, Square(kernel)), 16, Square(3), 16);
    x = net.Add(y, net.Rescale(x));
  }
  net.Output(net.MaxPool(x, Square(3, 2)));
  return net.graph();
}

void ExpectSame(const Layers& known, const Layers& alone, const Region& layer) {
  SCOPED_TRACE(layer.name);
  EXPECT_EQ(known.HostSeconds(layer), alone.HostSeconds(layer));
  EXPECT_EQ(known.Check(layer).has_value(), alone.Check(layer).has_value());
  const auto time = known.AcceleratorSeconds(layer), own = alone.AcceleratorSeconds(layer);
  ASSERT_EQ(time.has_value(), own.has_value());
  if (time) {
    EXPECT_EQ(time->from_memory, own->from_memory);
    EXPECT_EQ(time->on_chip, own->on_chip);
  }
  const auto taps = known.TapsOf(layer), own_taps = alone.TapsOf(layer);
  ASSERT_EQ(taps.has_value(), own_taps.has_value());
  if (!taps) return;
  EXPECT_EQ(taps->input, own_taps->input);
  EXPECT_EQ(taps->bytes, own_taps->bytes);
  EXPECT_EQ(taps->time.from_memory, own_taps->time.from_memory);
}

TEST(KnownCosts, AreThoseOfEachLayerByItself) {
  for (const char* machine : {"default", "tiny", "ultra96"}) {
    const isa::Config config = test::NamedConfig(machine);
    const graph::Graph none;
    const Layers first(none, config);
    int with_taps = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE(::testing::Message() << machine << " seed " << seed);
      const graph::Graph graph = RandomBlocks(seed);
      const Layers known(graph, first);  // with what the graphs before left
      for (const Region& layer : graph::Fuse(graph)) {
        ExpectSame(known, Layers(graph, config), layer);
        with_taps += known.TapsOf(layer) ? 1 : 0;
      }
    }
    EXPECT_GT(with_taps, 0) << machine;
  }
}

TEST(KnownCosts, HaveAnEntryForEachStructure) {
  Net net(1);
  const TensorId a = net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3));
  net.Output(net.Conv(net.Conv(a, 16, Square(1)), 16, Square(1)));
  const std::vector<Region> layers = graph::Fuse(net.graph());
  ASSERT_EQ(layers.size(), 3u);
  KnownCosts costs;
  const auto of = [&](size_t l) { return &costs.Of(te::BuildRegion(net.graph(), layers[l])); };
  EXPECT_NE(of(0), of(1));
  EXPECT_EQ(of(0), of(0));
}

}  // namespace
}  // namespace tessera::network::known_costs_test
