// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/simplify.h"

#include <optional>
#include <utility>
#include <vector>

#include "compiler/graph/passes.h"
#include "compiler/network/fold_tables.h"
#include "compiler/network/group_columns.h"
#include "compiler/network/join_parts.h"
#include "compiler/network/layers.h"
#include "compiler/network/move_channels.h"
#include "compiler/network/place.h"
#include "compiler/network/place_cost.h"
#include "compiler/network/sequences.h"
#include "compiler/network/split_phases.h"

namespace tessera::network {
namespace {

// Channels that are moved in so many groups or fewer are moved or left group by group.
constexpr size_t kMostGroups = 16;

// The passes behind those that choose where channels are.
graph::Graph Finished(graph::Graph graph, const isa::Config& config) {
  GroupColumns(graph, config);
  JoinParts(graph, config);
  graph::OrderOperands(graph);
  return graph;
}

// Of an inference of |graph|, placed without a goal.
double SecondsOf(const graph::Graph& graph, const isa::Config& config) {
  const Layers layers(graph, config);
  const Devices on = DevicesOf(PlaceNodes(layers));
  const PlaceCosts costs(layers, [&](const Devices& nodes) { return FuseOn(layers, nodes, true); });
  return costs.Times(on).total();
}

struct Timed {
  graph::Graph graph;
  double seconds = 0;
};
Timed TimeOf(graph::Graph graph, const isa::Config& config) {
  Timed timed{Finished(std::move(graph), config)};
  timed.seconds = SecondsOf(timed.graph, config);
  return timed;
}

// |graph| with channels moved where that is faster, finished.
graph::Graph WithChannels(graph::Graph graph, const isa::Config& config) {
  std::optional<MovedChannels> moved = MoveChannels(graph, config);
  if (!moved) return Finished(std::move(graph), config);
  Timed best = TimeOf(std::move(moved->graph), config);
  std::vector<size_t> left;
  const size_t groups = moved->groups.size();
  for (size_t k = 0; k < groups && groups > 1 && groups <= kMostGroups; ++k) {
    std::vector<size_t> more = left;
    more.insert(more.end(), moved->groups[k].begin(), moved->groups[k].end());
    std::optional<MovedChannels> without = MoveChannels(graph, config, more);
    if (!without) break;  // the graph as it is
    Timed timed = TimeOf(std::move(without->graph), config);
    if (timed.seconds < best.seconds) best = std::move(timed), left = std::move(more);
  }
  Timed given = TimeOf(std::move(graph), config);
  return best.seconds < given.seconds ? std::move(best.graph) : std::move(given.graph);
}

// The other passes for the accelerator.
graph::Graph Rewritten(graph::Graph graph, const isa::Config& config) {
  graph::MergeBatches(graph);
  if (config.batch > 1) graph::SplitImages(graph);
  SplitPhases(graph, config);
  return WithChannels(std::move(graph), config);
}

}  // namespace

void Simplify(graph::Graph& graph, const isa::Config* accelerator) {
  graph::Simplify(graph);
  FoldTables(graph);
  if (accelerator == nullptr) return graph::OrderOperands(graph);
  std::optional<graph::Graph> images = SequencesAsImages(graph, *accelerator);
  graph = Rewritten(std::move(graph), *accelerator);
  if (!images) return;
  images = Rewritten(std::move(*images), *accelerator);
  if (SecondsOf(*images, *accelerator) < SecondsOf(graph, *accelerator)) graph = std::move(*images);
}

}  // namespace tessera::network
