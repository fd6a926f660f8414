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
#include "compiler/network/split_phases.h"

namespace tessera::network {
namespace {

void Finish(graph::Graph& graph, const isa::Config& config) {
  GroupColumns(graph, config);
  JoinParts(graph, config);
}

// Of an inference of |graph|, placed without a goal.
double SecondsOf(const graph::Graph& graph, const isa::Config& config) {
  const Layers layers(graph, config);
  const std::vector<bool> on = AcceleratorNodes(PlaceNodes(layers));
  const PlaceCosts costs(
      layers, [&](const std::vector<bool>& nodes) { return FuseOn(layers, nodes, true); });
  return costs.Times(on).total();
}

}  // namespace

void Simplify(graph::Graph& graph, const isa::Config* accelerator) {
  graph::Simplify(graph);
  FoldTables(graph);
  if (accelerator == nullptr) return;
  graph::MergeBatches(graph);
  if (accelerator->batch > 1) graph::SplitImages(graph);
  SplitPhases(graph);
  std::optional<graph::Graph> moved = MoveChannels(graph, *accelerator);
  Finish(graph, *accelerator);
  if (!moved) return;
  Finish(*moved, *accelerator);
  if (SecondsOf(*moved, *accelerator) < SecondsOf(graph, *accelerator)) graph = std::move(*moved);
}

}  // namespace tessera::network
