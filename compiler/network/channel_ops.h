// SPDX-License-Identifier: Apache-2.0
//
// What operators do with the channels of images. Depends on: compiler/graph, network/channel_map.h,
// network/channel_weights.h, network/tensor_places.h. Used by: network/move_channels.h.
#ifndef TESSERA_COMPILER_NETWORK_CHANNEL_OPS_H_
#define TESSERA_COMPILER_NETWORK_CHANNEL_OPS_H_

#include <cstdint>

#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace tessera::network {

// Whether |t| is an int8 activation of four axes with one scale.
bool IsImage(const graph::GraphTensor& t);

// Whether |node| only moves channels of an image, and is no view.
bool MovesChannels(const graph::Graph& graph, const graph::Node& node, const isa::Config& config);

// Whether |node| joins channels of images, each by a multiplier.
bool JoinsChannels(const graph::Graph& graph, const graph::Node& node);
// Whether it does, and an operand begins inside a block of |block| channels, or is less than a
// block behind others.
bool JoinsApart(const graph::Graph& graph, const graph::Node& node, int64_t block);

// Whether |node| makes each channel of an image from the same channel of its operands, which are
// images; with constants only if it is depthwise.
bool IsByChannel(const graph::Graph& graph, const graph::Node& node);
// Whether it does so element by element, with one operand.
bool IsFunction(const graph::Graph& graph, const graph::Node& node);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_CHANNEL_OPS_H_
