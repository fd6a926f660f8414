// SPDX-License-Identifier: Apache-2.0
//
// What is tested: placement: an operator that the accelerator lacks goes to the host alone, what is
// not worth its transfers does too, regions are of one device, turns are in order and as few as can
// be. Space: small networks written here, random placements of random graphs against a second
// derivation of the turns. Not tested here: that placed networks compute the same integers
// (tests/networks).
#include "compiler/network/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/rng.h"
#include "tests/compiler/accel/net.h"

namespace tessera::network::place_test {
namespace {

using graph::TensorId;
using test::Net;
using test::Square;

std::vector<uint32_t> Devices(const graph::Graph& g) {
  std::vector<uint32_t> devices;
  for (const NodePlace& p : PlaceNodes(Layers(g, test::NamedConfig("default"))))
    devices.push_back(p.device);
  return devices;
}

TEST(Place, AHostOperatorInTheMiddleLeavesTheRestWhereItIs) {
  Net net(1);
  const TensorId a = net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3));
  net.Output(net.Conv(net.Transpose(a), 16, Square(3)));
  EXPECT_EQ(Devices(net.graph()), (std::vector<uint32_t>{kAccelerator, kHost, kAccelerator}));
  const auto places = PlaceNodes(Layers(net.graph(), test::NamedConfig("default")));
  EXPECT_THAT(places[1].why_host, ::testing::Not(::testing::IsEmpty()));
}

// One that has a schedule is on the accelerator, and all of its island with it.
TEST(Place, AScheduleBringsALayerAlong) {
  Net net(1);
  const TensorId a = net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3));
  net.Output(net.Conv(net.Transpose(a), 16, Square(3)));
  const isa::Config config = test::NamedConfig("default");
  const std::string name = net.graph().nodes[1].name;
  for (const std::string& layer : {name, name + "+more", "before+" + name}) {
    const auto places = PlaceNodes(Layers(net.graph(), config), {layer});
    EXPECT_THAT(places, ::testing::Each(::testing::Field(&NodePlace::device, kAccelerator)))
        << layer;
    EXPECT_EQ(FusePlaced(Layers(net.graph(), config), places, true, {layer}).size(), 3u);
  }
  EXPECT_EQ(PlaceNodes(Layers(net.graph(), config), {name + "s"})[1].device, kHost);
  // By itself it is not worth its transfers, but it was asked for.
  Net alone(2);
  alone.Output(alone.Transpose(alone.Input({1, 16, 8, 8})));
  EXPECT_EQ(PlaceNodes(Layers(alone.graph(), config))[0].device, kHost);
  EXPECT_EQ(PlaceNodes(Layers(alone.graph(), config), {alone.graph().nodes[0].name})[0].device,
            kAccelerator);
  // A tensor of five dimensions has no place in the machine's memory.
  Net deep(3);
  deep.Output(deep.Transpose(deep.Input({1, 1, 16, 8, 8})));
  EXPECT_EQ(PlaceNodes(Layers(deep.graph(), config), {deep.graph().nodes[0].name})[0].device,
            kHost);
}

// conv and mul would be one region; where mul is the host's, conv stays.
TEST(Place, AnOperatorThatIsLackingTakesNothingWithIt) {
  Net net(2);
  const TensorId x = net.Input({1, 16, 8, 8});
  net.Output(net.Mul(net.Conv(x, 16, Square(3)), x));
  ASSERT_EQ(graph::Fuse(net.graph()).size(), 1u);
  const isa::Config config = test::NamedConfig("default");
  const std::vector<NodePlace> apart{{kAccelerator, ""}, {kHost, "lacking"}};
  const std::vector<graph::Region> regions = FusePlaced(Layers(net.graph(), config), apart, true);
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].nodes, std::vector<size_t>{0});
  // An addition stays with its convolution.
  Net sum(3);
  const TensorId y = sum.Input({1, 16, 8, 8});
  sum.Output(sum.Add(sum.Conv(y, 16, Square(3)), y));
  const auto both = PlaceNodes(Layers(sum.graph(), config));
  EXPECT_EQ(FusePlaced(Layers(sum.graph(), config), both, true).size(), 1u);
  EXPECT_EQ(FusePlaced(Layers(sum.graph(), config), both, false).size(), 2u);
  EXPECT_EQ(FusePlaced(Layers(sum.graph(), config), PlaceOnHost(sum.graph()), true).size(), 1u);
}

