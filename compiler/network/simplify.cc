// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/simplify.h"

#include "compiler/graph/passes.h"
#include "compiler/network/fold_tables.h"
#include "compiler/network/group_columns.h"
#include "compiler/network/join_parts.h"
#include "compiler/network/split_phases.h"

namespace tessera::network {

void Simplify(graph::Graph& graph, const isa::Config* accelerator) {
  graph::Simplify(graph);
  FoldTables(graph);
  if (accelerator != nullptr) {
    graph::MergeBatches(graph);
    if (accelerator->batch > 1) graph::SplitImages(graph);
    SplitPhases(graph);
    GroupColumns(graph, *accelerator);
    JoinParts(graph, *accelerator);
  }
  graph::OrderOperands(graph);
}

}  // namespace tessera::network
