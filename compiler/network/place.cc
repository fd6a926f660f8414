// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "base/text.h"
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

constexpr const char* kOtherTypes = "it works on other types than int8";

// Whether the machine's layout has a place for each element of |t|.
bool HasPlace(const GraphTensor& t) { return t.shape.size() <= 4; }

// Whether the machine's layout puts the elements of both tensors at the same places.
bool SamePlace(const GraphTensor& a, const GraphTensor& b) {
  return HasPlace(a) && HasPlace(b) &&
         schedule::accel::ToShape4(a.shape) == schedule::accel::ToShape4(b.shape);
}

// Operations of |region|: the elements of its largest stage, times the extents that it reduces.
int64_t OperationsOf(const te::RegionTe& region) {
  int64_t most = 0;
  for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
    if (t->placeholder) continue;
    int64_t count = 1;
    for (const int64_t extent : t.shape()) count *= extent;
    for (const ir::Axis& axis : t->reduce_axes) count *= axis.extent;
    most = std::max(most, count);
  }
  return most;
}

// The nodes of the layer that is called |name|: "conv+add".
std::vector<std::string> NodesOf(const std::string& name) {
  std::vector<std::string> nodes;
  for (const auto node : std::views::split(name, '+')) nodes.emplace_back(node.begin(), node.end());
  return nodes;
}

// Whether a layer of |scheduled| contains the consecutive nodes of |part|.
bool IsScheduled(const ScheduledLayers& scheduled, const std::string& part) {
  const std::vector<std::string> nodes = NodesOf(Legible(part));
  return std::ranges::any_of(scheduled, [&](const std::string& layer) {
    const std::vector<std::string> all = NodesOf(layer);
    return !std::ranges::search(all, nodes).empty();
  });
}

int64_t BytesOf(const GraphTensor& t) { return t.count() * SizeOf(t.dtype); }

class Placer {
 public:
  Placer(const Layers& layers, const ScheduledLayers& scheduled, const RefusedRegions& refused)
      : layers_(layers),
        graph_(layers.graph()),
        scheduled_(scheduled),
        refused_(refused),
        nodes_(graph::Fuse(graph_, false)) {}

  std::vector<NodePlace> Run() {
    for (size_t n = 0; n < nodes_.size(); ++n) Ask(n);
    while (true) {
      FollowViews();
      const std::vector<std::vector<size_t>> islands = Islands();
      std::vector<size_t> poor;  // indices into |islands|
      for (size_t i = 0; i < islands.size(); ++i) {
        const bool asked_for = std::ranges::any_of(
            islands[i], [&](size_t n) { return IsScheduled(scheduled_, nodes_[n].name); });
        if (!asked_for && Operations(islands[i]) < BytesAcross(islands[i])) poor.push_back(i);
      }
      if (poor.size() == islands.size() && !islands.empty()) {
        const auto most =
            std::ranges::max_element(poor, {}, [&](size_t i) { return Operations(islands[i]); });
        poor.erase(most);
      }
      if (poor.empty()) break;
      for (const size_t i : poor) {
        for (const size_t n : islands[i]) {
          can_[n] = false;
          Leave(n, {RefusalKind::kNotWorth,
                    "what it does is not worth bringing its tensors to the accelerator"});
        }
      }
    }
    for (size_t n = 0; n < nodes_.size(); ++n) places_[n].device = on_[n] ? kAccelerator : kHost;
    return places_;
  }

