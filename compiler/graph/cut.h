// SPDX-License-Identifier: Apache-2.0
//
// Cut: makes a graph of some nodes of another graph, so that a layer can be compiled and run alone.
// Depends on: graph.h. Used by: `tessera regress`.
#ifndef TESSERA_COMPILER_GRAPH_CUT_H_
#define TESSERA_COMPILER_GRAPH_CUT_H_

#include <cstddef>

#include "compiler/graph/graph.h"

namespace tessera::graph {

// Nodes [first, last) of |graph|, at least one. Tensors read from other nodes become inputs;
// tensors that other nodes or the user read become outputs. Types, shapes and scales stay.
Graph Cut(const Graph& graph, size_t first, size_t last);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_CUT_H_
