// SPDX-License-Identifier: Apache-2.0
//
// Operators as several that make the parts of an `interleave` or a concatenation. Depends on:
// compiler/graph, compiler/quantize. Used by: network/split_phases.h, network/group_columns.h,
// network/share_layers.h, network/move_channels.h.
#ifndef TESSERA_COMPILER_NETWORK_INTO_PARTS_H_
#define TESSERA_COMPILER_NETWORK_INTO_PARTS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace tessera::network {

// What a node becomes: |nodes| in order, and the results among them that operator |join| puts
// together to the node's own by |joined|. Part k of a tensor is named like it, with |labels[k]|
// behind.
struct Parts {
  std::vector<graph::Node> nodes;
  std::vector<graph::TensorId> results;
  std::vector<std::string> labels;
  graph::Attributes joined;
  graph::Op join = graph::Op::kInterleave;
};

// The parts of |node|, whose result is |last| behind the functions of one value that follow it
// alone; nothing: it stays.
using Split = std::function<std::optional<Parts>(const graph::Node& node, graph::TensorId last)>;

// The chain of functions of one value behind |node| that nothing else reads from.
std::vector<size_t> FollowersOf(const graph::Graph& graph, const graph::Node& node);

// Replaces each node for which |split| has parts. Each part gets the functions of one value behind
// the node.
void IntoParts(graph::Graph& graph, const Split& split);

// Adds a part of |node| to |parts|: a convolution of |inputs| by |attributes|, with the node's
// bounds and a result of |shape|. The node has a requantisation, and the part gets its own.
void AddConv(graph::Graph& graph, const graph::Node& node, const std::string& label,
             std::vector<graph::TensorId> inputs, const graph::ConvAttributes& attributes,
             const graph::Shape& shape, Parts* parts);

// Adds |made| to |parts| as a part of |node| with a result of |shape| and a requantisation: its
// own, if it has one.
void AddPart(graph::Graph& graph, const graph::Node& node, const std::string& label,
             graph::Node made, const graph::Shape& shape, Parts* parts);

// The constant |id|, with its scales, |times| times behind itself along its first axis.
graph::TensorId Repeated(graph::Graph& graph, graph::TensorId id, int64_t times,
                         const std::string& name);

// A tensor |name| of |shape| that is like |id| otherwise.
graph::TensorId AddLike(graph::Graph& graph, graph::TensorId id, const std::string& name,
                        const graph::Shape& shape);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_INTO_PARTS_H_
