// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/move_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/graph/passes.h"
#include "compiler/network/channel_map.h"
#include "compiler/network/channel_ops.h"
#include "compiler/network/channel_order.h"
#include "compiler/network/channel_weights.h"
#include "compiler/network/into_parts.h"
#include "compiler/network/join_parts.h"
#include "compiler/network/rows_as_images.h"
#include "compiler/quantize/params.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::TensorId;

constexpr const char *kJoinedName = ".blocks",
                     *kOrderedName = ".ordered";  // behind names of tensors
// A tensor is copied if operators would work on more blocks than so many times its own.
constexpr int64_t kMostBlocks = 2;

class ChannelMover {
 public:
  ChannelMover(const Graph& given, const isa::Config& config, const std::vector<size_t>& left)
      : nodes_(given.nodes),
        left_(nodes_.size()),
        group_(nodes_.size()),
        users_(given.tensors.size()),
        makers_(given.tensors.size()),
        config_(config),
        block_(config.block_out),
        graph_(given) {
    for (const size_t n : left) left_[n] = true;
    std::iota(group_.begin(), group_.end(), size_t{0});
    for (size_t n = 0; n < nodes_.size(); ++n) {
      makers_[static_cast<size_t>(nodes_[n].output)] = n;
      for (const TensorId id : nodes_[n].inputs) users_[static_cast<size_t>(id)].push_back(n);
    }
  }

  std::optional<MovedChannels> Run() {
    graph_.nodes.clear();
    for (size_t n = 0; n < nodes_.size(); ++n) Visit(n);
    if (moved_.empty()) return std::nullopt;
    for (const TensorId id : graph_.outputs) MakeReal(id);
    graph::RemoveDead(graph_);
    std::map<size_t, std::vector<size_t>> groups;
    for (const size_t n : moved_) groups[GroupOf(n)].push_back(n);
    MovedChannels made{std::move(graph_), {}};
    for (auto& [first, nodes] : groups) made.groups.push_back(std::move(nodes));
    return made;
  }

 private:
  int64_t BlocksIn(int64_t channels) const { return CeilDiv(channels, block_); }
  int64_t ChannelsOf(TensorId id) const { return graph_.tensor(id).shape[1]; }
  int64_t PlacesIn(TensorId id) const {
    const graph::Shape& shape = graph_.tensor(id).shape;
    return shape[0] * shape[2] * shape[3];
  }
  const std::vector<size_t>& UsersOf(TensorId id) const { return users_[static_cast<size_t>(id)]; }
  bool IsOutput(TensorId id) const { return std::ranges::count(graph_.outputs, id) > 0; }
  // The map of an image that is elsewhere; null: it is made as it is.
  const ChannelMap* MapOf(TensorId id) const {
    const auto found = maps_.find(id);
    return found == maps_.end() || found->second.axes > 1 ? nullptr : &found->second;
  }

  size_t MakerOf(TensorId id) const { return makers_[static_cast<size_t>(id)]; }

  size_t GroupOf(size_t n) const {
    while (group_[n] != n) n = group_[n];
    return n;
  }
  // Puts node |n| into the group of |id|, if that is elsewhere.
  void Follow(size_t n, TensorId id) {
    if (maps_.contains(id)) group_[GroupOf(n)] = GroupOf(MakerOf(id));
  }

  void Visit(size_t n) {
    const Node& node = nodes_[n];
    if (!left_[n] && (Move(n) || Join(n))) return moved_.push_back(n);
    const bool reads =
        std::ranges::any_of(node.inputs, [&](TensorId id) { return maps_.contains(id); });
    if (reads && (ReadsThere(node) || KeepsChannels(n))) return;
    for (const TensorId id : node.inputs) MakeReal(id);
    graph_.nodes.push_back(node);
  }

  // The result of a node that only moves channels is elsewhere.
  bool Move(size_t n) {
    const Node& node = nodes_[n];
    if (node.inputs.empty()) return false;
    const TensorId id = node.inputs[0];
    const auto from = maps_.find(id);
    if (from == maps_.end() && !MovesChannels(graph_, node, config_)) return false;
    auto moved = MovedBy(graph_, node, from == maps_.end() ? WholeMap(graph_, id) : from->second);
    if (!moved) return false;
    Follow(n, id);
    maps_.insert_or_assign(node.output, std::move(*moved));
    return true;
  }

