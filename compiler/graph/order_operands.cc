// SPDX-License-Identifier: Apache-2.0
//
// Which of two operands is computed last.
#include <algorithm>
#include <vector>

#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"

namespace tessera::graph {
namespace {

// The nodes that make |id| alone and that fusion makes one region of: functions of one value, and
// what stands before them.
std::vector<size_t> ChainOf(const Graph& graph, TensorId id) {
  std::vector<size_t> chain;
  for (std::optional<size_t> n = graph.ProducerOf(id); n; n = graph.ProducerOf(id)) {
    if (graph.ConsumersOf(id).size() != 1 || std::ranges::count(graph.outputs, id) > 0) return {};
    chain.insert(chain.begin(), *n);
    if (DefOf(graph.nodes[*n].op).category == Category::kComplex) return chain;
    id = graph.nodes[*n].inputs[0];
    if (graph.nodes[*n].inputs.size() != 1) return {};
  }
  return {};
}

int64_t MacsOf(const Graph& graph, const std::vector<size_t>& chain) {
  return chain.empty() ? 0 : Macs(graph, graph.nodes[chain[0]]);
}

}  // namespace

void OrderOperands(Graph& graph) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (DefOf(node.op).category != Category::kElementwise || node.inputs.size() != 2) continue;
    std::vector<size_t> first = ChainOf(graph, node.inputs[0]),
                        last = ChainOf(graph, node.inputs[1]);
    if (first.empty() || last.empty()) continue;
    if (first[0] > last[0]) std::swap(first, last);
    if (MacsOf(graph, first) <= MacsOf(graph, last)) continue;
    // |last| moves in front of |first|, if what it reads is there.
    const auto is_there = [&](TensorId id) {
      const std::optional<size_t> maker = graph.ProducerOf(id);
      return !maker || *maker < first[0];
    };
    if (!std::ranges::all_of(graph.nodes[last[0]].inputs, is_there)) continue;
    std::vector<Node> moved;
    for (const size_t m : last) moved.push_back(graph.nodes[m]);
    for (size_t k = last.size(); k-- > 0;)
      graph.nodes.erase(graph.nodes.begin() + static_cast<int64_t>(last[k]));
    graph.nodes.insert(graph.nodes.begin() + static_cast<int64_t>(first[0]), moved.begin(),
                       moved.end());
  }
}

}  // namespace tessera::graph
