// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the search of placements, against the cost of every placement that the rules
// allow, for each objective; what its rules forbid; a search that keeps too few states says so.
// Space: random networks of up to 10 operators with views, branches and operators of the host, on
// random machines. Not tested here: the costs themselves (place_cost_test), reasons (place_test).
#include "compiler/network/place_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <set>

#include "base/rng.h"
#include "compiler/network/place.h"
#include "tests/compiler/accel/net.h"

namespace tessera::network::place_search_test {
namespace {

using graph::TensorId;
using test::Net;
using test::Square;

// Branches that end in one sum, over images of one shape.
Net BranchedNet(Rng& rng) {
  Net net(rng.Range(1, 1 << 20));
  const int64_t channels = 16 * rng.Range(1, 3), side = rng.Range(4, 16);
  const std::vector<int64_t> image{1, channels, side, side}, flat{1, channels, side * side, 1};
  std::vector<TensorId> made{net.Input(image)};
  const auto any = [&] {
    return made[static_cast<size_t>(
        rng.Range(std::max<int64_t>(0, std::ssize(made) - 3), std::ssize(made) - 1))];
  };
  for (int64_t n = rng.Range(4, 8); n > 0; --n) {
    switch (rng.Range(0, 6)) {
      case 0:
      case 1:
        made.push_back(net.Conv(any(), channels, Square(rng.OneIn(2) ? 1 : 3)));
        break;
      case 2:
        made.push_back(net.Rescale(any()));
        break;
      case 3:
        made.push_back(net.Reshape(net.Rescale(net.Reshape(any(), flat)), image));
        break;
      case 4:
        made.push_back(net.Transpose(any()));
        break;
      default:
        made.push_back(net.Add(any(), any()));
    }
  }
  for (size_t t = 0; t < net.graph().tensors.size(); ++t) {
    const auto id = static_cast<TensorId>(t);
    const bool is_input = std::ranges::count(net.graph().inputs, id) > 0;
    if (!is_input && !net.graph().tensors[t].constant() && net.graph().ConsumersOf(id).empty())
      net.Output(id);
  }
  return net;
}

isa::Config SlowMachine(Rng& rng) {
  isa::Config config = test::NamedConfig("default");
  const auto one_of = [&](std::array<int64_t, 3> all) {
    return all[static_cast<size_t>(rng.Range(0, 2))];
  };
  config.cpu.clock_mhz = one_of({200, 650, 2000});
  config.clock_mhz = one_of({3, 10, 100});
  config.cpu.start_us = one_of({0, 1, 30});
  config.cpu.pack_mb_s = one_of({100, 1000, 100000});
  return config;
}

struct Problem {
  explicit Problem(const graph::Graph& graph, const isa::Config& config)
      : layers(graph, config),
        costs(layers, [this](const auto& on) { return FuseOn(layers, on, true); }) {
    const int gpu = config.gpu.driver.empty() ? 0 : NodeRule::kOnGpu;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const int device = graph.nodes[n].op == graph::Op::kTranspose ? NodeRule::kOnHost
                         : costs.IsFree(n) ? NodeRule::kFollows | NodeRule::kOnHost
                                           : NodeRule::kEither;
      rules.nodes.push_back(static_cast<uint8_t>(device | gpu));
    }
    rules.may_join = [this](const graph::Region& joined, uint32_t device) {
      return device != kAccelerator || layers.Check(joined).has_value();
    };
  }

  bool Follows(size_t n) const { return (rules.nodes[n] & NodeRule::kFollows) != 0; }

  // The placement that has the choices on the accelerator whose bits are in |set|.
  Devices Placed(uint64_t set) const {
    const graph::Graph& graph = layers.graph();
    Devices on(rules.nodes.size());
    std::vector<bool> made(graph.tensors.size());
    for (size_t n = 0, bit = 0; n < on.size(); ++n) {
      const std::vector<TensorId>& inputs = costs.nodes()[n].inputs;
      const auto is_made = [&](TensorId id) { return made[static_cast<size_t>(id)]; };
      const bool there =
          Follows(n) ? std::ranges::all_of(inputs, is_made)
                     : rules.nodes[n] == NodeRule::kEither && (set >> (bit++ & 63) & 1) != 0;
      on[n] = there ? kAccelerator : kHost;
      made[static_cast<size_t>(graph.nodes[n].output)] = there;
    }
    return on;
  }
  int64_t choices() const { return std::ranges::count(rules.nodes, NodeRule::kEither); }

