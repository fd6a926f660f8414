// SPDX-License-Identifier: Apache-2.0
//
// What is tested: placement by time. The placement of random networks against the time of every
// choice of islands, derived here a second time; what a faster processor, free crossings and a slow
// accelerator change; the figures of the printed reason. Space: chains and branches of up to 12
// operators, three machines each. Not tested here: how near an estimate is to a time
// (models_estimates_test, build/bin/host_costs), and placements that split an island.
#include "compiler/network/place_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

#include "base/rng.h"
#include "compiler/cost/cost.h"
#include "compiler/cost/processor.h"
#include "compiler/lower/accel/step_region.h"
#include "compiler/network/host_form.h"
#include "compiler/network/place.h"
#include "compiler/schedule/host.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/board_cpu.h"
#include "tests/compiler/accel/net.h"

namespace tessera::network::place_cost_test {
namespace {

using graph::Region;
using graph::TensorId;
using test::Net;
using test::Square;

// Operators on images of one shape: those of the accelerator, and one in three of the host.
Net RandomNet(Rng& rng) {
  Net net(rng.Range(1, 1 << 20));
  const int64_t channels = 16 * rng.Range(1, 3), side = rng.Range(4, 20);
  std::vector<TensorId> made{net.Input({1, channels, side, side})};
  const auto any = [&] {
    const auto last = static_cast<int64_t>(made.size()) - 1;
    return made[static_cast<size_t>(rng.Range(std::max<int64_t>(0, last - 2), last))];
  };
  for (int64_t n = rng.Range(5, 12); n > 0; --n) {
    switch (rng.Range(0, 5)) {
      case 0:
        made.push_back(net.Conv(any(), channels, Square(1)));
        break;
      case 1:
        made.push_back(net.Conv(any(), channels, Square(3)));
        break;
      case 2:
        made.push_back(net.Rescale(any()));
        break;
      case 3:
        made.push_back(net.Add(any(), any()));
        break;
      default:
        made.push_back(net.Transpose(any()));
    }
  }
  // Every result that nothing reads is the network's.
  std::set<TensorId> read;
  for (const graph::Node& node : net.graph().nodes)
    read.insert(node.inputs.begin(), node.inputs.end());
  for (const TensorId id : made) {
    if (!read.contains(id)) net.Output(id);
  }
  return net;
}

isa::Config Machine(int64_t cpu_mhz, int64_t start_us, int64_t pack_mb_s) {
  isa::Config config = test::NamedConfig("default");
  config.cpu.clock_mhz = cpu_mhz;
  config.cpu.start_us = start_us;
  config.cpu.pack_mb_s = pack_mb_s;
  return config;
}

std::vector<bool> On(const graph::Graph& graph, const isa::Config& config) {
  std::vector<bool> on;
  for (const NodePlace& place : PlaceNodes(Layers(graph, config)))
    on.push_back(place.device == kAccelerator);
  return on;
}

// Seconds of |layer| on the accelerator, without network::Layers, if |share| of the bytes of its
// activations are in device memory.
double OnAccelerator(const graph::Graph& graph, const Region& layer, const isa::Config& config,
                     double share = 1) {
  const te::RegionTe te = te::BuildRegion(graph, layer);
  const auto steps = lower::accel::StepsOf(BindRegion(te), config);
  TESSERA_CHECK(steps.has_value(), "{}", layer.name);
  const auto schedule =
      schedule::Schedule::Replay({te.output}, *steps, target::Accelerator(config));
  TESSERA_CHECK(schedule.has_value(), "{}", layer.name);
  const auto cost = cost::AccelCost(*schedule, config, {.follows = true});
  int64_t constants = 0;
  for (const te::Binding& b : te.bindings) {
    if (b.activation < 0) constants += std::ssize(b.constant);
  }
  const double bus =
      cost->bus * static_cast<double>(constants) / (cost->read_bytes + cost->written_bytes);
  const double on_chip = std::min(
      cost->cycles, std::max({cost->Busy(isa::Unit::kGemm), cost->Busy(isa::Unit::kVector), bus}));
  return (share * cost->cycles + (1 - share) * on_chip) /
         (static_cast<double>(config.clock_mhz) * 1e6);
}

double OnHost(const graph::Graph& graph, const Region& layer, const isa::Config& config) {
  const auto target = target::Host(config.cpu);
  const auto schedule = schedule::HostSchedule(
      {ForHost(te::BuildRegion(graph, layer), *target).output}, {.target = target});
  TESSERA_CHECK(schedule.has_value(), "{}", layer.name);
  return cost::CostOnProcessor(*schedule, {.threads = config.cpu.cores})->cycles /
         (static_cast<double>(config.cpu.clock_mhz) * 1e6);
}

// The turn of each node, if the nodes of |on| are the accelerator's: the most changes from it to
// the host on a path to the node.
std::vector<int> TurnsBy(const graph::Graph& graph, const std::vector<bool>& on) {
  std::vector<int> changes(graph.tensors.size()), turns;
  std::vector<bool> made(graph.tensors.size());
  for (size_t n = 0; n < on.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    int most = 0;
    for (const TensorId id : node.inputs) {
      const auto t = static_cast<size_t>(id);
      most = std::max(most, changes[t] + (made[t] && !on[n] ? 1 : 0));
    }
    changes[static_cast<size_t>(node.output)] = most;
    made[static_cast<size_t>(node.output)] = on[n];
    turns.push_back(most);
  }
  return turns;
}

int64_t Starts(const graph::Graph& graph, const std::vector<bool>& on) {
  const std::vector<int> turns = TurnsBy(graph, on);
  std::set<int> started;
  for (size_t n = 0; n < on.size(); ++n) {
    if (on[n]) started.insert(turns[n]);
  }
  return std::ssize(started);
}

// The share of the bytes of |layer|'s activations that are in device memory: not those that the
// accelerator makes in the layer's turn, and not a result that only layers of its turn read. INP
// has room for any tensor of RandomNet.
double ShareInMemory(const graph::Graph& graph, const Region& layer, const std::vector<bool>& on) {
  const std::vector<int> turns = TurnsBy(graph, on);
  const int turn = turns[layer.nodes.back()];
  int64_t all = 0, in_memory = 0;
  const auto here = [&](size_t n) { return on[n] && turns[n] == turn; };
  for (const TensorId id : layer.inputs) {
    const auto maker = std::ranges::find(graph.nodes, id, &graph::Node::output);
    all += graph.tensor(id).count();
    if (maker == graph.nodes.end() || !here(static_cast<size_t>(maker - graph.nodes.begin())))
      in_memory += graph.tensor(id).count();
  }
  all += graph.tensor(layer.output).count();
  if (std::ranges::count(graph.outputs, layer.output) > 0 ||
      !std::ranges::all_of(graph.ConsumersOf(layer.output), here))
    in_memory += graph.tensor(layer.output).count();
  return static_cast<double>(in_memory) / static_cast<double>(all);
}

// Bytes of tensors between the devices. The tensors of RandomNet have whole blocks of channels, so
// the machine's layout has as many bytes; taps that the host packs have more.
double Crossing(const Layers& layers, const std::vector<bool>& on) {
  const graph::Graph& graph = layers.graph();
  const std::vector<Region> nodes = graph::Fuse(graph, false);
  double bytes = 0;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const auto id = static_cast<TensorId>(t);
    if (graph.tensors[t].constant()) continue;  // packed once, before any inference
    bool made = false, host = std::ranges::count(graph.outputs, id) > 0, accelerator = false;
    double taps = 0;
    for (size_t n = 0; n < on.size(); ++n) {
      const bool reads = std::ranges::count(graph.nodes[n].inputs, id) > 0;
      if (graph.nodes[n].output == id) made = on[n];
      host = host || (reads && !on[n]);
      if (!reads || !on[n]) continue;
      const auto packed = layers.TapsOf(nodes[n]);
      const bool as_taps = packed && packed->input == id;
      taps += as_taps ? packed->bytes : 0;
      accelerator = accelerator || !as_taps;
    }
    if (made ? host : accelerator) bytes += static_cast<double>(graph.tensors[t].count());
    if (!made) bytes += taps;
  }
  return bytes;
}

// Seconds of |layer| on the accelerator in a network that has the nodes of |on| there.
double Within(const Layers& layers, const Region& layer, const std::vector<bool>& on) {
  const graph::Graph& graph = layers.graph();
  const double share = ShareInMemory(graph, layer, on);
  const auto taps = layers.TapsOf(layer);
  if (taps) {
    const auto maker = std::ranges::find(graph.nodes, taps->input, &graph::Node::output);
    if (maker == graph.nodes.end() || !on[static_cast<size_t>(maker - graph.nodes.begin())])
      return share * taps->time.from_memory + (1 - share) * taps->time.on_chip;
  }
  return OnAccelerator(graph, layer, layers.config(), share);
}

// Nodes of |on| in groups: a node and the makers of what it reads are in one.
std::vector<std::vector<size_t>> IslandsOf(const graph::Graph& graph, const std::vector<bool>& on) {
  std::vector<size_t> label(on.size());
  for (size_t n = 0; n < on.size(); ++n) label[n] = n;
  for (size_t round = 0; round < on.size(); ++round) {
    for (size_t a = 0; a < on.size(); ++a) {
      for (size_t b = 0; b < on.size(); ++b) {
        const bool reads = std::ranges::count(graph.nodes[b].inputs, graph.nodes[a].output) > 0;
        if (on[a] && on[b] && reads) label[a] = label[b] = std::min(label[a], label[b]);
      }
    }
  }
  std::vector<std::vector<size_t>> islands;
  for (size_t first = 0; first < on.size(); ++first) {
    std::vector<size_t> island;
    for (size_t n = 0; n < on.size(); ++n) {
      if (on[n] && label[n] == first) island.push_back(n);
    }
    if (!island.empty()) islands.push_back(island);
  }
  return islands;
}

// The time of one inference, if the accelerator runs the nodes of |on|.
double TimeOf(const graph::Graph& graph, const std::vector<bool>& on, const isa::Config& config) {
  double seconds = 0;
  const Layers layers(graph, config);
  for (const Region& region : graph::Fuse(graph, true, [&](const Region& joined) {
         const bool accelerator = on[joined.nodes[0]];
         return std::ranges::all_of(joined.nodes, [&](size_t n) { return on[n] == accelerator; }) &&
                (!accelerator || layers.Check(joined));
       })) {
    seconds += on[region.nodes[0]] ? Within(layers, region, on) : OnHost(graph, region, config);
  }
  return seconds + 1e-6 * static_cast<double>(Starts(graph, on) * config.cpu.start_us) +
         Crossing(layers, on) / (static_cast<double>(config.cpu.pack_mb_s) * 1e6);
}

struct Best {
  double chosen = 0, best = std::numeric_limits<double>::infinity();
  size_t islands = 0;
};

// The time of the placement of |net|, and the least of all that leave some islands to the host, but
// not all.
Best BestOf(Net& net, const isa::Config& config) {
  const graph::Graph& graph = net.graph();
  std::vector<bool> can;
  for (const graph::Node& node : graph.nodes) can.push_back(node.op != graph::Op::kTranspose);
  const std::vector<std::vector<size_t>> islands = IslandsOf(graph, can);
  Best best{.islands = islands.size()};
  best.chosen = TimeOf(graph, On(graph, config), config);
  for (uint64_t kept = 1; kept < uint64_t{1} << islands.size(); ++kept) {
    std::vector<bool> on(can.size());
    for (size_t i = 0; i < islands.size(); ++i) {
      for (const size_t n : islands[i]) on[n] = (kept >> i & 1) != 0;
    }
    best.best = std::min(best.best, TimeOf(graph, on, config));
  }
  return best;
}

TEST(PlaceCost, NoOtherChoiceOfIslandsIsFaster) {
  int several = 0, left = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Net net = RandomNet(rng);
    for (const isa::Config& config :
         {Machine(650, 30, 160), Machine(300, 3, 500), Machine(1200, 60, 100)}) {
      const Best found = BestOf(net, config);
      if (found.islands < 2 || found.islands > 7) continue;
      ++several;
      EXPECT_NEAR(found.chosen, found.best, found.best * 1e-9);
      left += std::ranges::count(On(net.graph(), config), true) <
                      std::ranges::count_if(
                          net.graph().nodes,
                          [](const auto& node) { return node.op != graph::Op::kTranspose; })
                  ? 1
                  : 0;
    }
  }
  std::printf("%d placements of several islands, %d leave some\n", several, left);
  EXPECT_GT(several, 60);
  EXPECT_GT(left, 20);
  EXPECT_LT(left, several);
}

