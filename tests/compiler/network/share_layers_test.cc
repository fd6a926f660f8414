// SPDX-License-Identifier: Apache-2.0
//
// What is tested: layers that both devices make, by channels and by rows: the integers of the parts
// are those of the layer, by the definitions before and after; the pins of the parts; the turns and
// times of a shared layer; that the host has the parts in their places; each message; and what the
// chosen share costs beside the cheapest of all shares. Space: 200 random networks around a
// convolution or a dense layer, 300 around a layer with rows; 90 layers on random machines. Not
// tested here: the compiled network (tests/tools/place_test.cc).
#include "compiler/network/share_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/rng.h"
#include "compiler/ir/layout.h"
#include "compiler/network/place.h"
#include "compiler/network/place_cost.h"
#include "compiler/network/share_choice.h"
#include "compiler/network/shared_places.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::network::share_layers_test {
namespace {

using graph::Graph;
using graph::TensorId;
using test::Net;
using test::Square;
using ::testing::HasSubstr;

const isa::Config& Default() {
  static const isa::Config config = test::NamedConfig("default");
  return config;
}

Pin Both(const std::string& layer, int64_t channels) { return {layer, kAccelerator, channels}; }
Pin ByRows(const std::string& layer, int64_t rows) { return {layer, kAccelerator, 0, rows}; }

TEST(ShareLayers, ThePartsHaveTheIntegersOfTheLayer) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Net net(seed);
    const bool dense = rng.OneIn(4);
    const int64_t outs = rng.Range(17, 80), side = rng.Range(1, 6);
    const TensorId x = dense ? net.Input({rng.Range(1, 3), rng.Range(1, 40)})
                             : net.Input({rng.Range(1, 2), rng.Range(1, 40), side, side});
    TensorId y = dense ? net.Dense(x, outs) : net.Conv(x, outs, Square(rng.OneIn(2) ? 1 : 3));
    const std::string layer = net.graph().nodes[0].name;
    const bool follower = rng.OneIn(2), read_twice = rng.OneIn(3);
    if (follower) y = net.Rescale(y);
    net.Output(y);
    if (read_twice) net.Output(net.Rescale(y));
    Graph& g = net.graph();
    ASSERT_TRUE(quantize::AttachRequant(g));
    TensorBytes before;
    for (int64_t k = 0; k < g.tensor(x).count(); ++k)
      before[x].push_back(static_cast<uint8_t>(rng.Range(0, 255)));
    TensorBytes after = before;
    RunRegions(g, before);
    const int64_t first = 16 * rng.Range(1, (outs - 1) / 16);
    const auto parts = ShareLayers(g, {Both(layer, first)}, Default());
    ASSERT_TRUE(parts) << parts.error().message;
    const Status sound = graph::Verify(g);
    ASSERT_TRUE(sound) << sound.error().message;
    ASSERT_EQ(g.shared.size(), 1u);
    EXPECT_EQ(g.tensor(g.shared[0].accelerator).shape[1], first);
    EXPECT_EQ(g.tensor(g.shared[0].host).shape[1], outs - first);
    // Both parts of the layer, with what follows it.
    const size_t in_part = follower ? 2 : 1;
    ASSERT_EQ(parts->size(), 2 * in_part);
    EXPECT_EQ(parts->front(), (Pin{layer + ".accelerator", kAccelerator}));
    EXPECT_EQ((*parts)[in_part], (Pin{layer + ".host", kHost}));
    EXPECT_EQ(std::ranges::count(SharedNodes(g), true), std::ssize(*parts) + 1);
    RunRegions(g, after);
    for (const TensorId id : g.outputs) ASSERT_EQ(before.at(id), after.at(id));
  }
}

