// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/join_parts.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/check.h"
#include "compiler/network/into_parts.h"
#include "compiler/network/tensor_places.h"
#include "compiler/quantize/params.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::TensorId;

// Makes a copy of the operand of |node|.
Node Copy(Graph& graph, const Node& node) {
  const TensorId id = node.inputs[0];
  Node copy{.op = Op::kRescale,
            .name = node.name + ".copy",
            .inputs = {id},
            .output = AddLike(graph, id, graph.tensor(id).name + ".copy." + node.name,
                              graph.tensor(id).shape),
            .attributes = graph::FactorAttributes{}};
  const Status attached = quantize::AttachRequant(graph, copy);
  TESSERA_CHECK(attached.has_value(), "{}", attached.error().message);  // of equal scales
  return copy;
}

}  // namespace

Node PartCopy(Graph& graph, const Node& node, size_t index) {
  graph::GraphTensor made = graph.tensor(node.inputs[index]);
  made.name = fmt::format("{}.part{}", graph.tensor(node.output).name, index);
  made.quant = graph.tensor(node.output).quant;
  made.order.clear();
  Node copy{.op = Op::kRescale,
            .name = fmt::format("{}.part{}", node.name, index),
            .inputs = {node.inputs[index]},
            .attributes = graph::FactorAttributes{},
            .lo = node.lo,
            .hi = node.hi,
            .round = node.round,
            .requant = node.requant};
  const graph::OperandScale& scale = node.requant->operands[index];
  copy.requant->bias = {-scale.zero};
  copy.requant->multiplier = {scale.multiplier};
  copy.requant->shift = {scale.shift};
  copy.requant->operands.clear();
  copy.output = graph.AddTensor(std::move(made));
  return copy;
}

void JoinParts(Graph& graph, const isa::Config& config) {
  TensorPlaces places(graph, config);
  const std::vector<Node> nodes = std::exchange(graph.nodes, {});
  std::vector<bool> made(graph.tensors.size());
  for (const Node& node : nodes) {
    Node joined = node;
    std::vector<Node> copies;
    std::vector<bool> copied(node.inputs.size());
    const auto copy = [&](size_t k) {
      copies.push_back(PartCopy(graph, node, k));
      joined.inputs[k] = copies.back().output;
      copied[k] = true;
    };
    const bool joins = node.op == Op::kConcat && node.requant &&
                       node.requant->operands.size() == node.inputs.size();
    for (size_t k = 0; k < node.inputs.size() && joins; ++k) {
      if (!graph::KeepsNumbers(graph, node, k)) copy(k);
    }
    if (!copies.empty()) joined.lo = INT32_MIN, joined.hi = INT32_MAX;
    const std::vector<Lying> parts = LyingOf(graph, joined, config);
    made[static_cast<size_t>(node.output)] = true;
    if (!joins || parts.empty()) {
      Node moved = node;
      // A view of bytes that already have other dimensions views a copy of them.
      if (!places.LayAll(parts) && !JoinsParts(node.op)) {
        graph.nodes.push_back(Copy(graph, node));
        moved.inputs[0] = graph.nodes.back().output;
        places.LayAll(LyingOf(graph, moved, config));
      }
      graph.nodes.push_back(std::move(moved));
      continue;
    }
    for (size_t k = 0; k < parts.size(); ++k) {
      if (copied[k]) {
        places.Lay(parts[k]);
      } else if (!made[static_cast<size_t>(node.inputs[k])] || !places.Lay(parts[k])) {
        copy(k);
        places.Lay({joined.inputs[k], node.output, parts[k].piece});
      }
    }
    for (Node& one : copies) graph.nodes.push_back(std::move(one));
    graph.nodes.push_back(std::move(joined));
  }
}

}  // namespace tessera::network
