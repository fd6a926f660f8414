// SPDX-License-Identifier: Apache-2.0
//
// Parts of a layer that make some rows of its result from the rows that they read, halo included.
// Depends on: compiler/graph, network/into_parts.h. Used by: network/share_layers.h,
// network/share_choice.h.
#ifndef TESSERA_COMPILER_NETWORK_SHARE_ROWS_H_
#define TESSERA_COMPILER_NETWORK_SHARE_ROWS_H_

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/network/into_parts.h"

namespace tessera::network {

// The axis of rows, of images.
inline constexpr int kRowAxis = 2;

// Whether some rows of the result of |node| can be made from some rows of its operands: a
// convolution or a pool, each of whose windows reads some row of the image, or a function of each
// element; of int8, over images. An operand of one row may belong to all rows of the result.
bool CanShareRows(const graph::Graph& graph, const graph::Node& node);

// Adds to |parts| a node that makes |count| rows of the result of |node|, from row |first| on; its
// name ends with |label|. If the node reads only some rows of an operand, it gets a slice of them.
void AddRows(graph::Graph& graph, const graph::Node& node, const char* label, int64_t first,
             int64_t count, Parts* parts);

// The slices that AddRows made for node |n|.
std::vector<size_t> CutsOf(const graph::Graph& graph, size_t n);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SHARE_ROWS_H_
