// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/share_layers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "compiler/network/into_parts.h"
#include "compiler/network/place.h"
#include "compiler/network/share_rows.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::TensorId;

// The axis of channels, of activations.
constexpr int kChannels = 1;

constexpr const char *kOnAccelerator = ".accelerator", *kOnHost = ".host";  // behind names

// Entries |first| to |first| + |count| of |all|, of |list|, which has as many for each.
template <typename T>
std::vector<T> Kept(const std::vector<T>& list, int64_t first, int64_t count, int64_t all) {
  const auto each = std::ssize(list) / all;
  return {list.begin() + first * each, list.begin() + (first + count) * each};
}

// The constant |id| from |first| on along its first axis, |count| of it.
TensorId Part(Graph& graph, TensorId id, int64_t first, int64_t count, const std::string& name) {
  const GraphTensor& whole = graph.tensor(id);
  const int64_t all = whole.shape[0];
  GraphTensor made{.dtype = whole.dtype, .shape = whole.shape, .quant = whole.quant};
  made.data = Kept(*whole.data, first, count, all);
  if (made.quant && made.quant->axis == 0 && made.quant->scale.size() > 1) {
    made.quant->scale = Kept(made.quant->scale, first, count, all);
    made.quant->zero = Kept(made.quant->zero, first, count, all);
  }
  made.shape[0] = count;
  made.name = name;
  return graph.AddTensor(std::move(made));
}

// Adds |count| output channels of |node| from |first| on to |parts|.
void AddChannels(Graph& graph, const Node& node, const char* label, int64_t first, int64_t count,
                 Parts* parts) {
  Node made = node;
  made.name += label;
  for (size_t i = 1; i < made.inputs.size(); ++i) {
    made.inputs[i] =
        Part(graph, node.inputs[i], first, count, graph.tensor(node.inputs[i]).name + label);
  }
  graph::Shape shape = graph.tensor(node.output).shape;
  const int64_t all = shape[kChannels];
  const auto keep = [&](auto& list) {
    if (std::ssize(list) == all) list = Kept(list, first, count, all);
  };
  keep(made.requant->bias);
  keep(made.requant->multiplier);
  keep(made.requant->shift);
  shape[kChannels] = count;
  AddPart(graph, node, label, std::move(made), shape, parts);
}

Status CheckChannels(const Graph& graph, const Pin& pin, const Node& node,
                     const isa::Config& config) {
  if (!CanShare(graph, node)) {
    return Fail(
        Code::kUnsupported,
        "placement of {}: {} is no convolution or dense layer of int8 with one group and no "
        "added channels, so the devices cannot share it; say 'host' or 'accelerator'",
        pin.layer, Legible(node.name));
  }
  const int64_t block = config.block_out, all = graph.tensor(node.output).shape[kChannels];
  if (pin.channels < all && pin.channels % block == 0) return {};
  const int64_t most = (all - 1) / block * block;
  if (most == 0) {
    return Fail(Code::kOutOfRange,
                "placement of {}: {} has {} output channels, and configuration {} makes {} at a "
                "time; say 'host' or 'accelerator'",
                pin.layer, Legible(node.name), all, config.name, block);
  }
  return Fail(Code::kOutOfRange,
              "placement of {}: the accelerator cannot make {} of the {} channels of {}; it can "
              "make {} to {} of them, in steps of {}",
              pin.layer, pin.channels, all, Legible(node.name), block, most, block);
}

Status CheckRows(const Graph& graph, const Pin& pin, const Node& node) {
  if (!CanShareRows(graph, node)) {
    return Fail(Code::kUnsupported,
                "placement of {}: {} is no convolution, pool, sum or function of int8 over an "
                "image, so the devices cannot share its rows; say 'host' or 'accelerator'",
                pin.layer, Legible(node.name));
  }
  const int64_t all = graph.tensor(node.output).shape[kRowAxis];
  if (pin.rows < all) return {};
  if (all == 1) {
    return Fail(Code::kOutOfRange,
                "placement of {}: the result of {} has one row; say 'host' or 'accelerator'",
                pin.layer, Legible(node.name));
  }
  return Fail(Code::kOutOfRange,
              "placement of {}: the accelerator cannot make {} of the {} rows of {}; it can make 1 "
              "to {} of them",
              pin.layer, pin.rows, all, Legible(node.name), all - 1);
}

