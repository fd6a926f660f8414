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
#include "compiler/network/share_rows.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::Node;
using graph::Region;
using graph::TensorId;

constexpr double kWorth = 1e-3;  // the share of the objective that a shared layer saves at least
constexpr double kSlack = 0.1;   // of a layer's time, by which a share of it may be off
constexpr int64_t kSteps = 8;    // of the shares of a layer that are tried
// Channels for which a host's loops are fast: the vectors of a processor divide them.
constexpr int64_t kHostBlock = 16;

enum ShareBy : size_t { kByChannels, kByRows };

// A layer that both devices can make, with the functions of one value behind it. Seconds.
struct Candidate {
  std::string name;
  std::vector<size_t> nodes;         // of the layer and the functions
  bool on = false;                   // whether the accelerator runs that
  std::array<double, 2> whole{};     // that it takes now, on the host and on the accelerator
  double accelerator = 0, host = 0;  // that it would take on each, with its activations in memory
  double carry_in = 0;               // of carrying what it reads to the other device
  double carried_in = 0;             // of carrying what it reads now, for it alone
  double carry_out = 0;              // of carrying what it makes; below 0: now all of it is carried
  double start = 0;                  // of one more start of the accelerator
  std::array<int64_t, 2> all{};      // channels and rows that can be shared, 0: they cannot
  // Ways to share it: channels or rows of the accelerator, with the seconds of the two parts.
  struct Way {
    ShareBy by = kByChannels;
    int64_t first = 0;
    double accelerator = 0, host = 0;
    double Ends() const { return std::max(accelerator, host); }
  };
  std::vector<Way> ways;

  double PartOf(ShareBy by, int64_t first) const {
    return static_cast<double>(first) / static_cast<double>(all.at(by));
  }
  // By the shares of the channels or rows.
  Way WayOf(ShareBy by, int64_t first) const {
    const double part = PartOf(by, first);
    return {by, first, part * accelerator, (1 - part) * host};
  }
  // The share with which both devices end at once, by the shares of channels or rows.
  double Even() const { return host / (host + accelerator); }
  // Of the ways that share rows, the one whose devices end first; null: no way shares rows.
  const Way* BestOfRows() const {
    const Way* best = nullptr;
    for (const Way& way : ways) {
      if (way.by == kByRows && (best == nullptr || way.Ends() < best->Ends())) best = &way;
    }
    return best;
  }
  Pin PinOf(ShareBy by, int64_t first) const {
    Pin pin{.layer = name, .device = kAccelerator};
    (by == kByRows ? pin.rows : pin.channels) = first;
    return pin;
  }
};

// The part of a shared layer whose first result is |id|.
Region PartOf(const Graph& graph, const std::vector<Region>& nodes, TensorId id) {
  const std::vector<size_t> part = NodesOfPart(graph, id);
  Region region = nodes[part[0]];
  for (size_t k = 1; k + 1 < part.size(); ++k) region = graph::Joined(graph, region, part[k]);
  return region;
}