// Whether the accelerator runs the operator between two others, which alone is an island beside
// that of a convolution.
bool KeepsTheMiddle(const isa::Config& config) {
  Net net(4);
  const TensorId a = net.Conv(net.Input({1, 64, 28, 28}), 64, Square(3));
  net.Output(net.Transpose(net.Conv(net.Transpose(a), 64, Square(1))));
  const std::vector<bool> on = On(net.graph(), config);
  EXPECT_EQ(on.size(), 4u);
  EXPECT_TRUE(on[0]);
  return on[2];
}

TEST(PlaceCost, AFasterProcessorNeverBringsWorkToTheAccelerator) {
  bool before = true;
  int changes = 0;
  // At 10 GHz both islands would leave, and the one that has to stay is the smaller one.
  for (const int64_t mhz : {10, 30, 100, 300, 650, 1200, 3000}) {
    const bool keeps = KeepsTheMiddle(Machine(mhz, 30, 160));
    EXPECT_LE(keeps, before) << mhz;
    changes += keeps != before ? 1 : 0;
    before = keeps;
  }
  EXPECT_EQ(changes, 1);
  // Nor does a dearer crossing.
  for (const int64_t mhz : {100, 300}) {
    EXPECT_TRUE(KeepsTheMiddle(Machine(mhz, 0, 1000000))) << mhz;
    EXPECT_FALSE(KeepsTheMiddle(Machine(mhz, 100000, 160))) << mhz;
    EXPECT_FALSE(KeepsTheMiddle(Machine(mhz, 0, 1))) << mhz;
  }
}

