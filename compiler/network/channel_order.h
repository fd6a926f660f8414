// SPDX-License-Identifier: Apache-2.0
//
// The order of the channels of tensors that are joined. Depends on: nothing. Used by:
// network/move_channels.h.
#ifndef TESSERA_COMPILER_NETWORK_CHANNEL_ORDER_H_
#define TESSERA_COMPILER_NETWORK_CHANNEL_ORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::network {

// A tensor that is joined with others: it begins at a block and has whole blocks.
struct JoinedPart {
  int64_t channels = 0;
  // Cycles for each block that it has. 0: a tensor that is there already, whose order is given.
  int64_t cost = 1;
};

// A reader of some channels of the joined tensor, numbered over all parts without gaps. It reads
// the blocks from the first to the last that holds one of them, in |cost| cycles each.
struct ChannelReader {
  std::vector<int64_t> channels;
  int64_t cost = 1;
};

// Where a part has a gap.
inline constexpr int64_t kGap = -1;

// How the channels of the parts stand in the joined tensor.
struct ChannelOrder {
  // By part: the channel of the part, or kGap, at each of its places.
  std::vector<std::vector<int64_t>> parts;
  // The parts, which have equally many blocks, take turns block by block. Otherwise each stands
  // behind the one before.
  bool turns = false;
};

// The order of the least CostOf among those where channels that the same readers read stand
// together. Parts whose order is given take no turns.
ChannelOrder OrderFor(const std::vector<JoinedPart>& parts,
                      const std::vector<ChannelReader>& readers, int64_t block);

// The cycles of |readers| and |parts| with |order|; nothing: parts of unequal size take turns.
std::optional<int64_t> CostOf(const std::vector<JoinedPart>& parts,
                              const std::vector<ChannelReader>& readers, const ChannelOrder& order,
                              int64_t block);

// The place in the joined tensor of each channel of the parts.
std::vector<int64_t> PlacesOf(const std::vector<JoinedPart>& parts, const ChannelOrder& order,
                              int64_t block);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_CHANNEL_ORDER_H_
