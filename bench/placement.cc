// SPDX-License-Identifier: Apache-2.0
//
// Placement of models between the accelerator of a configuration and the processor beside it.
// Prints for each model:
//   - the forecast of the accelerator's time beside that of its programs on device cycle;
//   - the forecast of one inference by the placement of `--place latency`, `--place auto` and five
//     others, in units of the first: all on the host; all on the accelerator that can be; each
//     operator on the device with more multiply-accumulates a second for it (the rule of MNN, MLSys
//     2020); the largest connected part on the accelerator (the rule of TFLite's delegates); and
//     simulated annealing over single operators in the time that the search took (the search of
//     FlexFlow, MLSys 2019); then the placement with layers that both devices make, and the
//     best that annealing finds if branches run at once (Subject::BranchesAtOnce);
//   - the milliseconds of the search, from costs that are known, and with the costs of all layers;
//     the states that it kept, and whether it is exact.
//
//   ninja -C build placement_bench && build/bin/placement_bench pynq build/models/imagenet/*.onnx
#include "compiler/driver/placement.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "base/file.h"
#include "base/rng.h"
#include "bench/timeline.h"
#include "compiler/driver/build.h"
#include "compiler/import/import.h"
#include "compiler/network/place_search.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;
using network::Objective;
using Placed = network::Devices;

constexpr uint64_t kMovesAtOnce = 20000;

double MillisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

// A network, and what is known about its placements.
class Subject {
 public:
  Subject(const compiler::FusedNetwork& fused)
      : layers_(*fused.layers),
        graph_(fused.graph),
        places_(network::PlaceNodes(layers_)),
        costs_(layers_, [this](const Placed& on) { return FuseOn(layers_, on, true); }) {}

  // Operators that have a choice.
  bool IsChoice(size_t n) const { return places_[n].can && !costs_.IsFree(n); }
  double SecondsOf(const Placed& on) const { return Objective().Of(costs_.Times(Follow(on))); }

  // |on| with the views that follow what they show.
  Placed Follow(Placed on) const {
    std::vector<bool> made(graph_.tensors.size());
    for (size_t n = 0; n < on.size(); ++n) {
      const auto& inputs = costs_.nodes()[n].inputs;
      const auto is_made = [&](graph::TensorId id) { return made[static_cast<size_t>(id)]; };
      if (costs_.IsFree(n)) on[n] = Device(places_[n].can && std::ranges::all_of(inputs, is_made));
      made[static_cast<size_t>(graph_.nodes[n].output)] = on[n] == network::kAccelerator;
    }
    return on;
  }

  Placed OnHost() const { return Placed(places_.size()); }
  Placed OnAccelerator() const {
    Placed on;
    for (size_t n = 0; n < places_.size(); ++n) on.push_back(Device(IsChoice(n)));
    return on;
  }
  Placed By(const std::optional<Objective>& goal) const {
    return network::DevicesOf(network::PlaceNodes(layers_, {}, {}, {}, goal));
  }

  // By multiply-accumulates a second: of the array, and of the host's clock, cores and lanes.
  // Operators without any are taken by elements.
  Placed ByPeak() const {
    const isa::Config& c = layers_.config();
    const double array =
                     static_cast<double>(c.batch * c.block_in * c.block_out * c.clock_mhz) * 1e6,
                 start = static_cast<double>(c.cpu.start_us) / 1e6,
                 host = static_cast<double>(c.cpu.clock_mhz * c.cpu.cores) * 1e6;
    Placed on = OnHost();
    for (size_t n = 0; n < on.size(); ++n) {
      if (!IsChoice(n)) continue;
      const auto work = static_cast<double>(std::max(
          layers_.Te(costs_.nodes()[n]).macs, graph_.tensor(costs_.nodes()[n].output).count()));
      on[n] = Device(work / array + start < work / host);
    }
    return on;
  }

