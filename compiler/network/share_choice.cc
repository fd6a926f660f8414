// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/share_choice.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "compiler/network/into_parts.h"
#include "compiler/network/share_layers.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::Node;
using graph::Region;
using graph::TensorId;

constexpr double kWorth = 1e-3;  // the share of the objective that a shared layer saves at least
constexpr int64_t kSteps = 8;    // of the shares of a layer that are tried
// Channels for which a host's loops are fast: the vectors of a processor divide them.
constexpr int64_t kHostBlock = 16;

// A layer that both devices can make, with the functions of one value behind it. Seconds.
struct Candidate {
  std::string name;
  size_t node = 0;                   // its first
  bool on = false;                   // whether the accelerator runs that
  std::array<double, 2> whole{};     // that it takes now, on the host and on the accelerator
  double accelerator = 0, host = 0;  // that it would take on each, with its activations in memory
  double carry_in = 0;               // of carrying what it reads to the other device
  double carry_out = 0;              // of carrying what it makes
  double start = 0;                  // of one more start of the accelerator
  int64_t channels = 0;
  // Ways to share it: channels of the accelerator, with the seconds of the two parts.
  struct Way {
    int64_t channels = 0;
    double accelerator = 0, host = 0;
  };
  std::vector<Way> ways;

  // By the shares of the channels.
  Way WayOf(int64_t first) const {
    const double part = static_cast<double>(first) / static_cast<double>(channels);
    return {first, part * accelerator, (1 - part) * host};
  }
};

// The part of a shared layer whose first result is |id|.
Region PartOf(const Graph& graph, const std::vector<Region>& nodes, TensorId id) {
  const std::vector<size_t> part = NodesOfPart(graph, id);
  Region region = nodes[part[0]];
  for (size_t k = 1; k + 1 < part.size(); ++k) region = graph::Joined(graph, region, part[k]);
  return region;
}

class SharedChooser {
 public:
  SharedChooser(const PlaceCosts& costs, const Devices& on, const Objective& objective)
      : costs_(costs),
        graph_(costs.layers().graph()),
        config_(costs.layers().config()),
        on_(on),
        objective_(objective),
        times_(costs.Times(on)) {}

  Pins Run(const ScheduledLayers& scheduled) {
    const std::vector<Region> layers = costs_.Fused(on_);
    const std::vector<std::optional<double>> seconds = costs_.SecondsOf(on_, layers);
    for (size_t r = 0; r < layers.size(); ++r) {
      if (std::ranges::count(scheduled, Legible(layers[r].name)) == 0) Add(layers, seconds, r);
    }
    std::ranges::sort(candidates_, {}, &Candidate::node);
    if (!candidates_.empty()) MakeWays();
    Pins pins;
    while (const auto found = Best()) {
      const auto& [at, way] = *found;
      const Candidate& layer = candidates_[at];
      times_ = With(layer, way);
      pins.push_back({.layer = layer.name, .device = kAccelerator, .channels = way.channels});
      candidates_.erase(candidates_.begin() + static_cast<int64_t>(at));
    }
    return pins;
  }

 private:
  double OnAccelerator(const Region& layer) const {
    return costs_.AcceleratorSeconds(layer, [](TensorId) { return PlaceCosts::Lies::kInMemory; })
        .value_or(0);
  }

  // Whether a pin can name each node of |part|: names may be there twice, or have a '+'.
  bool HasNames(const Region& part) const {
    const std::vector<std::string> names = NodesOfLayer(Legible(part.name));
    if (names.size() != part.nodes.size()) return false;
    for (size_t k = 0; k < names.size(); ++k) {
      const auto found = FindNode(graph_, part.name, names[k]);
      if (!found || *found != part.nodes[k]) return false;
    }
    return true;
  }

  // |layers| run, in |seconds|; |r| is one of them.
  void Add(const std::vector<Region>& layers, const std::vector<std::optional<double>>& seconds,
           size_t r) {
    const size_t first = layers[r].nodes[0];
    const Node& anchor = graph_.nodes[first];
    if (!CanShare(graph_, anchor)) return;
    Region part = costs_.nodes()[first];
    for (const size_t n : FollowersOf(graph_, anchor)) part = graph::Joined(graph_, part, n);
    if (!HasNames(part)) return;
    const auto maker = graph_.ProducerOf(part.inputs[0]);
    if (IsGpu(on_[first])) return;
    const bool on = on_[first] == kAccelerator, made_on = maker && on_[*maker] == kAccelerator;
    Candidate made{.name = Legible(part.name),
                   .node = first,
                   .on = on,
                   .accelerator = OnAccelerator(part),
                   .host = costs_.HostSeconds(part).value_or(0),
                   .carry_in = made_on == on ? costs_.CarrySeconds(part.inputs[0]) : 0,
                   .carry_out = costs_.CarrySeconds(part.output),
                   .start = made_on || !on ? costs_.StartSeconds() : 0,
                   .channels = graph_.tensor(anchor.output).shape[1]};
    if (made.accelerator <= 0 || made.host <= 0) return;
    const auto in_part = [&](size_t n) { return std::ranges::count(part.nodes, n) > 0; };
    for (size_t l = r; l < layers.size(); ++l) {
      if (!std::ranges::any_of(layers[l].nodes, in_part)) continue;
      if (!seconds[l] || IsGpu(on_[layers[l].nodes[0]])) return;
      double& whole = made.whole.at(on_[layers[l].nodes[0]]);
      whole += *seconds[l];
      for (const size_t n : layers[l].nodes) {
        const Region& node = costs_.nodes()[n];
        if (!in_part(n))
          whole -=
              on_[n] == kAccelerator ? OnAccelerator(node) : costs_.HostSeconds(node).value_or(0);
      }
    }
    if (made.channels > config_.block_out &&
        std::ranges::any_of(std::views::iota(int64_t{0}, kSteps + 1), [&](int64_t step) {
          return Saves(made, made.WayOf(ChannelsOf(made, step)));
        }))
      candidates_.push_back(std::move(made));
  }

