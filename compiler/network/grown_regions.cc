// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/grown_regions.h"

#include <algorithm>
#include <utility>

namespace tessera::network {

using graph::TensorId;

GrownRegions::GrownRegions(const PlaceCosts& costs, const PlaceRules& rules)
    : costs_(costs),
      graph_(costs.layers().graph()),
      rules_(rules),
      followers_(graph_),
      grown_(graph_.nodes.size()) {}

GrownRegion& GrownRegions::At(size_t n, size_t more) {
  std::vector<GrownRegion>& all = grown_[n];
  if (all.empty()) {
    all.push_back({.region = costs_.nodes()[n]});
    all.back().next = followers_.After(all.back().region);
  }
  while (all.size() <= more) {
    GrownRegion longer{.region = graph::Joined(graph_, all.back().region, *all.back().next)};
    longer.next = followers_.After(longer.region);
    all.push_back(std::move(longer));
  }
  return all[more];
}

bool GrownRegions::MayJoin(GrownRegion& grown, uint32_t device) const {
  std::optional<bool>& joined = grown.joined.at(std::min(device, kOpenCl));
  if (!joined) joined = rules_.may_join(grown.region, device);
  return *joined;
}

std::optional<double> GrownRegions::HostSeconds(GrownRegion& grown) const {
  if (!grown.host) grown.host = costs_.HostSeconds(grown.region);
  return *grown.host;
}

std::optional<double> GrownRegions::GpuSeconds(GrownRegion& grown) const {
  if (!grown.gpu) grown.gpu = costs_.GpuSeconds(grown.region);
  return *grown.gpu;
}

bool HasFloats(const graph::Graph& graph, const graph::Region& node) {
  const auto is_float = [&](TensorId id) { return IsFloat(graph.tensor(id).dtype); };
  return is_float(node.output) || std::ranges::any_of(node.inputs, is_float);
}

double GrownRegions::Least(size_t n, const Objective& objective) {
  std::optional<double> least;
  const auto take = [&](double cost) { least = std::min(least.value_or(cost), cost); };
  for (size_t more = 0;; ++more) {
    GrownRegion& grown = At(n, more);
    if ((rules_.nodes[n] & NodeRule::kOnHost) != 0)
      take(objective.Of(HostSeconds(grown).value_or(0), 0));
    if ((rules_.nodes[n] & NodeRule::kOnAccelerator) != 0 &&
        (more == 0 || MayJoin(grown, kAccelerator)))
      take(objective.Of(0, costs_.LeastSeconds(grown.region).value_or(0)));
    if ((rules_.nodes[n] & NodeRule::kOnGpu) != 0)
      take(objective.Of(0, 0, GpuSeconds(grown).value_or(0)));
    if (!grown.next) return *least;
  }
}

}  // namespace tessera::network
