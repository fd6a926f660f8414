// SPDX-License-Identifier: Apache-2.0
//
// Verify: the invariants that passes and readers of a graph rely on.
#include <algorithm>

#include "compiler/graph/node_check.h"

namespace tessera::graph {

namespace {

// Each state is an input and an output of equal type, shape and scale, with initial bytes.
Status States(const Graph& graph) {
  const size_t count = graph.states.size();
  if (count > graph.inputs.size() || count > graph.outputs.size()) {
    return Fail(Code::kInvalidArgument, "{} states, {} inputs and {} outputs", count,
                graph.inputs.size(), graph.outputs.size());
  }
  for (size_t s = 0; s < count; ++s) {
    const GraphTensor& before = graph.tensor(graph.inputs[graph.inputs.size() - count + s]);
    const GraphTensor& after = graph.tensor(graph.outputs[graph.outputs.size() - count + s]);
    if (before.dtype != after.dtype || before.shape != after.shape || before.quant != after.quant ||
        before.order != after.order) {
      return Fail(Code::kInvalidArgument,
                  "state {} of shape {} becomes {} of shape {}, or another type or scale",
                  before.name, ShapeText(before.shape), after.name, ShapeText(after.shape));
    }
    if (std::ssize(graph.states[s]) == before.count() * SizeOf(before.dtype)) continue;
    return Fail(Code::kInvalidArgument, "state {} begins with {} bytes, shape {} takes {}",
                before.name, graph.states[s].size(), ShapeText(before.shape),
                before.count() * SizeOf(before.dtype));
  }
  return {};
}

}  // namespace

Status Verify(const Graph& graph) {
  const auto in_range = [&](TensorId id) {
    return id >= 0 && id < static_cast<TensorId>(graph.tensors.size());
  };
  std::vector<bool> known(graph.tensors.size());
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const GraphTensor& t = graph.tensors[i];
    known[i] = t.constant();
    if (std::ranges::any_of(t.shape, [](int64_t extent) { return extent < 1; })) {
      return Fail(Code::kInvalidArgument, "tensor {} has shape {}", t.name, ShapeText(t.shape));
    }
  }
  for (const TensorId id : graph.inputs) {
    if (!in_range(id)) return Fail(Code::kInvalidArgument, "graph input {} is not a tensor", id);
    known[static_cast<size_t>(id)] = true;
  }
  for (const Node& node : graph.nodes) {
    const auto bad = [&](const std::string& why) {
      return Fail(Code::kInvalidArgument, "node {} ({}): {}", node.name, Text(node.op), why);
    };
    const OpDef& takes = DefOf(node.op);
    if (node.inputs.size() < takes.least || node.inputs.size() > takes.most) {
      return bad(
          fmt::format("{} operands, takes {} to {}", node.inputs.size(), takes.least, takes.most));
    }
    for (const TensorId id : node.inputs) {
      if (!in_range(id)) return bad(fmt::format("operand {} is not a tensor", id));
      if (!known[static_cast<size_t>(id)])
        return bad(fmt::format("operand {} is used before it is made", graph.tensor(id).name));
    }
    if (!in_range(node.output)) return bad("its result is not a tensor");
    if (known[static_cast<size_t>(node.output)]) {
      return bad(fmt::format("its result {} has another producer", graph.tensor(node.output).name));
    }
    known[static_cast<size_t>(node.output)] = true;
    TESSERA_TRY(NodeCheck(graph, node).Run());
  }
  for (const TensorId id : graph.outputs) {
    if (!in_range(id) || !known[static_cast<size_t>(id)]) {
      return Fail(Code::kInvalidArgument, "graph output {} is not made by any node", id);
    }
  }
  return States(graph);
}

}  // namespace tessera::graph
