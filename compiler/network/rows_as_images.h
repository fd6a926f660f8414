// SPDX-License-Identifier: Apache-2.0
//
// Rows of channels as images of one position. Depends on: compiler/graph, network/into_parts.h,
// network/tensor_places.h. Used by: network/move_channels.h.
#ifndef TESSERA_COMPILER_NETWORK_ROWS_AS_IMAGES_H_
#define TESSERA_COMPILER_NETWORK_ROWS_AS_IMAGES_H_

#include <optional>

#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace tessera::network {

// |graph| in which nodes that join, cut, gather or pad tensors [N, C] along C work on images
// [N, C, 1, 1], unless they are views; nothing if there are no such nodes. Dense layers beside them
// become 1x1 convolutions. Reshapes between rows and images move no data. |graph| has been through
// quantize::AttachRequant. The integers stay the same.
std::optional<graph::Graph> RowsAsImages(const graph::Graph& graph, const isa::Config& config);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_ROWS_AS_IMAGES_H_