// A layer of |net| whose rows can be shared: what follows a random image.
TensorId RowLayer(Net& net, Rng& rng, TensorId x) {
  const auto shape = net.graph().tensor(x).shape;
  graph::Window window = Square(rng.Range(1, 5), rng.Range(1, 3), rng.Range(1, 2));
  const int64_t reach = (window.kernel[0] - 1) * window.dilation[0] + 1;
  for (int64_t* pad : {&window.pad_before[0], &window.pad_after[0]})
    *pad = rng.Range(0, std::min<int64_t>(reach - 1, 3));
  const bool fits = window.OutExtent(0, shape[2]) > 1 && window.OutExtent(1, shape[3]) > 0;
  if (!fits) window = Square(3);
  switch (rng.Range(0, 4)) {
    case 0:
      return net.Conv(x, rng.Range(1, 24), window);
    case 1:
      return net.Conv(x, shape[1], window, shape[1]);  // depthwise
    case 2: {
      const TensorId y = net.MaxPool(x, window);
      net.graph().tensor(y).quant = net.graph().tensor(x).quant;
      return y;
    }
    case 3:
      window.pad_before = window.pad_after = {0, 0};
      if (window.OutExtent(0, shape[2]) > 1 && window.OutExtent(1, shape[3]) > 0)
        return net.AvgPool(x, window);
      [[fallthrough]];
    default:
      return rng.OneIn(2) ? net.Add(x, net.Rescale(x)) : net.Sub(net.Rescale(x), x);
  }
}

TEST(ShareLayers, ThePartsOfRowsHaveTheIntegersOfTheLayer) {
  int halos = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Net net(seed);
    const TensorId x =
        net.Input({rng.Range(1, 2), rng.Range(1, 20), rng.Range(2, 12), rng.Range(1, 8)});
    TensorId y = RowLayer(net, rng, x);
    Graph& g = net.graph();
    const std::string layer = g.nodes.back().name;
    const bool follower = rng.OneIn(2);
    if (follower) y = net.Rescale(y);
    net.Output(y);
    ASSERT_TRUE(quantize::AttachRequant(g));
    TensorBytes before;
    for (int64_t k = 0; k < g.tensor(x).count(); ++k)
      before[x].push_back(static_cast<uint8_t>(rng.Range(0, 255)));
    TensorBytes after = before;
    RunRegions(g, before);
    const int64_t all = g.tensor(y).shape[2], first = rng.Range(1, all - 1);
    const auto parts = ShareLayers(g, {ByRows(layer, first)}, Default());
    ASSERT_TRUE(parts) << parts.error().message;
    const Status sound = graph::Verify(g);
    ASSERT_TRUE(sound) << sound.error().message;
    ASSERT_EQ(g.shared.size(), 1u);
    EXPECT_EQ(g.tensor(g.shared[0].accelerator).shape[2], first);
    EXPECT_EQ(g.tensor(g.shared[0].host).shape[2], all - first);
    EXPECT_EQ(parts->size(), follower ? 4u : 2u);
    // The parts read slices of the rows that they need, and together all of them or more.
    int64_t rows = 0;
    for (const graph::Node& node : g.nodes) {
      if (!node.name.ends_with(".cut")) continue;
      EXPECT_LT(g.tensor(node.output).shape[2], g.tensor(node.inputs[0]).shape[2]);
      if (node.inputs[0] == x) rows += g.tensor(node.output).shape[2];
    }
    halos += rows > g.tensor(x).shape[2];
    const auto cuts = std::ranges::count_if(
        g.nodes, [](const graph::Node& node) { return node.name.ends_with(".cut"); });
    EXPECT_EQ(std::ranges::count(SharedNodes(g), true), std::ssize(*parts) + 1 + cuts);
    RunRegions(g, after);
    for (const TensorId id : g.outputs) ASSERT_EQ(before.at(id), after.at(id));
  }
  EXPECT_GT(halos, 30);
}

std::string Refused(Graph graph, const Pin& pin, Code code) {
  const auto parts = ShareLayers(graph, {pin}, Default());
  EXPECT_FALSE(parts);
  EXPECT_EQ(parts.error().code, code);
  return parts.error().message;
}