  // Step 0: the share with which both devices end at once; the last one: the same, in blocks of the
  // host too.
  int64_t ChannelsOf(const Candidate& layer, int64_t step) const {
    const double even = layer.host / (layer.host + layer.accelerator);
    const bool ends_at_once = step == 0 || step == kSteps;
    return Rounded(layer, ends_at_once ? even : static_cast<double>(step) / kSteps,
                   step == 0 ? 1 : kHostBlock);
  }

  // |part| of the channels of |layer|, in blocks of the array and of |block|: some, but not all.
  int64_t Rounded(const Candidate& layer, double part, int64_t block) const {
    int64_t step = std::max(config_.block_out, block);
    if (step >= layer.channels) step = config_.block_out;
    const auto steps = static_cast<int64_t>(
        part * static_cast<double>(layer.channels) / static_cast<double>(step) + 0.5);
    return std::clamp<int64_t>(steps, 1, std::max<int64_t>(1, (layer.channels - 1) / step)) * step;
  }

  // Gives each candidate its ways. What a part takes does not grow with its channels alone, so each
  // is asked for by itself: a graph for each share, in which all candidates are shared.
  void MakeWays() {
    for (int64_t step = 0; step <= kSteps; ++step) {
      Pins pins;
      for (const Candidate& layer : candidates_) {
        pins.push_back(
            {.layer = layer.name, .device = kAccelerator, .channels = ChannelsOf(layer, step)});
      }
      TryWays(pins);
    }
  }

  // Adds the ways of |pins|, one for each candidate.
  void TryWays(const Pins& pins) {
    Graph shared = graph_;
    const auto parts = ShareLayers(shared, pins, config_);
    TESSERA_CHECK(parts.has_value(), "{}", parts.error().message);
    const Layers layers(shared, config_);
    const std::vector<Region> nodes = graph::Fuse(shared, false);
    for (size_t c = 0; c < candidates_.size(); ++c) {
      std::vector<Candidate::Way>& ways = candidates_[c].ways;
      if (std::ranges::count(ways, pins[c].channels, &Candidate::Way::channels) > 0) continue;
      const auto accelerator =
          layers.AcceleratorSeconds(PartOf(shared, nodes, shared.shared[c].accelerator));
      const auto host = layers.HostSeconds(PartOf(shared, nodes, shared.shared[c].host));
      if (accelerator && host) ways.push_back({pins[c].channels, accelerator->from_memory, *host});
    }
  }

  // The times if |layer| is shared as |way|.
  NetworkTimes With(const Candidate& layer, const Candidate::Way& way) const {
    NetworkTimes times = times_;
    times.host += way.host - layer.whole[0];
    times.accelerator += way.accelerator - layer.whole[1];
    times.together += std::min(way.accelerator, way.host);
    times.start += layer.start;
    const double part = static_cast<double>(way.channels) / static_cast<double>(layer.channels);
    times.carry += layer.carry_in + layer.carry_out * (layer.on ? 1 - part : part);
    return times;
  }
  bool Saves(const Candidate& layer, const Candidate::Way& way) const {
    return objective_.Of(With(layer, way)) < objective_.Of(times_) * (1 - kWorth);
  }

  // The candidate that saves most, and how.
  std::optional<std::pair<size_t, Candidate::Way>> Best() const {
    double least = objective_.Of(times_) * (1 - kWorth);
    std::optional<std::pair<size_t, Candidate::Way>> best;
    for (size_t c = 0; c < candidates_.size(); ++c) {
      for (const Candidate::Way& way : candidates_[c].ways) {
        const double then = objective_.Of(With(candidates_[c], way));
        if (then >= least) continue;
        least = then;
        best = {c, way};
      }
    }
    return best;
  }

  const PlaceCosts& costs_;
  const Graph& graph_;
  const isa::Config& config_;
  const Devices& on_;
  const Objective& objective_;
  NetworkTimes times_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Pins ChooseShared(const PlaceCosts& costs, const Devices& on, const Objective& objective,
                  const ScheduledLayers& scheduled) {
  return SharedChooser(costs, on, objective).Run(scheduled);
}

}  // namespace tessera::network
