// SPDX-License-Identifier: Apache-2.0
//
// Products of two activations in images of sequences. Internal to network/sequences.cc. Depends on:
// compiler/graph, network/sequence_images.h, isa.
#ifndef TESSERA_COMPILER_NETWORK_SEQUENCE_PRODUCTS_H_
#define TESSERA_COMPILER_NETWORK_SEQUENCE_PRODUCTS_H_

#include "compiler/network/sequence_images.h"
#include "isa/config.h"

namespace tessera::network {

// Makes the result of |node|, a product, from images of its operands, if one of them then lies in
// device memory as weights do: a product for each head.
bool ProductInImages(const graph::Node& node, const isa::Config& config, SequenceImages* images);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SEQUENCE_PRODUCTS_H_
