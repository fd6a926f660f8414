// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "base/text.h"
#include "compiler/network/grown_regions.h"
#include "compiler/network/place_cost.h"
#include "compiler/network/place_search.h"
#include "compiler/network/program.h"
#include "compiler/network/share_layers.h"
#include "compiler/schedule/accel/region.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Region;
using graph::TensorId;
using schedule::accel::Refusal;
using schedule::accel::RefusalKind;

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

// Whether |joined|, several nodes, may be one region of |device|.
bool MayBe(const Layers& layers, const Region& joined, uint32_t device,
           const ScheduledLayers& scheduled, const RefusedRegions& refused) {
  if (device != kAccelerator) return true;
  const auto has = [&](const RefusedRegion& part) {
    return part.nodes.size() > 1 && std::ranges::all_of(part.nodes, [&](size_t n) {
             return std::ranges::count(joined.nodes, n) > 0;
           });
  };
  if (std::ranges::any_of(refused, has)) return false;
  // A part of a layer with a given schedule needs no check: the whole layer runs by that schedule.
  return IsScheduled(scheduled, joined.name) || layers.Check(joined).has_value();
}

class Placer {
  using enum NodeRule::Bits;

 public:
  Placer(const Layers& layers, const ScheduledLayers& scheduled, const RefusedRegions& refused,
         const Pins& pins, const std::optional<Objective>& goal)
      : layers_(layers),
        graph_(layers.graph()),
        scheduled_(scheduled),
        refused_(refused),
        goal_(goal),
        nodes_(graph::Fuse(graph_, false)) {
    for (const Pin& pin : pins) {
      for (const std::string& node : NodesOfLayer(pin.layer)) pinned_.try_emplace(node, pin.device);
    }
  }

