// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/channel_map.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/bits.h"
#include "compiler/graph/gathers.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::Shape;

// Batch, rows and columns.
constexpr size_t kOtherAxes = 3;

// Index k of an axis of the result is index |at|[k] of axis |axis| of the operand; kGap: a pad.
struct AxisFrom {
  size_t axis = 0;
  std::vector<int64_t> at;
};

bool SameQuant(const Graph& graph, const Node& node) {
  return graph.tensor(node.inputs[0]).quant == graph.tensor(node.output).quant;
}

std::vector<int64_t> UpTo(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<int64_t> IndicesOf(const graph::AxisCut& cut) {
  std::vector<int64_t> indices = UpTo(cut.count);
  for (int64_t& index : indices) index = cut.begin + index * cut.step;
  return indices;
}

// Of an axis of |extent| with |pads| before and behind it.
std::vector<int64_t> IndicesOf(const std::array<int64_t, 2>& pads, int64_t extent) {
  std::vector<int64_t> indices(static_cast<size_t>(pads[0]), kGap);
  const std::vector<int64_t> inside = UpTo(extent);
  indices.insert(indices.end(), inside.begin(), inside.end());
  indices.insert(indices.end(), static_cast<size_t>(pads[1]), kGap);
  return indices;
}

// From where axis |d| of the result of |node| comes, which neither reshapes nor turns axes;
// nothing: it holds other values.
std::optional<AxisFrom> AxisOf(const Graph& graph, const Node& node, size_t d) {
  const GraphTensor& in = graph.tensor(node.inputs[0]);
  if (node.op == Op::kSlice)
    return AxisFrom{d, IndicesOf(node.As<graph::SliceAttributes>().axes[d])};
  if (node.op == Op::kPad) {
    const auto& pad = node.As<graph::PadAttributes>();
    if (pad.mode != graph::PadMode::kConstant || pad.value != in.zero()) return std::nullopt;
    return AxisFrom{d, IndicesOf(pad.pads[d], in.shape[d])};
  }
  const auto& gather = node.As<graph::GatherAttributes>();
  if (d != static_cast<size_t>(gather.axis)) return AxisFrom{d, UpTo(in.shape[d])};
  auto indices = graph::GatheredIndices(graph, node);
  if (!indices || graph.tensor(node.inputs[1]).shape.size() != 1) return std::nullopt;
  return AxisFrom{d, std::move(*indices)};
}

// From where the axes of the result of |node| come, if it keeps those that are no channels of the
// first |axes|.
std::optional<std::vector<AxisFrom>> AxesOf(const Graph& graph, const Node& node, size_t axes) {
  const Shape& in = graph.tensor(node.inputs[0]).shape;
  std::vector<AxisFrom> from;
  const auto is_channel = [&](size_t d) { return d >= 1 && d <= axes; };
  for (size_t d = 0; d < in.size(); ++d) {
    if (node.op == Op::kTranspose) {
      const auto at = static_cast<size_t>(node.As<graph::TransposeAttributes>().perm[d]);
      if (is_channel(d) != is_channel(at) || (!is_channel(d) && d != at)) return std::nullopt;
      from.push_back({at, UpTo(in[at])});
      continue;
    }
    auto axis = AxisOf(graph, node, d);
    if (!axis || (!is_channel(d) && axis->at != UpTo(in[d]))) return std::nullopt;
    from.push_back(std::move(*axis));
  }
  return from;
}

// The channel of the operand of shape |in| for each of the result.
std::vector<int64_t> ChannelsFrom(const Shape& in, size_t axes, const std::vector<AxisFrom>& from) {
  std::vector<int64_t> strides(axes + 2, 1);  // of the operand's channels, by axis
  for (size_t d = axes; d-- > 1;) strides[d] = strides[d + 1] * in[d + 1];
  std::vector<int64_t> channels{0};
  for (size_t d = 1; d <= axes; ++d) {
    std::vector<int64_t> next;
    for (const int64_t channel : channels) {
      for (const int64_t at : from[d].at) {
        const bool gap = channel == kGap || at == kGap;
        next.push_back(gap ? kGap : channel + at * strides[from[d].axis]);
      }
    }
    channels = std::move(next);
  }
  return channels;
}

}  // namespace

ChannelMap WholeMap(const Graph& graph, graph::TensorId id) {
  return {id, UpTo(graph.tensor(id).shape[1])};
}

std::optional<ChannelMap> MovedBy(const Graph& graph, const Node& node, const ChannelMap& map) {
  constexpr std::array kMoving{Op::kSlice, Op::kGather, Op::kReshape, Op::kTranspose, Op::kPad};
  if (std::ranges::count(kMoving, node.op) == 0) return std::nullopt;
  const Shape &in = graph.tensor(node.inputs[0]).shape, &out = graph.tensor(node.output).shape;
  if (!SameQuant(graph, node) || out.size() <= kOtherAxes) return std::nullopt;
  if (node.op == Op::kReshape) {
    if (out[0] != in[0] || !std::equal(in.end() - 2, in.end(), out.end() - 2)) return std::nullopt;
    return ChannelMap{map.base, map.channels, out.size() - kOtherAxes};
  }
  const auto from = AxesOf(graph, node, map.axes);
  if (!from) return std::nullopt;
  ChannelMap made{map.base, ChannelsFrom(in, map.axes, *from), map.axes};
  for (int64_t& channel : made.channels)
    channel = channel == kGap ? kGap : map.channels[static_cast<size_t>(channel)];
  return made;
}

BlockRange BlocksOf(const std::vector<int64_t>& channels, int64_t block, int64_t all) {
  std::vector<int64_t> inside = WithoutGaps(channels);
  if (inside.empty()) inside.push_back(0);
  const auto [least, most] = std::ranges::minmax(inside);
  const int64_t end = std::min(RoundUp(most + 1, block), all);
  const int64_t first = std::min(least / block * block, std::max<int64_t>(end - block, 0));
  return {first / block * block, end};
}

std::vector<int64_t> WithoutGaps(std::vector<int64_t> channels) {
  std::erase(channels, kGap);
  return channels;
}

bool IsInjective(const ChannelMap& map) {
  std::vector<int64_t> sorted = WithoutGaps(map.channels);
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

bool HasGaps(const ChannelMap& map) { return std::ranges::count(map.channels, kGap) > 0; }

}  // namespace tessera::network
