// SPDX-License-Identifier: Apache-2.0
//
// Cut: some nodes of a graph as a graph of their own, so that a layer can be compiled and run
// alone. Depends on: graph.h. Used by: `tessera regress`.
#ifndef TESSERA_COMPILER_GRAPH_CUT_H_
#define TESSERA_COMPILER_GRAPH_CUT_H_

#include <cstddef>

#include "compiler/graph/graph.h"

namespace tessera::graph {

// Nodes [first, last) of |graph|, one at least. What they read of others is an input, what others
// or the graph's user read of them is an output; each with its type, shape and quantisation.
Graph Cut(const Graph& graph, size_t first, size_t last);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_CUT_H_