  // Every placement of the nodes from |on| on, which are those before, and |most| at most.
  void AddAll(Devices on, size_t most, std::vector<Devices>* all) const {
    const size_t n = on.size();
    if (n == rules.nodes.size()) all->push_back(on);
    if (n == rules.nodes.size() || all->size() > most) return;
    const graph::Graph& graph = layers.graph();
    bool all_there = true;
    for (const TensorId id : costs.nodes()[n].inputs) {
      const auto maker = std::ranges::find(graph.nodes, id, &graph::Node::output);
      all_there = all_there && maker != graph.nodes.end() &&
                  on[static_cast<size_t>(maker - graph.nodes.begin())] == kAccelerator;
    }
    on.push_back(kHost);
    const auto add = [&](uint32_t device) {
      on.back() = device;
      AddAll(on, most, all);
    };
    if (Follows(n) && all_there) return add(kAccelerator);
    if ((rules.nodes[n] & NodeRule::kOnAccelerator) != 0) add(kAccelerator);
    if ((rules.nodes[n] & NodeRule::kOnHost) != 0) add(kHost);
    if ((rules.nodes[n] & NodeRule::kOnGpu) != 0) add(rules.gpu);
  }

  // Whether |on| has connected nodes on one device: each choice and what it reads, through views.
  bool IsTogether(const Devices& on) const {
    const graph::Graph& graph = layers.graph();
    const auto choice_behind = [&](TensorId id) -> std::optional<size_t> {
      while (true) {
        const auto maker = std::ranges::find(graph.nodes, id, &graph::Node::output);
        if (maker == graph.nodes.end()) return std::nullopt;
        const auto n = static_cast<size_t>(maker - graph.nodes.begin());
        if (rules.nodes[n] == NodeRule::kOnHost) return std::nullopt;
        if (rules.nodes[n] == NodeRule::kEither) return n;
        id = graph.nodes[n].inputs[0];
      }
    };
    for (size_t n = 0; n < on.size(); ++n) {
      if (rules.nodes[n] != NodeRule::kEither) continue;
      for (const TensorId id : costs.nodes()[n].inputs) {
        if (const auto from = choice_behind(id); from && on[*from] != on[n]) return false;
      }
    }
    return true;
  }

  Layers layers;
  PlaceCosts costs;
  PlaceRules rules;
};

constexpr Objective kObjectives[] = {{.kind = Objective::Kind::kLatency},
                                     {.kind = Objective::Kind::kThroughput},
                                     {.kind = Objective::Kind::kEnergy,
                                      .host_watts = 1.3,
                                      .accelerator_watts = 0.4,
                                      .gpu_watts = 2}};

TEST(PlaceSearch, NoOtherPlacementCostsLess) {
  int mixed = 0, whole = 0, split = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Net net = BranchedNet(rng);
    Problem problem(net.graph(), SlowMachine(rng));
    if (problem.choices() > 10 || problem.choices() == 0) continue;
    std::vector<std::pair<Devices, NetworkTimes>> all;
    for (uint64_t set = 0; set < uint64_t{1} << problem.choices(); ++set) {
      const Devices on = problem.Placed(set);
      all.emplace_back(on, problem.costs.Times(on));
    }
    for (const bool together : {false, true}) {
      problem.rules.together = problem.rules.some_on = together;
      for (const Objective& objective : kObjectives) {
        double best = std::numeric_limits<double>::infinity();
        for (const auto& [on, times] : all) {
          if (together && (!problem.IsTogether(on) || times.start + times.accelerator == 0))
            continue;
          best = std::min(best, objective.Of(times));
        }
        const auto found = SearchPlacement(problem.costs, problem.rules, objective);
        ASSERT_TRUE(found);
        EXPECT_TRUE(found->exact);
        EXPECT_NEAR(objective.Of(problem.costs.Times(found->on)), best, 1e-9 * best);
        const auto on = std::ranges::count(found->on, kAccelerator);
        mixed += on > 0 && on < problem.choices();
        whole += on == 0 || on >= problem.choices();
        split += !problem.IsTogether(found->on);
      }
    }
  }
  std::printf("%d placements on both devices, %d on one, %d split a group\n", mixed, whole, split);
  EXPECT_GT(mixed, 200);
  EXPECT_GT(whole, 200);
  EXPECT_GT(split, 100);
}

