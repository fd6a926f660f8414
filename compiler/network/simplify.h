// SPDX-License-Identifier: Apache-2.0
//
// The passes over a graph before placement. Depends on: compiler/graph, network/fold_tables.h,
// network/move_channels.h, network/place_cost.h. Used by: compiler/driver, bench.
#ifndef TESSERA_COMPILER_NETWORK_SIMPLIFY_H_
#define TESSERA_COMPILER_NETWORK_SIMPLIFY_H_

#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace tessera::network {

// Runs the passes that suit every target and, with an |accelerator|, those for its configuration.
// Channels are moved (MoveChannels) where the network is faster then. |graph| has been through
// quantize::AttachRequant. The integers stay the same.
void Simplify(graph::Graph& graph, const isa::Config* accelerator);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SIMPLIFY_H_