  // The part of the accelerator with the most operators that are connected by tensors.
  Placed LargestPart() const {
    const Placed all = Follow(OnAccelerator());
    std::vector<size_t> label(all.size());
    for (size_t n = 0; n < all.size(); ++n) {
      label[n] = n;
      for (const graph::TensorId id : costs_.nodes()[n].inputs) {
        for (size_t m = 0; m < n && all[n] != network::kHost; ++m) {
          if (all[m] == network::kHost || graph_.nodes[m].output != id) continue;
          const size_t from = label[m];
          std::ranges::replace(label, from, label[n]);
        }
      }
    }
    std::map<size_t, int> sizes;
    for (size_t n = 0; n < all.size(); ++n) sizes[label[n]] += IsChoice(n) ? 1 : 0;
    const size_t largest =
        std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; })->first;
    Placed on = OnHost();
    for (size_t n = 0; n < all.size(); ++n) on[n] = label[n] == largest ? all[n] : network::kHost;
    return on;
  }

  // Simulated annealing of |cost| from |now| while |goes_on(moves so far)|: one operator moves; a
  // slower placement is taken with probability exp(-alpha * (slower - now) / now). FlexFlow's alpha
  // is 1.2, for milliseconds of a step, here it is 100 for shares.
  template <typename Cost, typename GoesOn>
  Placed Annealed(Placed now, const Cost& cost, const GoesOn& goes_on) const {
    Rng rng(1);
    std::vector<size_t> choices;
    for (size_t n = 0; n < places_.size(); ++n) {
      if (IsChoice(n)) choices.push_back(n);
    }
    Placed best = now;
    double seconds = cost(now), least = seconds;
    for (uint64_t moves = 0; !choices.empty() && goes_on(moves); ++moves) {
      Placed next = now;
      const size_t n = choices[static_cast<size_t>(rng.Range(0, std::ssize(choices) - 1))];
      next[n] = Device(next[n] == network::kHost);
      const double then = cost(next);
      const double chance = std::exp(-100 * (then - seconds) / seconds);
      if (then > seconds && static_cast<double>(rng.Range(0, 1 << 20)) > chance * (1 << 20))
        continue;
      now = std::move(next);
      seconds = then;
      if (seconds >= least) continue;
      least = seconds;
      best = now;
    }
    return best;
  }

  // The seconds of an inference by |placed| if branches of the network ran on both devices at once,
  // in favour of that: a layer begins as soon as what it reads is there, where in fact a reader
  // waits for the program that makes it; programs have no start, and the host packs no taps.
  double BranchesAtOnce(const Placed& placed) const {
    const Placed on = Follow(placed);
    const std::vector<graph::Region> layers = costs_.Fused(on);
    const std::vector<std::optional<double>> seconds = costs_.SecondsOf(on, layers);
    std::vector<bench::TimedTask> tasks;
    std::map<std::pair<graph::TensorId, bool>, size_t> makers;  // and whether on the accelerator
    for (const graph::TensorId id : graph_.inputs) makers[{id, false}] = tasks.size();
    tasks.emplace_back();
    for (size_t r = 0; r < layers.size(); ++r) {
      const bool there = on[layers[r].nodes[0]] == network::kAccelerator;
      bench::TimedTask layer{.device = there, .seconds = seconds[r].value_or(0)};
      for (const graph::TensorId id : layers[r].inputs) {
        const auto other = makers.find({id, !there});
        if (!makers.contains({id, there}) && other != makers.end()) {
          makers[{id, there}] = tasks.size();
          tasks.push_back(
              {.device = 0, .seconds = costs_.CarrySeconds(id), .after = {other->second}});
        }
        if (const auto maker = makers.find({id, there}); maker != makers.end())
          layer.after.push_back(maker->second);
      }
      makers[{layers[r].output, there}] = tasks.size();
      tasks.push_back(std::move(layer));
    }
    return bench::EndOf(tasks);
  }

  // The search by itself.
  std::optional<network::FoundPlacement> Search() const {
    network::PlaceRules rules{.may_join = [&](const graph::Region& joined, uint32_t device) {
      return device != network::kAccelerator || layers_.Check(joined).has_value();
    }};
    for (size_t n = 0; n < places_.size(); ++n) {
      rules.nodes.push_back(!places_[n].can ? network::NodeRule::kOnHost
                            : costs_.IsFree(n)
                                ? network::NodeRule::kFollows | network::NodeRule::kOnHost
                                : network::NodeRule::kEither);
    }
    return SearchPlacement(costs_, rules, Objective());
  }

 private:
  static uint32_t Device(bool accelerator) {
    return accelerator ? network::kAccelerator : network::kHost;
  }

  const network::Layers& layers_;
  const graph::Graph& graph_;
  const std::vector<network::NodePlace> places_;
  const network::PlaceCosts costs_;
};