// |graph| without the bytes of weights. No cost depends on them, and they are most of a network.
Graph WithoutWeights(Graph graph) {
  for (const Node& node : graph.nodes) {
    if (node.op != graph::Op::kConv && node.op != graph::Op::kDense) continue;
    graph::GraphTensor& weights = graph.tensor(node.inputs[1]);
    if (weights.constant()) weights.data->clear();
  }
  return graph;
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
    std::ranges::sort(candidates_, {}, [](const Candidate& layer) { return layer.nodes[0]; });
    if (!candidates_.empty()) {
      shared_ = WithoutWeights(graph_);
      MakeWays();
    }
    Pins pins;
    while (const auto found = Best()) {
      const auto& [at, way] = *found;
      const Candidate& layer = candidates_[at];
      times_ = With(layer, way);
      pins.push_back(layer.PinOf(way.by, way.first));
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

  bool IsReadOn(uint32_t device, TensorId id) const {
    return std::ranges::any_of(graph_.ConsumersOf(id), [&](size_t n) { return on_[n] == device; });
  }

  // Whether node |n| is a function behind a candidate.
  bool IsInCandidate(size_t n) const {
    return std::ranges::any_of(candidates_, [&](const Candidate& layer) {
      return std::ranges::count(layer.nodes, n) > 0;
    });
  }

  // |layers| run, in |seconds|; |r| is one of them.
  void Add(const std::vector<Region>& layers, const std::vector<std::optional<double>>& seconds,
           size_t r) {
    const size_t first = layers[r].nodes[0];
    const Node& anchor = graph_.nodes[first];
    const bool by_channels = CanShare(graph_, anchor), by_rows = CanShareRows(graph_, anchor);
    if ((!by_channels && !by_rows) || IsInCandidate(first)) return;
    Region part = costs_.nodes()[first];
    for (const size_t n : FollowersOf(graph_, anchor)) part = graph::Joined(graph_, part, n);
    if (!HasNames(part)) return;
    const auto maker = graph_.ProducerOf(part.inputs[0]);
    if (IsGpu(on_[first])) return;
    const bool on = on_[first] == kAccelerator, made_on = maker && on_[*maker] == kAccelerator;
    Candidate made{.name = Legible(part.name),
                   .nodes = part.nodes,
                   .on = on,
                   .accelerator = OnAccelerator(part),
                   .host = costs_.HostSeconds(part).value_or(0),
                   .carry_in = made_on == on ? costs_.CarrySeconds(part.inputs[0]) : 0,
                   .carried_in = made_on != on && graph_.ConsumersOf(part.inputs[0]).size() == 1
                                     ? costs_.CarrySeconds(part.inputs[0])
                                     : 0,
                   .carry_out = costs_.CarrySeconds(part.output) *
                                (on && !IsReadOn(kAccelerator, part.output) ? -1 : 1),
                   .start = made_on || !on ? costs_.StartSeconds() : 0,
                   .all = {}};
    const graph::Shape& shape = graph_.tensor(anchor.output).shape;
    if (by_channels && shape[1] > config_.block_out) made.all[kByChannels] = shape[1];
    if (by_rows && shape[kRowAxis] > 1) made.all[kByRows] = shape[kRowAxis];
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
    if (!Promises(made, kByChannels)) made.all[kByChannels] = 0;
    if (!Promises(made, kByRows)) made.all[kByRows] = 0;
    if (made.all != std::array<int64_t, 2>{}) candidates_.push_back(std::move(made));
  }

  // Whether |layer| shared |by| may save, by its shares alone: these are off by some of its time.
  bool Promises(const Candidate& layer, ShareBy by) const {
    if (layer.all.at(by) == 0) return false;
    const double slack = kSlack * (layer.whole[0] + layer.whole[1]);
    return std::ranges::any_of(std::views::iota(int64_t{0}, kSteps + 1), [&](int64_t step) {
      const int64_t first = by == kByRows ? RowsOf(layer, step) : ChannelsOf(layer, step);
      return objective_.Of(With(layer, layer.WayOf(by, first))) <
             objective_.Of(times_) * (1 - kWorth) + slack;
    });
  }

  // Step 0: the share with which both devices end at once; the last one: the same, in blocks of the
  // host too.
  int64_t ChannelsOf(const Candidate& layer, int64_t step) const {
    const bool ends_at_once = step == 0 || step == kSteps;
    const double part = ends_at_once ? layer.Even() : static_cast<double>(step) / kSteps;
    const int64_t all = layer.all[kByChannels];
    const int64_t block = std::max(config_.block_out, step == 0 ? 1 : kHostBlock);
    return Rounded(all, part, block < all ? block : config_.block_out);
  }

  // Step 0: the share with which both devices end at once. Behind the shares of kSteps: the same if
  // each device took as long a row as with the best way so far; its neighbours.
  static int64_t RowsOf(const Candidate& layer, int64_t step) {
    const int64_t all = layer.all[kByRows];
    const auto* best = layer.BestOfRows();
    if (step == 0 || best == nullptr) return Rounded(all, layer.Even(), 1);
    if (step < kSteps) return Rounded(all, static_cast<double>(step) / kSteps, 1);
    if (step > kSteps)
      return std::clamp<int64_t>(best->first + (step == kSteps + 1 ? 1 : -1), 1, all - 1);
    const double part = layer.PartOf(kByRows, best->first);
    const double by_host = best->host / (1 - part), by_accelerator = best->accelerator / part;
    return Rounded(all, by_host / (by_host + by_accelerator), 1);
  }

  // |part| of |all|, in blocks of |block|: some, but not all.
  static int64_t Rounded(int64_t all, double part, int64_t block) {
    const auto steps =
        static_cast<int64_t>(part * static_cast<double>(all) / static_cast<double>(block) + 0.5);
    return std::clamp<int64_t>(steps, 1, std::max<int64_t>(1, (all - 1) / block)) * block;
  }

  // Gives each candidate its ways. What a part takes does not grow with its channels alone, so each
  // is asked for by itself: a graph for each share, in which all candidates are shared.
  void MakeWays() {
    for (int64_t step = 0; step <= kSteps; ++step) TryWays(kByChannels, step);
    // One inference takes least where both devices end at once; other goals may want any share.
    TryWays(kByRows, 0);
    for (int64_t step = 2; step < kSteps && objective_.kind != Objective::Kind::kLatency; step += 2)
      TryWays(kByRows, step);
    for (int64_t step = kSteps; step <= kSteps + 2; ++step) TryWays(kByRows, step);
  }

  // Adds the way |step| of each candidate that can be shared |by|.
  void TryWays(ShareBy by, int64_t step) {
    std::vector<Candidate*> tried;
    Pins pins;
    for (Candidate& layer : candidates_) {
      if (layer.all.at(by) == 0) continue;
      const Pin pin =
          layer.PinOf(by, by == kByRows ? RowsOf(layer, step) : ChannelsOf(layer, step));
      if (HasWay(layer, pin)) continue;
      tried.push_back(&layer);
      pins.push_back(pin);
    }
    if (pins.empty()) return;
    Graph& shared = shared_;
    const auto parts = ShareLayers(shared, pins, config_);
    TESSERA_CHECK(parts.has_value(), "{}", parts.error().message);
    const Layers layers(shared, costs_.layers());
    const std::vector<Region> nodes = graph::Fuse(shared, false);
    for (size_t c = 0; c < tried.size(); ++c) {
      const auto accelerator =
          layers.AcceleratorSeconds(PartOf(shared, nodes, shared.shared[c].accelerator));
      const auto host = layers.HostSeconds(PartOf(shared, nodes, shared.shared[c].host));
      if (accelerator && host) {
        tried[c]->ways.push_back(
            {by, pins[c].channels + pins[c].rows, accelerator->from_memory, *host});
      }
    }
    // Sharing adds tensors and changes none.
    shared.tensors.resize(graph_.tensors.size());
    shared.nodes = graph_.nodes;
    shared.shared = graph_.shared;
  }
  static bool HasWay(const Candidate& layer, const Pin& pin) {
    return std::ranges::any_of(layer.ways, [&](const Candidate::Way& way) {
      return layer.PinOf(way.by, way.first) == pin;
    });
  }

  // The times if |layer| is shared as |way|.
  NetworkTimes With(const Candidate& layer, const Candidate::Way& way) const {
    NetworkTimes times = times_;
    times.host += way.host - layer.whole[0];
    times.accelerator += way.accelerator - layer.whole[1];
    times.together += std::min(way.accelerator, way.host);
    times.start += layer.start;
    const double part = layer.PartOf(way.by, way.first), moved = layer.on ? 1 - part : part;
    times.carry +=
        layer.carry_out * moved +
        (way.by == kByRows ? (layer.carry_in - layer.carried_in) * moved : layer.carry_in);
    return times;
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
  Graph shared_;  // graph_ without weights, where shares of layers are tried
};

}  // namespace

Pins ChooseShared(const PlaceCosts& costs, const Devices& on, const Objective& objective,
                  const ScheduledLayers& scheduled) {
  return SharedChooser(costs, on, objective).Run(scheduled);
}

}  // namespace tessera::network
