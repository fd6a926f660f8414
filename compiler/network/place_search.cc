// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/place_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "compiler/network/grown_regions.h"
#include "compiler/network/search_edges.h"
#include "compiler/network/search_state.h"

namespace tessera::network {
namespace {

using graph::Region;
using graph::TensorId;

class PlacementSearch {
  using Lies = PlaceCosts::Lies;
  using enum NodeRule::Bits;

 public:
  PlacementSearch(const PlaceCosts& costs, const PlaceRules& rules, const Objective& objective,
                  int64_t most_states)
      : costs_(costs),
        graph_(costs.layers().graph()),
        rules_(rules),
        objective_(objective),
        most_states_(most_states),
        regions_(costs, rules),
        edges_(costs),
        maker_(graph_.tensors.size(), -1),
        is_choice_(graph_.tensors.size()) {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto out = static_cast<size_t>(graph_.nodes[n].output);
      const std::vector<TensorId>& inputs = costs.nodes()[n].inputs;
      maker_[out] = static_cast<int64_t>(n);
      is_choice_[out] =
          (rules.nodes[n] & kFollows) != 0
              ? std::ranges::any_of(
                    inputs, [&](TensorId id) { return is_choice_[static_cast<size_t>(id)]; })
              : (rules.nodes[n] & kOnAccelerator) != 0;
      with_gpu_ = with_gpu_ || (rules.nodes[n] & kOnGpu) != 0;
    }
  }

  std::optional<FoundPlacement> Run() {
    SearchState first{.host = FloatSeconds()};
    for (const TensorId id : graph_.inputs) {
      if (const int32_t readers = edges_.Readers(id); readers > 0)
        first.live.push_back({.id = id, .unpacked = true, .readers = readers});
    }
    std::ranges::sort(first.live, {}, &LiveTensor::id);
    std::vector<SearchState> states{std::move(first)};
    Bound();
    FoundPlacement found{.exact = true};
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      after_.clear();
      index_.clear();
      rest_now_ = rest_[n + 1];
      for (SearchState& state : states) Decide(std::move(state), n);
      if (std::ssize(after_) > most_states_) {
        found.exact = false;
        std::ranges::nth_element(after_, after_.begin() + most_states_, {},
                                 [&](const SearchState& s) { return CostOf(s); });
        after_.resize(static_cast<size_t>(most_states_));
      }
      std::swap(states, after_);
      found.states += std::ssize(states);
    }
    if (rules_.some_on) std::erase_if(states, [](const auto& s) { return !s.used; });
    if (states.empty()) return std::nullopt;
    const SearchState& best =
        *std::ranges::min_element(states, {}, [&](const auto& s) { return CostOf(s); });
    found.on.resize(graph_.nodes.size());
    for (int32_t at = best.trail; at >= 0; at = trail_[static_cast<size_t>(at)].before)
      found.on[trail_[static_cast<size_t>(at)].node] = trail_[static_cast<size_t>(at)].on;
    found.exact = found.exact && IsRight(best, found.on);
    return found;
  }

 private:
  double CostOf(const SearchState& state) const {
    return objective_.Of(state.host, state.accelerator, state.gpu);
  }
  static double SecondsOf(const SearchState& state) {
    return state.host + state.accelerator + state.gpu;
  }

  // Whether |state| has the seconds of the placement |on|.
  bool IsRight(const SearchState& state, const Devices& on) const {
    const NetworkTimes times = costs_.Times(on);
    const double seconds = times.by_host() + times.accelerator + times.by_gpu();
    return std::abs(SecondsOf(state) - seconds) <= 1e-9 * std::max(seconds, 1e-9);
  }

  // Sets the cost that the search need not exceed, of all on the accelerator, and what the nodes
  // from each one on cost at least: a region that begins with a node takes no less than the fastest
  // of all that can, and a node that may follow others nothing.
  void Bound() {
    Devices on(graph_.nodes.size());
    std::vector<bool> made(graph_.tensors.size()), follows(on.size());
    for (size_t n = 0; n < on.size(); ++n) {
      const uint8_t rule = rules_.nodes[n];
      const auto is_made = [&](TensorId id) { return made[static_cast<size_t>(id)]; };
      const bool may = (rule & kFollows) != 0
                           ? std::ranges::all_of(costs_.nodes()[n].inputs, is_made)
                           : (rule & kOnAccelerator) != 0;
      on[n] = may ? kAccelerator : DeviceOf((rule & kOnHost) != 0 ? kOnHost : rule & kOnGpu);
      made[static_cast<size_t>(graph_.nodes[n].output)] = on[n] == kAccelerator;
      for (size_t more = 0; const auto next = regions_.At(n, more).next; ++more)
        follows[*next] = true;
    }
    const NetworkTimes times = costs_.Times(on);
    most_ = objective_.Of(times.by_host(), times.accelerator, times.by_gpu()) * (1 + 1e-9);
    rest_.assign(on.size() + 1, 0);
    for (size_t n = on.size(); n-- > 0;) {
      const bool free = follows[n] || regions_.IsFloat(n) || (rules_.nodes[n] & kFollows) != 0;
      rest_[n] = rest_[n + 1] + (free ? 0 : regions_.Least(n, objective_));
    }
  }

