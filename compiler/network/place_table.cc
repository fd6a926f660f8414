// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/place_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera::network {
namespace {

using graph::Region;

// What moving the nodes of |layer| to the host changes, of the placement |on| with them on the GPU,
// if they are there, or else on the accelerator; nothing: it cannot run them. |times|: of |on|.
std::optional<PartTimes> Moved(const PlaceCosts& costs, const std::vector<NodePlace>& places,
                               const Region& layer, const Devices& on, const NetworkTimes& times) {
  const uint32_t device = on[layer.nodes[0]];
  if (IsGpu(device)) return costs.TimesOf(on, times, layer.nodes, device, kHost);
  if (!std::ranges::all_of(layer.nodes, [&](size_t n) { return places[n].can; }))
    return std::nullopt;
  return costs.TimesOf(on, times, layer.nodes, kAccelerator, kHost);
}

}  // namespace

PlacementCosts CostsOf(const Layers& layers, const std::vector<NodePlace>& places,
                       const std::vector<Region>& regions, const PlacedFuse& fuse,
                       const std::function<void(int64_t done)>& done) {
  const PlaceCosts all(layers, fuse);
  const Devices on = DevicesOf(places);
  PlacementCosts costs{
      .layers = {}, .times = all.Times(on), .on_host = all.Times(Devices(on.size()))};
  const std::vector<std::optional<double>> here = all.SecondsOf(on, regions);
  for (size_t r = 0; r < regions.size(); ++r) {
    const Region& layer = regions[r];
    LayerCost& cost = costs.layers.emplace_back();
    cost.device = places[layer.nodes[0]].device;
    cost.view = cost.device == kAccelerator ? IsView(layers.graph(), layer, layers.config())
                                            : ViewedBy(layers.graph(), layer).has_value();
    for (const size_t n : layer.nodes) {
      if (cost.why.empty()) cost.why = places[n].machine;
    }
    cost.here = here[r];
    if (!cost.view) cost.moved = Moved(all, places, layer, on, costs.times);
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
  const double saved = cost.moved->Saved();
  return fmt::format("on {} alone it would {} {}", cpu, saved > 0 ? "save" : "add",
                     TimeText(std::abs(saved)));
}

}  // namespace tessera::network
