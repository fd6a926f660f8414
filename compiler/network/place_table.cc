// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/place_table.h"

#include <fmt/format.h>

namespace tessera::network {
namespace {

using graph::Region;

class CostTable {
 public:
  CostTable(const Layers& layers, const std::vector<NodePlace>& places, const PlacedFuse& fuse)
      : layers_(layers),
        nodes_(graph::Fuse(layers.graph(), false)),
        fuse_(fuse),
        on_(AcceleratorNodes(places)),
        packed_(PackedOf(on_)),
        placement_{nodes_, packed_, on_, fuse_},
        now_(layers_, placement_) {}

  // The placement as it is.
  const PlaceCosts& now() const { return now_; }

  // What moving the nodes of |layer| to the host changes, of the placement with them on the
  // accelerator.
  std::optional<PartTimes> Moved(const Region& layer) const {
    std::vector<bool> on = on_;
    for (const size_t n : layer.nodes) on[n] = true;
    if (on == on_) return now_.TimesOf(layer.nodes);
    if (!layers_.Check(layer)) return std::nullopt;
    const auto packed = PackedOf(on);
    return PlaceCosts(layers_, {nodes_, packed, on, fuse_}).TimesOf(layer.nodes);
  }

  NetworkTimes OnHost() const {
    const std::vector<bool> none(nodes_.size());
    const auto packed = PackedOf(none);
    return PlaceCosts(layers_, {nodes_, packed, none, fuse_}).Times();
  }

 private:
  std::vector<std::vector<graph::TensorId>> PackedOf(const std::vector<bool>& on) const {
    std::vector<std::vector<graph::TensorId>> packed(nodes_.size());
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (on[n]) packed[n] = layers_.PackedByHost(nodes_[n]);
    }
    return packed;
  }

  const Layers& layers_;
  const std::vector<Region> nodes_;  // a region a node
  const PlacedFuse& fuse_;
  const std::vector<bool> on_;
  const std::vector<std::vector<graph::TensorId>> packed_;
  const Placement placement_;
  const PlaceCosts now_;
};

}  // namespace

PlacementCosts CostsOf(const Layers& layers, const std::vector<NodePlace>& places,
                       const std::vector<Region>& regions, const PlacedFuse& fuse,
                       const std::function<void(int64_t done)>& done) {
  const CostTable table(layers, places, fuse);
  PlacementCosts costs{.layers = {}, .times = table.now().Times(), .on_host = table.OnHost()};
  for (const Region& layer : regions) {
    LayerCost& cost = costs.layers.emplace_back();
    cost.device = places[layer.nodes[0]].device;
    const bool on = cost.device == kAccelerator;
    cost.view = on ? IsView(layers.graph(), layer, layers.config())
                   : ViewedBy(layers.graph(), layer).has_value();
    for (const size_t n : layer.nodes) {
      if (cost.why.empty()) cost.why = places[n].machine;
    }
    cost.here = table.now().SecondsOf(layer, on);
    if (!cost.view) cost.moved = table.Moved(layer);
    done(std::ssize(costs.layers));
  }
  return costs;
}

std::string ReasonOf(const LayerCost& cost, const std::string& cpu) {
  if (cost.view && cost.device == kAccelerator)
    return "moves nothing: its tensors lie in one another";
  if (cost.view) return "moves nothing";
  if (cost.device == kHost) return cost.why;
  if (!cost.moved) return fmt::format("no estimate for {}", cpu);
  const double there = cost.moved->OnHost(), here = cost.moved->OnAccelerator();
  if (here > there) return fmt::format("moving it alone would save {}", TimeText(here - there));
  return fmt::format("{:.1f} times as fast as on {}", there / here, cpu);
}

}  // namespace tessera::network
