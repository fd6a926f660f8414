// SPDX-License-Identifier: Apache-2.0
//
// Columns of an image in the place of channels. Depends on: compiler/graph, compiler/quantize. Used
// by: network/simplify.h.
#ifndef TESSERA_COMPILER_NETWORK_GROUP_COLUMNS_H_
#define TESSERA_COMPILER_NETWORK_GROUP_COLUMNS_H_

#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace tessera::network {

// A convolution to a few channels fills a few columns of the array. Replaces it, where that takes
// fewer cycles, by one that makes several neighbouring columns of its result as channels: P columns
// of C channels, P * C <= block_out, with a window that covers those of the P columns. The bytes in
// device memory are the same, so an `interleave` that moves nothing gives the result back. |graph|
// has been through quantize::AttachRequant. The integers stay the same.
void GroupColumns(graph::Graph& graph, const isa::Config& config);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_GROUP_COLUMNS_H_