  // Whether no end of |state| can be better than the bound.
  bool IsHopeless(const SearchState& state) const {
    const double so_far = CostOf(state);
    if (objective_.kind != Objective::Kind::kThroughput) return so_far + rest_now_ > most_;
    return std::max(so_far, (SecondsOf(state) + rest_now_) / (with_gpu_ ? 3 : 2)) > most_;
  }

  // Of the layers of floats, which are the host's in any placement.
  double FloatSeconds() const {
    double seconds = 0;
    Devices on;
    for (const uint8_t rule : rules_.nodes) on.push_back(rule == kOnGpu ? rules_.gpu : kHost);
    for (const Region& region : costs_.Fused(on)) {
      if (on[region.nodes[0]] != kHost) continue;
      if (std::ranges::any_of(region.nodes, [&](size_t n) { return regions_.IsFloat(n); }))
        seconds += costs_.HostSeconds(region).value_or(0);
    }
    return seconds;
  }

  static DecidedNode* FindDecided(SearchState& state, size_t node) {
    const auto found = std::ranges::find(state.decided, node, &DecidedNode::node);
    return found == state.decided.end() ? nullptr : &*found;
  }

  // A device as a bit of NodeRule, and the other way round.
  static int BitOf(uint32_t device) {
    return device == kHost ? kOnHost : device == kAccelerator ? kOnAccelerator : kOnGpu;
  }
  uint32_t DeviceOf(int bit) const {
    return bit == kOnHost ? kHost : bit == kOnAccelerator ? kAccelerator : rules_.gpu;
  }

  // The devices that node |n| may be on, as bits. |made|: a tensor that a region on |made_on| is
  // about to make.
  int DevicesOf(SearchState& state, size_t n, TensorId made = -1, uint32_t made_on = kHost) const {
    if (const DecidedNode* decided = FindDecided(state, n)) return BitOf(decided->on);
    int devices = rules_.nodes[n] & ~kFollows;
    const bool follows = devices != rules_.nodes[n];
    const bool stays = rules_.together && (devices & kOnAccelerator) != 0;
    bool all_on = true;
    for (const TensorId id : costs_.nodes()[n].inputs) {
      const bool on = (id == made ? made_on : state.Find(id)->on) == kAccelerator;
      all_on = all_on && on;
      if (stays && is_choice_[static_cast<size_t>(id)])
        devices &= on ? kOnAccelerator : ~kOnAccelerator;
    }
    if (!follows) return devices;
    return all_on ? kOnAccelerator : devices & ~kOnAccelerator;
  }

  void Decide(SearchState state, size_t n) {
    if (const DecidedNode* decided = FindDecided(state, n); decided != nullptr && decided->taken) {
      std::erase_if(state.decided, [&](const DecidedNode& d) { return d.node == n; });
      Keep(std::move(state));
      return;
    }
    const int devices = DevicesOf(state, n);
    std::erase_if(state.decided, [&](const DecidedNode& d) { return d.node == n; });
    for (const int bit : {kOnAccelerator, kOnHost, kOnGpu}) {
      if ((devices & bit) != 0) Grow(state, n, n, 0, DeviceOf(bit));
    }
  }

  // Adds to the region, or ends it, in each way that the rules allow. |current|: the node whose
  // turn it is.
  void Grow(const SearchState& state, size_t current, size_t n, size_t more, uint32_t on) {
    const std::optional<size_t> next = regions_.At(n, more).next;
    const TensorId result = regions_.At(n, more).region.output;
    SearchState now = state;
    if (!next || !IsReady(now, *next, result, current)) return End(now, n, more, on);
    const int devices = DevicesOf(now, *next, result, on);
    const bool was_decided = FindDecided(now, *next) != nullptr;
    for (const int bit : {kOnAccelerator, kOnHost, kOnGpu}) {
      if ((devices & bit) == 0) continue;
      const uint32_t then = DeviceOf(bit);
      SearchState way = now;
      if (!was_decided) way.decided.push_back({*next, then, false});
      if (then == on && regions_.MayJoin(regions_.At(n, more + 1), on)) {
        FindDecided(way, *next)->taken = true;
        Grow(way, current, n, more + 1, on);
      } else {
        End(way, n, more, on);
      }
    }
  }

  bool IsReady(SearchState& state, size_t next, TensorId result, size_t current) const {
    const DecidedNode* decided = FindDecided(state, next);
    if (decided != nullptr && decided->taken) return false;
    return std::ranges::all_of(costs_.nodes()[next].inputs, [&](TensorId id) {
      const int64_t maker = maker_[static_cast<size_t>(id)];
      if (id == result || maker < static_cast<int64_t>(current)) return true;
      const DecidedNode* made = FindDecided(state, static_cast<size_t>(maker));
      return made != nullptr && made->taken;
    });
  }

