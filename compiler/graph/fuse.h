// SPDX-License-Identifier: Apache-2.0
//
// Regions: groups of nodes that run as one loop nest on one device. Fusion goes by category, not by
// operator: an anchor (kComplex or kReduction) takes in an elementwise consumer of the same type if
// that consumer is the only user of its result and all other operands of the consumer are available
// before the region starts. Elementwise nodes, reductions and softmax that make floats then join
// the region that alone reads these: a normalisation between a dequantisation and a quantisation is
// one region.
#ifndef TESSERA_COMPILER_GRAPH_FUSE_H_
#define TESSERA_COMPILER_GRAPH_FUSE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace tessera::graph {

struct Region {
  std::string name;              // "stage1_conv2+stage1_add"
  std::vector<size_t> nodes;     // indices into Graph::nodes, in order; the first is the anchor, if
                                 // there is one
  std::vector<TensorId> inputs;  // activations read from outside, in order of first use
  TensorId output = -1;
};

// Which nodes fusion adds to a region that begins with an anchor, one after another.
class Followers {
 public:
  explicit Followers(const Graph& graph);

  // The node that may follow |region| by its operator and shape, if it alone reads the result.
  // Whether its other operands are available before the region starts is the caller's to know.
  std::optional<size_t> After(const Region& region) const;

 private:
  const Graph& graph_;
  std::vector<std::optional<size_t>> reader_;  // by tensor
};

// |region| with |node| behind it.
Region Joined(const Graph& graph, const Region& region, size_t node);

// Puts every node of |graph| into exactly one region; regions are in execution order. Without
// |join| each node is a region, so that every tensor of the graph is the result of some region.
// |may_be| decides whether a region of several nodes is allowed; empty: all are.
std::vector<Region> Fuse(const Graph& graph, bool join = true,
                         const std::function<bool(const Region&)>& may_be = {});

// One line per region, for --dump.
std::string Print(const Graph& graph, const std::vector<Region>& regions);

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_FUSE_H_