  std::vector<NodePlace> Run() {
    for (size_t n = 0; n < nodes_.size(); ++n) Ask(n);
    FollowViews();
    Choose();
    FollowViews();
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (places_[n].device == kAccelerator) places_[n].device = kHost;
      if (on_[n]) places_[n].device = kAccelerator;
    }
    return places_;
  }

 private:
  // The device that the user gives node |n|; nothing: the compiler chooses.
  std::optional<uint32_t> PinOf(size_t n) const {
    const auto pin = pinned_.find(Legible(nodes_[n].name));
    return pin == pinned_.end() ? std::nullopt : std::optional(pin->second);
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
    const bool could = can.has_value();
    if (can && PinOf(n).value_or(kAccelerator) != kAccelerator)
      can = std::unexpected(Refusal(RefusalKind::kAsked, "asked for"));
    can_.push_back(can.has_value());
    const uint32_t pinned = PinOf(n).value_or(kHost);
    places_.push_back({.device = IsGpu(pinned) ? pinned : kHost, .can = could});
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

  // The rules of the search: a node that is pinned or has a given schedule stays where it is.
  PlaceRules Rules() const {
    PlaceRules rules{.nodes = {},
                     .gpu = GpuOf(layers_.config()),
                     .together = !goal_,
                     .some_on = !goal_,
                     .may_join = [&](const Region& joined, uint32_t device) {
                       return MayBe(layers_, joined, device, scheduled_, refused_);
                     }};
    const bool with_gpu = goal_ && !layers_.config().gpu.driver.empty();
    for (size_t n = 0; n < nodes_.size(); ++n) {
      const bool asked_for = IsScheduled(scheduled_, nodes_[n].name) || PinOf(n) == kAccelerator;
      const bool view = !LyingOf(graph_, graph_.nodes[n], layers_.config()).empty();
      uint8_t& rule = rules.nodes.emplace_back(!on_[n]     ? kOnHost
                                               : view      ? kFollows | kOnHost
                                               : asked_for ? kOnAccelerator
                                                           : kEither);
      if (IsGpu(places_[n].device)) {
        rule = kOnGpu;
        rules.gpu = places_[n].device;
      } else if (with_gpu && !asked_for && !PinOf(n) && !HasFloats(graph_, nodes_[n])) {
        rule |= kOnGpu;
      }
    }
    return rules;
  }

  // Whether |rules| allow more than one placement. They do not if all nodes of the accelerator are
  // one group, which stays together and does not leave.
  bool HasChoice(const PlaceRules& rules) const {
    const auto is_choice = [](uint8_t rule) {
      return std::popcount(static_cast<uint8_t>(rule & (kEither | kOnGpu))) > 1;
    };
    if (std::ranges::none_of(rules.nodes, is_choice)) return false;
    return !rules.together || Groups(on_).size() > 1;
  }

  // Leaves to the host what costs less there.
  void Choose() {
    PlaceRules rules = Rules();
    if (!HasChoice(rules)) return;
    const PlaceCosts costs(layers_, [&](const Devices& on) {
      return FuseOn(layers_, on, true, scheduled_, refused_);
    });
    const bool some_on = std::ranges::any_of(std::views::iota(size_t{0}, on_.size()),
                                             [&](size_t n) { return on_[n] && !costs.IsFree(n); });
    rules.some_on = rules.some_on && some_on;
    const auto found = SearchPlacement(costs, rules, goal_.value_or(Objective()));
    if (!found) return;
    const NetworkTimes times = costs.Times(found->on);
    for (const uint32_t device : {kHost, rules.gpu}) LeaveTo(device, costs, found->on, times);
    for (size_t n = 0; n < on_.size(); ++n) places_[n].device = found->on[n];
  }

  // Takes the nodes that |found| has on |device| from the accelerator, and says why. |all|: what
  // |found| takes.
  void LeaveTo(uint32_t device, const PlaceCosts& costs, const Devices& found,
               const NetworkTimes& all) {
    std::vector<bool> leaving(on_.size());
    for (size_t n = 0; n < leaving.size(); ++n) leaving[n] = on_[n] && found[n] == device;
    for (const std::vector<size_t>& part : Groups(leaving)) {
      const auto operators = static_cast<size_t>(
          std::ranges::count_if(part, [&](size_t n) { return !costs.IsFree(n); }));
      const std::string about = fmt::format("of {} nodes that leave together, {} the first",
                                            part.size(), nodes_[part.front()].name);
      const std::optional<PartTimes> times = costs.TimesOf(found, all, part, kAccelerator, device);
      const std::string name(device == kHost ? layers_.config().cpu.name : DeviceText(device));
      const std::string why =
          fmt::format("{}: {}", goal_.value_or(Objective()).WhyOn(device == kHost ? "host" : "GPU"),
                      times ? TimesText(*times, operators, name) : "no estimate");
      for (const size_t n : part) {
        can_[n] = false;
        Leave(n, {RefusalKind::kNotWorth, about, why});
      }
    }
  }

  // The nodes of |set|, in groups that tensors connect: a node and the makers of what it reads.
  std::vector<std::vector<size_t>> Groups(const std::vector<bool>& set) const {
    std::vector<size_t> label(nodes_.size());  // of each node's group: one of its nodes
    std::map<TensorId, size_t> makers;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (!set[n]) continue;
      label[n] = n;
      makers[nodes_[n].output] = n;
      for (const TensorId id : nodes_[n].inputs) {
        const auto maker = makers.find(id);
        if (maker == makers.end()) continue;
        const size_t joined = label[maker->second];
        for (size_t m = 0; m < n; ++m) {
          if (set[m] && label[m] == joined) label[m] = n;
        }
      }
    }
    std::map<size_t, std::vector<size_t>> groups;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (set[n]) groups[label[n]].push_back(n);
    }
    return {std::views::values(groups).begin(), std::views::values(groups).end()};
  }

  const Layers& layers_;
  const Graph& graph_;
  const ScheduledLayers& scheduled_;
  const RefusedRegions& refused_;
  const std::optional<Objective>& goal_;
  const std::vector<Region> nodes_;         // a region a node, in the graph's order
  std::map<std::string, uint32_t> pinned_;  // devices by the nodes that have one
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
                                  const RefusedRegions& refused, const Pins& pins,
                                  const std::optional<Objective>& goal) {
  return Placer(layers, scheduled, refused, pins, goal).Run();
}