  // The region is complete: counts what it costs.
  void End(SearchState& state, size_t n, size_t more, uint32_t on) {
    GrownRegion& grown = regions_.At(n, more);
    const Region& region = grown.region;
    int turn = 0;
    for (const size_t node : region.nodes) turn = edges_.Run(state, node, on);
    if (on == kAccelerator) {
      const bool stored = edges_.IsOutput(region.output) || !costs_.MayStay(region.output);
      const auto seconds = [&](bool store) {
        const auto lies = [&](TensorId id) {
          if (id != region.output) return edges_.LiesFor(state, id, turn);
          return store ? Lies::kInMemory : Lies::kOnChip;
        };
        return costs_.AcceleratorSeconds(region, lies).value_or(0);
      };
      const double apart = seconds(false), with = seconds(true);
      state.accelerator += stored ? with : apart;
      if (LiveTensor* made = state.Find(region.output)) {
        made->stored = stored;
        made->store = with - apart;
      }
    } else if (IsGpu(on)) {
      const std::optional<double> seconds = regions_.GpuSeconds(grown);
      if (!seconds && rules_.nodes[n] != kOnGpu) return;  // nothing to compare
      state.gpu += seconds.value_or(0);
    } else if (!regions_.IsFloat(n)) {
      const std::optional<double> seconds = regions_.HostSeconds(grown);
      const bool choice = std::ranges::any_of(
          region.nodes, [&](size_t node) { return (rules_.nodes[node] & kEither) == kEither; });
      if (!seconds && choice) return;  // nothing to compare
      state.host += seconds.value_or(0);
    }
    for (const size_t node : region.nodes) {
      for (const TensorId id : costs_.nodes()[node].inputs) --state.Find(id)->readers;
      trail_.push_back({state.trail, static_cast<uint32_t>(node), on});
      state.trail = static_cast<int32_t>(trail_.size()) - 1;
    }
    std::erase_if(state.live, [](const LiveTensor& t) { return t.readers == 0; });
    Keep(std::move(state));
  }

  // Keeps |state| if no cheaper way to it is known. Turns count from the first one in which a
  // tensor can still be read: starts before it are paid, and no later node is in them.
  void Keep(SearchState state) {
    if (IsHopeless(state)) return;
    int16_t first = state.live.empty() ? 0 : std::numeric_limits<int16_t>::max();
    for (const LiveTensor& t : state.live) first = std::min({first, t.host_may, t.accelerator_may});
    for (LiveTensor& t : state.live) {
      t.host_may = static_cast<int16_t>(t.host_may - first);
      t.accelerator_may = static_cast<int16_t>(t.accelerator_may - first);
    }
    state.started = first > kMostTurns ? 0 : state.started >> first;
    const auto [known, fresh] = index_.try_emplace(state.Key());
    std::vector<size_t>& ways = known->second;
    const bool one = objective_.kind != Objective::Kind::kThroughput;
    const auto no_worse = [&](const SearchState& a, const SearchState& b) {
      return one ? CostOf(a) <= CostOf(b)
                 : a.host <= b.host && a.accelerator <= b.accelerator && a.gpu <= b.gpu;
    };
    for (const size_t w : ways) {
      if (no_worse(after_[w], state)) return;
    }
    const auto worse =
        std::ranges::find_if(ways, [&](size_t w) { return no_worse(state, after_[w]); });
    if (worse != ways.end()) {
      after_[*worse] = std::move(state);
    } else {
      ways.push_back(after_.size());
      after_.push_back(std::move(state));
    }
  }

  const PlaceCosts& costs_;
  const graph::Graph& graph_;
  const PlaceRules& rules_;
  const Objective& objective_;
  const int64_t most_states_;
  GrownRegions regions_;
  const SearchEdges edges_;
  std::vector<int64_t> maker_;  // by tensor; -1: none
  bool with_gpu_ = false;       // some node may be on it
  // By tensor: whether its maker can be on the accelerator, or views such a tensor.
  std::vector<bool> is_choice_;
  double most_ = 0;                 // that a placement need not exceed
  std::vector<double> rest_;        // by node: the least cost from it on
  double rest_now_ = 0;             // behind the step that is being decided
  std::vector<SearchState> after_;  // the step that is being decided
  std::unordered_map<std::string, std::vector<size_t>> index_;  // of |after_| by key
  std::vector<TrailStep> trail_;
};

}  // namespace

std::optional<FoundPlacement> SearchPlacement(const PlaceCosts& costs, const PlaceRules& rules,
                                              const Objective& objective, int64_t most_states) {
  return PlacementSearch(costs, rules, objective, most_states).Run();
}

}  // namespace tessera::network