TEST(PlaceCost, WithFreeCrossingsASlowHostLeavesNothing) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Net net = RandomNet(rng);
    const std::vector<bool> on = On(net.graph(), Machine(1, 0, 1000000));
    for (size_t n = 0; n < on.size(); ++n) {
      // What computes nothing costs nothing on either device.
      if (ViewedBy(net.graph(), graph::Fuse(net.graph(), false)[n])) continue;
      EXPECT_EQ(on[n], net.graph().nodes[n].op != graph::Op::kTranspose) << "node " << n;
    }
  }
}

// The numbers of microseconds in |text|.
std::vector<double> MicrosecondsIn(const std::string& text) {
  std::vector<double> found;
  for (size_t at = 0; at < text.size();) {
    double number = 0;
    char unit[3] = {};
    int read = 0;
    if (std::sscanf(text.c_str() + at, "%lf %2[um]%n", &number, unit, &read) == 2 &&
        text.compare(at + static_cast<size_t>(read), 1, "s") == 0) {
      found.push_back(number * (unit[0] == 'm' ? 1000 : 1));
      at += static_cast<size_t>(read);
    } else {
      ++at;
    }
  }
  return found;
}

TEST(PlaceCost, TheReasonHasTheFiguresOfTheCosts) {
  Net net(2);
  const TensorId x = net.Input({1, 16, 8, 8});
  net.Output(net.Transpose(net.Conv(x, 16, Square(3))));
  net.Output(net.Rescale(net.Transpose(x)));
  const isa::Config config = Machine(650, 30, 160);
  const graph::Graph& graph = net.graph();
  const std::vector<NodePlace> places = PlaceNodes(Layers(graph, config));
  ASSERT_EQ(places.back().device, kHost);
  const std::string& why = places.back().machine;
  const Region rescale = graph::Fuse(graph, false).back();
  const double host = OnHost(graph, rescale, config) * 1e6,
               cycles = OnAccelerator(graph, rescale, config) * 1e6;
  // The rescale is the accelerator's in the turn of the convolution: its start is that one's.
  const double carry = 2.0 * 16 * 8 * 8 / 160;
  EXPECT_THAT(why, ::testing::StartsWith("the host is faster: "));
  EXPECT_THAT(why, ::testing::HasSubstr(" on cortex-a9, "));
  const std::vector<double> said = MicrosecondsIn(why);
  ASSERT_EQ(said.size(), 3u) << why;
  const auto near = [](double value) {
    return ::testing::DoubleNear(value, std::max(0.06, value * 0.06));
  };
  EXPECT_THAT(said[0], near(host)) << why;
  EXPECT_THAT(said[1], near(cycles + carry)) << why;
  EXPECT_THAT(said[2], near(carry)) << why;
}

}  // namespace
}  // namespace tessera::network::place_cost_test
