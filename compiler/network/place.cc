// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "base/text.h"
#include "compiler/network/place_cost.h"
#include "compiler/network/program.h"
#include "compiler/schedule/accel/region.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Region;
using graph::TensorId;
using schedule::accel::Refusal;
using schedule::accel::RefusalKind;

// Of so many islands, 255 sets, each set may leave.
constexpr size_t kFewIslands = 8;

constexpr const char* kOtherTypes = "it works on other types than int8";

// Whether the machine's layout has a place for each element of |t|.
bool RankFits(const GraphTensor& t) { return t.shape.size() <= 4; }

// Whether a layer of |scheduled| contains the consecutive nodes of |part|.
bool IsScheduled(const ScheduledLayers& scheduled, const std::string& part) {
  const std::vector<std::string> nodes = NodesOfLayer(Legible(part));
  return std::ranges::any_of(scheduled, [&](const std::string& layer) {
    const std::vector<std::string> all = NodesOfLayer(layer);
    return !std::ranges::search(all, nodes).empty();
  });
}

class Placer {
 public:
  Placer(const Layers& layers, const ScheduledLayers& scheduled, const RefusedRegions& refused,
         const Pins& pins)
      : layers_(layers),
        graph_(layers.graph()),
        scheduled_(scheduled),
        refused_(refused),
        nodes_(graph::Fuse(graph_, false)) {
    for (const Pin& pin : pins) {
      for (const std::string& node : NodesOfLayer(pin.layer)) pinned_.try_emplace(node, pin.device);
    }
  }

  std::vector<NodePlace> Run() {
    for (size_t n = 0; n < nodes_.size(); ++n) Ask(n);
    FollowViews();
    while (LeaveOne()) FollowViews();
    for (size_t n = 0; n < nodes_.size(); ++n) places_[n].device = on_[n] ? kAccelerator : kHost;
    return places_;
  }

 private:
  bool IsPinned(const Region& node, uint32_t device) const {
    const auto pin = pinned_.find(Legible(node.name));
    return pin != pinned_.end() && pin->second == device;
  }

  // Whether node |n| can be on the accelerator by itself.
  void Ask(size_t n) {
    const Region& node = nodes_[n];
    const auto type = [&](TensorId id) { return graph_.tensor(id).dtype; };
    const auto other =
        std::ranges::find_if(node.inputs, [&](TensorId id) { return type(id) != DType::kInt8; });
    const auto has_place = [&](TensorId id) { return RankFits(graph_.tensor(id)); };
    schedule::accel::Acceptance can;
    const auto refused = std::ranges::find(refused_, node.nodes, &RefusedRegion::nodes);
    if (refused != refused_.end()) {
      can = std::unexpected(Refusal(RefusalKind::kProgram, refused->why, refused->why));
    } else if (other != node.inputs.end()) {
      can = std::unexpected(Refusal(RefusalKind::kInputType, kOtherTypes, Text(type(*other))));
    } else if (type(node.output) != DType::kInt8) {
      can =
          std::unexpected(Refusal(RefusalKind::kResultType, kOtherTypes, Text(type(node.output))));
    } else if (IsScheduled(scheduled_, node.name) && has_place(node.output) &&
               std::ranges::all_of(node.inputs, has_place)) {
      // Whether the schedule is valid shows when its program is made.
    } else if (!IsView(graph_, node, layers_.config())) {
      if (const auto& plan = layers_.Check(node); !plan) can = std::unexpected(plan.error());
    }
    if (can && IsPinned(node, kHost))
      can = std::unexpected(Refusal(RefusalKind::kAsked, "asked for"));
    can_.push_back(can.has_value());
    packed_.push_back(can ? layers_.PackedByHost(node) : std::vector<TensorId>());
    places_.emplace_back();
    if (!can) Leave(n, can.error());
  }

  void Leave(size_t n, const Refusal& why) {
    places_[n].why_host = why.message;
    places_[n].machine = why.machine;
  }

  // Sets on_: can_, without views of tensors that the host has or that lie elsewhere.
  void FollowViews() {
    std::vector<bool> made(graph_.tensors.size());
    on_.assign(nodes_.size(), false);
    TensorPlaces places(graph_, layers_.config());
    for (size_t n = 0; n < nodes_.size(); ++n) {
      const Region& node = nodes_[n];
      on_[n] = can_[n];
      const std::vector<Lying> parts = LyingOf(graph_, graph_.nodes[n], layers_.config());
      if (!parts.empty()) {
        const auto is_made = [&](TensorId id) { return made[static_cast<size_t>(id)]; };
        on_[n] = can_[n] && std::ranges::all_of(node.inputs, is_made) && places.LayAll(parts);
        if (!on_[n]) Leave(n, {RefusalKind::kView, "a view of what the host has"});
      }
      made[static_cast<size_t>(node.output)] = on_[n];
    }
  }