TEST(ShareLayers, WhatCannotBeSharedIsSaid) {
  Net net(3);
  const TensorId wide = net.Conv(net.Input({1, 16, 8, 8}), 40, Square(3));
  const TensorId narrow = net.Conv(wide, 16, Square(1));
  net.Output(net.Conv(net.Add(narrow, narrow), 16, Square(3), 16));
  Graph g = net.graph();
  const auto name = [&](size_t n) { return g.nodes[n].name; };
  EXPECT_EQ(Refused(g, Both(name(0), 24), Code::kOutOfRange),
            "placement of " + name(0) + ": the accelerator cannot make 24 of the 40 channels of " +
                name(0) + "; it can make 16 to 32 of them, in steps of 16");
  EXPECT_THAT(Refused(g, Both(name(0), 48), Code::kOutOfRange), HasSubstr("cannot make 48 of"));
  EXPECT_EQ(Refused(g, Both(name(1), 16), Code::kOutOfRange),
            "placement of " + name(1) + ": " + name(1) +
                " has 16 output channels, and configuration default makes 16 at a time; say 'host' "
                "or 'accelerator'");
  for (const size_t n : {size_t{2}, size_t{3}}) {  // an addition, a depthwise convolution
    EXPECT_EQ(Refused(g, Both(name(n), 16), Code::kUnsupported),
              "placement of " + name(n) + ": " + name(n) +
                  " is no convolution or dense layer of int8 with one group and no added channels, "
                  "so the devices cannot share it; say 'host' or 'accelerator'");
  }
  EXPECT_THAT(Refused(g, Both(name(0) + "y", 16), Code::kNotFound), HasSubstr("has no layer"));
  EXPECT_EQ(Refused(g, ByRows(name(0), 8), Code::kOutOfRange),
            "placement of " + name(0) + ": the accelerator cannot make 8 of the 8 rows of " +
                name(0) + "; it can make 1 to 7 of them");
  Graph copy = g;
  const auto two = ShareLayers(copy, {ByRows(name(2), 4), ByRows(name(3), 4)}, Default());
  EXPECT_TRUE(two) << two.error().message;  // a convolution is no function of one value
  g.nodes[0].Edit<graph::ConvAttributes>().idle_outputs = 8;
  EXPECT_THAT(Refused(g, Both(name(0), 16), Code::kUnsupported), HasSubstr("no added channels"));
}

TEST(ShareLayers, AFunctionBehindASharedLayerIsInItsParts) {
  Net net(6);
  net.Output(net.Rescale(net.Conv(net.Input({1, 16, 8, 8}), 16, Square(3))));
  Graph& g = net.graph();
  const std::string conv = g.nodes[0].name, rescale = g.nodes[1].name;
  const auto parts = ShareLayers(g, {ByRows(rescale, 2), ByRows(conv, 4)}, Default());
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().message,
            "placement of " + rescale + ": it is behind " + conv +
                ", and both devices make it with that; leave one of the two lines out");
}

TEST(ShareLayers, WhatHasNoRowsIsSaid) {
  Net net(4);
  const TensorId pooled = net.AvgPool(net.Input({1, 16, 8, 8}), Square(8, 8));
  net.graph().nodes[0].Edit<graph::PoolAttributes>().window = {.kernel = {8, 8}};
  net.graph().tensor(pooled).shape = {1, 16, 1, 1};
  net.Output(net.Dense(net.Reshape(pooled, {1, 16}), 32));
  const Graph& g = net.graph();
  const std::string pool = g.nodes[0].name, dense = g.nodes.back().name;
  EXPECT_EQ(Refused(g, ByRows(pool, 1), Code::kOutOfRange),
            "placement of " + pool + ": the result of " + pool +
                " has one row; say 'host' or 'accelerator'");
  EXPECT_EQ(Refused(g, ByRows(dense, 1), Code::kUnsupported),
            "placement of " + dense + ": " + dense +
                " is no convolution, pool, sum or function of int8 over an image, so the devices "
                "cannot share its rows; say 'host' or 'accelerator'");
}