  // Makes |id| as it is, if it is elsewhere so far.
  void MakeReal(TensorId id) {
    const auto found = maps_.find(id);
    if (found == maps_.end()) return;
    const ChannelMap map = found->second;
    const Node& maker = nodes_[MakerOf(id)];
    if (map.axes > 1) {
      MakeReal(maker.inputs[0]);
      graph_.nodes.push_back(maker);
    } else {
      // A factor of 1.
      const int32_t zero = graph_.tensor(id).zero();
      const graph::OperandScale one{.zero = zero, .left = 0, .multiplier = 1 << 30, .shift = 1};
      AddSelection(map, map.channels, one, {.out_zero = zero}, maker.name, id);
    }
    maps_.erase(id);
  }

  // Adds a node that makes |id|, whose channel k is channel |from|[k] of the base of |map|.
  void AddSelection(const ChannelMap& map, std::vector<int64_t> from,
                    const graph::OperandScale& scale, const graph::Requant& requant,
                    const std::string& name, TensorId id) {
    const BlockRange range = RangeOf(map);
    for (int64_t& channel : from) channel -= channel == kGap ? 0 : range.first;
    Node node = Selection(graph_, PieceOf(map.base, range), from, scale, requant, name);
    node.name = name;
    node.output = id;
    graph_.nodes.push_back(std::move(node));
  }

  BlockRange RangeOf(const ChannelMap& map) const {
    return BlocksOf(map.channels, block_, ChannelsOf(map.base));
  }
  // The blocks |range| of |base|, which lie there.
  TensorId PieceOf(TensorId base, const BlockRange& range) {
    graph::Shape shape = graph_.tensor(base).shape;
    if (range.count() == shape[1]) return base;
    TensorId& piece = pieces_.try_emplace({base, range.first, range.end}, -1).first->second;
    if (piece >= 0) return piece;
    graph::SliceAttributes cut;
    for (const int64_t extent : shape) cut.axes.push_back({0, 1, extent});
    cut.axes[1] = {range.first, 1, range.count()};
    shape[1] = range.count();
    const std::string label = fmt::format(".channels{}to{}.cut", range.first, range.end);
    piece = AddLike(graph_, base, graph_.tensor(base).name + label, shape);
    graph_.nodes.push_back({.op = Op::kSlice,
                            .name = graph_.tensor(piece).name,
                            .inputs = {base},
                            .output = piece,
                            .attributes = std::move(cut)});
    return piece;
  }
  // The channel of the piece |range| for each of |map|.
  static std::vector<int64_t> PlacesOfMap(const ChannelMap& map, const BlockRange& range) {
    std::vector<int64_t> places = map.channels;
    for (int64_t& place : places) place -= place == kGap ? 0 : range.first;
    return places;
  }

  // A convolution reads its channels where they are, if that takes no more tile products than a
  // copy.
  bool ReadsThere(const Node& node) {
    const ChannelMap* map = IsPlainConv(graph_, node) ? MapOf(node.inputs[0]) : nullptr;
    if (map == nullptr || !IsInjective(*map)) return false;
    const BlockRange range = RangeOf(*map);
    const auto& kernel = node.As<graph::ConvAttributes>().window.kernel;
    const int64_t there = BlocksIn(range.count()), own = BlocksIn(ChannelsOf(node.inputs[0]));
    const int64_t each =
        BlocksIn(ChannelsOf(node.output)) * kernel[0] * kernel[1] * PlacesIn(node.output);
    if ((there - own) * each > there * own * PlacesIn(node.inputs[0])) return false;
    Node made = node;
    ReadFrom(graph_, PieceOf(map->base, range), PlacesOfMap(*map, range), &made);
    graph_.nodes.push_back(std::move(made));
    return true;
  }

