// SPDX-License-Identifier: Apache-2.0
//
// Channels that are split, joined and shuffled without moving data. Depends on: compiler/graph,
// network/channel_map.h, network/channel_ops.h, network/channel_order.h,
// network/channel_weights.h, network/rows_as_images.h. Used by: network/simplify.h.
#ifndef TESSERA_COMPILER_NETWORK_MOVE_CHANNELS_H_
#define TESSERA_COMPILER_NETWORK_MOVE_CHANNELS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace tessera::network {

struct MovedChannels {
  graph::Graph graph;
  // The numbers of the nodes that move or join channels, of the given graph behind RowsAsImages.
  // Those of a group follow each other's places, so that one group can stay as it is while others
  // change.
  std::vector<std::vector<size_t>> groups;
};

// |graph| with slices, splits, gathers, shuffles, pads and concatenations of channels as other
// constants of their neighbours, where the accelerator of |config| cannot take them as views:
// nothing if there are none. Of the groups, the pass leaves the nodes |left| as they are. |graph|
// has been through quantize::AttachRequant. The integers stay the same.
//
// Each part of a concatenation begins at a block of channels. Convolutions make their parts so, and
// other parts are copied by a convolution with one weight of 1 for a channel. Convolutions read
// channels where they are, with weights of 0 for others. Operators that work channel by channel
// keep the places. Whoever else reads a moved tensor gets a copy in its own order.
std::optional<MovedChannels> MoveChannels(const graph::Graph& graph, const isa::Config& config,
                                          const std::vector<size_t>& left = {});

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_MOVE_CHANNELS_H_