struct Costed {
  explicit Costed(const Graph& graph, const isa::Config& config, const Pins& pins,
                  const Objective& goal)
      : layers(graph, config),
        costs(layers, [this](const auto& now) { return FuseOn(layers, now, true); }),
        places(PlaceNodes(layers, {}, {}, pins, goal)),
        on(DevicesOf(places)) {}
  Layers layers;
  PlaceCosts costs;
  std::vector<NodePlace> places;
  Devices on;
};

// The accelerator makes what a shared layer reads: its part waits for the host to have that, and
// then both work.
TEST(ShareLayers, TheDevicesWorkAtOnce) {
  Net net(4);
  net.Output(net.Conv(net.Conv(net.Input({1, 32, 16, 16}), 32, Square(3)), 64, Square(3)));
  Graph& g = net.graph();
  const auto parts = ShareLayers(g, {Both(g.nodes[1].name, 48)}, Default());
  ASSERT_TRUE(parts);
  const Costed costed(g, Default(), *parts, Objective());
  ASSERT_EQ(g.nodes.size(), 4u);
  const Devices on{kAccelerator, kAccelerator, kHost, kHost};  // the concatenation is the host's
  EXPECT_EQ(costed.costs.TurnsOf(on), (std::vector<int>{0, 1, 1, 2}));
  const NetworkTimes times = costed.costs.Times(on);
  const auto seconds = costed.costs.SecondsOf(on, costed.costs.Fused(on));
  EXPECT_DOUBLE_EQ(times.together, std::min(*seconds[1], *seconds[2]));
  EXPECT_DOUBLE_EQ(times.total(), times.by_host() + times.accelerator - times.together);
  EXPECT_DOUBLE_EQ(Objective().Of(times), times.total());
  EXPECT_GT(*seconds[2], 0);
  EXPECT_EQ(seconds[3], 0);  // the parts lie in what the concatenation makes
  const Objective stream{.kind = Objective::Kind::kThroughput};
  EXPECT_DOUBLE_EQ(stream.Of(times), std::max(times.by_host(), times.accelerator));
  // On one device nothing happens at once.
  EXPECT_EQ(costed.costs.Times({true, true, true, true}).together, 0);
}

// The rows 4 to 9 that the host's part reads of rows 0 to 9, and its rows 5 to 9 of the result.
TEST(ShareLayers, TheHostHasThePartsInTheirPlaces) {
  Net net(7);
  const TensorId x = net.Input({1, 3, 10, 8});
  net.Output(net.Conv(x, 16, Square(3)));
  Graph& g = net.graph();
  const TensorId whole = g.outputs[0];
  ASSERT_TRUE(ShareLayers(g, {ByRows(g.nodes[0].name, 5)}, Default()));
  ASSERT_EQ(g.nodes.size(), 5u);  // two cuts, two parts, what joins them
  EXPECT_EQ(InSharedPlace(g, Default()), (std::vector<bool>{true, false, true, false, true}));
  const auto places = SharedPlaces(g);
  ASSERT_EQ(places.size(), 4u);
  const auto at = [&](size_t node, const std::vector<int64_t>& index) {
    const TensorId id = g.nodes[node].output;
    const ir::BufferNode buffer{"t", DType::kInt8, g.tensor(id).shape, places.at(id).layout};
    return std::pair(places.at(id).whole, ir::OffsetOf(buffer, index));
  };
  EXPECT_EQ(at(0, {0, 2, 0, 1}), std::pair(x, int64_t{161}));
  EXPECT_EQ(at(2, {0, 2, 0, 1}), std::pair(x, int64_t{193}));
  EXPECT_EQ(at(1, {0, 1, 0, 0}), std::pair(whole, int64_t{80}));
  EXPECT_EQ(at(3, {0, 1, 4, 7}), std::pair(whole, int64_t{159}));
}