  // An operator that works channel by channel does so where the channels are.
  bool KeepsChannels(size_t n) {
    const Node& node = nodes_[n];
    if (!IsByChannel(graph_, node)) return false;
    const ChannelMap* first = MapOf(node.inputs[0]);
    if (first == nullptr || !IsInjective(*first) || HasGaps(*first)) return false;
    const ChannelMap map = *first;
    const BlockRange range = RangeOf(map);
    const int64_t own = ChannelsOf(node.output);
    if (BlocksIn(range.count()) > kMostBlocks * BlocksIn(own)) return false;
    Node made = node;
    const bool depthwise = IsDepthwise(graph_, node);
    const size_t operands = depthwise ? 1 : node.inputs.size();
    for (size_t k = 0; k < operands; ++k) {
      const ChannelMap* other = MapOf(node.inputs[k]);
      if (other == nullptr || other->channels != map.channels ||
          ChannelsOf(other->base) != ChannelsOf(map.base))
        return false;
    }
    for (size_t k = 0; k < operands; ++k) {
      Follow(n, node.inputs[k]);
      made.inputs[k] = PieceOf(MapOf(node.inputs[k])->base, range);
    }
    const std::vector<int64_t> places = PlacesOfMap(map, range);
    if (depthwise) {
      std::vector<int64_t> order(static_cast<size_t>(range.count()), kGap);
      for (size_t c = 0; c < places.size(); ++c)
        order[static_cast<size_t>(places[c])] = static_cast<int64_t>(c);
      WriteIn(graph_, order, &made);
    }
    made.output = Wider(node.output, kOrderedName, range.count());
    maps_.insert_or_assign(node.output, ChannelMap{made.output, places});
    graph_.nodes.push_back(std::move(made));
    return true;
  }

  // A tensor like |id| with |channels| channels.
  TensorId Wider(TensorId id, const std::string& label, int64_t channels) {
    graph::Shape shape = graph_.tensor(id).shape;
    shape[1] = channels;
    return AddLike(graph_, id, graph_.tensor(id).name + label, shape);
  }

  bool Joins(const Node& node) const {
    if (!JoinsChannels(graph_, node)) return false;
    return JoinsApart(graph_, node, block_) ||
           std::ranges::any_of(node.inputs, [&](TensorId id) { return maps_.contains(id); }) ||
           std::ranges::any_of(UsersOf(node.output), [&](size_t user) {
             return !left_[user] && MovesChannels(graph_, nodes_[user], config_);
           });
  }

  // The convolution that makes |id|, and the functions of one value behind it, among the nodes made
  // so far, if nothing else reads their results; empty: it is made otherwise.
  std::vector<size_t> ChainOf(TensorId id) const {
    std::vector<size_t> chain;
    while (UsersOf(id).size() == 1 && !IsOutput(id)) {
      const auto maker = std::ranges::find(graph_.nodes, id, &Node::output);
      if (maker == graph_.nodes.end()) break;
      chain.insert(chain.begin(), static_cast<size_t>(maker - graph_.nodes.begin()));
      if (IsPlainConv(graph_, *maker)) return chain;
      if (!IsFunction(graph_, *maker)) break;
      id = maker->inputs[0];
    }
    return {};
  }

  // Lets |chain| make its channels in |order|; returns its result.
  TensorId Reorder(const std::vector<size_t>& chain, const std::vector<int64_t>& order) {
    TensorId last = -1;
    for (const size_t n : chain) {
      Node made = graph_.nodes[n];
      last < 0 ? WriteIn(graph_, order, &made) : void(made.inputs[0] = last);
      made.output = last = Wider(made.output, kOrderedName, std::ssize(order));
      graph_.nodes[n] = std::move(made);
    }
    return last;
  }

  // Adds what reads channels of |id|, which are those of |map|, to |readers|, once for each tensor
  // (|seen|). Nobody reads gaps.
  void AddReaders(TensorId id, const ChannelMap& map, std::vector<ChannelReader>* readers,
                  std::set<TensorId>* seen) const {
    if (!seen->insert(id).second) return;
    const int64_t own = BlocksIn(std::ssize(map.channels));
    const auto add = [&](int64_t cost) {
      ChannelReader reader{WithoutGaps(map.channels), cost};
      if (!reader.channels.empty()) readers->push_back(std::move(reader));
    };
    if (IsOutput(id)) add(own);
    for (const size_t user : UsersOf(id)) {
      const Node& node = nodes_[user];
      const auto moved = node.inputs[0] == id ? MovedBy(graph_, node, map) : std::nullopt;
      if (moved) {
        AddReaders(node.output, *moved, readers, seen);
      } else if (IsPlainConv(graph_, node)) {
        const auto& kernel = node.As<graph::ConvAttributes>().window.kernel;
        const int64_t products =
            BlocksIn(ChannelsOf(node.output)) * kernel[0] * kernel[1] * PlacesIn(node.output);
        add(CeilDiv(products, PlacesIn(node.inputs[0])));
      } else if (map.axes == 1 && IsByChannel(graph_, node)) {
        add(1);
        AddReaders(node.output, map, readers, seen);
      } else {
        add(own);
      }
    }
  }