Status Run(const std::string& file, const isa::Config& config, std::vector<double>* errors) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, file, {}));
  compiler::CompileOptions options{.config = config};
  TESSERA_ASSIGN(const compiler::PlacedNetwork exact,
                 compiler::PlaceNetwork(graph, options, true, [](int64_t, int64_t) {}));
  compiler::CompileOptions by_goal = options;
  by_goal.goal = Objective();
  TESSERA_ASSIGN(const compiler::PlacedNetwork shared,
                 compiler::PlaceNetwork(graph, by_goal, false, [](int64_t, int64_t) {}));
  compiler::FusedNetwork fused;
  TESSERA_TRY(compiler::PlaceAndFuse(std::move(graph), options, {}, &fused));

  const double cycles = static_cast<double>(*exact.cycles) / static_cast<double>(config.clock_mhz);
  const double forecast = 1e6 * exact.times.accelerator;
  if (cycles > 0) errors->push_back(std::abs(forecast / cycles - 1));

  // Layers without costs yet, as at the start of a compilation.
  const network::Layers fresh(fused.graph, config);
  const Clock::time_point begin = Clock::now();
  network::PlaceNodes(fresh, {}, {}, {}, Objective());
  const double with_costs = MillisecondsSince(begin);

  const Subject subject(fused);
  subject.Search();
  const Clock::time_point again = Clock::now();
  const auto found = subject.Search();
  const double search = MillisecondsSince(again);
  const double best = subject.SecondsOf(subject.By(Objective()));
  uint64_t tried = 0;
  const Clock::time_point start = Clock::now();
  const Placed annealed = subject.Annealed(
      subject.OnAccelerator(), [&](const Placed& on) { return subject.SecondsOf(on); },
      [&](uint64_t moves) {
        tried = moves;
        return MillisecondsSince(start) < search;
      });
  const auto times = [&](const Placed& on) { return subject.SecondsOf(on) / best; };
  const auto at_once = [&](const Placed& on) { return subject.BranchesAtOnce(on); };
  const double branches = at_once(subject.Annealed(
      subject.By(Objective()), at_once, [](uint64_t moves) { return moves < kMovesAtOnce; }));
  const size_t slash = file.find_last_of('/');
  fmt::print(
      "{:30} {:>9.0f} {:>9.0f} {:>+6.1f} {:>9.0f} {:>5.2f} {:>6.2f} {:>6.2f} {:>6.2f} {:>6.2f} "
      "{:>6.2f} {:>6} {:>6.2f} {:>7.2f} {:>7.1f} {:>7.0f} {:>7} {}\n",
      file.substr(slash + 1, 30), forecast, cycles, cycles > 0 ? 100 * (forecast / cycles - 1) : 0,
      1e6 * best, times(subject.By({})), times(subject.OnHost()), times(subject.OnAccelerator()),
      times(subject.ByPeak()), times(subject.LargestPart()), times(annealed), tried,
      shared.times.total() / best, branches / best, search, with_costs, found ? found->states : 0,
      found && found->exact ? "yes" : "no");
  return {};
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: placement_bench CONFIG MODEL...\n");
    return 2;
  }
  const auto config = tessera::isa::LoadConfig(argv[1]);
  if (!config) {
    fmt::print(stderr, "{}\n", config.error().message);
    return 2;
  }
  fmt::print(
      "{:30} {:>9} {:>9} {:>6} {:>9} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} "
      "{:>7} {:>7} {}\n",
      "model", "forecast", "cycle us", "%", "least us", "auto", "host", "accel.", "peak", "large",
      "anneal", "tried", "shared", "at once", "ms", "all ms", "states", "exact");
  std::vector<double> errors;
  for (int a = 2; a < argc; ++a) {
    const tessera::Status ran = tessera::Run(argv[a], *config, &errors);
    if (!ran) fmt::print("{}: {}\n", argv[a], ran.error().message);
  }
  const auto worst = std::ranges::max_element(errors);
  fmt::print("forecasts of {} models: median error {:.1f} %, worst {:.1f} %\n", errors.size(),
             100 * tessera::Median(errors), worst == errors.end() ? 0 : 100 * *worst);
  return 0;
}