// The same with a GPU, against every placement on the three devices.
TEST(PlaceSearch, NoOtherPlacementOnThreeDevicesCostsLess) {
  constexpr size_t kMost = 3000;
  int searches = 0, on_three = 0, alone = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Net net = BranchedNet(rng);
    isa::Config config = SlowMachine(rng);
    config.gpu = {.driver = "opencl",
                  .processors = 1 << rng.Range(0, 4),
                  .lanes = 8,
                  .clock_mhz = 500,
                  .memory_mb_s = 20'000,
                  .link_mb_s = rng.OneIn(2) ? 100 : 10'000,
                  .launch_us = rng.Range(0, 40),
                  .transfer_us = rng.Range(0, 40)};
    const Problem problem(net.graph(), config);
    std::vector<Devices> all;
    problem.AddAll({}, kMost, &all);
    if (all.size() > kMost) continue;
    std::vector<NetworkTimes> times;
    for (const Devices& on : all) times.push_back(problem.costs.Times(on));
    for (const Objective& objective : kObjectives) {
      double best = std::numeric_limits<double>::infinity();
      for (const NetworkTimes& t : times) best = std::min(best, objective.Of(t));
      const auto found = SearchPlacement(problem.costs, problem.rules, objective, 1 << 16);
      ASSERT_TRUE(found);
      EXPECT_TRUE(found->exact);
      EXPECT_NEAR(objective.Of(problem.costs.Times(found->on)), best, 1e-9 * best);
      const std::set<uint32_t> devices(found->on.begin(), found->on.end());
      ++searches;
      on_three += devices.size() == 3 ? 1 : 0;
      alone += devices == std::set{kOpenCl} ? 1 : 0;
    }
  }
  std::printf("%d searches: %d use three devices, %d the GPU alone\n", searches, on_three, alone);
  EXPECT_GT(searches, 100);
  EXPECT_GT(on_three, 20);
  EXPECT_GT(alone, 5);
}

TEST(PlaceSearch, KeepsWhatTheRulesSay) {
  Net net(1);
  const TensorId a = net.Rescale(net.Input({1, 16, 8, 8}));
  net.Output(net.Rescale(a));
  Problem problem(net.graph(), test::NamedConfig("default"));
  problem.rules.nodes = {NodeRule::kOnAccelerator, NodeRule::kOnHost};
  const Objective latency;
  const auto apart = SearchPlacement(problem.costs, problem.rules, latency);
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->on, (Devices{kAccelerator, kHost}));
  // What is connected to a node of the accelerator goes along.
  problem.rules.nodes[1] = NodeRule::kEither;
  problem.rules.together = true;
  EXPECT_EQ(SearchPlacement(problem.costs, problem.rules, latency)->on,
            (Devices{kAccelerator, kAccelerator}));
  // No placement has something on the accelerator if nothing may be there.
  problem.rules.nodes = {NodeRule::kOnHost, NodeRule::kOnHost};
  problem.rules.some_on = true;
  EXPECT_FALSE(SearchPlacement(problem.costs, problem.rules, latency));
}

// Residual blocks, some with an operator of the host.
TEST(PlaceSearch, AThousandNodesNeedFewStates) {
  Net net(3);
  TensorId x = net.Input({1, 16, 8, 8});
  while (std::ssize(net.graph().nodes) < 1000) {
    TensorId y = net.Conv(net.Conv(x, 16, Square(1)), 16, Square(3));
    if (net.graph().nodes.size() % 7 == 0) y = net.Transpose(y);
    x = net.Add(y, net.Rescale(x));
  }
  net.Output(x);
  const Problem problem(net.graph(), test::NamedConfig("default"));
  const auto found = SearchPlacement(problem.costs, problem.rules, {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->exact);
  EXPECT_LT(found->states, 100 * 1000);
  EXPECT_LE(problem.costs.Times(found->on).total(),
            problem.costs.Times(problem.Placed(~uint64_t{0})).total());
}

TEST(PlaceSearch, ASearchThatDropsStatesSaysSo) {
  Rng rng(5);
  Net net(7);
  std::vector<TensorId> made{net.Input({1, 16, 8, 8})};
  for (int n = 0; n < 8; ++n) made.push_back(net.Conv(made[0], 16, Square(3)));
  TensorId sum = made[1];
  for (size_t n = 2; n < made.size(); ++n) sum = net.Add(sum, net.Transpose(made[n]));
  net.Output(sum);
  Problem problem(net.graph(), test::NamedConfig("default"));
  const auto all = SearchPlacement(problem.costs, problem.rules, {}, 1 << 20);
  const auto few = SearchPlacement(problem.costs, problem.rules, {}, 4);
  ASSERT_TRUE(all && few);
  EXPECT_TRUE(all->exact);
  EXPECT_FALSE(few->exact);
  EXPECT_LT(few->states, all->states);
  EXPECT_GE(problem.costs.Times(few->on).total(), problem.costs.Times(all->on).total());
}

}  // namespace
}  // namespace tessera::network::place_search_test
