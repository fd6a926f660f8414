// SPDX-License-Identifier: Apache-2.0
//
// Makes the operands of concatenations ready to be parts of the result in device memory
// (network/tensor_places.h). Depends on: compiler/graph, network/tensor_places.h. Used by:
// network/simplify.h, network/move_channels.h.
#ifndef TESSERA_COMPILER_NETWORK_JOIN_PARTS_H_
#define TESSERA_COMPILER_NETWORK_JOIN_PARTS_H_

#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace tessera::network {

// Puts a requantisation in front of an operand with another scale than the result, where it joins
// the operator that makes the operand. Puts a copy in front of an operand that lies in another
// tensor already, or that no operator makes. Concatenations that move their operands in any case
// stay as they are. |graph| has been through quantize::AttachRequant.
void JoinParts(graph::Graph& graph, const isa::Config& config);

// Operand |index| of concatenation |node| in the result's scale and bounds, made by an operator of
// its own.
graph::Node PartCopy(graph::Graph& graph, const graph::Node& node, size_t index);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_JOIN_PARTS_H_