// No shared layer is behind another one, which has it in its parts.
Status CheckApart(const Graph& graph, const std::map<TensorId, Pin>& shares) {
  for (const auto& [result, pin] : shares) {
    for (const size_t n : FollowersOf(graph, graph.nodes[*graph.ProducerOf(result)])) {
      const auto other = shares.find(graph.nodes[n].output);
      if (other == shares.end()) continue;
      return Fail(Code::kInvalidArgument,
                  "placement of {}: it is behind {}, and both devices make it with that; leave one "
                  "of the two lines out",
                  other->second.layer, pin.layer);
    }
  }
  return {};
}

void AddPins(const Graph& graph, TensorId id, uint32_t device, Pins* pins) {
  for (const size_t n : NodesOfPart(graph, id)) {
    if (graph.nodes[n].op != Op::kConcat)
      pins->push_back({.layer = Legible(graph.nodes[n].name), .device = device});
  }
}

}  // namespace

bool CanShare(const Graph& graph, const Node& node) {
  if (node.op != Op::kConv && node.op != Op::kDense) return false;
  const GraphTensor& out = graph.tensor(node.output);
  if (!node.requant || out.dtype != DType::kInt8 || out.shape.size() <= kChannels ||
      graph.tensor(node.inputs[0]).dtype != DType::kInt8)
    return false;
  if (node.op == Op::kConv) {
    const auto& conv = node.As<graph::ConvAttributes>();
    if (conv.groups > 1 || conv.idle_outputs > 0) return false;
  }
  return std::ranges::all_of(node.inputs.begin() + 1, node.inputs.end(), [&](TensorId id) {
    const GraphTensor& t = graph.tensor(id);
    return t.constant() && !t.shape.empty() && t.shape[0] == out.shape[kChannels];
  });
}

Result<Pins> ShareLayers(Graph& graph, const Pins& pins, const isa::Config& config) {
  std::map<TensorId, Pin> shares;  // by result: names may be there twice
  for (const Pin& pin : pins) {
    if (!pin.shared()) continue;
    const std::vector<std::string> names = NodesOfLayer(pin.layer);
    for (const std::string& name : names) TESSERA_TRY(FindNode(graph, pin.layer, name));
    TESSERA_ASSIGN(const size_t first, FindNode(graph, pin.layer, names[0]));
    const Node& node = graph.nodes[first];
    TESSERA_TRY(pin.rows > 0 ? CheckRows(graph, pin, node)
                             : CheckChannels(graph, pin, node, config));
    shares[node.output] = pin;
  }
  TESSERA_TRY(CheckApart(graph, shares));
  if (shares.empty()) return Pins();
  IntoParts(graph, [&](const Node& node, TensorId) -> std::optional<Parts> {
    const auto found = shares.find(node.output);
    if (found == shares.end()) return std::nullopt;
    const bool rows = found->second.rows > 0;
    const int axis = rows ? kRowAxis : kChannels;
    const int64_t first = rows ? found->second.rows : found->second.channels;
    const int64_t all = graph.tensor(node.output).shape[static_cast<size_t>(axis)];
    const auto add = rows ? AddRows : AddChannels;
    Parts parts{.joined = graph::ConcatAttributes{axis}, .join = Op::kConcat};
    add(graph, node, kOnAccelerator, 0, first, &parts);
    add(graph, node, kOnHost, first, all - first, &parts);
    graph.shared.push_back({parts.results[0], parts.results[1]});
    return parts;
  });
  TESSERA_CHECK(graph.shared.size() == shares.size(), "a layer was not shared");
  Pins parts;
  for (const graph::SharedLayer& layer : graph.shared) {
    AddPins(graph, layer.accelerator, kAccelerator, &parts);
    AddPins(graph, layer.host, kHost, &parts);
  }
  return parts;
}

std::vector<size_t> NodesOfPart(const Graph& graph, TensorId id) {
  std::vector<size_t> nodes{*graph.ProducerOf(id)};
  while (graph.nodes[nodes.back()].op != Op::kConcat)
    nodes.push_back(graph.ConsumersOf(graph.nodes[nodes.back()].output)[0]);
  return nodes;
}

bool IsShared(const Graph& graph, TensorId id) {
  return std::ranges::count(graph.shared, id, &graph::SharedLayer::accelerator) > 0;
}

std::vector<bool> SharedNodes(const Graph& graph) {
  std::vector<bool> shared(graph.nodes.size());
  for (const graph::SharedLayer& layer : graph.shared) {
    for (const TensorId id : {layer.accelerator, layer.host}) {
      const std::vector<size_t> part = NodesOfPart(graph, id);
      for (const size_t n : part) shared[n] = true;
      for (const size_t n : CutsOf(graph, part[0])) shared[n] = true;
    }
  }
  return shared;
}

}  // namespace tessera::network