Result<size_t> FindNode(const Graph& graph, const std::string& layer, const std::string& name) {
  const auto named = [](const graph::Node& node) { return Legible(node.name); };
  const auto found = std::ranges::find(graph.nodes, name, named);
  if (found != graph.nodes.end()) return static_cast<size_t>(found - graph.nodes.begin());
  const auto alike = std::ranges::min_element(
      graph.nodes, {}, [&](const auto& node) { return EditDistance(named(node), name); });
  return Fail(Code::kNotFound, "placement of {}: the network has no layer {}{}", layer, name,
              alike == graph.nodes.end()
                  ? ""
                  : fmt::format("; the name most like it is {}", named(*alike)));
}

Status CheckPins(const Graph& graph, const std::vector<NodePlace>& places, const Pins& pins) {
  const auto gpu = std::ranges::find_if(pins, [](const Pin& p) { return IsGpu(p.device); });
  for (const Pin& pin : pins) {
    if (IsGpu(pin.device) && pin.device != gpu->device) {
      return Fail(Code::kUnsupported,
                  "placement of {}: {} has a layer already, and a network runs on one kind of GPU; "
                  "say '{}' here too",
                  pin.layer, DeviceText(gpu->device), DeviceText(gpu->device));
    }
    for (const std::string& name : NodesOfLayer(pin.layer)) {
      TESSERA_ASSIGN(const size_t n, FindNode(graph, pin.layer, name));
      if (pin.device == kHost || places[n].device == pin.device) continue;
      return Fail(Code::kUnsupported,
                  "placement of {}: the accelerator cannot run {}: {}; leave the line out, or say "
                  "'host'",
                  pin.layer, name, places[n].machine);
    }
  }
  return {};
}

std::vector<NodePlace> PlaceOnHost(const Graph& graph) {
  return std::vector<NodePlace>(graph.nodes.size());
}

Devices DevicesOf(const std::vector<NodePlace>& places) {
  Devices on;
  for (const NodePlace& place : places) on.push_back(place.device);
  return on;
}

std::vector<Region> FusePlaced(const Layers& layers, const std::vector<NodePlace>& places,
                               bool join, const ScheduledLayers& scheduled,
                               const RefusedRegions& refused) {
  return FuseOn(layers, DevicesOf(places), join, scheduled, refused);
}

std::vector<Region> FuseOn(const Layers& layers, const Devices& on, bool join,
                           const ScheduledLayers& scheduled, const RefusedRegions& refused) {
  return graph::Fuse(layers.graph(), join, [&](const Region& joined) {
    const uint32_t device = on[joined.nodes[0]];
    const auto is_there = [&](size_t n) { return on[n] == device; };
    return std::ranges::all_of(joined.nodes, is_there) &&
           MayBe(layers, joined, device, scheduled, refused);
  });
}

std::vector<int> Turns(const Graph& graph, const std::vector<Region>& regions,
                       const std::vector<uint32_t>& device_of_region,
                       const std::vector<std::vector<TensorId>>& packed) {
  std::vector<int> turns, host_may(graph.tensors.size()), accelerator_may(graph.tensors.size());
  for (size_t r = 0; r < regions.size(); ++r) {
    const bool host = device_of_region[r] != kAccelerator;  // or a GPU, which the host feeds
    // The accelerator's part of a shared layer runs while the host makes its own from the same
    // tensors, so it begins when the host has them.
    const bool shared = std::ranges::any_of(
        regions[r].nodes, [&](size_t n) { return IsShared(graph, graph.nodes[n].output); });
    int turn = 0;
    for (const TensorId id : regions[r].inputs) {
      const bool by_host = host || shared || std::ranges::count(packed[r], id) > 0;
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
