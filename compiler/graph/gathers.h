// SPDX-License-Identifier: Apache-2.0
//
// Gathers whose indices are constants. Depends on: graph.h. Used by: graph/passes.cc,
// network/channel_map.h.
#ifndef TESSERA_COMPILER_GRAPH_GATHERS_H_
#define TESSERA_COMPILER_GRAPH_GATHERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace tessera::graph {

// The indices that |node|, a gather, takes along its axis, each one inside of the axis; nothing: it
// takes other elements than slices, or its indices are no constants.
std::optional<std::vector<int64_t>> GatheredIndices(const Graph& graph, const Node& node);

// A gather of slices at equal steps, which constants say, becomes a slice; behind it a reshape
// gives the axis the shape of the indices, if that is another one.
void SliceGathers(Graph& graph);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_GATHERS_H_
