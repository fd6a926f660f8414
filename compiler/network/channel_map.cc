// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/channel_map.h"

#include <algorithm>
#include <numeric>

#include "base/bits.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::Shape;

// Batch, rows and columns.
constexpr size_t kOtherAxes = 3;

// Index k of an axis of the result is index begin + k * step of axis |axis| of the operand.
struct AxisFrom {
  size_t axis = 0;
  int64_t begin = 0, step = 1;
};

bool SameQuant(const Graph& graph, const Node& node) {
  return graph.tensor(node.inputs[0]).quant == graph.tensor(node.output).quant;
}

// From where the axes of the result of |node| come, if it keeps those that are no channels of the
// first |axes|.
std::optional<std::vector<AxisFrom>> AxesOf(const Graph& graph, const Node& node, size_t axes) {
  const Shape& in = graph.tensor(node.inputs[0]).shape;
  std::vector<AxisFrom> from;
  const auto is_channel = [&](size_t d) { return d >= 1 && d <= axes; };
  for (size_t d = 0; d < in.size(); ++d) {
    if (node.op == Op::kSlice) {
      const graph::AxisCut& cut = node.As<graph::SliceAttributes>().axes[d];
      if (!is_channel(d) && (cut.begin != 0 || cut.count != in[d])) return std::nullopt;
      from.push_back({d, cut.begin, cut.count > 1 ? cut.step : 1});
    } else {
      const auto at = static_cast<size_t>(node.As<graph::TransposeAttributes>().perm[d]);
      if (is_channel(d) != is_channel(at) || (!is_channel(d) && d != at)) return std::nullopt;
      from.push_back({at});
    }
  }
  return from;
}

// The channel of the operand of shape |in| for each of the result of shape |out|.
std::vector<int64_t> ChannelsFrom(const Shape& in, const Shape& out, size_t axes,
                                  const std::vector<AxisFrom>& from) {
  std::vector<int64_t> strides(axes + 2, 1);  // of the operand's channels, by axis
  for (size_t d = axes; d-- > 1;) strides[d] = strides[d + 1] * in[d + 1];
  std::vector<int64_t> channels{0};
  for (size_t d = 1; d <= axes; ++d) {
    std::vector<int64_t> next;
    for (const int64_t channel : channels) {
      for (int64_t k = 0; k < out[d]; ++k)
        next.push_back(channel + (from[d].begin + k * from[d].step) * strides[from[d].axis]);
    }
    channels = std::move(next);
  }
  return channels;
}

}  // namespace

ChannelMap WholeMap(const Graph& graph, graph::TensorId id) {
  ChannelMap map{id, std::vector<int64_t>(static_cast<size_t>(graph.tensor(id).shape[1]))};
  std::iota(map.channels.begin(), map.channels.end(), 0);
  return map;
}

std::optional<ChannelMap> MovedBy(const Graph& graph, const Node& node, const ChannelMap& map) {
  if (node.op != Op::kSlice && node.op != Op::kReshape && node.op != Op::kTranspose)
    return std::nullopt;
  const Shape &in = graph.tensor(node.inputs[0]).shape, &out = graph.tensor(node.output).shape;
  if (!SameQuant(graph, node) || out.size() <= kOtherAxes) return std::nullopt;
  if (node.op == Op::kReshape) {
    if (out[0] != in[0] || !std::equal(in.end() - 2, in.end(), out.end() - 2)) return std::nullopt;
    return ChannelMap{map.base, map.channels, out.size() - kOtherAxes};
  }
  const auto from = AxesOf(graph, node, map.axes);
  if (!from) return std::nullopt;
  ChannelMap made{map.base, ChannelsFrom(in, out, map.axes, *from), map.axes};
  for (int64_t& channel : made.channels) channel = map.channels[static_cast<size_t>(channel)];
  return made;
}

BlockRange BlocksOf(const std::vector<int64_t>& channels, int64_t block, int64_t all) {
  const auto [least, most] = std::ranges::minmax(channels);
  const int64_t end = std::min(RoundUp(most + 1, block), all);
  const int64_t first = std::min(least / block * block, std::max<int64_t>(end - block, 0));
  return {first / block * block, end};
}

bool IsInjective(const ChannelMap& map) {
  std::vector<int64_t> sorted = map.channels;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

}  // namespace tessera::network
