// SPDX-License-Identifier: Apache-2.0
//
// Regions: groups of nodes that run as one loop nest on one device. Rule by category, not by
// operator: an anchor (kComplex or kReduction) takes in an elementwise consumer of the same type
// when it is the anchor result's only user and every other operand of that consumer exists before
// the region starts.
#ifndef TESSERA_COMPILER_GRAPH_FUSE_H_
#define TESSERA_COMPILER_GRAPH_FUSE_H_

#include <functional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace tessera::graph {

struct Region {
  std::string name;              // "stage1_conv2+stage1_add"
  std::vector<size_t> nodes;     // indices into Graph::nodes, in order; the first is the anchor
  std::vector<TensorId> inputs;  // activations read from outside, in order of first use
  TensorId output = -1;
};

// Every node of |graph| in exactly one region; regions in an order in which they can run. Without
// |join|, a region a node: every tensor of the graph is then the result of some region. |may_be|:
// whether a region of several nodes, as it would be, is allowed; empty: every one is.
std::vector<Region> Fuse(const Graph& graph, bool join = true,
                         const std::function<bool(const Region&)>& may_be = {});

// One line a region, for --dump.
std::string Print(const Graph& graph, const std::vector<Region>& regions);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_FUSE_H_