  // The parts of the accelerator's nodes that may leave it, each one or more of |islands|: all sets
  // of a few islands; of more, each island and all islands of one turn, which share a start. An
  // island that has a given schedule or a pin does not leave, nor do all islands, because the user
  // asked for the accelerator.
  std::vector<std::vector<size_t>> PartsOf(const std::vector<std::vector<size_t>>& islands,
                                           const std::vector<int>& turns) const {
    std::vector<const std::vector<size_t>*> free;
    std::map<int, uint64_t> of_turn;  // bits of |free|
    for (const std::vector<size_t>& island : islands) {
      const bool asked_for = std::ranges::any_of(island, [&](size_t n) {
        return IsScheduled(scheduled_, nodes_[n].name) || IsPinned(nodes_[n], kAccelerator);
      });
      if (asked_for || free.size() == 64) continue;
      of_turn[turns[island[0]]] |= uint64_t{1} << free.size();
      free.push_back(&island);
    }
    std::vector<uint64_t> sets;
    if (free.size() <= kFewIslands) {
      for (uint64_t set = 1; set < uint64_t{1} << free.size(); ++set) sets.push_back(set);
    } else {
      for (size_t i = 0; i < free.size(); ++i) sets.push_back(uint64_t{1} << i);
      for (const auto& [turn, set] : of_turn) sets.push_back(set);
    }
    std::vector<std::vector<size_t>> parts;
    for (const uint64_t set : sets) {
      if (std::popcount(set) == std::ssize(islands)) continue;
      std::vector<size_t>& part = parts.emplace_back();
      for (size_t i = 0; i < free.size(); ++i) {
        if ((set >> i & 1) != 0) part.insert(part.end(), free[i]->begin(), free[i]->end());
      }
      std::ranges::sort(part);
    }
    return parts;
  }

  // Leaves to the host the part whose leaving saves the most time; false: no leaving saves any.
  bool LeaveOne() {
    const auto fuse = [&](const std::vector<bool>& on) {
      return FuseOn(layers_, on, true, scheduled_, refused_);
    };
    const Placement placement{nodes_, packed_, on_, fuse};
    const std::vector<int> turns = TurnsOf(graph_, placement, on_);
    if (Islands(turns, {}).size() < 2) return false;
    const PlaceCosts costs(layers_, placement);
    const std::vector<std::vector<size_t>> parts =
        PartsOf(Islands(turns, costs.layers_now()), turns);
    const std::vector<size_t>* leaving = nullptr;
    PartTimes best;
    for (const std::vector<size_t>& part : parts) {
      const std::optional<PartTimes> times = costs.TimesOf(part);
      if (!times || times->Saved() <= best.Saved()) continue;
      leaving = &part;
      best = *times;
    }
    if (leaving == nullptr) return false;
    const auto operators = static_cast<size_t>(std::ranges::count_if(
        *leaving, [&](size_t n) { return !IsView(graph_, nodes_[n], layers_.config()); }));
    const std::string about = fmt::format("of {} nodes that leave together, {} the first",
                                          leaving->size(), nodes_[leaving->front()].name);
    const std::string why = TimesText(best, operators, layers_.config().cpu.name);
    for (const size_t n : *leaving) {
      can_[n] = false;
      Leave(n, {RefusalKind::kNotWorth, about, why});
    }
    return true;
  }

  // Nodes of the accelerator, grouped: of one turn and connected by tensors, or of one of
  // |regions|.
  std::vector<std::vector<size_t>> Islands(const std::vector<int>& turns,
                                           const std::vector<Region>& regions) const {
    std::vector<size_t> parent(nodes_.size());
    for (size_t n = 0; n < parent.size(); ++n) parent[n] = n;
    const std::function<size_t(size_t)> root = [&](size_t n) {
      return parent[n] == n ? n : parent[n] = root(parent[n]);
    };
    std::map<std::pair<TensorId, int>, size_t> touching;  // tensor and turn -> some node
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (!on_[n]) continue;
      std::vector<TensorId> touched = nodes_[n].inputs;
      touched.push_back(nodes_[n].output);
      for (const TensorId id : touched) {
        const auto [other, fresh] = touching.try_emplace({id, turns[n]}, n);
        if (!fresh) parent[root(n)] = root(other->second);
      }
    }
    for (const Region& region : regions) {
      if (!on_[region.nodes[0]]) continue;
      for (const size_t n : region.nodes) parent[root(n)] = root(region.nodes[0]);
    }
    std::vector<std::vector<size_t>> islands(nodes_.size());
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (on_[n]) islands[root(n)].push_back(n);
    }
    std::erase_if(islands, [](const auto& island) { return island.empty(); });
    return islands;
  }

  const Layers& layers_;
  const Graph& graph_;
  const ScheduledLayers& scheduled_;
  const RefusedRegions& refused_;
  const std::vector<Region> nodes_;         // a region a node, in the graph's order
  std::map<std::string, uint32_t> pinned_;  // devices by the nodes that have one
  std::vector<std::vector<TensorId>> packed_;
  std::vector<bool> can_, on_;
  std::vector<NodePlace> places_;
};

}  // namespace

bool IsView(const Graph& graph, const Region& region, const isa::Config& config) {
  return region.nodes.size() == 1 && !LyingOf(graph, graph.nodes[region.nodes[0]], config).empty();
}

