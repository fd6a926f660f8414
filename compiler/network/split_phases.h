// SPDX-License-Identifier: Apache-2.0
//
// Transposed convolutions as convolutions. Depends on: compiler/graph, compiler/quantize,
// network/join_parts.h, network/tensor_places.h. Used by: network/simplify.h.
#ifndef TESSERA_COMPILER_NETWORK_SPLIT_PHASES_H_
#define TESSERA_COMPILER_NETWORK_SPLIT_PHASES_H_

#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace tessera::network {

// Replaces each int8 transposed convolution of stride s by a convolution for each phase: the
// elements whose row and column leave the same remainders by s read the same taps, of stride 1. The
// s phases of a row are one convolution to s times the channels if the result can lie so
// (ColumnsFit) and that takes fewer tile products, or as many where loads of the image bound the
// phases. An `interleave` puts the phases together, behind the functions of one value that follow,
// also the copy for a concatenation in another scale. |graph| has been through
// quantize::AttachRequant. The integers stay the same.
void SplitPhases(graph::Graph& graph, const isa::Config& config);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SPLIT_PHASES_H_
