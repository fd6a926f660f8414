// SPDX-License-Identifier: Apache-2.0
//
// ChannelMap: where the channels of a tensor are in another tensor. Slices, splits, shuffles and
// pads of channels only change it. Depends on: compiler/graph, network/channel_order.h. Used by:
// network/move_channels.h.
#ifndef TESSERA_COMPILER_NETWORK_CHANNEL_MAP_H_
#define TESSERA_COMPILER_NETWORK_CHANNEL_MAP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/network/channel_order.h"

namespace tessera::network {

// Channel c of a tensor is channel |channels|[c] of |base|, with the same batch, rows and columns;
// or its zero point everywhere, where that is kGap.
struct ChannelMap {
  graph::TensorId base = -1;
  std::vector<int64_t> channels;
  // The tensor has its channels as so many axes behind the first one, row-major. An image has one.
  size_t axes = 1;
};

// Each channel of image |id| in its place.
ChannelMap WholeMap(const graph::Graph& graph, graph::TensorId id);

// The map of the result of |node|, if its first operand has |map| and |node| only moves, splits or
// leaves out channels, or adds some of zeros: a slice, a gather, a reshape, a transposition or a
// pad that keeps images, rows and columns.
std::optional<ChannelMap> MovedBy(const graph::Graph& graph, const graph::Node& node,
                                  const ChannelMap& map);

// The blocks of |block| channels of the base that hold all of |channels|: from channel |first| on,
// up to |end|; gaps are in none. They are whole but for the last one of the base's |all| channels,
// which has a whole one in front, because a tensor of fewer channels than a block has another
// layout.
struct BlockRange {
  int64_t first = 0, end = 0;
  int64_t count() const { return end - first; }
};
BlockRange BlocksOf(const std::vector<int64_t>& channels, int64_t block, int64_t all);

// |channels| without the gaps.
std::vector<int64_t> WithoutGaps(std::vector<int64_t> channels);
// Whether no channel of the base is there twice.
bool IsInjective(const ChannelMap& map);
// Whether some channels are zeros.
bool HasGaps(const ChannelMap& map);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_CHANNEL_MAP_H_