  // A concatenation makes a base, and its result is there.
  bool Join(size_t n) {
    const Node& node = nodes_[n];
    if (!Joins(node)) return false;
    std::vector<std::vector<size_t>> chains;
    std::vector<JoinedPart> parts;
    for (const TensorId id : node.inputs) {
      Follow(n, id);
      if (maps_.contains(id) && MapOf(id) == nullptr) MakeReal(id);
      chains.push_back(MapOf(id) == nullptr ? ChainOf(id) : std::vector<size_t>());
      const TensorId read = chains.back().empty() ? id : graph_.nodes[chains.back()[0]].inputs[0];
      const bool there =
          MapOf(id) == nullptr && chains.back().empty() && ChannelsOf(id) % block_ == 0;
      parts.push_back({ChannelsOf(id), there ? 0 : BlocksIn(ChannelsOf(read))});
    }
    std::vector<ChannelReader> readers;
    std::set<TensorId> seen;
    AddReaders(node.output, WholeMap(graph_, node.output), &readers, &seen);
    const ChannelOrder order = OrderFor(parts, readers, block_);
    Node joined = node;
    joined.lo = INT32_MIN, joined.hi = INT32_MAX;
    int64_t channels = 0;
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      joined.inputs[k] = PartOf(node, k, chains[k], parts[k].cost == 0, order.parts[k]);
      channels += std::ssize(order.parts[k]);
    }
    if (order.turns)
      joined.op = Op::kInterleave,
      joined.attributes = graph::InterleaveAttributes{.channels = block_};
    joined.output = Wider(node.output, kJoinedName, channels);
    joined.requant.reset();
    const Status attached = quantize::AttachRequant(graph_, joined);
    TESSERA_CHECK(attached.has_value(), "{}", attached.error().message);  // of equal scales
    maps_.insert_or_assign(node.output, ChannelMap{joined.output, PlacesOf(parts, order, block_)});
    graph_.nodes.push_back(std::move(joined));
    return true;
  }

  // Operand |k| of concatenation |node| with channels in |order|, in the scale and bounds of the
  // result. |there|: it is as it is.
  TensorId PartOf(const Node& node, size_t k, const std::vector<size_t>& chain, bool there,
                  const std::vector<int64_t>& order) {
    const std::string label = fmt::format(".channels{}", k),
                      name = graph_.tensor(node.output).name + label;
    Node asks = node;
    if (!chain.empty()) asks.inputs[k] = Reorder(chain, order);
    if (there || !chain.empty()) {
      if (graph::KeepsNumbers(graph_, asks, k)) return asks.inputs[k];
      graph_.nodes.push_back(PartCopy(graph_, asks, k));
      const TensorId copy = graph_.nodes.back().output;
      if (!there) graph_.tensor(copy).name = name;
      return copy;
    }
    const TensorId id = node.inputs[k];
    const ChannelMap map = MapOf(id) == nullptr ? WholeMap(graph_, id) : *MapOf(id);
    std::vector<int64_t> from = order;
    for (int64_t& channel : from)
      channel = channel == kGap ? kGap : map.channels[static_cast<size_t>(channel)];
    const TensorId made = Wider(node.output, label, std::ssize(order));
    AddSelection(map, from, node.requant->operands[k], *node.requant, node.name + label, made);
    return made;
  }

  const std::vector<Node> nodes_;
  std::vector<bool> left_;                  // by node: it stays as it is
  std::vector<size_t> moved_;               // nodes that move or join channels
  std::vector<size_t> group_;               // by node: another one of its group, or itself
  std::vector<std::vector<size_t>> users_;  // by tensor of the given graph: once for each operand
  std::vector<size_t> makers_;              // by tensor of the given graph
  const isa::Config& config_;
  const int64_t block_;
  Graph graph_;
  std::map<TensorId, ChannelMap> maps_;  // of tensors that are elsewhere
  std::map<std::tuple<TensorId, int64_t, int64_t>, TensorId> pieces_;
};

}  // namespace

std::optional<MovedChannels> MoveChannels(const Graph& given, const isa::Config& config,
                                          const std::vector<size_t>& left) {
  const std::optional<Graph> images = RowsAsImages(given, config);
  const Graph& graph = images ? *images : given;
  const bool any = std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return MovesChannels(graph, node, config) || JoinsApart(graph, node, config.block_out);
  });
  if (!any) return std::nullopt;  // without a copy of the graph
  return ChannelMover(graph, config, left).Run();
}

}  // namespace tessera::network