std::optional<TensorId> ViewedBy(const Graph& graph, const Region& region) {
  const graph::Node& node = graph.nodes[region.nodes[0]];
  if (region.nodes.size() != 1 || node.op != graph::Op::kReshape) return std::nullopt;
  // A view does not apply the order in which the user gives or gets a tensor.
  for (const TensorId id : {node.inputs[0], node.output}) {
    if (!graph.tensor(id).order.empty()) return std::nullopt;
  }
  return node.inputs[0];
}

std::vector<NodePlace> PlaceNodes(const Layers& layers, const ScheduledLayers& scheduled,
                                  const RefusedRegions& refused, const Pins& pins) {
  return Placer(layers, scheduled, refused, pins).Run();
}

Status CheckPins(const Graph& graph, const std::vector<NodePlace>& places, const Pins& pins) {
  std::map<std::string, size_t> nodes;
  for (size_t n = 0; n < graph.nodes.size(); ++n) nodes[Legible(graph.nodes[n].name)] = n;
  for (const Pin& pin : pins) {
    for (const std::string& name : NodesOfLayer(pin.layer)) {
      const auto known = nodes.find(name);
      if (known == nodes.end()) {
        const auto alike = std::ranges::min_element(
            nodes, {}, [&](const auto& node) { return EditDistance(node.first, name); });
        return Fail(
            Code::kNotFound, "placement of {}: the network has no layer {}{}", pin.layer, name,
            alike == nodes.end() ? "" : fmt::format("; the name most like it is {}", alike->first));
      }
      const NodePlace& place = places[known->second];
      if (pin.device == kHost || place.device == kAccelerator) continue;
      return Fail(Code::kUnsupported,
                  "placement of {}: the accelerator cannot run {}: {}; leave the line out, or say "
                  "'host'",
                  pin.layer, name, place.machine);
    }
  }
  return {};
}

std::vector<NodePlace> PlaceOnHost(const Graph& graph) {
  return std::vector<NodePlace>(graph.nodes.size());
}

std::vector<bool> AcceleratorNodes(const std::vector<NodePlace>& places) {
  std::vector<bool> on;
  for (const NodePlace& place : places) on.push_back(place.device == kAccelerator);
  return on;
}

std::vector<Region> FusePlaced(const Layers& layers, const std::vector<NodePlace>& places,
                               bool join, const ScheduledLayers& scheduled,
                               const RefusedRegions& refused) {
  return FuseOn(layers, AcceleratorNodes(places), join, scheduled, refused);
}

std::vector<Region> FuseOn(const Layers& layers, const std::vector<bool>& on, bool join,
                           const ScheduledLayers& scheduled, const RefusedRegions& refused) {
  const auto has = [](const Region& region, const RefusedRegion& part) {
    return part.nodes.size() > 1 && std::ranges::all_of(part.nodes, [&](size_t n) {
             return std::ranges::count(region.nodes, n) > 0;
           });
  };
  return graph::Fuse(layers.graph(), join, [&](const Region& joined) {
    const bool accelerator = on[joined.nodes[0]];
    const bool together =
        std::ranges::all_of(joined.nodes, [&](size_t n) { return on[n] == accelerator; });
    if (!together || !accelerator) return together;
    if (std::ranges::any_of(refused, [&](const RefusedRegion& part) { return has(joined, part); }))
      return false;
    // A part of a layer with a given schedule needs no check: the whole layer runs by that
    // schedule.
    if (joined.nodes.size() > 1 && IsScheduled(scheduled, joined.name)) return true;
    return layers.Check(joined).has_value();
  });
}

std::vector<int> Turns(const Graph& graph, const std::vector<Region>& regions,
                       const std::vector<uint32_t>& device_of_region,
                       const std::vector<std::vector<TensorId>>& packed) {
  std::vector<int> turns, host_may(graph.tensors.size()), accelerator_may(graph.tensors.size());
  for (size_t r = 0; r < regions.size(); ++r) {
    const bool host = device_of_region[r] == kHost;
    int turn = 0;
    for (const TensorId id : regions[r].inputs) {
      const bool by_host = host || std::ranges::count(packed[r], id) > 0;
      turn = std::max(turn, (by_host ? host_may : accelerator_may)[static_cast<size_t>(id)]);
    }
    // The host reads results of the accelerator in the next turn.
    const auto out = static_cast<size_t>(regions[r].output);
    host_may[out] = host ? turn : turn + 1;
    // A program reads what it makes and what was there before from different segments, so it reads
    // no joined tensor that is partly the one and partly the other.
    const bool joins = !host && JoinsParts(graph.nodes[regions[r].nodes[0]].op);
    const bool mixed = joins && std::ranges::any_of(regions[r].inputs, [&](TensorId id) {
                         return accelerator_may[static_cast<size_t>(id)] != turn;
                       });
    accelerator_may[out] = turn + (mixed ? 1 : 0);
    turns.push_back(accelerator_may[out]);
  }
  return turns;
}

}  // namespace tessera::network