// What has no program is cut, and in the end the host's, which is told why.
TEST(Place, ARefusedRegionIsCutAndARefusedNodeIsTheHosts) {
  Net net(3);
  const TensorId x = net.Input({1, 16, 8, 8});
  net.Output(net.Conv(net.Add(net.Conv(x, 16, Square(3)), x), 16, Square(1)));
  const isa::Config config = test::NamedConfig("default");
  const RefusedRegions pair{{{0, 1}, "too large"}};
  const auto places = PlaceNodes(Layers(net.graph(), config), {}, pair);
  EXPECT_THAT(places, ::testing::Each(::testing::Field(&NodePlace::device, kAccelerator)));
  EXPECT_EQ(FusePlaced(Layers(net.graph(), config), places, true).size(), 2u);
  EXPECT_EQ(FusePlaced(Layers(net.graph(), config), places, true, {}, pair).size(), 3u);
  const auto without =
      PlaceNodes(Layers(net.graph(), config), {}, {{{1}, "its passes take 9 tiles"}});
  EXPECT_EQ(without[0].device, kAccelerator);
  EXPECT_EQ(without[1].device, kHost);
  EXPECT_EQ(without[1].why_host, "its passes take 9 tiles");
}

TEST(Place, ACheapNodeBetweenTwoOfTheHostsStaysThere) {
  Net net(4);
  const TensorId a = net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3));
  net.Output(net.Transpose(net.Rescale(net.Transpose(a))));
  EXPECT_EQ(Devices(net.graph()), (std::vector<uint32_t>{kAccelerator, kHost, kHost, kHost}));
}

TEST(Place, TheOnlyIslandStaysEvenIfItIsCheap) {
  Net net(5);
  const TensorId x = net.Input({1, 16, 8, 8});
  net.Output(net.Rescale(x));
  EXPECT_EQ(Devices(net.graph()), (std::vector<uint32_t>{kAccelerator}));
}

TEST(Place, ANetworkWithoutAnythingForTheAcceleratorIsTheHosts) {
  Net net(6);
  net.Output(net.Transpose(net.Input({1, 16, 8, 8})));
  EXPECT_EQ(Devices(net.graph()), (std::vector<uint32_t>{kHost}));
}

// Turns against the fewest alternations that any path to a region asks for, counted path by path.
TEST(Turns, AreTheAlternationsOfTheWorstPath) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    graph::Graph g;
    g.tensors.resize(16);
    g.inputs = {0};
    std::vector<graph::Region> regions;
    std::vector<uint32_t> devices;
    for (TensorId out = 1; out < 16; ++out) {
      graph::Region r;
      for (int k = 0; k < 2; ++k) r.inputs.push_back(static_cast<TensorId>(rng.Range(0, out - 1)));
      r.output = out;
      r.nodes = {g.nodes.size()};
      g.nodes.push_back({.op = graph::Op::kRescale});
      regions.push_back(r);
      devices.push_back(rng.OneIn(2) ? kAccelerator : kHost);
    }
    const std::vector<int> turns =
        Turns(g, regions, devices, std::vector<std::vector<TensorId>>(regions.size()));
    // The most steps from the accelerator to the host on a path that ends in region r.
    const std::function<int(size_t)> worst = [&](size_t r) {
      int most = 0;
      for (const TensorId id : regions[r].inputs) {
        if (id == 0) continue;
        const auto from = static_cast<size_t>(id - 1);
        const bool back = devices[from] == kAccelerator && devices[r] == kHost;
        most = std::max(most, worst(from) + (back ? 1 : 0));
      }
      return most;
    };
    for (size_t r = 0; r < regions.size(); ++r) EXPECT_EQ(turns[r], worst(r)) << "region " << r;
  }
}

// A concatenation of what two turns make is for the turn behind them; the host need not wait.
TEST(Turns, WhatTwoTurnsMakeIsReadInTheNext) {
  graph::Graph g;
  g.tensors.resize(8);
  g.inputs = {0};
  std::vector<graph::Region> regions;
  std::vector<uint32_t> devices;
  const auto add = [&](uint32_t device, std::vector<TensorId> inputs, graph::Op op) {
    graph::Region r;
    r.inputs = std::move(inputs);
    r.output = static_cast<TensorId>(regions.size()) + 1;
    r.nodes = {g.nodes.size()};
    g.nodes.push_back({.op = op});
    regions.push_back(r);
    devices.push_back(device);
    return r.output;
  };
  const TensorId early = add(kAccelerator, {0}, graph::Op::kRescale),
                 other = add(kAccelerator, {0}, graph::Op::kRescale);
  const TensorId late =
      add(kAccelerator, {add(kHost, {early}, graph::Op::kRescale)}, graph::Op::kRescale);
  add(kAccelerator, {add(kAccelerator, {early, other}, graph::Op::kConcat)}, graph::Op::kRescale);
  const TensorId mixed = add(kAccelerator, {early, late}, graph::Op::kConcat);
  add(kAccelerator, {mixed}, graph::Op::kRescale);
  add(kHost, {mixed}, graph::Op::kRescale);
  g.tensors.resize(regions.size() + 1);
  EXPECT_EQ(Turns(g, regions, devices, std::vector<std::vector<TensorId>>(regions.size())),
            (std::vector<int>{0, 0, 1, 1, 0, 0, 2, 2, 2}));
}

}  // namespace
}  // namespace tessera::network::place_test