 private:
  // Whether node |n| can be on the accelerator by itself.
  void Ask(size_t n) {
    const Region& node = nodes_[n];
    const auto type = [&](TensorId id) { return graph_.tensor(id).dtype; };
    const auto other =
        std::ranges::find_if(node.inputs, [&](TensorId id) { return type(id) != DType::kInt8; });
    const auto has_place = [&](TensorId id) { return HasPlace(graph_.tensor(id)); };
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
    } else if (!ViewedBy(graph_, node)) {
      can = layers_.Check(node);
    }
    can_.push_back(can.has_value());
    packed_.push_back(can ? layers_.PackedByHost(node) : std::vector<TensorId>());
    places_.emplace_back();
    if (!can) Leave(n, can.error());
  }

  void Leave(size_t n, const Refusal& why) {
    places_[n].why_host = why.message;
    places_[n].machine = why.machine;
  }

  // Sets on_: can_, without views of host tensors or of tensors with another layout.
  void FollowViews() {
    std::vector<bool> made(graph_.tensors.size());
    on_.assign(nodes_.size(), false);
    for (size_t n = 0; n < nodes_.size(); ++n) {
      on_[n] = can_[n];
      if (const auto viewed = ViewedBy(graph_, nodes_[n])) {
        const bool same = SamePlace(graph_.tensor(*viewed), graph_.tensor(nodes_[n].output));
        on_[n] = can_[n] && same && made[static_cast<size_t>(*viewed)];
        if (!on_[n]) Leave(n, {RefusalKind::kView, "a view of what the host has"});
      }
      made[static_cast<size_t>(nodes_[n].output)] = on_[n];
    }
  }

  // Nodes of the accelerator, grouped: of one turn and connected by tensors.
  std::vector<std::vector<size_t>> Islands() const {
    std::vector<uint32_t> devices;
    for (const bool on : on_) devices.push_back(on ? kAccelerator : kHost);
    const std::vector<int> turns = Turns(graph_, nodes_, devices, packed_);
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
    std::vector<std::vector<size_t>> islands(nodes_.size());
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (on_[n]) islands[root(n)].push_back(n);
    }
    std::erase_if(islands, [](const auto& island) { return island.empty(); });
    return islands;
  }

  int64_t Operations(const std::vector<size_t>& island) const {
    int64_t sum = 0;
    for (const size_t n : island)
      sum += ViewedBy(graph_, nodes_[n]) ? 0 : OperationsOf(layers_.Te(nodes_[n]));
    return sum;
  }

  // Bytes of tensors that |island| reads from the host, or makes for the host.
  int64_t BytesAcross(const std::vector<size_t>& island) const {
    const auto in_island = [&](size_t n) { return std::ranges::count(island, n) > 0; };
    std::vector<bool> on_device(graph_.tensors.size()), counted(graph_.tensors.size());
    for (size_t n = 0; n < nodes_.size(); ++n)
      on_device[static_cast<size_t>(nodes_[n].output)] = on_[n];
    int64_t bytes = 0;
    const auto count = [&](TensorId id) {
      if (!counted[static_cast<size_t>(id)]) bytes += BytesOf(graph_.tensor(id));
      counted[static_cast<size_t>(id)] = true;
    };
    for (const size_t n : island) {
      for (const TensorId id : nodes_[n].inputs) {
        if (!on_device[static_cast<size_t>(id)] || std::ranges::count(packed_[n], id) > 0)
          count(id);
      }
      const TensorId out = nodes_[n].output;
      bool leaves = std::ranges::count(graph_.outputs, out) > 0;
      for (size_t user = 0; user < nodes_.size(); ++user)
        leaves |=
            !on_[user] && !in_island(user) && std::ranges::count(nodes_[user].inputs, out) > 0;
      if (leaves) count(out);
    }
    return bytes;
  }

  const Layers& layers_;
  const Graph& graph_;
  const ScheduledLayers& scheduled_;
  const RefusedRegions& refused_;
  const std::vector<Region> nodes_;  // a region a node, in the graph's order
  std::vector<std::vector<TensorId>> packed_;
  std::vector<bool> can_, on_;
  std::vector<NodePlace> places_;
};

}  // namespace

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
                                  const RefusedRegions& refused) {
  return Placer(layers, scheduled, refused).Run();
}

std::vector<NodePlace> PlaceOnHost(const Graph& graph) {
  return std::vector<NodePlace>(graph.nodes.size());
}

std::vector<Region> FusePlaced(const Layers& layers, const std::vector<NodePlace>& places,
                               bool join, const ScheduledLayers& scheduled,
                               const RefusedRegions& refused) {
  const auto has = [](const Region& region, const RefusedRegion& part) {
    return part.nodes.size() > 1 && std::ranges::all_of(part.nodes, [&](size_t n) {
             return std::ranges::count(region.nodes, n) > 0;
           });
  };
  return graph::Fuse(layers.graph(), join, [&](const Region& joined) {
    const uint32_t device = places[joined.nodes[0]].device;
    const bool together =
        std::ranges::all_of(joined.nodes, [&](size_t n) { return places[n].device == device; });
    if (!together || device == kHost) return together;
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
    accelerator_may[out] = turn;
    host_may[out] = host ? turn : turn + 1;
    turns.push_back(turn);
  }
  return turns;
}

}  // namespace tessera::network