TEST(ShareLayers, NoOtherShareOfALayerCostsLess) {
  int shared = 0, whole = 0, by_rows = 0, missed = 0;
  for (uint64_t seed = 0; seed < 90; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Net net(seed);
    const int64_t outs = 16 * rng.Range(2, 8), side = rng.Range(4, 16);
    TensorId y = net.Conv(net.Input({1, 16 * rng.Range(1, 6), side, side}), outs, Square(3));
    if (rng.OneIn(2)) y = net.Rescale(y);
    net.Output(y);
    isa::Config config = Default();
    config.cpu.clock_mhz = std::array{200, 650, 3000, 8000}[static_cast<size_t>(rng.Range(0, 3))];
    config.clock_mhz = std::array{5, 20, 100}[static_cast<size_t>(rng.Range(0, 2))];
    config.cpu.start_us = rng.OneIn(2) ? 1 : 30;
    config.cpu.pack_mb_s = rng.OneIn(2) ? 400 : 4000;
    const Objective goal{.kind = rng.OneIn(3) ? Objective::Kind::kThroughput
                                              : Objective::Kind::kLatency};
    const std::string layer = net.graph().nodes[0].name;
    const auto cost = [&](const Pins& shares) {
      Graph g = net.graph();
      const Pins pins = *ShareLayers(g, shares, config);
      const Costed costed(g, config, pins, goal);
      return goal.Of(costed.costs.Times(costed.on));
    };
    double least = cost({});
    for (int64_t channels = 16; channels < outs; channels += 16)
      least = std::min(least, cost({Both(layer, channels)}));
    for (int64_t rows = 1; rows < side; ++rows)
      least = std::min(least, cost({ByRows(layer, rows)}));
    const Costed plain(net.graph(), config, {}, goal);
    const Pins chosen = ChooseShared(plain.costs, plain.on, goal, {});
    // The choice does not know all that the host then packs: a share may cost 2 % more than the
    // least, or look worse than the whole. One of the 90 looks so and would gain 8 %.
    const double found = std::min(cost({}), cost(chosen));
    EXPECT_LE(found, least * 1.1);
    missed += found > least * 1.02;
    (chosen.empty() ? whole : shared)++;
    by_rows += !chosen.empty() && chosen[0].rows > 0;
    // A layer with a given schedule stays whole.
    const std::string name = plain.costs.Fused(plain.on)[0].name;
    EXPECT_TRUE(ChooseShared(plain.costs, plain.on, goal, {name}).empty());
  }
  std::printf("%d layers shared, %d of them by rows, %d whole\n", shared, by_rows, whole);
  EXPECT_LE(missed, 1);
  EXPECT_GT(shared, 15);
  EXPECT_GT(by_rows, 15);
  EXPECT_GT(whole, 15);
}

// Both layers would gain; a pin can name neither the second one nor a name with a '+'.
TEST(ShareLayers, ALayerThatNoPinCanNameStaysWhole) {
  Net net(5);
  net.Output(net.Conv(net.Conv(net.Input({1, 64, 16, 16}), 64, Square(3)), 64, Square(3)));
  isa::Config config = Default();
  config.clock_mhz = 20;
  config.cpu.clock_mhz = 1500;
  config.cpu.pack_mb_s = 4000;
  const auto chosen = [&] {
    const Costed costed(net.graph(), config, {}, Objective());
    return ChooseShared(costed.costs, costed.on, Objective(), {});
  };
  ASSERT_EQ(chosen().size(), 2u);
  net.graph().nodes[0].name = net.graph().nodes[1].name = "conv";
  const Pins one = chosen();
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].layer, "conv");
  Graph shared = net.graph();
  ASSERT_TRUE(ShareLayers(shared, one, config));
  EXPECT_EQ(shared.shared.size(), 1u);
  net.graph().nodes[0].name = "a+b";
  ASSERT_EQ(chosen().size(), 1u);
  EXPECT_EQ(chosen()[0].layer, "conv");
  net.graph().nodes[1].name = "c+d";
  EXPECT_TRUE(chosen().empty());
}

}  // namespace
}  // namespace tessera::network::share_layers_test
