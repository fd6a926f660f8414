// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/channel_ops.h"

#include <algorithm>

#include "compiler/graph/op_def.h"
#include "compiler/network/channel_map.h"
#include "compiler/network/channel_weights.h"
#include "compiler/network/tensor_places.h"

namespace tessera::network {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::TensorId;

bool IsImage(const GraphTensor& t) {
  return t.dtype == DType::kInt8 && t.shape.size() == 4 && t.quant && t.quant->scale.size() == 1 &&
         !t.constant();
}

bool MovesChannels(const Graph& graph, const Node& node, const isa::Config& config) {
  const bool image = !node.inputs.empty() && IsImage(graph.tensor(node.inputs[0]));
  return image && MovedBy(graph, node, WholeMap(graph, node.inputs[0])) &&
         LyingOf(graph, node, config).empty();
}

bool JoinsChannels(const Graph& graph, const Node& node) {
  return node.op == Op::kConcat && node.As<graph::ConcatAttributes>().axis == 1 && node.requant &&
         node.requant->operands.size() == node.inputs.size() &&
         IsImage(graph.tensor(node.output)) &&
         std::ranges::all_of(node.inputs, [&](TensorId id) { return IsImage(graph.tensor(id)); });
}

bool JoinsApart(const Graph& graph, const Node& node, int64_t block) {
  if (!JoinsChannels(graph, node)) return false;
  int64_t begin = 0;
  for (const TensorId id : node.inputs) {
    const int64_t channels = graph.tensor(id).shape[1];
    // Fewer channels than a block lie in a layout of their own.
    if (begin % block != 0 || (begin > 0 && channels < block)) return true;
    begin += channels;
  }
  return false;
}

bool IsByChannel(const Graph& graph, const Node& node) {
  const GraphTensor& out = graph.tensor(node.output);
  if (!IsImage(out)) return false;
  if (IsDepthwise(graph, node)) return true;
  const bool one_scale =
      !node.requant || (node.requant->multiplier.size() <= 1 && node.requant->bias.size() <= 1);
  const auto alike = [&](TensorId id) {
    return IsImage(graph.tensor(id)) && graph.tensor(id).shape == out.shape;
  };
  const bool pool = node.op == Op::kMaxPool || node.op == Op::kAvgPool || node.op == Op::kResize;
  const bool elements = graph::DefOf(node.op).category == graph::Category::kElementwise &&
                        std::ranges::all_of(node.inputs, alike);
  return one_scale && (elements || (pool && IsImage(graph.tensor(node.inputs[0]))));
}

bool IsFunction(const Graph& graph, const Node& node) {
  return IsByChannel(graph, node) && node.inputs.size() == 1 &&
         graph::DefOf(node.op).category == graph::Category::kElementwise;
}

}  // namespace tessera::network
