// SPDX-License-Identifier: Apache-2.0
//
// Layers that both devices make: the accelerator their first output channels or rows, the host the
// others. Depends on: compiler/graph, network/into_parts.h, network/pins.h, network/share_rows.h.
// Used by: network/place.h, network/share_choice.h, compiler/driver.
#ifndef TESSERA_COMPILER_NETWORK_SHARE_LAYERS_H_
#define TESSERA_COMPILER_NETWORK_SHARE_LAYERS_H_

#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "compiler/network/pins.h"
#include "isa/config.h"

namespace tessera::network {

// Whether both devices can make output channels of |node|: a convolution or a dense layer of int8
// with one group, to whose channels no pass added some (ConvAttributes::idle_outputs).
bool CanShare(const graph::Graph& graph, const graph::Node& node);

// Replaces each layer of |pins| that both devices make (Pin::shared) by two parts and their
// concatenation, and adds it to Graph::shared. The parts of "conv" are "conv.accelerator" and
// "conv.host"; functions of one value behind a layer are in both. The rows that a part reads of an
// operand are a slice, which has no pin: it is where that is cheapest. The integers stay the same.
// Runs after all other passes, once. Returns the pins of the nodes of the parts.
//   errors  those of FindNode
//           kUnsupported  a layer that they cannot share
//           kOutOfRange   a number of channels that is not some but not all, in blocks of the
//                         array; a number of rows that is not some but not all
Result<Pins> ShareLayers(graph::Graph& graph, const Pins& pins, const isa::Config& config);

// Whether |id| is the accelerator's part of a shared layer.
bool IsShared(const graph::Graph& graph, graph::TensorId id);

// The nodes of the part whose first result is |id|; the last one joins the parts.
std::vector<size_t> NodesOfPart(const graph::Graph& graph, graph::TensorId id);

// By node: whether it is in a part of a shared layer, cuts what a part reads, or joins the parts.
std::vector<bool> SharedNodes(const graph::Graph& graph);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SHARE_LAYERS_H_
