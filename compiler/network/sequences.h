// SPDX-License-Identifier: Apache-2.0
//
// Sequences of tokens as images whose positions are the tokens, so that heads of attention are
// views and products of activations need no packing. Depends on: compiler/graph,
// network/arrangement.h, network/into_parts.h. Used by: network/simplify.h.
#ifndef TESSERA_COMPILER_NETWORK_SEQUENCES_H_
#define TESSERA_COMPILER_NETWORK_SEQUENCES_H_

#include <optional>

#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace tessera::network {

// |graph| with its int8 sequences [images, tokens, channels], and what is computed from them, as
// images [images, channels, 1, tokens]: nothing without a product of two activations, or if neither
// a product nor a dense layer works on images then. Whether that is faster on |config| is for the
// caller to find out. |graph| has been through quantize::AttachRequant. Integers and floats stay
// the same.
//
// Dense layers are 1x1 convolutions, whatever the order of their rows. Reshapes, transpositions and
// slices that only rearrange an image are gone; who else reads such a tensor gets it behind a
// transposition. A product is one for each head, a slice of the channels. Its operands are images
// whose channels are summed. An operand that has its positions summed is turned by a product with
// the identity first. Where neither lies as weights, the product is made as it is, and its result
// may be an image again.
std::optional<graph::Graph> SequencesAsImages(const graph::Graph& graph, const isa::Config& config);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SEQUENCES_H_
