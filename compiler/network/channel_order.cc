// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/channel_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/bits.h"

namespace tessera::network {
namespace {

using Order = std::vector<int64_t>;

// Channels of a part that the same readers read, in order; |at|: the mean number of these readers.
struct Group {
  double at = 0;
  std::vector<int64_t> channels;
};

std::vector<Group> GroupsOf(int64_t first, int64_t count,
                            const std::vector<ChannelReader>& readers) {
  std::map<std::vector<size_t>, std::vector<int64_t>> by_readers;
  std::vector<std::vector<size_t>> read_by(static_cast<size_t>(count));
  for (size_t r = 0; r < readers.size(); ++r) {
    for (const int64_t channel : readers[r].channels) {
      if (channel >= first && channel < first + count)
        read_by[static_cast<size_t>(channel - first)].push_back(r);
    }
  }
  for (int64_t c = 0; c < count; ++c) by_readers[read_by[static_cast<size_t>(c)]].push_back(c);
  std::vector<Group> groups;
  for (auto& [set, channels] : by_readers) {
    const double sum = static_cast<double>(std::accumulate(set.begin(), set.end(), size_t{0}));
    groups.push_back({set.empty() ? -1 : sum / static_cast<double>(set.size()), channels});
  }
  std::ranges::stable_sort(groups, {}, &Group::at);
  return groups;
}

void Fill(Order* order, int64_t block) {
  order->resize(static_cast<size_t>(RoundUp(std::ssize(*order), block)), kGap);
}

// |groups| one after another; |apart|: each begins at a block.
Order OrderOf(const std::vector<Group>& groups, bool apart, int64_t block) {
  Order order;
  for (const Group& group : groups) {
    if (apart) Fill(&order, block);
    order.insert(order.end(), group.channels.begin(), group.channels.end());
  }
  Fill(&order, block);
  return order;
}

// The orders that part |channels| from |first| on may have; as it is comes first.
std::vector<Order> Candidates(int64_t first, const JoinedPart& part,
                              const std::vector<ChannelReader>& readers, int64_t block) {
  Order given(static_cast<size_t>(part.channels));
  std::iota(given.begin(), given.end(), 0);
  Fill(&given, block);
  std::vector<Order> orders{given};
  if (part.cost == 0) return orders;
  std::vector<Group> groups = GroupsOf(first, part.channels, readers);
  for (int turn = 0; turn < 2; ++turn) {
    for (const bool apart : {false, true}) orders.push_back(OrderOf(groups, apart, block));
    std::ranges::reverse(groups);
  }
  return orders;
}

// Improves |order|: one part after another takes the candidate that is best for it. Returns the
// cost of the result; nothing: the parts are of unequal size and cannot take turns.
std::optional<int64_t> Improve(const std::vector<JoinedPart>& parts,
                               const std::vector<ChannelReader>& readers,
                               const std::vector<std::vector<Order>>& candidates, int64_t block,
                               ChannelOrder* order) {
  std::optional<int64_t> cost = CostOf(parts, readers, *order, block);
  for (size_t p = 0; p < 2 * parts.size(); ++p) {
    Order& part = order->parts[p % parts.size()];
    for (const Order& candidate : candidates[p % parts.size()]) {
      const Order before = std::exchange(part, candidate);
      const std::optional<int64_t> now = CostOf(parts, readers, *order, block);
      if (now && (!cost || *now < *cost)) {
        cost = now;
      } else {
        part = before;
      }
    }
  }
  return cost;
}

}  // namespace

std::vector<int64_t> PlacesOf(const std::vector<JoinedPart>& parts, const ChannelOrder& order,
                              int64_t block) {
  std::vector<int64_t> places;
  int64_t first = 0, begin = 0;
  const int64_t count = std::ssize(parts);
  for (int64_t p = 0; p < count; ++p) {
    const Order& part = order.parts[static_cast<size_t>(p)];
    places.resize(static_cast<size_t>(first + parts[static_cast<size_t>(p)].channels));
    for (int64_t k = 0; k < std::ssize(part); ++k) {
      const int64_t channel = part[static_cast<size_t>(k)];
      if (channel == kGap) continue;
      places[static_cast<size_t>(first + channel)] =
          order.turns ? (k / block * count + p) * block + k % block : begin + k;
    }
    first += parts[static_cast<size_t>(p)].channels;
    begin += std::ssize(part);
  }
  return places;
}

std::optional<int64_t> CostOf(const std::vector<JoinedPart>& parts,
                              const std::vector<ChannelReader>& readers, const ChannelOrder& order,
                              int64_t block) {
  int64_t cost = 0;
  for (size_t p = 0; p < parts.size(); ++p) {
    if (order.turns && (order.parts[p].size() != order.parts[0].size() || parts[p].cost == 0))
      return std::nullopt;
    cost += parts[p].cost * std::ssize(order.parts[p]) / block;
  }
  const std::vector<int64_t> places = PlacesOf(parts, order, block);
  for (const ChannelReader& reader : readers) {
    int64_t least = INT64_MAX, most = 0;
    for (const int64_t channel : reader.channels) {
      const int64_t at = places[static_cast<size_t>(channel)] / block;
      least = std::min(least, at), most = std::max(most, at);
    }
    cost += reader.cost * (most - least + 1);
  }
  return cost;
}

ChannelOrder OrderFor(const std::vector<JoinedPart>& parts,
                      const std::vector<ChannelReader>& readers, int64_t block) {
  std::vector<std::vector<Order>> candidates;
  size_t kinds = 1;
  int64_t first = 0;
  for (const JoinedPart& part : parts) {
    candidates.push_back(Candidates(first, part, readers, block));
    kinds = std::max(kinds, candidates.back().size());
    first += part.channels;
  }
  std::optional<int64_t> least;
  ChannelOrder best;
  for (size_t kind = 0; kind < kinds; ++kind) {
    for (const bool turns : {false, true}) {
      ChannelOrder order{.parts = {}, .turns = turns};
      for (const auto& each : candidates)
        order.parts.push_back(each[std::min(kind, each.size() - 1)]);
      const auto cost = Improve(parts, readers, candidates, block, &order);
      if (cost && (!least || *cost < *least)) least = cost, best = std::move(order);
    }
  }
  return best;
}

}  // namespace tessera::network
