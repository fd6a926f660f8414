// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/params.h"

#include "compiler/graph/op_def.h"

namespace tessera::quantize {

Status AttachRequant(const graph::Graph& graph, graph::Node& node) {
  const auto rule = graph::DefOf(node.op).requant;
  const graph::GraphTensor& out = graph.tensor(node.output);
  if (!rule || !out.quant) return {};
  graph::Requant requant;
  requant.round = node.round;
  requant.out_zero = out.quant->zero[0];
  const IntegerLimits bounds = graph::BoundsOf(graph, node);
  requant.lo = bounds.lo;
  requant.hi = bounds.hi;
  TESSERA_TRY(rule(graph, node, requant));
  node.requant = std::move(requant);
  return {};
}

Status AttachRequant(graph::Graph& graph) {
  for (graph::Node& node : graph.nodes) TESSERA_TRY(AttachRequant(graph, node));
  return {};
}

}  // namespace tessera::quantize
